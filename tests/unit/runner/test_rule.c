#include "bed.h"

static const char *verdict_at(struct bed *bed, const char *point, const char *rule)
{
    bed_configure(bed, NULL,
                  arena_printf(&bed->arena, "hooks: [{ name: r, on: %s, %s }]", point, rule));
    bed_emit(bed, point, NULL);
    return bed_verdict(bed);
}

static void a_rule_says_what_its_keys_say(void **state UNUSED)
{
    static const struct {
        const char *point, *rule, *verdict;
    } rows[] = {
        { "tool.execute.before", "block: no", "{\"decision\":\"block\",\"reason\":\"no\"}" },
        { "tool.execute.before", "ask: sure?", "{\"decision\":\"ask\",\"reason\":\"sure?\"}" },
        { "tool.execute.before", "allow: true", "{\"decision\":\"allow\"}" },
        { "chat.message", "stop: enough", "{\"stop\":\"enough\"}" },
        { "session.idle", "say: done", "{\"say\":\"done\"}" },
        { "chat.params", "replace: { params: { temperature: 0.20 } }",
          "{\"replace\":{\"params\":{\"temperature\":0.20}}}" },
        { "chat.params", "modify: { params: { top_k: 5 } }",
          "{\"replace\":{\"params\":{\"top_k\":5}}}" },
        { "agent.stop", "continue: go on",
          "{\"result\":\"continue\",\"follow_up_messages\":[\"go on\"]}" },
        { "turn.after", "callback: compact", "{\"result\":\"callback\",\"callback\":\"compact\"}" },
        { "turn.after", "mutate: [{ role: user, content: x }]",
          "{\"result\":\"mutate\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}" },
        { "chat.message", "inject: { id: a, text: hello, priority: low }",
          "{\"inject\":[{\"id\":\"a\",\"text\":\"hello\",\"priority\":\"low\","
          "\"class\":\"persistent\",\"place\":\"message\",\"source\":\"r\"}]}" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(verdict_at(&bed, rows[i].point, rows[i].rule), rows[i].verdict);
}

static void a_rule_that_blocks_is_a_guard(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks:\n  - { name: change, on: tool.execute.before, replace: { args: {} } }\n"
             "  - { name: no, on: tool.execute.before, block: no }\n");
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed_order(&bed), "no");
}

TESTS(cmocka_unit_test(a_rule_says_what_its_keys_say),
      cmocka_unit_test(a_rule_that_blocks_is_a_guard))
