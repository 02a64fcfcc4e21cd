#include "hook/verdict.h"

#include <errno.h>

const char *decision_name(enum decision d)
{
    static const char *const names[] = {
        [DECISION_NONE] = "none",
        [DECISION_ALLOW] = "allow",
        [DECISION_ASK] = "ask",
        [DECISION_BLOCK] = "block",
    };

    return names[d];
}

const char *verdict_result_name(enum verdict_result r)
{
    static const char *const names[] = {
        [VERDICT_NO_RESULT] = "",
        [VERDICT_CONTINUE] = "continue",
        [VERDICT_MUTATE] = "mutate",
        [VERDICT_CALLBACK] = "callback",
    };

    return names[r];
}

void verdict_block(struct verdict *v, const char *reason)
{
    v->decision = DECISION_BLOCK;
    v->reason = reason;
}

void verdict_replace(struct arena *a, struct verdict *v, struct str field, const struct json *value)
{
    v->replace = json_with(a, v->replace ? v->replace : json_object(a), field, value);
}

struct injection *verdict_inject(struct arena *a, struct verdict *v, const char *id,
                                 const char *text)
{
    struct injection *i = arena_new(a, struct injection);
    struct injection **end = &v->injections;

    i->id = id;
    i->text = text;
    while (*end)
        end = &(*end)->next;
    *end = i;
    return i;
}

bool verdict_refuses(const struct verdict *v)
{
    return v->decision == DECISION_BLOCK || v->stop;
}

bool verdict_is_empty(const struct verdict *v)
{
    return v->decision == DECISION_NONE && !v->stop && !v->say && !v->replace && !v->modify &&
           !v->injections && v->result == VERDICT_NO_RESULT && !v->callback && !v->messages &&
           !v->follow_ups && !v->model;
}

void verdict_settle_ask(struct arena *a, struct verdict *v, const char *flag)
{
    if (v->decision != DECISION_ASK)
        return;
    v->decision = DECISION_BLOCK;
    v->reason = arena_printf(a, "%s (nobody can be asked here; %s would allow it)",
                             v->reason ? v->reason : "a hook wants a person to decide", flag);
}

static const struct json *injection_to_json(struct arena *a, const struct injection *i)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("id"), json_cstring(a, i->id));
    json_add(a, j, STR("text"), json_cstring(a, i->text));
    json_add(a, j, STR("priority"), json_cstring(a, inject_priority_name(i->priority)));
    if (i->class)
        json_add(a, j, STR("class"), json_cstring(a, inject_class_name(i->class)));
    if (i->place)
        json_add(a, j, STR("place"), json_cstring(a, inject_place_name(i->place)));
    if (i->once)
        json_add(a, j, STR("once"), json_bool(a, true));
    if (i->source)
        json_add(a, j, STR("source"), json_cstring(a, i->source));
    return j;
}

static void add_text(struct arena *a, struct json *j, struct str key, const char *text)
{
    if (text)
        json_add(a, j, key, json_cstring(a, text));
}

const struct json *verdict_to_json(struct arena *a, const struct verdict *v)
{
    struct json *j = json_object(a);

    if (v->decision != DECISION_NONE)
        add_text(a, j, STR("decision"), decision_name(v->decision));
    add_text(a, j, STR("reason"), v->reason);
    add_text(a, j, STR("stop"), v->stop);
    add_text(a, j, STR("say"), v->say);
    json_add(a, j, STR("replace"), v->replace);
    if (v->injections) {
        struct json *list = json_array(a);

        for (const struct injection *i = v->injections; i; i = i->next)
            json_push(a, list, injection_to_json(a, i));
        json_add(a, j, STR("inject"), list);
    }
    if (v->result != VERDICT_NO_RESULT)
        add_text(a, j, STR("result"), verdict_result_name(v->result));
    add_text(a, j, STR("callback"), v->callback);
    json_add(a, j, STR("callback_args"), v->callback_args);
    json_add(a, j, STR("messages"), v->messages);
    json_add(a, j, STR("follow_up_messages"), v->follow_ups);
    add_text(a, j, STR("model"), v->model);
    return j;
}

/* Reading -------------------------------------------------------------------------------------- */

struct reading {
    struct arena *arena;
    struct verdict *v;
    struct strbuf *warnings;
};

static void warn_type(struct reading *r, struct str key, const char *wanted, const struct json *j)
{
    strbuf_printf(r->warnings, "'%.*s' must be %s, not %s\n", STR_ARG(key), wanted,
                  json_type_name(json_type(j)));
}

static const char *read_text(struct reading *r, struct str key, const struct json *j)
{
    if (json_type(j) == JSON_NULL)
        return NULL;
    if (json_type(j) != JSON_STRING)
        warn_type(r, key, "a string", j);
    return json_cstr(r->arena, j);
}

static const struct json *read_typed(struct reading *r, struct str key, const struct json *j,
                                     enum json_type type)
{
    if (json_type(j) == JSON_NULL)
        return NULL;
    if (json_type(j) == type)
        return j;
    warn_type(r, key, json_type_name(type), j);
    return NULL;
}

static void read_decision(struct reading *r, struct str key, const struct json *j)
{
    struct str name = json_str(r->arena, j);

    for (int d = DECISION_NONE; d <= DECISION_BLOCK; d++)
        if (str_is(name, decision_name((enum decision)d))) {
            r->v->decision = (enum decision)d;
            return;
        }
    warn_type(r, key, "none, allow, ask or block", j);
}

static void read_result(struct reading *r, struct str key, const struct json *j)
{
    struct str name = json_str(r->arena, j);

    for (int d = VERDICT_CONTINUE; d <= VERDICT_CALLBACK; d++)
        if (str_is(name, verdict_result_name((enum verdict_result)d))) {
            r->v->result = (enum verdict_result)d;
            return;
        }
    if (json_type(j) != JSON_NULL && name.len)
        warn_type(r, key, "continue, mutate or callback", j);
}

static void read_injection(struct reading *r, const struct json *j)
{
    struct arena *a = r->arena;
    const struct json *class = json_get(j, STR("class")), *place = json_get(j, STR("place"));
    const struct json *priority = json_get(j, STR("priority"));
    char *text = json_cstr(a, json_type(j) == JSON_STRING ? j : json_get(j, STR("text")));
    char *id = json_cstr(a, json_get(j, STR("id")));
    struct injection *i;

    if (!text) {
        strbuf_addstr(r->warnings, "an entry of 'inject' has no text\n");
        return;
    }
    i = verdict_inject(a, r->v, id ? id : "1", text);
    i->once = json_is_true(json_get(j, STR("once")));
    if (class && !inject_class_of(json_str(a, class), &i->class))
        warn_type(r, STR("class"), "persistent, deterministic or volatile", class);
    if (place && !inject_place_of(json_str(a, place), &i->place))
        warn_type(r, STR("place"), "system, message, output or tail", place);
    if (priority && !inject_priority_of(json_str(a, priority), &i->priority))
        warn_type(r, STR("priority"), "critical, high, normal or low", priority);
}

static void read_inject(struct reading *r, struct str key, const struct json *j)
{
    if (json_type(j) == JSON_STRING || json_type(j) == JSON_OBJECT) {
        read_injection(r, j);
        return;
    }
    if (json_type(j) != JSON_ARRAY && json_type(j) != JSON_NULL)
        warn_type(r, key, "a list of injections", j);
    for (const struct json *i = json_first(j); i; i = json_next(i))
        read_injection(r, i);
}

static void read_data(struct reading *r, struct str key, const struct json *j)
{
    struct verdict *v = r->v;

    if (str_is(key, "replace"))
        v->replace = read_typed(r, key, j, JSON_OBJECT);
    else if (str_is(key, "modify"))
        v->modify = read_typed(r, key, j, JSON_OBJECT);
    else if (str_is(key, "callback_args"))
        v->callback_args = read_typed(r, key, j, JSON_OBJECT);
    else if (str_is(key, "messages"))
        v->messages = read_typed(r, key, j, JSON_ARRAY);
    else if (str_is(key, "follow_up_messages"))
        v->follow_ups = read_typed(r, key, j, JSON_ARRAY);
    else
        strbuf_printf(r->warnings, "unknown field '%.*s'\n", STR_ARG(key));
}

static void read_field(struct reading *r, struct str key, const struct json *j)
{
    struct verdict *v = r->v;

    if (str_is(key, "decision"))
        read_decision(r, key, j);
    else if (str_is(key, "reason"))
        v->reason = read_text(r, key, j);
    else if (str_is(key, "stop"))
        v->stop = read_text(r, key, j);
    else if (str_is(key, "say"))
        v->say = read_text(r, key, j);
    else if (str_is(key, "inject"))
        read_inject(r, key, j);
    else if (str_is(key, "result"))
        read_result(r, key, j);
    else if (str_is(key, "callback"))
        v->callback = read_text(r, key, j);
    else if (str_is(key, "model"))
        v->model = read_text(r, key, j);
    else
        read_data(r, key, j);
}

int verdict_from_json(struct arena *a, const struct json *j, struct verdict *v,
                      struct strbuf *warnings, struct err *e)
{
    struct reading r = { a, v, warnings };

    if (json_type(j) != JSON_OBJECT)
        return err_set(e, -EBADMSG, "a verdict must be an object, not %s",
                       json_type_name(json_type(j)));
    *v = (struct verdict){ 0 };
    for (const struct json *f = json_first(j); f; f = json_next(f))
        read_field(&r, json_key(a, f), f);
    return 0;
}
