/*
 * One pass over the text, without recursion. What is not an error becomes a node that points into
 * the text; nothing is decoded.
 */
#include "json/chars.h"
#include "json/node.h"

#include <errno.h>
#include <stdio.h>

#define SLAB_MAX 1024u /* nodes taken from the arena at a time */

struct parser {
    struct arena *arena;
    const char *start, *end;
    struct json *free, *free_end; /* nodes not used yet */
    uint32_t space;               /* white space skipped so far */
    unsigned depth, max_depth;
    bool escaped;    /* the last string had a backslash in it */
    size_t limit;    /* the limit that was passed, if that is the failure */
    int code;        /* set by the first failure, with … */
    const char *why; /* … its reason, */
    const char *bad; /* its place, */
    bool expected;   /* and whether to tell what stands there */
};

static const char *fail(struct parser *s, const char *at, const char *why)
{
    s->code = -EBADMSG;
    s->why = why;
    s->bad = at;
    return NULL;
}

static const char *expected(struct parser *s, const char *at, const char *why)
{
    s->expected = true;
    return fail(s, at, why);
}

static const char *fail_limit(struct parser *s, const char *at, const char *why, size_t limit)
{
    fail(s, at, why);
    s->code = -EFBIG;
    s->limit = limit;
    return NULL;
}

static void take_slab(struct parser *s)
{
    /* short values of about 16 bytes are the densest documents people write */
    size_t want = (size_t)(s->end - s->start) / 16 + 4;

    if (want > SLAB_MAX)
        want = SLAB_MAX;
    s->free = arena_alloc(s->arena, want * sizeof(struct json));
    s->free_end = s->free + want;
}

/* The rest of the last slab, which is the newest thing in the arena. */
static void give_back(struct parser *s)
{
    if (s->arena->next == (char *)s->free_end)
        s->arena->next = (char *)s->free;
}

static inline struct json *new_node(struct parser *s)
{
    struct json *n;

    if (s->free == s->free_end)
        take_slab(s);
    n = s->free++;
    n->next = NULL;
    n->first = NULL;
    n->key = NULL;
    n->key_len = 0;
    n->count = 0;
    n->flags = NODE_SOURCE;
    return n;
}

static inline const char *skip_space(struct parser *s, const char *p)
{
    const char *from = p;

    if (p < s->end && (unsigned char)*p > ' ')
        return p;
    p = chars_skip_space(p, s->end);
    s->space += (uint32_t)(p - from);
    return p;
}

static inline bool at_char(const struct parser *s, const char *p, char c)
{
    return p < s->end && *p == c;
}

static inline bool is_digit(const struct parser *s, const char *p)
{
    return p < s->end && *p >= '0' && *p <= '9';
}

static inline bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The bytes that may follow a backslash and need nothing more. */
static const bool simple_escape[256] = { ['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
                                         ['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true };

/* `p` is at a backslash. */
static const char *read_escape(struct parser *s, const char *p)
{
    if (s->end - p < 2)
        return fail(s, p, "the string is not closed");
    if (simple_escape[(unsigned char)p[1]])
        return p + 2;
    if (p[1] != 'u')
        return fail(s, p, "unknown escape in a string");
    for (int i = 2; i < 6; i++)
        if (s->end - p <= i || !is_hex(p[i]))
            return fail(s, p, "'\\u' needs four hexadecimal digits");
    return p + 6;
}

/* `p` is at a byte that is neither plain nor a quote, or at the end. */
static const char *read_special(struct parser *s, const char *p)
{
    if (p == s->end)
        return fail(s, p, "the string is not closed");
    if (*p == '\\') {
        s->escaped = true;
        return read_escape(s, p);
    }
    if ((unsigned char)*p < 0x20)
        return fail(s, p, "control character in a string: it must be escaped");
    p = chars_skip_utf8(p, s->end);
    while (p < s->end && (signed char)*p < 0) {
        int len = chars_utf8(p, s->end);

        if (len < 0)
            return fail(s, p, "invalid UTF-8 in a string");
        p += len;
    }
    return p;
}

/*
 * Go through the simple escapes among the 64 bytes at `p`, of which `marks` tells those that are
 * not plain. Returns the first byte that needs more than that, or the end of the block. Working on
 * the marks and not byte by byte keeps each step independent of the loads of the one before.
 */
static inline const char *read_block(struct parser *s, const char *p, uint64_t marks)
{
    while (marks) {
        unsigned i = (unsigned)__builtin_ctzll(marks);

        if (p[i] != '\\' || !simple_escape[(unsigned char)p[i + 1]])
            return p + i;
        s->escaped = true;
        if (i == 63)
            return p + 65;
        marks &= ~((uint64_t)3 << i);
    }
    return p + 64;
}

/* A string that is long or has something special in it. */
static const char *read_long_string(struct parser *s, const char *p)
{
    while (p) {
        if (s->end - p > 64)
            p = read_block(s, p, chars_marks64(p));
        else
            p = chars_plain_end(p, s->end);
        if (p < s->end && *p == '"')
            return p;
        if (p == s->end || !chars_is_plain(*p))
            p = read_special(s, p);
    }
    return NULL;
}

/* `p` is after the opening quote, the result at the closing one. */
static inline const char *read_string(struct parser *s, const char *p)
{
    s->escaped = false;
    if (s->end - p >= CHARS_STEP) {
        unsigned marks = chars_marks(p);

        if (marks && p[__builtin_ctz(marks)] == '"')
            return p + __builtin_ctz(marks);
    }
    return read_long_string(s, p);
}

static inline const char *skip_digits(const struct parser *s, const char *p)
{
    while (is_digit(s, p))
        p++;
    return p;
}

static const char *read_number(struct parser *s, const char *p)
{
    if (*p == '-')
        p++;
    if (!is_digit(s, p))
        return expected(s, p, "expected a digit");
    if (*p == '0' && is_digit(s, p + 1))
        return fail(s, p, "a number cannot start with 0");
    p = skip_digits(s, p);
    if (at_char(s, p, '.')) {
        if (!is_digit(s, p + 1))
            return expected(s, p + 1, "expected a digit after '.'");
        p = skip_digits(s, p + 1);
    }
    if (at_char(s, p, 'e') || at_char(s, p, 'E')) {
        p++;
        if (at_char(s, p, '+') || at_char(s, p, '-'))
            p++;
        if (!is_digit(s, p))
            return expected(s, p, "expected a digit in the exponent");
        p = skip_digits(s, p);
    }
    return p;
}

static const char *read_word(struct parser *s, const char *p, struct str word)
{
    if ((size_t)(s->end - p) < word.len || memcmp(p, word.ptr, word.len) != 0)
        return expected(s, p, "expected a value");
    return p + word.len;
}

static const char *read_scalar(struct parser *s, const char *p, struct json *n)
{
    switch (*p) {
    case 't':
        n->type = JSON_BOOL;
        return read_word(s, p, STR("true"));
    case 'f':
        n->type = JSON_BOOL;
        return read_word(s, p, STR("false"));
    case 'n':
        n->type = JSON_NULL;
        return read_word(s, p, STR("null"));
    default:
        if (*p != '-' && !is_digit(s, p))
            return expected(s, p, "expected a value");
        n->type = JSON_NUMBER;
        return read_number(s, p);
    }
}

/* A scalar, or the opening of a container. Returns what follows it. */
static inline const char *read_value(struct parser *s, const char *p, struct json *n)
{
    if (p == s->end)
        return expected(s, p, "expected a value");
    n->text = p;
    if (*p == '"') {
        n->type = JSON_STRING;
        p = read_string(s, p + 1);
        if (!p)
            return NULL;
        n->flags |= s->escaped ? NODE_ESCAPED : 0;
        n->len = (uint32_t)(++p - n->text);
        return p;
    }
    if (*p == '{' || *p == '[') {
        n->type = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
        return p + 1;
    }
    p = read_scalar(s, p, n);
    if (p)
        n->len = (uint32_t)(p - n->text);
    return p;
}

/* The key and colon before a member's value. */
static inline const char *read_key(struct parser *s, const char *p, struct json *n)
{
    const char *end;

    if (!at_char(s, p, '"'))
        return expected(s, p, "expected a key in double quotes");
    end = read_string(s, p + 1);
    if (!end)
        return NULL;
    n->key = p + 1;
    n->key_len = (uint32_t)(end - n->key);
    n->flags |= NODE_KEY_SOURCE | (s->escaped ? NODE_KEY_ESCAPED : 0);
    p = skip_space(s, end + 1);
    if (!at_char(s, p, ':'))
        return expected(s, p, "expected ':' after a key");
    return skip_space(s, p + 1);
}

static inline char closer(const struct json *n)
{
    return n->type == JSON_OBJECT ? '}' : ']';
}

/*
 * The opening bracket of `*at` was read. `*at` becomes the first child, or stays when there is
 * none.
 */
static inline const char *enter(struct parser *s, const char *p, struct json **at,
                                struct json **open)
{
    struct json *n = *at;

    if (++s->depth > s->max_depth)
        return fail_limit(s, n->text, "more levels of nesting than allowed", s->max_depth);
    n->next = *open;
    n->len = s->space;
    *open = n;
    p = skip_space(s, p);
    if (at_char(s, p, closer(n)))
        return p;
    *at = n->first = new_node(s);
    n->count = 1;
    return n->type == JSON_OBJECT ? read_key(s, p, *at) : p;
}

/* `p` is at the closing bracket. Returns the container around it. */
static inline struct json *close_container(struct parser *s, struct json *n, const char *p)
{
    struct json *around = n->next;

    s->depth--;
    n->next = NULL;
    n->flags |= n->len == s->space ? NODE_TIGHT : 0;
    n->len = (uint32_t)(p + 1 - n->text);
    return around;
}

/*
 * After the complete value `*at`: close the containers that end here and find the next value.
 * `*at` becomes the node to fill, or NULL at the end of the document.
 */
static inline const char *go_on(struct parser *s, const char *p, struct json **at,
                                struct json **open)
{
    struct json *done = *at;

    for (;;) {
        p = skip_space(s, p);
        if (!*open) {
            *at = NULL;
            return p == s->end ? p : expected(s, p, "expected the end of the text");
        }
        if (!at_char(s, p, closer(*open)))
            break;
        done = *open;
        *open = close_container(s, done, p++);
    }
    if (!at_char(s, p, ','))
        return expected(
            s, p, (*open)->type == JSON_OBJECT ? "expected ',' or '}'" : "expected ',' or ']'");
    p = skip_space(s, p + 1);
    *at = done->next = new_node(s);
    (*open)->count++;
    return (*open)->type == JSON_OBJECT ? read_key(s, p, *at) : p;
}

static const struct json *read_document(struct parser *s)
{
    struct json *root = new_node(s), *at = root, *open = NULL;
    const char *p = skip_space(s, s->start);

    while (at) {
        struct json *value = at;

        p = read_value(s, p, at);
        if (p && node_is_container(at))
            p = enter(s, p, &at, &open);
        if (p && at == value)
            p = go_on(s, p, &at, &open);
        if (!p)
            return NULL;
    }
    return root;
}

/* What follows the reason: the byte that was not expected, or the limit. */
static void add_detail(const struct parser *s, char *buf, size_t size)
{
    unsigned char c = s->bad < s->end ? (unsigned char)*s->bad : 0;

    if (s->code == -EFBIG)
        snprintf(buf, size, ", the limit is %zu", s->limit);
    else if (!s->expected)
        buf[0] = '\0';
    else if (s->bad == s->end)
        snprintf(buf, size, ", found the end of the text");
    else if (c == '/')
        snprintf(buf, size, ", found a comment");
    else if (c == '\'')
        snprintf(buf, size, ", found a single quote");
    else if (c > ' ' && c < 0x7f)
        snprintf(buf, size, ", found '%c'", c);
    else
        snprintf(buf, size, ", found byte 0x%02x", c);
}

static int report(const struct parser *s, struct json_reader *reader, struct err *e)
{
    size_t offset = (size_t)(s->bad - s->start);
    struct json_place at =
        json_place((struct str){ s->start, (size_t)(s->end - s->start) }, offset);
    char detail[64];

    if (reader)
        reader->error_offset = offset;
    add_detail(s, detail, sizeof(detail));
    return err_set(e, s->code, "line %u, column %u (offset %zu): %s%s", at.line, at.column, offset,
                   s->why, detail);
}

int json_parse(struct arena *a, struct str text, struct json_reader *reader,
               const struct json **out, struct err *e)
{
    size_t max_bytes = reader && reader->max_bytes ? reader->max_bytes : JSON_MAX_BYTES;
    struct parser s = { .arena = a, .max_depth = JSON_MAX_DEPTH };

    s.start = text.ptr ? text.ptr : "";
    s.end = s.start + text.len;
    if (reader && reader->max_depth)
        s.max_depth = reader->max_depth < JSON_DEPTH_LIMIT ? reader->max_depth : JSON_DEPTH_LIMIT;
    *out = NULL;
    if (max_bytes > JSON_MAX_BYTES)
        max_bytes = JSON_MAX_BYTES;
    if (text.len > max_bytes) {
        fail_limit(&s, s.start + max_bytes, "more bytes than allowed", max_bytes);
    } else if (str_starts(text, STR("\xef\xbb\xbf"))) {
        fail(&s, s.start, "byte order mark before the document: save the file without one");
    } else {
        *out = read_document(&s);
        give_back(&s);
    }
    return *out ? 0 : report(&s, reader, e);
}

struct json_place json_place(struct str text, size_t offset)
{
    struct json_place at = { 1, 1 };
    const char *p = text.ptr, *stop, *line;

    if (!p)
        return at;
    stop = p + (offset < text.len ? offset : text.len);
    while ((line = memchr(p, '\n', (size_t)(stop - p)))) {
        at.line++;
        p = line + 1;
    }
    at.column += (unsigned)(stop - p);
    return at;
}
