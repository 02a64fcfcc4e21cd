#include "session_fixture.h"

static void a_subagent_does_the_work_and_its_tokens_count(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: task, args: { subagent_type: architect, prompt: think it "
                     "over } }]\n"
                     "  usage: { input_tokens: 10 }\n"
                     "- { expects: think it over, text: my advice, usage: { input_tokens: 100 } }\n"
                     "- { expects: my advice, text: Done., usage: { input_tokens: 20 } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(b.outcome.usage.input, 130);
    assert_int_equal(b.outcome.usage.context, 20);
    session_bed_shows(&b, "tool-end task ok \"my advice\"\n");
}

static void hooks_see_a_subagent_as_one(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b,
        "hooks:\n"
        "- { name: sub-only, on: tool.execute.before, session: sub, block: not as a sub }\n"
        "- { name: created, on: subagent.session.created, say: one more }\n"
        "- { name: stops, on: SubagentStop, say: it stops }\n",
        "turns:\n"
        "- calls: [{ tool: task, args: { subagent_type: builder, prompt: do it } }]\n"
        "- { expects: do it, calls: [{ tool: bash, args: { command: ls } }] }\n"
        "- { expects: not as a sub, text: I may not. }\n"
        "- { expects: I may not., text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "hook block sub-only not as a sub\n");
    session_bed_shows(&b, "say one more\n");
    session_bed_shows(&b, "say it stops\n");
}

static void a_mistake_names_what_there_is(void **state UNUSED)
{
    static const struct {
        const char *args, *says;
    } rows[] = {
        { "{ subagent_type: nobody, prompt: x }",
          "unknown agent 'nobody': there are orchestrator, architect, plan-reviewer, builder" },
        { "{ category: slow, prompt: x }", "unknown category 'slow': there are quick" },
        { "{ prompt: x }", "give either subagent_type or category" },
        { "{ subagent_type: builder, category: quick, prompt: x }",
          "give either subagent_type or category" },
        { "{ subagent_type: builder, prompt: x, load_skills: [nothing] }",
          "there is no skill 'nothing'" },
        { "{ subagent_type: builder }", "'prompt' of the tool 'task' is missing" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };

        session_bed_open(&b, "categories: { quick: { variant: low } }\n",
                         arena_printf(&b.bed.arena,
                                      "turns:\n- calls: [{ tool: task, args: %s }]\n"
                                      "- { text: Done. }\n",
                                      rows[i].args));
        session_bed_run(&b, &(struct agent_task){ .text = "go" });
        session_bed_shows(&b, "tool-end task failed");
        session_bed_shows(&b, rows[i].says);
    }
}

static void an_agent_starts_only_the_subagents_it_may(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b, "agents: { builder: { subagents: [architect] } }\n",
                     "turns:\n"
                     "- calls: [{ tool: task, args: { subagent_type: builder, prompt: x } }]\n"
                     "- { text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "unknown subagent_type 'builder': there are architect");
}

static void what_runs_in_the_background_is_heard_before_the_end(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b, "",
        "turns:\n"
        "- calls: [{ tool: task, args: { subagent_type: architect, prompt: look left, "
        "run_in_background: true } }, { tool: task, args: { subagent_type: architect, prompt: look "
        "right, run_in_background: true } }]\n"
        "- { expects: look left, text: nothing on the left, delay: 30ms }\n"
        "- { expects: look right, text: nothing on the right }\n"
        "- { expects: runs in the background, text: I wait. }\n"
        "- { expects: nothing on the left, text: All clear. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "All clear.");
    session_bed_shows(&b, "follow-up Background task");
    session_bed_shows(&b, "nothing on the right");
}

static void hooks_hear_of_one_in_the_background_too(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b,
                     "hooks: [{ name: created, on: subagent.session.created, say: one more }]\n",
                     "turns:\n"
                     "- calls: [{ tool: task, args: { subagent_type: architect, prompt: look, "
                     "run_in_background: true } }]\n"
                     "- { expects: look, text: seen }\n"
                     "- { expects: runs in the background, text: I wait. }\n"
                     "- { expects: seen, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "say one more\n");
}

static void a_mistake_in_the_background_is_told_at_once(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: task, args: { subagent_type: nobody, prompt: look, "
                     "run_in_background: true } }]\n"
                     "- { expects: nobody, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(b.outcome.turns, 2);
}

static void a_subagent_takes_no_more_than_its_parent_has_left(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b, "limits: { tokens: 3 }\n",
        "turns:\n"
        "- { usage: { input_tokens: 2 }, calls: [{ tool: task, args: { "
        "subagent_type: builder, prompt: do it } }] }\n"
        "- { usage: { input_tokens: 1 }, calls: [{ tool: bash, args: { command: ls } }] "
        "}\n"
        "- { usage: { input_tokens: 1 }, text: one too many }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_FAILED);
    assert_int_equal(b.outcome.usage.input, 3);
}

TESTS(cmocka_unit_test(a_subagent_does_the_work_and_its_tokens_count),
      cmocka_unit_test(hooks_see_a_subagent_as_one),
      cmocka_unit_test(a_mistake_names_what_there_is),
      cmocka_unit_test(an_agent_starts_only_the_subagents_it_may),
      cmocka_unit_test(what_runs_in_the_background_is_heard_before_the_end),
      cmocka_unit_test(hooks_hear_of_one_in_the_background_too),
      cmocka_unit_test(a_mistake_in_the_background_is_told_at_once),
      cmocka_unit_test(a_subagent_takes_no_more_than_its_parent_has_left))
