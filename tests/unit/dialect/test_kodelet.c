/* What a hook written for Kodelet is told, field by field, and what its answers mean. */
#include "dialect/dialect.h"
#include "value.h"

static const struct dialect *kodelet(void)
{
    return dialect_find(STR("kodelet"));
}

/* Payloads ------------------------------------------------------------------------------------- */

struct field {
    const char *pointer, *text; /* NULL: absent */
};

static void check_payload(struct event ev, const char *data, const struct field *fields)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct dialect_event told = { .event = &ev, .final = NULL };
    const struct json *j;

    ev.data = data ? value_of(&a, data) : NULL;
    assert_true(kodelet()->speaks(ev.point));
    j = kodelet()->encode(&a, &told);
    for (; fields->pointer; fields++) {
        const struct json *field = json_pointer(j, fields->pointer);
        const char *text = field ? json_text(&a, field) : "absent";

        if (strcmp(text, fields->text ? fields->text : "absent") != 0)
            fail_msg("%s is %s in %s", fields->pointer, text, json_text(&a, j));
    }
}

static const struct session session = { .id = "s1", .cwd = "/repo" };

static void every_payload_says_where_it_comes_from(void **state UNUSED)
{
    struct session sub = { .id = "s2", .parent = "s1", .recipe = "compact" };
    struct session said = { .id = "s3", .invoked_by = "subagent", .recipe = "" };
    struct event ev = { .point = POINT_CHAT_MESSAGE, .session = session };

    check_payload(ev, NULL,
                  (struct field[]){ { "/event", "\"user_message_send\"" },
                                    { "/conv_id", "\"s1\"" },
                                    { "/cwd", "\"/repo\"" },
                                    { "/invoked_by", "\"main\"" },
                                    { "/recipe_name", NULL },
                                    { "/message", "\"\"" },
                                    { NULL, NULL } });
    ev.session = sub;
    check_payload(ev, NULL,
                  (struct field[]){ { "/cwd", "\"\"" },
                                    { "/invoked_by", "\"subagent\"" },
                                    { "/recipe_name", "\"compact\"" },
                                    { NULL, NULL } });
    ev.session = said;
    check_payload(ev, NULL,
                  (struct field[]){ { "/invoked_by", "\"subagent\"" },
                                    { "/recipe_name", NULL },
                                    { NULL, NULL } });
}

static void before_tool_call_uses_their_names(void **state UNUSED)
{
    struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = session };

    check_payload(ev, "{\"tool\":\"edit\",\"call_id\":\"c1\",\"args\":{\"path\":\"a.c\"}}",
                  (struct field[]){ { "/event", "\"before_tool_call\"" },
                                    { "/tool_name", "\"file_edit\"" },
                                    { "/tool_input", "{\"file_path\":\"a.c\"}" },
                                    { "/tool_user_id", "\"c1\"" },
                                    { "/tool_output", NULL },
                                    { "/messages", NULL },
                                    { NULL, NULL } });
    check_payload(ev, "{\"tool\":\"mcp_x\",\"args\":\"{broken\"}",
                  (struct field[]){ { "/tool_name", "\"mcp_x\"" },
                                    { "/tool_input", "\"{broken\"" },
                                    { "/tool_user_id", "\"\"" },
                                    { NULL, NULL } });
    check_payload(ev, "{\"tool\":\"bash\"}",
                  (struct field[]){ { "/tool_input", "{}" }, { NULL, NULL } });
}

static void after_tool_call_has_a_structured_result(void **state UNUSED)
{
    struct event ev = { .point = POINT_TOOL_EXECUTE_AFTER, .session = session };

    check_payload(ev,
                  "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"ls\"},"
                  "\"output\":\"a\\nb\",\"success\":true}",
                  (struct field[]){ { "/event", "\"after_tool_call\"" },
                                    { "/tool_name", "\"bash\"" },
                                    { "/tool_input/command", "\"ls\"" },
                                    { "/tool_user_id", "\"c1\"" },
                                    { "/tool_output/toolName", "\"bash\"" },
                                    { "/tool_output/success", "true" },
                                    { "/tool_output/error", NULL },
                                    { "/tool_output/metadataType", "\"bash\"" },
                                    { "/tool_output/metadata/command", "\"ls\"" },
                                    { "/tool_output/metadata/exitCode", "0" },
                                    { "/tool_output/metadata/output", "\"a\\nb\"" },
                                    { "/tool_output/metadata/executionTime", "0" },
                                    { "/tool_output/metadata/workingDir", "\"/repo\"" },
                                    { NULL, NULL } });
    check_payload(ev,
                  "{\"tool\":\"bash\",\"output\":\"no\",\"success\":false,"
                  "\"metadata\":{\"exit_code\":7}}",
                  (struct field[]){ { "/tool_output/success", "false" },
                                    { "/tool_output/error", "\"no\"" },
                                    { "/tool_output/metadata/exitCode", "7" },
                                    { NULL, NULL } });
    check_payload(ev, "{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"output\":{\"n\":1}}",
                  (struct field[]){ { "/tool_output/toolName", "\"file_read\"" },
                                    { "/tool_output/success", "true" },
                                    { "/tool_output/metadata/filePath", "\"a\"" },
                                    { "/tool_output/metadata/output", "\"{\\\"n\\\":1}\"" },
                                    { "/tool_output/metadata/command", NULL },
                                    { NULL, NULL } });
}

static void the_time_of_a_tool_result_is_rfc_3339(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_TOOL_EXECUTE_AFTER, .session = session };
    struct dialect_event told = { .event = &ev, .final = NULL };
    const struct json *j = kodelet()->encode(&a, &told);
    struct str at = json_str(&a, json_pointer(j, "/tool_output/timestamp"));

    assert_int_equal(at.len, strlen("2026-01-31T23:59:59.999Z"));
    assert_true(at.ptr[10] == 'T' && at.ptr[at.len - 1] == 'Z');
}

static void user_message_send_has_the_text(void **state UNUSED)
{
    static const char *const rows[][2] = {
        { "{\"message\":{\"text\":\"hi\\u0000you\"}}", "\"hi\\u0000you\"" },
        { "{\"message\":\"hi\"}", "\"hi\"" },
        { "{\"message\":{\"parts\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"file\"},"
          "{\"type\":\"text\",\"text\":\"b\"}]}}",
          "\"a\\nb\"" },
        { "{\"message\":{\"text\":7}}", "\"\"" },
    };
    struct event ev = { .point = POINT_CHAT_MESSAGE, .session = session };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_payload(ev, rows[i][0],
                      (struct field[]){ { "/message", rows[i][1] }, { NULL, NULL } });
}

#define CONVERSATION                                                                         \
    "\"messages\":[{\"role\":\"user\",\"content\":\"fix it\"},{\"role\":\"assistant\","      \
    "\"content\":[{\"type\":\"reasoning\",\"text\":\"hm\"},{\"type\":\"text\",\"text\":\"I " \
    "will\"},{\"type\":\"tool_call\",\"tool\":\"edit\",\"args\":{\"path\":\"a\"}}]},"        \
    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"output\":\"done\"},"        \
    "{\"type\":\"file\"}]}]"

#define RENDERED                                                                    \
    "[{\"role\":\"user\",\"content\":\"fix it\"},"                                  \
    "{\"role\":\"assistant\",\"content\":\"💭 Thinking: hm\"},"                   \
    "{\"role\":\"assistant\",\"content\":\"I will\"},"                              \
    "{\"role\":\"assistant\",\"content\":\"🔧 Using tool: file_edit with input: " \
    "{\\\"file_path\\\":\\\"a\\\"}\"},"                                             \
    "{\"role\":\"assistant\",\"content\":\"🔄 Tool result:\\ndone\"}]"

static void agent_stop_has_the_conversation_and_the_usage(void **state UNUSED)
{
    struct event ev = { .point = POINT_AGENT_STOP, .session = session };

    ev.session.recipe = "review";
    check_payload(ev,
                  "{" CONVERSATION ",\"usage\":{\"input_tokens\":1,\"output_tokens\":2,"
                  "\"cache_read_tokens\":9,\"current_context_window\":3,"
                  "\"max_context_window\":4},"
                  "\"auto_compact\":{\"enabled\":true,\"threshold\":0.80}}",
                  (struct field[]){ { "/event", "\"agent_stop\"" },
                                    { "/messages", RENDERED },
                                    { "/usage", "{\"input_tokens\":1,\"output_tokens\":2,"
                                                "\"current_context_window\":3,"
                                                "\"max_context_window\":4}" },
                                    { "/recipe_name", "\"review\"" },
                                    { "/invoked_recipe", "\"review\"" },
                                    { "/auto_compact_enabled", "true" },
                                    { "/auto_compact_threshold", "0.80" },
                                    { "/turn_number", NULL },
                                    { NULL, NULL } });
}

static void after_turn_has_all_of_it_and_the_turn(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_TURN_AFTER, .turn = 4, .session = session };

    check_payload(ev, "{\"turn\":7,\"tools_used\":[\"bash\"],\"response\":\"ok\"," CONVERSATION "}",
                  (struct field[]){ { "/event", "\"after_turn\"" },
                                    { "/turn_number", "7" },
                                    { "/tools_used", "true" },
                                    { "/response", "\"ok\"" },
                                    { "/last_assistant_content", "\"ok\"" },
                                    { "/messages", RENDERED },
                                    { "/invoked_recipe", NULL },
                                    { "/auto_compact_enabled", "false" },
                                    { "/auto_compact_threshold", NULL },
                                    { NULL, NULL } });
    ev.session.usage = value_of(&a, "{\"max_context_window\":100}");
    check_payload(ev, "{\"tools_used\":[]}",
                  (struct field[]){ { "/turn_number", "4" },
                                    { "/tools_used", "false" },
                                    { "/response", "\"\"" },
                                    { "/last_assistant_content", NULL },
                                    { "/messages", "[]" },
                                    { "/usage", "{\"input_tokens\":0,\"output_tokens\":0,"
                                                "\"current_context_window\":0,"
                                                "\"max_context_window\":100}" },
                                    { NULL, NULL } });
}

static void turn_end_is_told_what_its_version_told(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_TURN_AFTER, .turn = 4, .session = session };
    struct dialect_event told = { .event = &ev, .as = "turn_end" };

    ev.session.recipe = "review";
    ev.data = value_of(&a, "{\"turn\":7,\"response\":\"ok\"," CONVERSATION "}");
    assert_string_equal(json_text(&a, kodelet()->encode(&a, &told)),
                        "{\"event\":\"turn_end\",\"conv_id\":\"s1\",\"cwd\":\"/repo\","
                        "\"invoked_by\":\"main\",\"recipe_name\":\"review\",\"turn_number\":7,"
                        "\"response\":\"ok\"}");
    told.as = "after_turn";
    assert_string_equal(json_cstr(&a, json_get(kodelet()->encode(&a, &told), STR("event"))),
                        "after_turn");
}

static void turn_end_has_no_results(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = POINT_TURN_AFTER, .session = session };
    struct verdict v = { 0 };

    strbuf_addstr(&run.out.text, "{\"result\":\"callback\",\"callback\":\"compact\"}");
    assert_int_equal(kodelet()->decode(&a,
                                       &(struct dialect_event){ .event = &ev, .as = "turn_end" },
                                       &run, &(struct dialect_answer){ &v, &warnings }, NULL),
                     0);
    assert_true(verdict_is_empty(&v));
    assert_non_null(strstr(strbuf_cstr(&warnings), "'result' has no effect at turn_end"));
}

static void it_speaks_at_five_points_only(void **state UNUSED)
{
    unsigned count = 0;

    for (int p = 0; p < POINT_COUNT; p++)
        count += kodelet()->speaks((enum point)p);
    assert_int_equal(count, 5);
    assert_false(kodelet()->speaks(POINT_CHAT_PARAMS));
}

/* Answers -------------------------------------------------------------------------------------- */

struct row {
    enum point point;
    int exit_code;
    const char *out, *err;
    const char *verdict; /* NULL: a failed run */
    const char *says;    /* the failure, or all warnings */
};

static void check(const struct row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = row->point, .session = session };
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };
    const char *said;
    int r;

    ev.data = value_of(&a, "{\"tool\":\"edit\",\"args\":{\"path\":\"a\"},\"output\":\"secret\"}");
    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    r = kodelet()->decode(&a, &seen, &run, &answer, &e);
    said = r < 0 ? e.msg : strbuf_cstr(&warnings);
    if ((r == 0) != (row->verdict != NULL))
        fail_msg("exit %d, '%s': %s", row->exit_code, row->out, r < 0 ? e.msg : "did not fail");
    if (row->verdict && strcmp(json_text(&a, verdict_to_json(&a, &v)), row->verdict) != 0)
        fail_msg("'%s' gives %s", row->out, json_text(&a, verdict_to_json(&a, &v)));
    if (row->says ? !strstr(said, row->says) : warnings.len > 0)
        fail_msg("'%s': '%s' is not in '%s'", row->out, row->says ? row->says : "nothing", said);
}

#define BEFORE POINT_TOOL_EXECUTE_BEFORE
#define AFTER  POINT_TOOL_EXECUTE_AFTER
#define STOP   POINT_AGENT_STOP
#define TURN   POINT_TURN_AFTER

static void every_end_has_its_meaning(void **state UNUSED)
{
    static const struct row rows[] = {
        { BEFORE, 0, "", "noise", "{}", NULL },
        { BEFORE, 0, " \n", "", "{}", NULL },
        { BEFORE, 0, "null", "", "{}", NULL },
        { BEFORE, 0, "{}\n", "", "{}", NULL },
        { BEFORE, 2, "{\"blocked\":true}", "\n no jq\n", NULL, "exited with code 2: no jq" },
        { BEFORE, 1, "", "", NULL, "exited with code 1" },
        { BEFORE, 0, "checking\n{\"blocked\":true}", "", NULL, "gave a bad answer: line 1" },
        { BEFORE, 0, "{\"blocked\":true", "", NULL, "gave a bad answer" },
        { BEFORE, 0, "[]", "", NULL, "a result must be an object, not an array" },
        { BEFORE, 0, "{\"colour\":1}", "", "{}", "unknown field 'colour'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void results_before_a_tool_or_a_message(void **state UNUSED)
{
    static const struct row rows[] = {
        { BEFORE, 0, "{\"blocked\":true,\"reason\":\"no\"}", "",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL },
        { BEFORE, 0, "{\"Blocked\":true}", "",
          "{\"decision\":\"block\",\"reason\":\"blocked without a reason\"}", NULL },
        { BEFORE, 0, "{\"blocked\":false,\"reason\":\"fine\"}", "", "{}", NULL },
        { BEFORE, 0, "{\"blocked\":\"true\"}", "", NULL,
          "gave a bad answer: 'blocked' must be a boolean, not a string" },
        { BEFORE, 0, "{\"blocked\":null,\"input\":null}", "", "{}", NULL },
        { BEFORE, 0, "{\"blocked\":false,\"input\":{\"file_path\":\"b\",\"old_text\":\"x\"}}", "",
          "{\"replace\":{\"args\":{\"path\":\"b\",\"old_string\":\"x\"}}}", NULL },
        { BEFORE, 0, "{\"input\":{\"file_path\":\"a\"}}", "", "{}", NULL },
        { BEFORE, 0, "{\"input\":\"rm\"}", "", "{}", "'input' must be an object, not a string" },
        { BEFORE, 0, "{\"result\":\"mutate\"}", "", "{}", "unknown field 'result'" },
        { POINT_CHAT_MESSAGE, 0, "{\"blocked\":true,\"reason\":\"not today\"}", "",
          "{\"decision\":\"block\",\"reason\":\"not today\"}", NULL },
        { POINT_CHAT_MESSAGE, 0, "{\"input\":\"other\"}", "", "{}", "unknown field 'input'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void results_after_a_tool(void **state UNUSED)
{
    static const struct row rows[] = {
        { AFTER, 0, "{\"output\":{\"success\":true,\"metadata\":{\"output\":\"***\"}}}", "",
          "{\"replace\":{\"output\":\"***\"}}", NULL },
        { AFTER, 0, "{\"output\":{\"success\":true,\"metadata\":{\"output\":\"secret\"}}}", "",
          "{}", NULL },
        { AFTER, 0,
          "{\"output\":{\"success\":false,\"error\":\"gone\",\"metadata\":"
          "{\"output\":\"secret\"}}}",
          "", "{\"replace\":{\"output\":\"gone\"}}", "'success' of 'output' can't be changed" },
        { AFTER, 0, "{\"output\":{\"toolName\":\"x\",\"metadata\":{\"output\":\"secret\"}}}", "",
          "{}", "'toolName' of 'output' can't be changed" },
        { AFTER, 0, "{\"output\":{\"metadata\":{\"exitCode\":0,\"language\":\"c\"}}}", "",
          "{\"replace\":{\"metadata\":{\"exit_code\":0,\"language\":\"c\"}}}", NULL },
        { AFTER, 0, "{\"output\":{\"metadata\":{\"filePath\":\"other\",\"output\":\"secret\"}}}",
          "", "{}", NULL },
        { AFTER, 0, "{\"output\":{\"error\":\"\",\"metadata\":{\"output\":\"secret\"}}}", "", "{}",
          NULL },
        { AFTER, 0, "{\"output\":{\"metadata\":{\"content\":\"page\"}}}", "",
          "{\"replace\":{\"output\":\"page\"}}", NULL },
        { AFTER, 0, "{\"output\":{\"metadata\":{\"lines\":[\"a\",\"b\"]}}}", "",
          "{\"replace\":{\"output\":\"a\\nb\"}}", NULL },
        { AFTER, 0, "{\"output\":{\"toolName\":\"file_edit\"}}", "", "{}", "'output' has no text" },
        { AFTER, 0, "{\"output\":null}", "", "{}", NULL },
        { AFTER, 0, "{\"output\":\"x\"}", "", NULL, "'output' must be an object" },
        { AFTER, 0, "{\"blocked\":true}", "", "{}", "unknown field 'blocked'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

#define SUMMARY "\"messages\":[{\"role\":\"user\",\"content\":\"so far\"}]"

static void results_at_the_end_of_a_turn_or_a_run(void **state UNUSED)
{
    static const struct row rows[] = {
        { STOP, 0, "{\"follow_up_messages\":[\"a\",\"b\"]}", "",
          "{\"result\":\"continue\",\"follow_up_messages\":[\"a\",\"b\"]}", NULL },
        { STOP, 0, "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]}", "",
          "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]}", NULL },
        { STOP, 0, "{\"result\":\"\",\"follow_up_messages\":[]}", "", "{}", NULL },
        { STOP, 0, "{\"result\":\"again\",\"follow_up_messages\":[\"a\"]}", "",
          "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]}",
          "'result' must be continue, mutate or callback, not 'again'" },
        { STOP, 0, "{\"result\":\"continue\"}", "", "{}", "'continue' needs" },
        { STOP, 0, "{\"follow_up_messages\":[1]}", "", NULL, "must be texts, not a number" },
        { STOP, 0, "{\"result\":\"mutate\"," SUMMARY "}", "", "{\"result\":\"mutate\"," SUMMARY "}",
          NULL },
        { STOP, 0, "{\"result\":\"mutate\"," SUMMARY ",\"follow_up_messages\":[\"a\"]}", "",
          "{\"result\":\"mutate\"," SUMMARY "}", "'follow_up_messages' is not used" },
        { STOP, 0, "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]," SUMMARY "}", "",
          "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]}",
          "'messages' is used only with the result 'mutate'" },
        { TURN, 0, "{\"result\":\"mutate\",\"messages\":[]}", "", "{}", "'mutate' needs" },
        { TURN, 0, "{\"result\":\"mutate\",\"messages\":[{\"role\":\"user\"}]}", "", NULL,
          "'messages' must have a text as 'role' and as 'content'" },
        { TURN, 0, "{\"result\":\"mutate\"," SUMMARY "}", "", "{\"result\":\"mutate\"," SUMMARY "}",
          NULL },
        { TURN, 0, "{\"result\":\"callback\",\"callback\":\"compact\"}", "",
          "{\"result\":\"callback\",\"callback\":\"compact\"}", NULL },
        { TURN, 0,
          "{\"result\":\"callback\",\"callback\":\"compact\",\"callback_args\":{\"a\":\"b\"}}", "",
          "{\"result\":\"callback\",\"callback\":\"compact\",\"callback_args\":{\"a\":\"b\"}}",
          NULL },
        { TURN, 0, "{\"result\":\"callback\",\"callback\":\"c\",\"callback_args\":{\"a\":1}}", "",
          NULL, "'callback_args' must be texts" },
        { TURN, 0, "{\"result\":\"callback\"}", "", "{}", "'callback' needs" },
        { TURN, 0, "{\"callback\":\"compact\"}", "", "{}", "is used only with" },
        { TURN, 0, "{\"result\":\"continue\"}", "", "{}",
          "'result' must be mutate or callback, not 'continue'" },
        { TURN, 0, "{\"follow_up_messages\":[\"a\"]}", "", "{}",
          "unknown field 'follow_up_messages'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void an_answer_that_was_cut_is_no_answer(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = POINT_TURN_AFTER };
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };

    strbuf_addstr(&run.out.text, "{}");
    run.out.text.truncated = true;
    assert_true(kodelet()->decode(&a, &seen, &run, &answer, &e) < 0);
    assert_non_null(strstr(e.msg, "wrote more than"));
}

TESTS(cmocka_unit_test(every_payload_says_where_it_comes_from),
      cmocka_unit_test(before_tool_call_uses_their_names),
      cmocka_unit_test(after_tool_call_has_a_structured_result),
      cmocka_unit_test(the_time_of_a_tool_result_is_rfc_3339),
      cmocka_unit_test(user_message_send_has_the_text),
      cmocka_unit_test(agent_stop_has_the_conversation_and_the_usage),
      cmocka_unit_test(after_turn_has_all_of_it_and_the_turn),
      cmocka_unit_test(turn_end_is_told_what_its_version_told),
      cmocka_unit_test(turn_end_has_no_results), cmocka_unit_test(it_speaks_at_five_points_only),
      cmocka_unit_test(every_end_has_its_meaning),
      cmocka_unit_test(results_before_a_tool_or_a_message), cmocka_unit_test(results_after_a_tool),
      cmocka_unit_test(results_at_the_end_of_a_turn_or_a_run),
      cmocka_unit_test(an_answer_that_was_cut_is_no_answer))
