#include "hook/hook_make.h"

#include "hook/trust.h"

#include <errno.h>

const struct runner *hook_runner(const struct runner *const *runners, enum runner_kind kind)
{
    for (; runners && *runners; runners++)
        if ((*runners)->kind == kind)
            return *runners;
    return NULL;
}

static int run_broken(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    if (c->hook->untrusted)
        return err_set(e, TRUST_REFUSED, "did not run: %s", c->hook->untrusted);
    return err_set(e, -EIO, "failed: %s", c->hook->broken);
}

static int run_builtin(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return c->hook->def->on[c->event->point](c, v, e);
}

/* It stays in its chain, and every run of it fails. */
static void break_hook(const struct hook_making *m, struct hook *h, const char *why)
{
    h->broken = arena_strdup(m->arena, why);
    h->run = run_broken;
}

const struct hook_entry *hook_entry_from(const struct config *c, size_t i, const char *name)
{
    for (; c && i < c->hook_count; i++)
        if (!c->hooks[i].duplicate && strcmp(c->hooks[i].name, name) == 0)
            return &c->hooks[i];
    return NULL;
}

/* The entry of the same name in a later file. */
static const struct hook_entry *next_entry(const struct config *c, const struct hook_entry *entry)
{
    return hook_entry_from(c, (size_t)(entry - c->hooks) + 1, entry->name);
}

/* Built-ins ------------------------------------------------------------------------------------ */

static struct match *match_names(struct arena *a, const char *const *names)
{
    struct match *m = names ? arena_new(a, struct match) : NULL;
    CLEANUP(strbuf) struct strbuf text = { 0 };

    if (!m)
        return NULL;
    for (size_t i = 0; names[i]; i++) {
        strbuf_addstr(&text, i ? ", " : "");
        strbuf_addstr(&text, names[i]);
    }
    m->names = names;
    m->text = arena_cstr(a, strbuf_str(&text));
    return m;
}

static struct hook_traits traits_of_def(struct arena *a, const struct hook_def *def)
{
    struct hook_traits t = {
        .session = def->session,
        .layer = def->layer,
        .priority = def->priority,
        .safety_critical = def->safety_critical,
        .on_failure = def->safety_critical ? FAILURE_BLOCK : FAILURE_ALLOW,
        .enabled = !def->off,
        .observe = def->layer == LAYER_OBSERVE,
    };
    struct subscription on[POINT_COUNT] = { 0 };

    for (int p = 0; p < POINT_COUNT; p++)
        if (def->on[p])
            on[t.on_count++] = (struct subscription){ .point = (enum point)p };
    t.on = memcpy(arena_array(a, struct subscription, t.on_count), on, t.on_count * sizeof(*on));
    t.tool = match_names(a, def->tools);
    t.agent = match_names(a, def->agents);
    return t;
}

void hook_lay_over(struct hook_traits *t, const struct hook_traits *entry)
{
    if (entry->said & KEY_TOOL)
        t->tool = entry->tool;
    if (entry->said & KEY_AGENT)
        t->agent = entry->agent;
    if (entry->said & KEY_SESSION)
        t->session = entry->session;
    if (entry->said & KEY_LAYER) {
        t->layer = entry->layer;
        t->observe = entry->layer == LAYER_OBSERVE;
    }
    if (entry->said & KEY_PRIORITY)
        t->priority = entry->priority;
    if (entry->said & KEY_TIMEOUT)
        t->timeout_ms = entry->timeout_ms;
    if (entry->said & KEY_SAFETY_CRITICAL)
        t->safety_critical = entry->safety_critical;
    if (entry->said & (KEY_ON_FAILURE | KEY_SAFETY_CRITICAL))
        t->on_failure = entry->on_failure;
    if (entry->said & KEY_CADENCE)
        t->cadence = entry->cadence;
    if (entry->said & KEY_PLACE)
        t->place = entry->place;
    if (entry->said & KEY_ONCE)
        t->once = entry->once;
    if (entry->said & KEY_BUDGET) {
        t->budget_tokens = entry->budget_tokens;
        t->budget_session_tokens = entry->budget_session_tokens;
        t->budget_llm_tokens = entry->budget_llm_tokens;
        t->budget_llm_cost = entry->budget_llm_cost;
    }
    if (entry->said & KEY_ENABLED)
        t->enabled = entry->enabled;
    t->said |= entry->said;
}

/* What the user or the machine's owner has said of a built-in, a workspace does not unsay. */
static bool is_taken(const struct hook_making *m, const struct hook_entry *entry,
                     const struct setting *s)
{
    const struct hook_entry *other = hook_entry_from(m->config, 0, entry->name);

    for (; entry->origin.source == SOURCE_WORKSPACE && other != entry;
         other = next_entry(m->config, other)) {
        const struct setting *said = setting_get(other->spec, s->key.ptr);

        if (other->origin.source == SOURCE_WORKSPACE || !said)
            continue;
        problem_add(m->problems, &s->origin, "a workspace may not change '%s', it is set at %s",
                    s->key.ptr, origin_text(m->arena, &said->origin));
        return true;
    }
    return false;
}

static void set_options(const struct hook_making *m, const struct hook_def *def,
                        const struct hook_entry *entry, void *options)
{
    for (const struct setting *s = entry->spec->first; s; s = s->next) {
        const struct option *o = option_find(def->options, s->key);

        if (o && is_taken(m, entry, s))
            continue;
        if (o)
            option_set(m->arena, o, s, options, m->problems);
        else if (str_is(s->key, "on") || str_is(s->key, "mode"))
            problem_add(m->problems, &s->origin, "'%.*s' of the built-in '%s' can't be changed",
                        STR_ARG(s->key), def->name);
        else if (!config_is_hook_key(s->key))
            problem_add(m->problems, &s->origin,
                        "hook '%s' has no option '%.*s', see 'hooke show %s'", def->name,
                        STR_ARG(s->key), def->name);
    }
}

/* Nobody can tell whether an option tightens a guard: a workspace leaves guards alone. */
static bool overreaches(const struct hook_making *m, const struct hook_def *def,
                        const struct hook_entry *entry)
{
    if (entry->origin.source != SOURCE_WORKSPACE ||
        (def->layer != LAYER_GUARD && !def->safety_critical))
        return false;
    problem_add(m->problems, &entry->origin, "a workspace may not set options of the guard '%s'",
                def->name);
    return true;
}

struct hook *hook_make_builtin(const struct hook_making *m, const struct hook_def *def,
                               const struct hook_entry *entry)
{
    struct hook *h = arena_new(m->arena, struct hook);
    void *options = def->options_size ? arena_zalloc(m->arena, def->options_size) : NULL;

    h->name = def->name;
    h->summary = def->summary;
    h->origin = (struct origin){ .source = SOURCE_BUILTIN, .file = "built-in" };
    h->runner = RUNNER_BUILTIN;
    h->traits = traits_of_def(m->arena, def);
    h->order = 0;
    h->run = run_builtin;
    h->in_process = true;
    h->def = def;
    h->callbacks = def->callbacks;
    if (options)
        option_defaults(m->arena, def->options, options);
    h->options = options;
    for (; entry; entry = next_entry(m->config, entry)) {
        if (overreaches(m, def, entry))
            continue;
        h->origin = entry->origin;
        hook_lay_over(&h->traits, &entry->traits);
        set_options(m, def, entry, options);
        if (entry->broken)
            break_hook(m, h, entry->broken);
    }
    if (!h->traits.enabled)
        h->off_because = h->traits.said & KEY_ENABLED ? "enabled: false" : "off unless enabled";
    return h;
}

/* Entries -------------------------------------------------------------------------------------- */

static int load_hook(const struct hook_making *m, const struct runner *runner,
                     const struct hook_entry *entry, struct hook *h, struct err *e)
{
    if (!runner)
        return err_set(e, -ENOTSUP, "this build cannot run a %s", runner_kind_name(entry->runner));
    return runner->load(m->arena, entry, h, m->problems, e);
}

void hook_add_part(struct arena *a, struct hook *h, const struct hook_traits *traits)
{
    struct hook *part = arena_new(a, struct hook);

    *part = *h;
    part->traits = *traits;
    h->next_part = part; /* the copy points on to the parts before it */
}

struct hook *hook_make(const struct hook_making *m, const struct hook_entry *entry, unsigned order)
{
    struct hook *h = arena_new(m->arena, struct hook);
    const struct runner *runner = hook_runner(m->runners, entry->runner);
    struct err e = { 0 };

    h->name = entry->name;
    h->summary = "";
    h->origin = entry->origin;
    h->runner = entry->runner;
    h->traits = entry->traits;
    h->order = order;
    h->in_process = runner && runner->in_process;
    h->untrusted = entry->untrusted;
    if (entry->broken) {
        break_hook(m, h, entry->broken);
    } else if (load_hook(m, runner, entry, h, &e) < 0) {
        for (struct hook *part = h; part; part = part->next_part)
            break_hook(m, part, e.msg);
        if (!entry->untrusted) /* that was said, and is no mistake in the configuration */
            problem_add(m->problems, &entry->origin, "hook '%s': %s", h->name, e.msg);
    }
    for (struct hook *part = h; part; part = part->next_part)
        if (!entry->traits.enabled)
            part->off_because = "enabled: false";
    return h;
}
