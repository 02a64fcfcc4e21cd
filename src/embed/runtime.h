/*
 * runtime.h - an engine put together the usual way: configuration of this folder, the user's store,
 * receipts, all built-ins and runners. The command line and the embedding library both start here.
 *
 *     CLEANUP(runtime) struct runtime rt = { 0 };
 *     r = runtime_open(&rt, &(struct runtime_options){ .log = &log }, e);
 *
 * Cheap on purpose: the store and the receipt file are opened by the first event that needs them.
 */
#pragma once

#include "hook/engine.h"

struct runtime_options {
    struct log *log;
    const char *cwd;       /* NULL: the process's */
    const char *trust;     /* NULL: what HOOKE_TRUST says, or the usual file */
    const char *config;    /* NULL: the usual files; else this file stands for the user's */
    const char *store;     /* NULL: $HOOKE_STORE or the usual file; "memory": none on disk */
    const char *receipts;  /* NULL: the usual folder; "": none */
    const char *answering; /* an agent that runs the hooks of its own configuration itself */
    bool no_config;        /* built-in defaults only */
    bool only_used;        /* no built-in but those used by name */
    bool no_hooks;         /* but safety-critical ones and compaction */
    bool lenient;          /* take a configuration that `strict` refuses, to look at it */
    bool recompile;        /* read configuration files even when a compiled form is fresh */
    bool crowded;          /* others open files meanwhile: refuse what lacks some for that reason */
    int abort_fd;          /* readable or hung up: end the processes of hooks; 0: none */
    const struct config_flag *flags;
};

struct runtime {
    struct engine *engine;
    struct store *store;
    struct arena arena;
    char *receipts; /* the folder, "" for none */
};

/*
 * Warns through the log about every problem of the configuration. With `strict: true` a problem
 * that is no warning refuses to start: -EBADMSG. So does, unless `lenient`, a trust file that was
 * named and cannot be used. -EMFILE: it is `crowded`, and files may not have been read.
 */
MUST_CHECK int runtime_open(struct runtime *rt, const struct runtime_options *o, struct err *e);

/*
 * Load configuration into an open runtime, whole or, with the same refusal, not at all. Of `o` it
 * takes log, cwd, config, trust, flags, lenient, recompile and crowded. Any thread may.
 */
MUST_CHECK int runtime_configure(struct runtime *rt, const struct runtime_options *o,
                                 struct err *e);
void runtime_close(struct runtime *rt);

static inline void runtime_cleanup(struct runtime *rt)
{
    runtime_close(rt);
}
