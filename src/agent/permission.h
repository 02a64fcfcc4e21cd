/*
 * permission.h - whether a tool call needs somebody's consent, and has it.
 *
 *     permission: { bash: ask, edit: deny, "*": allow }
 *
 * allow (the default) needs none; deny refuses; ask asks the hooks of `permission.ask`, then the
 * person. Where there is nobody to ask the call is refused, unless the tool was allowed beforehand.
 * What hooks refuse stays refused. Who had the last word is in the receipt: of `permission.ask`
 * where there was a question, of `tool.execute.before` where the configuration left none.
 */
#pragma once

#include "agent/session.h"

/* The last word of the configuration on a call that no hook has decided. */
struct permission_gate {
    const struct agent *agent;
    const char *tool;
};

/* For struct event_settle of `tool.execute.before`: the context is a struct permission_gate. */
void permission_settle(void *context, struct arena *a, struct receipt *r);

/*
 * NULL: go on; else why not. For calls that the gate has let pass. `why` is what a hook wants
 * asked, NULL: no hook did.
 */
const char *permission_refuses(struct agent_session *s, struct arena *a, const struct json *call,
                               const char *why);
