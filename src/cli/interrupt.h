/*
 * interrupt.h - Ctrl-C and its like as a descriptor that everything which waits also watches.
 *
 *     int fd = interrupt_open();
 *
 * The first signal makes it readable. Whoever is asked a third time to end does so at once: ending
 * well takes a moment, and some press twice.
 */
#pragma once

#include <stdbool.h>

/* Watch SIGINT, SIGTERM and SIGHUP from now on; -1: they do as they always did. */
int interrupt_open(void);

/* Forget a Ctrl-C that was dealt with; a signal that asks to end the process stays. */
void interrupt_clear(void);

/* Whether the process was asked to end, rather than only what it does. */
bool interrupt_ends(void);
