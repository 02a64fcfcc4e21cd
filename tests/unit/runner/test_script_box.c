/* What a script cannot do: reach outside, run for ever, keep anything from one event to the next.
 */
#include "base/clock.h"
#include "script_bed.h"

/* What is configured must fail, within a bound, for the reason given. */
static void check_run_fails(struct bed *bed, const char *body, const char *why)
{
    uint64_t began = clock_mono_ns();

    bed_emit(bed, "tool.execute.before", BASH("aaaa"));
    if (clock_mono_ns() - began > 25000000000u)
        fail_msg("'%s' took too long", body);
    if (bed->receipt.run_count != 1 || bed->receipt.runs[0].end != RUN_FAILED ||
        !strstr(bed->receipt.runs[0].detail, why))
        fail_msg("'%s': %s", body,
                 bed->receipt.run_count && bed->receipt.runs[0].detail ? bed->receipt.runs[0].detail
                                                                       : script_problems(bed));
}

static void check_fails(struct bed *bed, const char *body, const char *why)
{
    script_configure(bed, "", script_body(bed, body));
    check_run_fails(bed, body, why);
}

static void endless_loops_and_bombs_end_as_failed_runs(void **state UNUSED)
{
    static const char endless[] = "it does not come to an end";
    static const struct {
        const char *body, *why;
    } rows[] = {
        { "while true do end", "s.lua:2: it does not come to an end" },
        { "repeat until false", endless },
        { "::again:: goto again", endless },
        { "local s = 'x' while true do s = s .. s end", "not enough memory" },
        { "local s = ('x'):rep(1 << 40)", "resulting string too large" },
        { "local s = ('x'):rep(1 << 28)", "not enough memory" },
        { "local t = {} while true do t[#t + 1] = {} end", "not enough memory" },
        { "local function f() return 1 + f() end f()", "not enough memory" },
        { "local function f() return pcall(f) end f() while true do end", endless },
        { "while true do pcall(function() while true do end end) end", endless },
        { "pcall(function() while true do end end) return { decision = 'allow' }", endless },
        { "local function f() pcall(f) while true do end end f()", endless },
        { "while true do pcall(('x').rep, 'x', 1 << 28) end", endless },
        { "local s = ('x'):rep(2000000) while true do local t = s:upper() end", endless },
        { "local s = ('x'):rep(2000000) while true do local t = has(s, 'xy') end", endless },
        { "local s = ('x'):rep(2000000) while true do utf8.len(s) end", endless },
        { "local t = {} for i = 1, 100000 do t[i] = i end "
          "while true do table.insert(t, 1, 0) table.remove(t, 1) end",
          endless },
        { "local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t) end",
          endless },
        { "table.sort({ 3, 1, 2, 5, 4 }, function() while true do end end)", endless },
        { "table.unpack({}, 1, 1e8)", "too many results to unpack" },
        { "while true do ('x,'):rep(500):split(',') end", endless },
        { "while true do (''):rep(math.maxinteger) end", endless },
        { "while true do (''):rep(math.maxinteger, '') end", endless },
        { "re(('a'):rep(40), '(a+')", "bad regular expression" },
        { "while true do hooke.state.get('x') end", endless },
        { "for i = 1, 1e9 do re('x', 'a' .. i) end", endless },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_fails(&bed, rows[i].body, rows[i].why);
}

static void the_time_of_the_hook_is_a_limit_too(void **state UNUSED)
{
    static const char *const bodies[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local s = ('x'):rep(2000000) while true do local t = s .. 'x' end",
        "for i = 1, 1e9 do pcall(re, ('a'):rep(1000) .. i, '(a|aa)+$') end",
        "while true do hooke.state.incr('n') end",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        uint64_t began;

        script_configure(&bed, "timeout: 1ms, on_failure: ask", script_body(&bed, bodies[i]));
        began = clock_mono_ns();
        bed_emit(&bed, "tool.execute.before", BASH("ls"));
        if (bed.receipt.runs[0].end != RUN_TIMED_OUT ||
            !strstr(bed.receipt.runs[0].detail, "its time is used up"))
            fail_msg("'%s': %s", bodies[i], bed.receipt.runs[0].detail);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_ASK);
        assert_true(clock_mono_ns() - began < 3000000000u);
    }
}

static void a_file_that_does_not_end_is_a_problem(void **state UNUSED)
{
    static const struct {
        const char *lua, *says;
    } rows[] = {
        { "while true do end", "s.lua:1: it does not come to an end" },
        { "local s = 'x' while true do s = s .. s end", "not enough memory" },
        { "pcall(function() while true do end end) hooke.on('Stop', function() end)",
          "it does not come to an end" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(&bed, "", rows[i].lua);
        if (!strstr(script_problems(&bed), rows[i].says))
            fail_msg("'%s': %s", rows[i].lua, script_problems(&bed));
    }
}

static void nothing_outside_is_within_reach(void **state UNUSED)
{
    static const char *const names[] = {
        "os",
        "io",
        "debug",
        "package",
        "require",
        "load",
        "loadfile",
        "dofile",
        "loadstring",
        "coroutine",
        "collectgarbage",
        "getmetatable",
        "_G",
        "setmetatable",
        "rawget",
        "rawset",
        "rawequal",
        "next",
        "xpcall",
        "print",
        "warn",
        "arg",
        "jit",
    };
    static const char *const missing[] = {
        "string.dump",   "string.gsub", "string.find",     "string.match",
        "string.gmatch", "string.pack", "math.randomseed", "table.move",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        check_fails(&bed, arena_printf(&bed.arena, "local x = %s", names[i]),
                    arena_printf(&bed.arena, "s.lua:2: unknown name '%s'", names[i]));
    for (size_t i = 0; i < ARRAY_LEN(missing); i++)
        check_fails(&bed, arena_printf(&bed.arena, "%s('x', 'x')", missing[i]),
                    "attempt to call a nil value");
    check_fails(&bed, "local x = ('').__index", "texts have no method '__index'");
    check_fails(&bed, "event.data.x = 1", "an event can't be changed in place");
    check_fails(&bed, "event.turn = 1", "an event can't be changed in place");
    check_fails(&bed, "local x <close> = {}", "variable 'x' got a non-closable value");
}

/* Keeping -------------------------------------------------------------------------------------- */

static void what_a_script_sets_up_is_read_only(void **state UNUSED)
{
    static const struct {
        const char *set_up, *body, *says;
    } rows[] = {
        { "", "count = 1", "s.lua:3: 'count' can't be changed" },
        { "count = 0", "count = count + 1", "s.lua:3: 'count' can't be changed" },
        { "", "_ENV.count = 1", "'count' can't be changed" },
        { "", "_ENV = { a = 1 }", "'_ENV' was changed" },
        { "local count = 0", "count = count + 1", "'count' was changed" },
        { "local kept", "kept = event.data", "'kept' was changed" },
        { "local seen = {}", "seen[1] = true", "'1' can't be changed" },
        { "local seen = { a = 1 }", "seen.a = 2", "'a' can't be changed" },
        { "seen = { deep = { er = {} } }", "seen.deep.er.x = 2", "'x' can't be changed" },
        { "local seen = { 1, 2 }", "table.insert(seen, 3)", "'3' can't be changed" },
        { "local seen = { 3, 2 }", "table.sort(seen)", "can't be changed" },
        { "local seen = hooke.array {}", "seen[1] = 1", "'1' can't be changed" },
        { "local t = {} local keyed = { [t] = 1 }", "for k in pairs(keyed) do k.x = 1 end",
          "'x' can't be changed" },
        { "local f do local n = 0 f = function() n = n + 1 end end", "f()", "'n' was changed" },
        { "local t = { f = (function() local n = 0 return function() n = n + 1 end end)() }",
          "t.f()", "'n' was changed" },
        { "local t = {}", "local f, s = pairs(t) s.x = 1", "'x' can't be changed" },
        { "", "hooke.state.get = nil", "'get' can't be changed" },
        { "", "hooke.x = 1", "'x' can't be changed" },
        { "", "math.pi = 3", "'pi' can't be changed" },
        { "math.pi = 3", "", "s.lua:1: 'pi' can't be changed" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(
            &bed, "on: PreToolUse",
            arena_printf(&bed.arena, "%s\n%s", rows[i].set_up, script_body(&bed, rows[i].body)));
        check_run_fails(&bed, rows[i].body, rows[i].says);
        check_run_fails(&bed, rows[i].body, rows[i].says);
    }
}

static void what_was_changed_is_put_back(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "",
                     arena_printf(&bed.arena, "local n, none = 5\n%s",
                                  script_body(&bed, "if event.data.tool == 'bash' then\n"
                                                    "  n, none = n + 1, 1\n  error('x')\nend\n"
                                                    "return { say = n .. tostring(none) }")));
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.runs[0].end, RUN_FAILED);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"read\"}");
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"5nil\"}");
}

static void what_is_read_only_can_be_read(void **state UNUSED)
{
    static const char set_up[] =
        "local words = { 'a', 'b', 'c' }\n"
        "WORDS = { x = 1, y = words }\n"
        "local VERDICT = { inject = { { id = 'i', text = 'T' } }, say = 'hi' }\n";
    static const struct {
        const char *body, *verdict;
    } rows[] = {
        { "return { say = #words .. words[2] .. WORDS.y[3] .. table.concat(words) }",
          "{\"say\":\"3bcabc\"}" },
        { "local n = 0 for k, v in pairs(WORDS) do n = n + 1 end\n"
          "for i, v in ipairs(words) do n = n + i end return { say = tostring(n) }",
          "{\"say\":\"8\"}" },
        { "return { say = select('#', table.unpack(words)) .. '' }", "{\"say\":\"3\"}" },
        { "return { replace = { args = { w = words, x = WORDS.x } } }",
          "{\"replace\":{\"args\":{\"w\":[\"a\",\"b\",\"c\"],\"x\":1}}}" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(&bed, "",
                         arena_printf(&bed.arena, "%s%s", set_up, script_body(&bed, rows[i].body)));
        for (int again = 0; again < 2; again++) {
            bed_emit(&bed, "tool.execute.before", BASH("ls"));
            assert_string_equal(bed_verdict(&bed), rows[i].verdict);
        }
    }
    script_configure(&bed, "",
                     arena_printf(&bed.arena, "%s%s", set_up, script_body(&bed, "return VERDICT")));
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_string_equal(bed.receipt.verdict.say, "hi");
    assert_string_equal(bed.receipt.verdict.injections->text, "T");
}

static void a_large_argument_does_not_evade_its_guard(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf data = { 0 };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    strbuf_addstr(&data, "{\"args\":{\"command\":\"");
    for (int i = 0; i < 20 << 20; i++)
        strbuf_addch(&data, 'x');
    strbuf_addstr(&data, " rm -rf\"}}");
    assert_string_equal(script_answer(&bed,
                                      "if has(event.data.args.command, 'rm -rf') then\n"
                                      "  return { decision = 'block' }\nend",
                                      data.buf),
                        "{\"decision\":\"block\"}");
}

TESTS(cmocka_unit_test(endless_loops_and_bombs_end_as_failed_runs),
      cmocka_unit_test(the_time_of_the_hook_is_a_limit_too),
      cmocka_unit_test(a_file_that_does_not_end_is_a_problem),
      cmocka_unit_test(nothing_outside_is_within_reach),
      cmocka_unit_test(what_a_script_sets_up_is_read_only),
      cmocka_unit_test(what_was_changed_is_put_back),
      cmocka_unit_test(what_is_read_only_can_be_read),
      cmocka_unit_test(a_large_argument_does_not_evade_its_guard))
