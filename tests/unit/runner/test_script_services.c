/* What scripts ask the agent around the engine for, and the callbacks they offer. */
#include "base/clock.h"
#include "script_bed.h"

#include <errno.h>
#include <poll.h>

#define MS UINT64_C(1000000)

/* Answers with what it was asked, and remembers the rest. */
struct fake_agent {
    struct strbuf asked; /* "method params\n" */
    const char *callback;
    bool waits; /* until it is told to give up */
};

static int serve(void *context, const struct service_call *c, const struct json **result,
                 struct err *e)
{
    struct fake_agent *agent = context;
    struct json *j = json_object(c->arena);

    strbuf_printf(&agent->asked, "%s %s\n", c->method, json_text(c->arena, c->params));
    agent->callback = c->callback ? "yes" : "no";
    while (agent->waits && clock_mono_ns() < c->deadline_ns)
        (void)poll(NULL, 0, 5);
    if (agent->waits)
        return err_set(e, -ETIMEDOUT, "took too long");
    if (strcmp(c->method, "session.prompt") == 0)
        return err_set(e, -ESHUTDOWN, "it has stopped");
    llm_use_add(c->used, &(struct llm_use){ 1, 12, 0 });
    json_add(c->arena, j, STR("text"), json_cstring(c->arena, "hello"));
    json_add(c->arena, j, STR("messages"), json_array(c->arena));
    *result = j;
    return 0;
}

static void open_bed(struct bed *bed, struct fake_agent *agent)
{
    bed_open(bed, NULL, NULL);
    engine_offer(bed->engine, &(struct services){ agent, serve });
}

static void functions_become_methods_of_the_agent(void **state UNUSED)
{
    static const struct {
        const char *code, *asked;
    } cases[] = {
        { "hooke.llm.complete('hm').text", "llm.complete {\"prompt\":\"hm\"}\n" },
        { "hooke.llm.complete({ prompt = 'hm', max_output_tokens = 9 }).text",
          "llm.complete {\"max_output_tokens\":9,\"prompt\":\"hm\"}\n" },
        { "hooke.recipe.run('r').text", "recipe.run {\"name\":\"r\"}\n" },
        { "hooke.recipe.run('r', { a = 'b' }).text",
          "recipe.run {\"name\":\"r\",\"args\":{\"a\":\"b\"}}\n" },
        { "hooke.session.status().text", "session.status {}\n" },
        { "'hello' .. (hooke.session.messages({ limit = 2 })[1] or '')",
          "session.messages {\"limit\":2}\n" },
        { "hooke.session.abort('why').text", "session.abort {\"reason\":\"why\"}\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(bed) struct bed bed = { 0 };
        struct fake_agent agent = { 0 };

        open_bed(&bed, &agent);
        assert_string_equal(
            script_answer(&bed, arena_printf(&bed.arena, "return { say = %s }", cases[i].code),
                          NULL),
            "{\"say\":\"hello\"}");
        assert_string_equal(strbuf_cstr(&agent.asked), cases[i].asked);
        assert_string_equal(agent.callback, "no");
        assert_int_equal(bed.receipt.runs[0].io->llm.tokens, 12);
        strbuf_release(&agent.asked);
    }
}

/* Why the function with this body fails. */
static const char *failure(struct bed *bed, const char *keys, const char *body)
{
    script_configure(bed, keys, script_body(bed, body));
    bed_emit(bed, "tool.execute.before", NULL);
    assert_int_equal(bed->receipt.run_count, 1);
    assert_int_not_equal(bed->receipt.runs[0].end, RUN_DONE);
    return bed->receipt.runs[0].detail;
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

static void what_does_not_work_is_an_error_with_its_line(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };

    open_bed(&bed, &agent);
    contains(failure(&bed, "", "hooke.session.prompt('more')"),
             "s.lua:2: session.prompt: it has stopped");
    contains(failure(&bed, "", "hooke.llm.complete()\nhooke.llm.complete(7)"), "table expected");
    contains(failure(&bed, "", "hooke.state.update('k', function() hooke.llm.complete('x') end)"),
             "'llm.complete' can't be used inside hooke.state.update()");
    assert_string_equal(
        script_answer(&bed, "return { say = tostring(pcall(hooke.session.prompt, 'more')) }", NULL),
        "{\"say\":\"false\"}");
    engine_offer(bed.engine, NULL);
    contains(failure(&bed, "", "hooke.llm.complete('x')"),
             "'llm.complete' is not available here: it needs hooke's agent");
    strbuf_release(&agent.asked);
}

static void waiting_is_no_work_but_has_a_deadline(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { .waits = true };
    uint64_t began;

    open_bed(&bed, &agent);
    began = clock_mono_ns();
    contains(
        failure(&bed, "timeout: 200ms", "pcall(hooke.llm.complete, 'x')\nreturn { say = 'on' }"),
        "its time is used up");
    assert_int_equal(bed.receipt.runs[0].end, RUN_TIMED_OUT);
    assert_true(clock_mono_ns() - began >= 200 * MS);
    strbuf_release(&agent.asked);
}

/* Callbacks ------------------------------------------------------------------------------------ */

static int call_back(struct bed *bed, const char *name, char **text, struct err *e)
{
    static const struct session session = { .id = "s1" };
    struct registry *reg = engine_look(bed->engine);
    const struct hook *hook = NULL;
    const struct hook_callback *cb = registry_callback(reg, name, &hook);
    struct hook_io io = { 0 };
    struct callback_call c = { .engine = bed->engine,
                               .registry = reg,
                               .hook = hook,
                               .name = name,
                               .session = &session,
                               .arena = &bed->arena,
                               .io = &io,
                               .deadline_ns = clock_mono_ns() + 20000 * MS };
    int r;

    if (!cb) {
        fail_msg("no callback '%s': %s", name, script_problems(bed));
        return -ENOENT;
    }
    assert_int_equal(json_parse(&bed->arena, STR("{\"focus\":\"tests\"}"), NULL, &c.args, NULL), 0);
    assert_int_equal(json_parse(&bed->arena, STR("[{\"role\":\"user\",\"content\":\"hi\"}]"), NULL,
                                &c.messages, NULL),
                     0);
    *text = NULL;
    r = cb->run(&c, text, e);
    registry_unref(reg);
    return r;
}

static void a_script_offers_callbacks_by_name(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct fake_agent agent = { 0 };
    struct err e = { 0 };
    char *text = NULL;

    open_bed(&bed, &agent);
    script_configure(&bed, "",
                     "hooke.callback('sum', function(args, messages)\n"
                     "  hooke.state.incr('times')\n"
                     "  return hooke.llm.complete('x').text .. args.focus .. messages[1].content\n"
                     "end)\n"
                     "hooke.callback('silent', function() end)\n"
                     "hooke.callback('wrong', function() return {} end)\n"
                     "hooke.callback('breaks', function() error('no') end)\n");
    assert_string_equal(script_problems(&bed), "");
    assert_int_equal(call_back(&bed, "sum", &text, &e), 0);
    assert_string_equal(text, "hellotestshi");
    assert_string_equal(agent.callback, "yes");
    assert_int_equal(call_back(&bed, "silent", &text, &e), 0);
    assert_null(text);
    assert_true(call_back(&bed, "wrong", &text, &e) < 0);
    contains(e.msg, "s.lua:6: a callback returns a text or nil, not a table");
    assert_true(call_back(&bed, "breaks", &text, &e) < 0);
    contains(e.msg, "s.lua:7: no");
    strbuf_release(&agent.asked);
}

static void a_callback_that_makes_no_sense_is_a_problem(void **state UNUSED)
{
    static const struct {
        const char *code, *why;
    } cases[] = {
        { "hooke.callback('', function() end)", "must have 1 to 100 bytes" },
        { "hooke.callback('x')", "function expected" },
        { "hooke.callback('x', function() end)\nhooke.callback('x', function() end)",
          "the callback 'x' has a function already" },
        { "for i = 1, 33 do hooke.callback('x' .. i, function() end) end",
          "a script offers up to 32 callbacks" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(bed) struct bed bed = { 0 };

        bed_open(&bed, NULL, NULL);
        script_configure(&bed, "", cases[i].code);
        contains(script_problems(&bed), cases[i].why);
    }
}

TESTS(cmocka_unit_test(functions_become_methods_of_the_agent),
      cmocka_unit_test(what_does_not_work_is_an_error_with_its_line),
      cmocka_unit_test(waiting_is_no_work_but_has_a_deadline),
      cmocka_unit_test(a_script_offers_callbacks_by_name),
      cmocka_unit_test(a_callback_that_makes_no_sense_is_a_problem))
