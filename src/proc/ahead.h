/*
 * ahead.h - children that were started before their input is known (see proc.h). Private to
 * src/proc.
 */
#pragma once

#include "proc/launch.h"

/* Take over a child that still waits; the rest of it goes. False: there is none, or not any more.
 */
bool ahead_take(struct proc_ahead *x, struct launched *to);
