/* Which messages it reminds beside: tests/cases/phase-reminder. Here: switching it on and off. */
#include "bed.h"
#include "builtin/builtin.h"

#define TRANSFORM "experimental.chat.messages.transform"
#define U1        "{\"id\":\"u1\",\"role\":\"user\",\"content\":\"hi\"}"
#define U2        "{\"id\":\"u2\",\"role\":\"user\",\"content\":\"ho\"}"
#define TEXT      "hooks: [{ name: phase-reminder, text: mind }]"

static size_t parts_of(struct bed *bed, const char *message)
{
    const struct json *content =
        json_pointer(bed->receipt.data, arena_printf(&bed->arena, "/messages/%s/content", message));

    return json_type(content) == JSON_ARRAY ? json_count(content) : 1;
}

static void switched_off_it_says_nothing_new_and_history_stays(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, TEXT);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U1 "]}");
    assert_int_equal(parts_of(&bed, "0"), 2);
    bed_configure(&bed, builtin_hooks, "disabled_hooks: [phase-reminder]");
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U1 "," U2 "]}");
    assert_int_equal(parts_of(&bed, "0"), 2);
    assert_int_equal(parts_of(&bed, "1"), 1);
}

static void another_text_is_said_from_the_next_message_on(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *data;

    bed_open(&bed, builtin_hooks, TEXT);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U1 "]}");
    bed_configure(&bed, builtin_hooks, "hooks: [{ name: phase-reminder, text: another }]");
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U1 "," U2 "]}");
    data = json_text(&bed.arena, bed.receipt.data);
    assert_non_null(strstr(data, "\"mind\""));
    assert_non_null(strstr(data, "\"another\""));
}

static void agents_can_be_chosen(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: phase-reminder, agent: lead }]");
    bed.session.agent = "lead";
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U1 "]}");
    assert_int_equal(parts_of(&bed, "0"), 2);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, TRANSFORM, "{\"messages\":[" U2 "]}");
    assert_int_equal(parts_of(&bed, "0"), 1);
}

TESTS(cmocka_unit_test(switched_off_it_says_nothing_new_and_history_stays),
      cmocka_unit_test(another_text_is_said_from_the_next_message_on),
      cmocka_unit_test(agents_can_be_chosen))
