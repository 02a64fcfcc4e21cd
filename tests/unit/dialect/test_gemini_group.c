/* Gemini's hooks side by side: which an event is for, and what their answers add up to. */
#include "dialect/dialect.h"
#include "value.h"

static const struct dialect *gemini(void)
{
    return dialect_find(STR("gemini"));
}

/* GM-1 ----------------------------------------------------------------------------------------- */

static void matchers_choose_events(void **state UNUSED)
{
    static const struct {
        const char *match, *data;
        enum point point;
        bool wants;
    } rows[] = {
        { NULL, "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "", "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "*", "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_AFTER, true },
        { "run_shell_command", "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "shell", "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "^shell", "{\"tool\":\"bash\"}", POINT_TOOL_EXECUTE_BEFORE, false },
        { "write_file|replace", "{\"tool\":\"edit\"}", POINT_TOOL_EXECUTE_AFTER, true },
        { "write_file|replace", "{\"tool\":\"read\"}", POINT_TOOL_EXECUTE_AFTER, false },
        { "mcp_.*", "{\"tool\":\"mcp_jira_find\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "[x", "{\"tool\":\"[x\"}", POINT_TOOL_EXECUTE_BEFORE, true },
        { "[x", "{\"tool\":\"[xy\"}", POINT_TOOL_EXECUTE_BEFORE, false },
        { "startup", "{}", POINT_SESSION_CREATED, true },
        { "start", "{}", POINT_SESSION_CREATED, false },
        { "startup|resume", "{}", POINT_SESSION_CREATED, false },
        { "exit", "{\"reason\":\"exit\"}", POINT_SESSION_ENDED, true },
        { "manual", "{\"trigger\":\"auto\"}", POINT_SESSION_COMPACTING, false },
        { "nothing like it", "{}", POINT_CHAT_MESSAGE, true },
        { "nothing like it", "{}", POINT_AGENT_STOP, true },
        { "nothing like it", "{}", POINT_MESSAGES_TRANSFORM, true },
        { "nothing like it", "{}", POINT_NOTIFICATION, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = { .point = rows[i].point, .data = value_of(&a, rows[i].data) };
        struct dialect_wants wants = { .match = rows[i].match };
        struct dialect_filter *f = NULL;

        assert_int_equal(gemini()->filter_new(&a, &wants, &f, NULL), 0);
        if (gemini()->filter_test(f, &a, &(struct dialect_event){ .event = &ev }) != rows[i].wants)
            fail_msg("'%s' at %s of %s", rows[i].match, point_info(ev.point)->name, rows[i].data);
        gemini()->filter_free(f);
    }
}

static void there_is_no_condition(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct dialect_wants wants = { .condition = "Bash(git *)" };
    struct dialect_filter *f = NULL;
    struct err e = { 0 };

    assert_true(gemini()->filter_new(&a, &wants, &f, &e) < 0);
    assert_non_null(strstr(e.msg, "gemini hooks know no 'if'"));
    gemini()->filter_free(NULL);
}

/* GM-9 ----------------------------------------------------------------------------------------- */

#define MOST 4

struct row {
    const char *name;
    enum point point;
    const char *said[MOST];
    const char *verdict;
};

static void check(const struct row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = row->point, .data = value_of(&a, "{\"tool\":\"bash\"}") };
    struct dialect_event seen = { .event = &ev };
    struct verdict *answers = arena_array(&a, struct verdict, MOST), merged = { 0 };
    size_t count = 0;
    const char *got;

    for (; count < MOST && row->said[count]; count++) {
        CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };

        strbuf_addstr(&run.out.text, row->said[count]);
        assert_int_equal(gemini()->decode(&a, &seen, &run,
                                          &(struct dialect_answer){ &answers[count], &warnings },
                                          NULL),
                         0);
    }
    assert_string_equal(strbuf_cstr(&warnings), "");
    gemini()->merge(&a, &seen, answers, count, &(struct dialect_answer){ &merged, &warnings });
    got = json_text(&a, verdict_to_json(&a, &merged));
    if (strcmp(got, row->verdict) != 0)
        fail_msg("%s: %s", row->name, got);
}

#define BEFORE  POINT_TOOL_EXECUTE_BEFORE
#define AFTER   POINT_TOOL_EXECUTE_AFTER
#define STOP    POINT_AGENT_STOP
#define PROMPT  POINT_CHAT_MESSAGE
#define REQUEST POINT_MESSAGES_TRANSFORM

#define ALLOW(reason) "{\"decision\":\"allow\",\"reason\":\"" reason "\"}"
#define DENY(reason)  "{\"decision\":\"deny\",\"reason\":\"" reason "\"}"
#define CONTEXT(text) "{\"hookSpecificOutput\":{\"additionalContext\":\"" text "\"}}"
#define INPUT(text)   "{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"" text "\"}}}"
#define HI            "[{\"role\":\"user\",\"content\":\"hi\"}]"
#define HO            "[{\"role\":\"user\",\"content\":\"ho\"}]"
#define ASKED(m)      "{\"hookSpecificOutput\":{\"llm_request\":{\"messages\":" m "}}}"

static void the_strictest_wins_and_texts_add_up(void **state UNUSED)
{
    static const struct row rows[] = {
        { "none", BEFORE, { NULL }, "{}" },
        { "silence", BEFORE, { "", "" }, "{}" },
        { "all allow", BEFORE, { ALLOW("a"), ALLOW("b") }, "{}" },
        { "block wins",
          BEFORE,
          { DENY("no"), ALLOW("fine") },
          "{\"decision\":\"block\",\"reason\":\"no\\nfine\"}" },
        { "reasons join",
          BEFORE,
          { DENY("a"), "", DENY("b") },
          "{\"decision\":\"block\",\"reason\":\"a\\nb\"}" },
        { "no reason is no text",
          BEFORE,
          { "{\"decision\":\"deny\"}", DENY("b") },
          "{\"decision\":\"block\",\"reason\":\"b\"}" },
        { "no reason at all",
          BEFORE,
          { "{\"decision\":\"deny\"}" },
          "{\"decision\":\"block\",\"reason\":\"No reason provided\"}" },
        { "ask below block",
          BEFORE,
          { "{\"decision\":\"ask\",\"reason\":\"sure?\"}", DENY("no") },
          "{\"decision\":\"block\",\"reason\":\"sure?\\nno\"}" },
        { "ask above allow",
          BEFORE,
          { ALLOW("a"), "{\"decision\":\"ask\",\"reason\":\"sure?\"}" },
          "{\"decision\":\"ask\",\"reason\":\"a\\nsure?\"}" },
        { "stop beats block",
          BEFORE,
          { DENY("no"), "{\"continue\":false,\"stopReason\":\"s\"}",
            "{\"continue\":false,\"stopReason\":\"t\"}" },
          "{\"stop\":\"s\\nt\"}" },
        { "messages join", BEFORE, { "{\"systemMessage\":\"a\"}", "b" }, "{\"say\":\"a\\nb\"}" },
        { "contexts join",
          PROMPT,
          { CONTEXT("a"), CONTEXT("<b>") },
          "{\"inject\":[{\"id\":\"context\",\"text\":\"<hook_context>a\\n&lt;b&gt;"
          "</hook_context>\",\"priority\":\"normal\"}]}" },
        { "the last input",
          BEFORE,
          { INPUT("a"), INPUT("b"), "" },
          "{\"replace\":{\"args\":{\"command\":\"b\"}}}" },
        { "refused results",
          AFTER,
          { DENY("a"), DENY("b") },
          "{\"decision\":\"block\",\"reason\":\"Tool result blocked: a\\nb\"}" },
        { "one prompt",
          STOP,
          { DENY("a"), DENY("b"), ALLOW("") },
          "{\"reason\":\"a\\nb\",\"result\":\"continue\",\"follow_up_messages\":[\"a\\nb\"]}" },
        { "cleared by one",
          STOP,
          { "{\"hookSpecificOutput\":{\"clearContext\":true}}", DENY("b") },
          "{\"reason\":\"b\",\"result\":\"mutate\",\"messages\":[{\"role\":\"user\",\"content\":"
          "\"A hook has cleared the conversation so far.\"}],\"follow_up_messages\":[\"b\"]}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void before_a_request_the_last_word_counts(void **state UNUSED)
{
    static const struct row rows[] = {
        { "a later allow", REQUEST, { DENY("no"), ALLOW("fine") }, "{}" },
        { "a later text", REQUEST, { DENY("no"), "hello" }, "{\"say\":\"hello\"}" },
        { "a later deny",
          REQUEST,
          { DENY("a"), DENY("b") },
          "{\"decision\":\"block\",\"reason\":\"b\"}" },
        { "no decision",
          REQUEST,
          { DENY("a"), "{\"systemMessage\":\"b\"}" },
          "{\"decision\":\"block\",\"reason\":\"a\",\"say\":\"b\"}" },
        { "the last messages",
          REQUEST,
          { ASKED(HI), ASKED(HO) },
          "{\"replace\":{\"messages\":" HO "}}" },
        { "a stop stays",
          REQUEST,
          { "{\"continue\":false,\"stopReason\":\"s\"}", ALLOW("a") },
          "{\"stop\":\"s\"}" },
        { "elsewhere", POINT_NOTIFICATION, { "a", "b" }, "{\"say\":\"b\"}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

TESTS(cmocka_unit_test(matchers_choose_events), cmocka_unit_test(there_is_no_condition),
      cmocka_unit_test(the_strictest_wins_and_texts_add_up),
      cmocka_unit_test(before_a_request_the_last_word_counts))
