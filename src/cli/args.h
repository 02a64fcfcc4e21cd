/*
 * args.h - the flags of a verb: one table that reads them and prints their help.
 *
 *     bool json = false;
 *     const struct arg flags[] = { ARG_SWITCH("json", 0, &json, "for programs"), ARG_END };
 *     struct words words;
 *     if (!args_parse(cli, flags, argc, argv, &words, &rc))
 *         return rc;
 *
 * Flags are `--flag value`, `--flag=value`, `-f value` or `-fvalue`, anywhere among the words; `--`
 * ends them. A flag that takes one value and is given twice takes the last. getopt is not used: it
 * prints by itself and knows no nearest flag.
 */
#pragma once

#include "base/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;

enum arg_kind { ARG_IS_SWITCH, ARG_IS_TEXT, ARG_IS_NUMBER, ARG_IS_LIST };

/* Values of a flag that may be repeated, in order; borrowed from argv. */
struct arg_list {
    const char **values;
    size_t count;
};

struct arg {
    const char *name; /* without dashes; NULL ends the table */
    char letter;      /* 0: has no short form */
    enum arg_kind kind;
    void *out;         /* bool, const char *, uint64_t or struct arg_list */
    const char *value; /* what the help calls it */
    const char *help;
};

#define ARG_SWITCH(name, letter, out, help)              \
    {                                                    \
        name, letter, ARG_IS_SWITCH, (out), NULL, (help) \
    }
#define ARG_TEXT(name, letter, out, value, help)        \
    {                                                   \
        name, letter, ARG_IS_TEXT, (out), value, (help) \
    }
#define ARG_NUMBER(name, letter, out, value, help)        \
    {                                                     \
        name, letter, ARG_IS_NUMBER, (out), value, (help) \
    }
#define ARG_LIST(name, letter, out, value, help)        \
    {                                                   \
        name, letter, ARG_IS_LIST, (out), value, (help) \
    }
#define ARG_END \
    {           \
        0       \
    }

/* What is left: the words that are no flags, without the verb, ended by NULL. */
struct words {
    const char **word;
    size_t count;
};

/*
 * False when the verb is over already: `--help` was printed or something was wrong and said; `*rc`
 * is then the exit code. argv[0] is the verb.
 */
MUST_CHECK bool args_parse(struct cli *cli, const struct arg *flags, int argc, char **argv,
                           struct words *words, int *rc);
