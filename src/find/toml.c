#include "find/toml.h"

#include <ctype.h>
#include <errno.h>

struct toml {
    struct arena *arena;
    const char *at, *end;
    unsigned line;
    const struct json *root;
};

/* A dotted name, and where its tables begin. */
struct toml_path {
    struct str part[TOML_MAX_DEPTH];
    size_t count;
};

static int fail(const struct toml *t, struct err *e, const char *what)
{
    return err_set(e, -EBADMSG, "line %u: %s", t->line, what);
}

/* Spaces ----------------------------------------------------------------------------------------
 */

static char peek(const struct toml *t)
{
    if (t->at < t->end)
        return *t->at;
    return '\0';
}

static void skip_blanks(struct toml *t)
{
    while (peek(t) == ' ' || peek(t) == '\t')
        t->at++;
}

static void skip_comment(struct toml *t)
{
    while (peek(t) == '#')
        while (t->at < t->end && *t->at != '\n')
            t->at++;
}

/* Also lines and comments. */
static void skip_all(struct toml *t)
{
    while (t->at < t->end && (isspace((unsigned char)*t->at) || *t->at == '#')) {
        skip_comment(t);
        t->line += peek(t) == '\n';
        t->at += t->at < t->end;
    }
}

static bool take(struct toml *t, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(t->end - t->at) < len || memcmp(t->at, word, len) != 0)
        return false;
    t->at += len;
    return true;
}

/* Texts -----------------------------------------------------------------------------------------
 */

static void add_rune(struct strbuf *out, unsigned long rune)
{
    if (rune < 0x80)
        strbuf_addch(out, (char)rune);
    else if (rune < 0x800)
        strbuf_printf(out, "%c%c", (int)(0xc0 | rune >> 6), (int)(0x80 | (rune & 0x3f)));
    else if (rune < 0x10000)
        strbuf_printf(out, "%c%c%c", (int)(0xe0 | rune >> 12), (int)(0x80 | (rune >> 6 & 0x3f)),
                      (int)(0x80 | (rune & 0x3f)));
    else
        strbuf_printf(out, "%c%c%c%c", (int)(0xf0 | rune >> 18), (int)(0x80 | (rune >> 12 & 0x3f)),
                      (int)(0x80 | (rune >> 6 & 0x3f)), (int)(0x80 | (rune & 0x3f)));
}

static bool read_rune(struct toml *t, size_t digits, unsigned long *rune)
{
    *rune = 0;
    for (size_t i = 0; i < digits; i++, t->at++) {
        char c = (char)tolower((unsigned char)peek(t));

        if (!isxdigit((unsigned char)c))
            return false;
        *rune = *rune * 16 + (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return *rune > 0 && *rune < 0x110000;
}

/* Behind a backslash. False: there is no such escape. */
static bool read_escape(struct toml *t, struct strbuf *out)
{
    static const char names[] = "btnfre\"\\", values[] = "\b\t\n\f\r\x1b\"\\";
    char c = peek(t);
    const char *at = c ? strchr(names, c) : NULL;
    unsigned long rune;

    if (!c)
        return false;
    t->at++;
    if (at)
        strbuf_addch(out, values[at - names]);
    else if (c == 'u' || c == 'U') {
        if (!read_rune(t, c == 'u' ? 4 : 8, &rune))
            return false;
        add_rune(out, rune);
    } else if (c == '\n') { /* a line that goes on */
        t->at--;
        while (isspace((unsigned char)peek(t))) {
            t->line += *t->at == '\n';
            t->at++;
        }
    } else
        return false;
    return true;
}

/* `mark` is what the text began with, and ends with. */
static int read_text(struct toml *t, const char *mark, struct str *out, struct err *e)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    bool basic = mark[0] == '"', lines = mark[1] != '\0';

    if (lines && peek(t) == '\n') {
        t->line++;
        t->at++;
    }
    while (!take(t, mark)) {
        char c = peek(t);

        if (t->at >= t->end || (c == '\n' && !lines))
            return fail(t, e, "a text has no end");
        t->at++;
        t->line += c == '\n';
        if (c != '\\' || !basic)
            strbuf_addch(&text, c);
        else if (!read_escape(t, &text))
            return fail(t, e, "there is no such escape");
    }
    *out = (struct str){ arena_cstr(t->arena, strbuf_str(&text)), text.len };
    if (!out->ptr)
        *out = STR("");
    return 0;
}

static int read_quoted(struct toml *t, struct str *out, struct err *e)
{
    static const char *const marks[] = { "\"\"\"", "'''", "\"", "'" };

    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (take(t, marks[i]))
            return read_text(t, marks[i], out, e);
    return fail(t, e, "expected a text");
}

/* Names -----------------------------------------------------------------------------------------
 */

static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static int read_part(struct toml *t, struct str *out, struct err *e)
{
    const char *from = t->at;

    if (peek(t) == '"' || peek(t) == '\'')
        return read_quoted(t, out, e);
    while (is_bare(peek(t)))
        t->at++;
    if (t->at == from)
        return fail(t, e, "expected a name");
    *out = (struct str){ from, (size_t)(t->at - from) };
    return 0;
}

/* Adds to the path. */
static int read_name(struct toml *t, struct toml_path *path, struct err *e)
{
    int r;

    do {
        skip_blanks(t);
        if (path->count == TOML_MAX_DEPTH)
            return fail(t, e, "tables lie too deep in one another");
        r = read_part(t, &path->part[path->count], e);
        if (r < 0)
            return r;
        path->count++;
        skip_blanks(t);
    } while (take(t, "."));
    return 0;
}

static const struct json *with(struct arena *a, const struct json *in, const struct str *part,
                               size_t count, const struct json *value)
{
    if (count > 1)
        value = with(a, json_get(in, part[0]), part + 1, count - 1, value);
    return json_with(a, in, part[0], value);
}

/* Values ----------------------------------------------------------------------------------------
 */

static int read_value(struct toml *t, unsigned depth, const struct json **out, struct err *e);

static int read_array(struct toml *t, unsigned depth, const struct json **out, struct err *e)
{
    struct json *list = json_array(t->arena);
    const struct json *one;

    for (skip_all(t); !take(t, "]"); skip_all(t)) {
        int r = read_value(t, depth, &one, e);

        if (r < 0)
            return r;
        json_push(t->arena, list, one);
        skip_all(t);
        if (!take(t, ",") && peek(t) != ']')
            return fail(t, e, "expected ',' or ']'");
    }
    *out = list;
    return 0;
}

static int read_member(struct toml *t, unsigned depth, const struct json **table, struct err *e)
{
    struct toml_path path = { .count = 0 };
    const struct json *value = NULL;
    int r = read_name(t, &path, e);

    if (r < 0)
        return r;
    if (!take(t, "="))
        return fail(t, e, "expected '='");
    skip_blanks(t);
    r = read_value(t, depth, &value, e);
    if (r == 0)
        *table = with(t->arena, *table, path.part, path.count, value);
    return r;
}

static int read_inline(struct toml *t, unsigned depth, const struct json **out, struct err *e)
{
    *out = json_object(t->arena);
    for (skip_all(t); !take(t, "}"); skip_all(t)) {
        int r = read_member(t, depth, out, e);

        if (r < 0)
            return r;
        skip_all(t);
        if (!take(t, ",") && peek(t) != '}')
            return fail(t, e, "expected ',' or '}'");
    }
    return 0;
}

/* A number, a date or a truth value. */
static int read_bare(struct toml *t, const struct json **out, struct err *e)
{
    const char *from = t->at;
    struct str word;

    while (is_bare(peek(t)) || str_has_char("+.:", peek(t)))
        t->at++;
    word = (struct str){ from, (size_t)(t->at - from) };
    if (!word.len)
        return fail(t, e, "expected a value");
    if (str_is(word, "true") || str_is(word, "false"))
        *out = json_bool(t->arena, word.len == 4);
    else
        *out = json_string(t->arena, word);
    return 0;
}

static int read_value(struct toml *t, unsigned depth, const struct json **out, struct err *e)
{
    struct str text;
    int r;

    if (depth >= TOML_MAX_DEPTH)
        return fail(t, e, "values lie too deep in one another");
    if (take(t, "["))
        return read_array(t, depth + 1, out, e);
    if (take(t, "{"))
        return read_inline(t, depth + 1, out, e);
    if (peek(t) != '"' && peek(t) != '\'')
        return read_bare(t, out, e);
    r = read_quoted(t, &text, e);
    if (r == 0)
        *out = json_string(t->arena, text);
    return r;
}

/* Lines -----------------------------------------------------------------------------------------
 */

static int read_header(struct toml *t, struct toml_path *table, struct err *e)
{
    bool many = take(t, "[");
    int r;

    table->count = 0;
    r = read_name(t, table, e);
    if (r < 0)
        return r;
    return take(t, many ? "]]" : "]") ? 0 : fail(t, e, "expected ']' behind the name of a table");
}

static int read_setting(struct toml *t, const struct toml_path *table, struct err *e)
{
    const struct json *members = NULL;
    struct toml_path path = *table;
    int r = read_member(t, 0, &members, e);

    if (r < 0)
        return r;
    if (!path.count)
        t->root = json_merge(t->arena, t->root, members);
    else {
        const struct json *old = t->root;

        for (size_t i = 0; i < path.count; i++)
            old = json_get(old, path.part[i]);
        t->root =
            with(t->arena, t->root, path.part, path.count, json_merge(t->arena, old, members));
    }
    return 0;
}

int toml_parse(struct arena *a, struct str text, const struct json **out, struct err *e)
{
    struct toml t = { .arena = a, .at = text.ptr, .end = text.ptr + text.len, .line = 1 };
    struct toml_path table = { .count = 0 };
    int r = 0;

    t.root = json_object(a);
    for (skip_all(&t); r == 0 && t.at < t.end; skip_all(&t)) {
        r = take(&t, "[") ? read_header(&t, &table, e) : read_setting(&t, &table, e);
        skip_blanks(&t);
        skip_comment(&t);
        take(&t, "\r");
        if (r == 0 && t.at < t.end && peek(&t) != '\n')
            r = fail(&t, e, "expected the end of the line");
    }
    *out = t.root;
    return r;
}
