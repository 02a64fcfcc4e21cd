/* What the ends of hooks written for Claude Code mean, row by row of its documentation. */
#include "answers.h"

#define PRE    "PreToolUse"
#define POST   "PostToolUse"
#define FAILED "PostToolUseFailure"
#define PROMPT "UserPromptSubmit"
#define START  "SessionStart"

#define BLOCK(why) "{\"decision\":\"block\",\"reason\":\"" why "\"}"
#define INJECT(id, text) \
    "{\"inject\":[{\"id\":\"" id "\",\"text\":\"" text "\",\"priority\":\"normal\"}]}"
#define CONTINUE(text)     "{\"result\":\"continue\",\"follow_up_messages\":[\"" text "\"]}"
#define SPECIFIC(ev, rest) "{\"hookSpecificOutput\":{\"hookEventName\":\"" ev "\"," rest "}}"
#define PERMISSION(decision) \
    SPECIFIC(PRE, "\"permissionDecision\":\"" decision "\",\"permissionDecisionReason\":\"why\"")

/* CL-1: the table of exit codes and output, at an event whose block is a block. */
static void every_cell_of_exit_code_and_output(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "empty, exit 0", PRE, 0, "", "noise", "{}", NULL },
        { "empty, exit 2", PRE, 2, " \n", " no \n", BLOCK("no"), NULL },
        { "empty, other exit", PRE, 1, "", "first\nsecond", NULL, "exited with code 1: first" },
        { "valid, exit 0", PRE, 0, PERMISSION("deny"), "", BLOCK("why"), NULL },
        { "valid, exit 2, its reason", PRE, 2, PERMISSION("deny"), "no", BLOCK("why"), NULL },
        { "valid, exit 2, stderr's reason", PRE, 2, "{\"systemMessage\":\"hi\"}", "no",
          "{\"decision\":\"block\",\"reason\":\"no\",\"say\":\"hi\"}", NULL },
        { "valid, other exit", PRE, 1, PERMISSION("deny"), "", BLOCK("why"), NULL },
        { "valid, other exit, nothing said", PRE, 7, "{}", "oops", "{}", NULL },
        { "bad schema, exit 0", PRE, 0, "{\"continue\":\"no\"}", "", NULL,
          "gave a bad answer: 'continue' must be a boolean, not a string" },
        { "CL-7 bad schema, exit 2", PRE, 2, "{\"continue\":\"no\"}", "no", BLOCK("no"), NULL },
        { "bad schema, other exit", PRE, 3, "{\"continue\":\"no\"}", "oops", NULL,
          "exited with code 3: oops" },
        { "broken JSON, exit 0", PRE, 0, "{\"continue\":", "", "{}", NULL },
        { "broken JSON, exit 2", PRE, 2, "{\"continue\":", "no", BLOCK("no"), NULL },
        { "broken JSON, other exit", PRE, 1, "{\"continue\":", "", NULL, "exited with code 1" },
        { "text, exit 0", PRE, 0, "checking", "", "{}", NULL },
        { "text, exit 2", PRE, 2, "checking", "no", BLOCK("no"), NULL },
        { "text, other exit", PRE, 1, "checking", "", NULL, "exited with code 1" },
        { "array is text", START, 0, "[1]", "", INJECT("stdout", "[1]"), NULL },
        { "quoted JSON is text", START, 0, "\"{}\"", "", INJECT("stdout", "\\\"{}\\\""), NULL },
        { "script missing", PRE, 127, "", "sh: x: not found", NULL, "exited with code 127: sh: x" },
        { "not executable", PRE, 126, "", "", NULL, "exited with code 126" },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

/* The column of Claude Code in the table of outcomes of one hook before a tool. */
static void outcomes_before_a_tool(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "exit 0, empty", PRE, 0, "", "", "{}", NULL },
        { "exit 0, plain text", PRE, 0, "hello", "", "{}", NULL },
        { "exit 0, broken JSON", PRE, 0, "{bad", "", "{}", NULL },
        { "exit 0, unknown field", PRE, 0, "{\"colour\":1}", "", NULL, "unknown field 'colour'" },
        { "exit 2 + stderr", PRE, 2, "", "no", BLOCK("no"), NULL },
        { "exit 2, silent", PRE, 2, "", "", BLOCK("blocked without a reason"), NULL },
        { "CL-7 exit 2 + JSON allow", PRE, 2, PERMISSION("allow"), "no", BLOCK("no"), NULL },
        { "exit 1 + stderr", PRE, 1, "", "no", NULL, "exited with code 1: no" },
        { "exit 1 + JSON deny", PRE, 1, PERMISSION("deny"), "", BLOCK("why"), NULL },
        { "exit 127", PRE, 127, "", "", NULL, "exited with code 127" },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void exit_code_2_at_every_event(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { START, START, 2, "", "no", "{\"say\":\"no\"}", NULL },
        { "SubagentStart", "SubagentStart", 2, "", "no", "{\"say\":\"no\"}", NULL },
        { PROMPT, PROMPT, 2, "", "no", BLOCK("no"), NULL },
        { "PermissionRequest: not honoured", "PermissionRequest", 2, "", "no", NULL, "code 2: no" },
        { POST, POST, 2, "", "no", INJECT("stderr", "no"), NULL },
        { "PostToolUse, silent", POST, 2, "", "", "{}", NULL },
        { FAILED, FAILED, 2, "", "no", INJECT("stderr", "no"), NULL },
        { "Stop", "Stop", 2, "", "go on", CONTINUE("go on"), NULL },
        { "SubagentStop", "SubagentStop", 2, "", "go on", CONTINUE("go on"), NULL },
        { "StopFailure: ignored", "StopFailure", 2, "", "no", NULL, "code 2: no" },
        { "PreCompact", "PreCompact", 2, "", "no", BLOCK("no"), NULL },
        { "PostCompact", "PostCompact", 2, "", "no", "{\"say\":\"no\"}", NULL },
        { "Notification: ignored", "Notification", 2, "", "no", NULL, "code 2: no" },
        { "SessionEnd", "SessionEnd", 2, "", "no", "{\"say\":\"no\"}", NULL },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void plain_text_is_context_at_two_events_only(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { START, START, 0, " hello \n", "", INJECT("stdout", "hello"), NULL },
        { PROMPT, PROMPT, 0, "hello", "", INJECT("stdout", "hello"), NULL },
        { "SubagentStart", "SubagentStart", 0, "hello", "", "{}", NULL },
        { POST, POST, 0, "hello", "", "{}", NULL },
        { "Stop", "Stop", 0, "hello", "", "{}", NULL },
        { "PreCompact", "PreCompact", 0, "hello", "", "{}", NULL },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void everything_at_every_event(void **state UNUSED)
{
    static const struct answer_effects rows[] = {
        { START, "say", "warning", "stop", "context", "context" },
        { "SubagentStart", "say", "warning", "stop", "nothing", "context" },
        { PROMPT, "block", "block", "stop", "context", "context" },
        { PRE, "block", "block", "stop", "nothing", "context" },
        { "PermissionRequest", "failed", "warning", "block", "nothing", "warning" },
        { POST, "context", "context", "stop", "nothing", "context" },
        { FAILED, "context", "context", "stop", "nothing", "context" },
        { "Stop", "go-on", "go-on", "stop", "nothing", "go-on" },
        { "SubagentStop", "go-on", "go-on", "stop", "nothing", "go-on" },
        { "StopFailure", "failed", "warning", "warning", "nothing", "warning" },
        { "PreCompact", "block", "block", "block", "nothing", "warning" },
        { "PostCompact", "say", "warning", "warning", "nothing", "warning" },
        { "Notification", "failed", "warning", "warning", "nothing", "warning" },
        { "SessionEnd", "say", "warning", "warning", "nothing", "warning" },
    };

    answers_check_effects("claude", rows, ARRAY_LEN(rows));
}

static void permission_decisions(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "allow", PRE, 0, PERMISSION("allow"), "", "{\"decision\":\"allow\",\"reason\":\"why\"}",
          NULL },
        { "ask", PRE, 0, PERMISSION("ask"), "", "{\"decision\":\"ask\",\"reason\":\"why\"}", NULL },
        { "defer", PRE, 0, PERMISSION("defer"), "", "{\"decision\":\"ask\",\"reason\":\"why\"}",
          "'defer' counts as 'ask'" },
        { "another word", PRE, 0, PERMISSION("maybe"), "", NULL,
          "'permissionDecision' must be one of allow deny ask defer, not \"maybe\"" },
        { "deny without a reason", PRE, 0, SPECIFIC(PRE, "\"permissionDecision\":\"deny\""), "",
          BLOCK("blocked without a reason"), NULL },
        { "older block", PRE, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "", BLOCK("no"),
          NULL },
        { "older approve", PRE, 0, "{\"decision\":\"approve\"}", "", "{\"decision\":\"allow\"}",
          NULL },
        { "the newer form counts", PRE, 0,
          "{\"decision\":\"approve\",\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
          "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}",
          "", BLOCK("no"), NULL },
        { "exit 2 beats both forms", PRE, 2,
          "{\"decision\":\"block\",\"reason\":\"x\",\"hookSpecificOutput\":{\"hookEventName\":"
          "\"PreToolUse\",\"permissionDecision\":\"allow\"}}",
          "no", BLOCK("no"), NULL },
        { "null is absent", PRE, 0, SPECIFIC(PRE, "\"permissionDecision\":null"), "", "{}", NULL },
        { "of another event", PRE, 0, SPECIFIC(POST, "\"additionalContext\":\"x\""), "", NULL,
          "'hookEventName' must be PreToolUse, not 'PostToolUse'" },
        { "of no event", PRE, 0, "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}", "",
          NULL, "'hookSpecificOutput' needs 'hookEventName'" },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void changed_input_comes_back_in_our_names(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "a change", PRE, 0,
          SPECIFIC(PRE, "\"permissionDecision\":\"allow\",\"updatedInput\":{\"file_path\":"
                        "\"/repo/b.c\",\"old_string\":\"y\"}"),
          "",
          "{\"decision\":\"allow\",\"replace\":{\"args\":{\"path\":\"/repo/b.c\",\"old_string\":"
          "\"y\"}}}",
          NULL },
        { "the whole object is replaced", PRE, 0,
          SPECIFIC(PRE, "\"updatedInput\":{\"file_path\":\"/repo/a.c\"}"), "",
          "{\"replace\":{\"args\":{\"path\":\"a.c\"}}}", NULL },
        { "sent back as it was", PRE, 0,
          SPECIFIC(PRE, "\"updatedInput\":{\"file_path\":\"/repo/a.c\",\"old_string\":\"x\"}"), "",
          "{}", NULL },
        { "none beside a deny", PRE, 0,
          SPECIFIC(PRE, "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\","
                        "\"updatedInput\":{}"),
          "", BLOCK("no"), NULL },
        { "none beside exit 2", PRE, 2, SPECIFIC(PRE, "\"updatedInput\":{}"), "no", BLOCK("no"),
          NULL },
        { "no object", PRE, 0, SPECIFIC(PRE, "\"updatedInput\":\"x\""), "", NULL,
          "'updatedInput' must be an object, not a string" },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void consent_to_a_permission(void **state UNUSED)
{
#define ASKED(rest) SPECIFIC("PermissionRequest", "\"decision\":{" rest "}")
    static const struct answer_row rows[] = {
        { "allow", "PermissionRequest", 0, ASKED("\"behavior\":\"allow\""), "",
          "{\"decision\":\"allow\"}", NULL },
        { "deny", "PermissionRequest", 0, ASKED("\"behavior\":\"deny\",\"message\":\"no\""), "",
          BLOCK("no"), NULL },
        { "deny without words", "PermissionRequest", 0, ASKED("\"behavior\":\"deny\""), "",
          BLOCK("PermissionRequest hook denied approval"), NULL },
        { "allow with other input is no consent to this", "PermissionRequest", 0,
          ASKED("\"behavior\":\"allow\",\"updatedInput\":{}"), "",
          "{\"decision\":\"ask\",\"reason\":\"a hook allows this only with other arguments, which "
          "can't be changed here\"}",
          NULL },
        { "allow with the same input", "PermissionRequest", 0,
          ASKED("\"behavior\":\"allow\",\"updatedInput\":{\"file_path\":\"/repo/a.c\","
                "\"old_string\":\"x\"}"),
          "", "{\"decision\":\"allow\"}", NULL },
        { "what has no effect", "PermissionRequest", 0,
          ASKED("\"behavior\":\"deny\",\"message\":\"no\",\"interrupt\":true"), "", BLOCK("no"),
          "'interrupt' has no effect" },
        { "new rules", "PermissionRequest", 0,
          ASKED("\"behavior\":\"allow\",\"updatedPermissions\":[]"), "", "{\"decision\":\"allow\"}",
          "'updatedPermissions' has no effect" },
        { "no behavior", "PermissionRequest", 0, ASKED("\"message\":\"no\""), "", NULL,
          "'decision' needs 'behavior'" },
        { "stop", "PermissionRequest", 0, "{\"continue\":false,\"stopReason\":\"enough\"}", "",
          BLOCK("enough"), NULL },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void answers_after_a_tool(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "block is a text for the model", POST, 0, "{\"decision\":\"block\",\"reason\":\"no\"}",
          "", INJECT("decision", "no"), NULL },
        { "the same when it failed", FAILED, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "",
          INJECT("decision", "no"), NULL },
        { "exit 2 adds nothing to a reason", POST, 2, "{\"decision\":\"block\",\"reason\":\"no\"}",
          "other", INJECT("decision", "no"), NULL },
        { "context", POST, 0, SPECIFIC(POST, "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "context when it failed", FAILED, 0, SPECIFIC(FAILED, "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "another output", POST, 0, SPECIFIC(POST, "\"updatedToolOutput\":\"***\""), "",
          "{\"replace\":{\"output\":\"***\"}}", NULL },
        { "another output of a shell", POST, 0,
          SPECIFIC(POST, "\"updatedToolOutput\":{\"stdout\":\"a\",\"stderr\":\"b\"}"), "",
          "{\"replace\":{\"output\":\"a\\nb\"}}", NULL },
        { "another output of a file", POST, 0,
          SPECIFIC(POST, "\"updatedToolOutput\":{\"type\":\"text\",\"file\":{\"content\":\"a\"}}"),
          "", "{\"replace\":{\"output\":\"a\"}}", NULL },
        { "another output of a server's tool", POST, 0,
          SPECIFIC(POST, "\"updatedMCPToolOutput\":[{\"type\":\"text\"}]"), "",
          "{\"replace\":{\"output\":[{\"type\":\"text\"}]}}", NULL },
        { "the same output", POST, 0,
          SPECIFIC(POST, "\"updatedToolOutput\":{\"filePath\":\"/repo/a.c\",\"success\":true}"), "",
          "{}", NULL },
        { "not when it failed", FAILED, 0, SPECIFIC(FAILED, "\"updatedToolOutput\":\"x\""), "",
          "{}", "unknown field 'updatedToolOutput' at PostToolUseFailure" },
        { "stop", POST, 0, "{\"continue\":false,\"stopReason\":\"enough\"}", "",
          "{\"stop\":\"enough\"}", NULL },
        { "CL-22 stop when it failed", FAILED, 0, "{\"continue\":false,\"stopReason\":\"enough\"}",
          "", "{\"stop\":\"enough\"}", NULL },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void answers_at_a_stop(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "block goes on", "Stop", 0, "{\"decision\":\"block\",\"reason\":\"test it\"}", "",
          CONTINUE("test it"), NULL },
        { "a subagent, too", "SubagentStop", 0, "{\"decision\":\"block\",\"reason\":\"test it\"}",
          "", CONTINUE("test it"), NULL },
        { "without a reason", "Stop", 0, "{\"decision\":\"block\"}", "",
          CONTINUE("a hook wants the work to go on and gave no reason"), NULL },
        { "context goes on", "Stop", 0, SPECIFIC("Stop", "\"additionalContext\":\"x\""), "",
          CONTINUE("x"), NULL },
        { "stop beats block", "Stop", 0,
          "{\"decision\":\"block\",\"reason\":\"x\",\"continue\":false,\"stopReason\":\"enough\"}",
          "", "{\"stop\":\"enough\"}", NULL },
        { "stop beats context", "Stop", 0,
          "{\"continue\":false,\"hookSpecificOutput\":{\"hookEventName\":\"Stop\","
          "\"additionalContext\":\"x\"}}",
          "", "{\"stop\":\"stopped by a hook without a reason\"}", NULL },
        { "stop beats exit 2", "Stop", 2, "{\"continue\":false,\"stopReason\":\"enough\"}", "on",
          "{\"stop\":\"enough\"}", NULL },
        { "continue: true", "Stop", 0, "{\"continue\":true,\"suppressOutput\":true}", "", "{}",
          NULL },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void answers_elsewhere(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "prompt blocked", PROMPT, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "",
          BLOCK("no"), NULL },
        { "context for a prompt", PROMPT, 0, SPECIFIC(PROMPT, "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "context of a session", START, 0, SPECIFIC(START, "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "context of a subagent", "SubagentStart", 0,
          SPECIFIC("SubagentStart", "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "context survives a block", PRE, 0,
          "{\"decision\":\"block\",\"reason\":\"no\",\"hookSpecificOutput\":{\"hookEventName\":"
          "\"PreToolUse\",\"additionalContext\":\"x\"}}",
          "",
          "{\"decision\":\"block\",\"reason\":\"no\",\"inject\":[{\"id\":\"additionalContext\","
          "\"text\":\"x\",\"priority\":\"normal\"}]}",
          NULL },
        { "compaction blocked", "PreCompact", 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "",
          BLOCK("no"), NULL },
        { "compaction stopped", "PreCompact", 0, "{\"continue\":false,\"stopReason\":\"no\"}", "",
          BLOCK("no"), NULL },
        { "stop at a tool beats allow", PRE, 0,
          "{\"continue\":false,\"stopReason\":\"no\",\"decision\":\"approve\"}", "",
          "{\"stop\":\"no\"}", NULL },
        { "a word to the person", "SessionEnd", 0, "{\"systemMessage\":\"bye\"}", "",
          "{\"say\":\"bye\"}", NULL },
        { "no block at a start", START, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "", "{}",
          "'decision' has no effect at SessionStart" },
        { "no stop after the end", "SessionEnd", 0, "{\"continue\":false}", "", "{}",
          "'continue' has no effect at SessionEnd" },
        { "known and idle", START, 0, SPECIFIC(START, "\"watchPaths\":[\"a\"]"), "", "{}",
          "'watchPaths' has no effect" },
        { "known and of a wrong type", START, 0, SPECIFIC(START, "\"watchPaths\":1"), "", NULL,
          "'watchPaths' must be an array" },
        { "newer than we are", START, 0, SPECIFIC(START, "\"shiny\":1"), "", "{}",
          "unknown field 'shiny' at SessionStart" },
    };

    answers_check("claude", rows, ARRAY_LEN(rows));
}

static void fill(struct strbuf *b, const char *piece, size_t times)
{
    while (times--)
        strbuf_addstr(b, piece);
}

static void a_text_of_10000_characters_is_whole(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf wanted = { 0 };

    fill(&wanted, "ä", 10000);
    answers_check("claude",
                  &(struct answer_row){ "10000 characters", PRE, 2, "", strbuf_cstr(&wanted),
                                        arena_printf(&a, BLOCK("%s"), strbuf_cstr(&wanted)), NULL },
                  1);
}

static void an_answer_that_was_cut_is_no_answer(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = answers_event(&a, PRE, ANSWERS_DATA);
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_answer answer = { &v, &warnings };
    const struct dialect *d = dialect_find(STR("claude"));
    struct err e = { 0 };

    strbuf_addstr(&run.out.text, "{}");
    strbuf_addstr(&run.err.text, "no");
    run.out.text.truncated = true;
    assert_true(d->decode(&a, &seen, &run, &answer, &e) < 0);
    assert_non_null(strstr(e.msg, "wrote more than"));
    run.exit_code = 2;
    assert_int_equal(d->decode(&a, &seen, &run, &answer, &e), 0);
    assert_string_equal(v.reason, "no");
}

static void timeouts_are_theirs(void **state UNUSED)
{
    static const struct {
        const char *dialect;
        enum point point;
        uint32_t ms;
    } rows[] = {
        { "claude", POINT_TOOL_EXECUTE_BEFORE, 600000 }, { "claude", POINT_CHAT_MESSAGE, 30000 },
        { "claude", POINT_SESSION_ENDED, 1500 },         { "codex", POINT_CHAT_MESSAGE, 600000 },
        { "codex", POINT_SESSION_ENDED, 1000 },          { "native", POINT_SESSION_ENDED, 30000 },
    };
    struct subscription two[] = { { .point = POINT_SESSION_ENDED },
                                  { .point = POINT_CHAT_MESSAGE } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct subscription on = { .point = rows[i].point };

        assert_int_equal(dialect_timeout(dialect_find(str_of(rows[i].dialect)), &on, 1),
                         rows[i].ms);
    }
    assert_int_equal(dialect_timeout(dialect_find(STR("claude")), two, 2), 30000);
    assert_int_equal(dialect_timeout(dialect_find(STR("claude")), NULL, 0), 600000);
}

TESTS(cmocka_unit_test(every_cell_of_exit_code_and_output),
      cmocka_unit_test(outcomes_before_a_tool), cmocka_unit_test(exit_code_2_at_every_event),
      cmocka_unit_test(everything_at_every_event),
      cmocka_unit_test(plain_text_is_context_at_two_events_only),
      cmocka_unit_test(permission_decisions),
      cmocka_unit_test(changed_input_comes_back_in_our_names),
      cmocka_unit_test(consent_to_a_permission), cmocka_unit_test(answers_after_a_tool),
      cmocka_unit_test(answers_at_a_stop), cmocka_unit_test(answers_elsewhere),
      cmocka_unit_test(a_text_of_10000_characters_is_whole),
      cmocka_unit_test(an_answer_that_was_cut_is_no_answer), cmocka_unit_test(timeouts_are_theirs))
