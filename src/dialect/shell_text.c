#include "dialect/shell_text.h"

#include "base/strbuf.h"

#include <ctype.h>

#define DEPTH_MAX 16

struct reading {
    struct shell_text *out;
    struct arena *arena;
    unsigned depth; /* of brackets and backticks */
    bool quiet;     /* only looking for an end: commands are not wanted */
};

static struct str slice(struct str s, size_t from, size_t to)
{
    return (struct str){ s.ptr + from, to > from ? to - from : 0 };
}

/* NUL behind the end: it means nothing here. */
static char char_at(struct str s, size_t i)
{
    if (i < s.len)
        return s.ptr[i];
    return '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Spans ---------------------------------------------------------------------------------------- */

static size_t skip(struct reading *r, struct str s, size_t i);
static void read_commands(struct reading *r, struct str s);

static size_t broken(struct reading *r, struct str s)
{
    r->out->broken = true;
    return s.len;
}

static void read_inside(struct reading *r, struct str inner)
{
    struct reading below = { r->out, r->arena, r->depth + 1, false };

    r->out->expands = true;
    if (r->quiet)
        return;
    if (r->depth >= DEPTH_MAX)
        r->out->broken = true;
    else
        read_commands(&below, inner);
}

/* The end of what begins at `i`, and nothing else. */
static size_t skip_quietly(struct reading *r, struct str s, size_t i)
{
    struct shell_text none = { 0 };
    struct reading inner = { &none, r->arena, r->depth + 1, true };

    i = skip(&inner, s, i);
    r->out->broken = r->out->broken || none.broken;
    return i;
}

static size_t skip_single(struct reading *r, struct str s, size_t i)
{
    for (i++; i < s.len; i++)
        if (s.ptr[i] == '\'')
            return i + 1;
    return broken(r, s);
}

static size_t skip_backticks(struct reading *r, struct str s, size_t i)
{
    size_t begin = i + 1;

    for (i++; i < s.len; i++) {
        if (s.ptr[i] == '\\')
            i++;
        else if (s.ptr[i] == '`') {
            read_inside(r, slice(s, begin, i));
            return i + 1;
        }
    }
    return broken(r, s);
}

/* Of $'…', in which a backslash counts and may stand for any character. */
static size_t skip_escaped(struct reading *r, struct str s, size_t i)
{
    r->out->expands = true;
    for (i += 2; i < s.len; i++) {
        if (s.ptr[i] == '\\')
            i++;
        else if (s.ptr[i] == '\'')
            return i + 1;
    }
    return broken(r, s);
}

/* From the bracket behind a $ to behind the one that closes it. */
static size_t skip_bracket(struct reading *r, struct str s, size_t i)
{
    char open = s.ptr[i], close = open == '(' ? ')' : '}';
    size_t begin = i + 1;
    unsigned count = 1;

    if (r->depth >= DEPTH_MAX)
        return broken(r, s);
    for (i++; i < s.len && !r->out->broken;) {
        if (s.ptr[i] == close && --count == 0) {
            if (open == '(')
                read_inside(r, slice(s, begin, i));
            return i + 1;
        }
        count += s.ptr[i] == open;
        i = skip_quietly(r, s, i);
    }
    return broken(r, s);
}

static size_t skip_dollar(struct reading *r, struct str s, size_t i)
{
    char next = char_at(s, i + 1);

    if (next == '(' || next == '{') {
        r->out->expands = true;
        return skip_bracket(r, s, i + 1);
    }
    if (is_name_char(next) || str_has_char("@*#?$!-", next))
        r->out->expands = true;
    return i + 1;
}

static size_t skip_double(struct reading *r, struct str s, size_t i)
{
    for (i++; i < s.len;) {
        if (s.ptr[i] == '"')
            return i + 1;
        if (s.ptr[i] == '\\')
            i += 2;
        else if (s.ptr[i] == '`')
            i = skip_backticks(r, s, i);
        else if (s.ptr[i] == '$')
            i = skip_dollar(r, s, i);
        else
            i++;
    }
    return broken(r, s);
}

/* To behind whatever begins at `i`: a quoted or expanded span, an escaped or a plain character. */
static size_t skip(struct reading *r, struct str s, size_t i)
{
    size_t end;

    switch (s.ptr[i]) {
    case '\'':
        end = skip_single(r, s, i);
        break;
    case '"':
        end = skip_double(r, s, i);
        break;
    case '`':
        end = skip_backticks(r, s, i);
        break;
    case '$':
        end = char_at(s, i + 1) == '\'' ? skip_escaped(r, s, i) : skip_dollar(r, s, i);
        break;
    case '\\':
        end = i + 2;
        break;
    default:
        end = i + 1;
    }
    return end < s.len ? end : s.len;
}

/* Commands ------------------------------------------------------------------------------------- */

static struct str word_at(struct reading *r, struct str s)
{
    size_t i = 0;

    while (i < s.len && !is_blank(s.ptr[i]))
        i = skip_quietly(r, s, i);
    return slice(s, 0, i);
}

static bool is_prefix(struct str word)
{
    static const char *const reserved[] = { "if",    "then",  "else", "elif", "do",
                                            "while", "until", "!",    "{",    "time" };
    size_t i = 0;

    for (size_t k = 0; k < ARRAY_LEN(reserved); k++)
        if (str_is(word, reserved[k]))
            return true;
    while (i < word.len && is_name_char(word.ptr[i]))
        i++;
    return i > 0 && i < word.len && word.ptr[i] == '=' && !isdigit((unsigned char)word.ptr[0]);
}

/* A line end behind a backslash is nothing at all. */
static size_t add_escaped(struct strbuf *out, char c)
{
    if (c != '\n')
        strbuf_addch(out, c);
    return 1;
}

/* Of a redirection in front, with its file; 0: there is none. */
static size_t redirection_length(struct reading *r, struct str s)
{
    size_t i = 0, blanks;

    while (isdigit((unsigned char)char_at(s, i)))
        i++;
    if (!str_has_char("<>", char_at(s, i)))
        return 0;
    while (str_has_char("<>&|", char_at(s, i)))
        i++;
    for (blanks = i; is_blank(char_at(s, blanks));)
        blanks++;
    return blanks + word_at(r, slice(s, blanks, s.len)).len;
}

/* Of what stands in front of a command; 0: nothing does. */
static size_t prefix_length(struct reading *r, struct str s)
{
    struct str word = word_at(r, s);
    size_t length = redirection_length(r, s);

    return length ? length : is_prefix(word) ? word.len : 0;
}

/* Without quotes and backslashes, white space outside of quotes as one blank. */
static struct str plain_of(struct reading *r, struct str s)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    bool single = false, twice = false;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '\'' && !twice)
            single = !single;
        else if (c == '"' && !single)
            twice = !twice;
        else if (c == '\\' && !single && i + 1 < s.len)
            i += add_escaped(&out, s.ptr[i + 1]);
        else if (!is_blank(c) || single || twice)
            strbuf_addch(&out, c);
        else if (out.len && out.buf[out.len - 1] != ' ')
            strbuf_addch(&out, ' ');
    }
    return (struct str){ arena_cstr(r->arena, strbuf_str(&out)), out.len };
}

static void add_command(struct reading *r, struct str raw)
{
    struct shell_command *c;
    size_t cut;

    for (raw = str_trim(raw); (cut = prefix_length(r, raw));)
        raw = str_trim(slice(raw, cut, raw.len));
    if (raw.len == 0)
        return;
    c = arena_new(r->arena, struct shell_command);
    c->raw = raw;
    c->plain = plain_of(r, raw);
    *r->out->end = c;
    r->out->end = &c->next;
}

static bool begins_comment(struct str s, size_t i)
{
    return s.ptr[i] == '#' && (i == 0 || str_has_char(" \t\n;&|(", s.ptr[i - 1]));
}

/* Between commands; an ampersand may also be part of a redirection. */
static bool is_separator(struct str s, size_t i)
{
    if (s.ptr[i] == '&')
        return char_at(s, i + 1) != '>' && (i == 0 || !str_has_char("<>", s.ptr[i - 1]));
    return str_has_char(";|()\n", s.ptr[i]) && (s.ptr[i] != '|' || i == 0 || s.ptr[i - 1] != '>');
}

/* A document may hold any quote there is: nobody can tell where commands go on. */
static bool begins_document(struct str s, size_t i)
{
    return s.ptr[i] == '<' && char_at(s, i + 1) == '<' && char_at(s, i + 2) != '<' &&
           (i == 0 || s.ptr[i - 1] != '<');
}

static void read_commands(struct reading *r, struct str s)
{
    size_t begin = 0, i = 0;

    while (i < s.len && !r->out->broken) {
        r->out->broken = begins_document(s, i);
        if (begins_comment(s, i)) {
            add_command(r, slice(s, begin, i));
            while (i < s.len && s.ptr[i] != '\n')
                i++;
            begin = i;
        } else if (is_separator(s, i)) {
            add_command(r, slice(s, begin, i));
            begin = ++i;
        } else {
            i = skip(r, s, i);
        }
    }
    add_command(r, slice(s, begin, s.len));
}

void shell_text_read(struct shell_text *t, struct arena *a, struct str text)
{
    struct reading r = { .out = t, .arena = a };

    *t = (struct shell_text){ 0 };
    t->end = &t->first;
    read_commands(&r, text);
}
