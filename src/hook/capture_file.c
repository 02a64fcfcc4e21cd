/*
 * capture_file.c - one captured event as JSON: the event, the verdict, and what each hook did.
 */
#include "base/vars.h"
#include "hook/capture.h"
#include "hook/redact.h"

#include <errno.h>

static const struct json *effects_json(struct arena *a, unsigned effects)
{
    struct json *did = json_array(a);

    for (unsigned bit = 1; bit <= effects && bit; bit <<= 1)
        if (effects & bit)
            json_push(a, did, json_cstring(a, power_name((enum power)bit)));
    return did;
}

static const struct json *hooks_json(struct arena *a, const struct receipt *r)
{
    struct json *list = json_array(a);

    for (size_t i = 0; i < r->run_count; i++) {
        struct json *j = json_object(a);

        json_add(a, j, STR("hook"), json_cstring(a, r->runs[i].hook->name));
        json_add(a, j, STR("did"), effects_json(a, r->runs[i].effects));
        if (r->runs[i].end != RUN_DONE)
            json_add(a, j, STR("end"), json_cstring(a, run_end_name(r->runs[i].end)));
        json_push(a, list, j);
    }
    for (size_t i = 0; i < r->held_count; i++) {
        struct json *j = json_object(a);

        json_add(a, j, STR("hook"), json_cstring(a, r->held[i].hook->name));
        json_add(a, j, STR("held"), json_cstring(a, held_why_name(r->held[i].why)));
        json_push(a, list, j);
    }
    return list;
}

const struct json *capture_to_json(struct arena *a, const struct receipt *r, const char *id)
{
    struct event ev = *r->event;
    struct redactor redactor = { .arena = a };
    struct json *j = json_object(a);
    const struct json *event, *verdict;

    ev.id = id;
    redact_learn(&redactor, vars_all());
    event = redact_json(&redactor, event_to_json(a, &ev));
    verdict = redact_json(&redactor, verdict_to_json(a, &r->verdict));
    json_add(a, j, STR("hooke"), json_int(a, 1));
    json_add(a, j, STR("event"), event);
    json_add(a, j, STR("verdict"), verdict);
    json_add(a, j, STR("outcome"), json_cstring(a, receipt_outcome(r)));
    json_add(a, j, STR("hooks"), hooks_json(a, r));
    if (redactor.removed)
        json_add(a, j, STR("removed"), json_int(a, (int64_t)redactor.removed));
    return j;
}

int capture_read(struct arena *a, struct str text, struct captured *c, struct err *e)
{
    struct json_reader deep = { .max_depth = JSON_DEPTH_LIMIT };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    const struct json *j, *verdict;
    int64_t version;
    int r = json_parse(a, text, &deep, &j, e);

    if (r < 0)
        return r;
    *c = (struct captured){ 0 };
    verdict = json_get(j, STR("verdict"));
    if (!json_get(j, STR("event")) || !verdict)
        return err_set(e, -EBADMSG, "it is no captured event: 'event' or 'verdict' is missing");
    if (json_to_int64(json_get(j, STR("hooke")), &version) < 0 || version != 1)
        return err_set(e, -EBADMSG, "it is of another version of hooke: 'hooke' must be 1");
    r = event_from_json(a, json_get(j, STR("event")), &c->event, e);
    if (r == 0)
        r = verdict_from_json(a, verdict, &c->verdict, &warnings, e);
    c->outcome = json_cstr(a, json_get(j, STR("outcome")));
    c->hooks = json_get(j, STR("hooks"));
    c->removed = json_get(j, STR("removed")) != NULL;
    return r;
}
