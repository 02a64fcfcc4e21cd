/*
 * cli.h - what the verbs share: where they print, how they fail, how they open a runtime.
 *
 * Only this folder prints or exits. A verb is one function in cmd_<verb>.c and one line in the
 * table of main.c; it prints to standard output, says at most one line on standard error through
 * cli_fail() or cli_misuse(), and returns the exit code.
 */
#pragma once

#include "base/log.h"
#include "cli/args.h"
#include "cli/term.h"
#include "embed/runtime.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_BLOCKED = 2,
    EXIT_USAGE = 64,
    EXIT_CONFIG = 78,
};

struct cli;
typedef int verb_fn(struct cli *cli, int argc, char **argv);

struct verb {
    const char *name;
    verb_fn *run;
    const char *usage; /* without "hooke "; one line per form */
    const char *summary;
    const char *more; /* printed under the flags; may be NULL */
};

struct cli {
    struct term out;
    struct log log;
    struct arena arena; /* lives as long as the program */
    const struct verb *verb;
};

verb_fn cmd_answer, cmd_chat, cmd_config, cmd_conversation, cmd_demo, cmd_doctor, cmd_emit,
    cmd_install, cmd_list, cmd_plan, cmd_recipe, cmd_replay, cmd_run, cmd_serve, cmd_show,
    cmd_state, cmd_test, cmd_trace, cmd_trust, cmd_uninstall, cmd_version;

/* One line on standard error: "hooke: …". They return EXIT_FAILED and EXIT_USAGE. */
int cli_fail(struct cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);
int cli_misuse(struct cli *cli, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* `hooke list | head -1`: what could not be written, nobody wanted. */
bool cli_reader_has_gone(void);

/* A word too many or too few: says the usage line. */
int cli_usage(struct cli *cli);

/* A sub-verb nobody knows: names the nearest. `known` is ended by NULL. */
int cli_unknown(struct cli *cli, const char *word, const char *const *known);

/* "unknown point 'x', did you mean 'y'?" */
int cli_unknown_point(struct cli *cli, const char *name);

/* Print a value: readable on a terminal, one line elsewhere. */
void cli_json(struct cli *cli, const struct json *j);

/* Where configuration comes from, besides the usual places: flags every such verb has. */
struct scope {
    const char *config;
    const char *trust;
    struct arg_list set;  /* KEY=VALUE */
    const char *cwd;      /* NULL: the process's */
    const char *receipts; /* NULL: the usual folder; "": none */
    int abort_fd;         /* see interrupt_fd(); 0: a signal ends the program at once */
    bool recompile;
    bool lenient;  /* look at a configuration that `strict` refuses */
    bool no_hooks; /* but safety-critical ones and compaction */
    bool quiet;    /* problems are the verb's own matter: don't log them */
};

#define SCOPE_ARGS(scope)                                       \
    ARG_TEXT("config", 0, &(scope)->config, "FILE",             \
             "read FILE instead of the user's configuration"),  \
        ARG_TEXT("trust", 0, &(scope)->trust, "FILE",           \
                 "take the pins of workspace files from FILE"), \
        ARG_LIST("set", 0, &(scope)->set, "KEY=VALUE",          \
                 "set one key of the configuration; may be repeated")

/* Open `rt` or say why not; false: `*rc` is the exit code. */
MUST_CHECK bool cli_open(struct cli *cli, const struct scope *scope, struct runtime *rt, int *rc);

/* The store alone, for verbs that need no configuration. */
struct store *cli_store(struct cli *cli);
