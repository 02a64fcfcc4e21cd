/*
 * file_put.h - write text to a file; `how` is 0, O_APPEND or O_TRUNC.
 */
#pragma once

#include "base/str.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static inline void file_put(const char *path, int how, struct str text)
{
    CLEANUP(fd) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), text.len);
}
