#include "agent/allowed.h"

#include "base/glob.h"
#include "base/strbuf.h"

#define COMMAND_MAX ((size_t)64 << 10)
#define SLASH       '\x01' /* stands for '/', which means nothing in a command */

/* A text for the shell, cut into simple commands. */
struct scan {
    struct str text;
    size_t at;
    struct strbuf *part; /* of the command in hand: what is matched */
};

static char peek(const struct scan *s, size_t ahead)
{
    size_t at = s->at + ahead;

    return at < s->text.len ? s->text.ptr[at] : '\0';
}

static bool is_over(const struct scan *s)
{
    return s->at >= s->text.len;
}

static bool looks_at(const struct scan *s, const char *word)
{
    struct str rest = { s->text.ptr + s->at, s->text.len - s->at };

    return str_starts(rest, str_of(word));
}

static void take(struct scan *s, size_t count)
{
    for (; count && !is_over(s); count--)
        strbuf_addch(s->part, s->text.ptr[s->at++]);
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "$NAME" and "${NAME}": what comes of them is never read as shell again. Nothing else is known. */
static bool take_dollar(struct scan *s)
{
    size_t n = 1;

    if (peek(s, 1) == '{') {
        for (n = 2; is_name_char(peek(s, n)); n++)
            ;
        if (n == 2 || peek(s, n) != '}')
            return false;
        n++;
    } else if (str_has_char("('\"[`", peek(s, 1))) {
        return false;
    }
    take(s, n);
    return true;
}

static bool take_single_quotes(struct scan *s)
{
    const char *from = s->text.ptr + s->at + 1;
    const char *end = memchr(from, '\'', s->text.len - s->at - 1);

    if (!end)
        return false;
    take(s, (size_t)(end - from) + 2);
    return true;
}

static bool take_double_quotes(struct scan *s)
{
    take(s, 1);
    while (!is_over(s) && peek(s, 0) != '"') {
        if (peek(s, 0) == '`')
            return false;
        if (peek(s, 0) == '\\')
            take(s, 2);
        else if (peek(s, 0) != '$')
            take(s, 1);
        else if (!take_dollar(s))
            return false;
    }
    if (is_over(s))
        return false;
    take(s, 1);
    return true;
}

static bool ends_word(char c)
{
    return c == '\0' || str_has_char(" \t;|&", c);
}

/* The number in front of '>' belongs to it when it is a word of its own. */
static void drop_number(struct strbuf *part)
{
    size_t n = part->len;

    if (n && (part->buf[n - 1] == '1' || part->buf[n - 1] == '2') &&
        (n == 1 || part->buf[n - 2] == ' '))
        part->len--;
}

/* Only what writes nowhere: ">&1", ">&2", ">/dev/null". It is no part of what is matched. */
static bool skip_redirection(struct scan *s)
{
    static const char nowhere[] = "/dev/null";

    s->at++;
    if (peek(s, 0) == '&') {
        if ((peek(s, 1) != '1' && peek(s, 1) != '2') || !ends_word(peek(s, 2)))
            return false;
        s->at += 2;
    } else {
        while (peek(s, 0) == ' ')
            s->at++;
        if (!looks_at(s, nowhere) || !ends_word(peek(s, strlen(nowhere))))
            return false;
        s->at += strlen(nowhere);
    }
    drop_number(s->part);
    return true;
}

/* Behind a simple command. False: what stands here makes more of it than commands in a row. */
static bool skip_separator(struct scan *s)
{
    if (looks_at(s, "&&") || looks_at(s, "||")) {
        s->at += 2;
        return true;
    }
    if (peek(s, 0) == '&' || looks_at(s, "|&") || looks_at(s, ";;") || looks_at(s, ";&"))
        return false;
    s->at++;
    return true;
}

static bool begins_word(const struct strbuf *part)
{
    return part->len == 0 || str_has_char(" \t", part->buf[part->len - 1]);
}

/* A quote in a comment quotes nothing: behind '#' nothing can be told. */
static bool take_one(struct scan *s)
{
    char c = peek(s, 0);

    if (str_has_char("\n`()<", c) || (c == '#' && begins_word(s->part)))
        return false;
    if (c == '\'')
        return take_single_quotes(s);
    if (c == '"')
        return take_double_quotes(s);
    if (c == '$')
        return take_dollar(s);
    if (c == '>')
        return skip_redirection(s);
    if (c == '\\' && (peek(s, 1) == '\n' || s->at + 1 >= s->text.len))
        return false;
    take(s, c == '\\' ? 2 : 1);
    return true;
}

/* The next simple command. False: it cannot be told. */
static bool cut_command(struct scan *s)
{
    strbuf_reset(s->part);
    while (!is_over(s) && !str_has_char(";|&", peek(s, 0)))
        if (!take_one(s))
            return false;
    return is_over(s) || skip_separator(s);
}

/* Only some of them are white space to the shell, and SLASH is ours. */
static bool has_controls(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 && text.ptr[i] != '\t' && text.ptr[i] != '\n')
            return true;
    return false;
}

static void hide_slashes(struct strbuf *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->buf[i] == '/')
            b->buf[i] = SLASH;
}

static bool matches_any(const char *const *patterns, struct strbuf *command)
{
    hide_slashes(command);
    for (; *patterns; patterns++) {
        CLEANUP(strbuf) struct strbuf pattern = { 0 };

        strbuf_addstr(&pattern, *patterns);
        hide_slashes(&pattern);
        if (glob_match(strbuf_str(&pattern), str_trim(strbuf_str(command))) == 1)
            return true;
    }
    return false;
}

bool allowed_command(const char *const *patterns, struct str command)
{
    CLEANUP(strbuf) struct strbuf part = { 0 };
    struct scan s = { .text = str_trim(command), .part = &part };

    for (const char *const *p = patterns; *p; p++)
        if (s.text.len && str_is(s.text, *p))
            return true;
    if (s.text.len == 0 || s.text.len > COMMAND_MAX || has_controls(command))
        return false;
    while (!is_over(&s))
        if (!cut_command(&s) || !matches_any(patterns, &part))
            return false;
    return true;
}

char *allowed_words(struct arena *a, const char *const *patterns)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const char *const *p = patterns; *p; p++)
        strbuf_printf(&all, "%s'%s'", p == patterns ? "" : ", ", *p);
    if (!*patterns)
        return arena_strdup(a, "no command may be run here");
    return arena_printf(a,
                        "only simple commands that match one of these may be run here, without "
                        "substitutions, newlines and redirections: %s",
                        strbuf_cstr(&all));
}
