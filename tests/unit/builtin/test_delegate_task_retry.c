#include "bed.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

/* The result of a call of `task`, as the model reads it. */
static const char *result_of(struct session_bed *b, const char *args)
{
    session_bed_open(b, "categories: { quick: { agent: builder } }\n",
                     arena_printf(&b->bed.arena,
                                  "turns:\n- calls: [{ tool: task, args: %s }]\n"
                                  "- { text: Done. }\n",
                                  args));
    session_bed_run(b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b->outcome.text, "Done.");
    return session_bed_message(b, 2, 4);
}

static void says(const char *args, const char *type, const char *there)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };
    const char *result = result_of(&b, args);

    if (!strstr(result, arena_printf(&b.bed.arena, "Error: %s\\n", type)) || !strstr(result, there))
        fail_msg("%s: %s", args, result);
}

static void errors_of_our_own_tool_are_recognised(void **state UNUSED)
{
    says("{ prompt: x, subagent_type: nobody }", "unknown_agent",
         "Available: orchestrator, architect, plan-reviewer, builder\\n");
    says("{ prompt: x, category: slow }", "unknown_category", "Available: quick\\n");
    says("{ prompt: x }", "missing_category_or_agent", "Fix: say which agent");
    says("{ prompt: x, category: quick, subagent_type: builder }", "mutual_exclusion",
         "Fix: keep one");
    says("{ prompt: x, category: quick, load_skills: [none] }", "unknown_skills",
         "Available: none at all\\n");
    says("{ category: quick }", "bad_arguments", "'prompt' of the tool 'task' is missing");
    says("{ prompt: x, agent: y }", "bad_arguments", "Available: prompt, description,");
}

static void work_that_was_done_is_not_commented(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: task, args: { subagent_type: builder, prompt: look } }]\n"
                     "- { expects: look, text: It says unknown agent 'x' there. }\n"
                     "- { text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_null(strstr(session_bed_message(&b, 2, 4), "task-retry"));
}

TESTS(cmocka_unit_test(errors_of_our_own_tool_are_recognised),
      cmocka_unit_test(work_that_was_done_is_not_commented))
