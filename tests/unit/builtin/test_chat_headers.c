/* Which requests are marked: tests/cases/chat-headers. Here: what is remembered, and how much. */
#include "bed.h"
#include "builtin/builtin.h"

static void say_internal(struct bed *bed, unsigned n)
{
    bed_emit(bed, "chat.message",
             arena_printf(&bed->arena, "{\"message\":{\"id\":\"m%u\",\"internal\":true}}", n));
}

static bool is_marked(struct bed *bed, unsigned n)
{
    bed_emit(bed, "chat.headers",
             arena_printf(&bed->arena,
                          "{\"provider\":\"github-copilot\",\"message\":{\"id\":\"m%u\"}}", n));
    return strstr(bed_verdict(bed), "x-initiator") != NULL;
}

static void a_thousand_ids_are_kept_and_the_oldest_goes_first(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (unsigned n = 1; n <= 1000; n++)
        say_internal(&bed, n);
    assert_true(is_marked(&bed, 1));
    say_internal(&bed, 1001);
    assert_false(is_marked(&bed, 1));
    assert_true(is_marked(&bed, 2));
    assert_true(is_marked(&bed, 1001));
}

static void an_id_said_again_takes_no_room(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: chat-headers, remember: 2 }]");
    say_internal(&bed, 1);
    say_internal(&bed, 2);
    say_internal(&bed, 2);
    assert_true(is_marked(&bed, 1));
}

static void a_provider_of_your_own_can_be_named(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: chat-headers, providers: [proxy] }]");
    bed_emit(&bed, "chat.headers", "{\"provider\":\"proxy\",\"message\":{\"internal\":true}}");
    assert_string_equal(bed_verdict(&bed),
                        "{\"replace\":{\"headers\":{\"x-initiator\":\"agent\"}}}");
}

TESTS(cmocka_unit_test(a_thousand_ids_are_kept_and_the_oldest_goes_first),
      cmocka_unit_test(an_id_said_again_takes_no_room),
      cmocka_unit_test(a_provider_of_your_own_can_be_named))
