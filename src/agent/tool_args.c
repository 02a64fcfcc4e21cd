/* Whether arguments are what a tool asks for, in words a model can act on. */
#include "agent/tool.h"

#include <errno.h>

struct checking {
    struct arena *arena;
    const char *tool;
    struct err *e;
};

static int refuse(struct checking *k, const char *where, const char *what)
{
    return err_set(k->e, -EINVAL, "'%s' of the tool '%s' %s", where, k->tool, what);
}

static enum json_type type_of(struct str name)
{
    static const struct {
        const char *name;
        enum json_type type;
    } types[] = {
        { "string", JSON_STRING }, { "integer", JSON_NUMBER }, { "number", JSON_NUMBER },
        { "boolean", JSON_BOOL },  { "array", JSON_ARRAY },    { "object", JSON_OBJECT },
    };

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_is(name, types[i].name))
            return types[i].type;
    return JSON_ABSENT;
}

/* A NUL would end the text early: what hooks have seen would not be what the tool uses. */
static int check_text(struct checking *k, const char *where, const struct json *value)
{
    struct str text = json_str(k->arena, value);

    return text.len && memchr(text.ptr, '\0', text.len) ? refuse(k, where, "holds a NUL character")
                                                        : 0;
}

static int check_number(struct checking *k, const char *where, const struct json *schema,
                        const struct json *value)
{
    int64_t n, bound;

    if (!str_is(json_str(k->arena, json_get(schema, STR("type"))), "integer"))
        return 0;
    if (json_to_int64(value, &n) < 0)
        return refuse(k, where, "must be a whole number");
    if (json_to_int64(json_get(schema, STR("minimum")), &bound) == 0 && n < bound)
        return refuse(k, where, arena_printf(k->arena, "must be at least %lld", (long long)bound));
    if (json_to_int64(json_get(schema, STR("maximum")), &bound) == 0 && n > bound)
        return refuse(k, where, arena_printf(k->arena, "must be at most %lld", (long long)bound));
    return 0;
}

static int check_enum(struct checking *k, const char *where, const struct json *words,
                      const struct json *value)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const struct json *w = json_first(words); w; w = json_next(w)) {
        if (json_equal(w, value))
            return 0;
        strbuf_printf(&all, "%s%.*s", all.len ? ", " : "", STR_ARG(json_str(k->arena, w)));
    }
    return words ? refuse(k, where, arena_printf(k->arena, "must be one of %s", strbuf_cstr(&all)))
                 : 0;
}

static int check_value(struct checking *k, const char *where, const struct json *schema,
                       const struct json *value);

static int refuse_unknown(struct checking *k, const char *where, const struct json *known)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const struct json *p = json_first(known); p; p = json_next(p))
        strbuf_printf(&all, "%s%.*s", all.len ? ", " : "", STR_ARG(json_key(k->arena, p)));
    return refuse(k, where, arena_printf(k->arena, "is not known: it takes %s", strbuf_cstr(&all)));
}

static int check_members(struct checking *k, const char *where, const struct json *schema,
                         const struct json *object)
{
    const struct json *known = json_get(schema, STR("properties"));
    int r = 0;

    for (const struct json *m = json_first(object); m && r == 0; m = json_next(m)) {
        struct str key = json_key(k->arena, m);
        const struct json *of = json_get(known, key);
        const char *name =
            arena_printf(k->arena, "%s%s%.*s", where, where[0] ? "." : "", STR_ARG(key));

        if (!known || (of && json_type(m) == JSON_NULL))
            continue;
        r = of ? check_value(k, name, of, m) : refuse_unknown(k, name, known);
    }
    return r;
}

static int check_required(struct checking *k, const char *where, const struct json *schema,
                          const struct json *object)
{
    const struct json *name = json_first(json_get(schema, STR("required")));

    for (; name; name = json_next(name)) {
        struct str key = json_str(k->arena, name);
        const struct json *value = json_get(object, key);

        if (!value || json_type(value) == JSON_NULL)
            return refuse(
                k, arena_printf(k->arena, "%s%s%.*s", where, where[0] ? "." : "", STR_ARG(key)),
                "is missing");
    }
    return 0;
}

static int check_items(struct checking *k, const char *where, const struct json *schema,
                       const struct json *array)
{
    const struct json *of = json_get(schema, STR("items"));
    size_t index = 0;
    int r = 0;

    for (const struct json *m = json_first(array); m && of && r == 0; m = json_next(m))
        r = check_value(k, arena_printf(k->arena, "%s[%zu]", where, index++), of, m);
    return r;
}

static int check_value(struct checking *k, const char *where, const struct json *schema,
                       const struct json *value)
{
    struct str name = json_str(k->arena, json_get(schema, STR("type")));
    enum json_type type = type_of(name);
    int r;

    if (type != JSON_ABSENT && json_type(value) != type)
        return refuse(k, where,
                      arena_printf(k->arena, "must be %s, not %s", json_type_name(type),
                                   json_type_name(json_type(value))));
    r = check_number(k, where, schema, value);
    if (r == 0)
        r = check_text(k, where, value);
    if (r == 0)
        r = check_enum(k, where, json_get(schema, STR("enum")), value);
    if (r == 0 && type == JSON_OBJECT)
        r = check_required(k, where, schema, value);
    if (r == 0 && type == JSON_OBJECT)
        r = check_members(k, where, schema, value);
    if (r == 0 && type == JSON_ARRAY)
        r = check_items(k, where, schema, value);
    return r;
}

int tool_check_args(const char *tool, const struct json *schema, const struct json *args,
                    struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct checking k = { &a, tool, e };

    if (json_type(args) != JSON_OBJECT)
        return err_set(e, -EINVAL, "the arguments of the tool '%s' must be an object", tool);
    return check_value(&k, "", schema, args);
}
