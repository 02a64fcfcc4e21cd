/*
 * taking.h - clients that hand their work over: hooke-answer, see base/handover.h.
 *
 * Until HANDOVER_TAKEN or _GUARDED is written nothing has happened, and whatever is in the way
 * (another version, a folder that cannot be entered, a configuration that refuses to start, flags)
 * is answered with HANDOVER_REFUSED: the client then does the work itself, as without a daemon. A
 * client that goes away has its hooks ended.
 */
#pragma once

#include "serve/inside.h"

void taking_serve(struct client *c);

/*
 * The texts of a message. Everything borrows `body`, which must end with a NUL. False: it is none.
 */
struct taking {
    const char *version, *cwd;
    const char **argv; /* ended by NULL, as is the next */
    char **vars;
};
struct handover_head;
bool taking_read(struct arena *a, const struct handover_head *head, char *body, struct taking *out);
