#include "runner/script_traits.h"

#include <errno.h>

/* One set of traits and the points that have it. */
struct part {
    struct hook_traits traits;
    struct subscription *on;
};

struct parts {
    const struct script_parts *from;
    struct part list[POINT_COUNT];
    size_t count;
};

/* Reading -------------------------------------------------------------------------------------- */

static void own(struct script_traits *t, struct match *m)
{
    if (m)
        t->owned[t->count++] = m;
}

static void hand_on_warnings(const struct problems *from, struct problems *to)
{
    for (const struct problem *p = from->first; p; p = p->next)
        if (p->warning)
            problem_warn(to, &p->origin, "%s", p->message);
}

/* What the script says of itself at one point. */
static int read_traits(const struct script_parts *p, const char *file,
                       const struct script_registration *r, struct hook_traits *t, struct err *e)
{
    struct problems found = { .arena = p->arena, .end = &found.first };
    struct origin at = { .source = p->entry->origin.source, .file = file, .line = r->line };
    struct hook_entry said = { .name = p->entry->name, .origin = at };
    const char *bad;

    said.traits.on = &r->on;
    said.traits.on_count = 1;
    said.spec = setting_from_json(p->arena, &at, r->options);
    bad = said.spec->kind == SETTING_LIST
              ? arena_printf(p->arena, "%s: options must be a table with names",
                             origin_text(p->arena, &at))
              : config_read_traits(p->arena, &said, &found);
    own(p->traits, said.traits.tool);
    own(p->traits, said.traits.agent);
    hand_on_warnings(&found, p->problems);
    *t = said.traits;
    return bad ? err_set(e, -EINVAL, "%s", bad) : 0;
}

/* What the entry says of the hook comes over that. */
static void lay_entry_over(const struct script_parts *p, struct hook_traits *t)
{
    const struct hook_traits *entry = &p->entry->traits;

    hook_lay_over(t, entry);
    if (!(entry->said & KEY_MODE))
        return;
    t->observe = true;
    t->layer = entry->layer;
}

/* Grouping ------------------------------------------------------------------------------------- */

static bool same_match(const struct match *x, const struct match *y)
{
    return x == y || (x && y && strcmp(x->text, y->text) == 0);
}

static bool same_cadence(const struct hook_traits *x, const struct hook_traits *y)
{
    return !((x->said | y->said) & KEY_CADENCE);
}

static bool same_budget(const struct hook_traits *x, const struct hook_traits *y)
{
    return x->budget_tokens == y->budget_tokens &&
           x->budget_session_tokens == y->budget_session_tokens &&
           x->budget_llm_tokens == y->budget_llm_tokens &&
           !(x->budget_llm_cost < y->budget_llm_cost) && !(x->budget_llm_cost > y->budget_llm_cost);
}

static bool same_traits(const struct hook_traits *x, const struct hook_traits *y)
{
    return same_match(x->tool, y->tool) && same_match(x->agent, y->agent) && same_cadence(x, y) &&
           x->session == y->session && x->layer == y->layer && x->priority == y->priority &&
           x->timeout_ms == y->timeout_ms && x->on_failure == y->on_failure &&
           x->safety_critical == y->safety_critical && x->place == y->place && x->once == y->once &&
           x->observe == y->observe && same_budget(x, y);
}

static struct part *part_for(struct parts *parts, const struct hook_traits *t)
{
    struct part *part = parts->list;

    for (size_t i = 0; i < parts->count; i++, part++)
        if (same_traits(&part->traits, t))
            return part;
    parts->count++;
    part->traits = *t;
    part->on = arena_array(parts->from->arena, struct subscription,
                           POINT_COUNT + parts->from->entry->traits.on_count);
    part->traits.on = part->on;
    part->traits.on_count = 0;
    return part;
}

/* At the point as the script names it, or as the entry does: then maybe not at all. */
static void subscribe(struct parts *parts, const struct subscription *on,
                      const struct hook_traits *t)
{
    const struct hook_traits *entry = &parts->from->entry->traits;
    struct part *part;

    if (!(entry->said & KEY_ON)) {
        part = part_for(parts, t);
        part->on[part->traits.on_count++] = *on;
        return;
    }
    for (size_t i = 0; i < entry->on_count; i++)
        if (entry->on[i].point == on->point) {
            part = part_for(parts, t);
            part->on[part->traits.on_count++] = entry->on[i];
        }
}

static int check_on(const struct script_parts *p, const char *file,
                    const struct script_learned *learned, struct err *e)
{
    const struct hook_traits *entry = &p->entry->traits;

    for (size_t i = 0; (entry->said & KEY_ON) && i < entry->on_count; i++) {
        size_t n = 0;

        while (n < learned->count && learned->list[n].on.point != entry->on[i].point)
            n++;
        if (n == learned->count)
            return err_set(e, -EINVAL, "%s registers nothing for '%s', which 'on' names", file,
                           point_info(entry->on[i].point)->name);
    }
    return 0;
}

/* Applying ------------------------------------------------------------------------------------- */

static void set_parts(const struct script_parts *p, const struct parts *parts, struct hook *h)
{
    if (parts->count == 0)
        return;
    h->traits = parts->list[0].traits;
    for (size_t i = parts->count; i > 1; i--) /* each is put before the others */
        hook_add_part(p->arena, h, &parts->list[i - 1].traits);
}

static struct match *unless_owned(const struct script_traits *t, struct match *m)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->owned[i] == m)
            return NULL;
    return m;
}

void script_traits_forget(const struct script_traits *t, struct hook *h)
{
    for (; h; h = h->next_part) {
        h->traits.tool = unless_owned(t, h->traits.tool);
        h->traits.agent = unless_owned(t, h->traits.agent);
    }
}

static int learn_parts(struct parts *parts, const char *file, const struct script_learned *learned,
                       struct err *e)
{
    int failed = 0;

    for (size_t i = 0; i < learned->count; i++) {
        struct hook_traits t;
        int r = read_traits(parts->from, file, &learned->list[i], &t, failed ? NULL : e);

        failed = failed ? failed : r;
        lay_entry_over(parts->from, &t);
        subscribe(parts, &learned->list[i].on, &t);
    }
    return failed;
}

int script_traits_apply(const struct script_parts *p, const char *file,
                        const struct script_learned *learned, struct hook *h, struct err *e)
{
    struct parts parts = { .from = p };
    int r = learn_parts(&parts, file, learned, e);

    if (r == 0)
        r = check_on(p, file, learned, e);
    if (r == 0 || !(p->entry->traits.said & KEY_ON))
        set_parts(p, &parts, h);
    config_stand_at_gates(p->arena, &h->traits);
    return r;
}

void script_traits_release(struct script_traits *t)
{
    for (size_t i = 0; i < t->count; i++)
        match_release(t->owned[i]);
    t->count = 0;
}
