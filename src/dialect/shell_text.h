/*
 * shell_text.h - the simple commands in a shell command, as well as that can be told without a
 * shell.
 *
 *     struct shell_text t;
 *     shell_text_read(&t, a, STR("cd x && A=1 git \"push\" $(date)"));
 *     for (const struct shell_command *c = t.first; c; c = c->next) …       cd x; git push $(date);
 * date
 *
 * Split at ; & | ( ) and line ends, also inside $( ) and backticks; assignments, redirections and
 * reserved words in front are left out.
 */
#pragma once

#include "base/arena.h"

struct shell_command {
    struct shell_command *next;
    struct str raw;   /* as it was written */
    struct str plain; /* one blank between words, no quotes or backslashes */
};

struct shell_text {
    struct shell_command *first, **end;
    bool expands; /* something in it is known only when it runs: $( ), backticks, $VAR */
    bool broken;  /* it could not be read: an open quote or bracket, a document, too deep */
};

void shell_text_read(struct shell_text *t, struct arena *a, struct str text);
