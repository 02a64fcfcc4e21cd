/*
 * alarm.h - what a person must know of hooks that do not work: agents show nobody what goes to
 * standard error, and a hook that is left out or fails lets everything pass.
 *
 *     v->say = alarm_failures(en, r, alarm_line(a, v->say, alarm_configuration(a, r)), a);
 */
#pragma once

#include "hook/engine.h"

/* What is wrong with the configuration in force, at the start of a session and at each message;
 * else NULL. */
const char *alarm_configuration(struct arena *a, const struct receipt *r);

/* `text` and a line for each hook that has failed for the first time in the session, unless the
 * event is refused, which says it already. */
const char *alarm_failures(struct engine *en, const struct receipt *r, const char *text,
                           struct arena *a);

/* One line more; either may be NULL. */
const char *alarm_line(struct arena *a, const char *text, const char *line);
