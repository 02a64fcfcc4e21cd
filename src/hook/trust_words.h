/*
 * trust_words.h - what a command of an entry may run: the files it names, and their copies.
 *
 *     struct trust_request rq = { config, exec, .env = env, .cwd = session->cwd };
 *     struct trust_command run;
 *
 *     r = trust_command(c->arena, &rq, &run, e);        at every run
 *     … start run.argv, with run.file in its environment …
 *
 * One function for every runner. For a command of the workspace it finds each file that the command
 * names, checks that it has its pinned bytes now, and puts the path of the copy in place of the
 * word, so that what runs is what somebody has trusted, whatever happens to the file meanwhile.
 * A program that the user or the machine's owner names by its path must pass trust_owner_check().
 *
 * A file is named by a word of a list (looked for beside the configuration file, in the workspace
 * and in the session's folder), by what follows '=' or the letter of an option in a word, and by a
 * word of a text for the shell (in the workspace and the session's folder). It needs a pin when it
 * lies in the workspace or, anywhere else, outside the folders of the system. A file inside a
 * longer text (the script of `sh -c`) and a path that only the shell can tell ("$DIR/x.sh") cannot
 * be pinned, and the command is refused, unless `unpinned` of the entry has that very word.
 */
#pragma once

#include "hook/config.h"
#include "hook/shell_words.h"

struct trust_request {
    const struct config *config;
    const struct setting *command;  /* `exec`, `resident`, `script`: its key says which */
    const struct setting *env;      /* of the entry; NULL: none */
    const struct setting *own_env;  /* of a handler, besides; NULL: none */
    const struct setting *unpinned; /* words that stay as they are; NULL: none */
    const char *cwd;                /* of the session; NULL: the workspace */
};

struct trust_command {
    const char **argv; /* ended by NULL */
    const char *file;  /* "HOOKE_FILE=<what was configured>" when a copy runs; NULL: none does */
};

/*
 * TRUST_REFUSED: something is not trusted and the command must not run; the message follows the
 * name of a hook: "did not run: '/repo/x.sh' has changed since it was trusted: run 'hooke trust'".
 */
MUST_CHECK int trust_command(struct arena *a, const struct trust_request *rq,
                             struct trust_command *out, struct err *e);

/* The same without "did not run", for who only wants to know. */
MUST_CHECK int trust_look(struct arena *a, const struct trust_request *rq,
                          struct trust_command *out, struct err *e);

/* Names ---------------------------------------------------------------------------------------- */

/* A file that a command names. */
struct trust_named {
    const char *path; /* absolute */
    size_t word;      /* of the list, or of the shell's words */
    size_t keep;      /* bytes of the word in front of the path: "--config=" */
    bool program;     /* it is executed itself */
};

struct trust_names {
    const char **argv;        /* as configured, ended by NULL */
    struct shell_words shell; /* of a text */
    struct trust_named *list; /* the files that need a pin */
    size_t count, room;
    const char **notes; /* what is not pinned and cannot be, a clause each */
    size_t note_count, note_room;
};

/* What a command of the workspace names. TRUST_REFUSED: it cannot be told. */
MUST_CHECK int trust_names(struct arena *a, const struct trust_request *rq, struct trust_names *out,
                           struct err *e);
