/* What the agent does for hooks: asking a model, and looking at and steering sessions. */
#include "agent/session.h"
#include "base/clock.h"
#include "session_fixture.h"

#include <errno.h>
#include <pthread.h>

#define MS UINT64_C(1000000)

/* A hook that asks for one thing at one point, the first time it is called there. */
struct asker {
    enum point point;
    const char *method, *params;
    const char *callback;    /* that asks */
    const char *tool;        /* only at calls of this tool; NULL: at any */
    unsigned threads, times; /* 0: one */
    uint64_t limit_ms;       /* 0: ample */
    bool always, only_sub;
    /* out */
    unsigned calls, refused;
    int r;
    struct err e;
    char answer[4096];
};

struct asking {
    struct asker *x;
    const struct hook_call *c;
    struct arena arena;
    const char *params;
    const struct json *result;
    struct llm_use used;
    struct err e;
    int r;
};

static void *ask_once(void *context)
{
    struct asking *k = context;
    struct service_call s = {
        .arena = &k->arena,
        .hook = k->c->hook->name,
        .method = k->x->method,
        .session = &k->c->event->session,
        .receipt_id = k->c->receipt_id,
        .deadline_ns = clock_mono_ns() + (k->x->limit_ms ? k->x->limit_ms : 20000) * MS,
        .callback = k->x->callback,
        .used = &k->used,
    };

    k->r = json_parse(&k->arena, str_of(k->params), NULL, &s.params, &k->e);
    if (k->r == 0)
        k->r = engine_serve(k->c->engine, &s, &k->result, &k->e);
    return NULL;
}

/* %p in the parameters is the parent of the event's session. */
static const char *params_of(const struct asker *x, const struct hook_call *c)
{
    const char *at = x->params ? strstr(x->params, "%p") : NULL;

    if (!at)
        return x->params ? x->params : "{}";
    return arena_printf(c->arena, "%.*s%s%s", (int)(at - x->params), x->params,
                        c->event->session.parent, at + 2);
}

static void note(struct asker *x, struct asking *k, const struct hook_call *c)
{
    CLEANUP(arena) struct arena a = { 0 };

    x->calls++;
    x->refused += k->r < 0;
    x->r = k->r;
    x->e = k->e;
    if (k->r == 0)
        (void)snprintf(x->answer, sizeof(x->answer), "%s", json_text(&a, k->result));
    llm_use_add(&c->io->llm, &k->used);
    arena_release(&k->arena);
}

static int ask(const struct hook_call *c, struct verdict *v UNUSED, struct err *e UNUSED)
{
    struct asker *x = c->context;
    struct asking k[16] = { 0 };
    pthread_t threads[16];
    unsigned count = x->threads ? x->threads : 1;

    if ((x->calls && !x->always) || (x->only_sub && !c->event->session.parent) ||
        (x->tool && !str_is(event_tool(c->arena, c->event), x->tool)))
        return 0;
    for (unsigned round = 0; round < (x->times ? x->times : 1); round++) {
        for (unsigned i = 0; i < count; i++) {
            k[i] = (struct asking){ .x = x, .c = c, .params = params_of(x, c) };
            assert_int_equal(pthread_create(&threads[i], NULL, ask_once, &k[i]), 0);
        }
        for (unsigned i = 0; i < count; i++) {
            pthread_join(threads[i], NULL);
            note(x, &k[i], c);
        }
    }
    return 0;
}

static void add(struct session_bed *b, struct asker *x)
{
    const struct engine_callback hook = {
        .name = "asker", .on = { .point = x->point }, .run = ask, .context = x
    };

    assert_int_equal(engine_register(b->bed.engine, &hook, &b->e), 0);
}

static void run(struct session_bed *b, struct asker *x, const char *config, const char *turns)
{
    session_bed_open(b, config, turns);
    add(b, x);
    session_bed_run(b, &(struct agent_task){ .text = "go" });
}

/* All receipts of the session so far. */
static const char *receipts(struct session_bed *b)
{
    char day[CLOCK_TEXT_SIZE];
    struct str text = { 0 };

    clock_format(clock_wall_ms(), day);
    day[10] = '\0';
    assert_int_equal(
        file_read(&b->bed.arena,
                  arena_printf(&b->bed.arena, "%s/receipts/%s.jsonl", b->bed.dir.path, day),
                  1 << 20, &text, &b->e),
        0);
    return text.ptr;
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* Asking a model ------------------------------------------------------------------------------- */

#define DONE "- { expects: go, text: Done., usage: { input_tokens: 10, output_tokens: 1 } }\n"

static void a_hook_asks_a_model_and_only_totals_and_receipt_show_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"is it fine?\",\"system\":\"be brief\","
                                 "\"model\":\"script/claude-opus-4-5\"}" };

    run(&b, &x, "",
        "turns:\n"
        "- { expects: is it fine, text: Yes., usage: { input_tokens: 700, output_tokens: 5 } }\n" DONE);
    assert_int_equal(x.r, 0);
    contains(
        x.answer,
        "\"text\":\"Yes.\",\"model\":\"script/claude-opus-4-5\",\"stop\":\"done\",\"usage\":{");
    contains(x.answer, "\"cost\":0.003625");
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_int_equal(b.outcome.usage.input, 710);
    assert_int_equal(b.outcome.usage.context, 11);
    assert_true(b.outcome.cost > 0.0036 && b.outcome.cost < 0.0037);
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "go"));
    contains(receipts(&b), "\"llm\":{\"calls\":1,\"tokens\":705,\"cost\":0.003625}");
}

static void other_messages_and_another_model_may_be_asked(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params =
                           "{\"model\":\"script/small\",\"max_output_tokens\":9,\"messages\":["
                           "{\"role\":\"user\",\"content\":\"one\"},"
                           "{\"role\":\"assistant\",\"content\":\"two\"},"
                           "{\"role\":\"user\",\"content\":\"three\"}]}" };

    run(&b, &x, "", "turns:\n- { model: small, expects: three, stop: length, text: four }\n" DONE);
    assert_int_equal(x.r, 0);
    contains(x.answer, "\"text\":\"four\",\"model\":\"script/small\",\"stop\":\"length\"");
}

static void what_is_asked_wrongly_is_named(void **state UNUSED)
{
    static const struct {
        const char *method, *params, *why;
        int r;
    } cases[] = {
        { "llm.complete", "{}", "llm.complete needs either 'prompt' or 'messages'", -EINVAL },
        { "llm.complete", "{\"prompt\":\"a\",\"messages\":[]}",
          "llm.complete needs either 'prompt' or 'messages'", -EINVAL },
        { "llm.complete", "{\"prompt\":7}",
          "'prompt' of llm.complete must be a string, not a number", -EINVAL },
        { "llm.complete", "{\"promt\":\"a\"}",
          "unknown parameter 'promt' of llm.complete, did you mean 'prompt'?", -EINVAL },
        { "llm.complete", "{\"messages\":[{\"role\":\"wizard\",\"content\":\"x\"}]}",
          "'messages' of llm.complete: ", -EINVAL },
        { "llm.complete", "{\"prompt\":\"a\",\"max_output_tokens\":0}",
          "'max_output_tokens' of llm.complete must be a whole number from 1 to 1000000", -EINVAL },
        { "llm.complete", "{\"prompt\":\"a\",\"model\":\"nobody/x\"}", "'nobody'", -EINVAL },
        { "llm.complete", "[]", "the parameters of llm.complete must be an object, not an array",
          -EINVAL },
        { "llm.complet", "{}", "unknown method 'llm.complet', did you mean 'llm.complete'?",
          -ENOSYS },
        { "session.abort", "{}", "session.abort needs 'reason'", -EINVAL },
        { "session.abort", "{\"reason\":\" \"}", "'reason' of session.abort must not be empty",
          -EINVAL },
        { "session.messages", "{\"limit\":0}",
          "'limit' of session.messages must be a whole number above 0", -EINVAL },
        { "session.messages", "{\"session\":\"x\"}",
          "'session' of session.messages: 'x' is neither the event's session nor its parent nor a "
          "child of it that runs",
          -ESRCH },
        { "session.prompt", "{\"text\":\"\"}",
          "'text' of session.prompt must have 1 to 65536 bytes", -EINVAL },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };
        struct asker x = { .point = POINT_CHAT_MESSAGE,
                           .method = cases[i].method,
                           .params = cases[i].params };

        run(&b, &x, "", "turns:\n" DONE);
        contains(x.e.msg, cases[i].why);
        assert_int_equal(x.r, cases[i].r);
    }
}

static void a_model_that_fails_is_a_failure_of_the_request_only(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"hm\"}" };

    run(&b, &x, "",
        "turns:\n- { expects: hm, error: { class: rate_limit, message: slow down } }\n" DONE);
    assert_int_equal(x.r, -EIO);
    assert_string_equal(x.e.msg, "script/m1: slow down (rate_limit)");
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_int_equal(b.outcome.usage.input, 10);
}

static void a_model_has_the_time_of_the_hook(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"hm\"}",
                       .limit_ms = 50 };
    uint64_t began = clock_mono_ns();

    run(&b, &x, "", "turns:\n- { expects: hm, delay: 60s, text: late }\n" DONE);
    assert_int_equal(x.r, -ETIMEDOUT);
    assert_string_equal(x.e.msg, "script/m1 did not answer within the time of the hook");
    assert_true(clock_mono_ns() - began < 30000 * MS);
    assert_int_equal(b.outcome.end, AGENT_DONE);
}

static void past_its_tokens_a_hook_is_refused_and_told_the_key(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"hm\"}",
                       .times = 3 };

    run(&b, &x, "",
        "turns:\n- { expects: hm, text: a, usage: { input_tokens: 90000 } }\n"
        "- { expects: hm, text: b, usage: { input_tokens: 9990 } }\n"
        "- { expects: hm, text: c }\n" DONE);
    assert_int_equal(x.calls, 3);
    assert_int_equal(x.refused, 1);
    assert_int_equal(x.r, -EDQUOT);
    assert_string_equal(x.e.msg,
                        "models have taken 99990 of the 100000 tokens they may take for hook "
                        "'asker' in this session, and this needs more than is left: set "
                        "'budget.llm_tokens' of the hook");
}

static void past_its_cost_too(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"hm\",\"max_output_tokens\":1000,"
                                 "\"model\":\"script/claude-opus-4\"}",
                       .times = 2 };

    run(&b, &x, "",
        "turns:\n- { expects: hm, text: a, usage: { output_tokens: 13000 } }\n"
        "- { expects: hm, text: b }\n" DONE);
    assert_int_equal(x.refused, 1);
    assert_int_equal(x.r, -EDQUOT);
    contains(x.e.msg, "more than the $1.00 they may cost for hook 'asker' in this session: set "
                      "'budget.llm_cost' of the hook");
}

static void many_threads_may_ask_at_once(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(strbuf) struct strbuf turns = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "llm.complete",
                       .params = "{\"prompt\":\"hm\",\"max_output_tokens\":50}",
                       .threads = 16,
                       .times = 4 };

    strbuf_addstr(&turns, "turns:\n");
    for (int i = 0; i < 64; i++)
        strbuf_addstr(&turns, "- { expects: hm, text: a, usage: { input_tokens: 100 } }\n");
    strbuf_addstr(&turns, DONE);
    run(&b, &x, "", strbuf_cstr(&turns));
    assert_int_equal(x.calls, 64);
    assert_int_equal(x.refused, 0);
    assert_int_equal(b.outcome.usage.input, 6410);
}

/* Recipes -------------------------------------------------------------------------------------- */

static void run_recipe(struct session_bed *b, struct asker *x, const char *turns)
{
    char *folder;

    session_bed_open(b, "", turns);
    setenv("HOME", b->bed.dir.path, 1);
    setenv("XDG_CONFIG_HOME", path_join(&b->bed.arena, b->bed.dir.path, ".config"), 1);
    folder = path_join(&b->bed.arena, b->bed.dir.path, ".config/hooke/recipes");
    assert_int_equal(file_mkdirs(folder, &b->e), 0);
    assert_int_equal(file_write(path_join(&b->bed.arena, folder, "judge.md"),
                                STR("---\ndescription: judges\n---\nJudge {{.what}} kindly.\n"),
                                0600, &b->e),
                     0);
    add(b, x);
    session_bed_run(b, &(struct agent_task){ .text = "go" });
}

static void a_recipe_is_one_request_with_what_it_says(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "recipe.run",
                       .params = "{\"name\":\"judge\",\"args\":{\"what\":\"the plan\"}}" };

    run_recipe(&b, &x,
               "turns:\n- { expects: Judge the plan kindly., text: Fair., usage: { input_tokens: 9 "
               "} }\n" DONE);
    assert_string_equal(x.e.msg, "");
    contains(x.answer, "\"text\":\"Fair.\"");
    contains(receipts(&b), "\"llm\":{\"calls\":1,\"tokens\":9}");
}

static void a_recipe_may_have_the_history_before_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = {
        .point = POINT_TOOL_EXECUTE_BEFORE,
        .method = "recipe.run",
        .params = "{\"name\":\"judge\",\"args\":{\"what\":\"it\"},\"history\":true}",
    };

    run_recipe(&b, &x,
               "turns:\n- calls: [{ tool: bash, args: { command: 'true' } }]\n"
               "- { expects: Judge it kindly., text: Fair. }\n- { text: Done. }\n");
    assert_string_equal(x.e.msg, "");
    contains(x.answer, "\"text\":\"Fair.\"");
}

static void what_is_wrong_with_a_recipe_is_named(void **state UNUSED)
{
    static const struct {
        const char *params, *why;
    } cases[] = {
        { "{}", "recipe.run needs 'name'" },
        { "{\"name\":\"jugde\"}", "'judge'" },
        { "{\"name\":\"judge\"}", "what" },
        { "{\"name\":\"judge\",\"args\":[]}", "'args' of recipe.run must be an object" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };
        struct asker x = { .point = POINT_CHAT_MESSAGE,
                           .method = "recipe.run",
                           .params = cases[i].params };

        run_recipe(&b, &x, "turns:\n" DONE);
        assert_true(x.r < 0);
        contains(x.e.msg, cases[i].why);
    }
}

static void a_callback_runs_no_recipe(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE,
                       .method = "recipe.run",
                       .params = "{\"name\":\"judge\",\"args\":{\"what\":\"it\"}}",
                       .callback = "mine" };

    run_recipe(&b, &x, "turns:\n" DONE);
    assert_int_equal(x.r, -EPERM);
    assert_string_equal(x.e.msg,
                        "a callback starts no other: 'recipe.run' can't be used in 'mine'");
}

/* Sessions ------------------------------------------------------------------------------------- */

static void a_session_is_busy_while_it_works_and_idle_when_it_stops(void **state UNUSED)
{
    static const struct {
        enum point point;
        const char *answer;
    } cases[] = {
        { POINT_CHAT_MESSAGE, "{\"type\":\"busy\"}" },
        { POINT_TOOL_EXECUTE_BEFORE, "{\"type\":\"busy\"}" },
        { POINT_AGENT_STOP, "{\"type\":\"idle\"}" },
        { POINT_SESSION_IDLE, "{\"type\":\"idle\"}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };
        struct asker x = { .point = cases[i].point, .method = "session.status" };

        run(&b, &x, "",
            "turns:\n- calls: [{ tool: bash, args: { command: 'true' } }]\n- { text: Done. }\n");
        assert_string_equal(x.answer, cases[i].answer);
    }
}

static int keep_status(const struct hook_call *c, struct verdict *v UNUSED, struct err *e UNUSED)
{
    strbuf_printf(c->context, "%s\n", json_text(c->arena, event_data(c->event, STR("status"))));
    return 0;
}

static void a_retry_is_a_status_of_its_own(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_SESSION_STATUS, .method = "session.status", .always = true };
    CLEANUP(strbuf) struct strbuf stops = { 0 };
    const struct engine_callback hook = {
        .name = "stops", .on = { .point = POINT_AGENT_STOP }, .run = keep_status, .context = &stops
    };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- { error: { class: overloaded, message: too busy, retry_after: 0s } }\n"
                     "- { error: { class: overloaded, message: too busy, retry_after: 0s } }\n"
                     "- { text: Done. }\n");
    assert_int_equal(engine_register(b.bed.engine, &hook, &b.e), 0);
    add(&b, &x);
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(x.calls, 4); /* busy, two retries, idle */
    assert_string_equal(x.answer, "{\"type\":\"idle\"}");
    assert_string_equal(strbuf_cstr(&stops), "{\"type\":\"idle\"}\n");
}

static int ask_in_retry(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct json *status = event_data(c->event, STR("status"));

    if (!str_is(json_str(c->arena, json_get(status, STR("type"))), "retry"))
        return 0;
    return ask(c, v, e);
}

static void a_retry_says_which_and_why(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .method = "session.status", .always = true };
    const struct engine_callback hook = {
        .name = "asker", .on = { .point = POINT_SESSION_STATUS }, .run = ask_in_retry, .context = &x
    };

    session_bed_open(&b, "",
                     "turns:\n"
                     "- { error: { class: overloaded, message: too busy, retry_after: 0s } }\n"
                     "- { error: { class: overloaded, message: too busy, retry_after: 0s } }\n"
                     "- { text: Done. }\n");
    assert_int_equal(engine_register(b.bed.engine, &hook, &b.e), 0);
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(x.calls, 2);
    assert_string_equal(x.answer, "{\"type\":\"retry\",\"attempt\":2,\"message\":\"too busy\","
                                  "\"waiting_on\":[\"retry\"]}");
}

#define SUBAGENT                                                                                  \
    "turns:\n"                                                                                    \
    "- calls: [{ tool: task, args: { description: d, prompt: look, subagent_type: builder } }]\n" \
    "- { expects: look, calls: [{ tool: glob, args: { pattern: '*' } }] }\n"                      \
    "- { text: found }\n- { text: Done. }\n"

static void a_subagent_keeps_its_parent_busy_and_may_look_at_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_TOOL_EXECUTE_BEFORE,
                       .method = "session.status",
                       .params = "{\"session\":\"%p\"}",
                       .only_sub = true };

    run(&b, &x, "", SUBAGENT);
    assert_int_equal(x.r, 0);
    contains(x.answer, "{\"type\":\"busy\",\"waiting_on\":[\"subagent ");
}

static void messages_of_the_parent_can_be_had_the_newest_first_to_be_kept(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_TOOL_EXECUTE_BEFORE,
                       .method = "session.messages",
                       .params = "{\"session\":\"%p\",\"limit\":1}",
                       .only_sub = true };

    run(&b, &x, "", SUBAGENT);
    assert_int_equal(x.r, 0);
    contains(x.answer, "{\"messages\":[{");
    contains(x.answer, "\"role\":\"assistant\"");
    assert_null(strstr(x.answer, "\"role\":\"user\""));
}

static void its_own_messages_are_a_copy(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_TOOL_EXECUTE_BEFORE, .method = "session.messages" };

    run(&b, &x, "",
        "turns:\n- calls: [{ tool: bash, args: { command: 'true' } }]\n- { text: Done. }\n");
    contains(x.answer, "\"role\":\"user\"");
    contains(x.answer, "\"text\":\"go\"");
    contains(x.answer, "\"role\":\"assistant\"");
}

static void an_abort_ends_the_run_once_with_its_reason(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_TOOL_EXECUTE_BEFORE,
                       .method = "session.abort",
                       .params = "{\"reason\":\"that will do\"}",
                       .times = 2 };

    run(&b, &x, "",
        "turns:\n- calls: [{ tool: bash, args: { command: touch ran } }]\n- { text: Done. }\n");
    assert_int_equal(b.outcome.end, AGENT_STOPPED);
    assert_string_equal(b.outcome.reason, "that will do");
    assert_string_equal(x.answer, "{\"aborted\":false}");
    assert_int_not_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK), 0);
}

static void a_prompt_is_sent_when_the_session_stops(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_TOOL_EXECUTE_AFTER,
                       .method = "session.prompt",
                       .params = "{\"text\":\"now test it\"}" };

    run(&b, &x, "",
        "turns:\n- calls: [{ tool: bash, args: { command: 'true' } }]\n- { text: Done. }\n"
        "- { expects: now test it, text: Tested. }\n");
    assert_int_equal(x.r, 0);
    assert_string_equal(b.outcome.text, "Tested.");
    session_bed_shows(&b, "follow-up now test it\n");
    contains(session_bed_message(&b, 4, 6), "\"internal\":true");
}

static void prompts_stop_at_the_cap_of_continuations(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_AGENT_STOP,
                       .method = "session.prompt",
                       .params = "{\"text\":\"more\"}",
                       .always = true };

    run(&b, &x, "limits: { continuations: 3 }\n",
        "turns:\n- { text: a }\n- { text: b }\n- { text: c }\n- { text: d }\n- { text: e }\n");
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "b"); /* the same twice, no tool between */
}

static void a_session_that_has_stopped_takes_no_prompt(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_SESSION_IDLE,
                       .method = "session.prompt",
                       .params = "{\"text\":\"more\"}" };

    run(&b, &x, "", "turns:\n- { text: a }\n");
    assert_int_equal(x.r, -ESHUTDOWN);
    contains(x.e.msg, "has stopped, nothing more is sent in it");
}

static void between_two_runs_a_session_takes_no_prompt_either(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_SESSION_ENDED,
                       .method = "session.prompt",
                       .params = "{\"text\":\"more\"}" };

    run(&b, &x, "", "turns:\n- { text: a }\n");
    agent_session_ended(b.agent, &b.outcome, "exit");
    assert_int_equal(x.r, -ESRCH);
    contains(x.e.msg, "does not run in this process now, so nothing can be sent in it");
}

static void nothing_is_offered_once_the_agent_is_gone(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct asker x = { .point = POINT_CHAT_MESSAGE, .method = "session.status" };

    session_bed_open(&b, "", "turns: []\n");
    agent_free(b.agent);
    b.agent = NULL;
    add(&b, &x);
    bed_emit(&b.bed, "chat.message", NULL);
    assert_int_equal(x.r, -ENOSYS);
}

TESTS(cmocka_unit_test(a_hook_asks_a_model_and_only_totals_and_receipt_show_it),
      cmocka_unit_test(other_messages_and_another_model_may_be_asked),
      cmocka_unit_test(what_is_asked_wrongly_is_named),
      cmocka_unit_test(a_model_that_fails_is_a_failure_of_the_request_only),
      cmocka_unit_test(a_model_has_the_time_of_the_hook),
      cmocka_unit_test(past_its_tokens_a_hook_is_refused_and_told_the_key),
      cmocka_unit_test(past_its_cost_too), cmocka_unit_test(many_threads_may_ask_at_once),
      cmocka_unit_test(a_recipe_is_one_request_with_what_it_says),
      cmocka_unit_test(a_recipe_may_have_the_history_before_it),
      cmocka_unit_test(what_is_wrong_with_a_recipe_is_named),
      cmocka_unit_test(a_callback_runs_no_recipe),
      cmocka_unit_test(a_session_is_busy_while_it_works_and_idle_when_it_stops),
      cmocka_unit_test(a_retry_is_a_status_of_its_own),
      cmocka_unit_test(a_retry_says_which_and_why),
      cmocka_unit_test(a_subagent_keeps_its_parent_busy_and_may_look_at_it),
      cmocka_unit_test(messages_of_the_parent_can_be_had_the_newest_first_to_be_kept),
      cmocka_unit_test(its_own_messages_are_a_copy),
      cmocka_unit_test(an_abort_ends_the_run_once_with_its_reason),
      cmocka_unit_test(a_prompt_is_sent_when_the_session_stops),
      cmocka_unit_test(prompts_stop_at_the_cap_of_continuations),
      cmocka_unit_test(a_session_that_has_stopped_takes_no_prompt),
      cmocka_unit_test(between_two_runs_a_session_takes_no_prompt_either),
      cmocka_unit_test(nothing_is_offered_once_the_agent_is_gone))
