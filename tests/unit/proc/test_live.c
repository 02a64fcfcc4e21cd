/* Children that are kept, and children that are started before there is anything to say. */
#include "child.h"
#include "proc/live.h"

static const struct live_limits soon = { .leave_ns = 50 * MS, .grace_ns = 50 * MS };

static struct live *start(const char *const *argv, size_t line_max)
{
    struct proc p = { .argv = argv, .out_max = line_max, .err_max = 100 };
    CLEANUP(proc_result) struct proc_result why = { 0 };
    struct live *l = live_start(&p, &why);

    assert_non_null(l);
    return l;
}

static int next_line(struct live *l, struct str *line)
{
    uint64_t until = child_in(5000);
    int got;

    while ((got = live_line(l, line)) == 0 && !live_is_over(l) && clock_mono_ns() < until)
        live_turn(l, until);
    return got;
}

static void lines_go_there_and_back(void **state UNUSED)
{
    struct live *l = start(FAKE("echo"), 0);
    struct proc_result how = { 0 };
    struct str line;

    for (int i = 0; i < 100; i++) {
        assert_int_equal(live_send(l, STR("one\ntwo\n")), 0);
        assert_int_equal(next_line(l, &line), 1);
        assert_true(str_is(line, "one"));
        assert_int_equal(next_line(l, &line), 1);
        assert_true(str_is(line, "two"));
    }
    live_end(l, &(struct live_limits){ 5000 * MS, 0 }, &how);
    assert_int_equal(how.end, PROC_EXITED);
    assert_int_equal(how.exit_code, 0);
}

/* Megabytes in both directions at once: neither side may wait for the other. */
static void more_than_the_pipes_hold_passes(void **state UNUSED)
{
    struct live *l = start(FAKE("echo"), 8 << 20);
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct proc_result how = { 0 };
    struct str line;

    while (text.len < (3 << 20))
        strbuf_addstr(&text, "0123456789abcdef");
    strbuf_addch(&text, '\n');
    assert_int_equal(live_send(l, strbuf_str(&text)), 0);
    assert_int_equal(next_line(l, &line), 1);
    assert_int_equal(line.len, text.len - 1);
    assert_memory_equal(line.ptr, text.buf, line.len);
    live_end(l, &soon, &how);
}

static void what_nobody_reads_is_refused_at_last(void **state UNUSED)
{
    static char text[1 << 20];
    struct live *l = start(FAKE("hang"), 0);
    struct proc_result how = { 0 };
    int sent = 0, r;

    while ((r = live_send(l, (struct str){ text, sizeof(text) })) == 0)
        assert_true(++sent < 20);
    assert_int_equal(r, -ENOBUFS);
    live_end(l, &soon, &how);
    assert_int_equal(how.end, PROC_TIMED_OUT);
    assert_int_equal(how.signal, SIGTERM);
}

static void a_line_that_is_too_long_is_cut_and_the_next_one_is_whole(void **state UNUSED)
{
    struct live *l = start(FAKE("echo"), 1000);
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct proc_result how = { 0 };
    struct str line;

    while (text.len < 500000)
        strbuf_addch(&text, 'x');
    strbuf_addstr(&text, "\nshort\n");
    assert_int_equal(live_send(l, strbuf_str(&text)), 0);
    assert_int_equal(next_line(l, &line), -EMSGSIZE);
    assert_true(line.len > 1000);
    assert_int_equal(next_line(l, &line), 1);
    assert_true(str_is(line, "short"));
    live_end(l, &soon, &how);
}

static void a_flood_waits_in_the_pipe_until_it_is_read(void **state UNUSED)
{
    struct live *l = start(FAKE("flood"), 1000);
    struct proc_result how = { 0 };
    struct str line;

    for (int i = 0; i < 50; i++)
        live_turn(l, child_in(100));
    assert_int_equal(live_line(l, &line), -EMSGSIZE);
    assert_true(line.len < 400000);
    live_end(l, &soon, &how);
}

static void of_stderr_the_head_is_kept(void **state UNUSED)
{
    struct live *l = start(FAKE("flood", "2"), 0);
    struct proc_result how = { 0 };

    while (live_stderr(l).len < 100)
        live_turn(l, child_in(5000));
    for (int i = 0; i < 20; i++)
        live_turn(l, child_in(100));
    assert_int_equal(live_stderr(l).len, 100);
    live_forget_stderr(l);
    live_turn(l, child_in(5000));
    assert_int_equal(live_stderr(l).len, 100);
    live_end(l, &soon, &how);
}

static void what_was_said_before_the_end_can_be_had(void **state UNUSED)
{
    struct live *l = start(FAKE("say", "last\nhalf"), 0);
    struct proc_result how = { 0 };
    struct str line;

    while (!live_is_over(l))
        live_turn(l, child_in(5000));
    assert_int_equal(live_line(l, &line), 1);
    assert_true(str_is(line, "last"));
    assert_int_equal(live_line(l, &line), 0);
    assert_true(live_await_exit(l, child_in(5000)));
    assert_int_equal(live_send(l, STR("x\n")), 0);
    assert_int_equal(live_unread(l), 2);
    assert_int_equal(live_sent(l), 2);
    live_end(l, &soon, &how);
    assert_int_equal(how.end, PROC_EXITED);
}

static void one_that_ignores_sigterm_is_killed_with_its_group(void **state UNUSED)
{
    struct live *l = start(FAKE("stubborn", "ready\n"), 0);
    struct proc_result how = { 0 };
    uint64_t began;
    struct str line;

    assert_int_equal(next_line(l, &line), 1);
    began = clock_mono_ns();
    live_end(l, &soon, &how);
    assert_true(clock_mono_ns() - began < 100 * MS + SLACK_NS);
    assert_int_equal(how.signal, SIGKILL);
    l = start(FAKE("start-and-hang", "stubborn"), 0);
    assert_int_equal(next_line(l, &line), 1);
    live_end(l, &soon, &how);
    assert_true(child_comes_to(0));
}

static void one_that_cannot_be_started_says_why(void **state UNUSED)
{
    struct proc p = { .argv = (const char *const[]){ "/no/such/program", NULL } };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result why = { 0 };

    assert_null(live_start(&p, &why));
    assert_non_null(strstr(proc_explain(&a, &p, &why), "'/no/such/program' does not exist"));
}

/* Ahead ---------------------------------------------------------------------------------------- */

static void one_started_ahead_is_used(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("echo"), .input = STR("late\n") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    p.ahead = proc_start_ahead(&p);
    assert_non_null(p.ahead);
    assert_true(child_comes_to(1));
    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(r.out.text.buf, "late\n");
}

static void one_that_is_gone_by_then_is_replaced(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("echo"), .input = STR("late\n") };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    p.ahead = proc_start_ahead(&p);
    assert_true(child_comes_to(1));
    child_signal_all(SIGKILL);
    assert_true(child_comes_to(0));
    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(r.out.text.buf, "late\n");
}

static void one_that_is_not_needed_is_killed_without_the_end_of_its_input(void **state UNUSED)
{
    struct proc p = { .argv = (const char *const[]){ "/bin/sh", "-c", "cat; echo ran >&2", NULL } };

    proc_ahead_drop(proc_start_ahead(&p));
    proc_ahead_drop(NULL);
    assert_true(child_comes_to(0));
    p.argv = (const char *const[]){ "/no/such/program", NULL };
    assert_null(proc_start_ahead(&p));
}

static void a_run_without_time_leaves_none_behind(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("echo"), .input = STR("x"), .deadline_ns = 1 };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    p.ahead = proc_start_ahead(&p);
    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_TIMED_OUT);
}

TESTS(child_test(lines_go_there_and_back), child_test(more_than_the_pipes_hold_passes),
      child_test(what_nobody_reads_is_refused_at_last),
      child_test(a_line_that_is_too_long_is_cut_and_the_next_one_is_whole),
      child_test(a_flood_waits_in_the_pipe_until_it_is_read),
      child_test(of_stderr_the_head_is_kept), child_test(what_was_said_before_the_end_can_be_had),
      child_test(one_that_ignores_sigterm_is_killed_with_its_group),
      child_test(one_that_cannot_be_started_says_why), child_test(one_started_ahead_is_used),
      child_test(one_that_is_gone_by_then_is_replaced),
      child_test(one_that_is_not_needed_is_killed_without_the_end_of_its_input),
      child_test(a_run_without_time_leaves_none_behind))
