/* Who had the last word on a tool call, and that a receipt says so. */
#include "base/clock.h"
#include "session_fixture.h"

#define CALL "turns:\n- calls: [{ tool: bash, args: { command: touch ran } }]\n- { text: I see. }\n"

struct person {
    bool yes;
    unsigned asked;
    struct engine *engine;
    struct strbuf why;
};

static bool consent(void *context, const char *tool, const struct json *args UNUSED,
                    const char *why)
{
    struct person *p = context;

    p->asked++;
    strbuf_printf(&p->why, "%s: %s", tool, why);
    return p->yes;
}

struct permission_case {
    const char *config;
    const char *const *allowed;
    struct person *person; /* NULL: nobody is there */
    const char *point, *outcome, *answer;
    bool runs;
};

/* The receipt of that point, as a line. */
static const char *receipt_of(struct session_bed *b, const char *point)
{
    struct arena *a = &b->bed.arena;
    char day[CLOCK_TEXT_SIZE];
    struct str text = { 0 }, line;

    clock_format(clock_wall_ms(), day);
    assert_int_equal(file_read(a, arena_printf(a, "%s/receipts/%.10s.jsonl", b->bed.dir.path, day),
                               1 << 20, &text, &b->e),
                     0);
    while (str_cut(&text, '\n', &line))
        if (strstr(arena_cstr(a, line), arena_printf(a, "\"point\":\"%s\"", point)))
            return arena_cstr(a, line);
    fail_msg("no receipt of %s", point);
    return "";
}

static void check(const struct permission_case *p)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    const char *line;

    session_bed_open(&b, p->config, CALL);
    agent_free(b.agent);
    if (p->person)
        b.screen = (struct agent_screen){ .context = p->person, .consent = consent };
    b.agent = agent_new(&(struct agent_options){ .engine = b.bed.engine,
                                                 .store = b.bed.store,
                                                 .log = &b.bed.log,
                                                 .cwd = b.bed.dir.path,
                                                 .screen = &b.screen,
                                                 .allowed = p->allowed });
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    line = receipt_of(&b, p->point);
    if (!strstr(line, p->answer) || !strstr(line, p->outcome))
        fail_msg("not '%s' and '%s': %s", p->outcome, p->answer, line);
    assert_int_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK) == 0, p->runs);
}

#define ASKS    "permission: { bash: ask }\n"
#define BY(x)   "\"answer\":{\"by\":\"" x "\",\"decision\":\""
#define ALLOWED "\"outcome\":\"allow\""
#define BLOCKED "\"outcome\":\"block\""

static void a_persons_answer_is_in_the_receipt_of_the_question(void **state UNUSED)
{
    struct person p = { .yes = true };

    check(&(struct permission_case){ ASKS, NULL, &p, "permission.ask", ALLOWED,
                                     BY("person") "allow\"}", true });
    assert_int_equal(p.asked, 1);
    assert_string_equal(strbuf_cstr(&p.why), "bash: 'permission' asks about 'bash'");
    p.yes = false;
    check(&(struct permission_case){ ASKS, NULL, &p, "permission.ask", BLOCKED,
                                     BY("person") "block\"}", false });
    strbuf_release(&p.why);
}

static void so_is_that_of_a_flag_and_that_nobody_was_there(void **state UNUSED)
{
    static const char *const bash[] = { "bash", NULL };

    check(&(struct permission_case){ ASKS, bash, NULL, "permission.ask", ALLOWED,
                                     BY("flag") "allow\"}", true });
    check(&(struct permission_case){ ASKS, NULL, NULL, "permission.ask", BLOCKED,
                                     BY("nobody") "block\"}", false });
}

static void what_a_hook_wants_asked_is_answered_the_same_way(void **state UNUSED)
{
    struct person p = { .yes = true };

    check(&(struct permission_case){
        "hooks: [{ name: q, on: tool.execute.before, tool: bash, ask: sure }]\n", NULL, &p,
        "permission.ask", "\"reason\":\"sure\"", BY("person") "allow\"}", true });
    strbuf_release(&p.why);
}

static void a_hook_answers_before_flag_and_person(void **state UNUSED)
{
    static const char *const bash[] = { "bash", NULL };
    struct person p = { .yes = true };

    check(&(struct permission_case){ ASKS "hooks: [{ name: h, on: permission.ask, allow: true }]\n",
                                     NULL, NULL, "permission.ask", ALLOWED, BY("hook") "allow\"}",
                                     true });
    check(&(struct permission_case){ ASKS "hooks: [{ name: h, on: permission.ask, block: no }]\n",
                                     bash, &p, "permission.ask", BLOCKED, BY("hook") "block\"}",
                                     false });
    assert_int_equal(p.asked, 0);
}

static void what_the_configuration_decides_is_in_the_receipt_of_the_call(void **state UNUSED)
{
    check(&(struct permission_case){ "permission: { bash: deny }\n", NULL, NULL,
                                     "tool.execute.before", BLOCKED, BY("configuration") "block\"}",
                                     false });
    check(&(struct permission_case){ "permission: { '*': allow }\n", NULL, NULL,
                                     "tool.execute.before", "\"outcome\":\"none\"",
                                     BY("configuration") "allow\"}", true });
}

static void the_model_hears_why(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b, "permission: { bash: deny }\n",
        "turns:\n- calls: [{ tool: bash, args: { command: touch ran } }]\n"
        "- { expects: \"not allowed: 'permission' denies the tool 'bash'\", text: ok }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
}

/* Meanwhile --------------------------------------------------------------------------------------
 */

static bool look_at_status(void *context, const char *tool UNUSED, const struct json *args UNUSED,
                           const char *why UNUSED)
{
    struct person *p = context;
    CLEANUP(arena) struct arena a = { 0 };
    struct llm_use used = { 0 };
    const struct session s = { .id = strbuf_cstr(&p->why) };
    const struct service_call c = {
        .arena = &a, .hook = "h", .method = "session.status", .session = &s, .used = &used
    };
    const struct json *status = NULL;

    if (engine_serve(p->engine, &c, &status, NULL) == 0)
        p->asked +=
            strcmp(json_text(&a, status), "{\"type\":\"busy\",\"waiting_on\":[\"question\"]}") == 0;
    return false;
}

static void note_session(void *context, const struct show *s)
{
    struct person *p = context;

    if (s->kind == SHOW_SESSION)
        strbuf_addstr(&p->why, s->session);
}

static void an_open_question_is_something_the_session_waits_for(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct person p = { 0 };

    session_bed_open(&b, ASKS, CALL);
    p.engine = b.bed.engine;
    b.screen = (struct agent_screen){ &p, note_session, look_at_status };
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(p.asked, 1);
    strbuf_release(&p.why);
}

TESTS(cmocka_unit_test(a_persons_answer_is_in_the_receipt_of_the_question),
      cmocka_unit_test(so_is_that_of_a_flag_and_that_nobody_was_there),
      cmocka_unit_test(what_a_hook_wants_asked_is_answered_the_same_way),
      cmocka_unit_test(a_hook_answers_before_flag_and_person),
      cmocka_unit_test(what_the_configuration_decides_is_in_the_receipt_of_the_call),
      cmocka_unit_test(the_model_hears_why),
      cmocka_unit_test(an_open_question_is_something_the_session_waits_for))
