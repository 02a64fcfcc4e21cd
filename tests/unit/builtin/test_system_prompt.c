#include "bed.h"
#include "builtin/builtin.h"

#define SYSTEM "experimental.chat.system.transform"
#define TEXT   "hooks: [{ name: system-prompt, text: be kind }]"

static void the_text_is_in_the_system_prompt_of_every_request(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, TEXT);
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, SYSTEM, "{\"system\":[],\"purpose\":\"main\"}");
        assert_string_equal(bed.receipt.verdict.injections->text, "be kind");
        assert_int_equal(bed.receipt.verdict.injections->place, PLACE_SYSTEM);
    }
}

static void above_cadence_one_it_is_at_the_tail_on_firing_turns(void **state UNUSED)
{
    static const char want[] = "TFFT";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hook_cadence: { system-prompt: 3 }\n" TEXT);
    for (int i = 0; want[i]; i++) {
        const struct injection *in;

        bed_emit(&bed, SYSTEM, "{\"purpose\":\"main\"}");
        in = bed.receipt.verdict.injections;
        assert_int_equal(in != NULL, want[i] == 'T');
        if (in)
            assert_int_equal(in->place, PLACE_TAIL);
    }
}

static void the_hint_is_volatile_and_counts_todos(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed.session.recipe = "release";
    bed_emit(&bed, SYSTEM, "{\"todos\":[{\"status\":\"completed\"},{\"status\":\"pending\"}]}");
    assert_string_equal(bed.receipt.verdict.injections->text,
                        "Active recipe: release. Todos: 1 of 2 done.");
    assert_int_equal(bed.receipt.verdict.injections->class, INJECT_VOLATILE);
}

static void titles_and_summaries_are_left_alone(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, TEXT);
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"title\"}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void without_a_text_it_says_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, SYSTEM, NULL);
    assert_string_equal(bed_verdict(&bed), "{}");
}

TESTS(cmocka_unit_test(the_text_is_in_the_system_prompt_of_every_request),
      cmocka_unit_test(above_cadence_one_it_is_at_the_tail_on_firing_turns),
      cmocka_unit_test(the_hint_is_volatile_and_counts_todos),
      cmocka_unit_test(titles_and_summaries_are_left_alone),
      cmocka_unit_test(without_a_text_it_says_nothing))
