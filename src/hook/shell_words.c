#include "hook/shell_words.h"

#include "hook/shell_scan.h"

#define WORDS_MAX 4096

static bool is_assignment(struct str raw)
{
    size_t i = 0;

    while (i < raw.len && scan_is_name_char(raw.ptr[i], i == 0))
        i++;
    if (i > 0 && i < raw.len && raw.ptr[i] == '[')
        while (i < raw.len && raw.ptr[i++] != ']')
            continue;
    if (i > 0 && i < raw.len && raw.ptr[i] == '+')
        i++;
    return i > 0 && i < raw.len && raw.ptr[i] == '=';
}

/* Words of the grammar where a command begins. True: it was one. */
static int take_reserved(struct list *l, const char *word, struct err *e)
{
    static const char *const before_command[] = { "if", "then", "elif", "else", "while",  "until",
                                                  "do", "{",    "!",    "time", "coproc", NULL };
    static const char *const no_command[] = {
        "fi", "done", "}", "for", "select", "function", NULL
    };

    if (scan_is_one_of(word, before_command))
        return 1;
    if (strcmp(word, "case") == 0) {
        if (l->cases == SHELL_DEPTH_MAX)
            return scan_refuse(e, "so much nesting");
        l->in_case[l->cases++] = CASE_SUBJECT;
        l->command = false;
        return 1;
    }
    if (strcmp(word, "esac") == 0 && l->cases > 0) {
        l->cases--;
        l->command = false;
        return 1;
    }
    if (!scan_is_one_of(word, no_command))
        return 0;
    l->command = false;
    l->naming = strcmp(word, "function") == 0;
    l->loops = strcmp(word, "for") == 0 || strcmp(word, "select") == 0;
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

/* What follows is what the function does. */
static void name_function(struct scan *s, struct list *l, const struct building *b)
{
    s->function = arena_cstr(s->arena, strbuf_str(&b->text));
    l->now = NULL;
    l->naming = false;
    l->command = true;
}

static int add_word(struct scan *s, const struct building *b, size_t begin, struct shell_word **out,
                    struct err *e)
{
    struct shell_words *w = s->out;

    *out = NULL;
    if (!w)
        return 0;
    if (w->count == WORDS_MAX)
        return scan_refuse(e, "so many words");
    w->list = arena_grow(s->arena, w->list, w->count, &w->room, sizeof(*w->list));
    *out = &w->list[w->count++];
    **out = (struct shell_word){
        .at = begin,
        .len = s->at - begin,
        .filled = b->filled,
        .expands = b->expands,
        .globs = b->globs,
        .quoted = b->quoted,
    };
    (*out)->seen = arena_cstr(s->arena, strbuf_str(&b->text));
    (*out)->text = b->unknown ? NULL : (*out)->seen;
    return 0;
}

/* The word for who wants commands. */
static int keep(struct scan *s, struct list *l, const struct building *b, size_t begin,
                struct err *e)
{
    if (l->redirect != REDIRECT_NONE) {
        keep_redirect(s, l, b, begin);
    } else if (b->assigns) {
        keep_assignment(s, l, b, begin);
    } else if (l->command || l->now->count > 0) {
        return keep_word(s, l, b, begin, e);
    } else if (l->loops || str_is_set(l->looping)) {
        keep_loop(s, l, b);
    }
    return 0;
}

/* What the word is, from where it stands. */
static int place_word(struct scan *s, struct list *l, struct building *b, size_t begin,
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
    if (plain && strspn(plain, "0123456789") == raw.len && strchr("<>", scan_peek(s, 0)) &&
        !scan_at_end(s))
        return 0; /* the descriptor in "2>" */
    if (s->commands && l->naming && l->redirect == REDIRECT_NONE) {
        name_function(s, l, b);
        return 0;
    }
    b->assigns = l->redirect == REDIRECT_NONE && l->command && is_assignment(raw);
    r = add_word(s, b, begin, &word, e);
    if (r == 0 && s->commands)
        r = keep(s, l, b, begin, e);
    if (r < 0)
        return r;
    if (word)
        word->written = l->redirect == REDIRECT_WRITE || l->redirect == REDIRECT_APPEND;
    if (l->redirect == REDIRECT_NONE && !b->assigns) {
        if (word)
            word->command = l->command;
        l->command = false;
    }
    l->redirect = REDIRECT_NONE;
    return 0;
}

static int read_word(struct scan *s, struct list *l, struct building *b, struct err *e)
{
    size_t begin = s->at;
    int r;

    if (s->commands)
        keep_begin(s, l);
    r = scan_word(s, b, e);
    if (s->commands)
        s->commands->expands = s->commands->expands || b->expands;
    if (r < 0)
        s->at = s->text.len;
    if (r < 0 && s->commands && keep_word(s, l, b, begin, NULL) < 0) /* what there is of it */
        return r;
    return r < 0 ? r : place_word(s, l, b, begin, e);
}

/* In the memory of the word before it; words inside of it get their own. */
static int take_word(struct scan *s, struct list *l, struct err *e)
{
    struct building b = { .text = s->spare };
    int r;

    b.text.max = SHELL_WORD_MAX;
    s->spare = (struct strbuf){ 0 };
    r = read_word(s, l, &b, e);
    strbuf_release(&s->spare);
    s->spare = b.text;
    strbuf_reset(&s->spare);
    return r;
}

/* Operators ------------------------------------------------------------------------------------ */

/* '<' has been read and another one follows. */
static int take_document(struct scan *s, struct list *l, struct err *e)
{
    if (!s->commands)
        return scan_refuse(e, "a here-document");
    s->at++;
    if (scan_peek(s, 0) != '<')
        return keep_document(s, l, e);
    s->at++;
    l->redirect = REDIRECT_STRING;
    return 0;
}

/* '<' or '>' has been read. */
static int take_redirect(struct scan *s, struct list *l, char c, struct err *e)
{
    char next = scan_peek(s, 0);

    if (next == '(' && s->commands) {
        s->at++;
        return keep_process(s, l, e);
    }
    if (next == '(')
        return scan_refuse(e, "process substitution");
    if (c == '<' && next == '<')
        return take_document(s, l, e);
    l->redirect = c == '>' || next == '>' ? REDIRECT_WRITE : REDIRECT_READ;
    if (c == '>' && next == '>')
        l->redirect = REDIRECT_APPEND;
    if (next && strchr(">&|", next))
        s->at++;
    return 0;
}

static void finish_command(struct scan *s, struct list *l)
{
    if (s->commands)
        keep_finish(s, l);
    l->piped_from = NULL;
}

/* What separates commands has been read: one of ";&|\n". */
static int take_separator(struct scan *s, struct list *l, char c, struct err *e)
{
    enum in_case *where = l->cases ? &l->in_case[l->cases - 1] : NULL;
    bool twice = scan_peek(s, 0) == c && (c == '&' || c == '|');

    if (c == '&' && scan_peek(s, 0) == '>') { /* both outputs, in some shells */
        s->at += 1 + (scan_peek(s, 1) == '>');
        l->redirect = REDIRECT_WRITE;
        return 0;
    }
    finish_command(s, l);
    if (c == '&' && !twice && l->last)
        l->last->background = true;
    if (c == '|' && !twice)
        l->piped_from = l->last;
    s->at += twice || (c == '|' && scan_peek(s, 0) == '&');
    if (c == ';' && (scan_peek(s, 0) == ';' || scan_peek(s, 0) == '&')) {
        s->at++;
        if (where && *where == CASE_BODY)
            *where = CASE_PATTERN;
    }
    l->command = true;
    return c == '\n' && s->pending ? keep_bodies(s, e) : 0;
}

/* ')' has been read. 1: it ends the list. */
static int take_close(struct scan *s, struct list *l, bool nested, struct err *e)
{
    enum in_case *where = l->cases ? &l->in_case[l->cases - 1] : NULL;

    finish_command(s, l);
    l->command = true;
    if (where && *where == CASE_PATTERN) {
        *where = CASE_BODY;
        return 0;
    }
    if (l->parens > 0) {
        l->parens--;
        return 0;
    }
    return nested ? 1 : scan_refuse(e, "')' and no '('");
}

/* '(' has been read: of a subshell, of a list of values, or behind the name of a function. */
static void take_open(struct scan *s, struct list *l)
{
    const struct shell_command *c = l->now;
    size_t ahead = 0;

    if (l->cases && l->in_case[l->cases - 1] == CASE_PATTERN)
        return;
    while (scan_peek(s, ahead) == ' ' || scan_peek(s, ahead) == '\t')
        ahead++;
    if (c && c->count == 1 && scan_peek(s, ahead) == ')') {
        s->at += ahead + 1;
        s->function = c->words[0].seen;
        l->now = NULL;
        l->command = true;
        return;
    }
    finish_command(s, l);
    l->parens++;
    l->subshell = ++s->subshells;
    l->command = true;
}

/* One operator, blank, comment or word. 1: the list is over. */
static int take_next(struct scan *s, struct list *l, bool nested, struct err *e)
{
    char c = scan_peek(s, 0);

    if (!scan_ends_word(c) && c != '#' && !(c == '\\' && scan_peek(s, 1) == '\n'))
        return take_word(s, l, e);
    s->at++;
    switch (c) {
    case '\\':
        s->at++;
        return 0;
    case '#':
        while (!scan_at_end(s) && scan_peek(s, 0) != '\n')
            s->at++;
        return 0;
    case '<':
    case '>':
        return take_redirect(s, l, c, e);
    case '(':
        take_open(s, l);
        return 0;
    case ')':
        return take_close(s, l, nested, e);
    case ' ':
    case '\t':
        return 0;
    default:
        return take_separator(s, l, c, e);
    }
}

int scan_list(struct scan *s, bool nested, struct err *e)
{
    struct list l = { .command = true, .owner = s->current };
    int r = 0;

    while (r == 0 && !scan_at_end(s))
        r = take_next(s, &l, nested, e);
    finish_command(s, &l);
    s->current = l.owner;
    if (r == 0 && nested)
        return scan_refuse(e, "'$(' and no ')'");
    return r < 0 ? r : 0;
}

int shell_words_parse(struct arena *a, struct str text, const struct shell_variable *variables,
                      struct shell_words *out, struct err *e)
{
    struct scan s = { .arena = a, .text = text, .variables = variables, .out = out };
    int r;

    *out = (struct shell_words){ 0 };
    if (text.len && memchr(text.ptr, '\0', text.len))
        return scan_refuse(e, "a zero byte");
    r = scan_list(&s, false, e);
    strbuf_release(&s.spare);
    return r;
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
