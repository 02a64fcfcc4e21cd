/*
 * replay.h - what a verdict decided, in a few words that can be compared, and who is behind a
 * difference.
 */
#pragma once

#include "hook/capture.h"

/*
 * "block", "allow, change args", "inject rules:src", "callback compact", "none": decision, stop,
 * result, model, names of changed fields, ids of injections. Reasons, values and times are left
 * out.
 */
char *replay_digest(struct arena *a, const struct verdict *v);

enum replay_change {
    REPLAY_SAME,
    REPLAY_CHANGED,
    REPLAY_UNKNOWN, /* differs, but so may what the hooks saw: secrets, commands held back */
};

struct replay_row {
    enum replay_change change;
    const char *then, *now;
    const char *by;   /* hooks that did something else, "" for none */
    const char *note; /* why it is unknown; NULL otherwise */
};

/* Compare a captured event with what came of it now. */
struct replay_row replay_compare(struct arena *a, const struct captured *then,
                                 const struct receipt *now);
