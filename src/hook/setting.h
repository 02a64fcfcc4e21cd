/*
 * setting.h - configuration as a tree of settings that know the file and place they came from.
 *
 * YAML and JSON files, environment variables and flags all become this one tree; merging keeps the
 * origin of every leaf, so that any message and `hooke config show --origin` can name it.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "json/json.h"

/* Where configuration comes from, weakest first. */
enum source {
    SOURCE_BUILTIN,
    SOURCE_MANAGED,   /* /etc/hooke/config.yaml */
    SOURCE_HIVE,      /* ~/.config/opencode/agent_hive.json, only its hook_cadence */
    SOURCE_USER,      /* ~/.config/hooke/config.yaml */
    SOURCE_WORKSPACE, /* .hooke/config.yaml, .hooke/config.local.yaml */
    SOURCE_ENVIRONMENT,
    SOURCE_FLAG,
};

struct origin {
    enum source source;
    const char *file;      /* or the variable's or flag's name */
    unsigned line, column; /* 0: has no lines */
};

enum setting_kind {
    SETTING_NULL,
    SETTING_BOOL,
    SETTING_NUMBER,
    SETTING_STRING,
    SETTING_LIST,
    SETTING_MAP,
};

struct setting {
    enum setting_kind kind;
    struct str text; /* of a scalar, terminated: "true", "1e3", the string itself */
    struct str key;  /* when it is a member of a map, terminated */
    struct origin origin;
    unsigned key_line, key_column; /* of the key; 0: has none */
    bool found;                    /* an entry of `hooks` that no configuration has written */
    struct setting *first, *next;
};

const struct setting *setting_get(const struct setting *map, const char *key);
size_t setting_count(const struct setting *s);         /* of its items or members; 0 for NULL */
bool setting_is_true(const struct setting *s);         /* false for NULL */
const char *setting_kind_name(enum setting_kind kind); /* "a list", … */

/* A member that is a text and not empty; NULL: there is none. */
const char *setting_word(const struct setting *map, const char *key);

/* As JSON; numbers and texts keep their bytes. */
const struct json *setting_to_json(struct arena *a, const struct setting *s);

/* A value that was said in code: all of it has the same origin. */
struct setting *setting_from_json(struct arena *a, const struct origin *origin,
                                  const struct json *j);

/* Where its key stands, for problems of the key rather than the value. */
struct origin setting_key_origin(const struct setting *s);

/* A number that is whole and fits, however it is written: 3, 3.0, 0x10. */
bool setting_to_int64(const struct setting *s, int64_t *out);
bool setting_to_double(const struct setting *s, double *out);

/* As the user wrote it: a text without quotes, a list or map as compact JSON. */
const char *setting_text(struct arena *a, const struct setting *s);

/* "file:line:column", or "HOOKE_STRICT", in the arena. */
char *origin_text(struct arena *a, const struct origin *o);

/* The bytes of a file as settings. `file` ends in .json: strict JSON, else YAML. */
MUST_CHECK int setting_parse(struct arena *a, const struct origin *file, struct str text,
                             struct setting **out, struct origin *bad, struct err *e);

/* Problems ------------------------------------------------------------------------------------- */

/* Built in an arena as they are found; all-zero but for `arena` is none. */
struct problem {
    struct problem *next;
    struct origin origin;
    const char *message;
    bool warning; /* the value is used all the same */
};

struct problems {
    struct arena *arena;
    bool known; /* of a configuration that was checked before: what costs time need not be again */
    struct problem *first, **end;
    size_t count;
};

void problem_add(struct problems *p, const struct origin *where, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void problem_warn(struct problems *p, const struct origin *where, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
