/*
 * The language of recipes: from tree to text.
 *
 * A body is rendered twice: first dry, to learn which arguments are missing before any command has
 * run, then for good. What arguments and commands give is copied, never looked at again.
 */
#include "agent/recipe_body.h"
#include "base/clock.h"
#include "base/suggest.h"
#include "hook/child.h"
#include "hook/trust.h"
#include "proc/proc.h"

#include <errno.h>
#include <stdio.h>

#define TEXT_MAX    ((size_t)4 << 20)   /* of what is rendered */
#define OUTPUT_MAX  ((size_t)256 << 10) /* of one command's stdout, and of its stderr */
#define COMMANDS_NS UINT64_C(30000000000)
#define WORDS_MAX   256
#define STEPS_MAX   1000000 /* ranges in ranges multiply */

/* A text, or a list of texts. */
struct value {
    struct str text;
    const struct json *list; /* an array; NULL: it is a text */
    const char *missing;     /* the argument that was not given; else NULL */
};

struct cook {
    const struct recipe *recipe;
    const struct recipe_body *body;
    const struct json *args;
    const struct recipe_kitchen *kitchen;
    struct arena *arena;
    struct strbuf *out;
    struct str item; /* of the innermost range */
    uint64_t deadline_ns;
    bool dry;
    unsigned steps;
    const char **missing; /* arguments, each once */
    size_t missing_count;
    struct err *e;
};

static int fail(struct cook *c, int code, const struct recipe_expr *x, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

static int fail(struct cook *c, int code, const struct recipe_expr *x, const char *fmt, ...)
{
    char message[ERR_MSG_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return err_set(c->e, code, "%s:%u:%u: %s", recipe_file_name(c->arena, c->recipe), x->place.line,
                   x->place.column, message);
}

/* Values --------------------------------------------------------------------------------------- */

static struct str scalar(struct arena *a, const struct json *j)
{
    if (json_type(j) == JSON_STRING)
        return json_str(a, j);
    return str_of(json_text(a, j));
}

static const char *fallback_of(const struct recipe *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->argument_count; i++)
        if (strcmp(recipe->arguments[i].name, name) == 0)
            return recipe->arguments[i].fallback;
    return NULL;
}

static struct value argument(struct cook *c, const char *name)
{
    const struct json *given = json_get(c->args, str_of(name));
    const char *fallback = fallback_of(c->recipe, name);

    if (json_type(given) == JSON_ARRAY)
        return (struct value){ .list = given };
    if (given && json_type(given) != JSON_NULL)
        return (struct value){ .text = scalar(c->arena, given) };
    if (fallback)
        return (struct value){ .text = str_of(fallback) };
    return (struct value){ .missing = name };
}

/* Nothing can be printed of one that is missing: it is told at the end, with the others. */
static void need(struct cook *c, const struct value *v)
{
    if (!v->missing)
        return;
    for (size_t i = 0; i < c->missing_count; i++)
        if (strcmp(c->missing[i], v->missing) == 0)
            return;
    if (c->missing_count < c->body->name_count)
        c->missing[c->missing_count++] = v->missing;
}

static bool is_empty(const struct value *v)
{
    return v->missing || (v->list ? json_count(v->list) == 0 : v->text.len == 0);
}

/* As it is printed: the items of a list with commas between them. */
static struct str text_of(struct cook *c, const struct value *v)
{
    CLEANUP(strbuf) struct strbuf all = { .max = TEXT_MAX };

    if (!v->list)
        return str_is_set(v->text) ? v->text : STR("");
    for (const struct json *item = json_first(v->list); item; item = json_next(item)) {
        struct str text = scalar(c->arena, item);

        if (item != json_first(v->list))
            strbuf_addstr(&all, ", ");
        strbuf_add(&all, text.ptr, text.len);
    }
    return (struct str){ arena_cstr(c->arena, strbuf_str(&all)), all.len };
}

static bool is_same(struct cook *c, const struct value *x, const struct value *y)
{
    return str_eq(text_of(c, x), text_of(c, y));
}

static int eval(struct cook *c, const struct recipe_expr *x, struct value *out);

/* Commands ------------------------------------------------------------------------------------- */

static int add_word(struct cook *c, const struct recipe_expr *x, const char **argv, size_t *count,
                    struct str text)
{
    if (*count == WORDS_MAX)
        return fail(c, -E2BIG, x, "a command of more than %d words", WORDS_MAX);
    if (text.len && memchr(text.ptr, '\0', text.len))
        return fail(c, -EINVAL, x, "a word of a command must not contain a NUL character");
    argv[(*count)++] = text.len ? arena_cstr(c->arena, text) : "";
    return 0;
}

/* A list is as many words as it has items. */
static int words_of(struct cook *c, const struct recipe_expr *x, const char **argv)
{
    size_t count = 0;

    for (const struct recipe_expr *operand = x->first; operand; operand = operand->next) {
        struct value v;
        int r = eval(c, operand, &v);

        if (r < 0)
            return r;
        need(c, &v);
        if (!v.list)
            r = add_word(c, operand, argv, &count, v.text);
        for (const struct json *i = json_first(v.list); i && r == 0; i = json_next(i))
            r = add_word(c, operand, argv, &count, scalar(c->arena, i));
        if (r < 0)
            return r;
    }
    if (!c->dry && (count == 0 || !argv[0][0]))
        return fail(c, -EINVAL, x, "the command has no name");
    return 0;
}

static struct str show_words(struct cook *c, const char *const *argv)
{
    CLEANUP(strbuf) struct strbuf out = { .max = TEXT_MAX };

    strbuf_addstr(&out, "{{bash");
    for (; *argv; argv++) {
        strbuf_addch(&out, ' ');
        json_write_string(&out, str_of(*argv));
    }
    strbuf_addstr(&out, "}}");
    return (struct str){ arena_cstr(c->arena, strbuf_str(&out)), out.len };
}

/* Without NUL characters, which no text for a model may have. */
static void add_output(struct strbuf *all, const struct proc_output *from)
{
    struct str rest = strbuf_str(&from->text), piece;

    while (str_cut(&rest, '\0', &piece))
        strbuf_add(all, piece.ptr, piece.len);
    if (from->text.truncated)
        strbuf_printf(all, "\n(only the first %zu of %llu bytes)\n", from->text.len,
                      (unsigned long long)from->bytes);
}

static struct str output_of(struct cook *c, const struct proc_result *run)
{
    CLEANUP(strbuf) struct strbuf all = { .max = TEXT_MAX };

    add_output(&all, &run->out);
    if (all.len && run->err.text.len && all.buf[all.len - 1] != '\n')
        strbuf_addch(&all, '\n');
    add_output(&all, &run->err);
    while (all.len && (all.buf[all.len - 1] == '\n' || all.buf[all.len - 1] == '\r'))
        all.len--;
    return (struct str){ arena_cstr(c->arena, (struct str){ strbuf_cstr(&all), all.len }),
                         all.len };
}

/*
 * What a command that ran has written counts, whatever its exit code: grep that finds nothing is no
 * failure. One that cannot be started leaves a note; the recipe may do without it.
 */
static int run_words(struct cook *c, const struct recipe_expr *x, const char *const *argv,
                     struct value *out)
{
    CLEANUP(proc_result) struct proc_result run = { 0 };
    const struct proc p = {
        .argv = argv,
        .env = c->recipe->keys ? c->recipe->keys : child_keys(c->arena, NULL),
        .cwd = c->kitchen->cwd,
        .out_max = OUTPUT_MAX,
        .err_max = OUTPUT_MAX,
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->kitchen->abort_fd,
    };
    const char *why;

    proc_run(&p, &run);
    if (run.end == PROC_EXITED || run.end == PROC_SIGNALED) {
        out->text = output_of(c, &run);
        return 0;
    }
    why = proc_explain(c->arena, &p, &run);
    if (run.end == PROC_NOT_STARTED) {
        out->text = str_of(arena_printf(c->arena, "('%s' %s)", argv[0], why));
        return 0;
    }
    return fail(c, run.end == PROC_ABORTED ? -ECANCELED : -ETIMEDOUT, x, "'%s' %s", argv[0], why);
}

static int bash(struct cook *c, const struct recipe_expr *x, struct value *out)
{
    const char **argv = arena_array(c->arena, const char *, WORDS_MAX + 1);
    int r = words_of(c, x, argv);

    *out = (struct value){ .text = STR("") };
    if (r < 0 || c->dry)
        return r;
    if (c->kitchen && c->kitchen->run)
        return run_words(c, x, argv, out);
    out->text = show_words(c, argv);
    return 0;
}

/* Calls ---------------------------------------------------------------------------------------- */

/* `and` gives the first empty operand, `or` the first that is not; else the last. */
static int choose(struct cook *c, const struct recipe_expr *x, bool until_empty, struct value *out)
{
    for (const struct recipe_expr *operand = x->first; operand; operand = operand->next) {
        int r = eval(c, operand, out);

        if (r < 0 || is_empty(out) == until_empty)
            return r;
    }
    return 0;
}

/* Whether the first operand is one of the others. */
static int compare(struct cook *c, const struct recipe_expr *x, bool *same)
{
    struct value first, other;
    int r = eval(c, x->first, &first);

    *same = false;
    for (const struct recipe_expr *o = x->first->next; o && r == 0 && !*same; o = o->next) {
        r = eval(c, o, &other);
        *same = r == 0 && is_same(c, &first, &other);
    }
    return r;
}

static struct value truth(bool yes)
{
    return (struct value){ .text = yes ? STR("true") : STR("") };
}

static int call(struct cook *c, const struct recipe_expr *x, struct value *out)
{
    bool same;
    int r;

    switch (x->function) {
    case FUNCTION_BASH:
        return bash(c, x, out);
    case FUNCTION_DEFAULT:
    case FUNCTION_OR:
        return choose(c, x, false, out);
    case FUNCTION_AND:
        return choose(c, x, true, out);
    case FUNCTION_NOT:
        r = eval(c, x->first, out);
        *out = truth(r == 0 && is_empty(out));
        return r;
    case FUNCTION_EQ:
    case FUNCTION_NE:
        r = compare(c, x, &same);
        *out = truth(same == (x->function == FUNCTION_EQ));
        return r;
    }
    return 0;
}

static int eval(struct cook *c, const struct recipe_expr *x, struct value *out)
{
    *out = (struct value){ 0 };
    switch (x->kind) {
    case EXPR_TEXT:
        out->text = x->text;
        return 0;
    case EXPR_ARGUMENT:
        *out = argument(c, x->text.ptr);
        return 0;
    case EXPR_ITEM:
        out->text = c->item;
        return 0;
    case EXPR_CALL:
        return call(c, x, out);
    }
    return 0;
}

/* Nodes ---------------------------------------------------------------------------------------- */

static int render(struct cook *c, const struct recipe_node *n);

/* The items: of a list, of a text that is a JSON array, else the text as the only one. */
static const struct json *items_of(struct cook *c, const struct value *v)
{
    const struct json *list = v->list;
    struct json *one;

    if (list)
        return list;
    if (str_starts(str_trim(v->text), STR("[")) &&
        json_parse(c->arena, v->text, NULL, &list, NULL) == 0)
        return list;
    one = json_array(c->arena);
    if (v->text.len)
        json_push(c->arena, one, json_string(c->arena, v->text));
    return one;
}

static int render_range(struct cook *c, const struct recipe_node *n)
{
    const struct str outer = c->item;
    const struct json *items;
    struct value v;
    int r = eval(c, n->expr, &v);

    if (r < 0)
        return r;
    if (!n->has_else)
        need(c, &v);
    items = v.missing ? NULL : items_of(c, &v);
    if (json_count(items) == 0)
        return render(c, n->otherwise);
    for (const struct json *i = json_first(items); i && r == 0; i = json_next(i)) {
        if (++c->steps > STEPS_MAX)
            return fail(c, -E2BIG, n->expr, "this repeats more than %d times", STEPS_MAX);
        c->item = scalar(c->arena, i);
        r = render(c, n->first);
        c->item = outer;
    }
    return r;
}

static int render_if(struct cook *c, const struct recipe_node *n)
{
    struct value v;
    int r = eval(c, n->expr, &v);

    return r < 0 ? r : render(c, is_empty(&v) ? n->otherwise : n->first);
}

static int render_value(struct cook *c, const struct recipe_node *n)
{
    struct value v;
    struct str text;
    int r = eval(c, n->expr, &v);

    if (r < 0)
        return r;
    need(c, &v);
    text = text_of(c, &v);
    strbuf_add(c->out, text.ptr, text.len);
    return 0;
}

static int render(struct cook *c, const struct recipe_node *n)
{
    int r = 0;

    for (; n && r == 0 && !c->out->truncated; n = n->next)
        switch (n->kind) {
        case NODE_TEXT:
            strbuf_add(c->out, n->text.ptr, n->text.len);
            break;
        case NODE_VALUE:
            r = render_value(c, n);
            break;
        case NODE_IF:
            r = render_if(c, n);
            break;
        case NODE_RANGE:
            r = render_range(c, n);
            break;
        }
    return r;
}

/* Arguments ------------------------------------------------------------------------------------ */

static const char **known_names(struct cook *c, size_t *count)
{
    const struct recipe *recipe = c->recipe;
    size_t most = recipe->argument_count + c->body->name_count;
    const char **names = arena_array(c->arena, const char *, most + 1);

    *count = 0;
    for (size_t i = 0; i < recipe->argument_count; i++)
        names[(*count)++] = recipe->arguments[i].name;
    for (size_t i = 0; i < c->body->name_count; i++) {
        size_t k = 0;

        while (k < recipe->argument_count && strcmp(names[k], c->body->names[i]) != 0)
            k++;
        if (k == recipe->argument_count)
            names[(*count)++] = c->body->names[i];
    }
    return names;
}

static int unknown_argument(struct cook *c, const char *name)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    size_t count;
    const char **names = known_names(c, &count);

    strbuf_addstr(&all, count ? "; it takes " : "; it takes none");
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&all, "%s'%s'", i ? ", " : "", names[i]);
    return err_set(c->e, -EINVAL, "recipe '%s' takes no argument '%s'%s", c->recipe->name, name,
                   suggest(c->arena, str_nearest(name, names, count), strbuf_cstr(&all)));
}

static bool is_text(const struct json *j)
{
    enum json_type type = json_type(j);

    return type == JSON_STRING || type == JSON_NUMBER || type == JSON_BOOL;
}

static int check_argument(struct cook *c, const struct json *arg)
{
    const char *name = arena_cstr(c->arena, json_key(c->arena, arg));
    bool fine = is_text(arg) || json_type(arg) == JSON_NULL || json_type(arg) == JSON_ARRAY;
    size_t count, i = 0;
    const char **names = known_names(c, &count);

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    if (i == count)
        return unknown_argument(c, name);
    for (const struct json *item = json_first(arg); item && fine; item = json_next(item))
        fine = is_text(item);
    if (!fine)
        return err_set(c->e, -EINVAL,
                       "argument '%s' of recipe '%s' must be a text or a list of texts", name,
                       c->recipe->name);
    return 0;
}

static int check_arguments(struct cook *c)
{
    int r = 0;

    if (c->args && json_type(c->args) != JSON_OBJECT)
        return err_set(c->e, -EINVAL, "the arguments of recipe '%s' are no object but %s",
                       c->recipe->name, json_type_name(json_type(c->args)));
    for (const struct json *arg = json_first(c->args); arg && r == 0; arg = json_next(arg))
        r = check_argument(c, arg);
    return r;
}

static int tell_missing(struct cook *c)
{
    CLEANUP(strbuf) struct strbuf names = { 0 }, flags = { 0 };

    for (size_t i = 0; i < c->missing_count; i++) {
        strbuf_printf(&names, "%s'%s'", i ? ", " : "", c->missing[i]);
        strbuf_printf(&flags, "%s--arg %s=…", i ? " " : "", c->missing[i]);
    }
    return err_set(c->e, -EINVAL, "recipe '%s' needs the argument%s %s: say %s", c->recipe->name,
                   c->missing_count == 1 ? "" : "s", strbuf_cstr(&names), strbuf_cstr(&flags));
}

/* ---------------------------------------------------------------------------------------------- */

static int cook(struct cook *c, const struct recipe_kitchen *kitchen)
{
    int r = check_arguments(c);

    if (r < 0)
        return r;
    c->missing = arena_array(c->arena, const char *, c->body->name_count + 1);
    c->dry = true;
    r = render(c, c->body->first);
    if (r == 0 && c->missing_count)
        r = tell_missing(c);
    if (r < 0)
        return r;
    strbuf_reset(c->out);
    c->dry = false;
    c->deadline_ns =
        kitchen && kitchen->deadline_ns ? kitchen->deadline_ns : clock_mono_ns() + COMMANDS_NS;
    r = render(c, c->body->first);
    return r == 0 && c->missing_count ? tell_missing(c) : r;
}

int recipe_render(const struct recipe *recipe, const struct json *args,
                  const struct recipe_kitchen *kitchen, struct arena *a, char **text, struct err *e)
{
    CLEANUP(strbuf) struct strbuf out = { .max = TEXT_MAX };
    struct recipe_body body;
    struct cook c = {
        .recipe = recipe,
        .body = &body,
        .args = args,
        .kitchen = kitchen,
        .arena = a,
        .out = &out,
        .e = e,
    };
    int r;

    if (recipe->untrusted)
        return err_set(e, TRUST_REFUSED, "recipe '%s': %s", recipe->name, recipe->untrusted);
    r = recipe_parse(a, recipe, &body, e);
    if (r == 0)
        r = cook(&c, kitchen);
    if (r < 0)
        return r;
    if (out.truncated)
        return err_set(e, -EFBIG, "recipe '%s' makes a text of more than %zu bytes", recipe->name,
                       TEXT_MAX);
    *text = arena_cstr(a, strbuf_str(&out));
    return 0;
}
