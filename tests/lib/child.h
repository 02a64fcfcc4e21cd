/*
 * child.h - what the tests of src/proc share: how to run fake_child, and the checks after each
 * test.
 *
 *     struct proc p = { .argv = FAKE("exit", "3") };
 *     TESTS(child_test(passes_exit_codes_on))
 *
 * After each test the process has no child left to wait for and as many descriptors as before, and
 * no process that the test started is alive, background ones included: a test ends what it spares.
 */
#pragma once

#include "base/clock.h"
#include "proc/proc.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define FAKE(...) ((const char *const[]){ FAKE_CHILD, __VA_ARGS__, NULL })

#define MS UINT64_C(1000000)

/* How late a busy machine may be. */
#define SLACK_NS (1500 * MS)

/* In the environment of all children, so that those of this program can be told from others. */
#define CHILD_MARK "HOOKE_TEST_OF"

static inline int child_count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static inline bool child_is_ours(const char *pid)
{
    char path[64], text[65536], mark[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    snprintf(mark, sizeof(mark), CHILD_MARK "=%d", (int)getpid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text));
    close(fd);
    return n > 0 && memmem(text, (size_t)n, mark, strlen(mark) + 1);
}

/* Send a signal, 0 for none, to the processes with our mark that are alive. Returns how many. */
static inline int child_signal_all(int sig)
{
    DIR *dir = opendir("/proc");
    const struct dirent *d;
    int count = 0;

    assert_non_null(dir);
    while ((d = readdir(dir))) {
        long pid = strtol(d->d_name, NULL, 10);

        /* a zombie's environment is empty */
        if (pid > 1 && pid != (long)getpid() && child_is_ours(d->d_name))
            count += kill((pid_t)pid, sig) == 0;
    }
    closedir(dir);
    return count;
}

/* A process that was killed takes a moment to vanish. */
static inline bool child_comes_to(int alive)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    uint64_t until = clock_mono_ns() + SLACK_NS;

    while (child_signal_all(0) != alive) {
        if (clock_mono_ns() > until)
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

static inline int child_setup(void **state)
{
    char text[32];

    snprintf(text, sizeof(text), "%d", (int)getpid());
    *state = (void *)(intptr_t)child_count_fds();
    return setenv(CHILD_MARK, text, 1);
}

static inline int child_teardown(void **state)
{
    siginfo_t info;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) == 0 || errno != ECHILD)
        print_error("a child was not reaped\n");
    else if (child_count_fds() != (int)(intptr_t)*state)
        print_error("a descriptor was left open\n");
    else if (!child_comes_to(0))
        print_error("a process is still alive\n");
    else
        return 0;
    return -1;
}

#define child_test(f) cmocka_unit_test_setup_teardown(f, child_setup, child_teardown)

/* End the one background process that was rightly spared. */
static inline void child_end_spared(void)
{
    assert_true(child_comes_to(1));
    assert_int_equal(child_signal_all(SIGKILL), 1);
}

static inline uint64_t child_in(uint64_t ms)
{
    return clock_mono_ns() + ms * MS;
}
