#include "hook/point.h"

#include "base/macros.h"

/* The words of points.def. */
#define CHANGES  true
#define FIXED    false
#define UNGATED  true
#define BLOCK    POWER_BLOCK
#define ASK      POWER_ASK
#define ALLOW    POWER_ALLOW
#define STOP     POWER_STOP
#define CHANGE   POWER_CHANGE
#define INJECT   POWER_INJECT
#define CONTINUE POWER_CONTINUE
#define MUTATE   POWER_MUTATE
#define CALLBACK POWER_CALLBACK
#define FALLBACK POWER_FALLBACK

static const struct point_info points[] = {
#define POINT(symbol, name, kind, powers, flags, summary) \
    { name, POINT_##kind, powers, flags, summary },
#include "hook/points.def"
};

static const struct point_field fields[] = {
#define FIELD(symbol, name, changes, summary) { name, summary, POINT_##symbol, changes },
#include "hook/points.def"
};

static const struct point_alias aliases[] = {
#define ALIAS(symbol, name, systems, session, result) \
    { name, systems, { POINT_##symbol, SESSION_##session, RESULT_##result, name } },
#include "hook/points.def"
};

const struct point_info *point_info(enum point point)
{
    return &points[point];
}

const struct point_field *point_fields(enum point point, size_t *count)
{
    size_t first = 0, end;

    while (first < ARRAY_LEN(fields) && fields[first].point != point)
        first++;
    end = first;
    while (end < ARRAY_LEN(fields) && fields[end].point == point)
        end++;
    *count = end - first;
    return &fields[first];
}

const struct point_field *point_field(enum point point, struct str name)
{
    size_t count;
    const struct point_field *f = point_fields(point, &count);

    for (size_t i = 0; i < count; i++)
        if (str_is(name, f[i].name))
            return &f[i];
    return NULL;
}

const char *point_kind_name(enum point_kind kind)
{
    static const char *const names[] = {
        [POINT_NOTICE] = "notice",
        [POINT_GATE] = "gate",
        [POINT_TRANSFORM] = "transform",
        [POINT_DECISION] = "decision",
    };

    return names[kind];
}

const char *power_name(enum power power)
{
    switch (power) {
    case POWER_BLOCK:
        return "block";
    case POWER_ASK:
        return "ask";
    case POWER_ALLOW:
        return "allow";
    case POWER_STOP:
        return "stop";
    case POWER_CHANGE:
        return "change";
    case POWER_INJECT:
        return "inject";
    case POWER_CONTINUE:
        return "continue";
    case POWER_MUTATE:
        return "mutate";
    case POWER_CALLBACK:
        return "callback";
    case POWER_FALLBACK:
        return "fallback";
    }
    return NULL;
}

const struct point_alias *point_aliases(size_t *count)
{
    *count = ARRAY_LEN(aliases);
    return aliases;
}

static bool is_of(const struct point_alias *alias, const char *system)
{
    struct str rest = str_of(alias->systems), name;

    while (str_cut(&rest, ' ', &name))
        if (str_is(name, system))
            return true;
    return false;
}

const struct point_alias *point_alias_of(const char *system, struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_is(name, aliases[i].name) && is_of(&aliases[i], system))
            return &aliases[i];
    return NULL;
}

const char *point_alias_nearest(const char *system, const char *name)
{
    const char *known[ARRAY_LEN(aliases)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (is_of(&aliases[i], system))
            known[count++] = aliases[i].name;
    return str_nearest(name, known, count);
}

bool point_resolve(struct str name, struct subscription *on)
{
    for (size_t i = 0; i < ARRAY_LEN(points); i++)
        if (str_is(name, points[i].name)) {
            *on = (struct subscription){ .point = (enum point)i };
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_is(name, aliases[i].name)) {
            *on = aliases[i].on;
            return true;
        }
    return false;
}

const char *point_missing(struct str name)
{
    static const struct {
        const char *name, *system;
    } missing[] = {
        { "BeforeToolSelection", "gemini" },
        { "AfterModel", "gemini" }, /* once per piece of a streamed answer */
    };

    for (size_t i = 0; i < ARRAY_LEN(missing); i++)
        if (str_is(name, missing[i].name))
            return missing[i].system;
    return NULL;
}

const char *point_nearest(const char *name)
{
    const char *known[ARRAY_LEN(points) + ARRAY_LEN(aliases)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_LEN(points); i++)
        known[count++] = points[i].name;
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        known[count++] = aliases[i].name;
    return str_nearest(name, known, count);
}
