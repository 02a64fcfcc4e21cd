/*
 * command-guard - refuse shell commands that destroy, and name the better one.
 *
 * Point:   tool.execute.before
 * Options: action, allow, extra
 * Rules:   src/builtin/command_guard.def
 * Tests:   tests/unit/builtin/test_command_guard.c
 */
#include "builtin/command_guard.h"

#include "base/path.h"
#include "hook/hook.h"

#define SHOWN_MAX 100 /* bytes of a command in a reason */

struct options {
    const char *action;
    const char *const *allow, *const *extra;
};

static const struct option options[] = {
    OPTION_CHOICE(
        "action", struct options, action, "block", "block ask",
        "what happens to a risky command; what would destroy the machine or the workspace "
        "is always blocked"),
    OPTION_LIST("allow", struct options, allow, NULL,
                "rules by name, or commands as in `extra`, that are let through"),
    OPTION_LIST("extra", struct options, extra, NULL,
                "further risky commands: PROGRAM PATTERN -> REASON"),
    OPTION_END,
};

static const char *const tools[] = { "bash", NULL };

struct finding {
    const struct guard_run *run;
    struct guard_rule rule;
};

static bool is_rule_name(const char *name)
{
    for (const struct guard_rule *rule = guard_rules; rule->name; rule++)
        if (strcmp(rule->name, name) == 0)
            return true;
    return false;
}

static bool is_allowed(const struct guard_runs *runs, const struct options *o,
                       const struct guard_run *r, const struct guard_rule *rule)
{
    for (const char *const *item = o->allow; *item; item++) {
        struct guard_rule allowed;

        if (strcmp(*item, rule->name) == 0)
            return true;
        if (is_rule_name(*item))
            continue;
        allowed = guard_rule_parse(runs->arena, *item);
        if (guard_rule_fits(runs, &allowed, r))
            return true;
    }
    return false;
}

/* The severest counts, of equals the first. */
static void consider(const struct guard_runs *runs, const struct options *o,
                     const struct guard_run *r, const struct guard_rule *rule,
                     struct finding *worst)
{
    if (worst->run && worst->rule.severity >= rule->severity)
        return;
    if (guard_rule_fits(runs, rule, r) && !is_allowed(runs, o, r, rule))
        *worst = (struct finding){ r, *rule };
}

/* The rules about one program: a long script runs few programs, many times each. */
struct known_rules {
    const char *program;
    const struct guard_rule **list; /* ended by NULL */
};

static void look_up(struct known_rules *known, struct arena *a, const char *program)
{
    size_t count = 0;

    if (known->program && strcmp(known->program, program) == 0)
        return;
    if (!known->list) {
        while (guard_rules[count].name)
            count++;
        known->list = arena_array(a, const struct guard_rule *, count + 1);
    }
    known->program = program;
    count = 0;
    for (const struct guard_rule *rule = guard_rules; rule->name; rule++)
        if (guard_rule_knows(rule, program))
            known->list[count++] = rule;
    known->list[count] = NULL;
}

static struct finding find_worst(const struct guard_runs *runs, const struct options *o)
{
    struct finding worst = { 0 };
    struct known_rules known = { 0 };

    for (const struct guard_run *r = runs->first; r; r = r->next) {
        look_up(&known, runs->arena, r->program);
        for (const struct guard_rule **rule = known.list; *rule; rule++)
            consider(runs, o, r, *rule, &worst);
        for (const char *const *extra = o->extra; *extra; extra++) {
            struct guard_rule rule = guard_rule_parse(runs->arena, *extra);

            consider(runs, o, r, &rule, &worst);
        }
    }
    return worst;
}

/* A program and its words, as some agents have them, become the text that would start it. */
static struct str joined(struct arena *a, const struct json *words)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    for (const struct json *w = json_first(words); w; w = json_next(w)) {
        struct str word = json_str(a, w);

        if (!str_is_set(word) || memchr(word.ptr, '\0', word.len))
            return (struct str){ 0 };
        strbuf_addstr(&out, out.len ? " " : "");
        strbuf_addstr(&out, shell_quote(a, arena_cstr(a, word)));
    }
    return (struct str){ arena_cstr(a, strbuf_str(&out)), out.len };
}

/* What would run; unset: nobody can tell, "": nothing. */
static struct str command_of(struct arena *a, const struct json *args)
{
    const struct json *command = json_get(args, STR("command"));

    if (!args || (json_type(args) == JSON_OBJECT && !command))
        return STR("");
    return json_type(command) == JSON_ARRAY ? joined(a, command) : json_str(a, command);
}

static void refuse(const struct hook_call *c, const struct options *o, const struct finding *f,
                   struct verdict *v)
{
    const struct json *args = event_data(c->event, STR("args"));
    struct str raw = f->run->raw;
    size_t len;

    if (!raw.len) /* nothing but a redirection */
        raw = str_trim(command_of(c->arena, args));
    len = str_fit(raw, SHOWN_MAX);
    verdict_block(v, arena_printf(c->arena, "'%.*s%s' is refused by the rule '%s': %s", (int)len,
                                  raw.ptr, len < raw.len ? "…" : "", f->rule.name, f->rule.reason));
    if (f->rule.severity == GUARD_RISKY && strcmp(o->action, "ask") == 0)
        v->decision = DECISION_ASK;
}

static void judge(const struct hook_call *c, struct str text, const struct json *args,
                  struct verdict *v)
{
    const char *workdir = json_cstr(c->arena, json_get(args, STR("workdir")));
    const char *workspace = c->config ? c->config->workspace : c->event->session.cwd;
    struct guard_runs runs = { .arena = c->arena };
    struct finding worst;

    runs.place.workspace = workspace ? workspace : "/";
    runs.place.home = path_home();
    runs.place.cwd = c->event->session.cwd ? c->event->session.cwd : runs.place.workspace;
    if (workdir)
        runs.place.cwd = path_normalize(c->arena, path_join(c->arena, runs.place.cwd, workdir));
    guard_runs_read(&runs, text);
    worst = find_worst(&runs, c->options);
    if (worst.run)
        refuse(c, c->options, &worst, v);
    else if (runs.unreadable)
        verdict_block(v, arena_printf(c->arena,
                                      "the command can't be checked: %s; write it in simpler parts",
                                      runs.unreadable));
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct json *args = event_data(c->event, STR("args"));
    struct str text = command_of(c->arena, args);

    if (!str_is_set(text))
        verdict_block(v, "the command can't be checked: it is neither a text nor a list of words");
    else if (text.len)
        judge(c, text, args, v);
    return 0;
}

const struct hook_def command_guard_hook = {
    .name = "command-guard",
    .summary = "refuses shell commands that destroy, and names the better one",
    .layer = LAYER_GUARD,
    .priority = -100, /* guards that people wrote give their own reasons */
    .safety_critical = true,
    .tools = tools,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before },
};
