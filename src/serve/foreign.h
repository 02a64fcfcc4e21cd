/*
 * foreign.h - events of a host that has names of its own for tools and their arguments.
 *
 *     r = foreign_find(STR("opencode"), &system);
 *     foreign_in(a, system, &event);            rules and built-ins see our names
 *     verdict = foreign_out(a, system, &event, verdict);
 *
 * What the host said stays in `data.native`. An `error` without a class gets one, by its name, its
 * status and its body, which goes.
 */
#pragma once

#include "hook/event.h"
#include "hook/tools.h"

/* False: there is no such system. */
bool foreign_find(struct str name, enum tools_system *out);

void foreign_in(struct arena *a, enum tools_system system, struct event *ev);

/* `ev` is the event as foreign_in() left it, `verdict` our own JSON. */
const struct json *foreign_out(struct arena *a, enum tools_system system, const struct event *ev,
                               const struct json *verdict);
