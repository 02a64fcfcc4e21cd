/*
 * point.h - the named moments of an agent's life, from points.def.
 *
 *     const struct point_info *p = point_info(POINT_TOOL_EXECUTE_BEFORE);
 *     if (p->powers & POWER_BLOCK) …
 *
 * A foreign event name works wherever a point is named: it stands for a point and a match, so
 * resolving a name gives a subscription.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum point {
#define POINT(symbol, name, kind, powers, flags, summary) POINT_##symbol,
#include "hook/points.def"
    POINT_COUNT,
};

enum point_kind {
    POINT_NOTICE,    /* tells; nothing waits for an answer but what its powers say */
    POINT_GATE,      /* something happens only if no hook blocks it */
    POINT_TRANSFORM, /* hooks change what is passed on */
    POINT_DECISION,  /* hooks decide how the session goes on */
};

enum power {
    POWER_BLOCK = 1 << 0,
    POWER_ASK = 1 << 1,
    POWER_ALLOW = 1 << 2,
    POWER_STOP = 1 << 3,
    POWER_CHANGE = 1 << 4,
    POWER_INJECT = 1 << 5,
    POWER_CONTINUE = 1 << 6,
    POWER_MUTATE = 1 << 7,
    POWER_CALLBACK = 1 << 8,
    POWER_FALLBACK = 1 << 9,
};

struct point_field {
    const char *name, *summary;
    enum point point;
    bool changes; /* a hook with the power `change` may replace it */
};

struct point_info {
    const char *name;
    enum point_kind kind;
    unsigned powers;
    bool ungated; /* no cadence here, ever */
    const char *summary;
};

/* What a subscription matches besides its point. */
enum session_match { SESSION_ANY, SESSION_MAIN, SESSION_SUB };
enum result_match { RESULT_ANY, RESULT_SUCCESS, RESULT_FAILURE };

struct subscription {
    enum point point;
    enum session_match session;
    enum result_match result; /* of the tool, at tool.execute.after */
    const char *as;           /* the foreign name that was used; NULL: the point's own */
};

struct point_alias {
    const char *name;
    const char *systems; /* "claude codex" */
    struct subscription on;
};

const struct point_info *point_info(enum point point);

/* The members of its data, `*count` of them; the one called `name`, or NULL. */
const struct point_field *point_fields(enum point point, size_t *count);
const struct point_field *point_field(enum point point, struct str name);

const char *point_kind_name(enum point_kind kind);
const char *power_name(enum power power); /* NULL for a bit that is no power */

/* All foreign names; `*count` of them. */
const struct point_alias *point_aliases(size_t *count);

/* A foreign name of one system ("claude"); NULL: it has no such event, or no point stands for it.
 */
const struct point_alias *point_alias_of(const char *system, struct str name);

/* The one nearest to `name`, or NULL. */
const char *point_alias_nearest(const char *system, const char *name);

/* Whether `name` is a point or a foreign name; `on` says what it stands for. */
bool point_resolve(struct str name, struct subscription *on);

/* The system that has an event of this name for which there is no point; NULL: none. */
const char *point_missing(struct str name);

/* The known name nearest to `name`, or NULL. */
const char *point_nearest(const char *name);
