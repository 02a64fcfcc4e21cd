/*
 * script_box.h - one state of Lua with a script in it.
 *
 *     struct script_box *box = script_box_new();
 *     r = script_box_load(box, &source, &learned, e);     runs the file once, from top to end
 *     r = script_box_fire(box, call, &answer, e);         calls what it registered for the point
 *
 * What the file sets up is read-only afterwards (lua_freeze.h): there may be any number of boxes.
 * One box is for one thread at a time.
 */
#pragma once

#include "hook/hook.h"

struct script_box;

struct script_source {
    const char *name; /* in messages: the path as the configuration has it */
    struct str text;
};

/* What a script says of one point. */
struct script_registration {
    struct subscription on;
    unsigned line;              /* of the call of hooke.on() */
    const struct json *options; /* an object */
};

#define SCRIPT_CALLBACKS_MAX 32

/* In the order of the calls; what was registered before a failure is there too. */
struct script_learned {
    struct arena *arena;
    struct script_registration list[POINT_COUNT];
    size_t count;
    const char *callbacks[SCRIPT_CALLBACKS_MAX]; /* names */
    size_t callback_count;
};

struct script_box *script_box_new(void);
void script_box_free(struct script_box *box);

/* Text only, never bytecode. `deadline_ns` on the monotonic clock; `learned` may be NULL. */
MUST_CHECK int script_box_load(struct script_box *box, const struct script_source *source,
                               uint64_t deadline_ns, struct script_learned *learned, struct err *e);

/*
 * Call what it registered as the callback of that name. `c` is whatever it may use meanwhile; the
 * text is put into its arena. NULL: it said nothing.
 */
MUST_CHECK int script_box_answer(struct script_box *box, const struct hook_call *c,
                                 const struct callback_call *callback, char **text, struct err *e);

/* The answer, in the arena of the call: a JSON object; NULL: none was given. */
MUST_CHECK int script_box_fire(struct script_box *box, const struct hook_call *c,
                               const struct json **answer, struct err *e);
