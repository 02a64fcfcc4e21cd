/* What an agent offers to hooks through the engine, and the last word of whoever emits. */
#include "base/clock.h"
#include "bed.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS 8
#define CALLS   200

/* An agent that only counts. */
struct fake_agent {
    atomic_uint calls;
    atomic_bool gone; /* whoever calls now is too late */
    atomic_uint late;
};

static int count_call(void *context, const struct service_call *c, const struct json **result,
                      struct err *e)
{
    struct fake_agent *agent = context;

    atomic_fetch_add(&agent->late, atomic_load(&agent->gone));
    atomic_fetch_add(&agent->calls, 1);
    if (strcmp(c->method, "llm.complete") != 0)
        return err_set(e, -ENOSYS, "unknown method '%s'", c->method);
    c->used->calls++;
    *result = json_cstring(c->arena, "hello");
    return 0;
}

static int serve(struct engine *en, const char *method, struct arena *a, struct llm_use *used,
                 const struct json **result, struct err *e)
{
    static const struct session session = { .id = "s1" };
    const struct service_call c = {
        .arena = a, .hook = "h", .method = method, .session = &session, .used = used
    };

    return engine_serve(en, &c, result, e);
}

static void without_an_agent_methods_are_refused(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct json *result = NULL;
    struct llm_use used = { 0 };
    struct err e = { 0 };

    bed_open(&bed, NULL, NULL);
    assert_int_equal(serve(bed.engine, "llm.complete", &bed.arena, &used, &result, &e), -ENOSYS);
    assert_string_equal(e.msg, "'llm.complete' is not available here: it needs hooke's agent");
}

static void what_is_offered_is_served_until_it_is_taken_back(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    const struct json *result = NULL;
    struct llm_use used = { 0 };
    struct err e = { 0 };

    bed_open(&bed, NULL, NULL);
    engine_offer(bed.engine, &(struct services){ &agent, count_call });
    assert_int_equal(serve(bed.engine, "llm.complete", &bed.arena, &used, &result, &e), 0);
    assert_string_equal(json_text(&bed.arena, result), "\"hello\"");
    assert_int_equal(used.calls, 1);
    assert_int_equal(serve(bed.engine, "llm.guess", &bed.arena, &used, &result, &e), -ENOSYS);
    assert_string_equal(e.msg, "unknown method 'llm.guess'");
    engine_offer(bed.engine, NULL);
    assert_int_equal(serve(bed.engine, "llm.complete", &bed.arena, &used, &result, &e), -ENOSYS);
    assert_int_equal(agent.calls, 2);
}

static void *call_often(void *context)
{
    struct engine *en = context;
    CLEANUP(arena) struct arena a = { 0 };

    for (int i = 0; i < CALLS; i++) {
        const struct json *result = NULL;
        struct llm_use used = { 0 };
        struct err e = { 0 };

        (void)!serve(en, "llm.complete", &a, &used, &result, &e);
    }
    return NULL;
}

static void an_agent_that_was_taken_back_serves_nobody_any_more(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    pthread_t threads[THREADS];

    bed_open(&bed, NULL, NULL);
    engine_offer(bed.engine, &(struct services){ &agent, count_call });
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, bed.engine), 0);
    engine_offer(bed.engine, NULL);
    atomic_store(&agent.gone, true);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(agent.late, 0);
}

/* The last word -------------------------------------------------------------------------------- */

static void consent(void *context, struct arena *a UNUSED, struct receipt *r)
{
    unsigned *asked = context;

    ++*asked;
    assert_int_equal(r->verdict.decision, DECISION_ASK);
    r->verdict.decision = DECISION_ALLOW;
    r->answer = (struct receipt_answer){ "person", DECISION_ALLOW };
}

static int look(const struct hook_call *c, struct verdict *v UNUSED, struct err *e UNUSED)
{
    *(enum decision *)c->context = c->final->decision;
    return 0;
}

static void whoever_emits_has_the_last_word_and_observers_see_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf line = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    enum decision seen = DECISION_NONE;
    unsigned asked = 0;
    const struct event_settle settle = { consent, &asked };
    const struct event ev = { .point = POINT_PERMISSION_ASK,
                              .session = { .id = "s1" },
                              .settle = &settle };
    const struct engine_callback observer = { .name = "look",
                                              .on = { .point = POINT_PERMISSION_ASK },
                                              .layer = LAYER_OBSERVE,
                                              .run = look,
                                              .context = &seen };
    struct err e = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: q, on: permission.ask, ask: really }]");
    assert_int_equal(engine_register(bed.engine, &observer, &e), 0);
    assert_int_equal(engine_emit(bed.engine, &ev, &bed.arena, &r, &e), 0);
    assert_int_equal(asked, 1);
    assert_int_equal(seen, DECISION_ALLOW);
    receipt_write(&line, &r);
    assert_non_null(strstr(strbuf_cstr(&line),
                           "\"outcome\":\"allow\",\"reason\":\"really\","
                           "\"answer\":{\"by\":\"person\",\"decision\":\"allow\"}"));
}

static void keep_verdict(void *context, struct arena *a UNUSED, struct receipt *r)
{
    *(struct verdict *)context = r->verdict;
}

static void an_event_that_was_aborted_is_settled_as_a_stop(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    struct verdict seen = { 0 };
    int ends[2];
    const struct event_settle settle = { keep_verdict, &seen };
    struct event ev = { .point = POINT_PERMISSION_ASK,
                        .session = { .id = "s1" },
                        .settle = &settle };
    struct err e = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: q, on: permission.ask, ask: really }]");
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    ev.abort_fd = ends[0];
    assert_int_equal(engine_emit(bed.engine, &ev, &bed.arena, &r, &e), 0);
    close(ends[0]);
    assert_int_equal(seen.decision, DECISION_NONE);
    assert_string_equal(seen.stop, "the event was aborted");
}

static int ask_a_model(const struct hook_call *c, struct verdict *v UNUSED, struct err *e UNUSED)
{
    llm_use_add(&c->io->llm, &(struct llm_use){ 1, 120, 0.25 });
    llm_use_add(&c->io->llm, &(struct llm_use){ 1, 30, 0 });
    return 0;
}

static void what_models_took_for_a_hook_is_in_its_run(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf line = { 0 };
    const struct engine_callback hook = { .name = "h",
                                          .on = { .point = POINT_TURN_AFTER },
                                          .run = ask_a_model };
    struct err e = { 0 };

    bed_open(&bed, NULL, NULL);
    assert_int_equal(engine_register(bed.engine, &hook, &e), 0);
    bed_emit(&bed, "turn.after", NULL);
    receipt_write(&line, &bed.receipt);
    assert_non_null(
        strstr(strbuf_cstr(&line), "\"llm\":{\"calls\":2,\"tokens\":150,\"cost\":0.250000}"));
}

TESTS(cmocka_unit_test(without_an_agent_methods_are_refused),
      cmocka_unit_test(what_is_offered_is_served_until_it_is_taken_back),
      cmocka_unit_test(an_agent_that_was_taken_back_serves_nobody_any_more),
      cmocka_unit_test(whoever_emits_has_the_last_word_and_observers_see_it),
      cmocka_unit_test(an_event_that_was_aborted_is_settled_as_a_stop),
      cmocka_unit_test(what_models_took_for_a_hook_is_in_its_run))
