#include "runner/rule.h"

#include "runner/when.h"

#include <errno.h>

/* The keys of an entry that are fields of a verdict under the same name. */
static const char *const same_name[] = {
    "stop", "say", "modify", "replace", "inject", "callback_args",
};

struct rule {
    const struct json *verdict; /* in our own JSON */
    struct when *when;          /* NULL: always */
};

static void add_decision(struct arena *a, struct json *v, const struct setting *entry)
{
    static const enum decision decisions[] = { DECISION_BLOCK, DECISION_ASK, DECISION_ALLOW };

    for (size_t i = 0; i < ARRAY_LEN(decisions); i++) {
        const struct setting *s = setting_get(entry, decision_name(decisions[i]));

        if (!s || (s->kind == SETTING_BOOL && str_is(s->text, "false")))
            continue;
        json_add(a, v, STR("decision"), json_cstring(a, decision_name(decisions[i])));
        if (s->kind == SETTING_STRING)
            json_add(a, v, STR("reason"), json_string(a, s->text));
        return;
    }
}

/* One text or a list of them. */
static const struct json *as_list(struct arena *a, const struct setting *s)
{
    const struct json *j = setting_to_json(a, s);
    struct json *list;

    if (json_type(j) == JSON_ARRAY)
        return j;
    list = json_array(a);
    json_push(a, list, j);
    return list;
}

static void add_result(struct arena *a, struct json *v, const struct setting *entry)
{
    const struct setting *follow_ups = setting_get(entry, "continue");
    const struct setting *messages = setting_get(entry, "mutate");
    const struct setting *callback = setting_get(entry, "callback");

    if (callback)
        json_add(a, v, STR("result"), json_cstring(a, "callback"));
    else if (messages)
        json_add(a, v, STR("result"), json_cstring(a, "mutate"));
    else if (follow_ups)
        json_add(a, v, STR("result"), json_cstring(a, "continue"));
    if (callback)
        json_add(a, v, STR("callback"), setting_to_json(a, callback));
    if (messages)
        json_add(a, v, STR("messages"), setting_to_json(a, messages));
    if (follow_ups)
        json_add(a, v, STR("follow_up_messages"), as_list(a, follow_ups));
}

static const struct json *rule_verdict(struct arena *a, const struct setting *entry)
{
    struct json *v = json_object(a);

    add_decision(a, v, entry);
    for (size_t i = 0; i < ARRAY_LEN(same_name); i++) {
        const struct setting *s = setting_get(entry, same_name[i]);

        if (s)
            json_add(a, v, str_of(same_name[i]), setting_to_json(a, s));
    }
    add_result(a, v, entry);
    return v;
}

static int rule_run(const struct hook_call *c, struct verdict *v, struct err *e)
{
    CLEANUP(strbuf) struct strbuf said_when_loaded = { 0 };
    const struct rule *rule = c->context;
    bool applies = true;
    int r = when_test(rule->when, c, &applies, e);

    if (r < 0 || !applies)
        return r;
    return verdict_from_json(c->arena, rule->verdict, v, &said_when_loaded, e);
}

static int rule_load(struct arena *a, const struct hook_entry *entry, struct hook *h,
                     struct problems *problems, struct err *e)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct rule *rule = arena_new(a, struct rule);
    struct str rest, line;
    struct verdict v = { 0 };
    int r;

    rule->verdict = rule_verdict(a, entry->spec);
    r = verdict_from_json(a, rule->verdict, &v, &warnings, e);
    if (r < 0)
        return r;
    rest = strbuf_str(&warnings);
    while (str_cut(&rest, '\n', &line))
        if (line.len)
            problem_add(problems, &entry->origin, "hook '%s': %.*s", h->name, STR_ARG(line));
    h->run = rule_run;
    h->context = rule;
    return when_load(entry, problems, &rule->when, e);
}

static void rule_unload(struct hook *h)
{
    struct rule *rule = h->context;

    when_free(rule->when);
}

const struct runner rule_runner = {
    .kind = RUNNER_RULE,
    .in_process = true,
    .load = rule_load,
    .unload = rule_unload,
};
