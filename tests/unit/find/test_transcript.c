#include "find/transcript.h"
#include "test.h"

static void claude_s_tool_uses_are_calls(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;

    transcript_read(&a, "claude",
                    STR("{\"type\":\"user\",\"sessionId\":\"s\",\"cwd\":\"/w\","
                        "\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":\"no\"}]}}\n"
                        "not json\n"
                        "{\"type\":\"assistant\",\"timestamp\":\"2026\",\"message\":{\"content\":["
                        "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Bash\"},"
                        "{\"type\":\"tool_use\",\"id\":\"2\",\"name\":\"Read\"}]}}\n"),
                    &t);
    assert_string_equal(t.session, "s");
    assert_string_equal(t.cwd, "/w");
    assert_int_equal(t.count, 2);
    assert_string_equal(t.calls[1].id, "2");
    assert_string_equal(t.calls[1].tool, "Read");
    assert_string_equal(t.calls[1].at, "2026");
}

static void codex_s_calls_are_not_their_outputs(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;

    transcript_read(
        &a, "codex",
        STR("{\"type\":\"session_meta\",\"payload\":{\"id\":\"s\",\"cwd\":\"/w\"}}\n"
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",\"call_id\":\"1\","
            "\"name\":\"exec_command\"}}\n"
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\","
            "\"call_id\":\"1\"}}\n"
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"local_shell_call\","
            "\"call_id\":\"2\"}}\n"),
        &t);
    assert_string_equal(t.session, "s");
    assert_int_equal(t.count, 2);
    assert_string_equal(t.calls[0].tool, "exec_command");
    assert_string_equal(t.calls[1].tool, "shell");
}

static void a_call_that_gemini_writes_again_is_one(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;

    transcript_read(
        &a, "gemini",
        STR("{\"sessionId\":\"s\"}\n"
            "{\"toolCalls\":[{\"id\":\"1\",\"name\":\"glob\"}]}\n"
            "{\"toolCalls\":[{\"id\":\"1\",\"name\":\"glob\"},{\"name\":\"x\"}]}\n"
            "{\"$set\":{\"messages\":[{\"toolCalls\":[{\"id\":\"2\",\"name\":\"y\"}]}]}}"),
        &t);
    assert_int_equal(t.count, 3);
    assert_string_equal(t.calls[1].id, "");
    transcript_read(&a, "gemini",
                    STR("{\"sessionId\":\"t\",\n\"messages\":[{\"toolCalls\":[{\"id\":\"1\","
                        "\"name\":\"glob\"}]}]}\n"),
                    &t);
    assert_string_equal(t.session, "t");
    assert_int_equal(t.count, 1);
}

static void of_other_agents_nothing_is_known(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;

    assert_false(transcript_is_known("opencode"));
    transcript_read(&a, "opencode", STR("{}"), &t);
    assert_int_equal(t.count, 0);
    assert_null(t.session);
}

TESTS(cmocka_unit_test(claude_s_tool_uses_are_calls),
      cmocka_unit_test(codex_s_calls_are_not_their_outputs),
      cmocka_unit_test(a_call_that_gemini_writes_again_is_one),
      cmocka_unit_test(of_other_agents_nothing_is_known))
