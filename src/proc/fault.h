/*
 * fault.h - why a program could not be executed. Private to src/proc.
 */
#pragma once

#include "proc/spawn.h"

/*
 * exec gives one errno for several mistakes. Look at the files it tried, after the event, and make
 * of a result of PROC_STEP_EXEC what a person would call it: PROC_STEP_INTERPRETER, or EISDIR.
 */
void fault_refine(const struct spawn *s, struct proc_result *r);
