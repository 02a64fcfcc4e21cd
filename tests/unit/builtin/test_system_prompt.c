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

static const char *hint(struct bed *bed)
{
    bed_emit(bed, SYSTEM, NULL);
    return bed->receipt.verdict.injections ? bed->receipt.verdict.injections->text : NULL;
}

static void the_status_command_sees_no_keys_and_knows_its_session(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    setenv("ANTHROPIC_API_KEY", "secret", 1);
    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: system-prompt, status_exec: 'echo \"[$ANTHROPIC_API_KEY]"
             " $HOOKE_SESSION $HOOKE_HOOK $HOOKE_DEPTH\"' }]");
    assert_string_equal(hint(&bed), "[] s1 system-prompt 1");
    unsetenv("ANTHROPIC_API_KEY");
}

static void inside_a_hook_no_status_command_is_started(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    setenv("HOOKE_DEPTH", "1", 1);
    bed_open(&bed, builtin_hooks, "hooks: [{ name: system-prompt, status_exec: echo fine }]");
    assert_null(hint(&bed));
    unsetenv("HOOKE_DEPTH");
    assert_string_equal(hint(&bed), "fine");
}

static void a_long_status_is_cut_at_a_character(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct str said;

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: system-prompt, status_exec:"
             " 'printf x; for i in $(seq 3000); do printf ä; done' }]");
    said = str_of(hint(&bed));
    assert_int_equal(said.len, 3999);
    assert_true(json_is_utf8(said));
}

TESTS(cmocka_unit_test(the_text_is_in_the_system_prompt_of_every_request),
      cmocka_unit_test(above_cadence_one_it_is_at_the_tail_on_firing_turns),
      cmocka_unit_test(the_hint_is_volatile_and_counts_todos),
      cmocka_unit_test(titles_and_summaries_are_left_alone),
      cmocka_unit_test(without_a_text_it_says_nothing),
      cmocka_unit_test(the_status_command_sees_no_keys_and_knows_its_session),
      cmocka_unit_test(inside_a_hook_no_status_command_is_started),
      cmocka_unit_test(a_long_status_is_cut_at_a_character))
