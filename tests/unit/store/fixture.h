/*
 * fixture.h - a store of either kind with a folder of its own. BOTH(test) runs a test once for each
 * implementation of store.h.
 */
#pragma once

#include "base/path.h"
#include "file_put.h"
#include "store/ops.h"
#include "tmpdir.h"

struct fixture {
    struct arena a;
    struct store *s;
    struct err e;
    struct tmpdir folder;
    char *receipts;
    int64_t counted;
};

static inline struct fixture *fixture_new(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    tmpdir_make(&f->folder);
    f->receipts = path_join(&f->a, f->folder.path, "receipts");
    *state = f;
    return f;
}

static inline int make_memory(void **state)
{
    struct fixture *f = fixture_new(state);

    f->s = store_memory();
    return 0;
}

static inline int make_sqlite(void **state)
{
    struct fixture *f = fixture_new(state);

    f->s = store_sqlite(path_join(&f->a, f->folder.path, "hooke.db"));
    return 0;
}

static inline int drop(void **state)
{
    struct fixture *f = *state;

    store_free(f->s);
    tmpdir_cleanup(&f->folder);
    arena_release(&f->a);
    free(f);
    return 0;
}

static inline struct store_key key_of(const char *session, const char *hook, const char *key)
{
    return (struct store_key){ session, hook, key };
}

#define WITH(kind, test) \
    ((struct CMUnitTest){ #test " (" #kind ")", test, make_##kind, drop, NULL })
#define BOTH(test) WITH(memory, test), WITH(sqlite, test)
