#include "bed.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

#define TODO(first, second)                                        \
    "{ tool: todo, args: { todos: [{ content: one, status: " first \
    " }, { content: two, status: " second " }] } }"

static void a_session_goes_on_until_all_is_done(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(
        &b, "",
        "turns:\n"
        "- calls: [" TODO("in_progress",
                          "pending") "]\n"
                                     "- { text: That is one. }\n"
                                     "- { expects: 2 of 2 todos are still open, calls: [" TODO(
                                         "completed",
                                         "pending") "] }\n"
                                                    "- { text: More to come. }\n"
                                                    "- { expects: 1 of 2 todos, calls: [" TODO(
                                                        "completed",
                                                        "completed") "] }\n"
                                                                     "- { text: All done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "All done.");
    session_bed_shows(&b, "follow-up 1 of 2 todos are still open:\n- two\n");
}

static void a_session_that_does_nothing_is_let_go(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [" TODO("pending", "pending") "]\n"
                                                             "- { text: Not today. }\n"
                                                             "- { text: I said no. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "I said no.");
}

TESTS(cmocka_unit_test(a_session_goes_on_until_all_is_done),
      cmocka_unit_test(a_session_that_does_nothing_is_let_go))
