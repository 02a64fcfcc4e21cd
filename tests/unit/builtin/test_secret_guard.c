#include "bed.h"
#include "builtin/builtin.h"

/* Put together at run time, so that this file holds nothing that looks like a key. */
static char *github_token(struct arena *a)
{
    return arena_printf(a, "%s%s", "ghp", "_abcdefghijklmnopqrstuvwxyz0123456789");
}

static void blocks_a_call_whose_arguments_carry_a_token(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before",
             arena_printf(&bed.arena,
                          "{\"tool\":\"bash\",\"args\":{\"list\":[1,{\"h\":\"token %s\"}]}}",
                          github_token(&bed.arena)));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "a GitHub token"));
    assert_null(strstr(bed.receipt.verdict.reason, "abcdef"));
}

static void masks_tokens_in_output_and_keeps_the_rest(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    char *token;

    bed_open(&bed, builtin_hooks, NULL);
    token = github_token(&bed.arena);
    bed_emit(&bed, "tool.execute.after",
             arena_printf(&bed.arena,
                          "{\"tool\":\"bash\",\"output\":\"a=%s b=%s.\",\"success\":true}", token,
                          token));
    assert_string_equal(bed_verdict(&bed), "{\"replace\":{\"output\":\"a=[a GitHub token, masked] "
                                           "b=[a GitHub token, masked].\"}}");
}

static void masks_a_whole_private_key(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(
        &bed, "tool.execute.after",
        arena_printf(&bed.arena,
                     "{\"tool\":\"read\",\"output\":\"x\\n%sBEGIN PRIVATE KEY%s\\nMIIB\\n%sEND "
                     "PRIVATE KEY%s\\ny\"}",
                     "-----", "-----", "-----", "-----"));
    assert_string_equal(bed_verdict(&bed),
                        "{\"replace\":{\"output\":\"x\\n[a private key, masked]\\ny\"}}");
}

static void lets_ordinary_words_pass(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"grep ghp_ AKIA sk-ant- xoxb- .\"}}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void copes_with_missing_and_odd_fields(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before", NULL);
    bed_emit(&bed, "tool.execute.before", "{\"args\":null}");
    bed_emit(&bed, "tool.execute.after", "{\"output\":42}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

TESTS(cmocka_unit_test(blocks_a_call_whose_arguments_carry_a_token),
      cmocka_unit_test(masks_tokens_in_output_and_keeps_the_rest),
      cmocka_unit_test(masks_a_whole_private_key), cmocka_unit_test(lets_ordinary_words_pass),
      cmocka_unit_test(copes_with_missing_and_odd_fields))
