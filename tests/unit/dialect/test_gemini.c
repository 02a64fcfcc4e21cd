/* What a hook written for Gemini CLI is told, field by field, and what its answers mean. */
#include "dialect/dialect.h"
#include "dialect/gemini_payload.h"
#include "value.h"

#include <signal.h>

static const struct dialect *gemini(void)
{
    return dialect_find(STR("gemini"));
}

static const struct session session = { .id = "s1", .cwd = "/repo" };

/* Payloads ------------------------------------------------------------------------------------- */

struct field {
    const char *pointer, *text; /* NULL: absent */
};

static void check_payload(enum point point, const char *data, const struct field *fields)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = point, .session = session, .data = value_of(&a, data) };
    const struct json *j;

    assert_true(gemini()->speaks(point));
    j = gemini()->encode(&a, &(struct dialect_event){ .event = &ev });
    for (; fields->pointer; fields++) {
        const struct json *field = json_pointer(j, fields->pointer);
        const char *text = field ? json_text(&a, field) : "absent";

        if (strcmp(text, fields->text ? fields->text : "absent") != 0)
            fail_msg("%s is %s in %s", fields->pointer, text, json_text(&a, j));
    }
}

#define FIELDS(...) ((struct field[]){ __VA_ARGS__, { NULL, NULL } })

static void every_event_has_its_name(void **state UNUSED)
{
    static const struct {
        enum point point;
        const char *name;
    } rows[] = {
        { POINT_SESSION_CREATED, "\"SessionStart\"" },
        { POINT_SESSION_ENDED, "\"SessionEnd\"" },
        { POINT_CHAT_MESSAGE, "\"BeforeAgent\"" },
        { POINT_AGENT_STOP, "\"AfterAgent\"" },
        { POINT_MESSAGES_TRANSFORM, "\"BeforeModel\"" },
        { POINT_TOOL_EXECUTE_BEFORE, "\"BeforeTool\"" },
        { POINT_TOOL_EXECUTE_AFTER, "\"AfterTool\"" },
        { POINT_SESSION_COMPACTING, "\"PreCompress\"" },
        { POINT_NOTIFICATION, "\"Notification\"" },
    };
    unsigned count = 0;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_payload(rows[i].point, "{}", FIELDS({ "/hook_event_name", rows[i].name }));
    for (int p = 0; p < POINT_COUNT; p++)
        count += gemini()->speaks((enum point)p);
    assert_int_equal(count, ARRAY_LEN(rows));
}

static void every_payload_has_the_base(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_NOTIFICATION, .session = session };
    const struct json *j = gemini()->encode(&a, &(struct dialect_event){ .event = &ev });
    struct str at = json_str(&a, json_get(j, STR("timestamp")));

    check_payload(POINT_NOTIFICATION, "{}",
                  FIELDS({ "/session_id", "\"s1\"" }, { "/transcript_path", "\"\"" },
                         { "/cwd", "\"/repo\"" }));
    assert_int_equal(at.len, strlen("2026-11-15T02:50:32.763Z"));
    assert_true(at.ptr[10] == 'T' && at.ptr[at.len - 1] == 'Z');
}

static void triggers_are_words_that_gemini_knows(void **state UNUSED)
{
    check_payload(POINT_SESSION_CREATED, "{}", FIELDS({ "/source", "\"startup\"" }));
    check_payload(POINT_SESSION_CREATED, "{\"source\":\"resume\"}",
                  FIELDS({ "/source", "\"resume\"" }));
    check_payload(POINT_SESSION_ENDED, "{\"reason\":\"exit\"}", FIELDS({ "/reason", "\"exit\"" }));
    check_payload(POINT_SESSION_ENDED, "{\"reason\":\"because\"}",
                  FIELDS({ "/reason", "\"other\"" }));
    check_payload(POINT_SESSION_COMPACTING, "{\"trigger\":\"manual\"}",
                  FIELDS({ "/trigger", "\"manual\"" }));
    check_payload(POINT_SESSION_COMPACTING, "{\"trigger\":\"hook\"}",
                  FIELDS({ "/trigger", "\"auto\"" }));
}

static void notifications_and_prompts(void **state UNUSED)
{
    check_payload(POINT_NOTIFICATION,
                  "{\"kind\":\"permission_prompt\",\"message\":\"may I\",\"details\":{\"n\":1}}",
                  FIELDS({ "/notification_type", "\"ToolPermission\"" },
                         { "/message", "\"may I\"" }, { "/details", "{\"n\":1}" }));
    check_payload(
        POINT_NOTIFICATION, "{\"kind\":\"idle\"}",
        FIELDS({ "/notification_type", "\"idle\"" }, { "/message", "\"\"" }, { "/details", "{}" }));
    check_payload(POINT_CHAT_MESSAGE, "{\"message\":{\"text\":\"hi\"}}",
                  FIELDS({ "/prompt", "\"hi\"" }));
    check_payload(POINT_CHAT_MESSAGE, "{\"message\":\"hi\"}", FIELDS({ "/prompt", "\"hi\"" }));
    check_payload(POINT_CHAT_MESSAGE,
                  "{\"message\":{\"parts\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"file\"},"
                  "{\"type\":\"text\",\"text\":\"b\"}]}}",
                  FIELDS({ "/prompt", "\"ab\"" }));
    check_payload(POINT_CHAT_MESSAGE, "{}", FIELDS({ "/prompt", "\"\"" }));
}

static void tools_have_geminis_names(void **state UNUSED)
{
    check_payload(POINT_TOOL_EXECUTE_BEFORE,
                  "{\"tool\":\"bash\",\"args\":{\"command\":\"echo hello-from-tool\"}}",
                  FIELDS({ "/tool_name", "\"run_shell_command\"" },
                         { "/tool_input", "{\"command\":\"echo hello-from-tool\"}" },
                         { "/tool_response", NULL }, { "/mcp_context", NULL }));
    check_payload(POINT_TOOL_EXECUTE_BEFORE,
                  "{\"tool\":\"mcp_jira_find\",\"native\":{\"mcp_context\":{\"server_name\":"
                  "\"jira\"},\"original_request_name\":\"find\"}}",
                  FIELDS({ "/tool_name", "\"mcp_jira_find\"" }, { "/tool_input", "{}" },
                         { "/mcp_context/server_name", "\"jira\"" },
                         { "/original_request_name", "\"find\"" }));
    check_payload(POINT_TOOL_EXECUTE_AFTER,
                  "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"},\"output\":\"a\\nb\","
                  "\"success\":true}",
                  FIELDS({ "/tool_name", "\"run_shell_command\"" },
                         { "/tool_input/command", "\"ls\"" },
                         { "/tool_response", "{\"llmContent\":\"a\\nb\",\"returnDisplay\":"
                                             "\"a\\nb\"}" }));
    check_payload(POINT_TOOL_EXECUTE_AFTER,
                  "{\"tool\":\"bash\",\"title\":\"ls\",\"output\":\"gone\",\"success\":false}",
                  FIELDS({ "/tool_response/returnDisplay", "\"ls\"" },
                         { "/tool_response/error", "{\"message\":\"gone\"}" }));
    check_payload(POINT_TOOL_EXECUTE_AFTER, "{\"tool\":\"x\",\"output\":{\"n\":1}}",
                  FIELDS({ "/tool_response/llmContent", "{\"n\":1}" },
                         { "/tool_response/returnDisplay", "\"{\\\"n\\\":1}\"" }));
}

#define CONVERSATION                                                                         \
    "[{\"role\":\"user\",\"content\":\"fix it\"},{\"role\":\"assistant\",\"content\":["      \
    "{\"type\":\"text\",\"text\":\"I \"},{\"type\":\"tool_call\",\"tool\":\"bash\"},"        \
    "{\"type\":\"text\",\"text\":\"will\"}]},{\"role\":\"user\",\"content\":["               \
    "{\"type\":\"tool_result\",\"output\":\"done\"}]},{\"role\":\"assistant\",\"content\":[" \
    "{\"type\":\"reasoning\",\"text\":\"hm\"},{\"type\":\"text\",\"text\":\"Fixed.\"}]}]"

/* GM-12: hooks see the texts of a conversation, and nothing else. */
static void the_request_is_a_view_of_the_texts(void **state UNUSED)
{
    check_payload(
        POINT_MESSAGES_TRANSFORM, "{\"messages\":" CONVERSATION "}",
        FIELDS({ "/llm_request/model", "\"\"" }, { "/llm_request/config", "{}" },
               { "/llm_request/messages",
                 "[{\"role\":\"user\",\"content\":\"fix it\"},{\"role\":\"model\",\"content\":"
                 "\"I will\"},{\"role\":\"model\",\"content\":\"Fixed.\"}]" }));
    check_payload(POINT_MESSAGES_TRANSFORM,
                  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be\"}]}",
                  FIELDS({ "/llm_request/model", "\"m\"" },
                         { "/llm_request/messages/0/role", "\"system\"" }));
}

static void the_end_has_the_prompt_and_what_was_said_since(void **state UNUSED)
{
    check_payload(POINT_AGENT_STOP, "{\"messages\":" CONVERSATION ",\"continuations\":0}",
                  FIELDS({ "/prompt", "\"fix it\"" }, { "/prompt_response", "\"I will\\nFixed.\"" },
                         { "/stop_hook_active", "false" }));
    check_payload(POINT_AGENT_STOP, "{\"continuations\":1}",
                  FIELDS({ "/prompt", "\"\"" }, { "/prompt_response", "\"\"" },
                         { "/stop_hook_active", "true" }));
}

static void the_environment_is_geminis(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_NOTIFICATION, .session = { .id = "s1", .cwd = "/nowhere" } };
    const char *const *env = gemini()->variables(&a, &(struct dialect_event){ .event = &ev });

    assert_string_equal(env[0], "GEMINI_PROJECT_DIR=/nowhere");
    assert_string_equal(env[1], "GEMINI_CWD=/nowhere");
    assert_string_equal(env[2], "GEMINI_SESSION_ID=s1");
    assert_string_equal(env[3], "CLAUDE_PROJECT_DIR=/nowhere");
    assert_non_null(strstr(env[4], "GEMINI_PLANS_DIR="));
    assert_non_null(strstr(env[4], "/.gemini/tmp/nowhere/plans"));
    assert_null(env[5]);
    assert_int_equal(gemini()->timeout_ms, 60000);
    assert_string_equal(gemini()->shell, "bash");
}

/* Answers -------------------------------------------------------------------------------------- */

struct row {
    const char *name;
    enum point point;
    int exit_code; /* negative: killed by that signal */
    const char *out, *err;
    const char *verdict; /* what it says, a failed run too */
    const char *fails;   /* NULL: it does not */
    const char *warns;   /* NULL: nothing */
};

#define DATA                                                                                  \
    "{\"tool\":\"edit\",\"args\":{\"path\":\"a\"},\"output\":\"secret\",\"messages\":"        \
    "[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":[{\"type\":" \
    "\"text\",\"text\":\"yes\"},{\"type\":\"tool_call\"}]}]}"

static void check(const struct row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = row->point, .session = session, .data = value_of(&a, DATA) };
    struct verdict v = { 0 };
    struct err e = { 0 };
    const char *got;
    int r;

    if (row->exit_code < 0)
        run.end = PROC_SIGNALED, run.signal = -row->exit_code, run.exit_code = 0;
    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    r = gemini()->decode(&a, &(struct dialect_event){ .event = &ev }, &run,
                         &(struct dialect_answer){ &v, &warnings }, &e);
    got = json_text(&a, verdict_to_json(&a, &v));
    if (strcmp(got, row->verdict) != 0)
        fail_msg("%s: '%s' gives %s", row->name, row->out, got);
    if (row->fails ? r == 0 || !strstr(e.msg, row->fails) : r < 0)
        fail_msg("%s: '%s': %s", row->name, row->out, r < 0 ? e.msg : "did not fail");
    if (row->warns ? !strstr(strbuf_cstr(&warnings), row->warns) : warnings.len > 0)
        fail_msg("%s: '%s' warns '%s'", row->name, row->out, strbuf_cstr(&warnings));
}

static void check_all(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&rows[i]);
}

#define BEFORE  POINT_TOOL_EXECUTE_BEFORE
#define AFTER   POINT_TOOL_EXECUTE_AFTER
#define STOP    POINT_AGENT_STOP
#define PROMPT  POINT_CHAT_MESSAGE
#define REQUEST POINT_MESSAGES_TRANSFORM
#define START   POINT_SESSION_CREATED
#define ALLOWS  "\"reason\":\"\""

/* The rows of the table of outcomes, and those of GM-8. */
static void every_end_has_its_meaning(void **state UNUSED)
{
    static const struct row rows[] = {
        { "exit 0, empty", BEFORE, 0, "", "", "{}", NULL, NULL },
        { "exit 0, plain text", BEFORE, 0, "hello\n", "", "{" ALLOWS ",\"say\":\"hello\"}", NULL,
          NULL },
        { "exit 0, text on stderr", BEFORE, 0, " ", "log", "{" ALLOWS ",\"say\":\"log\"}", NULL,
          NULL },
        { "exit 0, broken JSON", BEFORE, 0, "{\"decision\":\"deny\"", "",
          "{" ALLOWS ",\"say\":\"{\\\"decision\\\":\\\"deny\\\"\"}", NULL, NULL },
        { "exit 0, text and JSON", BEFORE, 0, "log\n{\"decision\":\"deny\"}", "",
          "{" ALLOWS ",\"say\":\"log\\n{\\\"decision\\\":\\\"deny\\\"}\"}", NULL, NULL },
        { "exit 0, unknown field", BEFORE, 0, "{\"colour\":1}", "", "{}", NULL,
          "unknown field 'colour'" },
        { "exit 0, a number", BEFORE, 0, "5", "", "{}", NULL, NULL },
        { "exit 0, a list", BEFORE, 0, "[1]", "", "{}", NULL, NULL },
        { "exit 2 + stderr", BEFORE, 2, "", "no\n", "{\"decision\":\"block\",\"reason\":\"no\"}",
          NULL, NULL },
        { "exit 2, text on stdout", BEFORE, 2, "no", "log",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "exit 2, silent", BEFORE, 2, "", "", "{}", "exited with code 2", NULL },
        { "exit 2 + JSON allow", BEFORE, 2, "{\"decision\":\"allow\"}", "no", "{" ALLOWS "}", NULL,
          NULL },
        { "exit 2 + JSON on stderr", BEFORE, 2, "", "{\"decision\":\"deny\",\"reason\":\"no\"}",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "exit 1 + stderr", BEFORE, 1, "", "odd\n", "{" ALLOWS ",\"say\":\"Warning: odd\"}",
          "exited with code 1: odd", NULL },
        { "exit 1, silent", BEFORE, 1, "", "", "{}", "exited with code 1", NULL },
        { "exit 1 + JSON deny", BEFORE, 1, "{\"decision\":\"deny\",\"reason\":\"no\"}", "",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "exit 3 + stderr", BEFORE, 3, "", "odd", "{\"decision\":\"block\",\"reason\":\"odd\"}",
          NULL, NULL },
        { "exit 127", BEFORE, 127, "", "bash: x: command not found",
          "{\"decision\":\"block\",\"reason\":\"bash: x: command not found\"}", NULL, NULL },
        { "killed by signal", BEFORE, -SIGSEGV, "", "", "{}", "was killed by SIGSEGV", NULL },
        { "killed by signal, text", BEFORE, -SIGTERM, "bye", "", "{" ALLOWS ",\"say\":\"bye\"}",
          "was killed by SIGTERM", NULL },
        { "killed by signal, JSON", BEFORE, -SIGKILL, "{\"decision\":\"deny\"}", "",
          "{\"decision\":\"block\",\"reason\":\"No reason provided\"}", NULL, NULL },
        { "encoded twice", BEFORE, 0, "\"{\\\"decision\\\":\\\"deny\\\"}\"", "",
          "{\"decision\":\"block\",\"reason\":\"No reason provided\"}", NULL, NULL },
        { "a string", BEFORE, 0, "\"hi\"", "", "{" ALLOWS ",\"say\":\"\\\"hi\\\"\"}", NULL, NULL },
        { "a string and exit 2", BEFORE, 2, "\"hi\"", "",
          "{\"decision\":\"block\",\"reason\":\"\\\"hi\\\"\"}", NULL, NULL },
        { "no deny at SessionStart", START, 2, "", "no", "{}", "exited with code 2: no", NULL },
    };

    check_all(rows, ARRAY_LEN(rows));
}

/* GM-11, GM-13: words, the order of reasons, a stop before a refusal. */
static void decisions(void **state UNUSED)
{
    static const struct row rows[] = {
        { "block is deny", BEFORE, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "stopReason first", BEFORE, 0,
          "{\"decision\":\"deny\",\"reason\":\"r\",\"stopReason\":\"s\"}", "",
          "{\"decision\":\"block\",\"reason\":\"s\"}", NULL, NULL },
        { "empty reasons are none", BEFORE, 0,
          "{\"decision\":\"deny\",\"reason\":\"r\",\"stopReason\":\"\"}", "",
          "{\"decision\":\"block\",\"reason\":\"r\"}", NULL, NULL },
        { "ask", BEFORE, 0, "{\"decision\":\"ask\",\"reason\":\"sure?\"}", "",
          "{\"decision\":\"ask\",\"reason\":\"sure?\"}", NULL, NULL },
        { "ask elsewhere", PROMPT, 0, "{\"decision\":\"ask\"}", "", "{}", NULL,
          "'ask' has no effect at BeforeAgent" },
        { "allow is no opinion", BEFORE, 0, "{\"decision\":\"approve\",\"reason\":\"ok\"}", "",
          "{\"reason\":\"ok\"}", NULL, NULL },
        { "unknown word", BEFORE, 0, "{\"decision\":\"maybe\"}", "", "{}", NULL,
          "'decision' must be allow, deny or ask, not 'maybe'" },
        { "wrong type", BEFORE, 0, "{\"decision\":true,\"continue\":\"false\"}", "", "{}", NULL,
          "'continue' must be a boolean, not a string" },
        { "null", BEFORE, 0, "{\"decision\":null,\"hookSpecificOutput\":null}", "", "{}", NULL,
          NULL },
        { "stop beats deny", BEFORE, 0,
          "{\"continue\":false,\"decision\":\"deny\",\"reason\":\"r\"}", "", "{\"stop\":\"r\"}",
          NULL, NULL },
        { "stop without a reason", AFTER, 0, "{\"continue\":false}", "",
          "{\"stop\":\"No reason provided\"}", NULL, NULL },
        { "continue", AFTER, 0, "{\"continue\":true,\"suppressOutput\":true}", "", "{}", NULL,
          NULL },
        { "say", POINT_NOTIFICATION, 0, "{\"systemMessage\":\"psst\"}", "", "{\"say\":\"psst\"}",
          NULL, NULL },
    };

    check_all(rows, ARRAY_LEN(rows));
}

/* The table of events and what their hooks can do. */
static void every_event_has_its_powers(void **state UNUSED)
{
    static const struct row rows[] = {
        { "deny", PROMPT, 0, "{\"decision\":\"deny\",\"reason\":\"no\"}", "",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "deny", REQUEST, 0, "{\"decision\":\"deny\",\"reason\":\"no\"}", "",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL, NULL },
        { "deny", AFTER, 0, "{\"decision\":\"deny\",\"reason\":\"secret\"}", "",
          "{\"decision\":\"block\",\"reason\":\"Tool result blocked: secret\"}", NULL, NULL },
        { "deny", STOP, 0, "{\"decision\":\"deny\",\"reason\":\"run the tests\"}", "",
          "{\"reason\":\"run the tests\",\"result\":\"continue\",\"follow_up_messages\":"
          "[\"run the tests\"]}",
          NULL, NULL },
        { "deny", START, 0, "{\"decision\":\"deny\"}", "", "{}", NULL,
          "'deny' has no effect at SessionStart" },
        { "deny", POINT_SESSION_COMPACTING, 0, "{\"decision\":\"block\"}", "", "{}", NULL,
          "'block' has no effect at PreCompress" },
        { "stop", PROMPT, 0, "{\"continue\":false,\"stopReason\":\"s\"}", "", "{\"stop\":\"s\"}",
          NULL, NULL },
        { "stop", STOP, 0, "{\"continue\":false,\"stopReason\":\"s\"}", "", "{\"stop\":\"s\"}",
          NULL, NULL },
        { "stop", REQUEST, 0, "{\"continue\":false,\"stopReason\":\"s\"}", "", "{\"stop\":\"s\"}",
          NULL, NULL },
        { "stop", START, 0, "{\"continue\":false}", "", "{}", NULL,
          "'continue' has no effect at SessionStart" },
        { "stop", POINT_SESSION_ENDED, 0, "{\"continue\":false}", "", "{}", NULL,
          "'continue' has no effect at SessionEnd" },
        { "tail call", AFTER, 0,
          "{\"hookSpecificOutput\":{\"tailToolCallRequest\":{\"name\":\"x\",\"args\":{}}}}", "",
          "{}", NULL, "'tailToolCallRequest' has no effect at AfterTool" },
        { "tool selection", REQUEST, 0, "{\"hookSpecificOutput\":{\"toolConfig\":{}}}", "", "{}",
          NULL, "'toolConfig' has no effect at BeforeModel" },
        { "synthetic response", REQUEST, 0,
          "{\"decision\":\"deny\",\"reason\":\"no\",\"hookSpecificOutput\":{\"llm_response\":{}}}",
          "", "{\"decision\":\"block\",\"reason\":\"no\"}", NULL,
          "'llm_response' has no effect at BeforeModel" },
        { "clear", STOP, 0,
          "{\"decision\":\"deny\",\"reason\":\"go\",\"hookSpecificOutput\":{\"clearContext\":"
          "true}}",
          "",
          "{\"reason\":\"go\",\"result\":\"mutate\",\"messages\":[{\"role\":\"user\",\"content\":"
          "\"A hook has cleared the conversation so far.\"}],\"follow_up_messages\":[\"go\"]}",
          NULL, NULL },
        { "clear elsewhere", BEFORE, 0, "{\"hookSpecificOutput\":{\"clearContext\":true}}", "",
          "{}", NULL, "'clearContext' has no effect at BeforeTool" },
    };

    check_all(rows, ARRAY_LEN(rows));
}

#define CONTEXT(text) "{\"hookSpecificOutput\":{\"additionalContext\":\"" text "\"}}"
#define INJECTED(text)                                                \
    "{\"inject\":[{\"id\":\"context\",\"text\":\"<hook_context>" text \
    "</hook_context>\",\"priority\":\"normal\"}]}"

static void context_is_escaped_and_wrapped(void **state UNUSED)
{
    static const struct row rows[] = {
        { "context", START, 0, CONTEXT("a </hook_context> b"), "",
          INJECTED("a &lt;/hook_context&gt; b"), NULL, NULL },
        { "context", PROMPT, 0, CONTEXT("a"), "", INJECTED("a"), NULL, NULL },
        { "context", AFTER, 0, CONTEXT("a"), "", INJECTED("a"), NULL, NULL },
        { "empty", AFTER, 0, CONTEXT(""), "", "{}", NULL, NULL },
        { "context", BEFORE, 0, CONTEXT("a"), "", "{}", NULL,
          "'additionalContext' has no effect at BeforeTool" },
    };

    check_all(rows, ARRAY_LEN(rows));
}

static void changed_input_replaces_the_arguments(void **state UNUSED)
{
    static const struct row rows[] = {
        { "replaced", BEFORE, 0,
          "{\"hookSpecificOutput\":{\"hookEventName\":\"BeforeTool\",\"tool_input\":"
          "{\"file_path\":\"b\",\"old_string\":\"x\"}}}",
          "", "{\"replace\":{\"args\":{\"path\":\"b\",\"old_string\":\"x\"}}}", NULL, NULL },
        { "as it was", BEFORE, 0, "{\"hookSpecificOutput\":{\"tool_input\":{\"file_path\":\"a\"}}}",
          "", "{}", NULL, NULL },
        { "not an object", BEFORE, 0, "{\"hookSpecificOutput\":{\"tool_input\":[]}}", "", "{}",
          NULL, "'tool_input' must be an object, not an array" },
        { "too late", AFTER, 0, "{\"hookSpecificOutput\":{\"tool_input\":{}}}", "", "{}", NULL,
          "'tool_input' has no effect at AfterTool" },
    };

    check_all(rows, ARRAY_LEN(rows));
}

#define ASKED(request) "{\"hookSpecificOutput\":{\"llm_request\":" request "}}"

static void a_changed_request_changes_messages_only(void **state UNUSED)
{
    static const struct row rows[] = {
        { "text", REQUEST, 0,
          ASKED("{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"},{\"role\":\"model\","
                "\"content\":\"yes\"}]}"),
          "",
          "{\"replace\":{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"},{\"role\":"
          "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"yes\"},{\"type\":"
          "\"tool_call\"}]}]}}",
          NULL, NULL },
        { "as it was", REQUEST, 0,
          ASKED("{\"model\":\"\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":"
                "\"model\",\"content\":\"yes\"}],\"config\":{}}"),
          "", "{}", NULL, NULL },
        { "model", REQUEST, 0, ASKED("{\"model\":\"other\"}"), "", "{}", NULL,
          "'model' of 'llm_request' can't be changed here" },
        { "config", REQUEST, 0, ASKED("{\"config\":{\"temperature\":0}}"), "", "{}", NULL,
          "'config' of 'llm_request' can't be changed here" },
        { "no messages", REQUEST, 0, ASKED("{\"messages\":[]}"), "", "{}", NULL,
          "'messages' must be a list of messages" },
        { "elsewhere", BEFORE, 0, ASKED("{}"), "", "{}", NULL,
          "'llm_request' has no effect at BeforeTool" },
    };

    check_all(rows, ARRAY_LEN(rows));
}

/* GM-12: what a hook could not see stays. */
static void changed_texts_find_their_messages(void **state UNUSED)
{
    static const char *const rows[][3] = {
        { "[{\"role\":\"user\",\"content\":\"a\"}]", "[{\"role\":\"user\",\"content\":\"a\"}]",
          "[{\"role\":\"user\",\"content\":\"a\"}]" },
        { "[{\"id\":\"m1\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
          "{\"type\":\"file\"},{\"type\":\"text\",\"text\":\"b\"}]}]",
          "[{\"role\":\"user\",\"content\":\"c\"}]",
          "[{\"id\":\"m1\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"c\"},"
          "{\"type\":\"file\"}]}]" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"}]},{\"role\":\"user\","
          "\"content\":\"a\"}]",
          "[{\"role\":\"user\",\"content\":\"b\"}]",
          "[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\"}]},{\"role\":\"user\","
          "\"content\":\"b\"}]" },
        { "[{\"role\":\"user\",\"content\":\"a\"}]",
          "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"model\",\"content\":\"b\"}]",
          "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]" },
        { "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\",\"content\":\"b\"},"
          "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"c\"},{\"type\":"
          "\"tool_call\"}]}]",
          "[{\"role\":\"user\",\"content\":\"a\"}]",
          "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":[{\"type\":"
          "\"tool_call\"}]}]" },
        { "[{\"role\":\"user\",\"content\":\"a\"}]",
          "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}]",
          "[{\"role\":\"user\",\"content\":\"b\"}]" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const struct json *back =
            gemini_messages_back(&a, value_of(&a, rows[i][0]), value_of(&a, rows[i][1]));

        assert_string_equal(json_text(&a, back), rows[i][2]);
    }
}

static void an_answer_that_was_cut_is_no_answer(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = BEFORE };
    struct verdict v = { 0 };
    struct err e = { 0 };

    strbuf_addstr(&run.out.text, "{}");
    run.out.text.truncated = true;
    assert_true(gemini()->decode(&a, &(struct dialect_event){ .event = &ev }, &run,
                                 &(struct dialect_answer){ &v, &warnings }, &e) < 0);
    assert_non_null(strstr(e.msg, "wrote more than"));
}

TESTS(cmocka_unit_test(every_event_has_its_name), cmocka_unit_test(every_payload_has_the_base),
      cmocka_unit_test(triggers_are_words_that_gemini_knows),
      cmocka_unit_test(notifications_and_prompts), cmocka_unit_test(tools_have_geminis_names),
      cmocka_unit_test(the_request_is_a_view_of_the_texts),
      cmocka_unit_test(the_end_has_the_prompt_and_what_was_said_since),
      cmocka_unit_test(the_environment_is_geminis), cmocka_unit_test(every_end_has_its_meaning),
      cmocka_unit_test(decisions), cmocka_unit_test(every_event_has_its_powers),
      cmocka_unit_test(context_is_escaped_and_wrapped),
      cmocka_unit_test(changed_input_replaces_the_arguments),
      cmocka_unit_test(a_changed_request_changes_messages_only),
      cmocka_unit_test(changed_texts_find_their_messages),
      cmocka_unit_test(an_answer_that_was_cut_is_no_answer))
