#include "serve/record.h"

#include "base/map.h"
#include "hook/registry.h"

#include <inttypes.h>
#include <stdlib.h>

#define OWNER  "@answer" /* stands where a hook's name stands in the store */
#define KEY    "@record"
#define STOP   "@stop"
#define FAILED "@failed "

/* Is it needed? -------------------------------------------------------------------------------- */

static bool mentions(const struct setting *s, const char *word)
{
    if (!s)
        return false;
    if (s->kind == SETTING_STRING && strstr(s->text.ptr, word))
        return true;
    for (const struct setting *c = s->first; c; c = c->next)
        if (mentions(c, word))
            return true;
    return false;
}

/* Programs and scripts are given the turn and may do what they like with it. */
static bool may_look(const struct hook *h)
{
    return h->runner == RUNNER_COMMAND || h->runner == RUNNER_SCRIPT ||
           h->runner == RUNNER_RESIDENT || (h->runner == RUNNER_BUILTIN && !h->def);
}

static bool is_turn_needed(const struct registry *reg)
{
    const struct config *config = registry_config(reg);
    const struct hook *const *hooks;
    size_t count;

    hooks = registry_hooks(reg, &count);
    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->off_because && may_look(hooks[i]))
            return true;
    for (size_t i = 0; config && i < config->hook_count; i++)
        if (config->hooks[i].runner == RUNNER_RULE && mentions(config->hooks[i].spec, "turn"))
            return true;
    return false;
}

/* Whether anything may keep the agent going. */
static bool is_loop_needed(const struct registry *reg)
{
    const struct hook *const *hooks;
    size_t count;

    hooks = registry_at(reg, POINT_AGENT_STOP, &count);
    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->off_because && !hooks[i]->traits.observe)
            return true;
    return false;
}

/* Whether anything may stop the agent there: built-ins do so only for the sake of safety. */
static bool is_stop_possible(const struct registry *reg, enum point point)
{
    const struct hook *const *hooks;
    size_t count;

    hooks = registry_at(reg, point, &count);
    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->off_because && !hooks[i]->traits.observe &&
            (hooks[i]->runner != RUNNER_BUILTIN || hooks[i]->traits.safety_critical))
            return true;
    return false;
}

static bool counts_turns(enum point point)
{
    return point == POINT_CHAT_MESSAGE || point == POINT_MESSAGES_TRANSFORM ||
           point == POINT_TOOL_EXECUTE_BEFORE || point == POINT_TOOL_EXECUTE_AFTER ||
           point == POINT_AGENT_STOP;
}

static bool counts_loop(enum point point)
{
    return point == POINT_CHAT_MESSAGE || point == POINT_TOOL_EXECUTE_BEFORE ||
           point == POINT_AGENT_STOP;
}

/* Keeping -------------------------------------------------------------------------------------- */

/* The next word of the text as a number; 0 where there is none. */
static uint64_t take_number(struct arena *a, struct str *rest, int base)
{
    struct str word;

    return str_cut(rest, ' ', &word) ? strtoull(arena_cstr(a, word), NULL, base) : 0;
}

static void read_record(struct record *rec, struct arena *a, struct str text)
{
    rec->turn = (unsigned)take_number(a, &text, 10);
    rec->tool_ended = take_number(a, &text, 10) != 0;
    rec->loop.continuations = (unsigned)take_number(a, &text, 10);
    rec->loop.last_reason = take_number(a, &text, 16);
    rec->loop.tool_ran = take_number(a, &text, 10) != 0;
    rec->told = take_number(a, &text, 16);
    rec->heard = take_number(a, &text, 10) != 0;
}

static struct str write_record(const struct record *rec, struct arena *a)
{
    return str_of(arena_printf(a, "%u %d %u %" PRIx64 " %d %" PRIx64 " %d", rec->turn,
                               rec->tool_ended, rec->loop.continuations, rec->loop.last_reason,
                               rec->loop.tool_ran, rec->told, rec->heard));
}

static void next_turn(struct record *rec)
{
    if (!rec->tells_turns && rec->tool_ended)
        rec->turn++;
    rec->tool_ended = false;
}

static uint64_t hash_text(struct str text)
{
    return map_hash(0, str_trim(text));
}

/* Some agents (Gemini) tell hooks of what a hook has told them as if a user had typed it. */
static void hear(struct record *rec, struct str text, bool internal)
{
    rec->heard = true;
    rec->internal = internal || (rec->told && rec->told == hash_text(text));
    if (rec->internal)
        return;
    rec->turn = rec->tells_turns ? 0 : 1;
    rec->tool_ended = false;
    rec->told = 0;
    loop_user_spoke(&rec->loop);
}

struct counted {
    struct record *rec;
    enum point point;
    struct str text; /* of a message */
    bool internal;   /* the agent says that nobody typed it */
};

static void count(const struct counted *c)
{
    struct record *rec = c->rec;

    switch (c->point) {
    case POINT_CHAT_MESSAGE:
        hear(rec, c->text, c->internal);
        break;
    case POINT_MESSAGES_TRANSFORM:
        rec->turn++;
        break;
    case POINT_TOOL_EXECUTE_BEFORE:
        next_turn(rec);
        loop_tool_ran(&rec->loop);
        break;
    case POINT_TOOL_EXECUTE_AFTER:
        rec->tool_ended = true;
        break;
    case POINT_AGENT_STOP:
        next_turn(rec);
        /* The user has spoken, and nobody told us. Gemini says so after every tool, too. */
        if (!rec->going_on && !rec->heard)
            loop_user_spoke(&rec->loop);
        break;
    default:
        break;
    }
    if (rec->turn == 0 && !rec->tells_turns) /* nobody heard the user speak */
        rec->turn = 1;
}

static int decide_count(void *context, struct arena *a, struct str before, struct str *after,
                        struct err *e UNUSED)
{
    const struct counted *c = context;
    struct str now;

    read_record(c->rec, a, before);
    count(c);
    now = write_record(c->rec, a);
    if (!str_eq(now, before))
        *after = now;
    return 0;
}

void record_count(struct record *rec, const struct event *ev, struct arena *a)
{
    struct registry *reg = engine_look(rec->engine);
    const struct config *config = registry_config(reg);
    struct store_key key = { ev->session.id, OWNER, KEY };
    const struct json *message = event_data(ev, STR("message"));
    struct counted counted = { .rec = rec, .point = ev->point };
    struct err e = { 0 };
    bool knows_turn;

    rec->session = arena_strdup(a, ev->session.id);
    rec->limit = config ? config->max_continuations : LOOP_CONTINUATIONS;
    knows_turn = counts_turns(ev->point) && is_turn_needed(reg);
    rec->kept = knows_turn || (counts_loop(ev->point) && is_loop_needed(reg));
    registry_unref(reg);
    if (!rec->kept)
        return;
    counted.text = json_str(a, json_get(message, STR("text")));
    counted.internal = json_is_true(json_get(message, STR("internal")));
    if (store_update(engine_store(rec->engine), &key, decide_count, &counted, &e) < 0)
        rec->unknown = arena_strdup(a, e.msg);
    if (!knows_turn) /* not all of what makes a turn was counted */
        rec->turn = 0;
    if (rec->unknown)
        log_warn_once(engine_log(rec->engine), "the turns of session '%s' are not counted: %s",
                      rec->session, rec->unknown);
}

/* Continuing ----------------------------------------------------------------------------------- */

struct continuing {
    struct record *rec;
    struct arena *arena; /* outlives the update */
    const char *reason, *text, **why;
    bool may;
};

static int decide_continue(void *context, struct arena *a, struct str before, struct str *after,
                           struct err *e UNUSED)
{
    struct continuing *c = context;

    read_record(c->rec, a, before);
    c->may = loop_continue(&c->rec->loop, c->rec->limit, c->reason, c->arena, c->why);
    if (c->may) {
        c->rec->told = hash_text(str_of(c->text));
        c->rec->tool_ended = true; /* the model is asked again: what comes next is a new turn */
        *after = write_record(c->rec, a);
    }
    return 0;
}

bool record_continue(struct record *rec, const char *reason, const char *text, struct arena *a,
                     const char **why)
{
    struct store_key key = { rec->session, OWNER, KEY };
    struct continuing c = { rec, a, reason ? reason : text, text, why, false };
    struct err e = { 0 };

    if (!rec->unknown &&
        store_update(engine_store(rec->engine), &key, decide_continue, &c, &e) == 0)
        return c.may;
    *why = "the store can't tell how often hooks have kept the agent going";
    return !rec->going_on;
}

/* Stopping later ------------------------------------------------------------------------------- */

bool record_stop(struct engine *en, const char *session, const char *reason)
{
    struct store_key key = { session, OWNER, STOP };
    struct err e = { 0 };

    if (store_set(engine_store(en), &key, str_of(reason), &e) == 0)
        return true;
    log_warn(engine_log(en), "session '%s' is not stopped: %s", session, e.msg);
    return false;
}

struct stopping {
    struct arena *arena; /* outlives the update */
    const char *why;
};

static int decide_stopped(void *context, struct arena *a UNUSED, struct str before,
                          struct str *after, struct err *e UNUSED)
{
    struct stopping *s = context;

    s->why = str_is_set(before) ? arena_cstr(s->arena, before) : NULL;
    *after = (struct str){ 0 };
    return 0;
}

struct record_stopped record_stopped(struct engine *en, const char *session, bool tools,
                                     struct arena *a)
{
    struct registry *reg = engine_look(en);
    bool possible = is_stop_possible(reg, POINT_SESSION_CREATED) ||
                    (tools && is_stop_possible(reg, POINT_TOOL_EXECUTE_AFTER));
    struct store_key key = { session, OWNER, STOP };
    struct record_stopped out = { 0 };
    struct stopping s = { .arena = a };
    struct err e = { 0 };

    registry_unref(reg);
    if (possible && store_update(engine_store(en), &key, decide_stopped, &s, &e) < 0) {
        log_warn(engine_log(en), "whether session '%s' was to stop is not known: %s", session,
                 e.msg);
        out.unknown = arena_strdup(a, e.msg);
    }
    out.why = s.why;
    return out;
}

/* Failures --------------------------------------------------------------------------------------
 */

static int note_failure(void *context, struct arena *a UNUSED, struct str before, struct str *after,
                        struct err *e UNUSED)
{
    bool *first = context;

    *first = !str_is_set(before);
    *after = STR("1");
    return 0;
}

bool record_first_failure(struct engine *en, const char *session, const char *hook, struct arena *a)
{
    struct store_key key = { session, OWNER, arena_printf(a, "%s%s", FAILED, hook) };
    bool first = false;

    return store_update(engine_store(en), &key, note_failure, &first, NULL) == 0 && first;
}
