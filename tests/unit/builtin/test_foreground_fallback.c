#include "bed.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

#define CHAIN "agents: { builder: { model: a/m1, fallback: [a/m2, b/m3] } }\n"

static void open_bed(struct bed *bed, const char *more)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_printf(&text, "%s%s", CHAIN, more);
    bed_open(bed, builtin_hooks, strbuf_cstr(&text));
    bed->session.agent = "builder";
}

/* The model the hook wants after this error, or "". */
static const char *after(struct bed *bed, const char *point, const char *error)
{
    const char *data =
        strcmp(point, "session.status") == 0
            ? arena_printf(&bed->arena, "{\"status\":{\"type\":\"retry\",\"error\":%s}}", error)
            : arena_printf(&bed->arena, "{\"error\":%s}", error);

    bed_emit(bed, point, data);
    return bed->receipt.verdict.model ? bed->receipt.verdict.model : "";
}

static const char *limited(struct bed *bed, const char *provider, const char *model)
{
    return after(bed, "session.error",
                 arena_printf(&bed->arena,
                              "{\"class\":\"rate_limit\",\"provider\":\"%s\",\"model\":\"%s\"}",
                              provider, model));
}

static void the_chain_is_walked_once_and_forward(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hooks: [{ name: foreground-fallback, window: 0s }]\n");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
    assert_string_equal(limited(&bed, "a", "m1"), "b/m3");
    assert_string_equal(limited(&bed, "a", "m2"), "");
    assert_string_equal(bed.receipt.verdict.say,
                        "no model is left to fall back to; tried a/m1, a/m2, b/m3: wait, or add "
                        "one to 'agents.builder.fallback'");
    assert_string_equal(limited(&bed, "b", "m3"), "");
    assert_null(bed.receipt.verdict.say);
}

static void a_model_that_has_answered_opens_the_chain_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hooks: [{ name: foreground-fallback, window: 0s }]\n");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
    bed_emit(&bed, "message.updated", "{\"usage\":{\"input_tokens\":9,\"output_tokens\":0}}");
    assert_string_equal(limited(&bed, "a", "m1"), "b/m3");
    assert_string_equal(limited(&bed, "b", "m3"), "");
    assert_non_null(bed.receipt.verdict.say);
    bed_emit(&bed, "message.updated", "{\"usage\":{\"input_tokens\":9,\"output_tokens\":5}}");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2"); /* a session that was resumed later */
    bed_emit(&bed, "message.updated", "{\"usage\":{\"input_tokens\":9,\"output_tokens\":5}}");
    assert_string_equal(limited(&bed, "b", "m3"), ""); /* never back */
    assert_non_null(bed.receipt.verdict.say);
}

static void a_model_that_is_not_in_the_chain_falls_back_to_its_first(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(limited(&bed, "x", "y"), "a/m1");
}

static void a_start_in_the_middle_never_goes_back(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(limited(&bed, "a", "m2"), "b/m3");
    assert_string_equal(limited(&bed, "b", "m3"), "");
}

static void one_failure_told_at_three_points_is_one(void **state UNUSED)
{
    const char *error = "{\"class\":\"quota\",\"provider\":\"a\",\"model\":\"m1\"}";
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(after(&bed, "message.updated", error), "a/m2");
    assert_string_equal(after(&bed, "session.status", error), "");
    assert_string_equal(after(&bed, "session.error", error), "");
    assert_null(bed.receipt.verdict.say);
}

static void the_next_model_failing_at_once_is_another_failure(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
    assert_string_equal(limited(&bed, "a", "m2"), "b/m3");
}

static void the_class_decides_and_not_the_words(void **state UNUSED)
{
    static const char *const others[] = {
        "{\"class\":\"other\",\"message\":\"429 rate limit exceeded\",\"status\":429}",
        "{\"class\":\"context_overflow\",\"message\":\"too many requests\"}",
        "{\"class\":\"auth\",\"message\":\"quota exceeded\"}",
        "null",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_string_equal(after(&bed, "session.error", others[i]), "");
    bed_emit(&bed, "session.status",
             "{\"status\":{\"type\":\"busy\",\"error\":{\"class\":\"quota\"}}}");
    assert_null(bed.receipt.verdict.model);
    assert_string_equal(after(&bed, "session.error", "{\"class\":\"quota\"}"), "a/m2");
}

static void a_provider_that_cools_down_is_passed_over(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(after(&bed, "session.error",
                              "{\"class\":\"rate_limit\",\"provider\":\"a\",\"model\":\"m1\","
                              "\"retry_after_ms\":3600000}"),
                        "b/m3");
}

static void a_short_wait_does_not_count_as_cooling_down(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(after(&bed, "session.error",
                              "{\"class\":\"rate_limit\",\"provider\":\"a\",\"model\":\"m1\","
                              "\"retry_after_ms\":2000}"),
                        "a/m2");
}

static void a_cooldown_that_is_over_is_forgotten(void **state UNUSED)
{
    const struct store_key key = { "s1", "foreground-fallback", "chain" };
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_int_equal(store_set(bed.store, &key, STR("{\"cooling\":{\"a\":5}}"), NULL), 0);
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
}

static void a_deleted_session_starts_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
    bed_emit(&bed, "session.deleted", "{}");
    assert_string_equal(limited(&bed, "a", "m1"), "a/m2");
}

static void an_agent_without_a_list_is_left_alone(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    bed.session.agent = "architect";
    assert_string_equal(limited(&bed, "a", "m1"), "");
    assert_null(bed.receipt.verdict.say);
    bed.session.agent = NULL;
    assert_string_equal(limited(&bed, "a", "m2"), "b/m3");
}

/* In a session ----------------------------------------------------------------------------------
 */

#define SCRIPTED \
    "agents: { builder: { fallback: [script/m2] }, architect: { fallback: [script/m3] } }\n"

static void a_session_goes_on_with_the_second_model(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(&b, SCRIPTED,
                     "turns:\n"
                     "- { model: m1, error: { class: rate_limit, status: 429 } }\n"
                     "- { model: m2, calls: [{ tool: glob, args: { pattern: '*' } }] }\n"
                     "- { model: m2, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "fallback script/m2\n");
    assert_null(strstr(strbuf_cstr(&b.shown), "retry"));
}

static void a_session_says_what_was_tried_when_nothing_is_left(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(&b, SCRIPTED,
                     "turns:\n"
                     "- { model: m1, error: { class: quota, message: used up } }\n"
                     "- { model: m2, error: { class: quota, message: used up as well } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_FAILED);
    assert_string_equal(b.outcome.reason, "used up as well");
    session_bed_shows(&b, "say no model is left to fall back to; tried script/m1, script/m2:");
}

static void a_subagent_falls_back_along_its_own_list(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(
        &b, SCRIPTED,
        "turns:\n"
        "- calls: [{ tool: task, args: { subagent_type: architect, prompt: think } }]\n"
        "- { expects: think, error: { class: rate_limit, status: 429 } }\n"
        "- { expects: think, model: m3, text: my advice }\n"
        "- { expects: my advice, model: m1, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "fallback script/m3\n");
}

TESTS(cmocka_unit_test(the_chain_is_walked_once_and_forward),
      cmocka_unit_test(a_model_that_has_answered_opens_the_chain_again),
      cmocka_unit_test(a_model_that_is_not_in_the_chain_falls_back_to_its_first),
      cmocka_unit_test(a_start_in_the_middle_never_goes_back),
      cmocka_unit_test(one_failure_told_at_three_points_is_one),
      cmocka_unit_test(the_next_model_failing_at_once_is_another_failure),
      cmocka_unit_test(the_class_decides_and_not_the_words),
      cmocka_unit_test(a_provider_that_cools_down_is_passed_over),
      cmocka_unit_test(a_short_wait_does_not_count_as_cooling_down),
      cmocka_unit_test(a_cooldown_that_is_over_is_forgotten),
      cmocka_unit_test(a_deleted_session_starts_again),
      cmocka_unit_test(an_agent_without_a_list_is_left_alone),
      cmocka_unit_test(a_session_goes_on_with_the_second_model),
      cmocka_unit_test(a_session_says_what_was_tried_when_nothing_is_left),
      cmocka_unit_test(a_subagent_falls_back_along_its_own_list))
