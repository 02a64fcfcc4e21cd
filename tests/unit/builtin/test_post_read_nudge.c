#include "bed.h"
#include "builtin/builtin.h"

#define READ "{\"tool\":\"read\",\"output\":\"text\",\"success\":true}"

static void an_orchestrator_is_reminded_and_the_output_stays(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct injection *i;

    bed_open(&bed, builtin_hooks, NULL);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "tool.execute.after", READ);
    i = bed.receipt.verdict.injections;
    assert_string_equal(i->id, "nudge");
    assert_int_equal(i->class, INJECT_DETERMINISTIC);
    assert_null(bed.receipt.verdict.replace);
}

static void several_reads_leave_one_reminder_for_the_next_request(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct json *messages;

    bed_open(&bed, builtin_hooks, "hooks: [{ name: post-read-nudge, text: delegate }]");
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "tool.execute.after", READ);
    bed_emit(&bed, "tool.execute.after", READ);
    bed_emit(&bed, "experimental.chat.messages.transform",
             "{\"messages\":[{\"id\":\"t\",\"role\":\"user\",\"content\":[]}]}");
    messages = json_get(bed.receipt.verdict.replace, STR("messages"));
    assert_string_equal(json_text(&bed.arena, json_pointer(messages, "/0/content")),
                        "[{\"type\":\"text\",\"text\":\"delegate\",\"synthetic\":true,"
                        "\"tag\":\"post-read-nudge\"}]");
}

static void other_agents_and_tools_are_left_alone(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.after", READ);
    assert_false(bed_ran(&bed, "post-read-nudge"));
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "tool.execute.after", "{\"tool\":\"bash\",\"output\":\"x\"}");
    assert_false(bed_ran(&bed, "post-read-nudge"));
}

static void place_output_gives_the_form_that_is_appended(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: post-read-nudge, place: output }]");
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "tool.execute.after", READ);
    assert_int_equal(bed.receipt.verdict.injections->place, PLACE_OUTPUT);
    assert_int_equal(bed.receipt.verdict.injections->class, INJECT_PERSISTENT);
}

TESTS(cmocka_unit_test(an_orchestrator_is_reminded_and_the_output_stays),
      cmocka_unit_test(several_reads_leave_one_reminder_for_the_next_request),
      cmocka_unit_test(other_agents_and_tools_are_left_alone),
      cmocka_unit_test(place_output_gives_the_form_that_is_appended))
