/*
 * status.h - the sessions that run in this process: what each is doing, and what hooks ask of it.
 *
 * A session belongs to one thread, but what hooks ask comes from others, even after their event is
 * over. What those may look at or leave behind is here, under one lock: the history, the model,
 * what was charged, a wish to end, prompts to be sent.
 *
 *     status_join(s);                        a session is open
 *     status_at(s, POINT_CHAT_MESSAGE);      it is about to emit
 *     status_collect(s);                     it has emitted: take in what hooks left
 *     status_leave(s);                       before it is closed
 *
 * The run that is just stopping is idle, unless something of it still runs: a subagent, a task in
 * the background, a retry, a question to a person.
 */
#pragma once

#include "agent/session.h"

#define STATUS_PROMPTS_MAX 8

struct status_table;

struct status_table *status_table_new(void);
void status_table_free(struct status_table *t);

/* By the session's own thread --------------------------------------------------------------------
 */

void status_join(struct agent_session *s);
void status_leave(struct agent_session *s);

/* Around a change of its history. */
void status_lock(struct agent_session *s);
void status_unlock(struct agent_session *s);

void status_at(struct agent_session *s, enum point point);
void status_set(struct agent_session *s, const char *type, unsigned attempt, const char *message);
void status_question(struct agent_session *s, bool open);
void status_collect(struct agent_session *s);

/* It stops; what `agent.stop` says of that. */
const struct json *status_stopping(struct agent_session *s, struct arena *a);

/*
 * What is to be sent now that it stops, behind `list` (NULL: nothing yet). When there is nothing at
 * all, nothing is accepted any more.
 */
const struct json *status_take_prompts(struct agent_session *s, struct arena *a,
                                       const struct json *list);

/* The same of what nothing comes of any more: how many there were. */
size_t status_drop_prompts(struct agent_session *s);

/* A task in the background begins (1) or is over (-1). Any thread, while the session is open. */
void status_task(struct agent_session *s, int by);

/* By any thread, about a session by its id -------------------------------------------------------
 */

/* Whether `id` is the session itself, its parent or a child of it. */
bool status_is_kin(struct status_table *t, const struct session *s, const char *id);

/* {type, attempt, message, waiting_on}; one that does not run here is idle. */
const struct json *status_json(struct status_table *t, struct arena *a, const char *id);

/* -ESRCH: it does not run here. */
MUST_CHECK int status_messages(struct status_table *t, struct arena *a, const char *id,
                               size_t limit, const struct json **messages, struct err *e);

/* `*first`: it was not told to end before. */
MUST_CHECK int status_abort(struct status_table *t, const char *id, const char *reason, bool *first,
                            struct err *e);
MUST_CHECK int status_prompt(struct status_table *t, const char *id, const char *text,
                             struct err *e);

/* "provider/model"; NULL: it does not run here. */
char *status_model(struct status_table *t, struct arena *a, const char *id);

/* Add to its totals; one that does not run here has none. */
void status_charge(struct status_table *t, const char *id, const struct usage *usage, double cost);
