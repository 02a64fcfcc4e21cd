#include "session_fixture.h"

#include <errno.h>

static void a_session_runs_its_tools_and_is_stored(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_rows rows;

    session_bed_open(&b, "",
                     "turns:\n"
                     "- text: I will look.\n"
                     "  calls: [{ tool: bash, args: { command: echo hello } }]\n"
                     "  usage: { input_tokens: 10, output_tokens: 5 }\n"
                     "- { text: Done., usage: { input_tokens: 30, output_tokens: 2 } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "say hello" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(b.outcome.turns, 2);
    assert_int_equal(b.outcome.usage.input, 40);
    assert_int_equal(b.outcome.usage.context, 32);
    session_bed_shows(&b, "text I will look.\n");
    session_bed_shows(&b, "tool bash\n");
    session_bed_shows(&b, "tool-end bash ok \"hello\\n\"\n");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &b.e), 0);
    assert_int_equal(rows.count, 4);
    assert_non_null(strstr(rows.list[0].line.ptr, "say hello"));
    assert_non_null(strstr(rows.list[2].line.ptr, "\"role\":\"tool\""));
}

static void a_blocked_call_does_not_run_and_the_model_is_told_why(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b, "hooks: [{ name: no-rm, on: tool.execute.before, tool: bash, block: not here }]\n",
        "turns:\n"
        "- calls: [{ tool: bash, args: { command: touch ran } }]\n"
        "- { expects: 'blocked: not here', text: I see. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "I see.");
    session_bed_shows(&b, "hook block no-rm not here\n");
    assert_int_not_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK), 0);
}

static void hooks_change_arguments_and_outputs(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b,
        "hooks:\n"
        "- { name: louder, on: tool.execute.before, modify: { args: { command: echo LOUD } } }\n"
        "- { name: clean, on: tool.execute.after, replace: { output: cleaned } }\n",
        "turns:\n"
        "- calls: [{ tool: bash, args: { command: echo quiet } }]\n"
        "- { expects: cleaned, text: ok }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    session_bed_shows(&b, "tool-end bash ok \"cleaned\"\n");
}

static void follow_ups_continue_the_agent_up_to_the_cap(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b,
                     "hooks: [{ name: more, on: agent.stop, continue: check again }]\n"
                     "limits: { continuations: 3 }\n",
                     "turns:\n- { text: one }\n- { text: two }\n- { text: three }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    session_bed_shows(&b, "follow-up check again\n");
    /* the same reason twice with no tool call between ends it */
    assert_string_equal(b.outcome.text, "two");
}

static void a_stop_ends_the_run_and_leaves_no_call_without_a_result(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_rows rows;

    session_bed_open(&b,
                     "hooks: [{ name: halt, on: tool.execute.before, tool: bash, stop: enough }]\n",
                     "turns:\n"
                     "- calls: [{ tool: bash, args: { command: echo 1 } },"
                     " { tool: bash, args: { command: echo 2 } }]\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_STOPPED);
    assert_string_equal(b.outcome.reason, "enough");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &b.e), 0);
    assert_int_equal(rows.count, 3);
    assert_non_null(strstr(rows.list[2].line.ptr, "call_1"));
    assert_non_null(strstr(rows.list[2].line.ptr, "call_2"));
}

static void a_blocked_message_is_not_stored(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_rows rows;

    session_bed_open(&b, "hooks: [{ name: gate, on: chat.message, block: not that }]\n",
                     "turns: [{ text: no }]\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_BLOCKED);
    assert_string_equal(b.outcome.reason, "not that");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &b.e), 0);
    assert_int_equal(rows.count, 0);
}

static void a_resumed_conversation_goes_on(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;

    session_bed_open(&b, "",
                     "turns:\n- { text: one, usage: { input_tokens: 5 } }\n"
                     "- { text: two, usage: { input_tokens: 6 } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "first" });
    id = strdup(b.outcome.session);
    session_bed_run(&b, &(struct agent_task){ .text = "second", .resume = id });
    assert_string_equal(b.outcome.session, id);
    assert_string_equal(b.outcome.text, "two");
    assert_int_equal(b.outcome.usage.input, 11);
    agent_outcome_release(&b.outcome);
    assert_int_equal(agent_run(b.agent, &(struct agent_task){ .text = "x", .resume = "nobody" },
                               &b.outcome, &b.e),
                     -ENOENT);
}

static void a_model_that_stays_away_is_tried_again_and_limits_hold(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b, "limits: { turns: 2 }\n",
                     "turns:\n"
                     "- error: { class: overloaded, message: busy, retry_after: 0s }\n"
                     "- calls: [{ tool: bash, args: { command: 'true' } }]\n"
                     "- calls: [{ tool: bash, args: { command: 'true' } }]\n"
                     "- { text: never }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "retry busy; trying again in 0.0 s\n");
    assert_int_equal(b.outcome.end, AGENT_FAILED);
    assert_string_equal(b.outcome.reason, "the limit of 2 turns is reached");
}

static void an_unknown_model_agent_or_key_is_said_before_anything_happens(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation *list;
    size_t count;

    session_bed_open(&b, "", "turns: []\n");
    assert_true(agent_run(b.agent, &(struct agent_task){ .text = "x", .model = "gpt" }, &b.outcome,
                          &b.e) < 0);
    assert_string_equal(b.e.msg, "'gpt' is no model: write 'provider/model'");
    assert_true(agent_run(b.agent, &(struct agent_task){ .text = "x", .agent = "nobody" },
                          &b.outcome, &b.e) < 0);
    assert_string_equal(b.e.msg, "unknown agent 'nobody': there are orchestrator, architect, "
                                 "plan-reviewer, builder");
    assert_int_equal(conversation_list(b.bed.store, &(struct conversation_query){ 0 }, &b.bed.arena,
                                       &list, &count, &b.e),
                     0);
    assert_int_equal(count, 0);
}

TESTS(cmocka_unit_test(a_session_runs_its_tools_and_is_stored),
      cmocka_unit_test(a_blocked_call_does_not_run_and_the_model_is_told_why),
      cmocka_unit_test(hooks_change_arguments_and_outputs),
      cmocka_unit_test(follow_ups_continue_the_agent_up_to_the_cap),
      cmocka_unit_test(a_stop_ends_the_run_and_leaves_no_call_without_a_result),
      cmocka_unit_test(a_blocked_message_is_not_stored),
      cmocka_unit_test(a_resumed_conversation_goes_on),
      cmocka_unit_test(a_model_that_stays_away_is_tried_again_and_limits_hold),
      cmocka_unit_test(an_unknown_model_agent_or_key_is_said_before_anything_happens))
