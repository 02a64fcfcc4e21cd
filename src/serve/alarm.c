#include "serve/alarm.h"

#include "hook/config.h"
#include "hook/registry.h"
#include "serve/record.h"

const char *alarm_line(struct arena *a, const char *text, const char *line)
{
    return text && line ? arena_printf(a, "%s\n%s", text, line) : text ? text : line;
}

const char *alarm_configuration(struct arena *a, const struct receipt *r)
{
    const struct config *c = r->registry ? registry_config(r->registry) : NULL;
    const struct problem *p = c ? c->problems.first : NULL;

    if (!c || (r->event->point != POINT_SESSION_CREATED && r->event->point != POINT_CHAT_MESSAGE))
        return NULL;
    while (p && p->warning && !c->broken)
        p = p->next;
    if (c->broken)
        return arena_printf(a, "hooke: the configuration is broken, %s: %s%s%s",
                            c->fallen_back ? "its last good version is in force"
                                           : "the defaults are in force",
                            p ? origin_text(a, &p->origin) : "see 'hooke config check'",
                            p ? ": " : "", p ? p->message : "");
    return !p ? NULL
              : arena_printf(a,
                             "hooke: part of the configuration is not in force: %s: %s; "
                             "'hooke config check' tells all",
                             origin_text(a, &p->origin), p->message);
}

/* Where each of the agents shows the person what hooks say. */
static bool is_shown(enum point point)
{
    return point == POINT_CHAT_MESSAGE || point == POINT_TOOL_EXECUTE_BEFORE ||
           point == POINT_TOOL_EXECUTE_AFTER || point == POINT_AGENT_STOP;
}

const char *alarm_failures(struct engine *en, const struct receipt *r, const char *text,
                           struct arena *a)
{
    if (r->verdict.decision == DECISION_BLOCK || r->verdict.stop || !is_shown(r->event->point))
        return text;
    for (size_t i = 0; i < r->run_count; i++) {
        const struct hook_run *run = &r->runs[i];

        if (run->end != RUN_DONE && !run->untrusted &&
            record_first_failure(en, r->event->session.id, run->hook->name, a))
            text = alarm_line(a, text,
                              arena_printf(a, "hooke: hook '%s' %s", run->hook->name, run->detail));
    }
    return text;
}
