#include "base/yaml.h"

#include "base/map.h"
#include "base/yaml_quoted.h"

#include <errno.h>
#include <libfyaml.h>

/* One event of the parser, copied out of it. */
struct step {
    enum fy_event_type type;
    struct str text, anchor, tag;
    bool quoted;
    struct yaml_place place;
};

struct reader {
    struct arena *arena;
    struct str text; /* the whole document */
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct map anchors; /* name to struct yaml_node */
    unsigned nodes;
    struct yaml_place last; /* for tokens that have no place of their own */
    struct yaml_place *bad;
    struct err *e;
};

static void reader_cleanup(struct reader *r)
{
    if (r->parser)
        fy_parser_destroy(r->parser);
    if (r->diag)
        fy_diag_destroy(r->diag);
    map_release(&r->anchors);
}

/* libfyaml insists on somewhere to print. */
static void discard_output(struct fy_diag *diag UNUSED, void *user UNUSED, const char *buf UNUSED,
                           size_t len UNUSED)
{
}

static int reader_open(struct reader *r, struct str text)
{
    struct fy_diag_cfg diag_cfg;
    struct fy_parse_cfg parse_cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2,
    };

    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = discard_output;
    diag_cfg.colorize = false;
    r->diag = fy_diag_create(&diag_cfg);
    if (!r->diag)
        return err_set(r->e, -ENOMEM, "the YAML parser did not start");
    fy_diag_set_collect_errors(r->diag, true);
    parse_cfg.diag = r->diag;
    r->parser = fy_parser_create(&parse_cfg);
    if (!r->parser || fy_parser_set_string(r->parser, text.ptr, text.len) < 0)
        return err_set(r->e, -ENOMEM, "the YAML parser did not start");
    return 0;
}

static int fail_at(struct reader *r, struct yaml_place place, const char *message)
{
    *r->bad = place;
    return err_set(r->e, -EINVAL, "%s", message);
}

/* What the parser itself had to say. */
static int fail_of_parser(struct reader *r)
{
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(r->diag, &iterator);
    struct str message;

    if (!first || !first->msg)
        return fail_at(r, r->last, "not valid YAML");
    message = str_trim(str_of(first->msg));
    *r->bad = r->last;
    if (first->line > 0 && first->column > 0)
        *r->bad = (struct yaml_place){ (unsigned)first->line, (unsigned)first->column };
    return err_set(r->e, -EINVAL, "%.*s", STR_ARG(message));
}

static struct str token_text(struct arena *a, struct fy_token *token)
{
    size_t len = 0;
    const char *text = token ? fy_token_get_text(token, &len) : NULL;

    if (!text)
        return (struct str){ 0 };
    while (len > 0 && text[len - 1] == '\0') /* what libfyaml counted too much of a block */
        len--;
    return (struct str){ arena_cstr(a, (struct str){ text, len }), len };
}

static struct str scalar_text(struct reader *r, struct fy_token *token)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    enum fy_scalar_style style = fy_token_scalar_style(token);
    size_t start = mark ? mark->input_pos : 0;

    if (style == FYSS_SINGLE_QUOTED && start > 0 && start <= r->text.len)
        return yaml_quoted_single(r->arena, r->text, start);
    if (style == FYSS_DOUBLE_QUOTED && start > 0 && start <= r->text.len)
        return yaml_quoted_double(r->arena, r->text, start);
    return token_text(r->arena, token);
}

static bool is_in_quotes(struct fy_token *token)
{
    enum fy_scalar_style style = fy_token_scalar_style(token);

    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static void read_event(struct reader *r, struct fy_event *event, struct step *s)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    struct fy_token *value = NULL;

    *s = (struct step){ .type = event->type };
    if (mark)
        r->last = (struct yaml_place){ (unsigned)mark->line + 1, (unsigned)mark->column + 1 };
    s->place = r->last;
    switch (event->type) {
    case FYET_SCALAR:
        value = event->scalar.value;
        s->quoted = fy_token_scalar_style(value) != FYSS_PLAIN;
        if (is_in_quotes(value) && s->place.column > 1)
            s->place.column--; /* the parser's mark is behind the quote */
        break;
    case FYET_ALIAS:
        value = event->alias.anchor;
        if (s->place.column > 1)
            s->place.column--; /* and behind the asterisk */
        break;
    default:
        break;
    }
    if (event->type == FYET_SCALAR || event->type == FYET_MAPPING_START ||
        event->type == FYET_SEQUENCE_START) {
        s->anchor = token_text(r->arena, fy_event_get_anchor_token(event));
        s->tag = token_text(r->arena, fy_event_get_tag_token(event));
    }
    s->text = event->type == FYET_SCALAR ? scalar_text(r, value) : token_text(r->arena, value);
}

static int next_step(struct reader *r, struct step *s)
{
    struct fy_event *event = fy_parser_parse(r->parser);

    if (!event)
        return fail_of_parser(r);
    read_event(r, event, s);
    fy_parser_event_free(r->parser, event);
    if (s->text.len > 0 && memchr(s->text.ptr, '\0', s->text.len))
        return fail_at(r, s->place, "a text must not contain a NUL character");
    return 0;
}

/* The tags of the core schema say how a scalar is read; no other tag has a meaning here. */
static int apply_tag(struct reader *r, const struct step *s, struct yaml_node *n)
{
    const struct str prefix = STR("tag:yaml.org,2002:");
    struct str tag = s->tag;

    if (!str_is_set(tag))
        return 0;
    if (str_starts(tag, prefix))
        tag = (struct str){ tag.ptr + prefix.len, tag.len - prefix.len };
    if (n->kind == YAML_LIST && str_is(tag, "seq"))
        return 0;
    if (n->kind == YAML_MAP && str_is(tag, "map"))
        return 0;
    if (n->kind == YAML_LIST || n->kind == YAML_MAP)
        return fail_at(r, s->place, "tags are not supported here");
    if (str_is(tag, "str") || str_is(tag, "!")) {
        n->kind = YAML_SCALAR;
        n->quoted = true;
    } else if (str_is(tag, "int") || str_is(tag, "float") || str_is(tag, "bool")) {
        n->quoted = false;
    } else if (str_is(tag, "null")) {
        n->kind = YAML_NULL;
    } else {
        return fail_at(r, s->place, "tags are not supported here");
    }
    return 0;
}

static int count_node(struct reader *r, struct yaml_place place, unsigned depth)
{
    if (depth > YAML_MAX_DEPTH)
        return fail_at(r, place, "nested too deeply");
    if (++r->nodes > YAML_MAX_NODES)
        return fail_at(r, place, "too many values");
    return 0;
}

/* An alias is a copy of what it names, so that the tree stays a tree. */
static int copy_node(struct reader *r, const struct yaml_node *from, unsigned depth,
                     struct yaml_node **out)
{
    struct yaml_node *copy, **end;
    int rc = count_node(r, r->last, depth);

    if (rc < 0)
        return rc;
    copy = arena_new(r->arena, struct yaml_node);
    *copy = *from;
    copy->next = NULL;
    end = &copy->first;
    *end = NULL;
    for (const struct yaml_node *c = from->first; c; c = c->next) {
        rc = copy_node(r, c, depth + 1, end);
        if (rc < 0)
            return rc;
        end = &(*end)->next;
    }
    *out = copy;
    return 0;
}

static int read_alias(struct reader *r, const struct step *s, unsigned depth,
                      struct yaml_node **out)
{
    const struct yaml_node *target = map_get(&r->anchors, s->text);
    int rc;

    if (!target)
        return fail_at(r, s->place, "an alias that names no finished anchor above it");
    rc = copy_node(r, target, depth, out);
    if (rc < 0)
        return rc;
    (*out)->place = s->place;
    (*out)->key = (struct str){ 0 };
    return 0;
}

static int read_node(struct reader *r, const struct step *s, unsigned depth,
                     struct yaml_node **out);

static int read_list(struct reader *r, struct yaml_node *list, unsigned depth)
{
    struct yaml_node **end = &list->first;

    for (;;) {
        struct step s = { 0 };
        int rc = next_step(r, &s);

        if (rc < 0)
            return rc;
        if (s.type == FYET_SEQUENCE_END)
            return 0;
        rc = read_node(r, &s, depth + 1, end);
        if (rc < 0)
            return rc;
        end = &(*end)->next;
    }
}

static int read_key(struct reader *r, const struct step *s, unsigned depth, struct map *keys,
                    struct str *key)
{
    struct yaml_node *node = NULL;
    int rc = read_node(r, s, depth, &node);

    if (!node)
        return rc;
    if (node->kind != YAML_SCALAR)
        return fail_at(r, s->place, "a key must be a text");
    if (map_put(keys, node->text, node)) {
        *r->bad = s->place;
        return err_set(r->e, -EINVAL, "the key '%.*s' is there twice", STR_ARG(node->text));
    }
    *key = node->text;
    return 0;
}

static int read_map(struct reader *r, struct yaml_node *map, unsigned depth)
{
    CLEANUP(map) struct map keys = { 0 };
    struct yaml_node **end = &map->first;

    for (;;) {
        struct step s = { 0 };
        struct yaml_place key_place;
        struct str key;
        int rc = next_step(r, &s);

        if (rc < 0)
            return rc;
        if (s.type == FYET_MAPPING_END)
            return 0;
        key_place = s.place;
        rc = read_key(r, &s, depth + 1, &keys, &key);
        if (rc == 0)
            rc = next_step(r, &s);
        if (rc == 0)
            rc = read_node(r, &s, depth + 1, end);
        if (rc < 0)
            return rc;
        (*end)->key = key;
        (*end)->key_place = key_place;
        end = &(*end)->next;
    }
}

static int read_content(struct reader *r, const struct step *s, unsigned depth, struct yaml_node *n)
{
    switch (s->type) {
    case FYET_SCALAR:
        n->text = str_is_set(s->text) ? s->text : STR("");
        n->quoted = s->quoted;
        n->kind = n->text.len == 0 && !n->quoted ? YAML_NULL : YAML_SCALAR;
        return 0;
    case FYET_SEQUENCE_START:
        n->kind = YAML_LIST;
        return read_list(r, n, depth);
    case FYET_MAPPING_START:
        n->kind = YAML_MAP;
        return read_map(r, n, depth);
    default:
        return fail_at(r, s->place, "not valid YAML");
    }
}

static int read_node(struct reader *r, const struct step *s, unsigned depth, struct yaml_node **out)
{
    struct yaml_node *n;
    int rc;

    if (s->type == FYET_ALIAS)
        return read_alias(r, s, depth, out);
    rc = count_node(r, s->place, depth);
    if (rc < 0)
        return rc;
    n = arena_new(r->arena, struct yaml_node);
    n->place = s->place;
    rc = read_content(r, s, depth, n);
    if (rc == 0)
        rc = apply_tag(r, s, n);
    if (rc < 0)
        return rc;
    if (str_is_set(s->anchor))
        map_put(&r->anchors, s->anchor, n);
    *out = n;
    return 0;
}

static int read_stream(struct reader *r, struct yaml_node **root)
{
    struct step s = { 0 };
    struct yaml_node *node = arena_new(r->arena, struct yaml_node);
    int rc;

    node->place = (struct yaml_place){ 1, 1 };
    for (bool seen = false;;) {
        rc = next_step(r, &s);
        if (rc < 0)
            return rc;
        switch (s.type) {
        case FYET_STREAM_END:
            *root = node;
            return 0;
        case FYET_DOCUMENT_START:
            if (seen)
                return fail_at(r, s.place, "more than one document");
            seen = true;
            rc = next_step(r, &s);
            if (rc == 0)
                rc = read_node(r, &s, 1, &node);
            if (rc < 0)
                return rc;
            break;
        default:
            break;
        }
    }
}

/* Length of the UTF-8 sequence at the start of `s`, 0 when it is none (RFC 3629). */
static size_t sequence_len(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    unsigned char low = 0x80, high = 0xbf;
    size_t len;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (s.len < len)
        return 0;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return len;
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/*
 * libfyaml takes invalid UTF-8 for the end of a value and drops what follows, and lets control
 * characters pass that YAML forbids.
 */
static int check_encoding(struct reader *r, struct str text)
{
    struct yaml_place place = { 1, 1 };

    while (text.len > 0) {
        size_t len = sequence_len(text);

        if (len == 0)
            return fail_at(r, place, "not valid UTF-8");
        if (is_control(text.ptr[0]))
            return fail_at(r, place, "control characters are not allowed");
        place.column++;
        if (text.ptr[0] == '\n')
            place = (struct yaml_place){ place.line + 1, 1 };
        text = (struct str){ text.ptr + len, text.len - len };
    }
    return 0;
}

int yaml_parse(struct arena *a, struct str text, struct yaml_node **root, struct yaml_place *bad,
               struct err *e)
{
    struct yaml_place nowhere = { 0 };
    CLEANUP(reader)
    struct reader r = {
        .arena = a,
        .last = { 1, 1 },
        .bad = bad ? bad : &nowhere,
        .e = e,
    };
    int rc;

    *r.bad = r.last;
    if (text.len > YAML_MAX_BYTES)
        return err_set(e, -EFBIG, "larger than %zu bytes", YAML_MAX_BYTES);
    if (text.len == 0)
        text = STR("\n");
    r.text = text;
    rc = check_encoding(&r, text);
    if (rc == 0)
        rc = reader_open(&r, text);
    if (rc < 0)
        return rc;
    return read_stream(&r, root);
}
