/* What resident programs ask the agent around the engine for, and what they offer to it. */
#include "bed.h"
#include "child.h"
#include "runner/peer.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

/* An agent whose model answers when it is told to, or never. */
struct fake_agent {
    atomic_uint asked, given_up;
    atomic_bool answers;
    char callback[64]; /* of the last request */
};

static int think(struct fake_agent *agent, const struct service_call *c, struct err *e)
{
    struct pollfd p = { .fd = c->abort_fd, .events = POLLIN };

    while (!atomic_load(&agent->answers) && clock_mono_ns() < c->deadline_ns + 20000 * MS)
        if (poll(&p, 1, 5) == 1) {
            atomic_fetch_add(&agent->given_up, 1);
            return err_set(e, -ECANCELED, "was aborted");
        }
    llm_use_add(c->used, &(struct llm_use){ 1, 42, 0 });
    return 0;
}

static int serve(void *context, const struct service_call *c, const struct json **result,
                 struct err *e)
{
    struct fake_agent *agent = context;

    *result = json_object(c->arena);
    if (strcmp(c->method, "recipe.run") == 0) {
        (void)snprintf(agent->callback, sizeof(agent->callback), "%s",
                       c->callback ? c->callback : "none");
        return err_set(e, -EPERM, "a callback never starts another");
    }
    if (strcmp(c->method, "session.status") == 0) {
        *result = json_with(c->arena, NULL, STR("hook"), json_cstring(c->arena, c->hook));
        *result =
            json_with(c->arena, *result, STR("session"), json_cstring(c->arena, c->session->id));
        return 0;
    }
    if (strcmp(c->method, "llm.complete") != 0)
        return err_set(e, -ENOSYS, "unknown method '%s'", c->method);
    atomic_fetch_add(&agent->asked, 1);
    return think(agent, c, e);
}

static void open_bed(struct bed *bed, struct fake_agent *agent, const char *behaviour,
                     const char *keys)
{
    bed_open(bed, NULL, NULL);
    setenv("XDG_STATE_HOME", path_join(&bed->arena, bed->dir.path, "xdg"), 1);
    unsetenv("FAKE_STARTS");
    engine_offer(bed->engine, &(struct services){ agent, serve });
    bed_configure(bed, NULL,
                  arena_printf(&bed->arena, "hooks: [{ name: res, resident: ['%s', %s], %s }]\n",
                               FAKE_RESIDENT, behaviour, keys));
}

struct emitter {
    struct bed *bed;
    const char *session, *said;
    struct llm_use llm;
    struct arena arena;
    enum run_end end;
    bool think;
};

static void *emit_in_thread(void *context)
{
    struct emitter *x = context;
    struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session.id = x->session };
    struct receipt r = { 0 };

    ev.data = json_with(&x->arena, NULL, STR("think"), json_bool(&x->arena, x->think));
    if (engine_emit(x->bed->engine, &ev, &x->arena, &r, NULL) == 0 && r.run_count == 1) {
        x->said = r.verdict.say;
        x->llm = r.runs[0].io->llm;
        x->end = r.runs[0].end;
    }
    receipt_release(&r);
    return NULL;
}

static void wait_until_asked(struct fake_agent *agent, unsigned times)
{
    uint64_t until = clock_mono_ns() + 20000 * MS;

    while (atomic_load(&agent->asked) < times && clock_mono_ns() < until)
        (void)poll(NULL, 0, 1);
    assert_true(atomic_load(&agent->asked) >= times);
}

static void a_model_that_thinks_keeps_nobody_else_waiting(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct emitter slow = { .bed = &bed, .session = "s1", .think = true };
    pthread_t thread;

    open_bed(&bed, &agent, "thinks", "on: PreToolUse");
    assert_int_equal(pthread_create(&thread, NULL, emit_in_thread, &slow), 0);
    wait_until_asked(&agent, 1);
    for (int i = 0; i < 20; i++) {
        struct emitter swift = { .bed = &bed, .session = "s2" };

        emit_in_thread(&swift);
        assert_string_equal(swift.said, "hello");
        assert_int_equal(swift.llm.calls, 0);
        arena_release(&swift.arena);
    }
    atomic_store(&agent.answers, true);
    pthread_join(thread, NULL);
    assert_string_equal(slow.said, "thought");
    assert_int_equal(slow.llm.calls, 1);
    assert_int_equal(slow.llm.tokens, 42);
    arena_release(&slow.arena);
}

static void a_request_ends_with_its_event(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct emitter x = { .bed = &bed, .session = "s1", .think = true };
    uint64_t began;

    open_bed(&bed, &agent, "thinks", "on: PreToolUse, timeout: 100ms");
    for (int i = 0; i < 3; i++) { /* waiting for us is not being silent: it is not ended */
        emit_in_thread(&x);
        assert_int_equal(x.end, RUN_TIMED_OUT);
    }
    began = clock_mono_ns();
    engine_offer(bed.engine, NULL);
    assert_int_equal(atomic_load(&agent.given_up), 3);
    assert_true(clock_mono_ns() - began < SLACK_NS);
    assert_true(child_comes_to(1));
    arena_release(&x.arena);
}

static void what_is_too_much_at_once_is_refused(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct emitter x[PEER_SERVING_MAX + 1] = { 0 };
    pthread_t threads[PEER_SERVING_MAX];

    open_bed(&bed, &agent, "thinks", "on: PreToolUse");
    for (size_t i = 0; i <= PEER_SERVING_MAX; i++)
        x[i] = (struct emitter){ .bed = &bed, .session = "s1", .think = true };
    for (size_t i = 0; i < PEER_SERVING_MAX; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, emit_in_thread, &x[i]), 0);
    wait_until_asked(&agent, PEER_SERVING_MAX);
    emit_in_thread(&x[PEER_SERVING_MAX]);
    assert_string_equal(x[PEER_SERVING_MAX].said, "refused");
    atomic_store(&agent.answers, true);
    for (size_t i = 0; i < PEER_SERVING_MAX; i++) {
        pthread_join(threads[i], NULL);
        assert_string_equal(x[i].said, "thought");
    }
    for (size_t i = 0; i <= PEER_SERVING_MAX; i++)
        arena_release(&x[i].arena);
}

static void methods_of_the_agent_know_hook_and_session(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };

    open_bed(&bed, &agent, "asks", "on: PreToolUse");
    bed_emit(&bed, "tool.execute.before", "{\"ask\":\"session.status {}\"}");
    assert_string_equal(bed.receipt.verdict.say,
                        "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"hook\":\"res\","
                        "\"session\":\"s1\"}}");
    bed_emit(&bed, "tool.execute.before", "{\"ask\":\"session.status {'session':'other'}\"}");
    assert_non_null(
        strstr(bed.receipt.verdict.say, "\"session\":\"s1\"")); /* the agent will tell */
    bed_emit(&bed, "tool.execute.before", "{\"ask\":\"llm.guess {}\"}");
    assert_non_null(strstr(bed.receipt.verdict.say, "{\"code\":-32601,\"message\":\"unknown method "
                                                    "'llm.guess'\"}"));
    bed_emit(&bed, "tool.execute.before", "{\"ask\":\"llm {}\"}");
    assert_non_null(strstr(bed.receipt.verdict.say,
                           "unknown method 'llm': there are state.get, state.set, state.update, "
                           "log, and what an agent offers"));
}

/* Callbacks ------------------------------------------------------------------------------------ */

static int call_back(struct bed *bed, const char *name, const char *args, char **text,
                     struct err *e)
{
    static const struct session session = { .id = "s1" };
    struct registry *reg = engine_look(bed->engine);
    const struct hook *hook = NULL;
    const struct hook_callback *cb = registry_callback(reg, name, &hook);
    struct hook_io io = { 0 };
    struct callback_call c = {
        .engine = bed->engine,
        .registry = reg,
        .hook = hook,
        .name = name,
        .session = &session,
        .arena = &bed->arena,
        .io = &io,
        .deadline_ns = clock_mono_ns() + (strcmp(name, "hang") == 0 ? 50 : 20000) * MS,
    };
    int r;

    assert_non_null(cb);
    assert_int_equal(json_parse(&bed->arena, str_of(args), NULL, &c.args, NULL), 0);
    r = cb->run(&c, text, e);
    registry_unref(reg);
    return r;
}

static void a_program_offers_callbacks_by_name(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct err e = { 0 };
    char *text = NULL;

    open_bed(&bed, &agent, "offers", "timeout: 20s");
    assert_int_equal(call_back(&bed, "sum", "{\"focus\":\"tests\"}", &text, &e), 0);
    assert_string_equal(text, "all about tests");
    assert_int_equal(call_back(&bed, "sum", "{}", &text, &e), 0);
    assert_string_equal(text, "");
    assert_int_equal(call_back(&bed, "wrong", "{}", &text, &e), -EINVAL);
    assert_string_equal(e.msg, "gave a bad answer: 'text' must be a text, not a number");
    assert_int_equal(call_back(&bed, "hang", "{}", &text, &e), -ETIMEDOUT);
}

static void what_a_callback_asks_for_is_known_to_be_a_callbacks(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct err e = { 0 };
    char *text = NULL;

    open_bed(&bed, &agent, "offers", "timeout: 20s");
    (void)!call_back(&bed, "asks", "{}", &text, &e);
    assert_string_equal(agent.callback, "asks");
}

static void a_name_that_is_none_is_a_problem_and_the_rest_is_offered(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct registry *reg;
    const struct problem *p;

    open_bed(&bed, &agent, "offers", "timeout: 20s");
    reg = engine_look(bed.engine);
    p = registry_config(reg)->problems.first;
    assert_non_null(p);
    assert_string_equal(p->message,
                        "hook 'res': the name of a callback is a text of 1 to 100 bytes");
    assert_null(p->next);
    registry_unref(reg);
}

static void a_hook_that_is_off_offers_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    const struct hook *hook = NULL;
    struct registry *reg;

    open_bed(&bed, &agent, "offers", "enabled: false");
    reg = engine_look(bed.engine);
    assert_null(registry_callback(reg, "sum", &hook));
    registry_unref(reg);
}

TESTS(child_test(a_model_that_thinks_keeps_nobody_else_waiting),
      child_test(a_request_ends_with_its_event), child_test(what_is_too_much_at_once_is_refused),
      child_test(methods_of_the_agent_know_hook_and_session),
      child_test(a_program_offers_callbacks_by_name),
      child_test(what_a_callback_asks_for_is_known_to_be_a_callbacks),
      child_test(a_name_that_is_none_is_a_problem_and_the_rest_is_offered),
      child_test(a_hook_that_is_off_offers_nothing))
