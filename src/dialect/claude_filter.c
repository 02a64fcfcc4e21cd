#include "dialect/claude_filter.h"

#include "base/regex.h"
#include "dialect/claude_payload.h"
#include "dialect/claude_rule.h"

#include <ctype.h>
#include <errno.h>

struct dialect_filter {
    enum tools_system system;
    struct str match;       /* unset: takes all */
    bool is_list, is_plain; /* only names in the wide, in the narrow sense */
    struct regex *regex;    /* NULL: names only */
    const struct claude_rule *rule;
};

/* What an event is matched on; NULL: its matcher does not count. */
static const char *matched_field(enum claude_event event)
{
    static const char *const names[CLAUDE_EVENTS] = {
        [CLAUDE_SESSION_START] = "source",
        [CLAUDE_SUBAGENT_START] = "agent_type",
        [CLAUDE_BEFORE] = "tool_name",
        [CLAUDE_ASKED] = "tool_name",
        [CLAUDE_AFTER] = "tool_name",
        [CLAUDE_FAILED] = "tool_name",
        [CLAUDE_SUBAGENT_STOP] = "agent_type",
        [CLAUDE_STOP_FAILURE] = "error",
        [CLAUDE_COMPACTING] = "trigger",
        [CLAUDE_COMPACTED] = "trigger",
        [CLAUDE_NOTIFICATION] = "notification_type",
        [CLAUDE_SESSION_END] = "reason",
    };

    return names[event];
}

/* Making --------------------------------------------------------------------------------------- */

static bool has_only(struct str text, const char *others)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isalnum((unsigned char)text.ptr[i]) && !str_has_char(others, text.ptr[i]))
            return false;
    return true;
}

static bool ignores_matcher(const char *as)
{
    for (int e = 0; as && e < CLAUDE_EVENTS; e++)
        if (strcmp(claude_event_name((enum claude_event)e), as) == 0)
            return !matched_field((enum claude_event)e);
    return false;
}

static int take_match(struct dialect_filter *f, struct arena *a, const struct dialect_wants *wants,
                      struct err *e)
{
    const char *match = wants->match;
    int r = 0;

    if (!match || !match[0] || strcmp(match, "*") == 0 || ignores_matcher(wants->as))
        return 0;
    f->match = str_of(arena_strdup(a, match));
    f->is_plain = has_only(f->match, "_|");
    f->is_list = f->system == TOOLS_CODEX ? f->is_plain : has_only(f->match, "_|-, ");
    if (!f->is_plain)
        r = regex_new(f->match, &f->regex, e);
    return r < 0 ? err_wrap(e, r, "matcher '%s'", match) : 0;
}

static int take_condition(struct dialect_filter *f, struct arena *a, const char *condition,
                          struct err *e)
{
    struct claude_rule *rule = arena_new(a, struct claude_rule);
    int r;

    if (!condition)
        return 0;
    if (f->system != TOOLS_CLAUDE)
        return err_set(e, -ENOTSUP, "'if' is known to claude hooks only");
    r = claude_rule_parse(str_of(arena_strdup(a, condition)), rule, e);
    f->rule = rule;
    return r;
}

int claude_filter_new(struct arena *a, enum tools_system system, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e)
{
    struct dialect_filter *f = arena_new(a, struct dialect_filter);
    int r;

    f->system = system;
    r = take_condition(f, a, wants->condition, e);
    if (r == 0)
        r = take_match(f, a, wants, e);
    if (r == 0)
        *out = f;
    return r;
}

void claude_filter_free(struct dialect_filter *f)
{
    if (f)
        regex_free(f->regex);
}

/* Testing -------------------------------------------------------------------------------------- */

static bool in_list(const struct dialect_filter *f, struct str text)
{
    struct str rest = f->match, one, part;

    while (str_cut(&rest, '|', &one))
        for (; str_cut(&one, ',', &part);)
            if (str_eq(f->system == TOOLS_CODEX ? part : str_trim(part), text))
                return true;
    return false;
}

/* An expression that gives up counts as a match: no name may be made to slip past a guard. */
static bool takes(const struct dialect_filter *f, bool narrow, struct str text)
{
    if (narrow ? f->is_plain : f->is_list)
        return in_list(f, text);
    return regex_match(f->regex, text, NULL) != 0;
}

/* Names that select a tool besides the one its hooks are told. */
static bool takes_other_name(const struct dialect_filter *f, struct str tool)
{
    static const struct {
        enum tools_system system;
        const char *tool, *name;
    } others[] = {
        { TOOLS_CLAUDE, "task", "Task" },        { TOOLS_CODEX, "task", "Agent" },
        { TOOLS_CODEX, "apply_patch", "Write" }, { TOOLS_CODEX, "apply_patch", "Edit" },
        { TOOLS_CODEX, "write", "apply_patch" }, { TOOLS_CODEX, "edit", "apply_patch" },
    };

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (others[i].system == f->system && str_is(tool, others[i].tool) &&
            takes(f, false, str_of(others[i].name)))
            return true;
    return false;
}

static bool match_fits(const struct dialect_filter *f, struct arena *a, const struct event *ev,
                       enum claude_event event)
{
    const char *field = matched_field(event);
    struct str value;

    if (!str_is_set(f->match) || !field)
        return true;
    value = json_str(a, claude_field(a, f->system, ev, field));
    if (!str_is_set(value))
        value = STR("");
    if (takes(f, event == CLAUDE_STOP_FAILURE, value))
        return true;
    return strcmp(field, "tool_name") == 0 && takes_other_name(f, event_tool(a, ev));
}

/* Events that their systems do not have. */
static bool is_told(const struct dialect_filter *f, const struct event *ev)
{
    const struct json *success = event_data(ev, STR("success"));

    if (ev->point == POINT_SESSION_ENDED)
        return !event_is_sub(ev);
    if (f->system == TOOLS_CODEX && ev->point == POINT_TOOL_EXECUTE_AFTER)
        return json_type(success) != JSON_BOOL || json_is_true(success);
    return claude_speaks(f->system, ev->point);
}

bool claude_filter_test(const struct dialect_filter *f, struct arena *a,
                        const struct dialect_event *ev)
{
    enum claude_event event;

    if (!is_told(f, ev->event))
        return false;
    event = claude_event_of(f->system, ev->event);
    if (f->rule && !(CLAUDE_TOOL_EVENTS >> event & 1))
        return false;
    if (!match_fits(f, a, ev->event, event))
        return false;
    return !f->rule || claude_rule_test(f->rule, a, ev->event);
}
