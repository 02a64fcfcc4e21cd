#include "hook/shell_words.h"

#include "base/strbuf.h"

#include <errno.h>

#define DEPTH_MAX 32
#define WORDS_MAX 4096

enum redirect { REDIRECT_NONE, REDIRECT_READ, REDIRECT_WRITE };

/* Where in a `case` we are. */
enum in_case { CASE_SUBJECT, CASE_IN, CASE_PATTERN, CASE_BODY };

struct scan {
    struct arena *arena;
    struct str text;
    size_t at;
    unsigned depth;
    const struct shell_variable *variables;
    struct shell_words *out;
};

/* A word on its way. */
struct building {
    struct strbuf text;
    bool unknown, filled;
    bool quoted;         /* some of it is in quotes */
    bool brace, bracket; /* an open one, not quoted */
};

static inline void building_cleanup(struct building *b)
{
    strbuf_release(&b->text);
}

/* One list of commands: the whole text or what is inside "$(…)". */
struct list {
    bool command; /* the next word names a program */
    enum redirect redirect;
    unsigned parens;
    unsigned cases;
    enum in_case in_case[DEPTH_MAX];
};

static int parse_list(struct scan *s, bool nested, struct err *e);

static char peek(const struct scan *s, size_t ahead)
{
    return s->at + ahead < s->text.len ? s->text.ptr[s->at + ahead] : '\0';
}

static bool at_end(const struct scan *s)
{
    return s->at >= s->text.len;
}

static int refuse(struct err *e, const char *what)
{
    return err_set(e, -EINVAL, "a shell text with %s can't be checked: put it in a script file",
                   what);
}

static bool is_name_char(char c, bool first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (!first && c >= '0' && c <= '9');
}

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\n;&|<>()", c);
}

/* Expansions ----------------------------------------------------------------------------------- */

static void put_variable(const struct scan *s, struct str name, struct building *b)
{
    for (const struct shell_variable *v = s->variables; v && v->name; v++) {
        if (!str_is(name, v->name))
            continue;
        strbuf_addstr(&b->text, v->value);
        b->filled = true;
        return;
    }
    b->unknown = true;
}

static struct str read_name(struct scan *s)
{
    size_t begin = s->at;

    while (is_name_char(peek(s, 0), s->at == begin))
        s->at++;
    return (struct str){ s->text.ptr + begin, s->at - begin };
}

/* "$((" has been read. Only what is surely arithmetic: else it is a command of its own. */
static int skip_arithmetic(struct scan *s, struct err *e)
{
    unsigned open = 0;

    for (; !at_end(s); s->at++) {
        char c = peek(s, 0);

        if (c == ')' && open == 0 && peek(s, 1) == ')') {
            s->at += 2;
            return 0;
        }
        if ((c == ')' && open-- == 0) || strchr(".;'\"\\`\n", c) || (c == '$' && peek(s, 1) == '('))
            break;
        open += c == '(';
    }
    return refuse(e, "'$((' of this kind");
}

static int parse_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e);

/* "${" has been read. */
static int parse_braces(struct scan *s, struct building *b, struct err *e)
{
    struct str name = read_name(s);
    int r = 0;

    if (name.len && peek(s, 0) == '}') {
        s->at++;
        put_variable(s, name, b);
        return 0;
    }
    b->unknown = true;
    while (r == 0 && !at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '}')
            return 0;
        if (c == '`' || c == '\'' || c == '"' || c == '\\')
            return refuse(e, "quotes inside '${…}'");
        if (c == '$')
            r = parse_dollar(s, b, true, e);
        else
            strbuf_addch(&b->text, c);
    }
    return r < 0 ? r : refuse(e, "'${' and no '}'");
}

static int parse_nested(struct scan *s, struct err *e)
{
    int r;

    if (++s->depth > DEPTH_MAX)
        return refuse(e, "so much nesting");
    r = parse_list(s, true, e);
    s->depth--;
    return r;
}

/* "$" has been read. */
static int parse_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    char c = peek(s, 0);
    int r;

    if (c == '(' && peek(s, 1) == '(') {
        b->unknown = true;
        s->at += 2;
        return skip_arithmetic(s, e);
    }
    if (c == '(') {
        b->unknown = true;
        s->at++;
        return parse_nested(s, e);
    }
    if (c == '{') {
        if (++s->depth > DEPTH_MAX)
            return refuse(e, "so much nesting");
        s->at++;
        r = parse_braces(s, b, e);
        s->depth--;
        return r;
    }
    if (is_name_char(c, true)) {
        put_variable(s, read_name(s), b);
        return 0;
    }
    if ((c == '\'' || c == '"') && !in_quotes)
        return refuse(e, "\"$'…'\"");
    if (c == '[')
        return refuse(e, "'$[…]'");
    if (c && (strchr("@*#?-$!", c) || (c >= '0' && c <= '9'))) {
        b->unknown = true;
        s->at++;
        return 0;
    }
    strbuf_addch(&b->text, '$');
    return 0;
}

/* Words ---------------------------------------------------------------------------------------- */

static int parse_double(struct scan *s, struct building *b, struct err *e)
{
    int r = 0;

    while (r == 0 && !at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '"')
            return 0;
        if (c == '`')
            return refuse(e, "backquotes");
        if (c == '$') {
            r = parse_dollar(s, b, true, e);
            continue;
        }
        if (c == '\\' && !at_end(s) && strchr("$`\"\\\n", peek(s, 0))) {
            c = s->text.ptr[s->at++];
            if (c == '\n')
                continue;
        }
        strbuf_addch(&b->text, c);
    }
    return r < 0 ? r : refuse(e, "a quote that is not closed");
}

static int parse_single(struct scan *s, struct building *b, struct err *e)
{
    const char *begin = s->text.ptr + s->at, *end = memchr(begin, '\'', s->text.len - s->at);

    if (!end)
        return refuse(e, "a quote that is not closed");
    strbuf_add(&b->text, begin, (size_t)(end - begin));
    s->at += (size_t)(end - begin) + 1;
    return 0;
}

static void parse_escape(struct scan *s, struct building *b)
{
    char c = at_end(s) ? '\\' : s->text.ptr[s->at++];

    if (c != '\n')
        strbuf_addch(&b->text, c);
}

/* "~" stands for the home folder at the beginning only; elsewhere it may. */
static void parse_tilde(struct scan *s, struct building *b, bool first)
{
    char next = peek(s, 0), before = s->at > 1 ? s->text.ptr[s->at - 2] : '\0';

    if (first && (next == '/' || ends_word(next))) {
        put_variable(s, STR("HOME"), b);
        return;
    }
    b->unknown = b->unknown || first || before == '=' || before == ':';
    strbuf_addch(&b->text, '~');
}

/* Characters that make one word several, or the names of files. */
static void parse_plain(struct scan *s, struct building *b, char c)
{
    b->brace = b->brace || c == '{';
    b->bracket = b->bracket || c == '[';
    if (c == '*' || c == '?' || (c == ']' && b->bracket) ||
        (b->brace && (c == ',' || (c == '.' && peek(s, 0) == '.'))))
        b->unknown = true;
    strbuf_addch(&b->text, c);
}

static int parse_word(struct scan *s, struct building *b, struct err *e)
{
    size_t begin = s->at;
    int r = 0;

    while (r == 0 && !at_end(s) && !ends_word(peek(s, 0))) {
        char c = s->text.ptr[s->at++];

        b->quoted = b->quoted || c == '\\' || c == '\'' || c == '"';
        if (c == '\\')
            parse_escape(s, b);
        else if (c == '\'')
            r = parse_single(s, b, e);
        else if (c == '"')
            r = parse_double(s, b, e);
        else if (c == '$')
            r = parse_dollar(s, b, false, e);
        else if (c == '`')
            r = refuse(e, "backquotes");
        else if (c == '~')
            parse_tilde(s, b, s->at - 1 == begin);
        else
            parse_plain(s, b, c);
    }
    return r;
}

/* Commands ------------------------------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool is_assignment(struct str raw)
{
    size_t i = 0;

    while (i < raw.len && is_name_char(raw.ptr[i], i == 0))
        i++;
    return i > 0 && i < raw.len && raw.ptr[i] == '=';
}

/* Words of the grammar where a command begins. True: it was one. */
static int take_reserved(struct list *l, const char *word, struct err *e)
{
    static const char *const before_command[] = { "if",    "then", "elif", "else", "while",
                                                  "until", "do",   "{",    "!",    "time",
                                                  NULL };
    static const char *const no_command[] = { "fi",     "done",     "}",  "for",
                                              "select", "function", NULL };

    if (is_one_of(word, before_command))
        return 1;
    if (strcmp(word, "case") == 0) {
        if (l->cases == DEPTH_MAX)
            return refuse(e, "so much nesting");
        l->in_case[l->cases++] = CASE_SUBJECT;
        l->command = false;
        return 1;
    }
    if (strcmp(word, "esac") == 0 && l->cases > 0) {
        l->cases--;
        l->command = false;
        return 1;
    }
    if (!is_one_of(word, no_command))
        return 0;
    l->command = false;
    return 1;
}

/* Subject and patterns of a `case`. True: the word was one. */
static bool take_case(struct list *l, const char *plain)
{
    enum in_case *where = l->cases ? &l->in_case[l->cases - 1] : NULL;

    if (!where || *where == CASE_BODY)
        return false;
    if (*where == CASE_PATTERN && plain && strcmp(plain, "esac") == 0)
        l->cases--;
    else if (*where == CASE_IN && plain && strcmp(plain, "in") == 0)
        *where = CASE_PATTERN;
    else if (*where == CASE_SUBJECT)
        *where = CASE_IN;
    return true;
}

static int add_word(struct scan *s, const struct building *b, size_t begin, struct shell_word **out,
                    struct err *e)
{
    struct shell_words *w = s->out;

    if (w->count == WORDS_MAX)
        return refuse(e, "so many words");
    if (w->count == w->room) {
        size_t room = w->room ? w->room * 2 : 16;
        struct shell_word *more = arena_array(s->arena, struct shell_word, room);

        if (w->count)
            memcpy(more, w->list, w->count * sizeof(*more));
        w->list = more;
        w->room = room;
    }
    *out = &w->list[w->count++];
    **out = (struct shell_word){ .at = begin, .len = s->at - begin, .filled = b->filled };
    (*out)->seen = arena_cstr(s->arena, strbuf_str(&b->text));
    (*out)->text = b->unknown ? NULL : (*out)->seen;
    return 0;
}

/* What the word is, from where it stands. */
static int place_word(struct scan *s, struct list *l, const struct building *b, size_t begin,
                      struct err *e)
{
    const struct str raw = { s->text.ptr + begin, s->at - begin };
    const char *plain = b->unknown || b->quoted ? NULL : strbuf_cstr(&b->text);
    struct shell_word *word;
    int r;

    if (l->redirect == REDIRECT_NONE && take_case(l, plain))
        return 0;
    if (l->redirect == REDIRECT_NONE && l->command && plain) {
        r = take_reserved(l, plain, e);
        if (r != 0)
            return r < 0 ? r : 0;
    }
    if (plain && strspn(plain, "0123456789") == raw.len && strchr("<>", peek(s, 0)) && !at_end(s))
        return 0; /* the descriptor in "2>" */
    r = add_word(s, b, begin, &word, e);
    if (r < 0)
        return r;
    word->written = l->redirect == REDIRECT_WRITE;
    if (l->redirect == REDIRECT_NONE && !is_assignment(raw)) {
        word->command = l->command;
        l->command = false;
    }
    l->redirect = REDIRECT_NONE;
    return 0;
}

static int take_word(struct scan *s, struct list *l, struct err *e)
{
    CLEANUP(building) struct building b = { 0 };
    size_t begin = s->at;
    int r = parse_word(s, &b, e);

    return r < 0 ? r : place_word(s, l, &b, begin, e);
}

/* Operators ------------------------------------------------------------------------------------ */

/* '<' or '>' has been read. */
static int take_redirect(struct scan *s, struct list *l, char c, struct err *e)
{
    char next = peek(s, 0);

    if (next == '(')
        return refuse(e, "process substitution");
    if (c == '<' && next == '<')
        return refuse(e, "a here-document");
    l->redirect = c == '>' || next == '>' ? REDIRECT_WRITE : REDIRECT_READ;
    if (next && strchr(">&|", next))
        s->at++;
    return 0;
}

/* What separates commands has been read: one of ";&|\n". */
static void take_separator(struct scan *s, struct list *l, char c)
{
    enum in_case *where = l->cases ? &l->in_case[l->cases - 1] : NULL;

    if (c == '&' && peek(s, 0) == '>') { /* both outputs, in some shells */
        s->at++;
        l->redirect = REDIRECT_WRITE;
        return;
    }
    if (c == ';' && (peek(s, 0) == ';' || peek(s, 0) == '&')) {
        s->at++;
        if (where && *where == CASE_BODY)
            *where = CASE_PATTERN;
    }
    l->command = true;
}

/* ')' has been read. 1: it ends the list. */
static int take_close(struct list *l, bool nested, struct err *e)
{
    enum in_case *where = l->cases ? &l->in_case[l->cases - 1] : NULL;

    l->command = true;
    if (where && *where == CASE_PATTERN) {
        *where = CASE_BODY;
        return 0;
    }
    if (l->parens > 0) {
        l->parens--;
        return 0;
    }
    return nested ? 1 : refuse(e, "')' and no '('");
}

static void take_open(struct list *l)
{
    if (l->cases && l->in_case[l->cases - 1] == CASE_PATTERN)
        return;
    l->parens++;
    l->command = true;
}

/* One operator, blank, comment or word. 1: the list is over. */
static int take_next(struct scan *s, struct list *l, bool nested, struct err *e)
{
    char c = peek(s, 0);

    if (!ends_word(c) && c != '#' && !(c == '\\' && peek(s, 1) == '\n'))
        return take_word(s, l, e);
    s->at++;
    switch (c) {
    case '\\':
        s->at++;
        return 0;
    case '#':
        while (!at_end(s) && peek(s, 0) != '\n')
            s->at++;
        return 0;
    case '<':
    case '>':
        return take_redirect(s, l, c, e);
    case '(':
        take_open(l);
        return 0;
    case ')':
        return take_close(l, nested, e);
    case ' ':
    case '\t':
        return 0;
    default:
        take_separator(s, l, c);
        return 0;
    }
}

static int parse_list(struct scan *s, bool nested, struct err *e)
{
    struct list l = { .command = true };
    int r = 0;

    while (r == 0 && !at_end(s))
        r = take_next(s, &l, nested, e);
    if (r == 0 && nested)
        return refuse(e, "'$(' and no ')'");
    return r < 0 ? r : 0;
}

int shell_words_parse(struct arena *a, struct str text, const struct shell_variable *variables,
                      struct shell_words *out, struct err *e)
{
    struct scan s = { .arena = a, .text = text, .variables = variables, .out = out };

    *out = (struct shell_words){ 0 };
    if (text.len && memchr(text.ptr, '\0', text.len))
        return refuse(e, "a zero byte");
    return parse_list(&s, false, e);
}

char *shell_quote(struct arena *a, const char *text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    strbuf_addch(&out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_addstr(&out, "'\\''");
        else
            strbuf_addch(&out, *text);
    }
    strbuf_addch(&out, '\'');
    return arena_cstr(a, strbuf_str(&out));
}
