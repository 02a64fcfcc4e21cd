#include "hook/tools.h"

struct name {
    const char *tool, *ours; /* for a tool both are its name */
    enum tools_system system;
    const char *theirs;
};

static const struct name tool_names[] = {
#define TOOL(ours, system, theirs) { ours, ours, TOOLS_##system, theirs },
#include "hook/tools.def"
};

static const struct name arg_names[] = {
#define ARG(tool, ours, system, theirs) { tool, ours, TOOLS_##system, theirs },
#include "hook/tools.def"
};

struct str tools_name(enum tools_system system, enum tools_side side, struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(tool_names); i++) {
        const struct name *t = &tool_names[i];

        if (t->system == system && str_is(name, side == TOOLS_OURS ? t->theirs : t->ours))
            return str_of(side == TOOLS_OURS ? t->ours : t->theirs);
    }
    return name;
}

const char *tools_other_name(enum tools_system system, struct str tool, size_t *at)
{
    while (*at < ARRAY_LEN(tool_names)) {
        const struct name *t = &tool_names[(*at)++];

        if ((system == TOOLS_SYSTEMS || t->system == system) && str_is(tool, t->ours))
            return t->theirs;
    }
    return NULL;
}

/* What the argument `key` of `tool`, a name of ours, is called on that side. */
static struct str arg_name(enum tools_system system, enum tools_side side, struct str tool,
                           struct str key)
{
    for (size_t i = 0; i < ARRAY_LEN(arg_names); i++) {
        const struct name *n = &arg_names[i];

        if (n->system == system && str_is(tool, n->tool) &&
            str_is(key, side == TOOLS_OURS ? n->theirs : n->ours))
            return str_of(side == TOOLS_OURS ? n->ours : n->theirs);
    }
    return key;
}

const struct json *tools_to_theirs(struct arena *a, enum tools_system system, struct str tool,
                                   const struct json *args)
{
    const struct json *out = json_object(a);

    if (json_type(args) != JSON_OBJECT)
        return args;
    for (const struct json *m = json_first(args); m; m = json_next(m)) {
        struct str key = json_key(a, m), ours = arg_name(system, TOOLS_OURS, tool, key);

        /* Beside our name theirs is noise: it must not hide from a guard what the tool will use. */
        if (str_eq(ours, key) || !json_get(args, ours))
            out = json_with(a, out, arg_name(system, TOOLS_THEIRS, tool, ours), m);
    }
    return out;
}

/* How `was` spells the argument that we call `ours`. */
static struct str spelled(struct arena *a, enum tools_system system, struct str tool,
                          struct str ours, const struct json *was)
{
    for (const struct json *m = json_get(was, ours) ? NULL : json_first(was); m; m = json_next(m))
        if (str_eq(arg_name(system, TOOLS_OURS, tool, json_key(a, m)), ours))
            return json_key(a, m);
    return ours;
}

const struct json *tools_to_ours(struct arena *a, enum tools_system system, struct str tool,
                                 const struct json *args, const struct json *was)
{
    const struct json *out = json_object(a);

    if (json_type(args) != JSON_OBJECT)
        return args;
    for (const struct json *m = json_first(args); m; m = json_next(m)) {
        struct str ours = arg_name(system, TOOLS_OURS, tool, json_key(a, m));

        out = json_with(a, out, spelled(a, system, tool, ours, was), m);
    }
    return out;
}
