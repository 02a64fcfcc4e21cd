/* Conditions of rules: what they can say, what they cannot do, and what their failure means. */
#include "base/clock.h"
#include "bed.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#define BASH(command) "{\"tool\":\"bash\",\"args\":{\"command\":\"" command "\"}}"

static const char *config(struct bed *bed, const char *point, const char *condition)
{
    return arena_printf(&bed->arena,
                        "hooks:\n  - name: r\n    on: %s\n    say: yes\n    when: |-\n      %s\n",
                        point, condition);
}

static bool holds(struct bed *bed, const char *condition, const char *point, const char *data)
{
    bed_configure(bed, NULL, config(bed, point, condition));
    bed_emit(bed, point, data);
    if (bed->receipt.run_count != 1 || bed->receipt.runs[0].end != RUN_DONE)
        fail_msg("'%s': %s", condition,
                 bed->receipt.run_count ? bed->receipt.runs[0].detail : "did not run");
    return bed->receipt.verdict.say != NULL;
}

static void conditions_read_the_event(void **state UNUSED)
{
    static const struct {
        const char *condition;
        bool holds;
    } rows[] = {
        { "tool == \"bash\"", true },
        { "tool == 'read'", false },
        { "tool == \"bash\" and re(args.command, [[push.*--force]])", true },
        { "re(args.command, '^git')", true },
        { "has(args.command, '--force') and not has(args.command, '.*')", true },
        { "args.count == 3 and args.share > 0.25 and args.on", true },
        { "#args.list == 2 and args.list[1] == 'a' and args.list[3] == nil", true },
        { "args.nothing == nil", true },
        { "glob(args.path, 'src/**/*.c')", true },
        { "tokens(args.command) == 6", true },
        { "agent == 'builder' and turn == 7 and session.id == 's1'", true },
        { "session.invoked_by == 'main' and invoked_by == 'main' and recipe == ''", true },
        { "point == 'tool.execute.before'", true },
        { "args.command:upper():sub(1, 3) == 'GIT'", true },
        { "args.big > 1e19", true },
        { "(function() for k, v in pairs(args) do if k == 'count' then return v end end end)() == 3",
          true },
        { "tostring(args.list) == '[\"a\",\"b\"]'", true },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    bed.session.agent = "builder";
    bed.turn = 7;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (holds(
                &bed, rows[i].condition, "tool.execute.before",
                "{\"tool\":\"bash\",\"args\":{\"command\":\"git push --force origin\",\"count\":3,"
                "\"share\":0.5,\"on\":true,\"list\":[\"a\",\"b\"],\"nothing\":null,"
                "\"path\":\"src/base/x.c\",\"big\":12345678901234567890}}") != rows[i].holds)
            fail_msg("'%s'", rows[i].condition);
}

static void what_is_missing_is_nil_and_nil_goes_through_everything(void **state UNUSED)
{
    static const char *const conditions[] = {
        "args.a.b.c == 'x'",
        "usage.current_context_window / usage.max_context_window > 0.70",
        "usage.x + 1 > 0 or usage.x < 1 or usage.x <= 1 or 1 < usage.x",
        "re(response, 'x') or has(response, 'x') or glob(response, '*')",
        "#usage > 0",
        "usage.text .. 'x' == 'x'",
        "usage.text:lower() == 'x'",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
        const char *point = i == 0 ? "tool.execute.before" : "turn.after";

        if (holds(&bed, conditions[i], point, NULL))
            fail_msg("'%s'", conditions[i]);
    }
}

static void the_compaction_check_is_one_line(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks:\n"
             "  - name: compact-at-70\n"
             "    on: turn.after\n"
             "    when: usage.current_context_window / usage.max_context_window > 0.70\n"
             "    callback: compact\n");
    bed_emit(&bed, "turn.after",
             "{\"usage\":{\"current_context_window\":69,\"max_context_window\":100}}");
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_emit(&bed, "turn.after",
             "{\"usage\":{\"current_context_window\":71,\"max_context_window\":100}}");
    assert_string_equal(bed_verdict(&bed), "{\"result\":\"callback\",\"callback\":\"compact\"}");
}

static const char *problems_of(struct bed *bed, const char *point, const char *condition)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    struct registry *reg;

    bed_configure(bed, NULL, config(bed, point, condition));
    reg = engine_look(bed->engine);
    for (const struct problem *p = registry_config(reg)->problems.first; p; p = p->next)
        strbuf_printf(&b, "%s\n", p->message);
    registry_unref(reg);
    return arena_cstr(&bed->arena, strbuf_str(&b));
}

static void unknown_names_and_bad_syntax_are_problems_of_the_configuration(void **state UNUSED)
{
    static const struct {
        const char *condition, *says;
    } rows[] = {
        { "tol == 'bash'", "unknown name 'tol', did you mean 'tool'?" },
        { "usage.x > 1", "unknown name 'usage'" },
        { "os.execute('true')", "unknown name 'os'" },
        { "io.open('/etc/passwd')", "unknown name 'io'" },
        { "load('x')", "unknown name 'load'" },
        { "tool ==", "config.yaml:6: unexpected symbol near <eof>" },
        { "tool = 'bash'", "config.yaml:6:" },
        { "false, true", "config.yaml:6: expected one expression" },
        { "-- nothing", "config.yaml:6: expected one expression" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *found = problems_of(&bed, "tool.execute.before", rows[i].condition);

        if (!strstr(found, rows[i].says))
            fail_msg("'%s': %s", rows[i].condition, found);
    }
}

static void a_rule_with_a_bad_condition_is_not_lost(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks:\n  - { name: g, on: tool.execute.before, when: 'tol', block: no,"
             " safety_critical: true }\n");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "unknown name 'tol'"));
}

static void
a_bad_name_is_found_again_when_the_configuration_was_compiled_before(void **state UNUSED)
{
    static const char yaml[] =
        "hooks:\n  - { name: g, on: tool.execute.before, when: 'tol', block: no,"
        " safety_critical: true }\n";
    CLEANUP(bed) struct bed bed = { 0 };
    struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
    struct registry *reg;
    char *file;

    bed_open(&bed, NULL, yaml);
    file = path_join(&bed.arena, bed.dir.path, "config.yaml");
    assert_int_equal(utimensat(AT_FDCWD, file, old, 0), 0);
    bed_reload(&bed, NULL);
    bed_reload(&bed, NULL);
    reg = engine_look(bed.engine);
    assert_true(registry_config(reg)->problems.known);
    registry_unref(reg);
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void its_own_timeout_ends_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks:\n  - { name: slow, on: tool.execute.before, timeout: 1ms, block: no,"
             " on_failure: ask, when: '(function() while true do end end)()' }\n");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.runs[0].end, RUN_TIMED_OUT);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_ASK);
}

static void texts_of_the_event_count_as_its_memory(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf data = { 0 };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    strbuf_addstr(&data, "{\"tool\":\"bash\",\"args\":{\"command\":\"\\n");
    for (int i = 0; i < 400000; i++)
        strbuf_addch(&data, 'x');
    strbuf_addstr(&data, "\"}}");
    bed_configure(
        &bed, NULL,
        config(&bed, "tool.execute.before",
               "(function() for i = 1, 2000 do local x = args.command end return true end)()"));
    bed_emit(&bed, "tool.execute.before", data.buf);
    assert_int_equal(bed.receipt.runs[0].end, RUN_DONE);
    assert_non_null(bed.receipt.verdict.say);
}

/* A run that must fail, within a bound, for the reason given. */
static void check_fails(struct bed *bed, const char *condition, const char *why)
{
    uint64_t began;

    bed_configure(bed, NULL, config(bed, "tool.execute.before", condition));
    began = clock_mono_ns();
    bed_emit(bed, "tool.execute.before", BASH("aaaa"));
    assert_true(clock_mono_ns() - began < 5000000000u);
    assert_int_equal(bed->receipt.runs[0].end, RUN_FAILED);
    if (!strstr(bed->receipt.runs[0].detail, why))
        fail_msg("'%s': %s", condition, bed->receipt.runs[0].detail);
}

static void endless_loops_and_bombs_end_as_failed_runs(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    check_fails(&bed, "(function() while true do end end)()",
                "config.yaml:6: it does not come to an end");
    check_fails(&bed, "(function() local s = 'x' while true do s = s .. s end end)()",
                "not enough memory");
    check_fails(&bed, "(function() local t = {} while true do t[#t + 1] = {} end end)()",
                "not enough memory");
    check_fails(&bed, "(function() local function f() return 1 + f() end return f() end)()",
                "not enough memory");
    check_fails(&bed, "re(args.command, '(a+')", "bad regular expression");
    check_fails(&bed, "re(args.command, 5)", "needs a regular expression");
    check_fails(&bed, "tool()", "attempt to call");
    check_fails(&bed, "args.command:find('aaa')", "texts have no method 'find', use has() or re()");
}

static void nothing_outside_the_box_is_within_reach(void **state UNUSED)
{
    static const char *const conditions[] = {
        "getmetatable",
        "session.x.__index",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
        bed_configure(&bed, NULL, config(&bed, "tool.execute.before", conditions[i]));
        bed_emit(&bed, "tool.execute.before", BASH("ls"));
        if (bed.receipt.verdict.say)
            fail_msg("'%s' is there", conditions[i]);
    }
}

static void what_code_does_to_its_environment_is_gone_the_next_time(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    bed_configure(&bed, NULL,
                  config(&bed, "tool.execute.before",
                         "(function() local t = tool _ENV = args return t == 'bash' end)()"));
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, "tool.execute.before", BASH("ls"));
        assert_non_null(bed.receipt.verdict.say);
        receipt_release(&bed.receipt);
        arena_reset(&bed.arena);
        bed.session.id = "s1";
    }
}

static void a_large_argument_does_not_evade_its_rule(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf data = { 0 };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(
        &bed, NULL,
        "hooks: [{ name: g, on: PreToolUse, when: 'has(args.command, \"rm -rf\")', block: no }]");
    strbuf_addstr(&data, "{\"args\":{\"command\":\"");
    for (int i = 0; i < 20 << 20; i++)
        strbuf_addch(&data, 'x');
    strbuf_addstr(&data, " rm -rf\"}}");
    bed_emit(&bed, "tool.execute.before", data.buf);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void *evaluate_many(void *context)
{
    struct engine *engine = context;

    for (int i = 0; i < 300; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(receipt) struct receipt r = { 0 };
        struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = { .id = "s" } };

        if (json_parse(&a, str_of(i % 2 ? BASH("rm") : BASH("ls")), NULL, &ev.data, NULL) < 0 ||
            engine_emit(engine, &ev, &a, &r, NULL) < 0 ||
            (r.verdict.decision == DECISION_BLOCK) != (i % 2 == 1))
            return engine;
    }
    return NULL;
}

static void any_number_of_threads_may_evaluate_at_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    pthread_t threads[4];

    bed_open(&bed, NULL,
             "hooks: [{ name: g, on: PreToolUse, when: 're(args.command, \"^rm\")', block: no }]");
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, evaluate_many, bed.engine), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *wrong;

        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

TESTS(cmocka_unit_test(conditions_read_the_event),
      cmocka_unit_test(what_is_missing_is_nil_and_nil_goes_through_everything),
      cmocka_unit_test(the_compaction_check_is_one_line),
      cmocka_unit_test(unknown_names_and_bad_syntax_are_problems_of_the_configuration),
      cmocka_unit_test(a_rule_with_a_bad_condition_is_not_lost),
      cmocka_unit_test(a_bad_name_is_found_again_when_the_configuration_was_compiled_before),
      cmocka_unit_test(its_own_timeout_ends_it),
      cmocka_unit_test(texts_of_the_event_count_as_its_memory),
      cmocka_unit_test(endless_loops_and_bombs_end_as_failed_runs),
      cmocka_unit_test(nothing_outside_the_box_is_within_reach),
      cmocka_unit_test(what_code_does_to_its_environment_is_gone_the_next_time),
      cmocka_unit_test(a_large_argument_does_not_evade_its_rule),
      cmocka_unit_test(any_number_of_threads_may_evaluate_at_once))
