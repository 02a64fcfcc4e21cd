/*
 * trial_text.h - what came of trying one hook, to read or for programs.
 */
#pragma once

#include "cli/cli.h"

struct trial_text {
    const struct engine_trial *trial;
    const struct event *event;
    const struct receipt *receipt;
    const char *mismatch; /* why the event would not have reached the hook; NULL: it would */
    const char *session;  /* whose state it worked on; NULL: a store of its own */
};

void trial_text_print(struct cli *cli, const struct trial_text *t);
void trial_text_json(struct cli *cli, const struct trial_text *t);
