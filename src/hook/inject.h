/*
 * inject.h - text that hooks want the model to read: how it is described, and how it becomes part
 * of a request without disturbing the provider's prompt cache.
 *
 * Hooks describe (struct injection); they never build message parts by hand. Three classes:
 *   persistent     appended to the message or tool output in hand, and stored with it
 *   deterministic  a tagged synthetic part anchored to a message; its bytes are kept and replayed
 *   volatile       one part at the very end of the request, never stored
 * Apart from the volatile part, what one request sends is a byte prefix of the next one's.
 */
#pragma once

#include "hook/event.h"

enum inject_class {
    INJECT_BY_POINT, /* unsaid: persistent at chat.message and tool.execute.after, else
                        deterministic */
    INJECT_PERSISTENT,
    INJECT_DETERMINISTIC,
    INJECT_VOLATILE,
};

enum inject_place {
    PLACE_BY_POINT, /* unsaid: system at system.transform, output at tool.execute.after, else
                       message */
    PLACE_SYSTEM,
    PLACE_MESSAGE,
    PLACE_OUTPUT,
    PLACE_TAIL,
};

enum inject_priority { PRIORITY_NORMAL, PRIORITY_CRITICAL, PRIORITY_HIGH, PRIORITY_LOW };

struct injection {
    struct injection *next;
    const char *source; /* the hook; the engine fills it in */
    const char *id;     /* unique per source: a later one replaces an earlier one */
    const char *text;
    enum inject_priority priority;
    enum inject_class class;
    enum inject_place place;
    bool once;  /* once per session */
    bool apart; /* deterministic: a part of its own at the message's end, tagged with its source */
    uint64_t stamp; /* the collector's: tells one leaving of an entry from the next */
};

const char *inject_class_name(enum inject_class c);
const char *inject_place_name(enum inject_place p);
const char *inject_priority_name(enum inject_priority p);

/* By name; false when there is no such. */
bool inject_class_of(struct str name, enum inject_class *c);
bool inject_place_of(struct str name, enum inject_place *p);
bool inject_priority_of(struct str name, enum inject_priority *p);

/* critical 0, high 1, normal 2, low 3. */
unsigned inject_rank(enum inject_priority p);

/*
 * Replace what was unsaid by what the point means by it. What is to be persistent where nothing is
 * stored becomes deterministic.
 */
void inject_settle(struct injection *i, enum point point);

/* What a hook may inject at one event, in tokens, unless its `budget` says otherwise. */
#define INJECT_BUDGET_TOKENS 10000u

/* Tokens of a text where no provider has counted: bytes / 4, rounded up. */
size_t inject_tokens(struct str text);

/*
 * `data` of an event with the persistent injections of its verdict in place: appended to the text
 * or parts of `message`, to `output`, or to the list `system`. Others are not the caller's to
 * place.
 */
const struct json *inject_apply(struct arena *a, enum point point, const struct json *data,
                                const struct injection *list);

/* Parts of messages ---------------------------------------------------------------------------- */

/* A synthetic text part carrying `tag`: {"type":"text","text":…,"synthetic":true,"tag":…}. */
const struct json *inject_part(struct arena *a, const char *tag, struct str text);

/* Whether a part was put there by us: synthetic and tagged. Text alone proves nothing. */
bool inject_is_tagged(const struct json *part, const char *tag); /* NULL: any tag */

/* Whether somebody typed the message: it has the user's role and is no tool's result. */
bool inject_is_typed(struct arena *a, const struct json *message);

/* The last text of a message that is not a part of ours; unset: it has none. */
struct str inject_last_text(struct arena *a, const struct json *message);

/* `message` with the part at its end, or before its first text part. A string content becomes
 * parts. */
const struct json *inject_append_part(struct arena *a, const struct json *message,
                                      const struct json *part);
const struct json *inject_before_text(struct arena *a, const struct json *message,
                                      const struct json *part);

/*
 * `messages` without parts carrying `tag` (NULL: any). A message this empties goes; one that was
 * empty before stays; all others keep their bytes.
 */
const struct json *inject_strip(struct arena *a, const struct json *messages, const char *tag);
