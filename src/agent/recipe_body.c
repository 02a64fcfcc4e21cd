/* The language of recipes: from text to tree. */
#include "agent/recipe_body.h"

#include "base/suggest.h"

#include <errno.h>
#include <stdio.h>

#define DEPTH_MAX 64

struct parser {
    struct arena *arena;
    const struct recipe_source *source;
    struct recipe_body *body;
    size_t at;
    unsigned depth;
    unsigned ranges; /* that are open: only inside one is there an item */
    bool trim;       /* the last action ended in "-}}" */
    struct err *e;
};

static const struct {
    const char *name;
    unsigned least, most; /* operands */
} functions[] = {
    [FUNCTION_DEFAULT] = { "default", 2, 2 }, [FUNCTION_BASH] = { "bash", 1, 64 },
    [FUNCTION_EQ] = { "eq", 2, 16 },          [FUNCTION_NE] = { "ne", 2, 2 },
    [FUNCTION_NOT] = { "not", 1, 1 },         [FUNCTION_AND] = { "and", 1, 16 },
    [FUNCTION_OR] = { "or", 1, 16 },
};

/* What ended a list of nodes. */
enum closer { CLOSER_TEXT_END, CLOSER_ELSE, CLOSER_END };

/* Places and errors ---------------------------------------------------------------------------- */

static struct json_place place_at(const struct parser *p, size_t offset)
{
    struct json_place place = json_place(p->source->text, offset);

    place.line += (unsigned)p->source->line - 1;
    return place;
}

static int fail(struct parser *p, size_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int fail(struct parser *p, size_t offset, const char *fmt, ...)
{
    struct json_place place = place_at(p, offset);
    char message[ERR_MSG_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return err_set(p->e, -EBADMSG, "%s:%u:%u: %s", p->source->file, place.line, place.column,
                   message);
}

/* Characters ----------------------------------------------------------------------------------- */

static char peek(const struct parser *p, size_t ahead)
{
    size_t at = p->at + ahead;

    return at < p->source->text.len ? p->source->text.ptr[at] : '\0';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool looks_at(const struct parser *p, const char *word)
{
    struct str rest = { p->source->text.ptr + p->at, p->source->text.len - p->at };

    return str_starts(rest, str_of(word));
}

static bool is_over(const struct parser *p)
{
    return p->at >= p->source->text.len;
}

static void skip_space(struct parser *p)
{
    while (!is_over(p) && is_space(peek(p, 0)))
        p->at++;
}

/* A dash belongs to a name where more of it follows: arguments are often called so. */
static struct str read_name(struct parser *p)
{
    size_t from = p->at;

    while (starts_name(peek(p, 0)) || is_digit(peek(p, 0)) ||
           (peek(p, 0) == '-' && p->at > from && (starts_name(peek(p, 1)) || is_digit(peek(p, 1)))))
        p->at++;
    return (struct str){ p->source->text.ptr + from, p->at - from };
}

/* Whether the action ends here; its white space before "-}}" was skipped. */
static bool at_close(const struct parser *p)
{
    return looks_at(p, "}}") ||
           (looks_at(p, "-}}") && p->at > 0 && is_space(p->source->text.ptr[p->at - 1]));
}

static int close_action(struct parser *p, size_t from)
{
    skip_space(p);
    if (is_over(p))
        return fail(p, from, "'{{' is not closed: '}}' is missing");
    if (!at_close(p))
        return fail(p, p->at, "'}}' is expected here");
    p->trim = peek(p, 0) == '-';
    p->at += p->trim ? 3 : 2;
    return 0;
}

/* Expressions ---------------------------------------------------------------------------------- */

static int parse_expr(struct parser *p, struct recipe_expr **out);

static void note_name(struct parser *p, const char *name)
{
    struct recipe_body *b = p->body;

    for (size_t i = 0; i < b->name_count; i++)
        if (strcmp(b->names[i], name) == 0)
            return;
    b->names = arena_grow(p->arena, b->names, b->name_count, &b->name_room, sizeof(*b->names));
    b->names[b->name_count++] = name;
}

static int parse_escape(struct parser *p, struct strbuf *out)
{
    static const char from[] = "ntr\"\\'", to[] = "\n\t\r\"\\'";
    const char *known = strchr(from, peek(p, 0));

    if (!peek(p, 0) || !known)
        return fail(p, p->at, "'\\%c' is no escape: there are \\n, \\t, \\r, \\\" and \\\\",
                    peek(p, 0) ? peek(p, 0) : ' ');
    strbuf_addch(out, to[known - from]);
    p->at++;
    return 0;
}

/* "text" with escapes, or `text` without. */
static int parse_text(struct parser *p, struct recipe_expr *x)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    size_t from = p->at;
    char quote = peek(p, 0);
    int r = 0;

    p->at++;
    while (r == 0 && !is_over(p) && peek(p, 0) != quote) {
        if (quote == '"' && peek(p, 0) == '\n')
            break;
        if (quote == '"' && peek(p, 0) == '\\') {
            p->at++;
            r = parse_escape(p, &out);
            continue;
        }
        strbuf_addch(&out, peek(p, 0));
        p->at++;
    }
    if (r < 0)
        return r;
    if (is_over(p) || peek(p, 0) != quote)
        return fail(p, from, "the text that begins here is not closed: '%c' is missing", quote);
    p->at++;
    x->text = (struct str){ arena_cstr(p->arena, strbuf_str(&out)), out.len };
    return 0;
}

static int parse_dot(struct parser *p, struct recipe_expr *x)
{
    size_t from = p->at;

    if (peek(p, 0) == '$')
        p->at++;
    p->at++;
    if (starts_name(peek(p, 0))) {
        struct str name = read_name(p);

        x->kind = EXPR_ARGUMENT;
        x->text = (struct str){ arena_cstr(p->arena, name), name.len };
        note_name(p, x->text.ptr);
    } else if (p->ranges && peek(p, 0) != '.' && p->at == from + 1) {
        x->kind = EXPR_ITEM;
    } else {
        return fail(p, from, "the name of an argument is expected behind '.'%s",
                    p->ranges ? "" : "; '.' alone is the item of a {{range}}");
    }
    if (peek(p, 0) == '.')
        return fail(p, p->at, "an argument has no parts: '.' is not expected here");
    return 0;
}

static void parse_number(struct parser *p, struct recipe_expr *x)
{
    size_t from = p->at;

    do
        p->at++;
    while (is_digit(peek(p, 0)) || peek(p, 0) == '.');
    x->text.len = p->at - from;
    x->text.ptr = arena_cstr(p->arena, (struct str){ p->source->text.ptr + from, x->text.len });
}

static int parse_inner(struct parser *p, struct recipe_expr **out)
{
    size_t from = p->at++;
    int r;

    skip_space(p);
    r = parse_expr(p, out);
    if (r < 0)
        return r;
    skip_space(p);
    if (peek(p, 0) != ')')
        return fail(p, from, "'(' is not closed: ')' is missing");
    p->at++;
    return 0;
}

static int parse_operand(struct parser *p, struct recipe_expr **out)
{
    struct recipe_expr *x = arena_new(p->arena, struct recipe_expr);
    char c = peek(p, 0);

    *out = x;
    x->place = place_at(p, p->at);
    if (c == '(')
        return parse_inner(p, out);
    if (c == '"' || c == '`')
        return parse_text(p, x);
    if (c == '.' || (c == '$' && peek(p, 1) == '.'))
        return parse_dot(p, x);
    if (!is_digit(c) && !(c == '-' && is_digit(peek(p, 1))))
        return fail(p, p->at,
                    "an argument such as .name, a \"text\" or a call in parentheses is expected "
                    "here");
    parse_number(p, x);
    return 0;
}

static int unknown_function(struct parser *p, size_t from, struct str name)
{
    const char *known[ARRAY_LEN(functions) + 2], *word = arena_cstr(p->arena, name);

    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        known[i] = functions[i].name;
    known[ARRAY_LEN(functions)] = "if";
    known[ARRAY_LEN(functions) + 1] = "range";
    return fail(p, from, "'%s' is not known in recipes%s", word,
                suggest(p->arena, str_nearest(word, known, ARRAY_LEN(known)),
                        arena_printf(p->arena, "; an argument is written {{.%s}}", word)));
}

static int parse_operands(struct parser *p, struct recipe_expr *x, size_t from)
{
    struct recipe_expr **end = &x->first;
    unsigned count = 0, least = functions[x->function].least, most = functions[x->function].most;

    for (skip_space(p); !is_over(p) && !at_close(p) && peek(p, 0) != ')'; skip_space(p)) {
        int r = parse_operand(p, end);

        if (r < 0)
            return r;
        end = &(*end)->next;
        count++;
    }
    if (count < least || count > most)
        return fail(p, from, "'%s' takes %s%u operand%s, not %u", functions[x->function].name,
                    least == most   ? ""
                    : count < least ? "at least "
                                    : "at most ",
                    count < least ? least : most, (count < least ? least : most) == 1 ? "" : "s",
                    count);
    return 0;
}

static int parse_call(struct parser *p, struct recipe_expr **out)
{
    struct recipe_expr *x = arena_new(p->arena, struct recipe_expr);
    size_t from = p->at;
    struct str name = read_name(p);

    *out = x;
    x->kind = EXPR_CALL;
    x->place = place_at(p, from);
    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        if (str_is(name, functions[i].name)) {
            x->function = (enum recipe_function)i;
            return parse_operands(p, x, from);
        }
    return unknown_function(p, from, name);
}

static int parse_expr(struct parser *p, struct recipe_expr **out)
{
    int r;

    if (p->depth >= DEPTH_MAX)
        return fail(p, p->at, "this is nested more than %d deep", DEPTH_MAX);
    p->depth++;
    r = starts_name(peek(p, 0)) ? parse_call(p, out) : parse_operand(p, out);
    p->depth--;
    return r;
}

/* Nodes ---------------------------------------------------------------------------------------- */

static int parse_nodes(struct parser *p, struct recipe_node **end, enum closer *closer);

/* "{{else}}", or "{{else if …}}", which is an `if` in its place: one "{{end}}" closes both. */
static int parse_else(struct parser *p, struct recipe_node *n, size_t from);

/* What follows "if" or "range": its expression, its nodes, and what comes otherwise. */
static int parse_block(struct parser *p, struct recipe_node *n, size_t from)
{
    enum closer closer = CLOSER_TEXT_END;
    int r;

    skip_space(p);
    r = parse_expr(p, &n->expr);
    if (r == 0)
        r = close_action(p, from);
    if (r == 0 && p->depth >= DEPTH_MAX)
        r = fail(p, from, "this is nested more than %d deep", DEPTH_MAX);
    if (r < 0)
        return r;
    p->depth++;
    p->ranges += n->kind == NODE_RANGE;
    r = parse_nodes(p, &n->first, &closer);
    p->ranges -= n->kind == NODE_RANGE;
    if (r == 0 && closer == CLOSER_ELSE)
        r = parse_else(p, n, from);
    else if (r == 0 && closer == CLOSER_TEXT_END)
        r = fail(p, from, "this block is not closed: '{{end}}' is missing");
    p->depth--;
    return r;
}

static int parse_else(struct parser *p, struct recipe_node *n, size_t from)
{
    enum closer closer = CLOSER_TEXT_END;
    size_t at;
    int r;

    n->has_else = true;
    skip_space(p);
    at = p->at;
    if (n->kind == NODE_IF && str_is(read_name(p), "if")) {
        n->otherwise = arena_new(p->arena, struct recipe_node);
        n->otherwise->kind = NODE_IF;
        return parse_block(p, n->otherwise, at);
    }
    p->at = at;
    r = close_action(p, at);
    if (r == 0)
        r = parse_nodes(p, &n->otherwise, &closer);
    if (r < 0)
        return r;
    if (closer == CLOSER_ELSE)
        return fail(p, p->at, "there is an '{{else}}' already");
    if (closer == CLOSER_TEXT_END)
        return fail(p, from, "this block is not closed: '{{end}}' is missing");
    return 0;
}

static int skip_comment(struct parser *p, size_t from)
{
    const char *text = p->source->text.ptr + p->at;
    const char *end = memmem(text, p->source->text.len - p->at, "*/", 2);

    if (!end)
        return fail(p, from, "the comment that begins here is not closed: '*/' is missing");
    p->at += (size_t)(end - text) + 2;
    return close_action(p, from);
}

/* Behind "{{". `*closer`: set when it ends the list. */
static int parse_action(struct parser *p, struct recipe_node ***end, enum closer *closer)
{
    size_t from = p->at - 2, word_at;
    struct recipe_node *n;
    struct str word;

    if (peek(p, 0) == '-' && is_space(peek(p, 1)))
        p->at++;
    skip_space(p);
    if (is_over(p))
        return close_action(p, from);
    if (looks_at(p, "/*"))
        return skip_comment(p, from);
    word_at = p->at;
    word = starts_name(peek(p, 0)) ? read_name(p) : (struct str){ 0 };
    if (str_is(word, "else")) {
        *closer = CLOSER_ELSE;
        return 0;
    }
    if (str_is(word, "end")) {
        *closer = CLOSER_END;
        return close_action(p, from);
    }
    n = arena_new(p->arena, struct recipe_node);
    **end = n;
    *end = &n->next;
    n->kind = str_is(word, "if") ? NODE_IF : str_is(word, "range") ? NODE_RANGE : NODE_VALUE;
    if (n->kind == NODE_VALUE) {
        int r;

        p->at = word_at;
        r = parse_expr(p, &n->expr);
        return r < 0 ? r : close_action(p, from);
    }
    return parse_block(p, n, from);
}

/* The text up to "{{", without the white space that "-}}" before and "{{-" behind it take away. */
static void take_text(struct parser *p, struct recipe_node ***end)
{
    struct str rest = { p->source->text.ptr + p->at, p->source->text.len - p->at };
    const char *open = rest.len ? memmem(rest.ptr, rest.len, "{{", 2) : NULL;
    struct str text = { rest.ptr, open ? (size_t)(open - rest.ptr) : rest.len };

    p->at += text.len;
    while (p->trim && text.len && is_space(text.ptr[0]))
        text = (struct str){ text.ptr + 1, text.len - 1 };
    p->trim = false;
    if (peek(p, 2) == '-' && is_space(peek(p, 3)))
        while (text.len && is_space(text.ptr[text.len - 1]))
            text.len--;
    if (!text.len)
        return;
    **end = arena_new(p->arena, struct recipe_node);
    (**end)->text = text;
    *end = &(**end)->next;
}

static int parse_nodes(struct parser *p, struct recipe_node **end, enum closer *closer)
{
    int r = 0;

    *closer = CLOSER_TEXT_END;
    while (r == 0 && *closer == CLOSER_TEXT_END) {
        take_text(p, &end);
        if (is_over(p))
            return 0;
        p->at += 2;
        r = parse_action(p, &end, closer);
    }
    return r;
}

int recipe_body_parse(struct arena *a, const struct recipe_source *source, struct recipe_body *out,
                      struct err *e)
{
    struct parser p = { .arena = a, .source = source, .body = out, .e = e };
    enum closer closer;
    int r;

    *out = (struct recipe_body){ 0 };
    r = parse_nodes(&p, &out->first, &closer);
    if (r < 0 || closer == CLOSER_TEXT_END)
        return r;
    return fail(&p, p.at, "'{{%s}}' closes nothing: there is no {{if}} or {{range}} before it",
                closer == CLOSER_ELSE ? "else" : "end");
}

const char *recipe_file_name(struct arena *a, const struct recipe *recipe)
{
    return recipe->path ? recipe->path : arena_printf(a, "(built in)/%s.md", recipe->name);
}

int recipe_parse(struct arena *a, const struct recipe *recipe, struct recipe_body *out,
                 struct err *e)
{
    const struct recipe_source source = { recipe->body, recipe_file_name(a, recipe), recipe->line };

    return recipe_body_parse(a, &source, out, e);
}

bool recipe_takes(const struct recipe *recipe, const char *name)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct recipe_body body;

    for (size_t i = 0; i < recipe->argument_count; i++)
        if (strcmp(recipe->arguments[i].name, name) == 0)
            return true;
    if (recipe_parse(&a, recipe, &body, NULL) < 0)
        return false;
    for (size_t i = 0; i < body.name_count; i++)
        if (strcmp(body.names[i], name) == 0)
            return true;
    return false;
}
