/* The two readers of settings: YAML with the scalars of its core schema, and strict JSON. */
#include "base/map.h"
#include "base/yaml.h"
#include "hook/setting.h"

#include <errno.h>

struct parser {
    struct arena *arena;
    const struct origin *file;
    struct str text;
    size_t offset;           /* `place` is the place of it */
    struct json_place place; /* of JSON, which has to be counted */
    struct origin *bad;
    struct err *e;
};

static struct origin origin_at(const struct parser *p, unsigned line, unsigned column)
{
    struct origin o = *p->file;

    o.line = line;
    o.column = column;
    return o;
}

static int fail_at(struct parser *p, unsigned line, unsigned column, const char *message)
{
    *p->bad = origin_at(p, line, column);
    return err_set(p->e, -EINVAL, "%s", message);
}

static bool is_word(struct str text, const char *lower, const char *title, const char *upper)
{
    return str_is(text, lower) || str_is(text, title) || str_is(text, upper);
}

static size_t span(struct str text, size_t from, const char *set)
{
    size_t i = from;

    while (i < text.len && strchr(set, text.ptr[i]))
        i++;
    return i - from;
}

/* [-+]? ( digits | digits? . digits | digits . ) ( [eE] [-+]? digits )? */
static bool is_decimal(struct str text)
{
    static const char digits[] = "0123456789";
    size_t i = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    size_t before = span(text, i, digits), after = 0;

    i += before;
    if (i < text.len && text.ptr[i] == '.') {
        after = span(text, i + 1, digits);
        i += 1 + after;
    }
    if (before + after == 0)
        return false;
    if (i < text.len && (text.ptr[i] == 'e' || text.ptr[i] == 'E')) {
        size_t exponent;

        i++;
        if (i < text.len && (text.ptr[i] == '-' || text.ptr[i] == '+'))
            i++;
        exponent = span(text, i, digits);
        if (exponent == 0)
            return false;
        i += exponent;
    }
    return i == text.len;
}

static bool is_based(struct str text)
{
    if (text.len < 3 || text.ptr[0] != '0')
        return false;
    if (text.ptr[1] == 'x')
        return span(text, 2, "0123456789abcdefABCDEF") == text.len - 2;
    return text.ptr[1] == 'o' && span(text, 2, "01234567") == text.len - 2;
}

static bool fits(struct str based)
{
    errno = 0;
    (void)strtoull(based.ptr + 2, NULL, based.ptr[1] == 'x' ? 16 : 8);
    return errno == 0;
}

/* The core schema of YAML 1.2: what a scalar without quotes means. */
static int resolve_plain(struct parser *p, const struct yaml_node *n, struct setting *s)
{
    if (is_word(n->text, "null", "Null", "NULL") || str_is(n->text, "~")) {
        s->kind = SETTING_NULL;
    } else if (is_word(n->text, "true", "True", "TRUE")) {
        s->kind = SETTING_BOOL;
        s->text = STR("true");
    } else if (is_word(n->text, "false", "False", "FALSE")) {
        s->kind = SETTING_BOOL;
        s->text = STR("false");
    } else if (is_decimal(n->text) || is_based(n->text)) {
        s->kind = SETTING_NUMBER;
        if (is_based(n->text) && !fits(n->text))
            return fail_at(p, n->place.line, n->place.column, "the number is too large");
    }
    return 0; /* .inf and .nan too: a text, which no number will be made of */
}

static int from_yaml(struct parser *p, const struct yaml_node *n, struct setting **out)
{
    struct setting *s = arena_new(p->arena, struct setting), **end = &s->first;

    s->origin = origin_at(p, n->place.line, n->place.column);
    s->key = n->key;
    s->key_line = n->key_place.line;
    s->key_column = n->key_place.column;
    s->text = str_is_set(n->text) ? n->text : STR("");
    *out = s;
    switch (n->kind) {
    case YAML_NULL:
        s->kind = SETTING_NULL;
        return 0;
    case YAML_SCALAR:
        s->kind = SETTING_STRING;
        return n->quoted ? 0 : resolve_plain(p, n, s);
    case YAML_LIST:
        s->kind = SETTING_LIST;
        break;
    case YAML_MAP:
        s->kind = SETTING_MAP;
        break;
    }
    for (const struct yaml_node *c = n->first; c; c = c->next) {
        int r = from_yaml(p, c, end);

        if (r < 0)
            return r;
        end = &(*end)->next;
    }
    return 0;
}

static int parse_yaml(struct parser *p, struct setting **out)
{
    struct yaml_node *root;
    struct yaml_place bad;
    int r = yaml_parse(p->arena, p->text, &root, &bad, p->e);

    if (r < 0) {
        *p->bad = origin_at(p, bad.line, bad.column);
        return r;
    }
    return from_yaml(p, root, out);
}

/* Values come in the order of the text, so counting goes on where it stopped. */
static struct json_place place_of(struct parser *p, size_t offset)
{
    if (offset < p->offset)
        return json_place(p->text, offset);
    for (; p->offset < offset; p->offset++) {
        p->place.column++;
        if (p->text.ptr[p->offset] == '\n')
            p->place = (struct json_place){ p->place.line + 1, 1 };
    }
    return p->place;
}

/* Offset of the key of the value at `value`: back over white space and ':' to its first quote. */
static size_t key_offset(struct str text, size_t value)
{
    size_t i = value;

    while (i > 0 && text.ptr[i - 1] != '"')
        i--;
    for (i = i > 0 ? i - 1 : 0; i > 0; i--) {
        size_t slashes = 0;

        if (text.ptr[i - 1] != '"')
            continue;
        while (i - 1 > slashes && text.ptr[i - 2 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return i - 1;
    }
    return 0;
}

static int fail_at_setting(struct parser *p, const struct setting *s, const char *message)
{
    struct origin o = setting_key_origin(s);

    return fail_at(p, o.line, o.column, message);
}

static int from_json(struct parser *p, const struct json *j, struct setting **out);

static int read_elements(struct parser *p, const struct json *j, struct setting *s)
{
    struct setting **end = &s->first;

    for (const struct json *c = json_first(j); c; c = json_next(c)) {
        int r = from_json(p, c, end);

        if (r < 0)
            return r;
        end = &(*end)->next;
    }
    return 0;
}

static int read_members(struct parser *p, const struct json *j, struct setting *s)
{
    CLEANUP(map) struct map keys = { 0 };
    struct setting **end = &s->first;

    for (const struct json *c = json_first(j); c; c = json_next(c)) {
        struct str key = json_key(p->arena, c);
        struct json_place place =
            place_of(p, key_offset(p->text, (size_t)(json_source(c).ptr - p->text.ptr)));
        int r = from_json(p, c, end);

        if (r < 0)
            return r;
        (*end)->key = (struct str){ arena_cstr(p->arena, key), key.len };
        (*end)->key_line = place.line;
        (*end)->key_column = place.column;
        if (memchr((*end)->key.ptr, '\0', key.len))
            return fail_at_setting(p, *end, "a key must not contain a NUL character");
        if (map_put(&keys, (*end)->key, *end)) {
            *p->bad = setting_key_origin(*end);
            return err_set(p->e, -EINVAL, "the key '%.*s' is there twice", STR_ARG(key));
        }
        end = &(*end)->next;
    }
    return 0;
}

static int from_json(struct parser *p, const struct json *j, struct setting **out)
{
    struct setting *s = arena_new(p->arena, struct setting);
    struct str source = json_source(j);
    struct json_place place = place_of(p, (size_t)(source.ptr - p->text.ptr));

    s->origin = origin_at(p, place.line, place.column);
    s->text = STR("");
    *out = s;
    switch (json_type(j)) {
    case JSON_ABSENT:
    case JSON_NULL:
        s->kind = SETTING_NULL;
        return 0;
    case JSON_BOOL:
        s->kind = SETTING_BOOL;
        s->text = json_is_true(j) ? STR("true") : STR("false");
        return 0;
    case JSON_NUMBER:
        s->kind = SETTING_NUMBER;
        s->text = (struct str){ arena_cstr(p->arena, source), source.len };
        return 0;
    case JSON_STRING:
        s->kind = SETTING_STRING;
        s->text = json_str(p->arena, j);
        s->text.ptr = arena_cstr(p->arena, s->text);
        if (memchr(s->text.ptr, '\0', s->text.len))
            return fail_at(p, place.line, place.column, "a text must not contain a NUL character");
        return 0;
    case JSON_ARRAY:
        s->kind = SETTING_LIST;
        return read_elements(p, j, s);
    case JSON_OBJECT:
        s->kind = SETTING_MAP;
        return read_members(p, j, s);
    }
    return 0;
}

static int parse_json(struct parser *p, struct setting **out)
{
    struct json_reader reader = { .max_bytes = YAML_MAX_BYTES, .max_depth = YAML_MAX_DEPTH };
    struct err inner = { 0 };
    const struct json *root;
    const char *message;
    struct json_place place;
    int r;

    if (p->text.len > YAML_MAX_BYTES)
        return err_set(p->e, -EFBIG, "larger than %zu bytes", YAML_MAX_BYTES);
    r = json_parse(p->arena, p->text, &reader, &root, &inner);
    if (r == 0)
        return from_json(p, root, out);
    /* The place goes into the origin; once is enough. */
    message = strstr(inner.msg, "): ");
    message = message ? message + strlen("): ") : inner.msg;
    place = json_place(p->text, reader.error_offset);
    *p->bad = origin_at(p, place.line, place.column);
    return err_set(p->e, r, "%s", message);
}

int setting_parse(struct arena *a, const struct origin *file, struct str text, struct setting **out,
                  struct origin *bad, struct err *e)
{
    struct origin nowhere = { 0 };
    struct parser p = {
        .arena = a,
        .file = file,
        .text = text,
        .place = { 1, 1 },
        .bad = bad ? bad : &nowhere,
        .e = e,
    };
    struct setting *root = NULL;
    int r;

    *p.bad = *file;
    if (str_ends(str_of(file->file), STR(".json")))
        r = parse_json(&p, &root);
    else
        r = parse_yaml(&p, &root);
    if (r == 0)
        *out = root;
    return r;
}
