#include "child.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* What a strict sandbox does. There is no way back, so each test refuses more than the last. */
static int refuse(struct sock_filter *filter, unsigned short count)
{
    const struct sock_fprog program = { count, filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int refuse_close_range(void **state)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return refuse(filter, ARRAY_LEN(filter)) < 0 ? -1 : child_setup(state);
}

static void closes_descriptors_one_by_one(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("show-descriptors") };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    CLEANUP(fd) int high = fcntl(STDIN_FILENO, F_DUPFD, 500);

    assert_true(high >= 500);
    assert_int_equal(close_range(4000, 4001, 0), -1);
    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(strbuf_cstr(&r.out.text), "0 1 2 ");
}

static int refuse_clone(void **state)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_PIDFD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return refuse(filter, ARRAY_LEN(filter)) < 0 ? -1 : child_setup(state);
}

static void starts_without_clone(void **state UNUSED)
{
    struct proc p = { .argv = FAKE("echo"), .input = STR("hello") };
    CLEANUP(proc_result) struct proc_result r = { 0 };
    int pidfd, none = 0;

    assert_int_equal(syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, &none), -1);
    assert_int_equal(errno, EPERM);
    proc_run(&p, &r);
    assert_int_equal(r.end, PROC_EXITED);
    assert_string_equal(strbuf_cstr(&r.out.text), "hello");
}

TESTS(cmocka_unit_test_setup_teardown(closes_descriptors_one_by_one, refuse_close_range,
                                      child_teardown),
      cmocka_unit_test_setup_teardown(starts_without_clone, refuse_clone, child_teardown))
