/*
 * tool_fixture.h - a workspace and a tool to call in it, without a session.
 *
 *     CLEANUP(tool_bed) struct tool_bed b = { 0 };
 *     tool_bed_open(&b);
 *     tool_bed_file(&b, "a.txt", "one\n");
 *     tool_works(&b, "read", "{\"path\":\"a.txt\"}", "     1\tone\n");
 *     tool_fails(&b, "read", "{\"path\":\"b.txt\"}", "there is no file 'b.txt'");
 *
 * The workspace is the folder "repo" of a temporary folder; beside it are "repo-other", to be kept
 * out of, and "state", where HOME and what XDG asks for lead.
 */
#pragma once

#include "agent/seen.h"
#include "agent/tool.h"
#include "base/file.h"
#include "base/path.h"
#include "tmpdir.h"

#include <sys/stat.h>

struct tool_bed {
    struct tmpdir dir;
    struct arena arena;
    char *top; /* canonical */
    struct tool_call call;
    struct tool_result result;
    struct err e;
};

/* A path in the workspace, or beside it: "../repo-other/x". */
static inline char *tool_bed_path(struct tool_bed *b, const char *name)
{
    return path_normalize(&b->arena, path_join(&b->arena, b->call.workspace, name));
}

static inline void tool_bed_open(struct tool_bed *b)
{
    char *top;

    tmpdir_make(&b->dir);
    top = realpath(b->dir.path, NULL);
    b->top = arena_strdup(&b->arena, top);
    free(top);
    b->call.arena = &b->arena;
    b->call.workspace = b->call.cwd = path_join(&b->arena, b->top, "repo");
    b->call.session = "s1";
    b->call.seen = seen_new();
    assert_int_equal(mkdir(b->call.cwd, 0755), 0);
    assert_int_equal(mkdir(tool_bed_path(b, "../repo-other"), 0755), 0);
    setenv("HOME", path_join(&b->arena, b->top, "state"), 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
}

/* Write a file as another process would. */
static inline void tool_bed_file(struct tool_bed *b, const char *name, const char *text)
{
    assert_int_equal(file_write(tool_bed_path(b, name), str_of(text), 0644, &b->e), 0);
}

static inline const char *tool_bed_text(struct tool_bed *b, const char *name)
{
    struct str text;

    if (file_read(&b->arena, tool_bed_path(b, name), (size_t)64 << 20, &text, &b->e) < 0)
        fail_msg("%s", b->e.msg);
    return text.ptr;
}

static inline bool tool_bed_exists(struct tool_bed *b, const char *name)
{
    return access(tool_bed_path(b, name), F_OK) == 0;
}

static inline int tool_bed_call(struct tool_bed *b, const char *tool, const char *args)
{
    const struct tool *t = tool_find(str_of(tool));

    assert_non_null(t);
    b->e = (struct err){ 0 };
    b->result = (struct tool_result){ 0 };
    if (json_parse(&b->arena, str_of(args), NULL, &b->call.args, &b->e) < 0)
        fail_msg("%s: %s", args, b->e.msg);
    return tool_run(t, &b->call, &b->result, &b->e);
}

/* It works, and says exactly this; NULL: whatever it says. */
static inline void tool_works(struct tool_bed *b, const char *tool, const char *args,
                              const char *output)
{
    if (tool_bed_call(b, tool, args) < 0)
        fail_msg("%s %s: %s", tool, args, b->e.msg);
    assert_false(b->result.failed);
    if (output)
        assert_string_equal(b->result.output.ptr, output);
}

/* It fails, and what it says has this in it. */
static inline void tool_fails(struct tool_bed *b, const char *tool, const char *args,
                              const char *says)
{
    if (tool_bed_call(b, tool, args) == 0)
        fail_msg("%s %s: it worked", tool, args);
    if (!strstr(b->e.msg, says))
        fail_msg("'%s' is not in '%s'", says, b->e.msg);
}

static inline void tool_bed_cleanup(struct tool_bed *b)
{
    seen_free(b->call.seen);
    arena_release(&b->arena);
    tmpdir_cleanup(&b->dir);
}
