#include "hook/setting.h"

#include "base/strbuf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

const struct setting *setting_get(const struct setting *map, const char *key)
{
    if (!map || map->kind != SETTING_MAP)
        return NULL;
    for (const struct setting *s = map->first; s; s = s->next)
        if (str_is(s->key, key))
            return s;
    return NULL;
}

size_t setting_count(const struct setting *s)
{
    size_t count = 0;

    for (const struct setting *item = s ? s->first : NULL; item; item = item->next)
        count++;
    return count;
}

bool setting_is_true(const struct setting *s)
{
    return s && s->kind == SETTING_BOOL && str_is(s->text, "true");
}

const char *setting_word(const struct setting *map, const char *key)
{
    const struct setting *s = setting_get(map, key);

    return s && s->kind == SETTING_STRING && s->text.len ? s->text.ptr : NULL;
}

const char *setting_kind_name(enum setting_kind kind)
{
    static const char *const names[] = {
        [SETTING_NULL] = "nothing",    [SETTING_BOOL] = "true or false",
        [SETTING_NUMBER] = "a number", [SETTING_STRING] = "a text",
        [SETTING_LIST] = "a list",     [SETTING_MAP] = "a map",
    };

    return names[kind];
}

struct origin setting_key_origin(const struct setting *s)
{
    struct origin o = s->origin;

    if (s->key_line) {
        o.line = s->key_line;
        o.column = s->key_column;
    }
    return o;
}

/* The digits of 0x10 and 0o17; 0 for a decimal number. */
static int base_of(struct str *digits)
{
    if (digits->len < 3 || digits->ptr[0] != '0')
        return 0;
    switch (digits->ptr[1]) {
    case 'x':
        *digits = (struct str){ digits->ptr + 2, digits->len - 2 };
        return 16;
    case 'o':
        *digits = (struct str){ digits->ptr + 2, digits->len - 2 };
        return 8;
    default:
        return 0;
    }
}

/*
 * Few digits, perhaps with a point: what nearly everybody writes. Both numbers are exact, so the
 * quotient is the nearest; strtod would be a fair part of a program's start.
 */
static bool short_decimal(struct str text, double *out)
{
    double tens = 1;
    int64_t digits = 0;
    bool point = false;

    if (text.len < 2 || text.len > 15 || text.ptr[0] == '.')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        digits = digits * 10 + (c - '0');
        tens *= point ? 10 : 1;
    }
    *out = (double)digits / tens;
    return true;
}

bool setting_to_double(const struct setting *s, double *out)
{
    struct str digits;
    int base;

    if (!s || s->kind != SETTING_NUMBER)
        return false;
    if (short_decimal(s->text, out))
        return true;
    digits = s->text;
    base = base_of(&digits);
    *out = base ? (double)strtoull(digits.ptr, NULL, base) : strtod(s->text.ptr, NULL);
    return isfinite(*out);
}

bool setting_to_int64(const struct setting *s, int64_t *out)
{
    char *end;
    double number;
    long long whole;

    if (s && s->kind == SETTING_NUMBER && str_to_whole(s->text, out))
        return true; /* nearly always, and told at once */
    if (!setting_to_double(s, &number))
        return false;
    if (number >= 9223372036854775808.0 || number < -9223372036854775808.0)
        return false;
    if (number != (double)(int64_t)number) /* not trunc(): see src/cli/late_math.c */
        return false;
    /* Digits that a double would round are exact here. */
    errno = 0;
    whole = strtoll(s->text.ptr, &end, 10);
    *out = *end == '\0' && errno == 0 ? whole : (int64_t)number;
    return true;
}

/* JSON knows one spelling of a number where YAML has several. */
static struct str json_number_text(struct arena *a, struct str text)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    struct str rest = text;
    int base = base_of(&rest);
    size_t digits = 0, i = 0;

    if (base)
        return str_of(arena_printf(a, "%llu", strtoull(rest.ptr, NULL, base)));
    if (rest.len > 0 && (rest.ptr[0] == '-' || rest.ptr[0] == '+')) {
        if (rest.ptr[0] == '-')
            strbuf_addch(&b, '-');
        i++;
    }
    while (i + 1 < rest.len && rest.ptr[i] == '0' && rest.ptr[i + 1] >= '0' &&
           rest.ptr[i + 1] <= '9')
        i++;
    while (i + digits < rest.len && rest.ptr[i + digits] >= '0' && rest.ptr[i + digits] <= '9')
        digits++;
    if (digits == 0)
        strbuf_addch(&b, '0');
    strbuf_add(&b, rest.ptr + i, digits);
    i += digits;
    if (i < rest.len && rest.ptr[i] == '.') {
        bool fraction = i + 1 < rest.len && rest.ptr[i + 1] >= '0' && rest.ptr[i + 1] <= '9';

        if (!fraction)
            i++;
    }
    strbuf_add(&b, rest.ptr + i, rest.len - i);
    return str_of(arena_cstr(a, strbuf_str(&b)));
}

static const struct json *number_to_json(struct arena *a, const struct setting *s)
{
    const struct json *number;

    if (json_parse(a, json_number_text(a, s->text), NULL, &number, NULL) < 0)
        return json_null(a);
    return number;
}

const struct json *setting_to_json(struct arena *a, const struct setting *s)
{
    struct json *out;

    if (!s)
        return NULL;
    switch (s->kind) {
    case SETTING_NULL:
        return json_null(a);
    case SETTING_BOOL:
        return json_bool(a, setting_is_true(s));
    case SETTING_NUMBER:
        return number_to_json(a, s);
    case SETTING_STRING:
        return json_string(a, s->text);
    case SETTING_LIST:
        out = json_array(a);
        for (const struct setting *c = s->first; c; c = c->next)
            json_push(a, out, setting_to_json(a, c));
        return out;
    case SETTING_MAP:
        out = json_object(a);
        for (const struct setting *c = s->first; c; c = c->next)
            json_add(a, out, c->key, setting_to_json(a, c));
        return out;
    }
    return NULL;
}

const char *setting_text(struct arena *a, const struct setting *s)
{
    if (s->kind == SETTING_LIST || s->kind == SETTING_MAP)
        return json_text(a, setting_to_json(a, s));
    if (s->kind == SETTING_NULL && s->text.len == 0)
        return "null";
    return s->text.ptr;
}

static enum setting_kind kind_of(const struct json *j)
{
    switch (json_type(j)) {
    case JSON_BOOL:
        return SETTING_BOOL;
    case JSON_NUMBER:
        return SETTING_NUMBER;
    case JSON_STRING:
        return SETTING_STRING;
    case JSON_ARRAY:
        return SETTING_LIST;
    case JSON_OBJECT:
        return SETTING_MAP;
    case JSON_ABSENT:
    case JSON_NULL:
        break;
    }
    return SETTING_NULL;
}

struct setting *setting_from_json(struct arena *a, const struct origin *origin,
                                  const struct json *j)
{
    struct setting *s = arena_new(a, struct setting), **end = &s->first;

    s->kind = kind_of(j);
    s->origin = *origin;
    s->key_line = origin->line;
    s->key_column = origin->column;
    s->text = str_of(s->kind == SETTING_STRING ? json_cstr(a, j) : json_text(a, j));
    for (const struct json *child = json_first(j); child; child = json_next(child)) {
        struct str key = json_key(a, child);

        *end = setting_from_json(a, origin, child);
        if (str_is_set(key))
            (*end)->key = str_of(arena_cstr(a, key));
        end = &(*end)->next;
    }
    return s;
}

char *origin_text(struct arena *a, const struct origin *o)
{
    const char *file = o->file ? o->file : "built in";

    if (o->line == 0)
        return arena_strdup(a, file);
    if (o->column == 0)
        return arena_printf(a, "%s:%u", file, o->line);
    return arena_printf(a, "%s:%u:%u", file, o->line, o->column);
}

PRINTF_LIKE(4, 0)
static void add_problem(struct problems *p, const struct origin *where, bool warning,
                        const char *fmt, va_list ap)
{
    struct problem *added = arena_new(p->arena, struct problem);
    CLEANUP(mem) char *message = NULL;

    if (vasprintf(&message, fmt, ap) < 0)
        message = NULL;
    added->origin = *where;
    added->warning = warning;
    added->message = arena_strdup(p->arena, message ? message : fmt);
    if (!p->first)
        p->end = &p->first;
    *p->end = added;
    p->end = &added->next;
    p->count++;
}

void problem_add(struct problems *p, const struct origin *where, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(p, where, false, fmt, ap);
    va_end(ap);
}

void problem_warn(struct problems *p, const struct origin *where, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(p, where, true, fmt, ap);
    va_end(ap);
}
