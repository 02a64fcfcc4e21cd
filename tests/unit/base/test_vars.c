#include "base/vars.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

static char home[] = "HOME=/theirs", almost[] = "HOMER=no";

static void reads_the_process_by_default(void **state UNUSED)
{
    setenv("HOOKE_TEST_VAR", "here", 1);
    assert_string_equal(vars_get("HOOKE_TEST_VAR"), "here");
    assert_ptr_equal(vars_all(), environ);
    assert_null(vars_mine());
    unsetenv("HOOKE_TEST_VAR");
    assert_null(vars_get("HOOKE_TEST_VAR"));
}

static void reads_nothing_but_what_is_used(void **state UNUSED)
{
    char *const theirs[] = { almost, home, NULL };

    setenv("HOOKE_TEST_VAR", "here", 1);
    assert_null(vars_use(theirs));
    assert_string_equal(vars_get("HOME"), "/theirs");
    assert_null(vars_get("HOOKE_TEST_VAR"));
    assert_null(vars_get("HOM"));
    assert_ptr_equal(vars_all(), theirs);
    assert_ptr_equal(vars_use(NULL), theirs);
    assert_string_equal(vars_get("HOOKE_TEST_VAR"), "here");
    unsetenv("HOOKE_TEST_VAR");
}

static void *look(void *same)
{
    *(bool *)same = vars_mine() != NULL;
    return NULL;
}

static void is_of_one_thread(void **state UNUSED)
{
    char *const theirs[] = { home, NULL };
    pthread_t thread;
    bool same = true;

    vars_use(theirs);
    assert_int_equal(pthread_create(&thread, NULL, look, &same), 0);
    pthread_join(thread, NULL);
    vars_use(NULL);
    assert_false(same);
}

static void copies_outlive_their_owner(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    char text[] = "A=1";
    char *const theirs[] = { text, NULL };
    char *const *copy = vars_copy(&a, theirs);

    text[2] = '2';
    assert_string_equal(copy[0], "A=1");
    assert_null(copy[1]);
    assert_null(vars_copy(&a, NULL));
}

static void a_umask_is_known_only_once_it_was_said(void **state UNUSED)
{
    assert_int_equal(vars_mask(), -1);
    vars_use_mask(027);
    assert_int_equal(vars_mask(), 027);
    vars_use_mask(-1);
    assert_int_equal(vars_mask(), -1);
}

TESTS(cmocka_unit_test(reads_the_process_by_default),
      cmocka_unit_test(reads_nothing_but_what_is_used), cmocka_unit_test(is_of_one_thread),
      cmocka_unit_test(copies_outlive_their_owner),
      cmocka_unit_test(a_umask_is_known_only_once_it_was_said))
