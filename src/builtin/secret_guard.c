/*
 * secret-guard - credentials in a tool's arguments block the call, in its output they are masked.
 *
 * A mask says what it was and a little of its hash, so that the same credential has the same mask
 * everywhere and two of them can be told apart.
 *
 * Points:  tool.execute.before, tool.execute.after
 * Options: allow, environment, extra, files
 * Tests:   tests/unit/builtin/test_secret_guard.c
 */
#include "base/glob.h"
#include "base/map.h"
#include "base/path.h"
#include "base/regex.h"
#include "base/vars.h"
#include "hook/hook.h"
#include "hook/redact.h"
#include "hook/secrets.h"

#include <ctype.h>
#include <unistd.h>

#define VALUE_LEAST 12 /* a shorter value of a variable may be a word */

struct options {
    bool environment;
    const char *const *allow, *const *extra, *const *files;
};

static const struct option options[] = {
    OPTION_LIST("allow", struct options, allow, NULL,
                "credentials that count as none, as patterns such as ghp_test*"),
    OPTION_BOOL("environment", struct options, environment, "true",
                "values of variables named like secrets are credentials, too"),
    OPTION_LIST("extra", struct options, extra, NULL,
                "further credentials as regular expressions; of output the whole line is masked"),
    OPTION_LIST("files", struct options, files, "[.env, .env.local, \".env.*.local\"]",
                "names of files that credentials may be written to"),
    OPTION_END,
};

/* One look at one event. */
struct look {
    struct arena *arena;
    const struct options *options;
    struct redactor learnt;
    struct regex **extra; /* as many as the option has */
    size_t extra_count;
};

static void look_cleanup(struct look *l)
{
    for (size_t i = 0; i < l->extra_count; i++)
        regex_free(l->extra[i]);
}

/* Finding -------------------------------------------------------------------------------------- */

/* A value with letters and digits that is long enough not to be an ordinary word. */
static bool is_key_like(struct str value)
{
    bool letter = false, digit = false;

    for (size_t i = 0; i < value.len; i++) {
        letter = letter || isalpha((unsigned char)value.ptr[i]);
        digit = digit || isdigit((unsigned char)value.ptr[i]);
    }
    return value.len >= VALUE_LEAST && letter && digit;
}

static int look_open(struct look *l, const struct hook_call *c, struct err *e)
{
    size_t count = 0, kept = 0;
    int r = 0;

    l->arena = l->learnt.arena = c->arena;
    l->options = c->options;
    if (l->options->environment)
        redact_learn(&l->learnt, vars_all());
    for (size_t i = 0; i < l->learnt.value_count; i++)
        if (is_key_like(l->learnt.values[i]))
            l->learnt.values[kept++] = l->learnt.values[i];
    l->learnt.value_count = kept;
    while (l->options->extra[count])
        count++;
    l->extra = arena_array(c->arena, struct regex *, count + 1);
    for (size_t i = 0; i < count && r == 0; i++) {
        r = regex_new(str_of(l->options->extra[i]), &l->extra[i], e);
        if (r < 0)
            return err_wrap(e, r, "option 'extra'");
        l->extra_count++;
    }
    return 0;
}

/* The first value of a variable. */
static bool find_value(const struct look *l, struct str text, size_t from, struct secret *found)
{
    bool any = false;

    for (size_t i = 0; i < l->learnt.value_count; i++) {
        struct str value = l->learnt.values[i];
        const char *at = memmem(text.ptr + from, text.len - from, value.ptr, value.len);

        if (!at || (any && (size_t)(at - text.ptr) >= found->at))
            continue;
        *found =
            (struct secret){ "the value of a secret variable", (size_t)(at - text.ptr), value.len };
        any = true;
    }
    return any;
}

static bool is_allowed(const struct look *l, struct str text, const struct secret *s)
{
    for (const char *const *pattern = l->options->allow; *pattern; pattern++)
        if (glob_match(str_of(*pattern), (struct str){ text.ptr + s->at, s->len }) == 1)
            return true;
    return false;
}

/* A search through a text. What comes next of each kind is looked for once. */
struct search {
    const struct look *look;
    struct str text;
    size_t from;
    struct secret shape, value; /* the next of each, at or after `from`; at the end: none */
    bool begun;
};

static void look_ahead(struct search *s)
{
    const struct secret none = { NULL, s->text.len, 0 };

    if ((!s->begun || s->shape.at < s->from) && !secrets_find(s->text, s->from, &s->shape))
        s->shape = none;
    if ((!s->begun || s->value.at < s->from) && !find_value(s->look, s->text, s->from, &s->value))
        s->value = none;
    s->begun = true;
}

/* The next credential by its looks or by its value. */
static bool find_next(struct search *s, struct secret *found)
{
    while (s->from < s->text.len) {
        look_ahead(s);
        *found = s->value.at <= s->shape.at ? s->value : s->shape;
        if (found->at >= s->text.len)
            return false;
        s->from = found->at + found->len;
        if (!is_allowed(s->look, s->text, found))
            return true;
    }
    return false;
}

/* 1: one of the expressions of `extra` matches; negative: it gave up, which is a failed run. */
static int fits_extra(const struct look *l, struct str text, struct err *e)
{
    int r = 0;

    for (size_t i = 0; i < l->extra_count && r == 0; i++)
        r = regex_match(l->extra[i], text, e);
    return r;
}

/* Arguments ------------------------------------------------------------------------------------ */

static int text_has_secret(const struct look *l, struct str text, struct secret *found,
                           struct err *e)
{
    struct search s = { .look = l, .text = text };
    int r;

    if (!text.len)
        return 0;
    if (find_next(&s, found))
        return 1;
    r = fits_extra(l, text, e);
    found->what = "what configuration calls a credential";
    return r;
}

/* Any text inside a value, keys included. */
static int value_has_secret(const struct look *l, const struct json *j, struct secret *found,
                            struct err *e)
{
    int r = text_has_secret(l, json_str(l->arena, j), found, e);

    for (const struct json *child = json_first(j); child && r == 0; child = json_next(child)) {
        r = text_has_secret(l, json_key(l->arena, child), found, e);
        if (r == 0)
            r = value_has_secret(l, child, found, e);
    }
    return r;
}

/* Some files are where credentials belong. */
static bool is_for_secrets(const struct hook_call *c)
{
    const struct options *o = c->options;
    struct str tool = event_tool(c->arena, c->event);
    const char *path =
        json_cstr(c->arena, json_get(event_data(c->event, STR("args")), STR("path")));

    if (!path || !(str_is(tool, "write") || str_is(tool, "edit")))
        return false;
    for (const char *const *name = o->files; *name; name++)
        if (glob_match(str_of(*name), str_of(path_basename(path))) == 1)
            return true;
    return false;
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e)
{
    CLEANUP(look) struct look l = { 0 };
    struct secret found;
    int r = look_open(&l, c, e);

    if (r < 0 || is_for_secrets(c))
        return r;
    r = value_has_secret(&l, event_data(c->event, STR("args")), &found, e);
    if (r > 0)
        verdict_block(v, arena_printf(c->arena,
                                      "the arguments contain %s; read it from the environment or "
                                      "a file instead of writing it out",
                                      found.what));
    return r < 0 ? r : 0;
}

/* Output --------------------------------------------------------------------------------------- */

static void add_mask(struct strbuf *out, const char *what, struct str secret)
{
    strbuf_printf(out, "[%s, masked %04x]", what, (unsigned)(map_hash(0, secret) >> 48));
}

/* Unset when there is nothing to mask. */
static struct str mask(const struct look *l, struct str text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct search s = { .look = l, .text = text };
    struct secret found;
    size_t from = 0;

    while (find_next(&s, &found)) {
        strbuf_add(&out, text.ptr + from, found.at - from);
        add_mask(&out, found.what, (struct str){ text.ptr + found.at, found.len });
        from = found.at + found.len;
    }
    if (from == 0)
        return (struct str){ 0 };
    strbuf_add(&out, text.ptr + from, text.len - from);
    return (struct str){ arena_cstr(l->arena, strbuf_str(&out)), out.len };
}

/* Lines that an expression of `extra` matches. 1: there were any. */
static int mask_lines(const struct look *l, struct str *text, struct err *e)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct str rest = *text, line;
    bool any = false;
    int r;

    while (l->extra_count && str_cut(&rest, '\n', &line)) {
        r = fits_extra(l, line, e);
        if (r < 0)
            return r;
        if (r > 0)
            add_mask(&out, "a line with a credential", line);
        else
            strbuf_add(&out, line.ptr, line.len);
        if (str_is_set(rest))
            strbuf_addch(&out, '\n');
        any = any || r > 0;
    }
    if (any)
        *text = (struct str){ arena_cstr(l->arena, strbuf_str(&out)), out.len };
    return any;
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e)
{
    CLEANUP(look) struct look l = { 0 };
    struct str output = json_str(c->arena, event_data(c->event, STR("output"))), clean;
    int r = look_open(&l, c, e);

    if (r == 0)
        r = mask_lines(&l, &output, e);
    if (r < 0)
        return r;
    clean = mask(&l, output);
    if (r > 0 || str_is_set(clean))
        verdict_replace(c->arena, v, STR("output"),
                        json_string(c->arena, str_is_set(clean) ? clean : output));
    return 0;
}

const struct hook_def secret_guard_hook = {
    .name = "secret-guard",
    .summary = "blocks tool calls that carry credentials and masks credentials in tool output",
    .layer = LAYER_GUARD,
    .priority = 100,
    .safety_critical = true,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
