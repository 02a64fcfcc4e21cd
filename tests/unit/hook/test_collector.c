/* Leaving, looking at and taking context: collector.c. */
#include "collector_fixture.h"

static int add(struct fixture *f, const char *source, const char *id, const char *text,
               enum inject_priority priority)
{
    struct injection i = { .source = source,
                           .id = id,
                           .text = text,
                           .priority = priority,
                           .class = INJECT_DETERMINISTIC,
                           .place = PLACE_MESSAGE };

    return collector_add(&f->c, &i, NULL);
}

static const char *pending(struct fixture *f)
{
    struct injection *list;

    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    return collector_merge(&f->arena, list);
}

static void nothing_left_is_nothing_pending(void **state)
{
    struct injection *list;
    struct fixture *f = *state;

    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    assert_null(list);
    assert_string_equal(collector_merge(&f->arena, list), "");
}

static void the_same_source_and_id_overwrites_and_keeps_its_place(void **state)
{
    struct fixture *f = *state;

    add(f, "rules", "a", "one", PRIORITY_NORMAL);
    add(f, "rules", "b", "two", PRIORITY_NORMAL);
    add(f, "rules", "a", "three", PRIORITY_NORMAL);
    assert_string_equal(pending(f), "three" COLLECTOR_SEPARATOR "two");
}

static void the_same_id_of_another_source_is_another_entry(void **state)
{
    struct fixture *f = *state;

    add(f, "rules", "a", "one", PRIORITY_NORMAL);
    add(f, "keywords", "a", "two", PRIORITY_NORMAL);
    assert_string_equal(pending(f), "one" COLLECTOR_SEPARATOR "two");
}

static void priorities_come_first_then_the_order_of_leaving(void **state)
{
    struct fixture *f = *state;

    add(f, "s", "1", "low", PRIORITY_LOW);
    add(f, "s", "2", "normal", PRIORITY_NORMAL);
    add(f, "s", "3", "critical", PRIORITY_CRITICAL);
    add(f, "s", "4", "high", PRIORITY_HIGH);
    add(f, "s", "5", "normal too", PRIORITY_NORMAL);
    assert_string_equal(pending(f),
                        "critical" COLLECTOR_SEPARATOR "high" COLLECTOR_SEPARATOR
                        "normal" COLLECTOR_SEPARATOR "normal too" COLLECTOR_SEPARATOR "low");
}

static void looking_takes_nothing(void **state)
{
    struct fixture *f = *state;

    add(f, "s", "1", "x", PRIORITY_NORMAL);
    assert_string_equal(pending(f), "x");
    assert_string_equal(pending(f), "x");
}

static void consuming_takes_what_was_placed_and_nothing_else(void **state)
{
    struct injection *list;
    struct fixture *f = *state;

    add(f, "s", "1", "x", PRIORITY_NORMAL);
    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    add(f, "s", "2", "y", PRIORITY_NORMAL);
    assert_int_equal(collector_consume(&f->c, list, NULL), 0);
    assert_string_equal(pending(f), "y");
}

static void what_was_overwritten_meanwhile_stays(void **state)
{
    struct injection *list;
    struct fixture *f = *state;

    add(f, "s", "1", "old", PRIORITY_NORMAL);
    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    add(f, "s", "1", "new", PRIORITY_NORMAL);
    assert_int_equal(collector_consume(&f->c, list, NULL), 0);
    assert_string_equal(pending(f), "new");
}

static void once_cannot_come_back_after_it_was_consumed(void **state)
{
    struct injection *list, i = { .source = "s",
                                  .id = "1",
                                  .text = "x",
                                  .once = true,
                                  .class = INJECT_DETERMINISTIC,
                                  .place = PLACE_MESSAGE };
    struct fixture *f = *state;

    assert_int_equal(collector_add(&f->c, &i, NULL), 1);
    assert_int_equal(collector_add(&f->c, &i, NULL), 1);
    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    assert_null(list->next);
    assert_int_equal(collector_consume(&f->c, list, NULL), 0);
    assert_int_equal(collector_add(&f->c, &i, NULL), 0);
    assert_string_equal(pending(f), "");
}

static void sessions_do_not_see_each_other(void **state)
{
    struct fixture *f = *state;

    add(f, "s", "1", "x", PRIORITY_NORMAL);
    f->c.session = "s2";
    assert_string_equal(pending(f), "");
}

static void clearing_forgets_what_is_pending(void **state)
{
    struct fixture *f = *state;

    add(f, "s", "1", "x", PRIORITY_NORMAL);
    assert_int_equal(collector_clear(&f->c, NULL), 0);
    assert_string_equal(pending(f), "");
}

static void any_text_survives(void **state)
{
    struct fixture *f = *state;

    add(f, "s", "quo\"te:%_", "line\n\"two\"\t\\ \x01 \xc3\xa9", PRIORITY_NORMAL);
    assert_string_equal(pending(f), "line\n\"two\"\t\\ \x01 \xc3\xa9");
}

TESTS(COLLECTOR_TEST(nothing_left_is_nothing_pending),
      COLLECTOR_TEST(the_same_source_and_id_overwrites_and_keeps_its_place),
      COLLECTOR_TEST(the_same_id_of_another_source_is_another_entry),
      COLLECTOR_TEST(priorities_come_first_then_the_order_of_leaving),
      COLLECTOR_TEST(looking_takes_nothing),
      COLLECTOR_TEST(consuming_takes_what_was_placed_and_nothing_else),
      COLLECTOR_TEST(what_was_overwritten_meanwhile_stays),
      COLLECTOR_TEST(once_cannot_come_back_after_it_was_consumed),
      COLLECTOR_TEST(sessions_do_not_see_each_other),
      COLLECTOR_TEST(clearing_forgets_what_is_pending), COLLECTOR_TEST(any_text_survives))
