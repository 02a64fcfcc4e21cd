/*
 * kodelet_payload.h - what a hook written for Kodelet reads on its standard input.
 *
 *     if (kodelet_event(ev->point))
 *         json_write(&input, kodelet_payload(a, ev, NULL), JSON_COMPACT);
 *
 * The payload is the union of what Kodelet's versions sent, so that a hook for any of them finds
 * its fields; docs/kodelet.md has the table.
 */
#pragma once

#include "hook/event.h"

/* Kodelet's name for the point; NULL: it has no such event. */
const char *kodelet_event(enum point point);

/* Of an event whose point has a name; `as` is the event the hook asked for, NULL: by its point. */
const struct json *kodelet_payload(struct arena *a, const struct event *ev, const char *as);

/* Whether the hook asked for the end of turns in the words of the later versions. */
bool kodelet_is_turn_end(const char *as);

/* Parts of it that an answer is compared with. */
const struct json *kodelet_tool_input(struct arena *a, const struct event *ev);
const struct json *kodelet_tool_output(struct arena *a, const struct event *ev);
