/*
 * ask.h - ask hook files what they are for, by starting them: side by side, for at most two seconds
 * each, and only when no kept answer is still good.
 *
 *     struct ask a = { .file = file, .question = "hook", .argv = argv };
 *     ask_all(f, &a, 1);
 *     if (a.answer) …
 */
#pragma once

#include "find/folder.h"

struct ask {
    const struct folder_file *file;
    const char *question; /* what the answer is kept under; a word */
    const char *const *argv;
    const char *const *env; /* as in struct proc */
    const char *answer;     /* out: its stdout, without white space at the ends; or NULL: */
    const char *failure;    /* out: words that follow its name; NULL too: nobody asked it */
};

/* Answers live in f->arena. Inside another hook nothing is started, nor is what has changed. */
void ask_all(struct config_finding *f, struct ask *asks, size_t count);
