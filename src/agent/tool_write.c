/*
 * write - a whole file.
 *
 * Tests: tests/unit/agent/test_tool_write.c
 */
#include "agent/edit.h"

#include <errno.h>

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    struct str text = str_of(tool_text(c, "content")), before = STR("");
    char *path;
    int r = tool_path(c, tool_text(c, "path"), &path, e);
    bool fresh;

    if (r < 0)
        return r;
    r = edit_read(c, path, &before, e);
    fresh = r == -ENOENT && access(path, F_OK) < 0;
    if (r < 0 && !fresh)
        return r;
    text = edit_in_form_of(c->arena, before, text);
    r = edit_write(c, path, text, 0, e);
    if (r < 0)
        return r;
    result->title = tool_text(c, "path");
    result->metadata = edit_count(c->arena, before, text);
    result->output =
        str_of(arena_printf(c->arena, "%s '%s', %zu bytes", fresh ? "created" : "wrote",
                            tool_text(c, "path"), text.len));
    return 0;
}

const struct tool write_tool = {
    .name = "write",
    .description = "Write a whole file of the workspace; folders that are missing are made. A file "
                   "that exists must have been read first. Prefer edit for changes.",
    .parameters = "{\"type\":\"object\",\"properties\":{"
                  "\"path\":{\"type\":\"string\"},"
                  "\"content\":{\"type\":\"string\",\"description\":\"all of it\"}},"
                  "\"required\":[\"path\",\"content\"]}",
    .run = run,
};
