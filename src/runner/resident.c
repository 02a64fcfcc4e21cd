#include "runner/resident.h"

#include "base/clock.h"
#include "dialect/dialect.h"
#include "hook/child.h"
#include "hook/subscribe.h"
#include "hook/trust_words.h"
#include "runner/greeting.h"
#include "runner/peer.h"
#include "runner/program.h"
#include "runner/rpc.h"
#include "runner/when.h"

#include <errno.h>

/* Configuration waits for it, and with configuration everybody. */
#define GREETING_NS       UINT64_C(5000000000)
#define CALLBACKS_MAX     32
#define CALLBACK_NAME_MAX 100

struct resident {
    struct hook_entry entry; /* with the points it subscribes to */
    struct peer *peer;
    struct peer_setup setup;
    struct when *when;
    const struct dialect *native;
    struct subscribed subscribed;
    const struct hook_callback *callbacks; /* NULL: it offers none */
    struct trust_request request;
    bool of_workspace;
};

/* Running -------------------------------------------------------------------------------------- */

static const struct json *encode(const struct hook_call *c, const struct dialect *native)
{
    struct dialect_event ev = { .event = c->event, .final = c->final };
    const struct json *j = native->encode(c->arena, &ev);

    return c->again ? json_with(c->arena, j, STR("again"), json_bool(c->arena, true)) : j;
}

static void add_warnings(const struct hook_call *c, const struct strbuf *warnings)
{
    const char *before = c->io->warnings ? c->io->warnings : "";

    if (warnings->len)
        c->io->warnings = arena_printf(c->arena, "%s%s", before, strbuf_cstr(warnings));
}

static int decode(const struct hook_call *c, struct str line, struct verdict *v, struct err *e)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct rpc_message m;
    int r;

    rpc_read(c->arena, line, &m);
    if (m.kind == RPC_ERROR)
        return err_set(e, -EIO, "answered with an error: %s", m.text);
    if (json_type(m.result) == JSON_NULL)
        return 0;
    r = verdict_from_json(c->arena, m.result, v, &warnings, e);
    add_warnings(c, &warnings);
    return r < 0 ? err_wrap(e, r, "gave a bad answer") : 0;
}

/* What runs are the pinned bytes; while a file has others it gets no events. */
static int check_trust(const struct resident *x, struct arena *a, struct err *e)
{
    struct trust_command unused;

    return x->of_workspace ? trust_command(a, &x->request, &unused, e) : 0;
}

static int resident_run(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct resident *x = c->context;
    struct peer_call call = {
        .engine = c->engine,
        .arena = c->arena,
        .method = "event",
        .session = &c->event->session,
        .receipt_id = c->receipt_id,
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->abort_fd,
        .io = c->io,
        .report = c->report,
    };
    bool applies;
    int r = when_test(x->when, c, &applies, e);

    if (r == 0 && applies)
        r = check_trust(x, c->arena, e);
    if (r < 0 || !applies)
        return r;
    call.params = encode(c, x->native);
    r = peer_call(x->peer, &call, e);
    return r < 0 ? r : decode(c, call.line, v, e);
}

/* Callbacks -------------------------------------------------------------------------------------
 */

static const struct json *encode_callback(const struct callback_call *c)
{
    struct arena *a = c->arena;
    const struct event ev = { .session = *c->session };
    const struct json *session = json_get(event_to_json(a, &ev), STR("session"));
    struct json *params = json_object(a);

    json_add(a, params, STR("name"), json_cstring(a, c->name));
    json_add(a, params, STR("args"), c->args ? c->args : json_object(a));
    json_add(a, params, STR("messages"), c->messages ? c->messages : json_array(a));
    json_add(a, params, STR("session"), session);
    return params;
}

static int decode_text(const struct callback_call *c, struct str line, char **text, struct err *e)
{
    struct rpc_message m;
    const struct json *said;

    rpc_read(c->arena, line, &m);
    if (m.kind == RPC_ERROR)
        return err_set(e, -EIO, "answered with an error: %s", m.text);
    said = json_get(m.result, STR("text"));
    if (said && json_type(said) != JSON_STRING && json_type(said) != JSON_NULL)
        return err_set(e, -EINVAL, "gave a bad answer: 'text' must be a text, not %s",
                       json_type_name(json_type(said)));
    *text = json_cstr(c->arena, said);
    return 0;
}

static int resident_answer(const struct callback_call *c, char **text, struct err *e)
{
    struct resident *x = c->hook->context;
    struct peer_call call = {
        .engine = c->engine,
        .arena = c->arena,
        .method = "callback",
        .session = c->session,
        .callback = c->name,
        .params = encode_callback(c),
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->abort_fd,
        .io = c->io,
    };
    int r = check_trust(x, c->arena, e);

    if (r == 0 && child_depth_here() > 0)
        r = err_set(e, -EPERM, "is not started inside another hook");
    if (r == 0)
        r = peer_call(x->peer, &call, e);
    return r < 0 ? r : decode_text(c, call.line, text, e);
}

/* The names it offers; those that are none are problems. */
static const struct hook_callback *read_callbacks(struct arena *a, const struct hook_entry *entry,
                                                  const struct json *list,
                                                  struct problems *problems)
{
    struct hook_callback *all = arena_array(a, struct hook_callback, CALLBACKS_MAX + 1);
    size_t count = 0;

    if (list && json_type(list) != JSON_ARRAY)
        problem_add(problems, &entry->origin, "hook '%s': its callbacks are no list", entry->name);
    for (const struct json *j = json_type(list) == JSON_ARRAY ? json_first(list) : NULL;
         j && count < CALLBACKS_MAX; j = json_next(j)) {
        struct str name = json_str(a, j);

        if (name.len > 0 && name.len <= CALLBACK_NAME_MAX && !memchr(name.ptr, '\0', name.len))
            all[count++] = (struct hook_callback){ arena_cstr(a, name), resident_answer };
        else
            problem_add(problems, &entry->origin,
                        "hook '%s': the name of a callback is a text of 1 to %d bytes", entry->name,
                        CALLBACK_NAME_MAX);
    }
    return count ? all : NULL;
}

/* Loading -------------------------------------------------------------------------------------- */

static void resident_free(struct resident *x)
{
    peer_free(x->peer);
    when_free(x->when);
    subscribe_release(&x->entry, &x->subscribed);
}

static void resident_unload(struct hook *h)
{
    resident_free(h->context);
}

static int check(const struct hook_entry *entry, struct err *e)
{
    const struct setting *dialect = setting_get(entry->spec, "dialect");

    if (dialect && !str_is(dialect->text, "native"))
        return err_set(e, -ENOTSUP, "a resident hook speaks no other dialect than 'native'");
    return 0;
}

/*
 * What the program says of itself, from memory or from itself. Where it cannot be asked, or must
 * not be, `answer` is what it said before it changed, if it ever said anything.
 */
static int find_greeting(struct arena *a, const struct resident *x, struct str *answer,
                         struct err *e)
{
    const struct peer_setup *setup = &x->setup;
    const char *key = arena_printf(a, "%s\n%s\n%s", x->entry.origin.file, x->entry.name,
                                   setup->cwd ? setup->cwd : "");
    bool young;
    const char *identity = program_identity(a, setup->argv, setup->env, setup->cwd, &young);
    int r;

    if (greeting_recall(a, key, identity, answer) == GREETING_KNOWN || child_depth_here() > 0)
        return 0;
    r = peer_greet(x->peer, a, clock_mono_ns() + GREETING_NS, answer, e);
    if (r == 0 && !young)
        greeting_keep(key, identity, *answer);
    return r;
}

/*
 * Of an entry that says `on`: it need not be started to be configured, so it is asked when somebody
 * wants a callback. One that cannot be asked offers none.
 */
static const struct hook_callback *resident_offer(const struct hook *h, const char *name)
{
    static const struct hook_callback offered = { "", resident_answer };
    CLEANUP(arena) struct arena a = { 0 };
    const struct resident *x = h->context;
    const struct json *j = NULL;
    struct str answer = { 0 };

    if (check_trust(x, &a, NULL) < 0 || find_greeting(&a, x, &answer, NULL) < 0 ||
        !str_is_set(answer) || json_parse(&a, answer, NULL, &j, NULL) < 0)
        return NULL;
    for (j = json_first(json_get(j, STR("callbacks"))); j; j = json_next(j))
        if (str_is(json_str(&a, j), name))
            return &offered;
    return NULL;
}

/*
 * Traits for the hook and its parts. Inside another hook nothing is started: there it is in the
 * chains it is remembered to be in, and held back.
 */
static int subscribe(struct arena *a, struct resident *x, struct problems *problems, struct err *e)
{
    struct str answer = { 0 };
    const struct json *j = NULL;
    int r;

    r = find_greeting(a, x, &answer, e);
    if (r == 0 && !str_is_set(answer))
        return 0;
    if (r < 0 && str_is_set(answer)) { /* what it said before it changed; of no use: no matter */
        (void)!json_parse(a, answer, NULL, &j, NULL);
    } else if (r == 0) {
        r = json_parse(a, answer, NULL, &j, e);
        if (r < 0)
            r = err_wrap(e, r, "answered 'initialize' badly");
    }
    x->subscribed = subscribe_read(a, &x->entry, json_get(j, STR("subscriptions")), problems);
    x->callbacks = read_callbacks(a, &x->entry, json_get(j, STR("callbacks")), problems);
    if (r == 0 && x->subscribed.count == 0 && !x->callbacks)
        return err_set(e, -EINVAL,
                       "it subscribes to no point and offers no callback: say 'on', or let it say");
    return r;
}

/* Conditions may use what the events of any of its points have. */
static void unite_points(struct arena *a, struct resident *x)
{
    struct subscription *on;
    size_t count = 0;

    for (size_t i = 0; i < x->subscribed.count; i++)
        count += x->subscribed.traits[i].on_count;
    if (count == 0)
        return;
    on = arena_array(a, struct subscription, count);
    count = 0;
    for (size_t i = 0; i < x->subscribed.count; i++)
        for (size_t k = 0; k < x->subscribed.traits[i].on_count; k++)
            on[count++] = x->subscribed.traits[i].on[k];
    x->entry.traits.on = on;
    x->entry.traits.on_count = count;
}

/* What to start: of a workspace, the copies of what it names. */
static int set_up(struct arena *a, const struct hook_entry *entry, struct resident *x,
                  struct err *e)
{
    const char *workspace = entry->config ? entry->config->workspace : NULL;
    struct trust_command words;
    const char **env;
    size_t count;
    int r;

    x->request = (struct trust_request){
        .config = entry->config,
        .command = setting_get(entry->spec, "resident"),
        .env = setting_get(entry->spec, "env"),
        .unpinned = setting_get(entry->spec, "unpinned"),
    };
    x->of_workspace = x->request.command->origin.source == SOURCE_WORKSPACE;
    r = trust_look(a, &x->request, &words, e);
    if (r < 0)
        return r;
    env = child_env(
        a,
        &(struct child_needs){ entry->config ? entry->config->root : NULL, x->request.env, NULL },
        4, &count);
    env[count++] = arena_printf(a, "HOOKE_HOOK=%s", entry->name);
    env[count++] = child_depth(a);
    if (workspace)
        env[count++] = arena_printf(a, "HOOKE_WORKSPACE=%s", workspace);
    env[count++] = words.file ? words.file : "HOOKE_FILE";
    x->setup = (struct peer_setup){
        .hook = entry->name, .cwd = workspace, .argv = words.argv, .env = env
    };
    return 0;
}

static int resident_load(struct arena *a, const struct hook_entry *entry, struct hook *h,
                         struct problems *problems, struct err *e)
{
    struct resident *x = arena_new(a, struct resident);
    bool says_on = entry->traits.said & KEY_ON;
    int r = check(entry, e);

    x->entry = *entry;
    if (r == 0)
        r = set_up(a, entry, x, e);
    if (r < 0) {
        config_stand_at_gates(a, &h->traits);
        return r;
    }
    x->native = dialect_find(STR("native"));
    x->peer = peer_new(&x->setup);
    if (!says_on)
        r = subscribe(a, x, problems, e);
    unite_points(a, x);
    if (r == 0 && x->entry.traits.on_count)
        r = when_load(&x->entry, problems, &x->when, e);
    if (r < 0) {
        h->traits.on = x->entry.traits.on; /* what is known, if only from former times */
        h->traits.on_count = x->entry.traits.on_count;
        config_stand_at_gates(a, &h->traits);
        resident_free(x);
        return r;
    }
    h->run = resident_run;
    h->context = x;
    h->callbacks = x->callbacks;
    h->offer = says_on ? resident_offer : NULL;
    subscribe_hook(a, h, &x->subscribed);
    return 0;
}

const struct runner resident_runner = {
    .kind = RUNNER_RESIDENT,
    .load = resident_load,
    .unload = resident_unload,
};
