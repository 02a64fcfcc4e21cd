#include "dialect/claude_answer.h"

#include <errno.h>

/* Where a field stands. */
enum place { TOP, SPECIFIC, CONSENT };

#define AT(event) CLAUDE_AT(event)
#define ALL       CLAUDE_EVERYWHERE
#define STOPS     (AT(STOP) | AT(SUBAGENT_STOP))
#define STARTS    (AT(SESSION_START) | AT(SUBAGENT_START))
#define BLOCKS    (AT(PROMPT) | AT(BEFORE) | AT(AFTER) | STOPS)

/* Claude Code has one schema for the top of all events; Codex one for each. */
static const struct field {
    const char *name;
    enum place place;
    enum json_type type;                    /* JSON_ABSENT: any */
    uint32_t claude, codex;                 /* events that know it */
    const char *claude_words, *codex_words; /* the values it may have; NULL: any */
} fields[SAID_COUNT] = {
    [SAID_CONTINUE] = { "continue", TOP, JSON_BOOL, ALL, ALL, NULL, NULL },
    [SAID_STOP_REASON] = { "stopReason", TOP, JSON_STRING, ALL, ALL, NULL, NULL },
    [SAID_SUPPRESS] = { "suppressOutput", TOP, JSON_BOOL, ALL, ALL, NULL, NULL },
    [SAID_SYSTEM_MESSAGE] = { "systemMessage", TOP, JSON_STRING, ALL, ALL, NULL, NULL },
    [SAID_DECISION] = { "decision", TOP, JSON_STRING, ALL, BLOCKS, "approve block",
                        "approve block" },
    [SAID_REASON] = { "reason", TOP, JSON_STRING, ALL, BLOCKS, NULL, NULL },
    [SAID_SPECIFIC] = { "hookSpecificOutput", TOP, JSON_OBJECT, ALL,
                        STARTS | AT(PROMPT) | AT(BEFORE) | AT(ASKED) | AT(AFTER), NULL, NULL },
    [SAID_EVENT_NAME] = { "hookEventName", SPECIFIC, JSON_STRING, ALL, ALL, NULL, NULL },
    [SAID_PERMISSION] = { "permissionDecision", SPECIFIC, JSON_STRING, AT(BEFORE), AT(BEFORE),
                          "allow deny ask defer", "allow deny ask" },
    [SAID_PERMISSION_REASON] = { "permissionDecisionReason", SPECIFIC, JSON_STRING, AT(BEFORE),
                                 AT(BEFORE), NULL, NULL },
    [SAID_INPUT] = { "updatedInput", SPECIFIC, JSON_OBJECT, AT(BEFORE), AT(BEFORE), NULL, NULL },
    [SAID_CONTEXT] = { "additionalContext", SPECIFIC, JSON_STRING,
                       STARTS | AT(PROMPT) | AT(BEFORE) | AT(AFTER) | AT(FAILED) | STOPS,
                       STARTS | AT(PROMPT) | AT(BEFORE) | AT(AFTER), NULL, NULL },
    [SAID_OUTPUT] = { "updatedToolOutput", SPECIFIC, JSON_ABSENT, AT(AFTER), 0, NULL, NULL },
    [SAID_MCP_OUTPUT] = { "updatedMCPToolOutput", SPECIFIC, JSON_ABSENT, AT(AFTER), AT(AFTER), NULL,
                          NULL },
    [SAID_CONSENT] = { "decision", SPECIFIC, JSON_OBJECT, AT(ASKED), AT(ASKED), NULL, NULL },
    [SAID_BEHAVIOR] = { "behavior", CONSENT, JSON_STRING, AT(ASKED), AT(ASKED), "allow deny",
                        "allow deny" },
    [SAID_MESSAGE] = { "message", CONSENT, JSON_STRING, AT(ASKED), AT(ASKED), NULL, NULL },
    [SAID_CONSENT_INPUT] = { "updatedInput", CONSENT, JSON_OBJECT, AT(ASKED), AT(ASKED), NULL,
                             NULL },
    [SAID_PERMISSIONS] = { "updatedPermissions", CONSENT, JSON_ARRAY, AT(ASKED), AT(ASKED), NULL,
                           NULL },
    [SAID_INTERRUPT] = { "interrupt", CONSENT, JSON_BOOL, AT(ASKED), AT(ASKED), NULL, NULL },
};

/* What Claude Code knows and nothing here can do; Codex has none of them. */
static const struct {
    const char *name;
    enum place place;
    enum json_type type;
} idle[] = {
    { "terminalSequence", TOP, JSON_STRING },
    { "sessionTitle", SPECIFIC, JSON_STRING },
    { "initialUserMessage", SPECIFIC, JSON_STRING },
    { "watchPaths", SPECIFIC, JSON_ARRAY },
    { "reloadSkills", SPECIFIC, JSON_BOOL },
    { "suppressOriginalPrompt", SPECIFIC, JSON_BOOL },
    { "classifierContext", SPECIFIC, JSON_STRING },
};

static uint32_t known_at(const struct claude_answer *r, const struct field *f)
{
    return r->system == TOOLS_CODEX ? f->codex : f->claude;
}

static enum claude_said find(const struct claude_answer *r, enum place place, struct str key)
{
    for (int f = 0; f < SAID_COUNT; f++)
        if (fields[f].place == place && (known_at(r, &fields[f]) >> r->event & 1) &&
            str_is(key, fields[f].name))
            return (enum claude_said)f;
    return SAID_COUNT;
}

static int wrong_type(struct str key, enum json_type type, const struct json *j, struct err *e)
{
    return err_set(e, -EBADMSG, "'%.*s' must be %s, not %s", STR_ARG(key), json_type_name(type),
                   json_type_name(json_type(j)));
}

static bool is_word_of(struct str word, const char *words)
{
    struct str rest = str_of(words), one;

    while (str_cut(&rest, ' ', &one))
        if (str_eq(word, one))
            return true;
    return false;
}

static int take(struct claude_answer *r, enum claude_said f, const struct json *j, struct err *e)
{
    const char *words = r->system == TOOLS_CODEX ? fields[f].codex_words : fields[f].claude_words;

    if (fields[f].type && json_type(j) != fields[f].type)
        return wrong_type(str_of(fields[f].name), fields[f].type, j, e);
    if (words && !is_word_of(json_str(r->arena, j), words))
        return err_set(e, -EBADMSG, "'%s' must be one of %s, not %s", fields[f].name, words,
                       json_text(r->arena, j));
    r->said[f] = j;
    return 0;
}

/*
 * Top fields nobody knows fail the schema of both. Inside hookSpecificOutput Claude Code adds
 * fields from version to version: there one more is no reason to drop a refusal.
 */
static int take_other(const struct claude_answer *r, enum place place, struct str key,
                      const struct json *j, struct err *e)
{
    for (size_t i = 0; r->system == TOOLS_CLAUDE && i < ARRAY_LEN(idle); i++) {
        if (idle[i].place != place || !str_is(key, idle[i].name))
            continue;
        if (json_type(j) != idle[i].type)
            return wrong_type(key, idle[i].type, j, e);
        strbuf_printf(r->warnings, "'%.*s' has no effect here\n", STR_ARG(key));
        return 0;
    }
    if (r->system == TOOLS_CODEX || place == TOP)
        return err_set(e, -EBADMSG, "unknown field '%.*s' at %s", STR_ARG(key),
                       claude_event_name(r->event));
    strbuf_printf(r->warnings, "unknown field '%.*s' at %s\n", STR_ARG(key),
                  claude_event_name(r->event));
    return 0;
}

static int read_object(struct claude_answer *r, enum place place, const struct json *object,
                       struct err *e)
{
    for (const struct json *m = json_first(object); m; m = json_next(m)) {
        struct str key = json_key(r->arena, m);
        enum claude_said f = find(r, place, key);
        int ret = 0;

        if (f == SAID_COUNT)
            ret = take_other(r, place, key, m, e);
        else if (json_type(m) != JSON_NULL)
            ret = take(r, f, m, e);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static bool is_event_name(struct str name)
{
    for (int e = 0; e < CLAUDE_EVENTS; e++)
        if (str_is(name, claude_event_name((enum claude_event)e)))
            return true;
    return false;
}

/* Claude Code wants the event's own name; Codex is content with any it knows. */
static int check_event_name(const struct claude_answer *r, struct err *e)
{
    struct str name = json_str(r->arena, r->said[SAID_EVENT_NAME]);

    if (!r->said[SAID_EVENT_NAME])
        return err_set(e, -EBADMSG, "'hookSpecificOutput' needs 'hookEventName'");
    if (r->system == TOOLS_CODEX ? !is_event_name(name)
                                 : !str_is(name, claude_event_name(r->event)))
        return err_set(e, -EBADMSG, "'hookEventName' must be %s, not '%.*s'",
                       claude_event_name(r->event), STR_ARG(name));
    return 0;
}

static int check_consent(const struct claude_answer *r, struct err *e)
{
    return r->said[SAID_BEHAVIOR] ? 0 : err_set(e, -EBADMSG, "'decision' needs 'behavior'");
}

/* Facts ---------------------------------------------------------------------------------------- */

const char *claude_text(const struct claude_answer *r, enum claude_said field)
{
    struct str text = str_trim(json_str(r->arena, r->said[field]));

    return text.len ? arena_cstr(r->arena, text) : NULL;
}

static void find_words(struct claude_answer *r)
{
    static const struct {
        const char *word;
        enum claude_said field;
        enum claude_fact fact;
    } words[] = {
        { "block", SAID_DECISION, FACT_BLOCK },   { "approve", SAID_DECISION, FACT_APPROVE },
        { "allow", SAID_PERMISSION, FACT_ALLOW }, { "deny", SAID_PERMISSION, FACT_DENY },
        { "ask", SAID_PERMISSION, FACT_ASK },     { "defer", SAID_PERMISSION, FACT_ASK },
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(json_str(r->arena, r->said[words[i].field]), words[i].word))
            r->facts |= words[i].fact;
}

static void find_facts(struct claude_answer *r)
{
    static const struct {
        enum claude_said field;
        enum claude_fact present, filled; /* filled: true, or a text that is not blank */
    } rows[] = {
        { SAID_STOP_REASON, FACT_STOP_REASON, 0 },
        { SAID_SUPPRESS, 0, FACT_SUPPRESS },
        { SAID_REASON, FACT_ANY_REASON, FACT_REASON },
        { SAID_PERMISSION_REASON, FACT_ANY_PERMISSION_REASON, FACT_PERMISSION_REASON },
        { SAID_INPUT, FACT_INPUT, 0 },
        { SAID_CONSENT_INPUT, FACT_CONSENT_INPUT, 0 },
        { SAID_PERMISSIONS, FACT_PERMISSIONS, 0 },
        { SAID_INTERRUPT, 0, FACT_INTERRUPT },
        { SAID_MCP_OUTPUT, FACT_MCP_OUTPUT, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct json *j = r->said[rows[i].field];

        r->facts |= j ? rows[i].present : 0;
        r->facts |= json_is_true(j) || claude_text(r, rows[i].field) ? rows[i].filled : 0;
    }
    if (r->said[SAID_CONTINUE] && !json_is_true(r->said[SAID_CONTINUE]))
        r->facts |= FACT_STOPS;
    find_words(r);
}

int claude_answer_read(struct claude_answer *r, const struct json *j, struct err *e)
{
    int ret = read_object(r, TOP, j, e);

    if (ret == 0 && r->said[SAID_SPECIFIC]) {
        ret = read_object(r, SPECIFIC, r->said[SAID_SPECIFIC], e);
        if (ret == 0)
            ret = check_event_name(r, e);
    }
    if (ret == 0 && r->said[SAID_CONSENT]) {
        ret = read_object(r, CONSENT, r->said[SAID_CONSENT], e);
        if (ret == 0)
            ret = check_consent(r, e);
    }
    if (ret == 0)
        find_facts(r);
    return ret;
}
