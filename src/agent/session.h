/*
 * session.h - one session at work. Private to src/agent: what loop.c, turn.c, call.c and their
 * neighbours share.
 *
 * A session belongs to one thread. Its history is a list of messages in its own arena; what a
 * single request or call needs is in an arena of that request or call.
 */
#pragma once

#include "agent/agent.h"
#include "agent/message.h"
#include "agent/prefix.h"
#include "agent/seen.h"
#include "hook/loop.h"
#include "store/conversation.h"

/* A kind of agent: what it is told, which model answers, what it may use. */
struct agent_def {
    const char *name;
    const char *prompt;             /* NULL: only what every agent is told */
    const char *model;              /* "provider/model"; NULL: the configured one */
    const char *variant;            /* NULL: none */
    const char *const *tools;       /* names, ended by NULL; NULL: all */
    const char *const *skills;      /* names, ended by NULL; NULL: none */
    const char *const *subagents;   /* which it may start; NULL: all */
    const struct setting *settings; /* `agents.NAME`; NULL: none */
};

struct background_task;
struct status;
struct status_table;

struct history {
    const struct json **items;
    size_t count, room;
};

/* Whether and when a session is compacted; agent/compaction.h. */
struct compact_state {
    bool on;
    double ratio;   /* of the context window, above 0 and up to 1 */
    unsigned turn;  /* of `turns`, when it was last tried; 0: never */
    int64_t past;   /* tokens the history must pass before it is worth another try; 0: any */
    bool seen;      /* a turn.after has seen this history */
    int64_t window; /* of the model, when it did */
};

/* What one or more answers of a model took. */
struct answer_cost {
    struct usage usage;
    double cost;
};

struct agent_session {
    struct agent *agent;
    struct session about; /* what every event says of it */
    struct arena arena;
    const struct agent_def *def;
    struct provider *provider;
    struct model_name model;
    const char *variant;
    struct history history; /* the newest generation */
    size_t stored;          /* messages of it that are in the store */
    struct loop loop;
    struct usage usage; /* totals, and the context of the last request */
    struct usage begun; /* totals when this run began */
    double cost;
    struct answer_cost above;  /* what the sessions above it had taken when it began */
    struct answer_cost newest; /* of the newest answer, until it is stored */
    size_t newest_at;          /* where in the history that is */
    uint64_t hook_ns;
    const struct json *todos;                             /* NULL: none */
    const char *const *only_tools, *const *only_commands; /* as in agent_task */
    const char *said;                                     /* the model's last text; NULL: none */
    struct compact_state compact;
    const char *purpose;    /* of its requests; NULL: main */
    const char *changed_by; /* the hook that has changed the history since the last request */
    struct seen_files *seen;
    const struct json *system, *tools;  /* as told to the model; NULL: not put together yet */
    struct prefix prefix;               /* what the last request began with */
    struct background_task *background; /* tasks that run; agent/subagent.h */
    struct status *status;              /* what other threads may know of it: agent/status.h */
    const char *reason;                 /* why it ended; in the arena */
    int claim;                          /* descriptor of conversation_claim(); -1: none */
    unsigned turn, turns, max_turns;
    unsigned background_count;
    enum agent_end end;
    enum failure_class failure; /* of the request that ended it */
    bool save;
    bool told_unpriced; /* that its model has no price */
    bool over;
};

/* agent.c: what the process shares. */
const struct agent_options *agent_options(const struct agent *ag);
const struct config *agent_config(const struct agent *ag);
const char *agent_workspace(const struct agent *ag);
const char *agent_cwd(const struct agent *ag);
struct http_client *agent_http(const struct agent *ag);
struct status_table *agent_statuses(const struct agent *ag);
MUST_CHECK int agent_provider(struct agent *ag, const char *name, struct provider **out,
                              struct err *e);
void agent_show(struct agent *ag, const struct show *s);
bool agent_is_aborted(const struct agent *ag);

/* agents.c */
MUST_CHECK int agent_def_find(struct agent *ag, struct arena *a, const char *name,
                              struct agent_def *out, struct err *e);

/* session.c */
MUST_CHECK int session_open(struct agent_session *s, struct agent *ag,
                            const struct agent_task *task, struct err *e);
void session_close(struct agent_session *s);
const char *session_configured_model(const struct agent *ag); /* NULL: none is */
MUST_CHECK int session_use_model(struct agent_session *s, const char *model, struct err *e);

/* Keep a message; it is stored with the next session_save(). */
void session_add(struct agent_session *s, const struct json *message);
MUST_CHECK int session_save(struct agent_session *s, struct err *e);

/* Replace the history by a new generation, in one commit; messages without an id get one. */
MUST_CHECK int session_replace(struct agent_session *s, const struct json *messages,
                               const char *trigger, uint32_t *generation, struct err *e);
const struct json *session_messages(struct arena *a, const struct agent_session *s);

/* What the history takes of the context, from `first` on. */
int64_t session_tokens(const struct agent_session *s, size_t first);

/*
 * What the history takes as far as a provider has counted it, and what has come since; where none
 * has, what it is held to be.
 */
int64_t session_context(const struct agent_session *s);

/* End the run, once: the first reason counts. */
void session_end(struct agent_session *s, enum agent_end end, const char *reason);

/* events.c: one event, shown to the person as far as it did something. Release the receipt. */
void session_emit(struct agent_session *s, enum point point, const struct json *data,
                  struct arena *a, struct receipt *r);

/* The same with more to say of the event than its data; session and turn are filled in. */
void session_emit_event(struct agent_session *s, const struct event *about, struct arena *a,
                        struct receipt *r);

/* A line for the person who watches. */
void session_note(struct agent_session *s, const char *text);

/* A notice; the model a hook wants to go on with, or NULL. */
const char *session_notice(struct agent_session *s, enum point point, const struct json *data,
                           struct arena *a);
const char *session_status(struct agent_session *s, const char *type, unsigned attempt,
                           const struct json *error, struct arena *a);

/* turn.c: one request to the model. False: the run is over. */
bool session_ask(struct agent_session *s, struct arena *a, struct model_reply *reply);

/* call.c: the calls of a reply, their results added to the history. */
void session_call_tools(struct agent_session *s, struct arena *a, const struct json *message);

/* result.c: do to the history what hooks want, or say why not. `follows`: a request does. */
void session_obey(struct agent_session *s, const struct receipt *r, bool follows);

/* What a hook wanted and did not get: told to the person and recorded after the event's receipt. */
void session_refuse(struct agent_session *s, const struct receipt *r, const char *hook,
                    const char *why);

/* loop.c: requests and their tools, until none is called. */
void session_talk(struct agent_session *s);

/* What turn.after is told of the conversation, but for the turn itself. */
const struct json *session_state(struct agent_session *s, struct arena *a);

/* One user message, to the end. */
void session_begin(struct agent_session *s, const char *source);
void session_run(struct agent_session *s, const struct agent_task *task);
void session_outcome(const struct agent_session *s, struct agent_outcome *out);

/* prompt.c: what every request begins with. */
const struct json *session_system(struct agent_session *s, struct arena *a);
const struct json *session_tools(struct agent_session *s);

/* Whether what it was asked to do allows the tool; what was told to the model may be more. */
bool session_may_call(const struct agent_session *s, const char *tool);

/*
 * Whether it allows no tool at all: then the model is told of tools only for the sake of its
 * history, and the provider is asked to let it call none.
 */
bool session_may_call_none(const struct agent_session *s);
