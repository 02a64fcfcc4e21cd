/*
 * collector_fixture.h - an empty collector on a store in memory, for one test.
 */
#pragma once

#include "hook/collector.h"
#include "test.h"

#include <stdlib.h>

struct fixture {
    struct arena arena;
    struct collector c;
};

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->c = (struct collector){ store_memory(), "s1" };
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    store_free(f->c.store);
    arena_release(&f->arena);
    free(f);
    return 0;
}

#define COLLECTOR_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
