/*
 * gemini_payload.h - what a hook written for Gemini CLI reads on its standard input, and how a
 * conversation it changed becomes ours again.
 *
 *     if (gemini_event(ev->point))
 *         json_write(&input, gemini_payload(a, ev), JSON_COMPACT);
 *
 * docs/gemini.md has the tables.
 */
#pragma once

#include "hook/event.h"

/* Gemini's name for the point; NULL: it has no such event. */
const char *gemini_event(enum point point);

/* Of an event whose point has a name. */
const struct json *gemini_payload(struct arena *a, const struct event *ev);

/* Gemini's name of the tool the event is about; what its arguments are called there. */
struct str gemini_tool(struct arena *a, const struct event *ev);
const struct json *gemini_tool_input(struct arena *a, const struct event *ev);

/* What a matcher of the event is compared with: a source, a reason, a trigger; unset: nothing. */
struct str gemini_trigger(struct arena *a, const struct event *ev);

/*
 * Hooks see the texts of a conversation and nothing else, so what they answer is read by position:
 * a text takes the place of the text that was sent there, one too many is a message more, and a
 * message whose text is missing goes unless it holds something besides, such as a tool call.
 */
const struct json *gemini_messages(struct arena *a, const struct json *ours);
const struct json *gemini_messages_back(struct arena *a, const struct json *ours,
                                        const struct json *theirs);
