/*
 * permission.h - whether a tool call needs somebody's consent, and has it.
 *
 *     permission: { bash: ask, edit: deny, "*": allow }
 *
 * allow (the default) needs none; deny refuses; ask asks the hooks of `permission.ask`, then the
 * person. Where there is nobody to ask the call is refused, unless the tool was allowed beforehand.
 */
#pragma once

#include "agent/session.h"

/* NULL: go on; else why not. `why` is what a hook wants asked, NULL: no hook did. */
const char *permission_refuses(struct agent_session *s, struct arena *a, const struct json *call,
                               const char *why);
