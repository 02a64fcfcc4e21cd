#include "hook/tools.h"

struct name {
    const char *tool, *arg;
};

struct row {
    struct name ours;
    struct name theirs[TOOLS_SYSTEMS];
};

/* Arguments with the same name everywhere need no row, but every tool needs one. */
static const struct row rows[] = {
    { { "bash", "command" },
      { [TOOLS_KODELET] = { "bash", "command" },
        [TOOLS_GEMINI] = { "run_shell_command", "command" },
        [TOOLS_ACAI] = { "Bash", "command" } } },
    { { "read", "path" },
      { [TOOLS_KODELET] = { "file_read", "file_path" },
        [TOOLS_GEMINI] = { "read_file", "file_path" },
        [TOOLS_ACAI] = { "Read", "path" } } },
    { { "read", "limit" },
      { [TOOLS_KODELET] = { "file_read", "line_limit" },
        [TOOLS_GEMINI] = { "read_file", "limit" },
        [TOOLS_ACAI] = { "Read", "limit" } } },
    { { "write", "path" },
      { [TOOLS_KODELET] = { "file_write", "file_path" },
        [TOOLS_GEMINI] = { "write_file", "file_path" },
        [TOOLS_ACAI] = { "Save", "path" } } },
    { { "write", "content" },
      { [TOOLS_KODELET] = { "file_write", "text" },
        [TOOLS_GEMINI] = { "write_file", "content" },
        [TOOLS_ACAI] = { "Save", "content" } } },
    { { "edit", "path" },
      { [TOOLS_KODELET] = { "file_edit", "file_path" },
        [TOOLS_GEMINI] = { "replace", "file_path" },
        [TOOLS_ACAI] = { "Edit", "path" } } },
    { { "edit", "old_string" },
      { [TOOLS_KODELET] = { "file_edit", "old_text" },
        [TOOLS_GEMINI] = { "replace", "old_string" },
        [TOOLS_ACAI] = { "Edit", "old_string" } } },
    { { "edit", "new_string" },
      { [TOOLS_KODELET] = { "file_edit", "new_text" },
        [TOOLS_GEMINI] = { "replace", "new_string" },
        [TOOLS_ACAI] = { "Edit", "new_string" } } },
    { { "apply_patch", "patch" },
      { [TOOLS_KODELET] = { "apply_patch", "input" },
        [TOOLS_GEMINI] = { "apply_patch", "patch" },
        [TOOLS_ACAI] = { "ApplyPatch", "patch" } } },
    { { "glob", "pattern" },
      { [TOOLS_KODELET] = { "glob_tool", "pattern" },
        [TOOLS_GEMINI] = { "glob", "pattern" },
        [TOOLS_ACAI] = { "Glob", "pattern" } } },
    { { "grep", "pattern" },
      { [TOOLS_KODELET] = { "grep_tool", "pattern" },
        [TOOLS_GEMINI] = { "grep_search", "pattern" },
        [TOOLS_ACAI] = { "Grep", "pattern" } } },
    { { "task", "prompt" },
      { [TOOLS_KODELET] = { "subagent", "question" },
        [TOOLS_GEMINI] = { "task", "prompt" },
        [TOOLS_ACAI] = { "Agent", "prompt" } } },
    { { "todo", "todos" },
      { [TOOLS_KODELET] = { "todo_write", "todos" },
        [TOOLS_GEMINI] = { "write_todos", "todos" },
        [TOOLS_ACAI] = { "todo", "todos" } } },
    { { "web_fetch", "url" },
      { [TOOLS_KODELET] = { "web_fetch", "url" },
        [TOOLS_GEMINI] = { "web_fetch", "url" },
        [TOOLS_ACAI] = { "WebFetch", "url" } } },
};

static const struct name *on_side(const struct row *row, enum tools_system system,
                                  enum tools_side side)
{
    return side == TOOLS_OURS ? &row->ours : &row->theirs[system];
}

struct str tools_name(enum tools_system system, enum tools_side side, struct str name)
{
    enum tools_side other = side == TOOLS_OURS ? TOOLS_THEIRS : TOOLS_OURS;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(name, on_side(&rows[i], system, other)->tool))
            return str_of(on_side(&rows[i], system, side)->tool);
    return name;
}

/* What the argument `key` of `tool`, a name of ours, is called on that side. */
static struct str arg_name(enum tools_system system, enum tools_side side, struct str tool,
                           struct str key)
{
    enum tools_side other = side == TOOLS_OURS ? TOOLS_THEIRS : TOOLS_OURS;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(tool, rows[i].ours.tool) && str_is(key, on_side(&rows[i], system, other)->arg))
            return str_of(on_side(&rows[i], system, side)->arg);
    return key;
}

const struct json *tools_to_theirs(struct arena *a, enum tools_system system, struct str tool,
                                   const struct json *args)
{
    const struct json *out = json_object(a);

    if (json_type(args) != JSON_OBJECT)
        return args;
    for (const struct json *m = json_first(args); m; m = json_next(m)) {
        struct str key = json_key(a, m), ours = arg_name(system, TOOLS_OURS, tool, key);

        /* Beside our name theirs is noise: it must not hide from a guard what the tool will use. */
        if (str_eq(ours, key) || !json_get(args, ours))
            out = json_with(a, out, arg_name(system, TOOLS_THEIRS, tool, key), m);
    }
    return out;
}

const struct json *tools_to_ours(struct arena *a, enum tools_system system, struct str tool,
                                 const struct json *args, const struct json *was)
{
    const struct json *out = json_object(a);

    if (json_type(args) != JSON_OBJECT)
        return args;
    for (const struct json *m = json_first(args); m; m = json_next(m)) {
        struct str key = json_key(a, m), ours = arg_name(system, TOOLS_OURS, tool, key);
        bool used_theirs = json_get(was, key) && !json_get(was, ours);

        out = json_with(a, out, used_theirs ? key : ours, m);
    }
    return out;
}
