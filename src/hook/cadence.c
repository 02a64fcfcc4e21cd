#include "hook/cadence.h"

#include "base/suggest.h"

/* What one value of hook_cadence is parsed with. */
struct reading {
    struct arena *arena;
    const char *name;
    bool always;
    bool ignored; /* something above 1 was ignored: said once */
    struct problems *problems;
};

static void warn_invalid(struct reading *r, const struct setting *s)
{
    problem_warn(r->problems, &s->origin, "[hooke:cadence] Invalid cadence %s for %s, using 1",
                 setting_text(r->arena, s), r->name);
}

static void warn_ignored(struct problems *problems, const struct origin *where, const char *name)
{
    problem_warn(problems, where,
                 "[hooke:cadence] Ignoring cadence > 1 for safety-critical hook: %s", name);
}

/* The order of the checks is the original's: above 1 is ignored before it is found invalid. */
static uint32_t read_every(struct reading *r, const struct setting *s)
{
    double number;

    if (!setting_to_double(s, &number)) {
        warn_invalid(r, s);
        return 1;
    }
    if (r->always && number > 1) {
        if (!r->ignored)
            warn_ignored(r->problems, &s->origin, r->name);
        r->ignored = true;
        return 1;
    }
    if (number >= UINT32_MAX)
        return UINT32_MAX;
    if (number < 1 ||
        number != (double)(uint32_t)number) { /* not trunc(): see src/cli/late_math.c */
        warn_invalid(r, s);
        return 1;
    }
    return (uint32_t)number;
}

static const struct cadence_agent *read_agents(struct reading *r, const struct setting *s)
{
    struct cadence_agent *agents;
    size_t count = 0;

    if (s->kind != SETTING_MAP) {
        problem_add(r->problems, &s->origin,
                    "'agents' must be a map of agents and cadences, not %s",
                    setting_kind_name(s->kind));
        return NULL;
    }
    agents = arena_array(r->arena, struct cadence_agent, setting_count(s) + 1);
    for (const struct setting *m = s->first; m; m = m->next)
        agents[count++] = (struct cadence_agent){ m->key.ptr, read_every(r, m) };
    return agents;
}

static double read_share(struct reading *r, const struct setting *s)
{
    double share;

    if (setting_to_double(s, &share) && share > 0 && share < 1)
        return share;
    problem_add(r->problems, &s->origin,
                "'when_context_over' must be a number between 0 and 1, not '%s'",
                setting_text(r->arena, s));
    return 0;
}

static uint64_t read_tokens(struct reading *r, const struct setting *s)
{
    int64_t tokens;

    if (setting_to_int64(s, &tokens) && tokens > 0)
        return (uint64_t)tokens;
    problem_add(r->problems, &s->origin,
                "'when_tokens_over' must be a whole number above 0, not '%s'",
                setting_text(r->arena, s));
    return 0;
}

static void read_member(struct reading *r, const struct setting *m, struct cadence *c)
{
    static const char *const keys[] = { "every", "agents", "when_context_over", "when_tokens_over",
                                        "then" };
    struct origin where;

    if (str_is(m->key, "every")) {
        c->every = read_every(r, m);
    } else if (str_is(m->key, "agents")) {
        c->agents = read_agents(r, m);
    } else if (str_is(m->key, "when_context_over")) {
        c->when_context_over = read_share(r, m);
    } else if (str_is(m->key, "when_tokens_over")) {
        c->when_tokens_over = read_tokens(r, m);
    } else if (str_is(m->key, "then")) {
        c->then = read_every(r, m);
    } else {
        where = setting_key_origin(m);
        problem_add(r->problems, &where, "unknown key '%s' of a cadence%s", m->key.ptr,
                    suggest(r->arena, str_nearest(m->key.ptr, keys, ARRAY_LEN(keys)), ""));
    }
}

static void read_map(struct reading *r, const struct setting *s, struct cadence *c)
{
    bool dynamic;

    for (const struct setting *m = s->first; m; m = m->next)
        read_member(r, m, c);
    dynamic = c->when_context_over > 0 || c->when_tokens_over > 0;
    if (dynamic && !setting_get(s, "then"))
        problem_add(r->problems, &s->origin,
                    "the cadence of '%s' has no 'then': say what applies once over", r->name);
    else if (!dynamic && setting_get(s, "then"))
        problem_add(r->problems, &setting_get(s, "then")->origin,
                    "'then' needs 'when_context_over' or 'when_tokens_over' beside it");
    if (!dynamic || !setting_get(s, "then")) {
        c->when_context_over = 0;
        c->when_tokens_over = 0;
        c->then = 0;
    }
}

struct cadence cadence_parse(struct arena *a, const char *name, const struct setting *s,
                             bool always, struct problems *problems)
{
    struct reading r = { .arena = a, .name = name, .always = always, .problems = problems };
    struct cadence c = { 0 };

    if (!s)
        return c;
    c.origin = s->origin;
    if (s->kind == SETTING_MAP)
        read_map(&r, s, &c);
    else
        c.every = read_every(&r, s);
    return c;
}

bool cadence_gates(const struct cadence *c)
{
    if (c->every > 1 || c->then > 1)
        return true;
    for (const struct cadence_agent *agent = c->agents; agent && agent->agent; agent++)
        if (agent->every > 1)
            return true;
    return false;
}

void cadence_settle_always(struct cadence *c, const char *name, struct problems *problems)
{
    if (!cadence_gates(c))
        return;
    warn_ignored(problems, &c->origin, name);
    *c = (struct cadence){ .every = 1, .origin = c->origin };
}

void cadence_warn_of_cache(const struct cadence *c, const char *hook, struct problems *problems)
{
    problem_warn(
        problems, &c->origin,
        "a cadence above 1 with 'place: system' puts '%s' into the system prompt and takes "
        "it out again, which breaks the provider's prompt cache and costs more than it "
        "saves: leave 'place' out, the text then goes to the end of the request",
        hook);
}
