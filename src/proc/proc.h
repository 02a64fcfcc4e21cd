/*
 * proc.h - run a child process that may misbehave, and collect what it said.
 *
 *     struct proc p = { .argv = argv, .input = event, .deadline_ns = clock_mono_ns() + limit };
 *     CLEANUP(proc_result) struct proc_result r = { 0 };
 *
 *     proc_run(&p, &r);
 *     if (r.end != PROC_EXITED)
 *         reason = proc_explain(a, &p, &r);
 *
 * Life cycle: fill a struct proc, run it, read the result, release the result. proc_run() blocks
 * until the child has been reaped (or not even SIGKILL ends it for five seconds). Everything in
 * struct proc is borrowed for that long; the result owns its buffers. Nothing here can fail but the
 * child, and that is what the result says, a child that could not be started included. Any thread
 * may run children; no state is shared and neither the process's signal handlers nor its working
 * folder is touched.
 *
 * The child is the leader of a session and a process group of its own, has no terminal, gets no
 * descriptor but 0, 1 and 2, and starts with no signal blocked and none of those that processes
 * send each other ignored. Input is fed and both outputs are drained by one loop that also watches
 * the clock, so neither side can hang the other.
 *
 * When the child ends by itself the result is there at once, with everything it wrote until then:
 * processes it left in the background are spared, even if they hold its stdout open. At the
 * deadline, or when `abort_fd` says so, its process group gets SIGTERM and, once the grace is over,
 * SIGKILL. The group also gets SIGKILL, without further grace, when the child is gone and no output
 * is open. A descendant that moved to another group (a daemon, a job of an interactive shell) gets
 * neither.
 *
 * The deadline cannot interrupt the kernel while it looks for the program or the folder: one on a
 * dead network mount hangs the caller until the mount gives up.
 */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"

#include <stdint.h>

#define PROC_TIMEOUT_NS UINT64_C(30000000000)
#define PROC_GRACE_NS   UINT64_C(2000000000)
#define PROC_OUTPUT_MAX ((size_t)1 << 20)

struct proc_ahead;

struct proc {
    const char *const *argv;  /* ends with NULL; argv[0] without a slash is looked up in PATH */
    const char *const *env;   /* ends with NULL: "K=V" adds, "K" removes; NULL: as it is here */
    const char *cwd;          /* NULL: the caller's */
    struct str input;         /* for its stdin; unset: /dev/null */
    size_t out_max, err_max;  /* bytes kept of its stdout and stderr; 0: PROC_OUTPUT_MAX */
    uint64_t deadline_ns;     /* on clock_mono_ns(), to the reaping; 0: PROC_TIMEOUT_NS from now */
    uint64_t grace_ns;        /* between SIGTERM and SIGKILL; 0: PROC_GRACE_NS */
    int abort_fd;             /* readable or hung up: end the child now; never read; 0: none */
    bool fallback;            /* start as where clone() is refused; for tests */
    struct proc_ahead *ahead; /* already started, taken over with the run; NULL: start one */
};

enum proc_end {
    PROC_NOT_STARTED, /* `step` and `error` say why */
    PROC_EXITED,      /* with `exit_code` */
    PROC_SIGNALED,    /* by `signal`, which somebody else sent */
    PROC_TIMED_OUT,
    PROC_ABORTED,
    PROC_LOST, /* other code in this process took the status, or ignores SIGCHLD */
};

/* Where starting a child failed. */
enum proc_step {
    PROC_STEP_NONE,
    PROC_STEP_PIPES,
    PROC_STEP_SPAWN,       /* no process could be made */
    PROC_STEP_CHDIR,       /* `cwd` */
    PROC_STEP_EXEC,        /* the program itself; EISDIR for a folder */
    PROC_STEP_INTERPRETER, /* the program is there, what its first line names is not */
};

struct proc_output {
    struct strbuf text; /* `truncated`: the child wrote more than was kept */
    uint64_t bytes;     /* written by the child and read by us, kept or not */
};

/* Start with { 0 }, and release it before it is used again. */
struct proc_result {
    enum proc_end end;
    enum proc_step step;
    int error;     /* errno */
    int exit_code; /* unless `signal`; also after a timeout or abort */
    int signal;
    struct proc_output out, err;
    uint64_t allowed_ns;  /* from the call to the deadline */
    uint64_t spawn_ns;    /* from the call until the program ran */
    uint64_t duration_ns; /* from the call until it was reaped */
    char *interpreter;    /* for PROC_STEP_INTERPRETER, where a first line names one */
};

void proc_run(const struct proc *p, struct proc_result *r);

/*
 * A child started before there is anything to say to it: it reads its stdin and waits. A run that
 * gets it as `ahead` feeds it, the program having been loaded meanwhile, provided that it is still
 * there; else the run starts another. Argv, env and cwd must be the same in both, and the input
 * must not be empty. NULL: it could not be started, which a run without it will explain.
 */
struct proc_ahead *proc_start_ahead(const struct proc *p);

/* It is killed before its stdin ends: it never learns that there was no event. NULL is fine. */
void proc_ahead_drop(struct proc_ahead *x);

/* Run all of them at once, each with its own deadline. Returns when the last one has ended. */
void proc_run_many(const struct proc *procs, struct proc_result *results, size_t count);

/*
 * The end in words that follow the name of whatever was run: "timed out after 30 s", "could not be
 * started: './x.sh' is not executable, run chmod +x on it".
 */
char *proc_explain(struct arena *a, const struct proc *p, const struct proc_result *r);

void proc_result_release(struct proc_result *r);

static inline void proc_result_cleanup(struct proc_result *r)
{
    proc_result_release(r);
}
