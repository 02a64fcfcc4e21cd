/*
 * agent.h - answering an agent that runs hooke as its command hook: what it writes becomes an event
 * of ours, and what a chain has decided becomes what it reads.
 *
 *     const struct agent_event *kind = agent_event_find(ag, STR("PreToolUse"));
 *     r = agent_read(a, ag, kind, document, &ev, e);
 *     … emit it …
 *     struct agent_saying s = { .agent = ag, .event = kind, .in = document, .verdict = &v };
 *     json_write(&out, agent_write(a, &s), JSON_COMPACT);
 *
 * All that differs between agents is data: a row per event says which point it is, and for each
 * part of a verdict which members of the answer say it. A part without means is lost: `ask` then is
 * a block, so is a change by a safety-critical hook, all else is left out. What a block can't keep
 * from the model is a stop when a safety-critical hook refused it. docs/agents/ has these
 * tables for people, and a test compares them. Everything is in the arena or borrowed.
 */
#pragma once

#include "hook/tools.h"
#include "hook/verdict.h"

/* What a verdict may say, as far as an agent might take it. */
enum agent_part {
    PART_BLOCK,
    PART_ASK,
    PART_ALLOW,
    PART_STOP,
    PART_CHANGE, /* of the row's `field` */
    PART_INJECT,
    PART_CONTINUE, /* follow-ups */
    PART_SAY,
    AGENT_PARTS,
};

enum agent_value {
    VALUE_WORD,    /* the member's own word */
    VALUE_FALSE,   /* false */
    VALUE_TEXT,    /* the reason, the context, the line */
    VALUE_CHANGED, /* the changed field, in the agent's shape */
    VALUE_MCP,     /* the same, of tools of an MCP server only */
    VALUE_SHAPED,  /* the text in the shape of the field; nothing where it has none */
};

struct agent_member {
    const char *path; /* names with '.' between them */
    enum agent_value value;
    const char *word;
};

#define AGENT_MEMBERS 4

/* How a part is said; all-zero members are passed over. */
struct agent_means {
    const char *words; /* for docs/agents */
    struct agent_member members[AGENT_MEMBERS];
    bool as_block; /* it is said as a block */
    bool later;    /* it waits: an injection for the next request of the session, a stop for the
                      `brake` or the next message */
    bool alone;    /* no context is taken beside it: that goes into its text */
    bool waits;    /* the agent waits for a person for ever, also where there is none */
    bool beside;   /* a block: what it refuses stays, unless it is replaced by its shaped value */
};

struct dialect_agent;

/* Data of our event from what the agent wrote. */
typedef const struct json *agent_data_fn(struct arena *a, const struct dialect_agent *ag,
                                         const struct json *in);

/* A changed field in the agent's shape; NULL: it has none. */
typedef const struct json *agent_shape_fn(struct arena *a, const struct dialect_agent *ag,
                                          const struct json *in, const struct json *value);

struct agent_event {
    const char *name;
    enum point point;
    bool sub; /* of a subagent, always */
    agent_data_fn *data;
    const char *field;      /* of data, which a change can reach; NULL: none */
    agent_shape_fn *shape;  /* NULL: as it is */
    enum agent_part refuge; /* of a safety-critical change that can't be said: block or stop */
    const struct agent_means *says[AGENT_PARTS];

    /* The agent takes what is printed for a text, unless it refuses: the member of the answer that
     * is printed without any JSON around it, or nothing; NULL: it takes JSON. */
    const char *bare;
};

struct dialect_agent {
    const char *title; /* "Claude Code" */
    enum tools_system system;
    const struct agent_event *events; /* that have a point */
    size_t event_count;
    const char *const *others;       /* events without one, ended by NULL */
    const struct agent_means *alarm; /* a block where nobody knows which event it is */
    bool tells_turns;                /* it tells of every request to the model */
    const char *mute;  /* one of `others` whose answer is no JSON: it gets none; NULL: none */
    const char *brake; /* one of `others` that is asked only whether to stop; NULL: none */
};

extern const struct dialect_agent claude_agent, codex_agent, gemini_agent;

/* The row of an event; NULL: the agent has none of that name, or no point stands for it. */
const struct agent_event *agent_event_find(const struct dialect_agent *ag, struct str name);

/* Whether the agent has an event of that name for which there is no point. */
bool agent_event_is_other(const struct dialect_agent *ag, struct str name);

/* The session that a document belongs to, a subagent's behind its parent's; NULL: it names none. */
const char *agent_session(struct arena *a, const struct json *in);

/* Read what the agent wrote. Fails when it is no event: no object, no session, an odd tool. */
MUST_CHECK int agent_read(struct arena *a, const struct dialect_agent *ag,
                          const struct agent_event *kind, const struct json *in, struct event *ev,
                          struct err *e);

/* One answer. */
struct agent_saying {
    const struct dialect_agent *agent;
    const struct agent_event *event; /* NULL: not known; then only `alarm` can be said */
    const struct json *in;           /* as read; may be NULL */
    const struct verdict *verdict;   /* merged */
    bool critical;   /* a safety-critical hook changed something, refused it, or could not look */
    bool unattended; /* the agent has no terminal: nobody can be asked */
    struct strbuf *lost;  /* what can't be said and what became of it, a line each */
    const char **refused; /* set to why, where the answer blocks or stops; may be NULL */
    const char **held;    /* set to a stop that has to wait; NULL: nobody remembers it */
};

/* In the agent's own JSON; never NULL. */
const struct json *agent_write(struct arena *a, const struct agent_saying *s);

/* Whether an injection of this event is said by its answer, rather than lost or later. */
bool agent_says(const struct agent_event *kind, const struct verdict *v, const struct injection *i);

/* The answer that stops an agent at its `brake`. */
const struct json *agent_brake(struct arena *a, const struct dialect_agent *ag, const char *reason);

/* Follow-ups as the one text that an agent takes; NULL: there are none. */
const char *agent_follow_up(struct arena *a, const struct verdict *v);

/* The table of docs/agents: a row per event. */
void agent_table(struct strbuf *out, const struct dialect_agent *ag);
