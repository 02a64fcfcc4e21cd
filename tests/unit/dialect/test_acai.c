/* What a hook of the describe/execute protocol is told, and what its answers mean. */
#include "dialect/dialect.h"
#include "tmpdir.h"
#include "value.h"

#include <sys/stat.h>

static const struct dialect *acai(void)
{
    return dialect_find(STR("acai"));
}

static const struct session session = { .id = "s1", .agent = "repl" };

/* Payloads ------------------------------------------------------------------------------------- */

static void every_event_has_its_payload(void **state UNUSED)
{
    static const struct {
        enum point point;
        const char *event, *data, *payload;
    } rows[] = {
        { POINT_AGENT_START, "agent-start", "{\"model\":\"m\"}", "{\"model\":\"m\"}" },
        { POINT_STEP_START, "step-start", "{}", "{}" },
        { POINT_TOOL_EXECUTE_BEFORE, "tool-call-start",
          "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"ls\"}}",
          "{\"name\":\"Bash\",\"toolCallId\":\"c1\",\"msg\":\"\",\"args\":{\"command\":\"ls\"}}" },
        { POINT_TOOL_EXECUTE_BEFORE, "tool-call-start", "{\"tool\":\"mcp_x\"}",
          "{\"name\":\"mcp_x\",\"toolCallId\":\"\",\"msg\":\"\",\"args\":{}}" },
        { POINT_TOOL_EXECUTE_AFTER, "tool-call-end",
          "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{},\"title\":\"ls\",\"output\":\"a\","
          "\"success\":false}",
          "{\"name\":\"Bash\",\"toolCallId\":\"c1\",\"msg\":\"ls\",\"args\":{},\"output\":\"a\","
          "\"success\":false}" },
        { POINT_TURN_AFTER, "step-stop", "{\"turn\":2,\"response\":\"ok\",\"messages\":[]}",
          "{\"turn\":2,\"response\":\"ok\"}" },
        { POINT_AGENT_STOP, "agent-stop", "{\"messages\":[]}", "{}" },
        { POINT_AGENT_ERROR, "agent-error", "{\"error\":{\"message\":\"gone\"}}",
          "{\"message\":\"gone\",\"error\":{\"message\":\"gone\"}}" },
        { POINT_AGENT_ERROR, "agent-error", "{}", "{\"message\":\"\"}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = { .point = rows[i].point, .session = session };
        const struct json *j;

        ev.data = value_of(&a, rows[i].data);
        assert_true(acai()->speaks(ev.point));
        j = acai()->encode(&a, &(struct dialect_event){ .event = &ev });
        assert_string_equal(json_cstr(&a, json_get(j, STR("event"))), rows[i].event);
        assert_string_equal(json_text(&a, json_get(j, STR("payload"))), rows[i].payload);
    }
    assert_false(acai()->speaks(POINT_CHAT_MESSAGE));
}

static void the_workspace_is_the_project_and_observers_come_after(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    struct event ev = { .point = POINT_AGENT_STOP, .session = session };
    struct verdict final = { 0 };
    struct dialect_event told = { .event = &ev, .final = &final };
    const char *sub, *const *env;
    const struct json *j;

    tmpdir_make(&dir);
    assert_int_equal(mkdir(arena_printf(&a, "%s/.git", dir.path), 0700), 0);
    sub = arena_printf(&a, "%s/sub", dir.path);
    assert_int_equal(mkdir(sub, 0700), 0);
    ev.session.cwd = sub;
    j = acai()->encode(&a, &told);
    assert_string_equal(json_cstr(&a, json_get(j, STR("timing"))), "after");
    assert_string_equal(json_cstr(&a, json_get(j, STR("session_id"))), "s1");
    assert_string_equal(json_cstr(&a, json_get(j, STR("project_dir"))), dir.path);
    assert_string_equal(json_cstr(&a, json_get(j, STR("agent_name"))), "repl");
    env = acai()->variables(&a, &told);
    assert_string_equal(env[0], "HOOK_ACTION=execute");
    assert_string_equal(env[1], "TOOL_ACTION=execute");
    assert_string_equal(env[2], "HOOK_EVENT=agent-stop");
    assert_string_equal(env[3], "HOOK_TIMING=after");
    assert_string_equal(env[4], "ACAI_SESSION_ID=s1");
    assert_string_equal(env[5], arena_printf(&a, "ACAI_PROJECT_DIR=%s", dir.path));
    assert_string_equal(env[6], "ACAI_AGENT_NAME=repl");
    assert_null(env[7]);
    told.final = NULL;
    assert_string_equal(acai()->variables(&a, &told)[3], "HOOK_TIMING=before");
}

/* Answers -------------------------------------------------------------------------------------- */

struct row {
    const char *name; /* of the edge case */
    enum point point;
    int exit_code;
    const char *out, *err;
    const char *verdict; /* NULL: a failed run */
    const char *says;    /* the failure, or all warnings; NULL: no warning */
};

static void check(const struct row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = row->point, .session = session };
    struct verdict v = { 0 };
    struct err e = { 0 };
    const char *said, *got;
    int r;

    ev.data = value_of(&a, "{\"tool\":\"edit\",\"call_id\":\"c1\",\"args\":{\"path\":\"a\","
                           "\"old_string\":\"x\"},\"output\":\"secret\"}");
    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    r = acai()->decode(&a, &(struct dialect_event){ .event = &ev }, &run,
                       &(struct dialect_answer){ &v, &warnings }, &e);
    said = r < 0 ? e.msg : strbuf_cstr(&warnings);
    got = r < 0 ? "a failed run" : json_text(&a, verdict_to_json(&a, &v));
    if (strcmp(got, row->verdict ? row->verdict : "a failed run") != 0)
        fail_msg("%s: '%s' gives %s (%s)", row->name, row->out, got, said);
    if (row->says ? !strstr(said, row->says) : warnings.len > 0)
        fail_msg("%s: '%s' is not in '%s'", row->name, row->says ? row->says : "nothing", said);
}

#define BEFORE POINT_TOOL_EXECUTE_BEFORE
#define AFTER  POINT_TOOL_EXECUTE_AFTER

static void every_edge_case_of_an_answer(void **state UNUSED)
{
    static const struct row rows[] = {
        { "continue", BEFORE, 0, "{\"action\":\"continue\"}\n", "log", "{}", NULL },
        { "S4-E2", BEFORE, 1, "{\"action\":\"block\",\"reason\":\"no\"}", "boom\n", NULL,
          "exited with code 1: boom" },
        { "exit 2 + stderr", BEFORE, 2, "", "no", NULL, "exited with code 2: no" },
        { "exit 127", BEFORE, 127, "", "sh: x: not found", NULL, "exited with code 127" },
        { "S4-E3", BEFORE, 0, "{bad", "", NULL, "gave a bad answer: line 1" },
        { "plain text", BEFORE, 0, "fine with me", "", NULL, "gave a bad answer" },
        { "not an object", BEFORE, 0, "[]", "", NULL, "it must be an object, not an array" },
        { "S4-E3b", BEFORE, 0, "", "", "{}", NULL },
        { "S4-E3b", BEFORE, 0, " \n", "noise", "{}", NULL },
        { "S4-E4", BEFORE, 0, "{\"action\":\"explode\"}", "", "{}",
          "'action' must be continue, block or modify, not \"explode\"" },
        { "S4-E4", BEFORE, 0, "{\"action\":7}", "", "{}", "not 7" },
        { "S4-E4", BEFORE, 0, "{}", "", "{}", "its answer has no 'action'" },
        { "S4-E6", BEFORE, 0, "{\"action\":\"block\",\"reason\":\"not here\"}", "",
          "{\"stop\":\"not here\"}", NULL },
        { "S4-E6", POINT_AGENT_START, 0, "{\"action\":\"block\"}", "",
          "{\"stop\":\"blocked without a reason\"}", NULL },
        { "S4-E7", BEFORE, 0,
          "{\"action\":\"modify\",\"modifications\":{\"args\":{\"path\":\"b\"}}}", "",
          "{\"replace\":{\"args\":{\"path\":\"b\",\"old_string\":\"x\"}}}", NULL },
        { "S4-E7", BEFORE, 0,
          "{\"action\":\"modify\",\"modifications\":{\"args\":{\"old_string\":null}}}", "",
          "{\"replace\":{\"args\":{\"path\":\"a\"}}}", NULL },
        { "S4-E7", AFTER, 0,
          "{\"action\":\"modify\",\"modifications\":{\"output\":\"***\",\"msg\":\"edited\"}}", "",
          "{\"replace\":{\"output\":\"***\",\"title\":\"edited\"}}", NULL },
        { "S4-E7 as sent", BEFORE, 0,
          "{\"action\":\"modify\",\"modifications\":{\"args\":{\"path\":\"a\"},"
          "\"toolCallId\":\"c1\"}}",
          "", "{}", NULL },
        { "S4-E7b", BEFORE, 0, "{\"action\":\"modify\"}", "", "{}",
          "'modifications' must be an object, not nothing" },
        { "S4-E7b", BEFORE, 0, "{\"action\":\"modify\",\"modifications\":[]}", "", "{}",
          "'modifications' must be an object, not an array" },
        { "fixed", BEFORE, 0, "{\"action\":\"modify\",\"modifications\":{\"name\":\"Bash\"}}", "",
          "{}", "'name' can't be changed at tool-call-start" },
        { "fixed", BEFORE, 0, "{\"action\":\"modify\",\"modifications\":{\"msg\":\"hi\"}}", "",
          "{}", "'msg' can't be changed at tool-call-start" },
        { "fixed", AFTER, 0,
          "{\"action\":\"modify\",\"modifications\":{\"args\":{\"path\":\"b\"}}}", "", "{}",
          "'args' can't be changed at tool-call-end" },
        { "wrong type", BEFORE, 0, "{\"action\":\"modify\",\"modifications\":{\"args\":\"x\"}}", "",
          "{}", "'args' can't become a string" },
        { "removed", AFTER, 0, "{\"action\":\"modify\",\"modifications\":{\"output\":null}}", "",
          "{}", "'output' can't become null" },
        { "unknown", POINT_AGENT_STOP, 0,
          "{\"action\":\"modify\",\"modifications\":{\"message\":\"x\"}}", "", "{}",
          "'message' is no part of agent-stop" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

TESTS(cmocka_unit_test(every_event_has_its_payload),
      cmocka_unit_test(the_workspace_is_the_project_and_observers_come_after),
      cmocka_unit_test(every_edge_case_of_an_answer))
