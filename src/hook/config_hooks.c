/* From the merged settings to hooks, cadences and disabled hooks. */
#include "base/map.h"
#include "base/mem.h"
#include "hook/config_entry.h"
#include "hook/config_merge.h"
#include "hook/trust.h"

bool config_is_builtin(const char *const *builtins, const char *name)
{
    for (const char *const *b = builtins; b && *b; b++)
        if (strcmp(*b, name) == 0)
            return true;
    return false;
}

/* Entries ------------------------------------------------------------------------------------ */

static bool is_name(struct str s)
{
    if (s.len == 0 || s.len > 128 || s.ptr[0] == '/' || s.ptr[0] == '-' || s.ptr[s.len - 1] == '/')
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '-' && c != '_' && c != '/')
            return false;
    }
    return true;
}

static bool read_name(struct entry_reading *r)
{
    const struct setting *name = setting_get(r->entry->spec, "name");
    struct subscription on;

    if (r->entry->spec->kind != SETTING_MAP) {
        config_entry_refuse(r, &r->entry->origin, "a hook must be a map with a 'name', not %s",
                            setting_kind_name(r->entry->spec->kind));
        return false;
    }
    if (!name) {
        config_entry_refuse(r, &r->entry->origin, "a hook needs a 'name'");
        return false;
    }
    if (name->kind != SETTING_STRING || !is_name(name->text)) {
        config_entry_refuse(r, &name->origin,
                            "'%s' is no name for a hook: use letters, digits, '-', '_' and '/'",
                            setting_text(r->arena, name));
        return false;
    }
    if (point_resolve(name->text, &on)) {
        config_entry_refuse(r, &name->origin,
                            "'%s' is the name of a point: call the hook otherwise", name->text.ptr);
        return false;
    }
    r->entry->name = name->text.ptr;
    return true;
}

enum gating config_gating(const struct hook_traits *t)
{
    bool all_ungated = t->on_count > 0, all_notices = t->on_count > 0;

    for (size_t i = 0; i < t->on_count; i++) {
        all_ungated = all_ungated && point_info(t->on[i].point)->ungated;
        all_notices = all_notices && point_info(t->on[i].point)->kind == POINT_NOTICE;
    }
    if (t->safety_critical || all_ungated)
        return GATING_NEVER;
    return all_notices ? GATING_NOTICE : GATING_APPLIES;
}

static void ignore_at_notice(struct cadence *c, const char *name, struct problems *problems)
{
    if (!cadence_gates(c))
        return;
    problem_warn(problems, &c->origin, "[hooke:cadence] Ignoring cadence > 1 for notice: %s", name);
    *c = (struct cadence){ .every = 1, .origin = c->origin };
}

static bool is_on(const struct hook_traits *t, enum point point)
{
    for (size_t i = 0; i < t->on_count; i++)
        if (t->on[i].point == point)
            return true;
    return false;
}

static void finish_cadence(struct entry_reading *r)
{
    struct hook_traits *t = &r->entry->traits;
    enum gating gating = config_gating(t);

    if (!r->cadence)
        return;
    t->cadence =
        cadence_parse(r->arena, r->entry->name, r->cadence, gating == GATING_NEVER, r->problems);
    if (gating == GATING_NOTICE)
        ignore_at_notice(&t->cadence, r->entry->name, r->problems);
    if (cadence_gates(&t->cadence) && t->place == PLACE_SYSTEM && is_on(t, POINT_SYSTEM_TRANSFORM))
        cadence_warn_of_cache(&t->cadence, r->entry->name, r->problems);
}

static void set_defaults(struct entry_reading *r)
{
    struct hook_traits *t = &r->entry->traits;

    if (!(t->said & KEY_LAYER)) {
        t->layer = LAYER_TRANSFORM;
        if (t->observe)
            t->layer = LAYER_OBSERVE;
        else if (r->decides)
            t->layer = LAYER_GUARD;
    }
    t->observe = t->observe || t->layer == LAYER_OBSERVE;
    if (!(t->said & KEY_ON_FAILURE) && t->safety_critical)
        t->on_failure = FAILURE_BLOCK;
}

static void check_runner(struct entry_reading *r)
{
    const struct setting *spec = r->entry->spec, *args = setting_get(spec, "callback_args");

    /* Scripts and resident hooks may say themselves what they are for. */
    if (!setting_get(spec, "on") && r->entry->runner != RUNNER_SCRIPT &&
        r->entry->runner != RUNNER_RESIDENT)
        config_entry_refuse(r, &r->entry->origin, "the hook '%s' needs 'on': the points it is for",
                            r->entry->name);
    if (r->runners == 0)
        config_entry_refuse(r, &r->entry->origin,
                            "the hook '%s' does nothing: give it a verdict such as 'block' or "
                            "'inject', or 'exec', 'group', 'resident' or 'script'",
                            r->entry->name);
    if (r->runners > 1)
        config_entry_refuse(r, &r->entry->origin,
                            "the hook '%s' has more than one of a verdict, 'exec', 'group', "
                            "'resident' and 'script'",
                            r->entry->name);
    if (args && !setting_get(spec, "callback"))
        config_entry_refuse(r, &args->origin, "'callback_args' needs 'callback' beside it");
}

/* What was trusted of a file that has changed: see config_source.c, find/permit.h. */
static const char *find_change(const struct config *c, struct arena *a, const char *file)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (c->files[i].source == SOURCE_WORKSPACE && !c->files[i].trusted &&
            strcmp(c->files[i].path, file) == 0)
            return trust_change(a, file);
    return NULL;
}

/* Handlers of one hook may stand in several files: those of a changed one fail, or go. */
static const char *find_changed_handlers(struct config *c, struct hook_entry *entry)
{
    const char *change = NULL;
    size_t kept = 0;

    for (size_t i = 0; i < entry->handler_count; i++) {
        struct hook_handler *h = &entry->handlers[i];
        const char *own = find_change(c, &c->arena, h->origin.file);

        change = own ? own : change;
        if (own && entry->traits.on_failure == FAILURE_ALLOW && h->on_failure == FAILURE_ALLOW)
            continue;
        h->changed = own != NULL;
        h->broken = own ? own : h->broken;
        entry->handlers[kept++] = *h;
    }
    entry->handler_count = kept;
    return kept ? NULL : change;
}

static const char *find_changes(struct config *c, struct hook_entry *entry)
{
    if (entry->found && entry->runner == RUNNER_SCRIPT)
        return NULL; /* its runner looks at it, and at what it said */
    return entry->found && setting_get(entry->spec, "group")
               ? find_changed_handlers(c, entry)
               : find_change(c, &c->arena, entry->origin.file);
}

void config_stand_at_gates(struct arena *a, struct hook_traits *t)
{
    struct subscription *on = arena_array(a, struct subscription, POINT_COUNT);

    if (t->on_count > 0 || t->on_failure == FAILURE_ALLOW)
        return;
    for (int point = 0; point < POINT_COUNT; point++)
        if (point_info((enum point)point)->kind == POINT_GATE)
            on[t->on_count++] = (struct subscription){ .point = (enum point)point };
    t->on = on;
}

const char *config_read_traits(struct arena *a, struct hook_entry *entry, struct problems *problems)
{
    struct entry_reading r = { .arena = a, .problems = problems, .entry = entry };

    entry->traits.enabled = true;
    for (const struct setting *s = entry->spec->first; s; s = s->next)
        if (config_is_hook_key(s->key) && !str_is(s->key, "name") && !str_is(s->key, "on") &&
            !str_is(s->key, "enabled"))
            config_entry_key(&r, s);
        else
            config_entry_refuse(&r, &s->origin, "unknown option '%s'", s->key.ptr);
    set_defaults(&r);
    finish_cadence(&r);
    return r.bad;
}

/* False: the entry is of no use, and problems say why. */
static bool read_entry(struct config *c, const struct setting *spec, const char *const *builtins,
                       struct hook_entry *entry)
{
    struct entry_reading r = { .arena = &c->arena, .problems = &c->problems, .entry = entry };

    *entry = (struct hook_entry){
        .config = c, .origin = spec->origin, .spec = spec, .found = spec->found
    };
    entry->traits.enabled = true;
    if (!read_name(&r))
        return false;
    r.builtin = config_is_builtin(builtins, entry->name);
    /* `on` first: what a verdict may do depends on it */
    if (setting_get(spec, "on"))
        config_entry_key(&r, setting_get(spec, "on"));
    for (const struct setting *s = spec->first; s; s = s->next)
        if (!str_is(s->key, "on"))
            config_entry_key(&r, s);
    if (r.builtin)
        entry->runner = RUNNER_BUILTIN;
    else if (!r.bad) /* a key that could not be read is not a missing one */
        check_runner(&r);
    set_defaults(&r);
    finish_cadence(&r);
    if (!r.bad)
        r.bad = find_changes(c, entry);
    if (r.bad && (entry->runner == RUNNER_SCRIPT || entry->runner == RUNNER_RESIDENT))
        config_stand_at_gates(&c->arena, &entry->traits);
    /* What must not be missing stays, and every run of it fails. */
    if (r.bad && entry->traits.on_failure != FAILURE_ALLOW && entry->traits.on_count)
        entry->broken = r.bad;
    return !r.bad || entry->broken;
}

static const struct setting *name_of(const struct setting *entry)
{
    const struct setting *name = setting_get(entry, "name");

    return name && name->kind == SETTING_STRING ? name : NULL;
}

/*
 * The first entry of a name has it, even when it turns out to be of no use. Options of a built-in
 * may come from several files: a later one lays its own over the earlier ones.
 */
static bool claim_name(struct config *c, struct map *claimed, struct setting *spec, bool builtin)
{
    const struct setting *name = name_of(spec), *first;

    if (!name)
        return true;
    first = map_get(claimed, name->text);
    if (!first || (builtin && strcmp(first->origin.file, spec->origin.file) != 0)) {
        map_put(claimed, name->text, spec);
        return true;
    }
    problem_add(&c->problems, &name->origin, "the hook '%s' is already defined at %s",
                name->text.ptr, origin_text(&c->arena, &first->origin));
    return false;
}

void config_read_hooks(struct config *c, const char *const *builtins)
{
    CLEANUP(map) struct map claimed = { 0 };
    const struct setting *list = setting_get(c->root, "hooks");

    c->hooks = arena_array(&c->arena, struct hook_entry, setting_count(list) + 1);
    for (struct setting *spec = list ? list->first : NULL; spec; spec = spec->next) {
        struct hook_entry *entry = &c->hooks[c->hook_count];
        const struct setting *name = name_of(spec);
        bool builtin = name && config_is_builtin(builtins, name->text.ptr);
        bool first = claim_name(c, &claimed, spec, builtin);

        if (read_entry(c, spec, builtins, entry)) {
            entry->duplicate = !first;
            c->hook_count++;
        } else {
            match_release(entry->traits.tool);
            match_release(entry->traits.agent);
        }
    }
}

/* Names of hooks ----------------------------------------------------------------------------- */

static struct hook_entry *find_entry(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->hook_count; i++)
        if (!c->hooks[i].duplicate && strcmp(c->hooks[i].name, name) == 0)
            return &c->hooks[i];
    return NULL;
}

static const char *nearest_hook(const struct config *c, const char *const *builtins,
                                const char *name, bool or_point)
{
    CLEANUP(mem) const char **known = NULL;
    size_t count = 0, room = c->hook_count + 2;

    for (const char *const *b = builtins; b && *b; b++)
        room++;
    known = xcalloc(room, sizeof(*known));
    for (const char *const *b = builtins; b && *b; b++)
        known[count++] = *b;
    for (size_t i = 0; i < c->hook_count; i++)
        known[count++] = c->hooks[i].name;
    if (or_point && point_nearest(name))
        known[count++] = point_nearest(name);
    return str_nearest(name, known, count);
}

static void warn_unknown_hook(struct config *c, const char *const *builtins,
                              const struct origin *where, const char *name, bool or_point)
{
    const char *nearest = nearest_hook(c, builtins, name, or_point);

    problem_warn(&c->problems, where, "unknown %s '%s'%s", or_point ? "hook or point" : "hook",
                 name, config_did_you_mean(&c->arena, nearest));
}

/* Cadences ----------------------------------------------------------------------------------- */

static void warn_of_cache_at_point(struct config *c, const struct cadence_entry *e)
{
    if (e->point != POINT_SYSTEM_TRANSFORM || !cadence_gates(&e->cadence))
        return;
    for (size_t i = 0; i < c->hook_count; i++)
        if (c->hooks[i].traits.place == PLACE_SYSTEM &&
            is_on(&c->hooks[i].traits, POINT_SYSTEM_TRANSFORM))
            cadence_warn_of_cache(&e->cadence, c->hooks[i].name, &c->problems);
}

static void read_point_cadence(struct config *c, const struct setting *s, struct cadence_entry *e)
{
    const struct point_info *info = point_info(e->point);

    e->is_point = true;
    e->name = info->name;
    e->cadence = cadence_parse(&c->arena, s->key.ptr, s, info->ungated, &c->problems);
    if (info->kind == POINT_NOTICE)
        ignore_at_notice(&e->cadence, s->key.ptr, &c->problems);
    warn_of_cache_at_point(c, e);
}

static void read_hook_cadence(struct config *c, const struct setting *s,
                              const char *const *builtins, struct cadence_entry *e)
{
    const struct hook_entry *hook = find_entry(c, s->key.ptr);
    struct origin where = setting_key_origin(s);
    enum gating gating = hook ? config_gating(&hook->traits) : GATING_APPLIES;

    e->name = s->key.ptr;
    if (!hook && !config_is_builtin(builtins, e->name))
        warn_unknown_hook(c, builtins, &where, e->name, true);
    e->cadence = cadence_parse(&c->arena, e->name, s, gating == GATING_NEVER, &c->problems);
    if (gating == GATING_NOTICE)
        ignore_at_notice(&e->cadence, e->name, &c->problems);
    if (hook && hook->traits.place == PLACE_SYSTEM && cadence_gates(&e->cadence) &&
        is_on(&hook->traits, POINT_SYSTEM_TRANSFORM))
        cadence_warn_of_cache(&e->cadence, hook->name, &c->problems);
}

/* Two names of one point: the later key is meant. */
static struct cadence_entry *slot_of_point(struct config *c, enum point point,
                                           const struct setting *s)
{
    struct origin where = setting_key_origin(s);

    for (size_t i = 0; i < c->cadence_count; i++)
        if (c->cadences[i].is_point && c->cadences[i].point == point) {
            problem_warn(&c->problems, &where,
                         "'%s' is the point '%s', which has a cadence already", s->key.ptr,
                         point_info(point)->name);
            return &c->cadences[i];
        }
    return &c->cadences[c->cadence_count++];
}

void config_read_cadences(struct config *c, const char *const *builtins)
{
    const struct setting *map = setting_get(c->root, "hook_cadence");

    c->cadences = arena_array(&c->arena, struct cadence_entry, setting_count(map) + 1);
    for (const struct setting *s = map ? map->first : NULL; s; s = s->next) {
        struct subscription on;

        if (point_resolve(s->key, &on)) {
            struct cadence_entry *e = slot_of_point(c, on.point, s);

            e->point = on.point;
            read_point_cadence(c, s, e);
        } else {
            read_hook_cadence(c, s, builtins, &c->cadences[c->cadence_count++]);
        }
    }
}

/* Disabled hooks ----------------------------------------------------------------------------- */

void config_read_disabled(struct config *c, const char *const *builtins)
{
    const struct setting *list = setting_get(c->root, "disabled_hooks");

    c->disabled = arena_array(&c->arena, struct disabled_hook, setting_count(list) + 1);
    for (const struct setting *s = list ? list->first : NULL; s; s = s->next) {
        c->disabled[c->disabled_count++] = (struct disabled_hook){ s->text.ptr, s->origin };
        if (!find_entry(c, s->text.ptr) && !config_is_builtin(builtins, s->text.ptr))
            warn_unknown_hook(c, builtins, &s->origin, s->text.ptr, false);
    }
}
