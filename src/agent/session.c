#include "agent/session.h"

#include "agent/compaction.h"
#include "agent/status.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/ulid.h"
#include "base/vars.h"
#include "hook/registry.h"

#include <errno.h>

#define TITLE_MAX 100 /* bytes */

/* History ------------------------------------------------------------------------------------- */

static void history_push(struct history *h, const struct json *message)
{
    if (h->count == h->room) {
        h->room = h->room ? h->room * 2 : 64;
        h->items = xrealloc(h->items, h->room * sizeof(const void *));
    }
    h->items[h->count++] = message;
}

void session_add(struct agent_session *s, const struct json *message)
{
    const struct json *copy = json_copy(&s->arena, message);

    status_lock(s);
    history_push(&s->history, copy);
    status_unlock(s);
}

const struct json *session_messages(struct arena *a, const struct agent_session *s)
{
    struct json *list = json_array(a);

    for (size_t i = 0; i < s->history.count; i++)
        json_push(a, list, s->history.items[i]);
    return list;
}

int64_t session_tokens(const struct agent_session *s, size_t first)
{
    int64_t tokens = 0;

    for (size_t i = first; i < s->history.count; i++)
        tokens += message_tokens(s->history.items[i]);
    return tokens;
}

int64_t session_context(const struct agent_session *s)
{
    size_t first = s->history.count;

    if (s->usage.context <= 0)
        return session_tokens(s, 0);
    while (first > 0 && !message_is(s->history.items[first - 1], "assistant"))
        first--;
    return first ? s->usage.context + session_tokens(s, first) : session_tokens(s, 0);
}

/* Storing ------------------------------------------------------------------------------------- */

static struct conversation_rows rows_of(struct arena *a, const struct json *const *items,
                                        size_t count)
{
    struct conversation_rows rows = { arena_array(a, struct conversation_message, count + 1),
                                      count };
    int64_t now = clock_wall_ms();

    for (size_t i = 0; i < count; i++)
        rows.list[i] =
            (struct conversation_message){ .line = str_of(json_text(a, items[i])), .at_ms = now };
    return rows;
}

/* Turns are stored one by one: no more than one answer is new. */
static void note_cost(struct arena *a, const struct agent_session *s,
                      struct conversation_rows *rows)
{
    struct conversation_message *m;

    if (usage_tokens(&s->newest.usage) == 0 || s->newest_at < s->stored ||
        s->newest_at - s->stored >= rows->count)
        return;
    m = &rows->list[s->newest_at - s->stored];
    m->usage = str_of(json_text(a, usage_to_json(a, &s->newest.usage)));
    m->cost = s->newest.cost;
}

static struct conversation_totals totals_of(struct arena *a, const struct agent_session *s)
{
    return (struct conversation_totals){
        .usage = json_text(a, usage_to_json(a, &s->usage)),
        .cost = s->cost,
        .agent = s->def->name,
        .model = arena_printf(a, "%s/%s", s->model.provider, s->model.model),
    };
}

int session_save(struct agent_session *s, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t count = s->history.count - s->stored;
    const struct conversation_totals totals = totals_of(&a, s);
    struct conversation_rows rows;
    int r;

    if (!s->save || count == 0)
        return 0;
    rows = rows_of(&a, s->history.items + s->stored, count);
    note_cost(&a, s, &rows);
    r = conversation_append(agent_options(s->agent)->store, s->about.id, s->stored, &rows, &totals,
                            e);
    if (r == 0) {
        s->stored = s->history.count;
        s->newest = (struct answer_cost){ 0 };
    }
    return r;
}

static int store_generation(struct agent_session *s, const char *trigger, uint32_t *generation,
                            struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct conversation_totals totals = totals_of(&a, s);
    const struct conversation_part part = {
        .trigger = trigger,
        .known = s->stored,
        .rows = rows_of(&a, s->history.items, s->history.count),
    };

    return conversation_replace(agent_options(s->agent)->store, s->about.id, &part, &totals,
                                generation, e);
}

/* Context that hooks leave is anchored to messages by their ids. */
static const struct json *with_id(struct arena *a, const struct json *message)
{
    if (json_type(json_get(message, STR("id"))) == JSON_STRING)
        return message;
    return json_with(a, message, STR("id"), json_cstring(a, ulid_new(a)));
}

/* Other threads may look at the history, for hooks. */
static void exchange_history(struct agent_session *s, struct history *with)
{
    struct history before;

    status_lock(s);
    before = s->history;
    s->history = *with;
    *with = before;
    status_unlock(s);
}

int session_replace(struct agent_session *s, const struct json *messages, const char *trigger,
                    uint32_t *generation, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct history other = { 0 };
    int64_t context = s->usage.context;
    int r = session_save(s, e); /* the generation that ends is whole */

    *generation = 0;
    if (r < 0)
        return r;
    for (const struct json *m = json_first(messages); m; m = json_next(m))
        history_push(&other, json_copy(&s->arena, with_id(&a, m)));
    exchange_history(s, &other);
    s->usage.context = session_tokens(s, 0);
    if (s->save)
        r = store_generation(s, trigger, generation, e);
    if (r < 0) {
        exchange_history(s, &other);
        s->usage.context = context;
    } else {
        s->stored = s->history.count;
        prefix_release(&s->prefix);
    }
    free(other.items);
    return r;
}

/* Opening ------------------------------------------------------------------------------------- */

const char *session_configured_model(const struct agent *ag)
{
    const struct setting *model = config_get(agent_config(ag), "model", NULL);

    return model && model->kind == SETTING_STRING ? model->text.ptr : vars_get("HOOKE_MODEL");
}

int session_use_model(struct agent_session *s, const char *model, struct err *e)
{
    struct model_name name = { 0 };
    struct provider *provider = NULL;
    int r;

    if (!model || !model[0])
        return err_set(e, -EINVAL,
                       "no model is chosen: say --model provider/model, or set 'model' in the "
                       "configuration");
    r = model_name_parse(&s->arena, model, &name, e);
    if (r == 0)
        r = agent_provider(s->agent, name.provider, &provider, e);
    if (r == 0 && s->variant)
        r = provider_check_variant(provider, s->variant, e);
    if (r < 0)
        return r;
    s->model = name;
    s->provider = provider;
    return 0;
}

static int load_history(struct agent_session *s, const struct conversation *c, struct err *e)
{
    struct conversation_rows rows = { 0 };
    int r = conversation_load(agent_options(s->agent)->store, c->id, 0, &s->arena, &rows, e);

    for (size_t i = 0; r == 0 && i < rows.count; i++) {
        const struct json *message;

        r = json_parse(&s->arena, rows.list[i].line, NULL, &message, e);
        if (r < 0)
            return err_wrap(e, r, "message %zu of conversation '%s'", i + 1, c->id);
        history_push(&s->history, message);
    }
    s->stored = s->history.count;
    return r;
}

static int resume(struct agent_session *s, const struct agent_task *task, struct conversation *c,
                  struct err *e)
{
    struct store *store = agent_options(s->agent)->store;
    const struct json *usage;
    int r = conversation_get(store, task->resume, &s->arena, c, e);

    if (r == 0 && s->save)
        r = conversation_claim(store, c->id, &s->claim, e);
    if (r == 0)
        r = load_history(s, c, e);
    if (r < 0)
        return r;
    s->about.id = c->id;
    s->cost = c->cost;
    if (c->usage && c->usage[0] && json_parse(&s->arena, str_of(c->usage), NULL, &usage, NULL) == 0)
        s->usage = usage_from_json(usage);
    return 0;
}

static char *title_of(struct arena *a, const char *text)
{
    struct str line = str_trim(str_of(text)), first;

    if (!str_cut(&line, '\n', &first))
        return arena_strdup(a, "");
    first.len = str_fit(first, TITLE_MAX);
    return arena_cstr(a, first);
}

static int create(struct agent_session *s, const struct agent_task *task, struct err *e)
{
    struct store *store = agent_options(s->agent)->store;
    const struct conversation c = {
        .id = s->about.id,
        .workspace = agent_workspace(s->agent),
        .cwd = s->about.cwd,
        .agent = s->def->name,
        .model = arena_printf(&s->arena, "%s/%s", s->model.provider, s->model.model),
        .recipe = task->recipe,
        .title = title_of(&s->arena, task->text),
        .parent = s->about.parent,
        .created_ms = clock_wall_ms(),
        .generation = 1,
    };
    int r;

    if (!s->save)
        return 0;
    r = conversation_create(store, &c, e);
    return r == 0 ? conversation_claim(store, c.id, &s->claim, e) : r;
}

static int choose(struct agent_session *s, const struct agent_task *task,
                  const struct conversation *was, struct err *e)
{
    struct agent_def *def = arena_new(&s->arena, struct agent_def);
    const char *model = task->model;
    int r = agent_def_find(s->agent, &s->arena, task->agent ? task->agent : was->agent, def, e);

    if (r < 0)
        return r;
    s->def = def;
    s->about.agent = def->name;
    s->variant = task->variant;
    if (!model)
        model = def->model;
    if (!model && was->model && was->model[0])
        model = was->model;
    return session_use_model(s, model ? model : session_configured_model(s->agent), e);
}

int session_open(struct agent_session *s, struct agent *ag, const struct agent_task *task,
                 struct err *e)
{
    struct conversation was = { 0 };
    int r = 0;

    s->agent = ag;
    s->claim = -1;
    s->save = !task->no_save;
    s->about.cwd = agent_cwd(ag);
    s->about.recipe = task->recipe;
    s->only_tools = task->tools;
    s->only_commands = task->commands;
    s->seen = seen_new();
    s->max_turns = task->max_turns;
    if (task->resume)
        r = resume(s, task, &was, e);
    else if (!s->about.id)
        s->about.id = ulid_new(&s->arena);
    if (r == 0)
        r = choose(s, task, &was, e);
    if (r == 0 && !task->resume)
        r = create(s, task, e);
    s->begun = s->usage;
    if (r == 0)
        compaction_configure(s, task);
    if (r == 0)
        status_join(s);
    return r;
}

void session_close(struct agent_session *s)
{
    status_leave(s);
    if (s->claim >= 0)
        close(s->claim);
    seen_free(s->seen);
    free(s->history.items);
    prefix_release(&s->prefix);
    arena_release(&s->arena);
    *s = (struct agent_session){ .claim = -1 };
}

void session_end(struct agent_session *s, enum agent_end end, const char *reason)
{
    if (s->over)
        return;
    s->over = true;
    s->end = end;
    s->reason = arena_strdup(&s->arena, reason ? reason : "");
}
