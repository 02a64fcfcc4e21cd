/* What hooks written for Claude Code and Codex are told, field by field. */
#include "answers.h"
#include "dialect/claude_event.h"

/* The keys of a payload in order, and then some of its values. */
struct told {
    const char *dialect, *event, *data, *keys;
    const char *values[8][2]; /* pointer and JSON */
};

static void check_keys(struct arena *a, const struct json *j, const struct told *t)
{
    CLEANUP(strbuf) struct strbuf keys = { 0 };

    for (const struct json *m = json_first(j); m; m = json_next(m)) {
        struct str key = json_key(a, m);

        strbuf_printf(&keys, "%s%.*s", keys.len ? " " : "", STR_ARG(key));
    }
    if (strcmp(strbuf_cstr(&keys), t->keys) != 0)
        fail_msg("%s %s has %s", t->dialect, t->event, strbuf_cstr(&keys));
}

static void check(const struct told *t)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, t->event, t->data);
    const struct dialect_event told = { .event = &ev };
    const struct dialect *d = dialect_find(str_of(t->dialect));
    const struct json *j;

    ev.turn = 3;
    assert_true(d->speaks(ev.point));
    j = d->encode(&a, &told);
    check_keys(&a, j, t);
    assert_string_equal(json_cstr(&a, json_get(j, STR("hook_event_name"))), t->event);
    for (size_t i = 0; i < ARRAY_LEN(t->values) && t->values[i][0]; i++) {
        const struct json *value = json_pointer(j, t->values[i][0]);
        const char *text = value ? json_text(&a, value) : "absent";

        if (strcmp(text, t->values[i][1]) != 0)
            fail_msg("%s %s: %s is %s", t->dialect, t->event, t->values[i][0], text);
    }
}

#define BASE "session_id transcript_path cwd hook_event_name"
#define SUB  BASE " agent_id agent_type"
#define TURN "session_id turn_id transcript_path cwd hook_event_name model"
#define CALL "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"ls\"}}"
#define DONE                                                                                   \
    "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"ls\"},\"output\":\"a\\n\"," \
    "\"metadata\":{\"duration_ms\":12}}"
#define TALK                                                                             \
    "{\"continuations\":1,\"messages\":[{\"role\":\"assistant\",\"content\":\"first\"}," \
    "{\"role\":\"user\",\"content\":\"more\"},{\"role\":\"assistant\",\"content\":["     \
    "{\"type\":\"reasoning\",\"text\":\"hm\"},{\"type\":\"text\",\"text\":\"a\"},"       \
    "{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\",\"content\":["         \
    "{\"type\":\"tool_call\",\"tool\":\"bash\"}]}]}"

static void claude_is_told_of_prompts_and_tools(void **state UNUSED)
{
    static const struct told rows[] = {
        { "claude",
          "SessionStart",
          "{\"source\":\"resume\",\"model\":\"m\"}",
          BASE " model source",
          { { "/source", "\"resume\"" },
            { "/model", "\"m\"" },
            { "/transcript_path", "\"\"" },
            { "/session_id", "\"s1\"" },
            { "/cwd", "\"/repo\"" } } },
        { "claude", "SessionStart", "{}", BASE " source", { { "/source", "\"startup\"" } } },
        { "claude",
          "SubagentStart",
          "{\"source\":\"subagent\"}",
          SUB,
          { { "/session_id", "\"s1\"" },
            { "/agent_id", "\"a1\"" },
            { "/agent_type", "\"general-purpose\"" } } },
        { "claude",
          "UserPromptSubmit",
          "{\"message\":{\"text\":\"hi\"}}",
          BASE " permission_mode prompt",
          { { "/prompt", "\"hi\"" }, { "/permission_mode", "\"default\"" } } },
        { "claude",
          "UserPromptSubmit",
          "{\"message\":{\"parts\":[{\"text\":\"a\"},{\"type\":\"file\"},{\"text\":\"b\"}]}}",
          BASE " permission_mode prompt",
          { { "/prompt", "\"a\\nb\"" } } },
        { "claude",
          "PreToolUse",
          CALL,
          BASE " permission_mode tool_name tool_input tool_use_id",
          { { "/tool_name", "\"Bash\"" },
            { "/tool_input", "{\"command\":\"ls\"}" },
            { "/tool_use_id", "\"c1\"" } } },
        { "claude",
          "PermissionRequest",
          CALL,
          BASE " permission_mode tool_name tool_input",
          { { "/tool_name", "\"Bash\"" } } },
        { "claude",
          "PostToolUse",
          DONE,
          BASE " permission_mode tool_name tool_input tool_response tool_use_id duration_ms",
          { { "/tool_response", "{\"stdout\":\"a\\n\",\"stderr\":\"\",\"interrupted\":false,"
                                "\"isImage\":false}" },
            { "/duration_ms", "12" } } },
        { "claude",
          "PostToolUseFailure",
          DONE,
          BASE " permission_mode tool_name tool_input tool_use_id duration_ms error",
          { { "/error", "\"a\\n\"" } } },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void claude_is_told_of_stops_and_sessions(void **state UNUSED)
{
    static const struct told rows[] = {
        { "claude",
          "Stop",
          TALK,
          BASE " permission_mode stop_hook_active last_assistant_message background_tasks "
               "session_crons",
          { { "/stop_hook_active", "true" },
            { "/last_assistant_message", "\"a\\nb\"" },
            { "/background_tasks", "[]" } } },
        { "claude",
          "SubagentStop",
          "{\"continuations\":0}",
          "session_id transcript_path cwd hook_event_name permission_mode agent_id agent_type "
          "stop_hook_active agent_transcript_path last_assistant_message background_tasks "
          "session_crons",
          { { "/stop_hook_active", "false" },
            { "/last_assistant_message", "\"\"" },
            { "/agent_transcript_path", "\"\"" } } },
        { "claude",
          "StopFailure",
          "{\"error\":{\"class\":\"rate_limit\",\"message\":\"slow\"}}",
          BASE " error error_details",
          { { "/error", "\"rate_limit\"" }, { "/error_details", "\"slow\"" } } },
        { "claude", "StopFailure", "{}", BASE " error", { { "/error", "\"unknown\"" } } },
        { "claude",
          "PreCompact",
          "{\"trigger\":\"hook\"}",
          BASE " trigger custom_instructions",
          { { "/trigger", "\"auto\"" }, { "/custom_instructions", "\"\"" } } },
        { "claude",
          "PostCompact",
          "{\"trigger\":\"manual\"}",
          BASE " trigger compact_summary",
          { { "/trigger", "\"manual\"" } } },
        { "claude",
          "Notification",
          "{\"kind\":\"idle\",\"message\":\"m\",\"title\":\"t\"}",
          BASE " message title notification_type",
          { { "/notification_type", "\"idle\"" }, { "/message", "\"m\"" } } },
        { "claude",
          "SessionEnd",
          "{\"reason\":\"clear\"}",
          BASE " reason",
          { { "/reason", "\"clear\"" } } },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

/* CX-10, CX-43. The order and the names of fields are those that Codex 0.166 sends. */
static void codex_is_told_what_codex_tells(void **state UNUSED)
{
    static const struct told rows[] = {
        { "codex",
          "SessionStart",
          "{}",
          "session_id transcript_path cwd hook_event_name model permission_mode source",
          { { "/transcript_path", "null" },
            { "/permission_mode", "\"default\"" },
            { "/model", "\"\"" } } },
        { "codex",
          "SubagentStart",
          "{}",
          TURN " permission_mode agent_id agent_type",
          { { "/agent_type", "\"default\"" }, { "/agent_id", "\"a1\"" } } },
        { "codex",
          "UserPromptSubmit",
          "{\"message\":{\"text\":\"hi\",\"model\":\"m\"}}",
          TURN " permission_mode prompt",
          { { "/model", "\"m\"" }, { "/turn_id", "\"s1:3\"" } } },
        { "codex",
          "PreToolUse",
          CALL,
          TURN " permission_mode tool_name tool_input tool_use_id",
          { { "/tool_name", "\"Bash\"" }, { "/tool_input/command", "\"ls\"" } } },
        { "codex",
          "PreToolUse",
          "{\"tool\":\"apply_patch\",\"args\":{\"patch\":\"*** Begin Patch\"}}",
          TURN " permission_mode tool_name tool_input tool_use_id",
          { { "/tool_name", "\"apply_patch\"" },
            { "/tool_input", "{\"command\":\"*** Begin Patch\"}" } } },
        { "codex",
          "PreToolUse",
          "{\"tool\":\"task\",\"args\":{\"prompt\":\"p\"}}",
          TURN " permission_mode tool_name tool_input tool_use_id",
          { { "/tool_name", "\"spawn_agent\"" }, { "/tool_input", "{\"message\":\"p\"}" } } },
        { "codex",
          "PermissionRequest",
          CALL,
          TURN " permission_mode tool_name tool_input",
          { { 0 } } },
        { "codex",
          "PostToolUse",
          DONE,
          TURN " permission_mode tool_name tool_input tool_response tool_use_id",
          { { "/tool_response", "\"a\\n\"" } } },
        { "codex",
          "Stop",
          TALK,
          TURN " permission_mode stop_hook_active last_assistant_message",
          { { "/stop_hook_active", "true" }, { "/last_assistant_message", "\"a\\nb\"" } } },
        { "codex",
          "Stop",
          "{}",
          TURN " permission_mode stop_hook_active last_assistant_message",
          { { "/stop_hook_active", "false" }, { "/last_assistant_message", "null" } } },
        { "codex",
          "SubagentStop",
          "{}",
          TURN " permission_mode agent_id agent_type stop_hook_active agent_transcript_path "
               "last_assistant_message",
          { { "/agent_transcript_path", "null" } } },
        { "codex",
          "PreCompact",
          "{\"trigger\":\"auto\"}",
          TURN " trigger",
          { { "/trigger", "\"auto\"" } } },
        { "codex", "PostCompact", "{}", TURN " trigger", { { "/trigger", "\"auto\"" } } },
        { "codex",
          "SessionEnd",
          "{\"reason\":\"clear\"}",
          BASE " reason",
          { { "/reason", "\"other\"" } } },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static const struct json *encoded(struct arena *a, const char *dialect, struct event *ev)
{
    const struct dialect_event told = { .event = ev };

    return dialect_find(str_of(dialect))->encode(a, &told);
}

/* CL-20 */
static void paths_of_file_tools_are_absolute(void **state UNUSED)
{
    static const char *const rows[][2] = {
        { "{\"tool\":\"read\",\"args\":{\"path\":\"src/../a.c\"}}", "\"/repo/a.c\"" },
        { "{\"tool\":\"edit\",\"args\":{\"path\":\"/etc/a\"}}", "\"/etc/a\"" },
        { "{\"tool\":\"write\",\"args\":{\"file_path\":\"b\"}}", "\"/repo/b\"" },
        { "{\"tool\":\"mcp__x__y\",\"args\":{\"file_path\":\"b\"}}", "\"b\"" },
        { "{\"tool\":\"read\",\"args\":{\"path\":\"a\\u0000b\"}}", "\"a\\u0000b\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = answers_event(&a, "PreToolUse", rows[i][0]);
        const struct json *path = json_pointer(encoded(&a, "claude", &ev), "/tool_input/file_path");

        assert_string_equal(json_text(&a, path), rows[i][1]);
    }
}

static void tools_answer_in_their_shapes(void **state UNUSED)
{
    static const char *const rows[][2] = {
        { "{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"output\":\"x\"}",
          "{\"type\":\"text\",\"file\":{\"filePath\":\"/repo/a\",\"content\":\"x\"}}" },
        { "{\"tool\":\"write\",\"args\":{\"path\":\"a\"},\"output\":\"x\"}",
          "{\"filePath\":\"/repo/a\",\"success\":true}" },
        { "{\"tool\":\"mcp__x__y\",\"output\":[1]}", "[1]" },
        { "{\"tool\":\"grep\",\"output\":\"x\"}", "\"x\"" },
        { "{\"tool\":\"grep\"}", "\"\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = answers_event(&a, "PostToolUse", rows[i][0]);
        const struct json *response = json_get(encoded(&a, "claude", &ev), STR("tool_response"));

        assert_string_equal(json_text(&a, response), rows[i][1]);
    }
}

static void a_subagent_speaks_for_its_parents_session(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE,
                        .session = { .id = "other", .parent = "s1", .agent = "Explore" } };
    const struct json *j = encoded(&a, "claude", &ev);

    assert_string_equal(json_cstr(&a, json_get(j, STR("session_id"))), "s1");
    assert_string_equal(json_cstr(&a, json_get(j, STR("agent_id"))), "other");
    assert_string_equal(json_cstr(&a, json_get(j, STR("agent_type"))), "Explore");
    ev.session.parent = NULL;
    j = encoded(&a, "claude", &ev);
    assert_null(json_get(j, STR("agent_id")));
    assert_string_equal(json_cstr(&a, json_get(j, STR("agent_type"))), "Explore");
    j = encoded(&a, "codex", &ev);
    assert_null(json_get(j, STR("agent_type")));
}

static void each_speaks_where_it_has_an_event(void **state UNUSED)
{
    size_t count;
    const struct point_alias *aliases = point_aliases(&count);

    for (size_t i = 0; i < count; i++)
        for (int codex = 0; codex < 2; codex++) {
            const struct dialect *d = dialect_find(str_of(codex ? "codex" : "claude"));

            if (strstr(aliases[i].systems, d->name) && !d->speaks(aliases[i].on.point))
                fail_msg("%s does not speak at %s", d->name, aliases[i].name);
        }
    assert_false(dialect_find(STR("claude"))->speaks(POINT_CHAT_PARAMS));
    assert_false(dialect_find(STR("codex"))->speaks(POINT_NOTIFICATION));
    assert_false(dialect_find(STR("codex"))->speaks(POINT_AGENT_ERROR));
}

static void variables_name_session_and_workspace(void **state UNUSED)
{
    static const char *const wanted[] = { "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1",
                                          "CLAUDE_CODE_SESSION_ID=s1",
                                          "CLAUDE_PROJECT_DIR=/nowhere/x", NULL };
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, "PreToolUse", "{}");
    const struct dialect_event told = { .event = &ev };
    const char *const *env;

    ev.session.cwd = "/nowhere/x";
    env = dialect_find(STR("claude"))->variables(&a, &told);
    for (size_t i = 0; wanted[i]; i++)
        assert_string_equal(env[i], wanted[i]);
    assert_null(env[4]);
    ev.session.cwd = NULL;
    assert_null(dialect_find(STR("claude"))->variables(&a, &told)[3]);
}

/* CX-51 */
static void what_their_systems_keep_back_is_taken_out(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, "PreToolUse", "{}");
    const struct dialect_event told = { .event = &ev };
    const char *const *env;

    assert_int_equal(setenv("OTEL_X", "1", 1), 0);
    assert_int_equal(setenv("Node_Repl_Auth_Token", "1", 1), 0);
    env = dialect_find(STR("claude"))->variables(&a, &told);
    assert_string_equal(env[0], "OTEL_X");
    assert_string_equal(env[1], "CLAUDECODE=1");
    env = dialect_find(STR("codex"))->variables(&a, &told);
    assert_string_equal(env[0], "Node_Repl_Auth_Token");
    assert_null(env[1]);
    assert_int_equal(unsetenv("OTEL_X"), 0);
    assert_int_equal(unsetenv("Node_Repl_Auth_Token"), 0);
}

TESTS(cmocka_unit_test(claude_is_told_of_prompts_and_tools),
      cmocka_unit_test(claude_is_told_of_stops_and_sessions),
      cmocka_unit_test(codex_is_told_what_codex_tells),
      cmocka_unit_test(paths_of_file_tools_are_absolute),
      cmocka_unit_test(tools_answer_in_their_shapes),
      cmocka_unit_test(a_subagent_speaks_for_its_parents_session),
      cmocka_unit_test(each_speaks_where_it_has_an_event),
      cmocka_unit_test(variables_name_session_and_workspace),
      cmocka_unit_test(what_their_systems_keep_back_is_taken_out))
