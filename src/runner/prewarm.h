/*
 * prewarm.h - the next process of a command, started before its event is there.
 *
 * After a run the same program is started once more, for the same session, point and folder, and
 * left waiting on its stdin: when the next such event comes the program is loaded already. It is
 * used only if nothing has changed since: words, folder, the whole environment, the files of the
 * program. Else it is killed, without ever seeing the end of its stdin, and a run starts as usual.
 * There is at most one per hook. Any thread may run; one that finds it taken starts as usual.
 */
#pragma once

#include "hook/setting.h"
#include "proc/proc.h"

struct prewarm;

/* NULL: the key is not there, or false. */
struct prewarm *prewarm_new(const struct setting *key);

/* Kills what waits. NULL is fine, here and below. */
void prewarm_free(struct prewarm *w);

/* proc_run() with the process that waits, where there is one that fits. */
void prewarm_run(struct prewarm *w, const struct proc *p, struct proc_result *r);
