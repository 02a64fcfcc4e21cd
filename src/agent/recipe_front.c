/* A file of a recipe: its front matter, and where the body begins. */
#include "agent/recipe_body.h"
#include "agent/tool.h"
#include "base/suggest.h"
#include "hook/tools.h"

#include <errno.h>
#include <stdio.h>

struct reading {
    struct arena *arena;
    struct recipe *out;
    struct recipe_argument *arguments; /* being put together */
    size_t room;
    struct problems *problems;
    struct err *e;
};

static int fail(struct reading *r, const struct origin *where, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

static int fail(struct reading *r, const struct origin *where, const char *fmt, ...)
{
    char message[ERR_MSG_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return err_set(r->e, -EBADMSG, "%s: %s", origin_text(r->arena, where), message);
}

static int unknown_key(struct reading *r, const struct setting *s, const char *const *known,
                       size_t count)
{
    const struct origin where = setting_key_origin(s);

    return fail(r, &where, "unknown key '%s'%s", s->key.ptr,
                suggest(r->arena, str_nearest(s->key.ptr, known, count), ""));
}

/* Texts and lists ------------------------------------------------------------------------------ */

static bool is_scalar(const struct setting *s)
{
    return s->kind == SETTING_STRING || s->kind == SETTING_NUMBER || s->kind == SETTING_BOOL;
}

/* A key with nothing behind it says nothing. */
static int read_text(struct reading *r, const struct setting *s, const char **out)
{
    if (s->kind == SETTING_NULL)
        return 0;
    if (!is_scalar(s))
        return fail(r, &s->origin, "'%s' must be a text, not %s", s->key.ptr,
                    setting_kind_name(s->kind));
    *out = s->text.ptr;
    return 0;
}

static int read_name(struct reading *r, const struct setting *s)
{
    return read_text(r, s, &r->out->title);
}

static int read_description(struct reading *r, const struct setting *s)
{
    return read_text(r, s, &r->out->description);
}

static int read_model(struct reading *r, const struct setting *s)
{
    return read_text(r, s, &r->out->model);
}

static int read_agent(struct reading *r, const struct setting *s)
{
    return read_text(r, s, &r->out->agent);
}

static const char *const *split_words(struct reading *r, struct str text)
{
    const char **words = arena_array(r->arena, const char *, text.len + 2);
    size_t count = 0;
    struct str word;

    while (str_cut(&text, ',', &word))
        if (str_trim(word).len)
            words[count++] = arena_cstr(r->arena, str_trim(word));
    return words;
}

/* A list, or texts with commas between them. Nothing at all could mean all or none: refused. */
static int read_words(struct reading *r, const struct setting *s, const char *const **out)
{
    const char **words;
    size_t count = 0;

    if (s->kind == SETTING_STRING) {
        *out = split_words(r, s->text);
        return 0;
    }
    if (s->kind == SETTING_NULL)
        return fail(r, &s->origin, "'%s' says nothing: write [] for none, or leave it out for all",
                    s->key.ptr);
    if (s->kind != SETTING_LIST)
        return fail(r, &s->origin, "'%s' must be a list, not %s", s->key.ptr,
                    setting_kind_name(s->kind));
    words = arena_array(r->arena, const char *, setting_count(s) + 1);
    for (const struct setting *item = s->first; item; item = item->next) {
        if (!is_scalar(item))
            return fail(r, &item->origin, "an item of '%s' must be a text, not %s", s->key.ptr,
                        setting_kind_name(item->kind));
        words[count++] = item->text.ptr;
    }
    *out = words;
    return 0;
}

/* What any system we know calls a tool that has a name of ours. */
static const char *our_name(struct reading *r, const char *name)
{
    for (int system = 0; system < TOOLS_SYSTEMS && !tool_find(str_of(name)); system++)
        name =
            arena_cstr(r->arena, tools_name((enum tools_system)system, TOOLS_OURS, str_of(name)));
    return name;
}

static int read_tools(struct reading *r, const struct setting *s)
{
    const char *const *said;
    const char **ours;
    size_t count = 0;
    int rc = read_words(r, s, &said);

    if (rc < 0)
        return rc;
    while (said[count])
        count++;
    ours = arena_array(r->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        ours[i] = our_name(r, said[i]);
        if (r->problems && !tool_find(str_of(ours[i])))
            problem_warn(r->problems, &s->origin, "'%s' is no tool", said[i]);
    }
    r->out->tools = ours;
    return 0;
}

static int read_commands(struct reading *r, const struct setting *s)
{
    return read_words(r, s, &r->out->commands);
}

/* Arguments ------------------------------------------------------------------------------------ */

static struct recipe_argument *argument_named(struct reading *r, const char *name)
{
    size_t *count = &r->out->argument_count;

    for (size_t i = 0; i < *count; i++)
        if (strcmp(r->arguments[i].name, name) == 0)
            return &r->arguments[i];
    r->arguments = arena_grow(r->arena, r->arguments, *count, &r->room, sizeof(*r->arguments));
    r->arguments[*count] = (struct recipe_argument){ .name = name, .description = "" };
    return &r->arguments[(*count)++];
}

static int read_default(struct reading *r, const struct setting *s, struct recipe_argument *arg)
{
    if (s->kind == SETTING_MAP)
        return fail(r, &s->origin, "a default must be a text or a list, not %s",
                    setting_kind_name(s->kind));
    if (s->kind != SETTING_NULL)
        arg->fallback = setting_text(r->arena, s);
    return 0;
}

static int read_argument(struct reading *r, const struct setting *s)
{
    static const char *const known[] = { "description", "default" };
    struct recipe_argument *arg = argument_named(r, s->key.ptr);
    int rc = 0;

    if (s->kind != SETTING_MAP && s->kind != SETTING_NULL)
        return fail(r, &s->origin, "argument '%s' must be a map of 'description' and 'default'",
                    s->key.ptr);
    for (const struct setting *part = s->first; part && rc == 0; part = part->next) {
        if (str_is(part->key, "description"))
            rc = read_text(r, part, &arg->description);
        else if (str_is(part->key, "default"))
            rc = read_default(r, part, arg);
        else
            rc = unknown_key(r, part, known, ARRAY_LEN(known));
    }
    return rc;
}

static int need_map(struct reading *r, const struct setting *s)
{
    if (s->kind == SETTING_MAP || s->kind == SETTING_NULL)
        return 0;
    return fail(r, &s->origin, "'%s' must be a map, not %s", s->key.ptr,
                setting_kind_name(s->kind));
}

static int read_arguments(struct reading *r, const struct setting *s)
{
    int rc = need_map(r, s);

    for (const struct setting *arg = s->first; arg && rc == 0; arg = arg->next)
        rc = read_argument(r, arg);
    return rc;
}

/* Kodelet's older way to say defaults. */
static int read_defaults(struct reading *r, const struct setting *s)
{
    int rc = need_map(r, s);

    for (const struct setting *d = s->first; d && rc == 0; d = d->next) {
        struct recipe_argument *arg = argument_named(r, d->key.ptr);

        if (!arg->fallback)
            rc = read_default(r, d, arg);
    }
    return rc;
}

/* Other keys ----------------------------------------------------------------------------------- */

static int read_apply(struct reading *r, const struct setting *s)
{
    if (s->kind != SETTING_STRING || !str_is(s->text, "replace"))
        return fail(r, &s->origin, "'apply' can only be 'replace'");
    r->out->replaces = true;
    return 0;
}

/* Kodelet's older way to say `apply: replace`; it had no other handler. */
static int read_hooks(struct reading *r, const struct setting *s)
{
    const char *handler = setting_word(setting_get(s, "turn_end"), "handler");

    if (handler && strcmp(handler, "swap_context") == 0)
        r->out->replaces = true;
    else if (r->problems)
        problem_warn(r->problems, &s->origin, "'hooks' of a recipe has no meaning here");
    return 0;
}

static int read_nothing(struct reading *r, const struct setting *s)
{
    const struct origin where = setting_key_origin(s);

    if (r->problems)
        problem_warn(r->problems, &where, "'%s' has no meaning here", s->key.ptr);
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct reading *r, const struct setting *s);
} keys[] = {
    { "name", read_name },           { "description", read_description },
    { "allowed_tools", read_tools }, { "allowed_commands", read_commands },
    { "arguments", read_arguments }, { "model", read_model },
    { "agent", read_agent },         { "apply", read_apply },
    { "defaults", read_defaults },   { "hooks", read_hooks },
    { "workflow", read_nothing },    { "profile", read_nothing },
};

static int read_key(struct reading *r, const struct setting *s)
{
    const char *known[ARRAY_LEN(keys)];

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (str_is(s->key, keys[i].name))
            return keys[i].read(r, s);
        known[i] = keys[i].name;
    }
    return unknown_key(r, s, known, ARRAY_LEN(known));
}

/* Front and body ------------------------------------------------------------------------------- */

/*
 * The front matter with its first line, which YAML takes for the beginning of a document: so its
 * lines count as those of the file. Unset: there is none. `line`: that the body begins on.
 */
static bool cut_front(struct str text, struct str *front, struct str *body, size_t *line)
{
    struct str rest = text, piece;

    *front = (struct str){ 0 };
    *body = text;
    *line = 1;
    if (!str_cut(&rest, '\n', &piece) || !str_is(str_trim(piece), "---") || piece.ptr[0] != '-')
        return true;
    for (size_t n = 2; str_is_set(rest) && str_cut(&rest, '\n', &piece); n++) {
        if (!str_starts(piece, STR("---")) || str_trim(piece).len != 3)
            continue;
        *front = (struct str){ text.ptr, (size_t)(piece.ptr - text.ptr) };
        *body = str_is_set(rest) ? rest : STR("");
        *line = n + 1;
        return true;
    }
    return false;
}

static int read_front(struct reading *r, const struct origin *file, struct str front)
{
    struct setting *root;
    struct origin bad = *file;
    struct err why = { 0 };
    int rc = setting_parse(r->arena, file, front, &root, &bad, &why);

    if (rc < 0)
        return fail(r, &bad, "%s", why.msg);
    if (root->kind != SETTING_MAP && root->kind != SETTING_NULL)
        return fail(r, &root->origin, "the front matter must be a map, not %s",
                    setting_kind_name(root->kind));
    for (const struct setting *s = root->first; s && rc == 0; s = s->next)
        rc = read_key(r, s);
    r->out->arguments = r->arguments;
    return rc;
}

int recipe_read(struct arena *a, struct str text, struct recipe *out, struct problems *problems,
                struct err *e)
{
    struct reading r = { .arena = a, .out = out, .problems = problems, .e = e };
    struct origin file = { .source = SOURCE_USER, .file = recipe_file_name(a, out) };
    struct recipe_body body;
    struct str front;
    int rc = 0;

    out->description = "";
    out->source = text;
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = (struct str){ text.ptr + 3, text.len - 3 };
    if (memchr(text.ptr, '\0', text.len))
        return fail(&r, &file, "it is no text: it has a NUL character");
    if (!cut_front(text, &front, &out->body, &out->line)) {
        file.line = file.column = 1;
        return fail(&r, &file, "the front matter that begins here has no end: a line '---'");
    }
    if (str_is_set(front))
        rc = read_front(&r, &file, front);
    return rc < 0 ? rc : recipe_parse(a, out, &body, e);
}
