/* The commands of a shell text: what the scanner reads is kept here, and documents are read. */
#include "hook/shell_commands.h"

#include "hook/shell_scan.h"

#define WORDS_MAX  65536
#define BYTES_MAX  ((size_t)8 << 20) /* of all words: variables can make them long */
#define VALUE_MAX  1024              /* of a variable that the text sets */
#define VALUES_MAX 256

/* Variables ------------------------------------------------------------------------------------ */

static bool cut_assignment(struct str word, struct str *name, size_t *value)
{
    size_t i = 0;

    while (i < word.len && scan_is_name_char(word.ptr[i], i == 0))
        i++;
    *name = (struct str){ word.ptr, i };
    if (i > 0 && i + 1 < word.len && word.ptr[i] == '+' && word.ptr[i + 1] == '=') {
        *value = 0;
        return true;
    }
    *value = i + 1;
    return i > 0 && i < word.len && word.ptr[i] == '=';
}

/* What was assigned before stays behind it; too many, and nothing new is known. */
static void assign(struct scan *s, struct str name, const char *value)
{
    struct assigned *known = s->assigned;
    size_t count = 0;

    for (; known && !str_eq(known->name, name); known = known->next)
        count++;
    if (value && strlen(value) > VALUE_MAX)
        value = NULL;
    if (!known && count < VALUES_MAX) {
        known = arena_new(s->arena, struct assigned);
        known->name = name;
        known->next = s->assigned;
        s->assigned = known;
    }
    if (known)
        known->value = value;
}

void keep_assignment(struct scan *s, struct list *l, const struct building *b, size_t begin)
{
    struct assigned *a = arena_new(s->arena, struct assigned);
    size_t value;

    (void)cut_assignment((struct str){ s->text.ptr + begin, s->at - begin }, &a->name, &value);
    if (!b->expands && value > 0 && value <= b->text.len)
        a->value = arena_cstr(s->arena, (struct str){ b->text.buf + value, b->text.len - value });
    a->next = l->ahead;
    l->ahead = a;
}

/* Words of `for NAME in …`: the variable has all of them. */
void keep_loop(struct scan *s, struct list *l, const struct building *b)
{
    const char *before = "";
    struct assigned *a = s->assigned;

    if (l->loops) {
        l->loops = false;
        l->looping = (struct str){ arena_cstr(s->arena, strbuf_str(&b->text)), b->text.len };
        assign(s, l->looping, "");
        return;
    }
    while (a && !str_eq(a->name, l->looping))
        a = a->next;
    if (!a || !a->value || (!a->value[0] && strcmp(strbuf_cstr(&b->text), "in") == 0))
        return;
    before = a->value;
    assign(
        s, l->looping,
        arena_printf(s->arena, "%s%s%s", before, before[0] ? "\001" : "", strbuf_cstr(&b->text)));
}

/* "export X=…" and its kind assign, too. */
static void assign_words(struct scan *s, const struct shell_command *c)
{
    static const char *const names[] = {
        "export", "declare", "local", "readonly", "typeset", NULL
    };
    bool assigns = scan_is_one_of(c->words[0].seen, names);

    for (size_t i = 1; assigns && i < c->count; i++) {
        struct str word = str_of(c->words[i].seen), name;
        size_t value;

        if (cut_assignment(word, &name, &value))
            assign(s, name, c->words[i].expands || value == 0 ? NULL : word.ptr + value);
    }
}

/* Commands ------------------------------------------------------------------------------------- */

void keep_begin(struct scan *s, struct list *l)
{
    struct shell_command *c = l->now;

    if (!c) {
        c = l->now = arena_new(s->arena, struct shell_command);
        c->within = l->owner;
        c->piped_from = l->piped_from;
        c->function = s->function;
        c->parens = l->parens;
        c->subshell = l->parens ? l->subshell : 0;
    }
    s->current = c;
}

static struct shell_word word_of(struct scan *s, const struct building *b, size_t begin,
                                 struct str text)
{
    struct shell_word w = {
        .at = begin,
        .len = s->at - begin,
        .seen = arena_cstr(s->arena, text),
        .filled = b->filled,
        .expands = b->expands,
        .globs = b->globs,
        .quoted = b->quoted,
    };

    w.text = b->unknown ? NULL : w.seen;
    s->commands->words += 1 + text.len / (BYTES_MAX / WORDS_MAX);
    return w;
}

int keep_word(struct scan *s, struct list *l, const struct building *b, size_t begin, struct err *e)
{
    struct str rest = strbuf_str(&b->text), piece;
    struct shell_command *c = l->now;

    if (c->count == 0)
        c->raw.ptr = s->text.ptr + begin;
    l->ended = s->at;
    while (str_cut(&rest, SHELL_SPLIT, &piece)) {
        if (s->commands->words > WORDS_MAX)
            return scan_refuse(e, "so many words");
        if (piece.len == 0 && b->filled && !b->quoted)
            continue;
        c->words = arena_grow(s->arena, c->words, c->count, &c->room, sizeof(*c->words));
        c->words[c->count++] = word_of(s, b, begin, piece);
    }
    return 0;
}

void keep_redirect(struct scan *s, struct list *l, const struct building *b, size_t begin)
{
    static const enum shell_redirect_kind kinds[] = {
        [REDIRECT_READ] = SHELL_READ,
        [REDIRECT_WRITE] = SHELL_WRITE,
        [REDIRECT_APPEND] = SHELL_APPEND,
        [REDIRECT_STRING] = SHELL_STRING,
    };
    struct shell_redirect *r = arena_new(s->arena, struct shell_redirect);

    r->kind = kinds[l->redirect];
    r->word = word_of(s, b, begin, strbuf_str(&b->text));
    if (r->kind == SHELL_STRING)
        r->text = str_of(r->word.seen);
    r->next = l->now->redirects;
    l->now->redirects = r;
    l->ended = s->at;
}

/* A command without words counts only if it writes to a file: ">x". */
void keep_finish(struct scan *s, struct list *l)
{
    struct shell_command *c = l->now;
    bool named = c && c->count > 0;

    for (struct assigned *a = l->ahead; a && !named; a = a->next)
        assign(s, a->name, a->value);
    l->ahead = NULL;
    l->now = NULL;
    l->looping = (struct str){ 0 };
    l->loops = l->naming = false;
    if (!c || (!named && !c->redirects))
        return;
    if (named) {
        const char *end = s->text.ptr + l->ended;

        c->raw.len = end > c->raw.ptr ? (size_t)(end - c->raw.ptr) : 0;
        assign_words(s, c);
    } else {
        c->words = arena_array(s->arena, struct shell_word, 1);
    }
    *s->commands->end = c;
    s->commands->end = &c->next;
    s->commands->count++;
    l->last = c;
}

/* "<(" or ">(" has been read. */
int keep_process(struct scan *s, struct list *l, struct err *e)
{
    struct building unknown = { .unknown = true, .expands = true };
    size_t begin = s->at;
    int r;

    keep_begin(s, l);
    r = scan_nested(s, e);
    s->current = l->now;
    if (r < 0)
        return r;
    l->redirect = REDIRECT_NONE;
    l->command = false;
    return keep_word(s, l, &unknown, begin, e);
}

/* Documents ------------------------------------------------------------------------------------ */

/* "<<" has been read. */
int keep_document(struct scan *s, struct list *l, struct err *e)
{
    CLEANUP(building) struct building b = { .text.max = SHELL_WORD_MAX };
    struct pending *p = arena_new(s->arena, struct pending);
    size_t begin;
    int r;

    if (scan_peek(s, 0) == '-') {
        p->tabs = true;
        s->at++;
    }
    while (scan_peek(s, 0) == ' ' || scan_peek(s, 0) == '\t')
        s->at++;
    keep_begin(s, l);
    begin = s->at;
    r = scan_word(s, &b, e);
    if (r < 0)
        return r;
    p->redirect = arena_new(s->arena, struct shell_redirect);
    p->redirect->kind = SHELL_DOCUMENT;
    p->redirect->word = word_of(s, &b, begin, strbuf_str(&b.text));
    p->redirect->next = l->now->redirects;
    l->now->redirects = p->redirect;
    l->ended = s->at;
    s->commands->documents = true;
    *s->pending_end = p;
    s->pending_end = &p->next;
    return 0;
}

/* Substitutions in the text of a document are commands, unless its end was quoted. */
static int read_body(struct scan *s, const struct pending *p, struct err *e)
{
    CLEANUP(building) struct building b = { .text.max = SHELL_WORD_MAX };
    struct str outer = s->text;
    size_t at = s->at;
    int r;

    if (p->redirect->word.quoted)
        return 0;
    s->text = p->redirect->text;
    s->at = 0;
    r = scan_double(s, &b, '\0', e);
    s->text = outer;
    s->at = at;
    return r;
}

/* The line at `s->at`, and past it. */
static struct str next_line(struct scan *s)
{
    const char *begin = s->text.ptr + s->at;
    const char *end = memchr(begin, '\n', s->text.len - s->at);
    size_t len = end ? (size_t)(end - begin) : s->text.len - s->at;

    s->at += len + (end != NULL);
    return (struct str){ begin, len };
}

/* A line end has been read: the documents that were announced follow. */
int keep_bodies(struct scan *s, struct err *e)
{
    struct pending *p = s->pending;
    int r = 0;

    s->pending = NULL;
    s->pending_end = &s->pending;
    for (; p && r == 0; p = p->next) {
        struct shell_redirect *doc = p->redirect;
        size_t begin = s->at, end = s->at;

        while (!scan_at_end(s)) {
            struct str line = next_line(s);

            while (p->tabs && line.len && line.ptr[0] == '\t')
                line = (struct str){ line.ptr + 1, line.len - 1 };
            if (str_is(line, doc->word.seen))
                break;
            end = s->at;
        }
        doc->text = (struct str){ s->text.ptr + begin, end - begin };
        r = read_body(s, p, e);
    }
    return r;
}

/* Reading -------------------------------------------------------------------------------------- */

int shell_commands_read(struct arena *a, struct str text, const struct shell_variable *variables,
                        struct shell_commands *out, struct err *e)
{
    struct scan s = { .arena = a, .text = text, .variables = variables, .commands = out };
    int r;

    *out = (struct shell_commands){ .end = &out->first };
    s.pending_end = &s.pending;
    if (text.len && memchr(text.ptr, '\0', text.len))
        return scan_refuse(e, "a zero byte");
    r = scan_list(&s, false, e);
    strbuf_release(&s.spare);
    return r;
}
