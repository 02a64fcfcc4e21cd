/*
 * json-error-recovery - when a tool could not read the JSON it was given, say what to do.
 *
 * Point:   tool.execute.after
 * Options: exclude
 * Tests:   tests/unit/builtin/test_json_error_recovery.c
 *
 * Tools that hand on texts of others are left out: what they show may well talk of JSON errors. The
 * same goes for long output, unless the call failed. That the arguments themselves were no JSON is
 * said by the agent and never by a tool, so there no tool is left out.
 */
#include "hook/hook.h"

#include <strings.h>

#define TAG       "<json-error>"
#define LONG      2000 /* bytes; an error is shorter */
#define LOOKED_AT ((size_t)64 << 10)

struct options {
    const char *const *exclude;
};

static const struct option options[] = {
    OPTION_LIST("exclude", struct options, exclude,
                "[bash, read, glob, grep, web_fetch, webfetch, websearch, web_search, skill, task]",
                "tools whose output is not looked at"),
    OPTION_END,
};

/* Pieces that stand in one line in this order, in any case. */
static const char *const patterns[][4] = {
    /* Bun and what many tools say */
    { "json parse error" },
    { "failed to parse json" },
    { "invalid json" },
    { "malformed json" },
    { "json", "expected '}'" },
    { "json", "unexpected eof" },
    /* V8, old and new */
    { "unexpected end of json input" },
    { "syntaxerror:", "unexpected token", "json" },
    { "in json at position " },
    { "\" is not valid json" },
    { "character after json at position " },
    /* Python */
    { "jsondecodeerror" },
    { ": line ", " column ", " (char " },
    /* Go */
    { "invalid character ", "looking for beginning of " },
    { "invalid character ", " after object key" },
    { "invalid character ", " after array element" },
    { "invalid character ", " in string literal" },
    { "json: cannot unmarshal " },
    /* Rust */
    { "eof while parsing ", " at line ", " column " },
    { "expected value at line ", " column " },
    { "expected ident at line ", " column " },
    { "expected `", "` at line ", " column " },
    { "invalid escape at line ", " column " },
    { "invalid number at line ", " column " },
    { "key must be a string at line ", " column " },
    { "trailing characters at line ", " column " },
    { "control character ", " found while parsing a string at line " },
    /* ours */
    { "line ", ", column ", " (offset ", "): " },
    { "the arguments are no json object" },
};

static const char *const own = "the arguments are no JSON object";

static bool has_pieces(const char *line, const char *const *piece)
{
    for (size_t i = 0; i < ARRAY_LEN(patterns[0]) && piece[i]; i++) {
        line = strcasestr(line, piece[i]);
        if (!line)
            return false;
        line += strlen(piece[i]);
    }
    return true;
}

static bool is_error(struct arena *a, struct str text)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        const char *l = arena_cstr(a, line);

        for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
            if (has_pieces(l, patterns[i]))
                return true;
    }
    return false;
}

static bool is_excluded(const struct options *o, const char *tool)
{
    for (const char *const *x = o->exclude; tool && *x; x++)
        if (strcasecmp(*x, tool) == 0)
            return true;
    return false;
}

static bool has_failed(const struct hook_call *c)
{
    const struct json *success = event_data(c->event, STR("success"));

    return json_type(success) == JSON_BOOL && !json_is_true(success);
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const char *tool = arena_cstr(c->arena, event_tool(c->arena, c->event));
    const char *output = json_cstr(c->arena, event_data(c->event, STR("output")));
    bool failed = has_failed(c), refused;
    size_t len = output ? strlen(output) : 0;

    if (!len || strstr(output, TAG))
        return 0;
    refused = failed && len < LONG && strstr(output, own);
    if (!refused && (is_excluded(c->options, tool) || (len > LONG && !failed)))
        return 0;
    if (!is_error(c->arena, (struct str){ output, len < LOOKED_AT ? len : LOOKED_AT }))
        return 0;
    verdict_inject(c->arena, v, "json",
                   TAG
                   "\nJSON that you wrote could not be read. Look at the place the error names: "
                   "a missing bracket or comma, a quote or line break inside a text that is not "
                   "escaped, or an end that was cut off. Send the whole call again with complete "
                   "JSON; do not send the same text twice. If it is long, split the work into "
                   "smaller calls.\n</json-error>");
    return 0;
}

const struct hook_def json_error_recovery_hook = {
    .name = "json-error-recovery",
    .summary = "says what to do when a tool could not read the JSON it was given",
    .layer = LAYER_PRODUCE,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
