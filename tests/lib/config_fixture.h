/*
 * config_fixture.h - a folder with all the places configuration comes from, for one test.
 *
 *     put(f, "user/config.yaml", "strict: true\n");
 *     CLEANUP(config) struct config *c = load(f);
 */
#pragma once

#include "base/file.h"
#include "base/path.h"
#include "hook/config.h"
#include "hook/trust.h"
#include "test.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

struct fixture {
    struct arena arena;
    char *dir;
    struct config_where where;
};

static const char *const fixture_builtins[] = { "phase-reminder", "loop-guard", NULL };

static inline char *at(struct fixture *f, const char *name)
{
    return path_join(&f->arena, f->dir, name);
}

static inline void put(struct fixture *f, const char *name, const char *text)
{
    struct err e = { 0 };

    if (file_write(at(f, name), str_of(text), 0600, &e) < 0)
        fail_msg("%s", e.msg);
}

/* Write a workspace file and trust it. */
static inline void put_trusted(struct fixture *f, const char *name, const char *text)
{
    struct err e = { 0 };

    put(f, name, text);
    if (trust_pin(at(f, "user/trusted"), at(f, name), str_of(text), &e) < 0)
        fail_msg("%s", e.msg);
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const char *base = getenv("TMPDIR");

    f->dir = arena_printf(&f->arena, "%s/hooke-config.XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(f->dir));
    assert_int_equal(mkdir(at(f, "ws"), 0700), 0);
    assert_int_equal(mkdir(at(f, "ws/.git"), 0700), 0);
    f->where = (struct config_where){
        .cwd = at(f, "ws"),
        .managed = at(f, "etc/config.yaml"),
        .user_dir = at(f, "user"),
        .hive = at(f, "agent_hive.json"),
        .state_dir = at(f, "state"),
        .builtins = fixture_builtins,
    };
    unsetenv("HOOKE_TRUST");
    setenv("XDG_DATA_HOME", at(f, "data"), 1); /* copies of what is trusted */
    *state = f;
    return 0;
}

static inline int fixture_remove(const char *path, const struct stat *st UNUSED, int type UNUSED,
                                 struct FTW *at_depth UNUSED)
{
    return remove(path);
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;

    nftw(f->dir, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
    arena_release(&f->arena);
    free(f);
    return 0;
}

static inline struct config *load(struct fixture *f)
{
    return config_load(&f->where);
}

/* All problems, one a line: "user/config.yaml:1:2: message", without the folder of the fixture. */
static inline const char *problems_of(struct fixture *f, const struct config *c)
{
    const char *all = "";
    size_t len = strlen(f->dir) + 1;

    for (const struct problem *p = c->problems.first; p; p = p->next) {
        const char *where = origin_text(&f->arena, &p->origin);

        if (strncmp(where, f->dir, len - 1) == 0)
            where += len;
        all = arena_printf(&f->arena, "%s%s: %s\n", all, where, p->message);
    }
    return all;
}

static inline void assert_problems(struct fixture *f, const struct config *c, const char *expected)
{
    assert_string_equal(problems_of(f, c), expected);
}

/* What is said of the text of a user's configuration. */
static inline void assert_user_problems(struct fixture *f, const char *text, const char *expected)
{
    put(f, "user/config.yaml", text);
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, expected);
}

#define CONFIG_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
