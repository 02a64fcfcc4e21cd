/*
 * shell_text.h - the simple commands in a shell command, as the rules of other systems match them.
 *
 *     struct shell_text t;
 *     shell_text_read(&t, a, STR("cd x && A=1 git \"push\" $(date)"));
 *     for (const struct shell_part *p = t.first; p; p = p->next)
 *         …                                                cd x; date; git push $(date)
 *
 * Read by hook/shell_commands.h: assignments, redirections and reserved words in front are left
 * out. Everything is in the arena or borrowed from the text.
 */
#pragma once

#include "base/arena.h"

struct shell_part {
    struct shell_part *next;
    struct str raw;   /* as it was written */
    struct str plain; /* one blank between words, no quotes or backslashes */
};

struct shell_text {
    struct shell_part *first, **end;
    bool expands; /* something in it is known only when it runs: $( ), backticks, $VAR */
    bool broken;  /* it could not be read: an open quote or bracket, a document, too deep */
};

void shell_text_read(struct shell_text *t, struct arena *a, struct str text);
