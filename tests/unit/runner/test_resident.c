/* Programs that stay: one process for many events, and every way in which it can misbehave. */
#include "bed.h"
#include "child.h"

#include <pthread.h>

static void open_bed(struct bed *bed, const char *behaviour, const char *keys)
{
    if (!bed->engine)
        bed_open(bed, NULL, NULL);
    setenv("XDG_STATE_HOME", path_join(&bed->arena, bed->dir.path, "xdg"), 1);
    setenv("FAKE_STARTS", path_join(&bed->arena, bed->dir.path, "starts"), 1);
    bed_configure(bed, NULL,
                  arena_printf(&bed->arena,
                               "hooks: [{ name: res, on: [PreToolUse, turn.after], "
                               "resident: ['%s', %s], %s }]\n",
                               FAKE_RESIDENT, behaviour, keys));
}

static const struct hook_run *emit(struct bed *bed, const char *data)
{
    bed_emit(bed, "tool.execute.before", data);
    assert_int_equal(bed->receipt.run_count, 1);
    return &bed->receipt.runs[0];
}

static void expect_failure(struct bed *bed, enum run_end end, const char *words)
{
    const struct hook_run *r = emit(bed, NULL);

    assert_int_equal(r->end, end);
    if (!strstr(r->detail, words))
        fail_msg("'%s' is not in '%s'", words, r->detail);
}

static size_t count_starts(struct bed *bed)
{
    struct str text;
    size_t count = 0;

    if (file_read(&bed->arena, path_join(&bed->arena, bed->dir.path, "starts"), 65536, &text,
                  NULL) < 0)
        return 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    return count;
}

static void one_process_answers_all_events(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "obeys", "layer: guard");
    assert_int_equal(count_starts(&bed), 0);
    for (int i = 0; i < 20; i++) {
        const struct hook_run *r = emit(&bed, "{\"tool\":\"bash\"}");

        assert_int_equal(r->end, RUN_DONE);
        assert_true(r->io->bytes_in > 100);
        assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    }
    assert_int_equal(count_starts(&bed), 1);
}

static void the_process_goes_with_the_configuration(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "obeys", "layer: guard");
    emit(&bed, NULL);
    assert_true(child_comes_to(1));
    receipt_release(&bed.receipt);
    bed_configure(&bed, NULL, "hooks: []\n");
    assert_true(child_comes_to(0));
}

static void what_it_writes_to_stderr_is_in_the_receipt_of_its_event(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "stderr", "layer: guard");
    assert_string_equal(emit(&bed, NULL)->io->stderr_head, "careful 1");
    assert_string_equal(emit(&bed, NULL)->io->stderr_head, "careful 2");
}

static void an_error_is_a_failed_run_and_no_failure_of_the_process(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "error", "layer: guard");
    for (int i = 0; i < 5; i++)
        expect_failure(&bed, RUN_FAILED, "answered with an error: no such table");
    assert_int_equal(count_starts(&bed), 1);
}

static void a_program_that_cannot_be_started_is_given_up(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks: [{ name: res, on: PreToolUse, resident: [./none], on_failure: block }]\n");
    expect_failure(&bed, RUN_FAILED,
                   "is given up after 3 failures in a row, the last time it could "
                   "not be started: ");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.logged.buf, "hook 'res' is given up: it failed 3 times in a row"));
}

static void one_that_dies_at_once_is_given_up_and_says_why(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;

    open_bed(&bed, "dies-first", "layer: guard");
    expect_failure(&bed, RUN_FAILED, "the last time it exited with 1: NameError: x");
    assert_int_equal(count_starts(&bed), 3);
    r = emit(&bed, NULL);
    assert_non_null(strstr(r->io->stderr_head, "Traceback"));
    assert_int_equal(count_starts(&bed), 3);
}

static void one_that_refuses_to_initialize_is_given_up(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "refuses", "layer: guard");
    expect_failure(&bed, RUN_FAILED, "refused 'initialize': not today");
}

static void one_that_hangs_in_initialize_costs_the_timeout(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();

    open_bed(&bed, "hangs-first", "layer: guard, timeout: 100ms");
    expect_failure(&bed, RUN_TIMED_OUT, "timed out after 100 ms");
    expect_failure(&bed, RUN_TIMED_OUT, "timed out after 100 ms");
    assert_true(clock_mono_ns() - began < 200 * MS + SLACK_NS);
    assert_int_equal(count_starts(&bed), 1); /* it may only be slow */
}

static void death_in_an_event_fails_that_event_and_the_next_gets_a_new_process(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "dies-second", "layer: guard");
    assert_int_equal(emit(&bed, NULL)->end, RUN_DONE);
    expect_failure(&bed, RUN_FAILED, "was killed by SIGSEGV");
    assert_int_equal(emit(&bed, NULL)->end, RUN_DONE);
    assert_int_equal(count_starts(&bed), 2);
}

static void one_that_dies_in_every_event_is_given_up(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "dies", "layer: guard, on_failure: block");
    for (int i = 0; i < 3; i++)
        expect_failure(&bed, RUN_FAILED, "exited with 7");
    expect_failure(&bed, RUN_FAILED, "is given up after 3 failures in a row");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_int_equal(count_starts(&bed), 3);
}

static void one_that_leaves_between_events_is_started_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "leaves", "layer: guard");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(emit(&bed, NULL)->end, RUN_DONE);
        assert_true(child_comes_to(0));
    }
    assert_int_equal(count_starts(&bed), 6);
}

static void a_second_answer_and_one_to_no_question_are_dropped(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "twice", "layer: guard");
    for (int i = 0; i < 3; i++) {
        emit(&bed, NULL);
        assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    }
    open_bed(&bed, "wrong-id", "layer: guard");
    emit(&bed, NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    assert_non_null(strstr(bed.receipt.warnings[0], "answered what nobody asked"));
}

static void lines_that_are_no_messages_are_told_and_passed_over(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "garbage", "layer: guard");
    emit(&bed, NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    assert_int_equal(bed.receipt.warning_count, 4);
    assert_string_equal(bed.receipt.warnings[0],
                        "hook 'res': wrote a line that is no message: 'debug: here I am'");
}

static void ten_megabytes_in_one_line_are_passed_over(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "long-line", "layer: guard");
    assert_int_equal(emit(&bed, NULL)->end, RUN_DONE);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    assert_non_null(strstr(bed.receipt.warnings[0], "a line of more than 1048576 bytes"));
}

static void an_answer_that_is_too_long_fails_at_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "long-answer", "layer: guard");
    expect_failure(&bed, RUN_FAILED, "answered with more than 1048576 bytes");
}

static void too_many_lines_that_are_no_messages_end_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "many-lines", "layer: guard");
    expect_failure(&bed, RUN_FAILED, "wrote 1000 lines in a row that are no messages");
}

static void a_flood_of_log_lines_is_cut_short(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    size_t lines = 0;

    open_bed(&bed, "floods-log", "layer: guard");
    assert_int_equal(emit(&bed, NULL)->end, RUN_DONE);
    for (size_t i = 0; i < bed.logged.len; i++)
        lines += bed.logged.buf[i] == '\n';
    assert_int_equal(lines, 100);
    assert_non_null(strstr(bed.logged.buf, "hook 'res': m0\n"));
    assert_non_null(strstr(bed.logged.buf, "hook 'res' logs too much"));
}

static void one_that_closes_stdout_fails_its_event_at_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();

    open_bed(&bed, "closes-stdout", "layer: guard");
    expect_failure(&bed, RUN_FAILED, "closed its standard input or output");
    assert_true(clock_mono_ns() - began < SLACK_NS);
}

static void one_that_never_answers_is_replaced_after_two_events(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hangs", "layer: guard, timeout: 50ms");
    expect_failure(&bed, RUN_TIMED_OUT, "timed out after 50 ms");
    assert_true(child_comes_to(1));
    expect_failure(&bed, RUN_TIMED_OUT, "timed out after 50 ms");
    assert_true(child_comes_to(0));
    expect_failure(&bed, RUN_TIMED_OUT, "timed out after 50 ms");
}

static void one_that_ignores_every_request_to_go_is_killed(void **state UNUSED)
{
    struct bed bed = { 0 };
    uint64_t began;

    open_bed(&bed, "stubborn", "layer: guard");
    emit(&bed, NULL);
    began = clock_mono_ns();
    bed_cleanup(&bed);
    assert_true(clock_mono_ns() - began < 2000 * MS + SLACK_NS);
    assert_true(child_comes_to(0));
}

static void what_it_starts_goes_with_it_unless_it_left_the_group(void **state UNUSED)
{
    struct bed bed = { 0 };

    open_bed(&bed, "forks", "layer: guard");
    emit(&bed, NULL);
    assert_true(child_comes_to(2));
    bed_cleanup(&bed);
    assert_true(child_comes_to(0));
    bed = (struct bed){ 0 };
    open_bed(&bed, "daemon", "layer: guard");
    emit(&bed, NULL);
    assert_true(child_comes_to(2));
    bed_cleanup(&bed);
    child_end_spared();
}

/* Several at once ------------------------------------------------------------------------------ */

struct emitter {
    struct bed *bed;
    const char *session, *data;
    unsigned times, done;
    uint64_t took_ns;
};

static void *emit_in_thread(void *context)
{
    struct emitter *x = context;
    uint64_t began = clock_mono_ns();

    for (unsigned i = 0; i < x->times; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session.id = x->session };
        struct receipt r = { 0 };

        if (json_parse(&a, str_of(x->data), NULL, &ev.data, NULL) == 0 &&
            engine_emit(x->bed->engine, &ev, &a, &r, NULL) == 0)
            x->done += r.run_count == 1 && r.runs[0].end == RUN_DONE;
        receipt_release(&r);
    }
    x->took_ns = clock_mono_ns() - began;
    return NULL;
}

static void an_event_without_an_answer_costs_only_itself(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct emitter stalled = { &bed, "s1", "{\"stall\":true}", 1, 0, 0 };
    struct emitter swift = { &bed, "s2", "{\"stall\":false}", 50, 0, 0 };
    pthread_t thread;

    open_bed(&bed, "hangs-sometimes", "layer: guard, timeout: 3s");
    emit(&bed, "{}"); /* so that it runs already */
    assert_int_equal(pthread_create(&thread, NULL, emit_in_thread, &stalled), 0);
    emit_in_thread(&swift);
    assert_int_equal(swift.done, 50);
    assert_true(swift.took_ns < 2500 * MS);
    pthread_join(thread, NULL);
    assert_int_equal(stalled.done, 0);
    assert_true(stalled.took_ns >= 2900 * MS && stalled.took_ns < 3000 * MS + SLACK_NS);
    assert_int_equal(emit(&bed, "{}")->end, RUN_DONE);
    assert_int_equal(count_starts(&bed), 1);
}

static void many_threads_share_one_process(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct emitter emitters[8];
    pthread_t threads[8];

    open_bed(&bed, "obeys", "layer: guard");
    for (size_t i = 0; i < 8; i++) {
        emitters[i] = (struct emitter){ &bed, i % 2 ? "s1" : "s2", "{}", 100, 0, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, emit_in_thread, &emitters[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(emitters[i].done, 100);
    }
    assert_int_equal(count_starts(&bed), 1);
}

/* More than the pipe takes, from several threads, to a process that reads line by line. */
static void large_events_pass_whole(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct emitter emitters[4];
    pthread_t threads[4];
    CLEANUP(strbuf) struct strbuf data = { 0 };

    open_bed(&bed, "obeys", "layer: guard");
    strbuf_addstr(&data, "{\"text\":\"");
    for (size_t i = 0; i < 300000; i++)
        strbuf_addch(&data, 'x');
    strbuf_addstr(&data, "\"}");
    for (size_t i = 0; i < 4; i++) {
        emitters[i] = (struct emitter){ &bed, "s1", data.buf, 10, 0, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, emit_in_thread, &emitters[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(emitters[i].done, 10);
    }
}

/* What it may ask for -------------------------------------------------------------------------- */

static void it_may_keep_state_and_nothing_else(void **state UNUSED)
{
    static const struct {
        const char *ask, *says;
    } rows[] = {
        { "state.get {'key':'a'}", "\"result\":{\"value\":null}" },
        { "state.set {'key':'a','value':'x'}", "\"result\":{}" },
        { "state.get {'key':'a'}", "\"result\":{\"value\":\"x\"}" },
        { "state.get {'key':'a','session':'s1'}", "\"result\":{\"value\":\"x\"}" },
        { "state.get {'key':'a','session':'s2'}", "\"code\":-32001" },
        { "state.update {'key':'n','by':2}", "\"result\":{\"value\":2}" },
        { "state.update {'key':'n','by':-5}", "\"result\":{\"value\":-3}" },
        { "state.update {'key':'a','by':1}", "\"error\":" },
        { "state.update {'key':'a','by':'1'}", "'by' must be a whole number" },
        { "state.update {'key':'a','from':'y','to':'z'}",
          "\"result\":{\"changed\":false,\"value\":\"x\"}" },
        { "state.update {'key':'a','from':'x','to':'z'}",
          "\"result\":{\"changed\":true,\"value\":\"z\"}" },
        { "state.update {'key':'a','from':'z','to':null}",
          "\"result\":{\"changed\":true,\"value\":null}" },
        { "state.update {'key':'a','from':null,'to':'n'}",
          "\"result\":{\"changed\":true,\"value\":\"n\"}" },
        { "state.update {'key':'a'}", "\"code\":-32602" },
        { "state.set {'key':'a','value':7}", "\"code\":-32602" },
        { "state.get {'key':'@once/x'}",
          "'key' must not begin with '@': such keys are the engine's" },
        { "state.get {}", "'key' must be a text" },
        { "state.get []", "'key' must be a text" },
        { "log {'message':'seen','level':'warn'}", "\"result\":{}" },
        { "log {}", "\"code\":-32602" },
        { "llm.complete {}", "'llm.complete' is not available here" },
        { "session.fork {}", "\"code\":-32601" },
        { "no.such {}", "unknown method 'no.such'" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "asks", "layer: guard");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        emit(&bed, arena_printf(&bed.arena, "{\"ask\":\"%s\"}", rows[i].ask));
        if (!bed.receipt.verdict.say || !strstr(bed.receipt.verdict.say, rows[i].says))
            fail_msg("%s: %s", rows[i].ask, bed.receipt.verdict.say);
    }
    assert_non_null(strstr(bed.logged.buf, "hook 'res': seen"));
}

/* Subscriptions -------------------------------------------------------------------------------- */

static void without_on_it_says_itself_what_it_is_for(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct registry *reg;
    const struct hook *const *at;
    size_t count;

    bed_open(&bed, NULL, NULL);
    setenv("XDG_STATE_HOME", path_join(&bed.arena, bed.dir.path, "xdg"), 1);
    setenv("FAKE_STARTS", path_join(&bed.arena, bed.dir.path, "starts"), 1);
    bed_configure(&bed, NULL,
                  arena_printf(&bed.arena, "hooks: [{ name: res, resident: ['%s', subscribes] }]\n",
                               FAKE_RESIDENT));
    reg = engine_look(bed.engine);
    at = registry_at(reg, POINT_TOOL_EXECUTE_BEFORE, &count);
    assert_int_equal(count, 1);
    assert_int_equal(at[0]->traits.layer, LAYER_GUARD);
    assert_int_equal(at[0]->traits.priority, 7);
    at = registry_at(reg, POINT_TURN_AFTER, &count);
    assert_int_equal(count, 1);
    assert_int_equal(at[0]->traits.timeout_ms, 2000);
    at = registry_at(reg, POINT_AGENT_STOP, &count);
    assert_int_equal(count, 1);
    assert_true(at[0]->traits.observe);
    assert_int_equal(registry_config(reg)->problems.count, 2);
    assert_string_equal(registry_config(reg)->problems.first->message,
                        "hook 'res', a subscription: 'turn.after' is subscribed to already");
    registry_unref(reg);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"hello\"}");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"read\"}");
    assert_int_equal(bed.receipt.run_count, 0);
    assert_int_equal(count_starts(&bed), 1); /* the one that was asked stays */
}

static void its_answer_is_kept_until_the_program_changes(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t until = child_in(5000);
    const char *yaml, *script;
    size_t starts;

    bed_open(&bed, NULL, NULL);
    setenv("XDG_STATE_HOME", path_join(&bed.arena, bed.dir.path, "xdg"), 1);
    setenv("FAKE_STARTS", path_join(&bed.arena, bed.dir.path, "starts"), 1);
    script = path_join(&bed.arena, bed.dir.path, "x.sh");
    assert_int_equal(file_write(script,
                                str_of(arena_printf(&bed.arena, "#!/bin/sh\nexec '%s' subscribes\n",
                                                    FAKE_RESIDENT)),
                                0755, NULL),
                     0);
    yaml = "hooks: [{ name: res, resident: [./x.sh] }]\n";
    do { /* a file this young is not trusted to stay as it is */
        starts = count_starts(&bed);
        bed_configure(&bed, NULL, yaml);
        assert_true(clock_mono_ns() < until);
    } while (count_starts(&bed) != starts);
    bed_configure(&bed, NULL, yaml);
    assert_int_equal(count_starts(&bed), starts);
    assert_int_equal(
        file_write(
            script,
            str_of(arena_printf(&bed.arena, "#!/bin/sh\nexec  '%s' subscribes\n", FAKE_RESIDENT)),
            0755, NULL),
        0);
    bed_configure(&bed, NULL, yaml);
    assert_int_equal(count_starts(&bed), starts + 1);
}

static void a_guard_that_cannot_say_what_it_is_for_fails_at_every_gate(void **state UNUSED)
{
    static const char *const gates[] = { "tool.execute.before", "permission.ask", "chat.message",
                                         "agent.start" };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: res, resident: [./none], safety_critical: true }]\n");
    for (size_t i = 0; i < ARRAY_LEN(gates); i++) {
        bed_emit(&bed, gates[i], NULL);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
        assert_non_null(strstr(bed.receipt.verdict.reason, "could not be started"));
    }
}

TESTS(child_test(one_process_answers_all_events),
      child_test(the_process_goes_with_the_configuration),
      child_test(what_it_writes_to_stderr_is_in_the_receipt_of_its_event),
      child_test(an_error_is_a_failed_run_and_no_failure_of_the_process),
      child_test(a_program_that_cannot_be_started_is_given_up),
      child_test(one_that_dies_at_once_is_given_up_and_says_why),
      child_test(one_that_refuses_to_initialize_is_given_up),
      child_test(one_that_hangs_in_initialize_costs_the_timeout),
      child_test(death_in_an_event_fails_that_event_and_the_next_gets_a_new_process),
      child_test(one_that_dies_in_every_event_is_given_up),
      child_test(one_that_leaves_between_events_is_started_again),
      child_test(a_second_answer_and_one_to_no_question_are_dropped),
      child_test(lines_that_are_no_messages_are_told_and_passed_over),
      child_test(ten_megabytes_in_one_line_are_passed_over),
      child_test(an_answer_that_is_too_long_fails_at_once),
      child_test(too_many_lines_that_are_no_messages_end_it),
      child_test(a_flood_of_log_lines_is_cut_short),
      child_test(one_that_closes_stdout_fails_its_event_at_once),
      child_test(one_that_never_answers_is_replaced_after_two_events),
      child_test(one_that_ignores_every_request_to_go_is_killed),
      child_test(what_it_starts_goes_with_it_unless_it_left_the_group),
      child_test(an_event_without_an_answer_costs_only_itself),
      child_test(many_threads_share_one_process), child_test(large_events_pass_whole),
      child_test(it_may_keep_state_and_nothing_else),
      child_test(without_on_it_says_itself_what_it_is_for),
      child_test(its_answer_is_kept_until_the_program_changes),
      child_test(a_guard_that_cannot_say_what_it_is_for_fails_at_every_gate))
