#include "child.h"

static void run_within(const struct proc *p, struct proc_result *r, uint64_t ms)
{
    proc_run(p, r);
    assert_true(r->duration_ns <= ms * MS + SLACK_NS);
}

static void assert_text(const struct proc_output *o, const char *text)
{
    assert_string_equal(strbuf_cstr(&o->text), text);
    assert_int_equal(o->bytes, strlen(text));
    assert_false(o->text.truncated);
}

static void passes_exit_codes_on(void **state UNUSED)
{
    static const char *const codes[] = { "0", "1", "2", "126", "127", "255" };

    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        struct proc p = { .argv = FAKE("exit", codes[i]) };
        CLEANUP(proc_result) struct proc_result r = { 0 };

        run_within(&p, &r, 0);
        assert_int_equal(r.end, PROC_EXITED);
        assert_int_equal(r.exit_code, strtol(codes[i], NULL, 10));
        assert_int_equal(r.signal, 0);
        assert_true(r.spawn_ns > 0 && r.spawn_ns <= r.duration_ns);
    }
}

static void names_the_signal_that_killed(void **state UNUSED)
{
    static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGFPE,
                                   SIGKILL, SIGSEGV, SIGPIPE, SIGTERM, SIGBUS };

    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        char text[8];
        struct proc p = { .argv = FAKE("die", text) };
        CLEANUP(proc_result) struct proc_result r = { 0 };

        snprintf(text, sizeof(text), "%d", signals[i]);
        run_within(&p, &r, 0);
        assert_int_equal(r.end, PROC_SIGNALED);
        assert_int_equal(r.signal, signals[i]);
    }
}

static void feeds_and_drains_a_megabyte_at_once(void **state UNUSED)
{
    size_t size = 1 << 20;
    CLEANUP(mem) char *input = malloc(size);
    struct proc p = { .argv = FAKE("echo"), .input = { input, size }, .out_max = 2 * size };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    assert_non_null(input);
    for (size_t i = 0; i < size; i++)
        input[i] = (char)(i * 7 + i / 256);
    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_int_equal(r.exit_code, 0);
    assert_int_equal(r.out.text.len, size);
    assert_memory_equal(r.out.text.buf, input, size);
}

static void gives_an_empty_stdin_without_input(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("echo") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_text(&r.out, "");
}

static void ends_a_child_that_never_reads(void **state UNUSED)
{
    size_t size = 1 << 20;
    CLEANUP(mem) char *input = calloc(1, size);
    struct proc p = { .argv = FAKE("hang"),
                      .input = { input, size },
                      .deadline_ns = child_in(50),
                      .grace_ns = 500 * MS };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 50);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(r.signal, SIGTERM);
    assert_true(r.duration_ns >= 45 * MS);
}

static void survives_a_child_that_closes_stdin(void **state UNUSED)
{
    size_t size = 1 << 20;
    CLEANUP(mem) char *input = calloc(1, size);
    struct proc p = { .argv = FAKE("close-stdin"), .input = { input, size } };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    sigset_t pending;

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_text(&r.out, "closed");
    assert_int_equal(sigpending(&pending), 0);
    assert_false(sigismember(&pending, SIGPIPE));
}

/* A SIGPIPE that was waiting before belongs to the caller. */
static void leaves_a_pending_sigpipe_alone(void **state UNUSED)
{
    const struct timespec now = { 0 };
    size_t size = 1 << 20;
    CLEANUP(mem) char *input = calloc(1, size);
    struct proc p = { .argv = FAKE("close-stdin"), .input = { input, size } };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    sigset_t only, before, pending;

    sigemptyset(&only);
    sigaddset(&only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &only, &before);
    raise(SIGPIPE);
    run_within(&p, &r, 0);
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGPIPE));
    assert_int_equal(sigtimedwait(&only, NULL, &now), SIGPIPE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(r.end, PROC_EXITED);
}

static void flood_is_cut_and_ended(const char *fd)
{
    struct proc p = { .argv = FAKE("flood", fd),
                      .out_max = 1000,
                      .err_max = 1000,
                      .deadline_ns = child_in(200),
                      .grace_ns = 500 * MS };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    const struct proc_output *o = fd[0] == '1' ? &r.out : &r.err;

    run_within(&p, &r, 200);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(o->text.len, 1000);
    assert_true(o->text.truncated);
    assert_true(o->bytes > 65536);
}

static void cuts_a_flood_of_stdout(void **state UNUSED)
{
    flood_is_cut_and_ended("1");
}

static void cuts_a_flood_of_stderr(void **state UNUSED)
{
    flood_is_cut_and_ended("2");
}

static void does_not_block_a_child_beyond_the_cap(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("fill", "3000000"), .out_max = 10 };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(strbuf_cstr(&r.out.text), "yyyyyyyyyy");
    assert_true(r.out.text.truncated);
    assert_int_equal(r.out.bytes, 3000000);
    assert_text(&r.err, "done");
}

static void lets_a_polite_child_say_goodbye(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("polite", "hello "), .deadline_ns = child_in(400) };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 400);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(r.exit_code, 7);
    assert_text(&r.out, "hello bye");
}

static void kills_a_child_that_ignores_sigterm(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("stubborn", "no"),
                      .deadline_ns = child_in(400),
                      .grace_ns = 50 * MS };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 450);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(r.signal, SIGKILL);
    assert_text(&r.out, "no");
}

static void ends_a_child_that_is_stopped(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("die", "19"), .deadline_ns = child_in(100) };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 100);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(r.signal, SIGTERM);
}

static void spares_what_a_child_leaves_behind(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("leave-behind", "hang") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_int_equal(r.exit_code, 0);
    assert_true(r.out.bytes > 1);
    child_end_spared();
}

static void does_not_wait_for_a_descendant_that_floods(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("leave-behind", "flood"), .deadline_ns = child_in(10000) };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_true(child_comes_to(0)); /* the pipe has no reader any more */
}

static void spares_a_daemon(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("leave-daemon") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    child_end_spared();
}

static void ends_the_descendants_at_the_deadline(void **state UNUSED)
{
    static const char *const kinds[] = { "hang", "stubborn" };

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        struct proc p = { .argv = FAKE("start-and-hang", kinds[i]),
                          .deadline_ns = child_in(200),
                          .grace_ns = 100 * MS };
        CLEANUP(proc_result) struct proc_result r = { 0 };

        run_within(&p, &r, 400);
        assert_int_equal(r.end, PROC_TIMED_OUT);
        assert_true(child_comes_to(0));
    }
}

static void keeps_half_an_answer(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("say-then-hang", "{\"decision\":"),
                      .deadline_ns = child_in(400) };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 400);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_text(&r.out, "{\"decision\":");
}

static void keeps_two_answers(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("say", "{}\n{\"stop\":\"x\"}\n") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_text(&r.out, "{}\n{\"stop\":\"x\"}\n");
}

static void keeps_bytes_that_are_no_text(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("say-binary") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    run_within(&p, &r, 0);
    assert_int_equal(r.end, PROC_EXITED);
    assert_int_equal(r.out.text.len, 6);
    assert_memory_equal(r.out.text.buf, "a\0b\xff\xfe\xc3", 6);
}

static void starts_nothing_after_the_deadline(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("say", "x"), .deadline_ns = 1 };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_TIMED_OUT);
    assert_int_equal(r.out.bytes, 0);
    assert_int_equal(r.spawn_ns, 0);
}

static void says_when_the_status_was_taken(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("exit", "3") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    signal(SIGCHLD, SIG_IGN);
    proc_run(&p, &r);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(r.end, PROC_LOST);
}

static void puts_each_end_into_words(void **state UNUSED)
{
    static const struct {
        struct proc_result result;
        const char *words;
    } cases[] = {
        { { .end = PROC_EXITED, .exit_code = 3 }, "exited with 3" },
        { { .end = PROC_SIGNALED, .signal = SIGSEGV }, "was killed by SIGSEGV" },
        { { .end = PROC_SIGNALED, .signal = 40 }, "was killed by signal 40" },
        { { .end = PROC_TIMED_OUT, .allowed_ns = 29999 * MS }, "timed out after 30 s" },
        { { .end = PROC_TIMED_OUT, .allowed_ns = 1500 * MS }, "timed out after 1.5 s" },
        { { .end = PROC_TIMED_OUT, .allowed_ns = 250 * MS }, "timed out after 250 ms" },
        { { .end = PROC_ABORTED }, "was aborted" },
        { { .end = PROC_LOST }, "ended, but its exit status was taken by other code" },
        { { .step = PROC_STEP_SPAWN, .error = EAGAIN },
          "could not be started: no process for 'x': Resource temporarily unavailable" },
    };
    static const char *const argv[] = { "x", NULL };
    const struct proc p = { .argv = argv };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(proc_explain(&a, &p, &cases[i].result), cases[i].words);
}

TESTS(child_test(puts_each_end_into_words), child_test(ends_a_child_that_is_stopped),
      child_test(passes_exit_codes_on), child_test(names_the_signal_that_killed),
      child_test(feeds_and_drains_a_megabyte_at_once),
      child_test(gives_an_empty_stdin_without_input), child_test(ends_a_child_that_never_reads),
      child_test(survives_a_child_that_closes_stdin), child_test(leaves_a_pending_sigpipe_alone),
      child_test(cuts_a_flood_of_stdout), child_test(cuts_a_flood_of_stderr),
      child_test(does_not_block_a_child_beyond_the_cap),
      child_test(lets_a_polite_child_say_goodbye), child_test(kills_a_child_that_ignores_sigterm),
      child_test(spares_what_a_child_leaves_behind),
      child_test(does_not_wait_for_a_descendant_that_floods), child_test(spares_a_daemon),
      child_test(ends_the_descendants_at_the_deadline), child_test(keeps_half_an_answer),
      child_test(keeps_two_answers), child_test(keeps_bytes_that_are_no_text),
      child_test(starts_nothing_after_the_deadline), child_test(says_when_the_status_was_taken))
