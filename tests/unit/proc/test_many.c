#include "child.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#define MANY 64

static const char *const hang[] = { FAKE_CHILD, "hang", NULL };
static const char *const echo[] = { FAKE_CHILD, "echo", NULL };
static const char *const stubborn[] = { FAKE_CHILD, "stubborn", "no", NULL };
static const char *const absent[] = { "/no/such/program", NULL };

static void release_all(struct proc_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        proc_result_release(&results[i]);
}

/* Odd ones hang until their own deadline, even ones echo their input. */
static void check_many(void)
{
    struct proc procs[MANY];
    struct proc_result results[MANY] = { 0 };
    char inputs[MANY][16];

    for (size_t i = 0; i < MANY; i++) {
        snprintf(inputs[i], sizeof(inputs[i]), "input %zu", i);
        procs[i] = (struct proc){ .argv = i % 2 ? hang : echo,
                                  .input = str_of(inputs[i]),
                                  .deadline_ns = child_in(i % 2 ? 500 : 10000) };
    }
    proc_run_many(procs, results, MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(results[i].end, i % 2 ? PROC_TIMED_OUT : PROC_EXITED);
        assert_string_equal(strbuf_cstr(&results[i].out.text), i % 2 ? "" : inputs[i]);
        assert_true(results[i].duration_ns < 500 * MS + SLACK_NS);
    }
    release_all(results, MANY);
}

static void runs_sixty_four_at_once(void **state UNUSED)
{
    check_many();
}

/* Fewer descriptors are allowed than poll() would have to look at. */
static void runs_sixty_four_with_few_descriptors(void **state UNUSED)
{
    struct rlimit before, few;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 256;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    check_many();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void runs_none(void **state UNUSED)
{
    proc_run_many(NULL, NULL, 0);
}

static void goes_on_when_one_does_not_start(void **state UNUSED)
{
    const struct proc procs[3] = { { .argv = echo, .input = STR("a") },
                                   { .argv = absent },
                                   { .argv = echo, .input = STR("c") } };
    struct proc_result results[3] = { 0 };

    proc_run_many(procs, results, 3);
    assert_int_equal(results[0].end, PROC_EXITED);
    assert_int_equal(results[1].end, PROC_NOT_STARTED);
    assert_int_equal(results[2].end, PROC_EXITED);
    assert_string_equal(strbuf_cstr(&results[2].out.text), "c");
    release_all(results, 3);
}

static void ends_all_when_aborted(void **state UNUSED)
{
    CLEANUP(fd) int abort_fd = eventfd(0, EFD_CLOEXEC);
    struct proc procs[MANY];
    struct proc_result results[MANY] = { 0 };

    assert_int_equal(eventfd_write(abort_fd, 1), 0);
    for (size_t i = 0; i < MANY; i++)
        procs[i] =
            (struct proc){ .argv = hang, .deadline_ns = child_in(20000), .abort_fd = abort_fd };
    proc_run_many(procs, results, MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(results[i].end, PROC_ABORTED);
        assert_int_equal(results[i].signal, SIGTERM);
        assert_true(results[i].duration_ns < SLACK_NS);
    }
    release_all(results, MANY);
}

/* The first child aborts the second, which has no deadline that would. */
static void is_aborted_from_outside(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    int fds[2];
    struct proc procs[2];
    struct proc_result results[2] = { 0 };
    const char *script;

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    script = arena_printf(&a, "echo now >/proc/%d/fd/%d", (int)getpid(), fds[1]);
    procs[0] = (struct proc){ .argv = (const char *const[]){ "sh", "-c", script, NULL } };
    procs[1] = (struct proc){
        .argv = stubborn, .deadline_ns = child_in(20000), .grace_ns = 50 * MS, .abort_fd = fds[0]
    };
    proc_run_many(procs, results, 2);
    assert_int_equal(results[0].end, PROC_EXITED);
    assert_int_equal(results[0].exit_code, 0);
    assert_int_equal(results[1].end, PROC_ABORTED);
    assert_true(results[1].duration_ns < 50 * MS + SLACK_NS);
    assert_string_equal(proc_explain(&a, &procs[1], &results[1]), "was aborted");
    release_all(results, 2);
    close(fds[0]);
    close(fds[1]);
}

static void *run_twenty(void *arg)
{
    intptr_t failed = 0;

    for (int i = 0; i < 20; i++) {
        struct proc p = { .argv = echo, .input = str_of(arg) };
        CLEANUP(proc_result) struct proc_result r = { 0 };

        proc_run(&p, &r);
        failed += r.end != PROC_EXITED || !str_eq(strbuf_str(&r.out.text), p.input);
    }
    return (void *)failed;
}

static void runs_from_several_threads(void **state UNUSED)
{
    static char inputs[4][8] = { "one", "two", "three", "four" };
    pthread_t threads[4];

    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_twenty, inputs[i]), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *failed;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

TESTS(child_test(runs_sixty_four_at_once), child_test(runs_sixty_four_with_few_descriptors),
      child_test(runs_none), child_test(goes_on_when_one_does_not_start),
      child_test(ends_all_when_aborted), child_test(is_aborted_from_outside),
      child_test(runs_from_several_threads))
