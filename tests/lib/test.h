/*
 * test.h - what every unit test includes: cmocka, and a main() that runs a table of tests.
 *
 *     static void wraps_context(void **state UNUSED) { assert_string_equal(…); }
 *     TESTS(cmocka_unit_test(wraps_context))
 *
 * Test names say the behaviour. `./test_base_err wraps_context` runs one.
 */
#pragma once

#include "base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TESTS(...)                                         \
    int main(int argc, char **argv)                        \
    {                                                      \
        const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
        if (argc > 1)                                      \
            cmocka_set_test_filter(argv[1]);               \
        return cmocka_run_group_tests(tests, NULL, NULL);  \
    }
