#include "agent/agent.h"
#include "bed.h"
#include "store/conversation.h"

#include <errno.h>

/* A session on the script provider; what was shown is noted, a line each. */
struct session_bed {
    struct bed bed;
    struct strbuf shown;
    struct agent_screen screen;
    struct agent *agent;
    struct agent_outcome outcome;
    struct err e;
};

static void note(void *context, const struct show *s)
{
    static const char *const kinds[] = { "session",   "text", "reasoning", "text-end", "tool",
                                         "tool-end",  "hook", "say",       "retry",    "fallback",
                                         "follow-up", "note", "end" };
    struct strbuf *out = context;
    CLEANUP(arena) struct arena a = { 0 };

    if (s->kind == SHOW_SESSION || s->kind == SHOW_TEXT_END)
        return;
    strbuf_printf(out, "%s", kinds[s->kind]);
    if (s->tool)
        strbuf_printf(out, " %s", s->tool);
    if (s->hook)
        strbuf_printf(out, " %s", s->hook);
    if (s->kind == SHOW_TOOL_END)
        strbuf_printf(out, " %s %s", s->ok ? "ok" : "failed", json_text(&a, s->json));
    else if (s->text.len)
        strbuf_printf(out, " %.*s", STR_ARG(s->text));
    strbuf_addch(out, '\n');
}

static void open_session(struct session_bed *b, const char *config, const char *turns)
{
    char *file;

    bed_open(&b->bed, NULL, "");
    file = path_join(&b->bed.arena, b->bed.dir.path, "turns.yaml");
    assert_int_equal(file_write(file, str_of(turns), 0600, NULL), 0);
    bed_configure(&b->bed, NULL,
                  arena_printf(&b->bed.arena,
                               "model: script/m1\nproviders: { script: { file: turns.yaml } }\n%s",
                               config));
    b->screen = (struct agent_screen){ .context = &b->shown, .show = note };
    b->agent = agent_new(&(struct agent_options){ .engine = b->bed.engine,
                                                  .store = b->bed.store,
                                                  .log = &b->bed.log,
                                                  .cwd = b->bed.dir.path,
                                                  .screen = &b->screen });
}

static void run(struct session_bed *b, const struct agent_task *task)
{
    agent_outcome_release(&b->outcome);
    strbuf_reset(&b->shown);
    if (agent_run(b->agent, task, &b->outcome, &b->e) < 0)
        fail_msg("%s", b->e.msg);
}

static void session_bed_cleanup(struct session_bed *b)
{
    agent_free(b->agent);
    agent_outcome_release(&b->outcome);
    strbuf_release(&b->shown);
    bed_cleanup(&b->bed);
}

static void shows(const struct session_bed *b, const char *text)
{
    if (!strstr(strbuf_cstr(&b->shown), text))
        fail_msg("'%s' is not in:\n%s", text, strbuf_cstr(&b->shown));
}

static void a_session_runs_its_tools_and_is_stored(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_message *rows;
    size_t count;

    open_session(&b, "",
                 "turns:\n"
                 "- text: I will look.\n"
                 "  calls: [{ tool: bash, args: { command: echo hello } }]\n"
                 "  usage: { input_tokens: 10, output_tokens: 5 }\n"
                 "- { text: Done., usage: { input_tokens: 30, output_tokens: 2 } }\n");
    run(&b, &(struct agent_task){ .text = "say hello" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(b.outcome.turns, 2);
    assert_int_equal(b.outcome.usage.input, 40);
    assert_int_equal(b.outcome.usage.context, 32);
    shows(&b, "text I will look.\n");
    shows(&b, "tool bash\n");
    shows(&b, "tool-end bash ok \"hello\\n\"\n");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &count, &b.e), 0);
    assert_int_equal(count, 4);
    assert_non_null(strstr(rows[0].line.ptr, "say hello"));
    assert_non_null(strstr(rows[2].line.ptr, "\"role\":\"tool\""));
}

static void a_blocked_call_does_not_run_and_the_model_is_told_why(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_session(&b,
                 "hooks: [{ name: no-rm, on: tool.execute.before, tool: bash, block: not here }]\n",
                 "turns:\n"
                 "- calls: [{ tool: bash, args: { command: touch ran } }]\n"
                 "- { expects: 'blocked: not here', text: I see. }\n");
    run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "I see.");
    shows(&b, "hook block no-rm not here\n");
    assert_int_not_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK), 0);
}

static void hooks_change_arguments_and_outputs(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_session(
        &b,
        "hooks:\n"
        "- { name: louder, on: tool.execute.before, modify: { args: { command: echo LOUD } } }\n"
        "- { name: clean, on: tool.execute.after, replace: { output: cleaned } }\n",
        "turns:\n"
        "- calls: [{ tool: bash, args: { command: echo quiet } }]\n"
        "- { expects: cleaned, text: ok }\n");
    run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    shows(&b, "tool-end bash ok \"cleaned\"\n");
}

static void follow_ups_continue_the_agent_up_to_the_cap(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_session(&b,
                 "hooks: [{ name: more, on: agent.stop, continue: check again }]\n"
                 "limits: { continuations: 3 }\n",
                 "turns:\n- { text: one }\n- { text: two }\n- { text: three }\n");
    run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    shows(&b, "follow-up check again\n");
    /* the same reason twice with no tool call between ends it */
    assert_string_equal(b.outcome.text, "two");
}

static void a_stop_ends_the_run_and_leaves_no_call_without_a_result(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_message *rows;
    size_t count;

    open_session(&b, "hooks: [{ name: halt, on: tool.execute.before, tool: bash, stop: enough }]\n",
                 "turns:\n"
                 "- calls: [{ tool: bash, args: { command: echo 1 } },"
                 " { tool: bash, args: { command: echo 2 } }]\n");
    run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_STOPPED);
    assert_string_equal(b.outcome.reason, "enough");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &count, &b.e), 0);
    assert_int_equal(count, 3);
    assert_non_null(strstr(rows[2].line.ptr, "call_1"));
    assert_non_null(strstr(rows[2].line.ptr, "call_2"));
}

static void a_blocked_message_is_not_stored(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_message *rows;
    size_t count;

    open_session(&b, "hooks: [{ name: gate, on: chat.message, block: not that }]\n",
                 "turns: [{ text: no }]\n");
    run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_BLOCKED);
    assert_string_equal(b.outcome.reason, "not that");
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 0, &b.bed.arena, &rows, &count, &b.e), 0);
    assert_int_equal(count, 0);
}

static void a_resumed_conversation_goes_on(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;

    open_session(&b, "",
                 "turns:\n- { text: one, usage: { input_tokens: 5 } }\n"
                 "- { text: two, usage: { input_tokens: 6 } }\n");
    run(&b, &(struct agent_task){ .text = "first" });
    id = strdup(b.outcome.session);
    run(&b, &(struct agent_task){ .text = "second", .resume = id });
    assert_string_equal(b.outcome.session, id);
    assert_string_equal(b.outcome.text, "two");
    assert_int_equal(b.outcome.usage.input, 11);
    assert_int_equal(agent_run(b.agent, &(struct agent_task){ .text = "x", .resume = "nobody" },
                               &b.outcome, &b.e),
                     -ENOENT);
}

static void a_model_that_stays_away_is_tried_again_and_limits_hold(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_session(&b, "limits: { turns: 2 }\n",
                 "turns:\n"
                 "- error: { class: overloaded, message: busy, retry_after: 0s }\n"
                 "- calls: [{ tool: bash, args: { command: 'true' } }]\n"
                 "- calls: [{ tool: bash, args: { command: 'true' } }]\n"
                 "- { text: never }\n");
    run(&b, &(struct agent_task){ .text = "go" });
    shows(&b, "retry busy; trying again in 0.0 s\n");
    assert_int_equal(b.outcome.end, AGENT_FAILED);
    assert_string_equal(b.outcome.reason, "the limit of 2 turns is reached");
}

static void an_unknown_model_agent_or_key_is_said_before_anything_happens(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation *list;
    size_t count;

    open_session(&b, "", "turns: []\n");
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
