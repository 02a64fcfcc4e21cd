#include "dialect/claude_rule.h"

#include "base/glob.h"
#include "base/path.h"
#include "dialect/claude_payload.h"
#include "dialect/shell_text.h"

#include <ctype.h>
#include <errno.h>

int claude_rule_parse(struct str text, struct claude_rule *rule, struct err *e)
{
    const char *open;
    size_t name;

    text = str_trim(text);
    open = text.len ? memchr(text.ptr, '(', text.len) : NULL;
    name = open ? (size_t)(open - text.ptr) : text.len;
    *rule = (struct claude_rule){ .tool = { text.ptr, name } };
    if (open && text.ptr[text.len - 1] != ')')
        return err_set(e, -EINVAL, "'%.*s' is no permission rule: a bracket is not closed",
                       STR_ARG(text));
    for (size_t i = 0; i < name; i++)
        if (!isalnum((unsigned char)text.ptr[i]) && !str_has_char("_-*.:", text.ptr[i]))
            return err_set(e, -EINVAL, "'%.*s' is no permission rule: write one, as Bash(git *)",
                           STR_ARG(text));
    if (name == 0)
        return err_set(e, -EINVAL, "a permission rule begins with the name of a tool");
    if (open)
        rule->what = str_trim((struct str){ open + 1, text.len - name - 2 });
    if (str_is(rule->what, "*") || rule->what.len == 0)
        rule->what = (struct str){ 0 };
    return 0;
}

/* Tools ---------------------------------------------------------------------------------------- */

/* Rules for files are about every tool that does the same to them. */
static const struct {
    const char *rule, *tool; /* theirs, ours */
} covered[] = {
    { "Edit", "write" },        { "Edit", "apply_patch" }, { "Edit", "NotebookEdit" },
    { "Read", "NotebookRead" }, { "Read", "grep" },        { "Read", "glob" },
};

static bool is_named(struct str rule, struct str name)
{
    struct str all = STR("mcp__");

    if (str_eq(rule, name))
        return true;
    if (rule.len && memchr(rule.ptr, '*', rule.len))
        return glob_match(rule, name) != 0;
    /* A server stands for all its tools. */
    return str_starts(rule, all) && str_starts(name, rule) && name.len > rule.len + 2 &&
           memcmp(name.ptr + rule.len, "__", 2) == 0;
}

static bool tool_fits(struct str rule, struct str tool)
{
    const char *name;
    size_t at = 0;

    if (is_named(rule, tool))
        return true;
    while ((name = tools_other_name(TOOLS_CLAUDE, tool, &at)))
        if (is_named(rule, str_of(name)))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(covered); i++)
        if (str_is(rule, covered[i].rule) && str_is(tool, covered[i].tool))
            return true;
    return false;
}

/* Shell commands ------------------------------------------------------------------------------- */

/* A star is any text at all. */
static bool is_like(struct str pattern, struct str text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}

static bool ends_with(struct str s, struct str end)
{
    return s.len >= end.len && memcmp(s.ptr + s.len - end.len, end.ptr, end.len) == 0;
}

/* "git *", and in the older spelling "git:*", is also git alone. */
static bool command_fits(struct arena *a, struct str pattern, struct str command)
{
    struct str head = pattern;

    if (!ends_with(pattern, STR(":*")) && !ends_with(pattern, STR(" *")))
        return is_like(pattern, command);
    head.len -= 2;
    if (is_like(head, command))
        return true;
    return is_like(str_of(arena_printf(a, "%.*s *", STR_ARG(head))), command);
}

/* Whether a pattern says more than the name of a command: then what expands could be it. */
static bool says_more(struct str pattern)
{
    const char *star = memchr(pattern.ptr, '*', pattern.len);
    struct str head = { pattern.ptr, star ? (size_t)(star - pattern.ptr) : pattern.len };

    head = str_trim(head);
    return head.len && memchr(head.ptr, ' ', head.len);
}

static bool shell_fits(struct str pattern, struct arena *a, struct str text)
{
    struct shell_text t;

    shell_text_read(&t, a, text);
    if (t.broken || (t.expands && says_more(pattern)) || command_fits(a, pattern, str_trim(text)))
        return true;
    for (const struct shell_part *c = t.first; c; c = c->next)
        if (c->plain.len == 0 || c->plain.ptr[0] == '$' || c->plain.ptr[0] == '`' ||
            command_fits(a, pattern, c->raw) || command_fits(a, pattern, c->plain))
            return true;
    return false;
}

/* Files ---------------------------------------------------------------------------------------- */

/* The folder a pattern starts at; what stands in front of it is cut off. */
static const char *base_of(struct arena *a, struct str *pattern, const char *cwd)
{
    static const struct {
        struct str mark;
        size_t cut;
    } marks[] = { { { "//", 2 }, 2 }, { { "~/", 2 }, 2 }, { { "./", 2 }, 2 }, { { "/", 1 }, 1 } };
    size_t i = 0;

    while (i < ARRAY_LEN(marks) && !str_starts(*pattern, marks[i].mark))
        i++;
    if (i < ARRAY_LEN(marks)) {
        pattern->ptr += marks[i].cut;
        pattern->len -= marks[i].cut;
    }
    if (i == 0)
        return "/";
    if (i == 1)
        return path_home();
    return i == 3 ? path_workspace(a, cwd) : cwd;
}

static bool path_fits(struct arena *a, struct str pattern, const char *cwd, const char *path)
{
    bool anywhere = !memchr(pattern.ptr, '/', pattern.len);
    const char *base = base_of(a, &pattern, cwd), *dots = anywhere ? "**/" : "";
    struct str rest;

    if (!path_within(base, path))
        return false;
    rest = str_of(path + (strcmp(base, "/") == 0 ? 0 : strlen(base)));
    while (rest.len && rest.ptr[0] == '/') {
        rest.ptr++;
        rest.len--;
    }
    if (pattern.len && pattern.ptr[pattern.len - 1] == '/')
        pattern.len--;
    return glob_match(str_of(arena_printf(a, "%s%.*s", dots, STR_ARG(pattern))), rest) != 0 ||
           glob_match(str_of(arena_printf(a, "%s%.*s/**", dots, STR_ARG(pattern))), rest) != 0;
}

static bool file_fits(const struct claude_rule *rule, struct arena *a, const struct event *ev,
                      const struct json *input)
{
    static const char *const keys[] = { "file_path", "notebook_path", "path" };
    const char *cwd = ev->session.cwd ? ev->session.cwd : "/";

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct str path = json_str(a, json_get(input, str_of(keys[i])));

        if (path.len && !memchr(path.ptr, '\0', path.len))
            return path_fits(a, rule->what, cwd,
                             path_normalize(a, path_join(a, cwd, arena_cstr(a, path))));
    }
    return true;
}

/* Others --------------------------------------------------------------------------------------- */

static struct str host_of(struct str url)
{
    struct str host = url;

    for (size_t i = 0; i + 2 < url.len; i++)
        if (memcmp(url.ptr + i, "://", 3) == 0) {
            host = (struct str){ url.ptr + i + 3, url.len - i - 3 };
            break;
        }
    for (size_t i = 0; i < host.len; i++)
        if (str_has_char("/?#\\", host.ptr[i]))
            host.len = i;
    for (size_t i = host.len; i > 0; i--)
        if (host.ptr[i - 1] == '@')
            host = (struct str){ host.ptr + i, host.len - i };
    for (size_t i = 0; i < host.len; i++)
        if (host.ptr[i] == ':')
            host.len = i;
    return host;
}

static bool page_fits(struct str what, struct arena *a, const struct json *input)
{
    struct str mark = STR("domain:");
    struct str url = json_str(a, json_get(input, STR("url")));

    if (!str_starts(what, mark) || url.len == 0)
        return true;
    return is_like((struct str){ what.ptr + mark.len, what.len - mark.len }, host_of(url));
}

bool claude_rule_test(const struct claude_rule *rule, struct arena *a, const struct event *ev)
{
    struct str tool = event_tool(a, ev), text;
    const struct json *input = claude_tool_input(a, TOOLS_CLAUDE, ev);

    if (!str_is_set(tool) || !tool_fits(rule->tool, tool))
        return false;
    if (!str_is_set(rule->what))
        return true;
    if (str_is(tool, "bash")) {
        text = json_str(a, json_get(input, STR("command")));
        return !str_is_set(text) || shell_fits(rule->what, a, text);
    }
    if (str_is(tool, "web_fetch"))
        return page_fits(rule->what, a, input);
    if (str_is(tool, "task")) {
        text = json_str(a, json_get(input, STR("subagent_type")));
        return !str_is_set(text) || is_like(rule->what, text);
    }
    return file_fits(rule, a, ev, input);
}
