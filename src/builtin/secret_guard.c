/*
 * secret-guard - credentials in a tool's arguments block the call, in its output they are masked.
 *
 * Points:  tool.execute.before, tool.execute.after
 * Tests:   tests/unit/builtin/test_secret_guard.c
 */
#include "hook/hook.h"

#include <ctype.h>

/* A credential begins with `prefix` and goes on with at least `least` characters of a key. */
struct shape {
    const char *prefix;
    size_t least;
    const char *what;
};

static const struct shape shapes[] = {
    { "AKIA", 16, "an AWS access key" },
    { "ASIA", 16, "an AWS access key" },
    { "AIza", 35, "a Google API key" },
    { "ghp_", 36, "a GitHub token" },
    { "gho_", 36, "a GitHub token" },
    { "ghs_", 36, "a GitHub token" },
    { "ghu_", 36, "a GitHub token" },
    { "github_pat_", 22, "a GitHub token" },
    { "glpat-", 20, "a GitLab token" },
    { "npm_", 36, "an npm token" },
    { "sk-ant-", 20, "an Anthropic API key" },
    { "sk-proj-", 20, "an OpenAI API key" },
    { "xoxb-", 20, "a Slack token" },
    { "xoxp-", 20, "a Slack token" },
    { "-----BEGIN RSA PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN OPENSSH PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN EC PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN PRIVATE KEY-----", 0, "a private key" },
};

struct found {
    const struct shape *shape;
    size_t at, len;
};

static bool is_key_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The rest of a credential that begins at `text`: to the end of the key, or of its PEM block. */
static size_t key_length(const struct shape *s, struct str text)
{
    static const char footer[] = "-----END ";
    size_t len = strlen(s->prefix);
    const char *end;

    if (s->least == 0) {
        end = memmem(text.ptr, text.len, footer, sizeof(footer) - 1);
        end = end ? memchr(end, '\n', text.len - (size_t)(end - text.ptr)) : NULL;
        return end ? (size_t)(end - text.ptr) : text.len;
    }
    while (len < text.len && is_key_char(text.ptr[len]))
        len++;
    return len;
}

static bool matches(const struct shape *s, struct str text, size_t *len)
{
    if (!str_starts(text, str_of(s->prefix)))
        return false;
    *len = key_length(s, text);
    return *len >= strlen(s->prefix) + s->least;
}

static const struct shape *shape_at(struct str text, size_t *len)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (text.ptr[0] == shapes[i].prefix[0] && matches(&shapes[i], text, len))
            return &shapes[i];
    return NULL;
}

/* The first credential at or after `from`. A key inside a longer word is none. */
static bool find_secret(struct str text, size_t from, struct found *found)
{
    for (size_t at = from; at < text.len; at++) {
        if (at > 0 && is_key_char(text.ptr[at - 1]) && is_key_char(text.ptr[at]))
            continue;
        found->at = at;
        found->shape = shape_at((struct str){ text.ptr + at, text.len - at }, &found->len);
        if (found->shape)
            return true;
    }
    return false;
}

/* Any text inside a value, keys included. */
static bool value_has_secret(struct arena *a, const struct json *j, struct found *found)
{
    struct str text = json_str(a, j);

    if (str_is_set(text) && find_secret(text, 0, found))
        return true;
    for (const struct json *child = json_first(j); child; child = json_next(child)) {
        struct str key = json_key(a, child);

        if (find_secret(key, 0, found) || value_has_secret(a, child, found))
            return true;
    }
    return false;
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct found found;

    if (value_has_secret(c->arena, event_data(c->event, STR("args")), &found))
        verdict_block(v, arena_printf(c->arena,
                                      "the arguments contain %s; read it from the environment or "
                                      "a file instead of writing it out",
                                      found.shape->what));
    return 0;
}

/* Unset when there is nothing to mask. */
static struct str masked(struct arena *a, struct str text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct found found;
    size_t from = 0;

    while (find_secret(text, from, &found)) {
        strbuf_add(&out, text.ptr + from, found.at - from);
        strbuf_printf(&out, "[%s, masked]", found.shape->what);
        from = found.at + found.len;
    }
    if (from == 0)
        return (struct str){ 0 };
    strbuf_add(&out, text.ptr + from, text.len - from);
    return (struct str){ arena_cstr(a, strbuf_str(&out)), out.len };
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct str output = json_str(c->arena, event_data(c->event, STR("output")));
    struct str clean = masked(c->arena, output);

    if (str_is_set(clean))
        verdict_replace(c->arena, v, STR("output"), json_string(c->arena, clean));
    return 0;
}

const struct hook_def secret_guard_hook = {
    .name = "secret-guard",
    .summary = "blocks tool calls that carry credentials and masks credentials in tool output",
    .layer = LAYER_GUARD,
    .priority = 100,
    .safety_critical = true,
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
