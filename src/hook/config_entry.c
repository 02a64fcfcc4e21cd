#include "hook/config_entry.h"

#include "base/strbuf.h"
#include "hook/config_merge.h"
#include "hook/option.h"

#include <stdio.h>

#define TEXT  (1u << SETTING_STRING)
#define WORD  (1u << SETTING_STRING | 1u << SETTING_NUMBER)
#define FLAG  (1u << SETTING_BOOL)
#define WHOLE (1u << SETTING_NUMBER)
#define LIST  (1u << SETTING_LIST)
#define MAP   (1u << SETTING_MAP)
#define ANY   (~0u)

typedef void key_fn(struct entry_reading *r, const struct setting *s);

struct entry_key {
    const char *name;
    unsigned kinds; /* of a value that may be read */
    key_fn *read;   /* NULL: the runner will */
    unsigned said;  /* not 0: a key of every hook */
    unsigned power; /* what a point must grant for it to have an effect */
};

void config_entry_refuse(struct entry_reading *r, const struct origin *where, const char *fmt, ...)
{
    CLEANUP(mem) char *message = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&message, fmt, ap) < 0)
        message = NULL;
    va_end(ap);
    problem_add(r->problems, where, "%s", message ? message : fmt);
    if (!r->bad)
        r->bad =
            arena_printf(r->arena, "%s: %s", origin_text(r->arena, where), message ? message : fmt);
}

static bool is_scalar(const struct setting *s)
{
    return s->kind == SETTING_STRING || s->kind == SETTING_NUMBER || s->kind == SETTING_BOOL;
}

/* Index of the text in a list of words; otherwise a problem. */
static bool read_word(struct entry_reading *r, const struct setting *s, const char *const *words,
                      size_t count, unsigned *index)
{
    CLEANUP(strbuf) struct strbuf allowed = { 0 };

    for (unsigned i = 0; i < count; i++) {
        if (!words[i])
            continue;
        if (str_is(s->text, words[i])) {
            *index = i;
            return true;
        }
        strbuf_printf(&allowed, "%s%s", allowed.len ? ", " : "", words[i]);
    }
    config_entry_refuse(r, &s->origin, "'%s' must be one of %s, not '%s'", s->key.ptr,
                        strbuf_cstr(&allowed), s->text.ptr);
    return false;
}

/* Points and matchers */

static bool add_subscription(struct entry_reading *r, const struct setting *s,
                             struct subscription *on)
{
    if (s->kind != SETTING_STRING) {
        config_entry_refuse(r, &s->origin, "expected the name of a point, not %s",
                            setting_kind_name(s->kind));
        return false;
    }
    if (point_resolve(s->text, on))
        return true;
    if (point_missing(s->text))
        config_entry_refuse(r, &s->origin, "'%s' of %s is not supported: no point stands for it",
                            s->text.ptr, point_missing(s->text));
    else
        config_entry_refuse(r, &s->origin, "unknown point '%s'%s", s->text.ptr,
                            config_did_you_mean(r->arena, point_nearest(s->text.ptr)));
    return false;
}

static void read_on(struct entry_reading *r, const struct setting *s)
{
    struct hook_traits *t = &r->entry->traits;
    const struct setting *item = s->kind == SETTING_LIST ? s->first : s;
    struct subscription *on;
    size_t count = 0;

    for (const struct setting *i = item; i; i = s->kind == SETTING_LIST ? i->next : NULL)
        count++;
    if (count == 0) {
        config_entry_refuse(r, &s->origin, "'on' names no point");
        return;
    }
    on = arena_array(r->arena, struct subscription, count);
    for (count = 0; item; item = s->kind == SETTING_LIST ? item->next : NULL)
        if (add_subscription(r, item, &on[count]))
            count++;
    t->on = on;
    t->on_count = count;
}

static void read_match(struct entry_reading *r, const struct setting *s)
{
    struct match *m = match_parse(r->arena, s, r->problems);

    if (!m)
        r->bad = arena_printf(r->arena, "%s: '%s' is no matcher", origin_text(r->arena, &s->origin),
                              s->key.ptr);
    else if (str_is(s->key, "tool"))
        r->entry->traits.tool = m;
    else
        r->entry->traits.agent = m;
}

static void read_session(struct entry_reading *r, const struct setting *s)
{
    static const char *const words[] = {
        [SESSION_ANY] = "any",
        [SESSION_MAIN] = "main",
        [SESSION_SUB] = "sub",
    };
    unsigned index;

    if (read_word(r, s, words, ARRAY_LEN(words), &index))
        r->entry->traits.session = (enum session_match)index;
}

static void read_when(struct entry_reading *r, const struct setting *s)
{
    if (s->kind == SETTING_NULL)
        config_entry_refuse(r, &s->origin,
                            "'when' is empty: YAML takes what follows '#' for a comment, put the "
                            "expression in quotes");
    else if (!is_scalar(s) || s->text.len == 0)
        config_entry_refuse(r, &s->origin, "'when' must be a Lua expression, not %s",
                            s->text.len == 0 && is_scalar(s) ? "an empty text"
                                                             : setting_kind_name(s->kind));
}

/* What runs */

static void read_verdict(struct entry_reading *r, const struct setting *s)
{
    if (!r->rule)
        r->runners++;
    r->rule = true;
    r->entry->runner = RUNNER_RULE;
    if (s->kind == SETTING_BOOL && !setting_is_true(s))
        config_entry_refuse(r, &s->origin, "'%s: false' means nothing: leave the key out",
                            s->key.ptr);
}

static void read_decision(struct entry_reading *r, const struct setting *s)
{
    if (r->decides) {
        struct origin where = setting_key_origin(s);

        config_entry_refuse(r, &where, "a rule cannot have both '%s' and '%s'", r->decision,
                            s->key.ptr);
    }
    r->decides = true;
    r->decision = s->key.ptr;
    read_verdict(r, s);
}

static void read_continue(struct entry_reading *r, const struct setting *s)
{
    for (const struct setting *item = s->first; item; item = item->next)
        if (item->kind != SETTING_STRING)
            config_entry_refuse(r, &item->origin, "'continue' must be texts, not %s",
                                setting_kind_name(item->kind));
    read_verdict(r, s);
}

void config_entry_argv(struct entry_reading *r, const struct setting *s)
{
    if (s->kind == SETTING_LIST ? !s->first : s->text.len == 0)
        config_entry_refuse(r, &s->origin, "'%s' is empty: say what to run", s->key.ptr);
    for (const struct setting *word = s->first; word; word = word->next)
        if (!is_scalar(word))
            config_entry_refuse(r, &word->origin, "a word of '%s' must be a text, not %s",
                                s->key.ptr, setting_kind_name(word->kind));
}

static void read_argv(struct entry_reading *r, const struct setting *s)
{
    r->runners++;
    if (str_is(s->key, "exec"))
        config_entry_command(r, s);
    else
        r->entry->runner = str_is(s->key, "script") ? RUNNER_SCRIPT : RUNNER_RESIDENT;
    config_entry_argv(r, s);
}

static void read_group(struct entry_reading *r, const struct setting *s)
{
    r->runners++;
    config_entry_group(r, s);
}

static void read_unpinned(struct entry_reading *r, const struct setting *s)
{
    for (const struct setting *word = s->first; word; word = word->next)
        if (!is_scalar(word))
            config_entry_refuse(r, &word->origin, "a word of 'unpinned' must be a text, not %s",
                                setting_kind_name(word->kind));
}

static void read_dialect(struct entry_reading *r, const struct setting *s)
{
    static const char *const words[] = { "native", "kodelet", "acai", "claude", "codex", "gemini" };
    unsigned index;

    (void)read_word(r, s, words, ARRAY_LEN(words), &index);
}

void config_entry_env(struct entry_reading *r, const struct setting *s)
{
    for (const struct setting *item = s->first; item; item = item->next)
        if (!is_scalar(item))
            config_entry_refuse(r, &item->origin, "a variable of 'env' must be a text, not %s",
                                setting_kind_name(item->kind));
}

/* Keys of every hook */

static void read_layer(struct entry_reading *r, const struct setting *s)
{
    const char *words[LAYER_OBSERVE + 1];
    unsigned index;

    for (unsigned i = 0; i < ARRAY_LEN(words); i++)
        words[i] = layer_name((enum layer)i);
    if (read_word(r, s, words, ARRAY_LEN(words), &index))
        r->entry->traits.layer = (enum layer)index;
}

static void read_priority(struct entry_reading *r, const struct setting *s)
{
    int64_t priority;

    if (setting_to_int64(s, &priority) && priority >= -1000000 && priority <= 1000000)
        r->entry->traits.priority = (int)priority;
    else
        config_entry_refuse(r, &s->origin,
                            "'priority' must be a whole number from -1000000 to 1000000, not '%s'",
                            s->text.ptr);
}

void config_entry_timeout(struct entry_reading *r, const struct setting *s, uint32_t *out)
{
    int64_t ms;

    if (option_parse_time(s->text, &ms) && ms > 0 && ms <= UINT32_MAX)
        *out = (uint32_t)ms;
    else
        config_entry_refuse(r, &s->origin,
                            "'timeout' must be a time such as 500ms, 5s or 2m, not '%s'",
                            s->text.ptr);
}

static void read_timeout(struct entry_reading *r, const struct setting *s)
{
    config_entry_timeout(r, s, &r->entry->traits.timeout_ms);
}

void config_entry_on_failure(struct entry_reading *r, const struct setting *s, enum failure *out)
{
    const char *words[FAILURE_BLOCK + 1];
    unsigned index;

    for (unsigned i = 0; i < ARRAY_LEN(words); i++)
        words[i] = failure_name((enum failure)i);
    if (read_word(r, s, words, ARRAY_LEN(words), &index))
        *out = (enum failure)index;
}

static void read_on_failure(struct entry_reading *r, const struct setting *s)
{
    config_entry_on_failure(r, s, &r->entry->traits.on_failure);
}

static void read_flag(struct entry_reading *r, const struct setting *s)
{
    struct hook_traits *t = &r->entry->traits;
    bool on = setting_is_true(s);

    if (str_is(s->key, "safety_critical"))
        t->safety_critical = on;
    else if (str_is(s->key, "once"))
        t->once = on;
    else
        t->enabled = on;
}

static void read_cadence(struct entry_reading *r, const struct setting *s)
{
    r->cadence = s;
}

static void read_place(struct entry_reading *r, const struct setting *s)
{
    static const char *const words[] = {
        [PLACE_SYSTEM] = "system",
        [PLACE_MESSAGE] = "message",
        [PLACE_OUTPUT] = "output",
        [PLACE_TAIL] = "tail",
    };
    unsigned index;

    if (read_word(r, s, words, ARRAY_LEN(words), &index))
        r->entry->traits.place = (enum inject_place)index;
}

static void read_tokens(struct entry_reading *r, const struct setting *s, uint32_t *out)
{
    int64_t tokens;

    if (setting_to_int64(s, &tokens) && tokens > 0 && tokens <= UINT32_MAX)
        *out = (uint32_t)tokens;
    else
        config_entry_refuse(r, &s->origin,
                            "a budget must be a whole number of tokens above 0, not '%s'",
                            setting_text(r->arena, s));
}

static void read_cost(struct entry_reading *r, const struct setting *s, double *out)
{
    double cost;

    if (setting_to_double(s, &cost) && cost > 0)
        *out = cost;
    else
        config_entry_refuse(r, &s->origin,
                            "'llm_cost' must be a number of dollars above 0, not '%s'",
                            setting_text(r->arena, s));
}

static void read_budget(struct entry_reading *r, const struct setting *s)
{
    struct hook_traits *t = &r->entry->traits;

    if (s->kind != SETTING_MAP) {
        read_tokens(r, s, &t->budget_tokens);
        return;
    }
    for (const struct setting *m = s->first; m; m = m->next) {
        struct origin where = setting_key_origin(m);

        if (str_is(m->key, "tokens"))
            read_tokens(r, m, &t->budget_tokens);
        else if (str_is(m->key, "session_tokens"))
            read_tokens(r, m, &t->budget_session_tokens);
        else if (str_is(m->key, "llm_tokens"))
            read_tokens(r, m, &t->budget_llm_tokens);
        else if (str_is(m->key, "llm_cost"))
            read_cost(r, m, &t->budget_llm_cost);
        else
            config_entry_refuse(r, &where,
                                "unknown key '%s' of 'budget': it has 'tokens', 'session_tokens', "
                                "'llm_tokens' and 'llm_cost'",
                                m->key.ptr);
    }
}

static void read_mode(struct entry_reading *r, const struct setting *s)
{
    static const char *const words[] = { "observe" };
    unsigned index;

    if (read_word(r, s, words, ARRAY_LEN(words), &index))
        r->entry->traits.observe = true;
}

static const struct entry_key keys[] = {
    { "name", TEXT, NULL, 0, 0 },
    { "on", TEXT | LIST, read_on, KEY_ON, 0 },
    { "tool", ANY, read_match, KEY_TOOL, 0 },
    { "agent", ANY, read_match, KEY_AGENT, 0 },
    { "session", TEXT, read_session, KEY_SESSION, 0 },
    { "when", ANY, read_when, 0, 0 },
    { "block", TEXT, read_decision, 0, POWER_BLOCK },
    { "ask", TEXT, read_decision, 0, POWER_ASK },
    { "allow", TEXT | FLAG, read_decision, 0, POWER_ALLOW },
    { "stop", TEXT, read_verdict, 0, POWER_STOP },
    { "modify", MAP, read_verdict, 0, POWER_CHANGE },
    { "replace", MAP, read_verdict, 0, POWER_CHANGE },
    { "inject", TEXT | MAP | LIST, read_verdict, 0, 0 },
    { "continue", TEXT | LIST, read_continue, 0, POWER_CONTINUE },
    { "mutate", TEXT | MAP | LIST, read_verdict, 0, POWER_MUTATE },
    { "callback", TEXT, read_verdict, 0, POWER_CALLBACK },
    { "callback_args", MAP, NULL, 0, 0 },
    { "say", TEXT, read_verdict, 0, 0 },
    { "exec", TEXT | LIST, read_argv, 0, 0 },
    { "group", LIST, read_group, 0, 0 },
    { "resident", TEXT | LIST, read_argv, 0, 0 },
    { "script", TEXT, read_argv, 0, 0 },
    { "dialect", TEXT, read_dialect, 0, 0 },
    { "env", MAP | LIST, config_entry_env, 0, 0 },
    { "unpinned", LIST, read_unpinned, 0, 0 },
    { "prewarm", FLAG, NULL, 0, 0 },
    { "layer", TEXT, read_layer, KEY_LAYER, 0 },
    { "priority", WHOLE, read_priority, KEY_PRIORITY, 0 },
    { "timeout", WORD, read_timeout, KEY_TIMEOUT, 0 },
    { "on_failure", TEXT, read_on_failure, KEY_ON_FAILURE, 0 },
    { "safety_critical", FLAG, read_flag, KEY_SAFETY_CRITICAL, 0 },
    { "cadence", ANY, read_cadence, KEY_CADENCE, 0 },
    { "place", TEXT, read_place, KEY_PLACE, 0 },
    { "once", FLAG, read_flag, KEY_ONCE, 0 },
    { "budget", WHOLE | MAP, read_budget, KEY_BUDGET, 0 },
    { "mode", TEXT, read_mode, KEY_MODE, 0 },
    { "enabled", FLAG, read_flag, KEY_ENABLED, 0 },
};

static const struct entry_key *find_key(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (str_is(name, keys[i].name))
            return &keys[i];
    return NULL;
}

bool config_is_hook_key(struct str key)
{
    const struct entry_key *k = find_key(key);

    return k && (k->said || str_is(key, "name"));
}

bool config_is_runner_key(struct str key)
{
    const struct entry_key *k = find_key(key);

    return str_is(key, "group") || (k && (k->read == read_verdict || k->read == read_decision ||
                                          k->read == read_continue || k->read == read_argv));
}

static const char *nearest_key(const char *name)
{
    const char *known[ARRAY_LEN(keys)];

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        known[i] = keys[i].name;
    return str_nearest(name, known, ARRAY_LEN(keys));
}

void config_entry_refuse_kind(struct entry_reading *r, const struct setting *s, unsigned kinds)
{
    CLEANUP(strbuf) struct strbuf allowed = { 0 };

    for (unsigned kind = SETTING_BOOL; kind <= SETTING_MAP; kind++)
        if (kinds & (1u << kind))
            strbuf_printf(&allowed, "%s%s", allowed.len ? " or " : "",
                          setting_kind_name((enum setting_kind)kind));
    config_entry_refuse(r, &s->origin, "'%s' must be %s, not %s", s->key.ptr, strbuf_cstr(&allowed),
                        setting_kind_name(s->kind));
}

/* A verdict that no point of the entry grants is a mistake, but a harmless one. */
static void check_power(struct entry_reading *r, const struct entry_key *k, const struct setting *s)
{
    const struct hook_traits *t = &r->entry->traits;
    struct origin where = setting_key_origin(s);

    for (size_t i = 0; i < t->on_count; i++)
        if (point_info(t->on[i].point)->powers & k->power)
            return;
    if (t->on_count > 0)
        problem_warn(r->problems, &where, "'%s' has no effect at '%s'", k->name,
                     point_info(t->on[0].point)->name);
}

void config_entry_key(struct entry_reading *r, const struct setting *s)
{
    const struct entry_key *k = find_key(s->key);
    struct origin where = setting_key_origin(s);

    if (r->builtin && (!k || !k->said))
        return; /* an option of the built-in: the registry knows them */
    if (!k && config_is_handler_key(s->key)) {
        config_entry_refuse(r, &where, "'%s' belongs to the handlers of a 'group', not to the hook",
                            s->key.ptr);
        return;
    }
    if (!k) {
        config_entry_refuse(r, &where, "unknown key '%s' of a hook%s", s->key.ptr,
                            config_did_you_mean(r->arena, nearest_key(s->key.ptr)));
        return;
    }
    if (r->builtin && s->origin.source == SOURCE_WORKSPACE) {
        problem_add(r->problems, &where,
                    "a workspace file may set options of the built-in '%s', not '%s'",
                    r->entry->name, s->key.ptr);
        return;
    }
    if (!(k->kinds & (1u << s->kind))) {
        config_entry_refuse_kind(r, s, k->kinds);
        return;
    }
    r->entry->traits.said |= k->said;
    if (k->read)
        k->read(r, s);
    if (k->power)
        check_power(r, k, s);
}

bool config_entry_check(struct arena *a, struct problems *problems, const struct setting *s)
{
    struct hook_entry entry = { 0 };
    struct entry_reading r = { .arena = a, .problems = problems, .entry = &entry };

    config_entry_key(&r, s);
    match_release(entry.traits.tool);
    match_release(entry.traits.agent);
    return !r.bad;
}
