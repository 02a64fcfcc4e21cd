/*
 * hook.h - what a hook is: something that reacts to points.
 *
 * A built-in is one `const struct hook_def`: a name, a table of options and one function per point
 * (NULL: not interested). Whatever runs a hook - C, a rule, a script, a process - the registry
 * turns it into the same `struct hook`, so that the dispatcher has one path.
 *
 *     static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e)
 *     {
 *         if (looks_bad(c->event))
 *             verdict_block(v, "not here");
 *         return 0;
 *     }
 *
 * A negative return is a failed run, not an answer: what then happens is `on_failure`.
 * Memory: everything in the event is borrowed until the function returns; everything put in the
 * verdict comes from `c->arena`. Between calls a hook remembers through hook/state.h only.
 */
#pragma once

#include "hook/callback.h"
#include "hook/config.h"
#include "hook/option.h"
#include "hook/services.h"
#include "hook/verdict.h"

struct engine;
struct registry;
struct hook;

/* What a runner tells of a run besides its verdict; goes into the receipt. All-zero: nothing. */
struct hook_io {
    uint64_t bytes_in, bytes_out; /* fed to a process, written by it */
    const char *stderr_head;
    const char *warnings; /* parts of its answer that make no sense, a line each */
    const char *failure;  /* how a part of it failed, whose other parts' verdict counts; or NULL */
    bool timed_out;       /* that is how */
    struct llm_use llm;   /* what it had models do */
};

/* What whoever tries a single hook wants to know besides: all of what it said. In the arena. */
struct hook_report {
    const char *output, *errors; /* standard output and standard error; NULL: nothing */
    bool exited;                 /* a process ran and ended by itself */
    int exit_code;
};

struct hook_call {
    struct engine *engine;
    struct registry *registry;
    const struct hook *hook;
    const struct event *event;   /* as changed by the hooks before this one */
    const struct config *config; /* in force; NULL: none */
    struct arena *arena;
    const void *options;         /* of a built-in: its options struct */
    void *context;               /* of a runner or a C callback: its own */
    const struct verdict *final; /* for observers: what the chain decided; else NULL */
    struct hook_io *io;          /* for the runner to fill in */
    struct hook_report *report;  /* likewise; NULL, but where a hook is tried */
    uint64_t deadline_ns;        /* on the monotonic clock */
    uint64_t event_deadline_ns;  /* of the whole event */
    uint64_t guest_deadline_ns;  /* of what the workspace runs: some time is left to the rest */
    int abort_fd;                /* readable or hung up: end what runs; never read; 0: none */
    const char *receipt_id;      /* of the event */
    bool again;                  /* a guard runs once more on changed args: count nothing */
};

typedef int hook_fn(const struct hook_call *c, struct verdict *v, struct err *e);

/* What a hook offers under a name (hook/callback.h), asked at any time; NULL: nothing. */
struct hook;
typedef const struct hook_callback *hook_offer_fn(const struct hook *h, const char *name);

struct hook_def {
    const char *name;    /* kebab-case, unique, what users write */
    const char *summary; /* one line, lower case, no full stop */
    enum layer layer;
    int priority;
    bool safety_critical; /* always fires; its failure blocks */
    bool stays;           /* runs even where hooks are switched off as a whole */
    bool off;             /* runs only where configuration says `enabled: true` */
    bool no_rerun;        /* its change of args does not send them past the guards again */
    bool always;          /* no cadence holds it back, for what it says must not come and go */
    enum session_match session;
    const char *const *tools;  /* exact names, ended by NULL; NULL: every tool */
    const char *const *agents; /* the same for agents */
    const struct option *options;
    size_t options_size;
    const struct hook_callback *callbacks; /* NULL: none */
    hook_fn *on[POINT_COUNT];
};

/* A hook in the registry; immutable. */
struct hook {
    const char *name, *summary;
    struct str receipt_head; /* how its part of a receipt begins, quoted once */
    struct origin origin;
    enum runner_kind runner;
    struct hook_traits traits;     /* in force: definition, then entry */
    unsigned order;                /* of configuration; built-ins share 0 */
    const struct cadence *cadence; /* by this hook's name, or NULL */
    const char *off_because;       /* set: it matches but does not run, and why */
    const char *broken;            /* set: every run fails with this */
    const char *untrusted;         /* set: would not run when it was loaded; each run looks again */
    bool locked;                   /* by name, in the managed configuration */
    bool in_process;               /* starts no process */
    hook_fn *run;
    const struct hook_def *def; /* of a built-in */
    const void *options;
    void *context;
    const struct hook_callback *callbacks; /* what it offers by name; NULL: nothing */
    hook_offer_fn *offer;   /* of one that is asked only then; NULL: `callbacks` are all */
    struct hook *next_part; /* the same entry at other points, with other traits */
};

/* A built-in that is off by nature and that nobody mentioned: not worth a word. */
static inline bool hook_is_unasked(const struct hook *h)
{
    return h->off_because && h->def && h->def->off && h->origin.source == SOURCE_BUILTIN;
}

/*
 * A runner makes hooks out of entries of its kind. load() sets `run` and `context`; on failure the
 * hook stays in its chain and every run of it fails, so that a guard never goes missing in silence.
 *
 * Some programs say themselves what they are for, each point with a layer, a timeout, a matcher of
 * its own. Where the entry has no `on`, load() sets the traits and adds a part per further set of
 * traits with hook_add_part(): hooks of the same name that share `run` and `context`. Only the
 * first is unloaded.
 */
struct runner {
    enum runner_kind kind;
    bool in_process; /* may run even inside a hook's own process tree */
    int (*load)(struct arena *a, const struct hook_entry *entry, struct hook *h,
                struct problems *problems, struct err *e);
    void (*unload)(struct hook *h); /* may be NULL */
};

/* What an entry says over what the hook says of itself: only what it says, `on` and `mode` left
 * out. */
void hook_lay_over(struct hook_traits *t, const struct hook_traits *entry);

/* For load(), after it has set all else. */
void hook_add_part(struct arena *a, struct hook *h, const struct hook_traits *traits);
