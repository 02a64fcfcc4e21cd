/*
 * compaction.h - a history that has grown too long gives way to a summary of itself.
 *
 * A compaction is a callback whose recipe says `apply: replace`; "compact" is the one that comes
 * along. It may be asked for by a person (manual), by a hook (hook), by compact-trigger or because
 * a provider refused a request as too long (auto). Whoever asks:
 *
 *   - what the user has said and nobody has answered yet is not summarised, it stays after the
 *     summary;
 *   - a summary that is empty, failed or not shorter changes nothing, and one that was not shorter
 *     is not tried again until the history has grown;
 *   - there is one try in a turn, but a person may always ask.
 *
 * Afterwards what the session knew of files is forgotten, session.compacted makes the engine forget
 * what it counted and had said once, and open todos the summary does not name are put after it.
 */
#pragma once

#include "agent/callback.h"

#define COMPACTION    "compact"         /* the recipe that compact-trigger and /compact use */
#define COMPACT_RATIO 0.80              /* of the context window, where nobody says otherwise */
#define COMPACT_HOOK  "compact-trigger" /* the built-in that decides */

struct compaction {
    const struct callback *callback;
    const struct json *args;     /* NULL: none */
    const char *trigger;         /* auto, manual, hook */
    const struct receipt *asked; /* as in callback_request */
    const char *more;            /* a person's words, added to what the recipe says; NULL: none */
};

/* What the configuration, the agent's own part of it and the task say. */
void compaction_configure(struct agent_session *s, const struct agent_task *task);

/* {enabled, threshold} for hooks; never enabled inside a callback. */
const struct json *compaction_settings(const struct agent_session *s, struct arena *a);

/* Whether a callback is a compaction. */
bool compaction_is(const struct callback *cb);

/*
 * Negative: nothing has changed. -EALREADY: it is not time for another try, which is worth no word
 * to anybody who has not asked in person.
 */
MUST_CHECK int compaction_run(struct agent_session *s, const struct compaction *q,
                              struct agent_compacted *out, struct err *e);

/* The same for a hook: shown to the person when it is done, and nothing where it is not time. */
MUST_CHECK int compaction_obey(struct agent_session *s, const struct compaction *q, struct err *e);

/*
 * Before a request: a history that no turn.after has seen, or not with so small a model, is shown
 * to compact-trigger alone.
 */
void compaction_look(struct agent_session *s);

/* The provider refused the request as too long. True: the history is shorter now, ask again. */
bool compaction_rescue(struct agent_session *s);

/* The todos of a history that were not written down otherwise; NULL: none. */
const struct json *compaction_todos(struct arena *a, const struct agent_session *s);
