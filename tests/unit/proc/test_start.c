#include "child.h"
#include "tmpdir.h"

#include <sys/resource.h>
#include <sys/stat.h>

/* What is said here is checked for both ways to start a child: clone(), and what replaces it. */
static void write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *path = arena_printf(&a, "%s/%s", dir, name);
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

struct failure {
    const char *file; /* in the test's folder; without a slash looked up in PATH */
    enum proc_step step;
    int error;
    const char *words; /* part of the explanation */
};

static const struct failure failures[] = {
    { "./absent", PROC_STEP_EXEC, ENOENT, "'./absent' does not exist" },
    { "absent", PROC_STEP_EXEC, ENOENT, "'absent' is not in any folder of PATH" },
    { "", PROC_STEP_EXEC, ENOENT, "'' " },
    { "./plain", PROC_STEP_EXEC, EACCES, "is not executable, run chmod +x" },
    { "plain", PROC_STEP_EXEC, EACCES, "is not executable, run chmod +x" },
    { "./folder", PROC_STEP_EXEC, EISDIR, "is a folder" },
    { "./plain/x", PROC_STEP_EXEC, ENOTDIR, "./plain/x" },
    { "./no-first-line", PROC_STEP_EXEC, ENOEXEC, "give it a first line such as #!/bin/sh" },
    { "no-first-line", PROC_STEP_EXEC, ENOEXEC, "give it a first line such as #!/bin/sh" },
    { "./empty", PROC_STEP_EXEC, ENOEXEC, "give it a first line such as #!/bin/sh" },
    { "./lost", PROC_STEP_INTERPRETER, ENOENT, "'./lost' needs '/no/such/sh', which does not" },
    { "lost", PROC_STEP_INTERPRETER, ENOENT, "'lost' needs '/no/such/sh', which does not" },
    { "./barred", PROC_STEP_INTERPRETER, EACCES, "needs './plain', which is not executable" },
    { "./dos", PROC_STEP_INTERPRETER, ENOENT, "ends in a carriage return" },
};

static void fill_folder(const char *dir)
{
    CLEANUP(arena) struct arena a = { 0 };

    write_file(dir, "plain", "#!/bin/sh\n", 0644);
    write_file(dir, "no-first-line", "echo ran\n", 0755);
    write_file(dir, "empty", "", 0755);
    write_file(dir, "lost", "#! /no/such/sh -e\n", 0755);
    write_file(dir, "barred", "#!./plain\n", 0755);
    write_file(dir, "dos", "#!/bin/sh\r\necho ran\r\n", 0755);
    assert_int_equal(mkdir(arena_printf(&a, "%s/folder", dir), 0755), 0);
}

static void check_failure(const struct failure *f, const char *dir, bool fallback)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    const char *argv[] = { f->file, NULL };
    const char *env[] = { arena_printf(&a, "PATH=/no/such:%s", dir), NULL };
    struct proc p = { .argv = argv, .env = env, .cwd = dir, .fallback = fallback };

    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_NOT_STARTED);
    assert_int_equal(r.step, f->step);
    assert_int_equal(r.error, f->error);
    assert_non_null(strstr(proc_explain(&a, &p, &r), f->words));
    assert_int_equal(r.out.bytes, 0);
}

static void says_why_it_did_not_start(void **state UNUSED)
{
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };

    tmpdir_make(&dir);
    fill_folder(dir.path);
    for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
        check_failure(&failures[i], dir.path, false);
        check_failure(&failures[i], dir.path, true);
    }
}

static void refuses_an_empty_argv(void **state UNUSED)
{
    static const char *const none[] = { NULL };
    struct proc p = { .argv = none };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_NOT_STARTED);
    assert_int_equal(r.step, PROC_STEP_EXEC);
}

static void says_that_the_folder_is_missing(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (int way = 0; way < 2; way++) {
        CLEANUP(proc_result) struct proc_result r = { 0 };
        struct proc p = { .argv = FAKE("show-cwd"), .cwd = "/no/such/folder", .fallback = way };

        proc_run(&p, &r);
        assert_int_equal(r.end, PROC_NOT_STARTED);
        assert_int_equal(r.step, PROC_STEP_CHDIR);
        assert_int_equal(r.error, ENOENT);
        assert_non_null(strstr(proc_explain(&a, &p, &r), "its folder '/no/such/folder'"));
    }
}

static void says_that_the_arguments_are_too_long(void **state UNUSED)
{
    size_t size = 256 << 10;
    CLEANUP(mem) char *text = calloc(1, size);

    assert_non_null(text);
    memset(text, 'x', size - 1);
    for (int way = 0; way < 2; way++) {
        CLEANUP(proc_result) struct proc_result r = { 0 };
        struct proc p = { .argv = FAKE("say", text), .fallback = way };

        proc_run(&p, &r);
        assert_int_equal(r.end, PROC_NOT_STARTED);
        assert_int_equal(r.step, PROC_STEP_EXEC);
        assert_int_equal(r.error, E2BIG);
    }
}

static void assert_says(const struct proc *p, const char *text)
{
    for (int way = 0; way < 2; way++) {
        CLEANUP(proc_result) struct proc_result r = { 0 };
        struct proc copy = *p;

        copy.fallback = way;
        proc_run(&copy, &r);
        assert_int_equal(r.end, PROC_EXITED);
        assert_string_equal(strbuf_cstr(&r.out.text), text);
        assert_int_equal(r.exit_code, 0);
    }
}

static void runs_a_path_with_spaces_and_quotes(void **state UNUSED)
{
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    CLEANUP(arena) struct arena a = { 0 };
    const char *path;

    tmpdir_make(&dir);
    path = arena_printf(&a, "%s/it's \"a\" $(child) ;x", dir.path);
    assert_int_equal(symlink(FAKE_CHILD, path), 0);
    assert_says(
        &(struct proc){ .argv = (const char *const[]){ path, "say", "a 'b' \"c\" $d", NULL } },
        "a 'b' \"c\" $d");
}

/* The first in PATH cannot be executed, so the second is. */
static void looks_in_the_path_of_the_child(void **state UNUSED)
{
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    CLEANUP(arena) struct arena a = { 0 };
    const char *env[2] = { NULL, NULL };

    tmpdir_make(&dir);
    env[0] = arena_printf(&a, "PATH=%s/one::%s/two", dir.path, dir.path);
    assert_int_equal(mkdir(arena_printf(&a, "%s/one", dir.path), 0755), 0);
    assert_int_equal(mkdir(arena_printf(&a, "%s/two", dir.path), 0755), 0);
    write_file(dir.path, "one/greet", "#!/bin/sh\n", 0644);
    assert_int_equal(symlink(FAKE_CHILD, arena_printf(&a, "%s/two/greet", dir.path)), 0);
    assert_says(
        &(struct proc){ .argv = (const char *const[]){ "greet", "say", "hi", NULL }, .env = env },
        "hi");
}

static void adds_and_removes_variables(void **state UNUSED)
{
    static const char *const env[] = { "HOOKE_A=first", "HOOKE_B", "HOOKE_A=x=y",
                                       "HOOKE_NEW=", NULL };

    setenv("HOOKE_A", "old", 1);
    setenv("HOOKE_B", "old", 1);
    setenv("HOOKE_C", "kept", 1);
    assert_says(&(struct proc){ .argv = FAKE("show-variable", "HOOKE_A"), .env = env }, "x=y");
    assert_says(&(struct proc){ .argv = FAKE("show-variable", "HOOKE_B"), .env = env }, "(unset)");
    assert_says(&(struct proc){ .argv = FAKE("show-variable", "HOOKE_C"), .env = env }, "kept");
    assert_says(&(struct proc){ .argv = FAKE("show-variable", "HOOKE_NEW"), .env = env }, "");
    assert_string_equal(getenv("HOOKE_A"), "old");
}

static void runs_in_the_folder_it_is_given(void **state UNUSED)
{
    assert_says(&(struct proc){ .argv = FAKE("show-cwd"), .cwd = "/usr" }, "/usr");
}

static void passes_on_no_descriptor_above_two(void **state UNUSED)
{
    int fds[2], high;

    assert_int_equal(pipe(fds), 0); /* as a careless host would */
    high = fcntl(fds[0], F_DUPFD, 500);
    assert_true(high >= 500);
    assert_says(&(struct proc){ .argv = FAKE("show-descriptors") }, "0 1 2 ");
    close(fds[0]);
    close(fds[1]);
    close(high);
}

static void fills_descriptors_that_were_closed_here(void **state UNUSED)
{
    CLEANUP(fd) int spare = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);

    assert_true(spare >= 10);
    close(STDIN_FILENO);
    assert_says(&(struct proc){ .argv = FAKE("echo"), .input = STR("in") }, "in");
    assert_says(&(struct proc){ .argv = FAKE("show-descriptors") }, "0 1 2 ");
    assert_int_equal(dup2(spare, STDIN_FILENO), STDIN_FILENO);
}

static void check_signals(bool fallback)
{
    /* glibc's posix_spawn() leaves the two it keeps for itself ignored: 32 and 33. */
    const char *expected = fallback ? "SigBlk:\t0000000000000000\nSigIgn:\t0000000180000000\n"
                                    : "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n";
    struct proc p = { .argv = FAKE("show-signals"), .fallback = fallback };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(strbuf_cstr(&r.out.text), expected);
}

static void starts_with_no_signal_blocked_or_ignored(void **state UNUSED)
{
    static const int ignored[] = { SIGINT, SIGPIPE, SIGHUP, SIGTERM, SIGUSR1 };
    sigset_t some, before, after;

    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
    check_signals(false);
    check_signals(true);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        assert_ptr_equal(signal(ignored[i], SIG_DFL), SIG_IGN);
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGINT));
}

static void leads_a_session_of_its_own(void **state UNUSED)
{
    assert_says(&(struct proc){ .argv = FAKE("show-session") }, "leader");
}

/* With one more descriptor each time, so that every step runs out of them once. */
static void leaks_nothing_when_descriptors_run_out(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct rlimit before, few;
    bool started = false;
    int failed = 0;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    for (few.rlim_cur = 3; few.rlim_cur < 64 && !started; few.rlim_cur++) {
        struct proc p = { .argv = FAKE("echo"), .input = STR("x"), .fallback = few.rlim_cur % 2 };
        CLEANUP(proc_result) struct proc_result r = { 0 };

        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        proc_run(&p, &r);
        setrlimit(RLIMIT_NOFILE, &before);
        started = r.end == PROC_EXITED;
        if (started)
            break;
        failed++;
        assert_int_equal(r.end, PROC_NOT_STARTED);
        assert_int_equal(r.error, EMFILE);
        assert_non_null(strstr(proc_explain(&a, &p, &r), "could not be started: no p"));
    }
    assert_true(started);
    assert_true(failed >= 6);
}

TESTS(child_test(says_why_it_did_not_start), child_test(refuses_an_empty_argv),
      child_test(says_that_the_folder_is_missing), child_test(says_that_the_arguments_are_too_long),
      child_test(runs_a_path_with_spaces_and_quotes), child_test(looks_in_the_path_of_the_child),
      child_test(adds_and_removes_variables), child_test(runs_in_the_folder_it_is_given),
      child_test(passes_on_no_descriptor_above_two),
      child_test(fills_descriptors_that_were_closed_here),
      child_test(starts_with_no_signal_blocked_or_ignored), child_test(leads_a_session_of_its_own),
      child_test(leaks_nothing_when_descriptors_run_out))
