/*
 * err.h - how every fallible function reports failure.
 *
 * A fallible function returns 0 (or a count) on success and a negative errno on failure, and takes
 * `struct err *e` last. On failure `e` holds one sentence; on success it is untouched. The caller
 * owns `e`, normally on its stack: nothing in it is heap-allocated, so reporting a failure cannot
 * fail. `e` may be NULL.
 *
 *     CLEANUP(fd) int fd = state_open(dir, e);
 *     if (fd < 0)
 *         return err_wrap(e, fd, "starting session '%s'", id);
 *
 * Library code fills `e` and returns; only src/cli prints. What a hook decides is never an error:
 * that is a verdict (hook/verdict.h).
 */
#pragma once

#include "base/macros.h"

#define ERR_MSG_MAX 512

struct err {
    int code;              /* negative errno of the first failure, 0 if none */
    char msg[ERR_MSG_MAX]; /* outermost context first: "a: b: c" */
};

/* Record a failure. Returns `code`, so that it can be the return statement. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Record a failed system call: "context: <text of errno>". Returns -errno. */
int err_errno(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Put context in front of the failure already in `e`. Returns `code`. */
int err_wrap(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
