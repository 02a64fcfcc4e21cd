/*
 * shell_commands.h - every simple command of a text for the shell, with the words it gets, as far
 * as they can be told without running it.
 *
 *     struct shell_commands all;
 *
 *     r = shell_commands_read(a, STR("cd /x && A=1 git \"push\" $(date)"), variables, &all, e);
 *     for (const struct shell_command *c = all.first; c; c = c->next)
 *         …                                               cd /x; date; git push $(date)
 *
 * The same reader as shell_words.h, which refuses what it can't know because it decides what may
 * run. This one reads on: commands inside $(…), backquotes, <(…), subshells, groups, functions and
 * here-documents are commands of their own, variables that the text itself sets are put in, and
 * what stays unknown counts as empty and is marked. Where the text can't be read to its end (a
 * quote that is not closed, too much nesting) that is an error, and `all` has what came before it.
 * Everything is in the arena or borrowed from the text.
 */
#pragma once

#include "hook/shell_words.h"

enum shell_redirect_kind {
    SHELL_READ,     /* <file */
    SHELL_WRITE,    /* >file, >|file, &>file */
    SHELL_APPEND,   /* >>file */
    SHELL_DOCUMENT, /* <<END */
    SHELL_STRING,   /* <<<word */
};

struct shell_redirect {
    struct shell_redirect *next;
    enum shell_redirect_kind kind;
    struct shell_word word; /* the file, or what ends a document */
    struct str text;        /* of a document or a string */
};

struct shell_command {
    struct shell_command *next;
    struct shell_word *words; /* assignments in front are left out */
    size_t count, room;
    struct shell_redirect *redirects;
    const struct shell_command *piped_from; /* its input is the output of this one; NULL: no */
    const struct shell_command *within;     /* it is in a substitution of this one; NULL: no */
    const char *function;                   /* the function whose text it is in, at best; NULL */
    struct str raw;                         /* as it was written, from the first word on */
    bool background;                        /* behind it stands '&' */
    unsigned parens;                        /* subshells it is in */
    unsigned subshell;                      /* number of the innermost; 0: none */
};

struct shell_commands {
    struct shell_command *first, **end; /* in the order in which they end */
    size_t count, words;
    bool expands;   /* something in it is known only when it runs: $(…), backquotes, $VAR */
    bool documents; /* it has here-documents */
};

MUST_CHECK int shell_commands_read(struct arena *a, struct str text,
                                   const struct shell_variable *variables,
                                   struct shell_commands *out, struct err *e);
