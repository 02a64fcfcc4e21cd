/*
 * talk.h - texts out of an event's messages, for dialects whose hooks get them as plain text.
 */
#pragma once

#include "hook/event.h"

/* What the user wrote: the text of `message`, or of its parts a line each. NULL: it has none. */
const struct json *talk_prompt(struct arena *a, const struct event *ev);

/* The text of the newest message of the assistant that has some. NULL: there is none. */
const struct json *talk_last_answer(struct arena *a, const struct event *ev);
