#include "hook/state.h"

const char *state_key_fault(struct str key)
{
    if (key.len == 0 || key.len > STATE_KEY_MAX || memchr(key.ptr, '\0', key.len))
        return "must be a text of 1 to 4096 bytes";
    return key.ptr[0] == '@' ? "must not begin with '@': such keys are the engine's" : NULL;
}

static struct store_key state_key(const struct hook_call *c, const char *key)
{
    return (struct store_key){ c->event->session.id, c->hook->name, key };
}

int state_get(const struct hook_call *c, const char *key, struct str *value, struct err *e)
{
    struct store_key k = state_key(c, key);

    return store_get(engine_store(c->engine), &k, c->arena, value, e);
}

int state_set(const struct hook_call *c, const char *key, struct str value, struct err *e)
{
    struct store_key k = state_key(c, key);

    return store_set(engine_store(c->engine), &k, value, e);
}

int state_incr(const struct hook_call *c, const char *key, int64_t by, int64_t *now, struct err *e)
{
    struct store_key k = state_key(c, key);

    return store_incr(engine_store(c->engine), &k, by, now, e);
}

int state_update(const struct hook_call *c, const char *key, store_decide_fn *decide, void *context,
                 struct err *e)
{
    struct store_key k = state_key(c, key);

    return store_update(engine_store(c->engine), &k, decide, context, e);
}
