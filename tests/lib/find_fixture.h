/*
 * find_fixture.h - the folder of config_fixture.h with a home in it, where hooks are found.
 *
 *     put_program(f, "home/.kodelet/hooks/lint", "#!/bin/sh\necho after_turn\n");
 *     CLEANUP(config) struct config *c = find(f);
 *     assert_string_equal(hooks_of(f, c), "kodelet/lint");
 */
#pragma once

#include "base/clock.h"
#include "config_fixture.h"
#include "find/find.h"

#include <time.h>

static inline void put_program(struct fixture *f, const char *name, const char *text)
{
    put(f, name, text);
    assert_int_equal(chmod(at(f, name), 0755), 0);
}

static inline void pin(struct fixture *f, const char *name)
{
    struct str text;

    assert_int_equal(file_read(&f->arena, at(f, name), 1 << 20, &text, NULL), 0);
    assert_int_equal(trust_pin(at(f, "user/trusted"), at(f, name), text, NULL), 0);
}

static inline struct config *find(struct fixture *f)
{
    f->where.home = at(f, "home");
    f->where.find = find_hooks;
    return config_load(&f->where);
}

/* The names of all hooks in configured order, separated by spaces. */
static inline const char *hooks_of(struct fixture *f, const struct config *c)
{
    const char *all = "";

    for (size_t i = 0; i < c->hook_count; i++)
        if (!c->hooks[i].duplicate)
            all = arena_printf(&f->arena, "%s%s%s", all, all[0] ? " " : "", c->hooks[i].name);
    return all;
}

static inline const struct hook_entry *hook_of(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->hook_count; i++)
        if (strcmp(c->hooks[i].name, name) == 0)
            return &c->hooks[i];
    fail_msg("no hook '%s'", name);
    return NULL;
}

/* The entry as JSON, without the folder of the fixture. */
static inline const char *entry_of(struct fixture *f, const struct config *c, const char *name)
{
    char *text = json_text(&f->arena, setting_to_json(&f->arena, hook_of(c, name)->spec));
    size_t len = strlen(f->dir) + 1;

    for (char *at_dir; (at_dir = strstr(text, f->dir));)
        memmove(at_dir, at_dir + len, strlen(at_dir + len) + 1);
    return text;
}

static inline const struct config_file *file_of(struct fixture *f, const struct config *c,
                                                const char *name)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (strcmp(c->files[i].path, at(f, name)) == 0)
            return &c->files[i];
    return NULL;
}

/* An answer is kept only of a file that has not changed just now. */
static inline void let_settle(struct fixture *f, const char *name)
{
    const struct timespec moment = { .tv_nsec = 5000000 };
    uint64_t until = clock_mono_ns() + UINT64_C(5000000000);
    struct stat st;

    assert_int_equal(stat(at(f, name), &st), 0);
    while (clock_wall_ms() - (int64_t)st.st_ctim.tv_sec * 1000 - st.st_ctim.tv_nsec / 1000000 <
           110) {
        assert_true(clock_mono_ns() < until);
        nanosleep(&moment, NULL);
    }
}
