/*
 * interrupt.h - Ctrl-C, SIGTERM and SIGHUP as a descriptor that everything which waits also
 * watches.
 *
 * Hooks run in sessions of their own, where nobody but hooke reaches them: a signal must end them
 * before it ends hooke. The first one makes the descriptor readable, which aborts what is in hand.
 * For most verbs the signal then has its way: interrupt_finish() lets it, and so does a second one,
 * or a few seconds. A session of the agent ends well instead and is hurried only by the third.
 */
#pragma once

#include <stdbool.h>

/* From now on. The descriptor to hand to an engine as `abort_fd`; 0: there is none. */
int interrupt_fd(void);

/* The same for a session of the agent; -1: signals do as they always did. */
int interrupt_open(void);

/* Forget a Ctrl-C that was dealt with; a signal that asks to end the process stays. */
void interrupt_clear(void);

/* Whether the process was asked to end, rather than only what it does. */
bool interrupt_ends(void);

/* As if a signal asked the process to end. */
void interrupt_raise(void);

/* Called when the end comes, in a signal handler: nothing that allocates or locks. */
void interrupt_at_end(void (*clean)(void));

bool interrupt_came(void);

/* Does not return if a signal came, unless a session has dealt with it. */
void interrupt_finish(void);
