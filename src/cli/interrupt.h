/*
 * interrupt.h - Ctrl-C, SIGTERM and SIGHUP: first the processes of hooks end, then hooke does.
 *
 * Hooks run in sessions of their own, where nobody but hooke reaches them. The first signal makes
 * interrupt_fd() readable, which aborts the event in hand and ends its processes; once the verb is
 * done interrupt_finish() lets the signal have its way. What takes longer than a few seconds, or a
 * second signal, ends hooke at once.
 */
#pragma once

#include <stdbool.h>

/* From now on. The descriptor to hand to an engine as `abort_fd`; 0: there is none. */
int interrupt_fd(void);

/* Called when the end comes, in a signal handler: nothing that allocates or locks. */
void interrupt_at_end(void (*clean)(void));

bool interrupt_came(void);

/* Does not return if a signal came. */
void interrupt_finish(void);
