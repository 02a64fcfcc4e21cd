/*
 * agent.h - a coding agent in which every moment of a session is a hook point.
 *
 *     struct agent *ag = agent_new(&(struct agent_options){ .engine = en, .store = store, … });
 *     r = agent_run(ag, &(struct agent_task){ .text = "fix the tests" }, &outcome, e);
 *
 * One agent serves a process: it knows the providers and what is configured. A task is one user
 * message to one session: a new one, or one that is resumed. agent_run() blocks until the session
 * has nothing left to do. Several threads may run tasks of different sessions; subagents are tasks
 * of their own.
 */
#pragma once

#include "agent/provider.h"
#include "agent/tool.h"
#include "base/log.h"
#include "hook/engine.h"

struct agent;

/* Something the person who watches may want to see. Good only during the call. */
enum show_kind {
    SHOW_SESSION,    /* begins: `session`, and `text` is its model */
    SHOW_TEXT,       /* a piece of the model's text */
    SHOW_REASONING,  /* a piece of what it thinks */
    SHOW_TEXT_END,   /* the model's message is complete; `json` is it */
    SHOW_TOOL_BEGIN, /* `tool`, `call_id`; `json` its arguments */
    SHOW_TOOL_END,   /* `tool`, `call_id`, `text` its title, `json` its output, `ok` */
    SHOW_HOOK,       /* `hook` did `tool` (block, change, inject, stop …), `text` says why */
    SHOW_SAY,        /* `hook` says `text` to the person */
    SHOW_RETRY,      /* the request failed, `text` says why and how long it waits */
    SHOW_FALLBACK,   /* from now on `text`, a model, answers */
    SHOW_FOLLOW_UP,  /* `text` is sent as a user message that nobody typed */
    SHOW_NOTE,       /* anything else worth a line */
    SHOW_COMPACTED,  /* `text` says so; `json`: before, after, generation, trigger, ms */
    SHOW_END,        /* `json`: turns, usage, cost, hook time */
};

struct show {
    enum show_kind kind;
    const char *session;
    unsigned depth; /* of subagents; 0: the session itself */
    struct str text;
    const char *tool, *call_id, *hook;
    const struct json *json;
    bool ok;
    bool routine; /* a hook's part in every request: too much for a person to read */
};

struct agent_screen {
    void *context;
    void (*show)(void *context, const struct show *s); /* any thread, one at a time */
    /* Whether the person consents; NULL: there is nobody to ask. */
    bool (*consent)(void *context, const char *tool, const struct json *args, const char *why);
};

struct agent_options {
    struct engine *engine; /* borrowed, as all below */
    struct store *store;
    struct log *log;
    const char *cwd; /* NULL: the process's */
    const struct agent_screen *screen;
    const char *const *allowed; /* tools a person allowed beforehand, ended by NULL; NULL: none */
    int abort_fd;               /* readable or hung up: everything ends now; 0: none */
};

/* What only providers can tell of `agents` and `categories`: what is no model, and variants nobody
 * knows. */
void agents_check(const struct config *config, struct problems *problems);

struct agent *agent_new(const struct agent_options *o);
void agent_free(struct agent *ag);

struct agent_task {
    const char *text;
    const struct json *files;    /* parts of type file, an array; NULL: none */
    const char *resume;          /* conversation to go on with; NULL: a new one */
    const char *agent;           /* NULL: the conversation's, else the configured one */
    const char *model;           /* "provider/model"; NULL: the agent's */
    const char *variant;         /* NULL: the agent's */
    const char *recipe;          /* NULL: none */
    const char *const *tools;    /* the only ones that may be called, ended by NULL; NULL: any */
    const char *const *commands; /* patterns of what `bash` may run (agent/allowed.h); NULL: all */
    unsigned max_turns;          /* 0: `limits.turns` */
    double compact_ratio;        /* 0: as configured */
    bool no_auto_compact;        /* only when somebody asks for it */
    bool no_save;                /* nothing is stored */
    bool goes_on;                /* `resume` is a session of this process: it is not begun again */
};

enum agent_end { AGENT_DONE, AGENT_BLOCKED, AGENT_STOPPED, AGENT_FAILED, AGENT_ABORTED };

struct agent_outcome {
    char session[64], agent[64];
    char model[256];  /* that answered last, as "provider/model" */
    char recipe[256]; /* of the run; "": none */
    enum agent_end end;
    char reason[512]; /* unless it is done */
    struct usage usage;
    double cost;
    unsigned turns;
    uint64_t hook_ns;
    char *text; /* the model's last text; malloc'ed, NULL: none */
};

/*
 * 0: the outcome says how it ended. Negative: it could not begin (no such conversation, agent or
 * model, no key), and `e` says why.
 */
MUST_CHECK int agent_run(struct agent *ag, const struct agent_task *task, struct agent_outcome *out,
                         struct err *e);
void agent_outcome_release(struct agent_outcome *out);

/* What a compaction came to. */
struct agent_compacted {
    char session[64], agent[64];
    int64_t before, after; /* tokens */
    uint32_t generation;
    uint64_t ns;
};

/*
 * Compact the conversation `task->resume` now, by the recipe `task->recipe` (NULL: "compact") with
 * `args`; `task->text` is added to what it says. Only the new generation is stored. Negative:
 * nothing has changed, and `e` says why.
 */
MUST_CHECK int agent_compact(struct agent *ag, const struct agent_task *task,
                             const struct json *args, struct agent_compacted *out, struct err *e);

/* "Compacted conversation ID: 182,311 → 1,204 tokens in 6.2 s" */
char *agent_compacted_text(struct arena *a, const struct agent_compacted *c);

/* {before, after, generation, trigger, ms} */
const struct json *agent_compacted_json(struct arena *a, const struct agent_compacted *c,
                                        const char *trigger);

/* Nobody will say more in this session now; tell the hooks, and why. */
void agent_session_ended(struct agent *ag, const struct agent_outcome *out, const char *reason);
