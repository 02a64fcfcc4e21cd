/* The handlers of an entry: its `exec`, or the members of its `group`. */
#include "hook/config_entry.h"
#include "hook/config_merge.h"

#define TEXT (1u << SETTING_STRING)
#define WORD (1u << SETTING_STRING | 1u << SETTING_NUMBER)
#define FLAG (1u << SETTING_BOOL)
#define LIST (1u << SETTING_LIST)
#define MAP  (1u << SETTING_MAP)

typedef void handler_fn(struct entry_reading *r, const struct setting *s, struct hook_handler *h);

static void read_exec(struct entry_reading *r, const struct setting *s, struct hook_handler *h)
{
    h->exec = s;
    config_entry_argv(r, s);
}

static void read_env(struct entry_reading *r, const struct setting *s, struct hook_handler *h)
{
    h->env = s;
    config_entry_env(r, s);
}

static void read_timeout(struct entry_reading *r, const struct setting *s, struct hook_handler *h)
{
    config_entry_timeout(r, s, &h->timeout_ms);
}

static void read_match(struct entry_reading *r UNUSED, const struct setting *s,
                       struct hook_handler *h)
{
    h->match = s;
}

static void read_if(struct entry_reading *r UNUSED, const struct setting *s, struct hook_handler *h)
{
    h->condition = s;
}

static void read_async(struct entry_reading *r UNUSED, const struct setting *s,
                       struct hook_handler *h)
{
    h->async = setting_is_true(s);
}

static void read_on_failure(struct entry_reading *r, const struct setting *s,
                            struct hook_handler *h)
{
    config_entry_on_failure(r, s, &h->on_failure);
}

static const struct handler_key {
    const char *name;
    handler_fn *read;
    unsigned kinds;
    bool own; /* an entry has no such key */
} keys[] = {
    { "exec", read_exec, TEXT | LIST, false },
    { "match", read_match, TEXT, true },
    { "if", read_if, TEXT, true },
    { "timeout", read_timeout, WORD, false },
    { "async", read_async, FLAG, true },
    { "on_failure", read_on_failure, TEXT, false },
    { "env", read_env, MAP | LIST, false },
};

static const struct handler_key *find_key(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (str_is(name, keys[i].name))
            return &keys[i];
    return NULL;
}

bool config_is_handler_key(struct str key)
{
    const struct handler_key *k = find_key(key);

    return k && k->own;
}

static const char *nearest_key(const char *name)
{
    const char *known[ARRAY_LEN(keys)];

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        known[i] = keys[i].name;
    return str_nearest(name, known, ARRAY_LEN(keys));
}

static void read_key(struct entry_reading *r, const struct setting *s, struct hook_handler *h)
{
    const struct handler_key *k = find_key(s->key);
    struct origin where = setting_key_origin(s);

    if (!k)
        config_entry_refuse(r, &where, "unknown key '%s' of a handler%s", s->key.ptr,
                            config_did_you_mean(r->arena, nearest_key(s->key.ptr)));
    else if (!(k->kinds & (1u << s->kind)))
        config_entry_refuse_kind(r, s, k->kinds);
    else
        k->read(r, s, h);
}

/* A handler that is wrong takes nothing from its neighbours: it stays, and every run of it fails.
 */
static void read_handler(const struct entry_reading *r, const struct setting *s,
                         struct hook_handler *h)
{
    struct entry_reading own = *r;

    own.bad = NULL;
    h->origin = s->origin;
    if (s->kind != SETTING_MAP)
        config_entry_refuse(&own, &s->origin, "a handler must be a map with 'exec', not %s",
                            setting_kind_name(s->kind));
    for (const struct setting *key = s->kind == SETTING_MAP ? s->first : NULL; key; key = key->next)
        read_key(&own, key, h);
    if (!h->exec && !own.bad)
        config_entry_refuse(&own, &s->origin, "a handler needs 'exec': what to run");
    h->broken = own.bad;
}

void config_entry_group(struct entry_reading *r, const struct setting *group)
{
    struct hook_entry *entry = r->entry;

    entry->runner = RUNNER_COMMAND;
    if (!group->first)
        config_entry_refuse(r, &group->origin, "'group' is empty: say what to run");
    entry->handlers = arena_array(r->arena, struct hook_handler, setting_count(group) + 1);
    entry->handler_count = 0;
    for (const struct setting *s = group->first; s; s = s->next)
        read_handler(r, s, &entry->handlers[entry->handler_count++]);
}

void config_entry_command(struct entry_reading *r, const struct setting *exec)
{
    struct hook_entry *entry = r->entry;

    entry->runner = RUNNER_COMMAND;
    entry->handlers = arena_new(r->arena, struct hook_handler);
    entry->handlers->origin = entry->origin;
    entry->handlers->exec = exec;
    entry->handler_count = 1;
}
