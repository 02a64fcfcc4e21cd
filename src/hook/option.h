/*
 * option.h - one table per built-in hook that parses, defaults, validates and documents its
 * options.
 *
 *     struct options { int64_t limit; const char *mode; bool loud; };
 *
 *     static const struct option options[] = {
 *         OPTION_INT("limit", struct options, limit, "3", 1, 1000, "calls allowed in a row"),
 *         OPTION_CHOICE("mode", struct options, mode, "warn", "warn block", "what to do then"),
 *         OPTION_BOOL("loud", struct options, loud, "false", "also tell the person"),
 *         OPTION_END,
 *     };
 *
 * Defaults are written as a user would write them and go through the same parser.
 */
#pragma once

#include "hook/setting.h"

enum option_type {
    OPTION_TYPE_BOOL,   /* bool */
    OPTION_TYPE_INT,    /* int64_t, min..max */
    OPTION_TYPE_SIZE,   /* int64_t; 64k, 10M */
    OPTION_TYPE_NUMBER, /* double, min..max */
    OPTION_TYPE_TIME,   /* int64_t of milliseconds; 500ms, 5s, 2m */
    OPTION_TYPE_TEXT,   /* const char * */
    OPTION_TYPE_CHOICE, /* const char *, one of the words of `choices` */
    OPTION_TYPE_LIST,   /* const char *const *, ended by NULL; a single text is a list of one;
                           any texts, or words of `choices` where there are some */
};

struct option {
    const char *name; /* NULL ends the table */
    enum option_type type;
    size_t offset;        /* into the hook's options struct */
    const char *fallback; /* as a user would write it; NULL: zero / NULL / empty list */
    int64_t min, max;
    const char *choices;
    const char *help; /* lower case, no full stop */
};

#define OPTION_BOOL(name, type, member, fallback, help)                            \
    {                                                                              \
        name, OPTION_TYPE_BOOL, offsetof(type, member), fallback, 0, 0, NULL, help \
    }
#define OPTION_INT(name, type, member, fallback, min, max, help)                      \
    {                                                                                 \
        name, OPTION_TYPE_INT, offsetof(type, member), fallback, min, max, NULL, help \
    }
#define OPTION_SIZE(name, type, member, fallback, min, max, help)                      \
    {                                                                                  \
        name, OPTION_TYPE_SIZE, offsetof(type, member), fallback, min, max, NULL, help \
    }
#define OPTION_NUMBER(name, type, member, fallback, min, max, help)                      \
    {                                                                                    \
        name, OPTION_TYPE_NUMBER, offsetof(type, member), fallback, min, max, NULL, help \
    }
#define OPTION_TIME(name, type, member, fallback, help)                                    \
    {                                                                                      \
        name, OPTION_TYPE_TIME, offsetof(type, member), fallback, 0, INT64_MAX, NULL, help \
    }
#define OPTION_TEXT(name, type, member, fallback, help)                            \
    {                                                                              \
        name, OPTION_TYPE_TEXT, offsetof(type, member), fallback, 0, 0, NULL, help \
    }
#define OPTION_CHOICE(name, type, member, fallback, choices, help)                      \
    {                                                                                   \
        name, OPTION_TYPE_CHOICE, offsetof(type, member), fallback, 0, 0, choices, help \
    }
#define OPTION_LIST(name, type, member, fallback, help)                            \
    {                                                                              \
        name, OPTION_TYPE_LIST, offsetof(type, member), fallback, 0, 0, NULL, help \
    }
#define OPTION_WORDS(name, type, member, fallback, choices, help)                     \
    {                                                                                 \
        name, OPTION_TYPE_LIST, offsetof(type, member), fallback, 0, 0, choices, help \
    }
#define OPTION_END \
    {              \
        0          \
    }

/* Fill `out` (the options struct, zeroed) with the defaults. */
void option_defaults(struct arena *a, const struct option *table, void *out);

/*
 * Set one option from a setting. Returns false, with a problem that names the place and what is
 * allowed, when the value does not fit; `out` then keeps what it had.
 */
bool option_set(struct arena *a, const struct option *o, const struct setting *value, void *out,
                struct problems *problems);

const struct option *option_find(const struct option *table, struct str name);

/* The value in `out` as a user would write it, in the arena. */
char *option_text(struct arena *a, const struct option *o, const void *out);

const char *option_type_name(enum option_type type);

/* Scalars as users write them; also for the engine's own keys. False: not one. */
bool option_parse_time(struct str text, int64_t *ms);   /* 500ms 5s 2m 1h; a bare number: seconds */
bool option_parse_size(struct str text, int64_t *size); /* 64k 10M 1G */
