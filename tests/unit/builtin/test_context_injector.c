/* What it places and repeats is tested in tests/unit/hook/test_place.c; here: that it is called. */
#include "bed.h"
#include "builtin/builtin.h"

#define TRANSFORM "experimental.chat.messages.transform"
#define USER      "{\"messages\":[{\"id\":\"u\",\"role\":\"user\",\"content\":\"hi\"}]}"

static void context_left_at_another_point_reaches_the_next_request(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: note, on: session.created, inject: remember this }]");
    bed_emit(&bed, "session.created", NULL);
    bed_emit(&bed, TRANSFORM, USER);
    assert_non_null(strstr(bed_verdict(&bed), "remember this"));
    bed_emit(&bed, TRANSFORM, USER);
    assert_non_null(strstr(bed_verdict(&bed), "remember this"));
}

static void context_of_the_same_request_is_placed_in_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: note, on: " TRANSFORM ", inject: look here }]");
    bed_emit(&bed, TRANSFORM, USER);
    assert_non_null(strstr(json_text(&bed.arena, bed.receipt.data), "look here"));
}

static void nothing_left_changes_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, TRANSFORM, USER);
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_emit(&bed, TRANSFORM, "{\"messages\":7}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void titles_and_summaries_do_not_swallow_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: note, on: session.created, inject: remember }]");
    bed_emit(&bed, "session.created", NULL);
    bed_emit(&bed, TRANSFORM,
             "{\"purpose\":\"title\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}");
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_emit(&bed, TRANSFORM, USER);
    assert_non_null(strstr(bed_verdict(&bed), "remember"));
}

static void the_same_request_rendered_again_is_the_same(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *first;

    bed_open(&bed, builtin_hooks, "hooks: [{ name: note, on: " TRANSFORM ", inject: look here }]");
    bed_emit(&bed, TRANSFORM, USER);
    first = json_text(&bed.arena, bed.receipt.data);
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, TRANSFORM, USER);
        assert_string_equal(json_text(&bed.arena, bed.receipt.data), first);
        assert_null(bed.receipt.verdict.injections);
        assert_int_equal(bed.receipt.held[0].why, HELD_SAID);
    }
}

static void a_budget_is_charged_once_per_user_message(void **state UNUSED)
{
    static const char second[] =
        "{\"messages\":[{\"id\":\"u\",\"role\":\"user\",\"content\":\"hi\"},"
        "{\"id\":\"v\",\"role\":\"user\",\"content\":\"ho\"}]}";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: note, on: " TRANSFORM ", inject: look here,"
             " budget: { session_tokens: 6 } }]");
    for (int i = 0; i < 3; i++)
        bed_emit(&bed, TRANSFORM, USER);
    bed_emit(&bed, TRANSFORM, second);
    assert_non_null(bed.receipt.verdict.injections);
}

static void disabled_it_leaves_everything_pending(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "{ disabled_hooks: [context-injector],"
             " hooks: [{ name: note, on: session.created, inject: remember }] }");
    bed_emit(&bed, "session.created", NULL);
    bed_emit(&bed, TRANSFORM, USER);
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_configure(&bed, builtin_hooks, "{}");
    bed_emit(&bed, TRANSFORM, USER);
    assert_non_null(strstr(bed_verdict(&bed), "remember"));
}

static void no_cadence_takes_back_what_was_placed(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *first;

    bed_open(&bed, builtin_hooks,
             "hook_cadence: { " TRANSFORM ": 3, context-injector: 2 }\n"
             "hooks: [{ name: note, on: " TRANSFORM ", inject: look here }]");
    assert_non_null(strstr(bed_problem(&bed), "no cadence holds back 'context-injector'"));
    bed_emit(&bed, TRANSFORM, USER);
    first = json_text(&bed.arena, json_pointer(bed.receipt.data, "/messages/0"));
    assert_non_null(strstr(first, "look here"));
    bed_emit(&bed, TRANSFORM,
             "{\"messages\":[{\"id\":\"u\",\"role\":\"user\",\"content\":\"hi\"},"
             "{\"id\":\"v\",\"role\":\"user\",\"content\":\"ho\"}]}");
    assert_string_equal(json_text(&bed.arena, json_pointer(bed.receipt.data, "/messages/0")),
                        first);
}

TESTS(cmocka_unit_test(context_left_at_another_point_reaches_the_next_request),
      cmocka_unit_test(context_of_the_same_request_is_placed_in_it),
      cmocka_unit_test(nothing_left_changes_nothing),
      cmocka_unit_test(titles_and_summaries_do_not_swallow_it),
      cmocka_unit_test(the_same_request_rendered_again_is_the_same),
      cmocka_unit_test(a_budget_is_charged_once_per_user_message),
      cmocka_unit_test(no_cadence_takes_back_what_was_placed),
      cmocka_unit_test(disabled_it_leaves_everything_pending))
