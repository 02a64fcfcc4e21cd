#include "hook/chain.h"

#include "base/map.h"

struct cached_chain {
    struct cached_chain *next;
    uint64_t hash;
    struct chain_key key;
    struct chain chain;
    struct arena arena; /* holds this struct and all it points to */
};

struct chain_key chain_key_of(struct arena *a, const struct event *ev)
{
    struct chain_key key = {
        .point = ev->point,
        .tool = event_tool(a, ev),
        .agent = str_of(ev->session.agent),
        .sub = event_is_sub(ev),
    };

    if (ev->point == POINT_TOOL_EXECUTE_AFTER) {
        const struct json *success = event_data(ev, STR("success"));

        /* Agents that report only tools that worked do not say so. */
        key.result = json_type(success) == JSON_BOOL && !json_is_true(success) ? RESULT_FAILURE
                                                                               : RESULT_SUCCESS;
    }
    return key;
}

static bool session_matches(enum session_match wanted, bool sub)
{
    return wanted == SESSION_ANY || (wanted == SESSION_SUB) == sub;
}

/* NULL when a subscription to the event's point matches it. */
static const char *subscription_mismatch(const struct subscription *s, const struct chain_key *key)
{
    if (!session_matches(s->session, key->sub))
        return s->session == SESSION_SUB ? "only for subagents" : "only for main sessions";
    if (s->result != RESULT_ANY && key->result != RESULT_ANY && s->result != key->result)
        return s->result == RESULT_SUCCESS ? "only for tools that worked"
                                           : "only for tools that failed";
    return NULL;
}

static const struct subscription *find_subscription(const struct hook *h,
                                                    const struct chain_key *key, const char **why)
{
    *why = "not subscribed";
    for (size_t i = 0; i < h->traits.on_count; i++) {
        const struct subscription *s = &h->traits.on[i];

        if (s->point != key->point)
            continue;
        *why = subscription_mismatch(s, key);
        if (!*why)
            return s;
    }
    return NULL;
}

const struct subscription *chain_subscription(const struct hook *h, const struct chain_key *key)
{
    const char *why;

    return find_subscription(h, key, &why);
}

const char *chain_mismatch(const struct hook *h, const struct chain_key *key)
{
    const char *why;

    if (!session_matches(h->traits.session, key->sub))
        return h->traits.session == SESSION_SUB ? "only for subagents" : "only for main sessions";
    if (!match_test_tool(h->traits.tool, key->tool))
        return "other tools only";
    if (!match_test(h->traits.agent, key->agent))
        return "other agents only";
    (void)find_subscription(h, key, &why);
    return why;
}

/* Observers come last whatever their layer: they see what the others decided. */
static void build_chain(struct chain *chain, const struct chain_key *key,
                        const struct hook *const *hooks, size_t count, struct arena *a)
{
    const struct hook **matching = arena_array(a, const struct hook *, count + 1);

    *chain = (struct chain){ .hooks = matching };
    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->traits.observe && !chain_mismatch(hooks[i], key))
            matching[chain->count++] = hooks[i];
    chain->observers = chain->count;
    for (size_t i = 0; i < count; i++)
        if (hooks[i]->traits.observe && !chain_mismatch(hooks[i], key))
            matching[chain->count++] = hooks[i];
}

static uint64_t hash_key(const struct chain_key *key)
{
    char small[3] = { (char)key->point, (char)key->sub, (char)key->result };
    uint64_t h = map_hash(0, (struct str){ small, sizeof(small) });

    h = map_hash(map_hash(h, key->tool), STR("/"));
    return map_hash(h, key->agent);
}

static bool same_key(const struct chain_key *x, const struct chain_key *y)
{
    return x->point == y->point && x->sub == y->sub && x->result == y->result &&
           str_is_set(x->tool) == str_is_set(y->tool) &&
           str_is_set(x->agent) == str_is_set(y->agent) && str_eq(x->tool, y->tool) &&
           str_eq(x->agent, y->agent);
}

static struct str keep(struct arena *a, struct str s)
{
    return (struct str){ arena_cstr(a, s), s.len };
}

static struct cached_chain *new_entry(const struct chain_key *key, uint64_t hash,
                                      const struct hook *const *hooks, size_t count)
{
    struct arena a = { 0 };
    struct cached_chain *entry = arena_new(&a, struct cached_chain);

    entry->hash = hash;
    entry->key = *key;
    entry->key.tool = keep(&a, key->tool);
    entry->key.agent = keep(&a, key->agent);
    build_chain(&entry->chain, key, hooks, count, &a);
    entry->arena = a;
    return entry;
}

const struct chain *chain_find(struct chain_cache *cache, const struct chain_key *key,
                               const struct hook *const *hooks, size_t count, struct arena *a)
{
    uint64_t hash = hash_key(key);
    _Atomic(struct cached_chain *) *bucket = &cache->buckets[hash % CHAIN_BUCKETS];
    struct cached_chain *entry = atomic_load_explicit(bucket, memory_order_acquire);

    for (; entry; entry = entry->next)
        if (entry->hash == hash && same_key(&entry->key, key))
            return &entry->chain;
    if (atomic_load_explicit(&cache->count, memory_order_relaxed) >= CHAIN_MAX) {
        struct chain *chain = arena_new(a, struct chain);

        build_chain(chain, key, hooks, count, a);
        return chain;
    }
    entry = new_entry(key, hash, hooks, count);
    entry->next = atomic_load_explicit(bucket, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(bucket, &entry->next, entry, memory_order_release,
                                                  memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&cache->count, 1, memory_order_relaxed);
    return &entry->chain;
}

void chain_cache_release(struct chain_cache *cache)
{
    for (size_t i = 0; i < CHAIN_BUCKETS; i++) {
        struct cached_chain *entry = atomic_load(&cache->buckets[i]);

        while (entry) {
            struct cached_chain *next = entry->next;
            struct arena a = entry->arena;

            arena_release(&a);
            entry = next;
        }
    }
}
