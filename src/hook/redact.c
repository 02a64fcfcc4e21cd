#include "hook/redact.h"

/* A document on its way out: its own text, but for the tokens that are replaced. */
struct copying {
    struct redactor *r;
    struct str text; /* the document, which every value's source is a part of */
    size_t copied;   /* how far it is in `out` */
    struct strbuf out;
};

static void replace(struct copying *c, struct str token, struct str with)
{
    size_t at = (size_t)(token.ptr - c->text.ptr);

    strbuf_add(&c->out, c->text.ptr + c->copied, at - c->copied);
    json_write_string(&c->out, with);
    c->copied = at + token.len;
}

/*
 * A key is not a value, but may hold a credential. Its token is the first behind `from`. Whether
 * what it names is a secret: by the name as it was, or as it will be read the next time.
 */
static bool copy_key(struct copying *c, struct str key, size_t from)
{
    struct str clean = redact_text(c->r, key), token;
    size_t end;

    if (!str_is_set(clean))
        return redact_is_secret_name(key);
    while (c->text.ptr[from] != '"')
        from++;
    for (end = from + 1; c->text.ptr[end] != '"'; end++)
        end += c->text.ptr[end] == '\\';
    token = (struct str){ c->text.ptr + from, end + 1 - from };
    replace(c, token, clean);
    return redact_is_secret_name(key) || redact_is_secret_name(clean);
}

static void copy_string(struct copying *c, const struct json *j, bool secret)
{
    struct str text = json_str(c->r->arena, j), clean;

    if (!secret) {
        clean = redact_text(c->r, text);
    } else {
        clean = text.len && !str_is(text, REDACTED) ? STR(REDACTED) : (struct str){ 0 };
        c->r->removed += str_is_set(clean);
    }
    if (str_is_set(clean))
        replace(c, json_source(j), clean);
}

/* ["--password", "hunter2"]: whether an element names the one behind it. */
static bool is_secret_option(struct arena *a, const struct json *j)
{
    struct str text = json_str(a, j);

    return str_is_set(text) && str_starts(text, STR("--")) && redact_is_secret_name(text);
}

static bool is_option(struct arena *a, const struct json *j)
{
    return str_starts(json_str(a, j), STR("-"));
}

/* {"name": "Authorization", "value": "hunter2"} */
static bool names_its_value(struct arena *a, const struct json *j)
{
    static const struct str names[] = { { "name", 4 }, { "key", 3 }, { "header", 6 } };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (redact_is_secret_name(json_str(a, json_get(j, names[i]))))
            return true;
    return false;
}

/* Whether a child is a secret by what stands beside it. */
static bool is_told_by_neighbour(struct arena *a, const struct json *before, struct str key,
                                 const struct json *child, bool pair)
{
    if (str_is_set(key))
        return pair && str_is(key, "value");
    return before && is_secret_option(a, before) && !is_option(a, child);
}

static void copy_value(struct copying *c, const struct json *j, bool secret)
{
    size_t from = (size_t)(json_source(j).ptr - c->text.ptr) + 1;
    bool pair = json_type(j) == JSON_OBJECT && names_its_value(c->r->arena, j);
    const struct json *before = NULL;

    if (json_type(j) == JSON_STRING)
        copy_string(c, j, secret);
    if (secret && json_type(j) == JSON_NUMBER) {
        replace(c, json_source(j), STR(REDACTED));
        c->r->removed++;
    }
    for (const struct json *child = json_first(j); child; child = json_next(child)) {
        struct str key = json_key(c->r->arena, child), source = json_source(child);
        bool named = str_is_set(key) && copy_key(c, key, from);

        named = named || is_told_by_neighbour(c->r->arena, before, key, child, pair);
        before = child;
        copy_value(c, child, secret || named);
        from = (size_t)(source.ptr - c->text.ptr) + source.len;
    }
}

const struct json *redact_json(struct redactor *r, const struct json *j)
{
    struct copying c = { .r = r, .out = { .max = JSON_MAX_BYTES } };
    struct json_reader deep = { .max_depth = JSON_DEPTH_LIMIT };
    const struct json *doc, *clean = j;
    CLEANUP(strbuf) struct strbuf text = { .max = JSON_MAX_BYTES };

    /* Written and read once, so that every part has its place in one text. */
    json_write(&text, j, JSON_AS_IS);
    c.text = (struct str){ arena_cstr(r->arena, strbuf_str(&text)), text.len };
    if (text.truncated || json_parse(r->arena, c.text, &deep, &doc, NULL) < 0)
        return json_null(r->arena); /* better nothing than a secret */
    copy_value(&c, doc, false);
    if (c.copied > 0) {
        strbuf_add(&c.out, c.text.ptr + c.copied, c.text.len - c.copied);
        c.text = (struct str){ arena_cstr(r->arena, strbuf_str(&c.out)), c.out.len };
        if (c.out.truncated || json_parse(r->arena, c.text, &deep, &clean, NULL) < 0)
            clean = json_null(r->arena);
    }
    strbuf_release(&c.out);
    return clean;
}
