#include "base/clock.h"
#include "base/mem.h"
#include "base/until.h"
#include "test.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS       UINT64_C(1000000)
#define SLACK_MS 5000

/* Whether it says so within that time. */
static bool says_so(const struct until *u, int ms)
{
    struct pollfd p = { .fd = u->fd, .events = POLLIN };

    return poll(&p, 1, ms) == 1;
}

static void a_deadline_makes_it_readable(void **state UNUSED)
{
    CLEANUP(until) struct until u;
    uint64_t began = clock_mono_ns();

    until_open(&u, began + 30 * MS, 0);
    assert_true(says_so(&u, SLACK_MS));
    assert_true(clock_mono_ns() - began >= 30 * MS);
    assert_true(says_so(&u, 0)); /* and stays so */
}

static void so_does_any_of_the_descriptors(void **state UNUSED)
{
    CLEANUP(until) struct until u;
    int first[2], second[2];

    assert_int_equal(pipe(first), 0);
    assert_int_equal(pipe(second), 0);
    until_open(&u, clock_mono_ns() + 3600000 * MS, first[0]);
    until_watch(&u, second[0]);
    assert_false(says_so(&u, 0));
    close(second[1]);
    assert_true(says_so(&u, SLACK_MS));
    close(first[0]);
    close(first[1]);
    close(second[0]);
}

static void a_descriptor_that_is_closed_counts_no_more(void **state UNUSED)
{
    CLEANUP(until) struct until u;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    until_open(&u, 0, ends[0]);
    close(ends[0]);
    close(ends[1]);
    assert_false(says_so(&u, 0));
}

static void a_moment_that_has_passed_is_no_wait(void **state UNUSED)
{
    CLEANUP(until) struct until u;

    until_open(&u, 1, 0);
    assert_true(says_so(&u, SLACK_MS));
}

static void a_socket_ends_when_the_other_side_is_gone_and_not_before(void **state UNUSED)
{
    CLEANUP(until) struct until u;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    until_open(&u, 0, 0);
    until_watch_end(&u, ends[0]);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_false(says_so(&u, 0));
    shutdown(ends[1], SHUT_WR);
    assert_false(says_so(&u, 0));
    close(ends[1]);
    assert_true(says_so(&u, SLACK_MS));
    close(ends[0]);
}

TESTS(cmocka_unit_test(a_deadline_makes_it_readable),
      cmocka_unit_test(so_does_any_of_the_descriptors),
      cmocka_unit_test(a_descriptor_that_is_closed_counts_no_more),
      cmocka_unit_test(a_socket_ends_when_the_other_side_is_gone_and_not_before),
      cmocka_unit_test(a_moment_that_has_passed_is_no_wait))
