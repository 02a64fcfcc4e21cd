#include "cli/replay.h"

/* Digest --------------------------------------------------------------------------------------- */

static void add(struct strbuf *b, const char *word)
{
    strbuf_printf(b, "%s%s", b->len ? ", " : "", word);
}

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void add_sorted(struct strbuf *b, const char *title, const char **names, size_t count)
{
    if (count == 0)
        return;
    qsort(names, count, sizeof(*names), compare_texts);
    add(b, title);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(b, " %s", names[i]);
}

static void add_fields(struct arena *a, struct strbuf *b, const struct verdict *v)
{
    const char **names = arena_array(a, const char *, json_count(v->replace) + 1);
    size_t count = 0;

    for (const struct json *f = json_first(v->replace); f; f = json_next(f))
        names[count++] = arena_cstr(a, json_key(a, f));
    add_sorted(b, "change", names, count);
}

static void add_injections(struct arena *a, struct strbuf *b, const struct verdict *v)
{
    const char **names;
    size_t count = 0;

    for (const struct injection *i = v->injections; i; i = i->next)
        count++;
    names = arena_array(a, const char *, count + 1);
    count = 0;
    for (const struct injection *i = v->injections; i; i = i->next)
        names[count++] = i->id ? i->id : "1";
    add_sorted(b, "inject", names, count);
}

char *replay_digest(struct arena *a, const struct verdict *v)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (v->decision != DECISION_NONE)
        add(&b, decision_name(v->decision));
    if (v->stop)
        add(&b, "stop");
    if (v->result != VERDICT_NO_RESULT)
        add(&b, verdict_result_name(v->result));
    if (v->callback)
        strbuf_printf(&b, " %s", v->callback);
    if (v->model)
        add(&b, arena_printf(a, "model %s", v->model));
    add_fields(a, &b, v);
    add_injections(a, &b, v);
    return arena_strdup(a, b.len ? strbuf_cstr(&b) : "none");
}

/* Hooks ---------------------------------------------------------------------------------------- */

/* What a hook did about an event, all of its runs and hold-backs; "" when it is not among them. */
static const char *did(struct arena *a, const struct json *hooks, struct str name)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (const struct json *h = json_first(hooks); h; h = json_next(h)) {
        const struct json *held = json_get(h, STR("held")), *end = json_get(h, STR("end"));

        if (!str_eq(json_str(a, json_get(h, STR("hook"))), name))
            continue;
        for (const struct json *d = json_first(json_get(h, STR("did"))); d; d = json_next(d))
            strbuf_printf(&b, "%.*s ", STR_ARG(json_str(a, d)));
        if (end)
            strbuf_printf(&b, "%.*s ", STR_ARG(json_str(a, end)));
        if (held)
            strbuf_printf(&b, "held:%.*s ", STR_ARG(json_str(a, held)));
    }
    return arena_strdup(a, strbuf_cstr(&b));
}

static bool is_listed(struct str list, const char *name)
{
    struct str item;

    while (str_cut(&list, ',', &item))
        if (str_is(str_trim(item), name))
            return true;
    return false;
}

/* The names in `hooks` that did something else in `others`, once each. */
static void add_differing(struct arena *a, struct strbuf *b, const struct json *hooks,
                          const struct json *others)
{
    for (const struct json *h = json_first(hooks); h; h = json_next(h)) {
        struct str name = json_str(a, json_get(h, STR("hook")));
        const char *text = arena_cstr(a, name);

        if (!text || strcmp(did(a, hooks, name), did(a, others, name)) == 0)
            continue;
        if (!is_listed(strbuf_str(b), text))
            add(b, text);
    }
}

static bool has_held_command(const struct receipt *now)
{
    for (size_t i = 0; i < now->held_count; i++)
        if (now->held[i].why == HELD_DEPTH)
            return true;
    return false;
}

struct replay_row replay_compare(struct arena *a, const struct captured *then,
                                 const struct receipt *now)
{
    CLEANUP(strbuf) struct strbuf by = { 0 };
    struct replay_row row = { .then = replay_digest(a, &then->verdict),
                              .now = replay_digest(a, &now->verdict),
                              .by = "" };
    const struct json *hooks;

    if (strcmp(row.then, row.now) == 0)
        return row;
    hooks = json_get(capture_to_json(a, now, NULL), STR("hooks"));
    add_differing(a, &by, then->hooks, hooks);
    add_differing(a, &by, hooks, then->hooks);
    row.by = arena_strdup(a, strbuf_cstr(&by));
    row.change = REPLAY_CHANGED;
    if (has_held_command(now))
        row.note = "commands were held back";
    else if (then->removed)
        row.note = "secrets were removed from it";
    if (row.note)
        row.change = REPLAY_UNKNOWN;
    return row;
}
