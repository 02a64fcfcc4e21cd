/*
 * shell_words.h - the words of a text for the shell, as far as they can be known without running
 * it.
 *
 *     r = shell_words_parse(a, STR("cd \"$HOME\" && ./x.sh 'a b' >log"), variables, &words, e);
 *
 * finds "cd", "./x.sh" (both the first word of a command), "$HOME" with its value, "a b" and "log"
 * (which is written to). Words inside "$(…)" are found too. What makes words unknowable (heredocs,
 * backquotes, process substitution, $'…') is an error, so that nothing is ever overlooked: this is
 * for deciding what a text may run. Whoever wants to know what a text does, as far as can be told,
 * reads it with shell_commands.h. Everything is in the arena.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct shell_variable {
    const char *name, *value; /* a NULL name ends the list */
};

struct shell_word {
    size_t at, len;   /* in the text, with its quotes */
    const char *text; /* without quotes and with variables put in; NULL: only the shell can tell */
    const char *seen; /* what can be told of it: all but expansions */
    bool command;     /* the first word of a command */
    bool written;     /* behind '>' */
    bool filled;      /* a variable was put in */
    bool expands;     /* it has an expansion whose value is not known */
    bool globs;       /* it has a pattern for file names, or braces */
    bool quoted;      /* some of it is in quotes */
};

struct shell_words {
    struct shell_word *list; /* in the order of their ends */
    size_t count, room;
};

MUST_CHECK int shell_words_parse(struct arena *a, struct str text,
                                 const struct shell_variable *variables, struct shell_words *out,
                                 struct err *e);

/* The text as one word that the shell takes literally. */
char *shell_quote(struct arena *a, const char *text);
