/*
 * kodelet.h - what has to be known of a program before it can be a Kodelet hook.
 *
 * Called with the word `hook`, such a program prints the name of its event; `hooke` then runs it
 * with the word `run` at the point that name stands for.
 */
#pragma once

#include "base/str.h"

/* Whether what a program printed, white space around it aside, is the name of an event. */
bool kodelet_event_known(struct str name);
