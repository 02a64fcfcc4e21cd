/*
 * config.h - the configuration in force: sources found, read, merged, checked.
 *
 *     CLEANUP(config) struct config *c = config_load(&where);
 *     for (struct problem *p = c->problems.first; p; p = p->next) …
 *
 * Loading never fails: a bad entry is a problem and is skipped, and when a file cannot be read at
 * all the last good compiled configuration is used, or the defaults (`fallen_back` says so). The
 * result is immutable and owns everything it points to.
 */
#pragma once

#include "hook/cadence.h"
#include "hook/inject.h"
#include "hook/match.h"
#include "hook/point.h"

enum layer {
    LAYER_GUARD,
    LAYER_PRODUCE,
    LAYER_TRANSFORM,
    LAYER_CONSUME,
    LAYER_VALIDATE,
    LAYER_OBSERVE,
};

enum failure { FAILURE_ALLOW, FAILURE_ASK, FAILURE_BLOCK };

/* Which of the keys of a hook entry were said. */
enum hook_key {
    KEY_ON = 1 << 0,
    KEY_TOOL = 1 << 1,
    KEY_AGENT = 1 << 2,
    KEY_SESSION = 1 << 3,
    KEY_LAYER = 1 << 4,
    KEY_PRIORITY = 1 << 5,
    KEY_TIMEOUT = 1 << 6,
    KEY_ON_FAILURE = 1 << 7,
    KEY_SAFETY_CRITICAL = 1 << 8,
    KEY_CADENCE = 1 << 9,
    KEY_PLACE = 1 << 10,
    KEY_ONCE = 1 << 11,
    KEY_BUDGET = 1 << 12,
    KEY_MODE = 1 << 13,
    KEY_ENABLED = 1 << 14,
};

/* What an entry may say of any hook, whatever runs it. */
struct hook_traits {
    unsigned said; /* of enum hook_key */
    const struct subscription *on;
    size_t on_count;
    struct match *tool, *agent;
    enum session_match session;
    enum layer layer;
    int priority;
    uint32_t timeout_ms;
    enum failure on_failure;
    bool safety_critical;
    struct cadence cadence; /* the entry's own `cadence` key */
    enum inject_place place;
    bool once;
    bool observe; /* mode: observe */
    bool enabled;
    uint32_t budget_tokens;         /* injected by one event; 0: the default */
    uint32_t budget_session_tokens; /* injected in one session; 0: no limit */
    uint32_t budget_llm_tokens;     /* that models take for it in one session; 0: the default */
    double budget_llm_cost;         /* the same in dollars */
};

/* Whether a cadence can hold back a hook of these traits. */
enum gating {
    GATING_APPLIES,
    GATING_NEVER,  /* safety-critical, or only at points that are ungated */
    GATING_NOTICE, /* only at notices */
};
enum gating config_gating(const struct hook_traits *t);

enum runner_kind { RUNNER_BUILTIN, RUNNER_RULE, RUNNER_SCRIPT, RUNNER_COMMAND, RUNNER_RESIDENT };

/* One program of a command: all there is of an entry with `exec`, or a member of its `group`. */
struct hook_handler {
    struct origin origin;
    const struct setting *exec;
    const struct setting *env;               /* of its own; NULL: none */
    const struct setting *match, *condition; /* `match` and `if`; NULL: every event */
    uint32_t timeout_ms;                     /* 0: as the hook */
    enum failure on_failure;                 /* the stricter of this and the hook's counts */
    bool async;                              /* the event does not wait for it */
    bool changed;       /* so has its file since it was trusted; `broken` says so */
    const char *broken; /* what is wrong with it: every run of it fails; NULL: nothing */
};

/* One entry of `hooks`. */
struct hook_entry {
    const char *name;
    const struct config *config; /* it is part of */
    struct origin origin;
    enum runner_kind runner; /* RUNNER_BUILTIN: it sets options of the built-in of that name */
    struct hook_traits traits;
    const struct setting *spec;    /* the whole entry, for the runner and for options */
    struct hook_handler *handlers; /* of a command, in configured order */
    size_t handler_count;
    const char *broken;    /* it must not be missing, but has this problem; NULL: none */
    bool duplicate;        /* an earlier entry has the name; this one is not used */
    bool found;            /* made of a file that was found, see struct config_finding */
    const char *untrusted; /* why it would not run now; every run looks again; NULL: it would */
};

struct cadence_entry {
    const char *name; /* a point (its own name) or a hook */
    bool is_point;
    enum point point;
    struct cadence cadence;
};

struct disabled_hook {
    const char *name;
    struct origin origin;
};

/* A file that was looked for: configuration, or what an entry of the workspace runs. */
struct config_file {
    const char *path;
    enum source source;
    bool exists, trusted;
    bool found;       /* a hook's own file, or another system's configuration */
    const char *hook; /* the first that runs it; NULL: it configures */
};

struct config {
    struct arena arena;
    const char *workspace;
    const char *answering;     /* the agent that hooks are run for, such as "codex"; NULL: hooke */
    const char *trust;         /* the file with the pins, hook/trust.h */
    bool trust_named;          /* by HOOKE_TRUST or a flag: then it must be there */
    const char *trust_bad;     /* why it is not used; NULL: it is */
    struct config_file *files; /* weakest first, then those that hooks run */
    size_t file_count, file_room;
    const char **watched; /* files and folders: while none of them changes, neither does this */
    size_t watched_count, watched_room;
    const char **unpinned; /* what hooks of the workspace run that no pin covers, a line each */
    size_t unpinned_count, unpinned_room;
    const struct setting *root; /* everything merged */
    struct hook_entry *hooks;
    size_t hook_count;
    struct cadence_entry *cadences;
    size_t cadence_count;
    struct disabled_hook *disabled;
    size_t disabled_count;
    bool strict;
    uint32_t max_hooks;
    uint32_t max_continuations;
    uint32_t max_processes;    /* of hooks, live at once in one session */
    uint32_t event_timeout_ms; /* of a whole chain; 0: the default */
    bool fetch_private;        /* web_fetch may reach this machine and private networks */
    struct problems problems;
    bool broken;      /* a file could not be read: see problems */
    bool fallen_back; /* the last good configuration is in force instead */
};

/*
 * For what finds hooks that are not written in the configuration: what it may look at, and where
 * its finds go. An entry is a map in the shape of an item of `hooks`, in the order it is to run,
 * and has the file it was found in as its origin. It then is a hook like any other; what the
 * configuration says under its name is laid over it.
 */
struct config_finding {
    struct arena *arena; /* of the configuration */
    struct problems *problems;
    const char *workspace, *home, *user_dir, *state_dir;
    const char *trust;               /* the file of pins */
    const struct trust_pinned *pins; /* what it says, once somebody has asked; NULL: nobody has */
    const char *answering;           /* the agent that runs its own hooks itself; NULL: none */
    uint32_t max_hooks;
    bool afresh;                /* ask again what failed before */
    const struct setting *root; /* what is configured */
    struct setting *first_entry;
    struct config_file *files; /* hook files that were looked at */
    size_t file_count, file_room;
    const char **watched; /* as in struct config */
    size_t watched_count, watched_room;
};

typedef void config_find_fn(struct config_finding *f);

/*
 * For a config_find_fn: keep the file, name one or a folder on which the finds depend, whether it
 * is there or not, or add a hook after those found before.
 */
void config_found_file(struct config_finding *f, const struct config_file *file);
void config_found_watch(struct config_finding *f, const char *path);
void config_found_entry(struct config_finding *f, struct setting *entry);

/* Where to look. NULL members take what the environment says. */
struct config_where {
    const char *cwd;
    const char *managed;         /* /etc/hooke/config.yaml */
    const char *user_dir;        /* ~/.config/hooke; also keeps the trust file */
    const char *user_file;       /* stands for the file in `user_dir` */
    const char *hive;            /* ~/.config/opencode/agent_hive.json */
    const char *state_dir;       /* keeps the compiled configuration */
    const char *home;            /* where other systems keep their hooks */
    const char *answering;       /* see struct config_finding */
    config_find_fn *find;        /* NULL: only what is configured */
    const char *trust;           /* the trust file; else HOOKE_TRUST, else in `user_dir` */
    const char *const *builtins; /* names of the built-ins, ended by NULL */
    const struct config_flag {
        const char *key, *value; /* "compact.ratio", "0.7" */
    } * flags;                   /* ended by a NULL key */
    bool recompile;              /* read the files even when the compiled configuration is fresh */
};

struct config *config_load(const struct config_where *where);
void config_free(struct config *c);

/*
 * A value by its path of keys, or NULL when it is unset: config_get(c, "compact", "ratio", NULL).
 */
const struct setting *config_get_path(const struct config *c, const char *const *keys);
#define config_get(c, ...) config_get_path((c), (const char *const[]){ __VA_ARGS__ })

/* Everything that is in force: what was said, and the defaults for what was not. In the arena. */
const struct setting *config_effective(struct arena *a, const struct config *c);

/* Fails when the trust file was named and is of no use: who names one must not run without it. */
MUST_CHECK int config_trust_ready(const struct config *c, struct err *e);

/* While loading: one more file, unless its path is there. Those of the workspace need trust. */
void config_add_file(struct config *c, const struct config_file *file);

/* Whether a key of an entry belongs to every hook (`name`, `on`, …) rather than to a built-in. */
bool config_is_hook_key(struct str key);

/* Whether a key of an entry says what runs: `exec`, `block`, … */
bool config_is_runner_key(struct str key);

/*
 * For hooks that say themselves what they are: the keys of every hook in the map `entry->spec`,
 * read into `entry->traits`, whose points are set already. What is no such key is refused. NULL:
 * all is well; else the first problem, with its place. Matchers are the caller's to release in any
 * case.
 */
const char *config_read_traits(struct arena *a, struct hook_entry *entry,
                               struct problems *problems);

/*
 * For a hook that says itself what it is for, but cannot be asked: where things can be refused it
 * must not be missing, if its failure matters.
 */
void config_stand_at_gates(struct arena *a, struct hook_traits *t);

const char *source_name(enum source s);
const char *layer_name(enum layer l);
const char *failure_name(enum failure f);
const char *runner_kind_name(enum runner_kind k);

static inline void config_cleanup(struct config **c)
{
    config_free(*c);
}
