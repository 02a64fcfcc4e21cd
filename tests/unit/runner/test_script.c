/* Hooks that are a Lua file: what they register, see, answer and remember. */
#include "script_bed.h"

#include <pthread.h>

static const struct hook *part_at(struct registry *reg, const char *point)
{
    struct subscription on;
    size_t count;
    const struct hook *const *hooks;

    assert_true(point_resolve(str_of(point), &on));
    hooks = registry_at(reg, on.point, &count);
    return count == 1 ? hooks[0] : NULL;
}

/* Registering ---------------------------------------------------------------------------------- */

static void a_script_says_itself_what_it_is_for(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook *before, *stop;
    struct registry *reg;

    bed_open(&bed, NULL, NULL);
    script_configure(
        &bed, "",
        "-- Keeps an eye on things.\n"
        "hooke.on('PreToolUse', { tool = 'bash', layer = 'guard', timeout = '2s' },\n"
        "  function(event) return { decision = 'block', reason = event.point } end)\n"
        "hooke.on('SubagentStop', { priority = 5, mode = 'observe' }, function() end)\n"
        "hooke.on('turn.after', { layer = 'guard', tool = 'bash', timeout = 2 },\n"
        "  function() end)\n");
    assert_string_equal(script_problems(&bed), "");
    reg = engine_look(bed.engine);
    before = part_at(reg, "tool.execute.before");
    stop = part_at(reg, "agent.stop");
    assert_non_null(before);
    assert_non_null(stop);
    assert_ptr_equal(before, part_at(reg, "turn.after")); /* the same traits: one part */
    assert_string_equal(before->summary, "Keeps an eye on things");
    assert_int_equal(before->traits.layer, LAYER_GUARD);
    assert_int_equal(before->traits.timeout_ms, 2000);
    assert_string_equal(before->traits.tool->text, "bash");
    assert_int_equal(stop->traits.layer, LAYER_OBSERVE);
    assert_int_equal(stop->traits.priority, 5);
    assert_int_equal(stop->traits.on[0].session, SESSION_SUB);
    registry_unref(reg);
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_string_equal(bed_verdict(&bed),
                        "{\"decision\":\"block\",\"reason\":\"tool.execute.before\"}");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"read\"}");
    assert_int_equal(bed.receipt.run_count, 0);
}

static void keys_of_the_entry_win(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook *h;
    struct registry *reg;

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "tool: write, priority: 7, safety_critical: true",
                     "hooke.on('PreToolUse', { tool = '/^b/', layer = 'guard', priority = 1 },\n"
                     "  function() return { decision = 'block' } end)\n");
    assert_string_equal(script_problems(&bed), "");
    reg = engine_look(bed.engine);
    h = part_at(reg, "tool.execute.before");
    assert_int_equal(h->traits.layer, LAYER_GUARD);
    assert_int_equal(h->traits.priority, 7);
    assert_int_equal(h->traits.on_failure, FAILURE_BLOCK);
    registry_unref(reg);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    assert_int_equal(bed.receipt.run_count, 0);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"write\"}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void the_entry_may_choose_among_the_points(void **state UNUSED)
{
    static const char lua[] = "hooke.on('PreToolUse', function() return { say = 'a' } end)\n"
                              "hooke.on('Stop', function() return { say = 'b' } end)\n";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "on: [SubagentStop]", lua);
    assert_string_equal(script_problems(&bed), "");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.run_count, 0);
    bed_emit(&bed, "agent.stop", NULL); /* a main session's: the entry's match counts */
    assert_int_equal(bed.receipt.run_count, 0);
    bed.session.parent = "s0";
    bed_emit(&bed, "agent.stop", NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"b\"}");
    script_configure(&bed, "on: [Stop, chat.message]", lua);
    assert_non_null(strstr(script_problems(&bed),
                           "s.lua registers nothing for 'chat.message', which 'on' names"));
}

static void a_condition_stands_before_a_script(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "when: tool == 'bash'", script_body(&bed, "return { say = 'x' }"));
    assert_string_equal(script_problems(&bed), "");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"read\"}");
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"x\"}");
    script_configure(&bed, "when: tol == 'bash'",
                     "hooke.on('PreToolUse', { tool = '/x/' }, function() end)");
    assert_non_null(strstr(script_problems(&bed), "unknown name 'tol', did you mean 'tool'?"));
}

/* Files that are wrong ------------------------------------------------------------------------- */

static void what_is_wrong_with_a_file_is_a_problem_with_its_line(void **state UNUSED)
{
    static const struct {
        const char *lua, *says;
    } rows[] = {
        { "hooke.on('PreToolUse', function() end\n",
          "s.lua:2: ')' expected (to close '(' at line 1)" },
        { "\nhooke.on('PreTolUse', function() end)",
          "s.lua:2: unknown point 'PreTolUse', did you mean 'PreToolUse'?" },
        { "hooke.on('PreToolUse', function() end)\nhooke.on('BeforeTool', function() end)",
          "s.lua:2: 'tool.execute.before' has a function already, registered in line 1" },
        { "local x = 1", "s.lua registers nothing: call hooke.on(point, function)" },
        { "hooke.on('Stop', { layr = 'guard' }, function() end)",
          "s.lua:1: unknown option 'layr'" },
        { "\n\nhooke.on('Stop',\n  { layer = 'gaurd' }, function() end)",
          "s.lua:3: 'layer' must be one of guard, produce" },
        { "hooke.on('Stop', { exec = 'x' }, function() end)", "s.lua:1: unknown option 'exec'" },
        { "hooke.on('Stop', { 'guard' }, function() end)",
          "s.lua:1: options must be a table with names" },
        { "hooke.on('Stop', { tool = print }, function() end)", "s.lua:1: unknown name 'print'" },
        { "hooke.on('Stop', { tool = function() end }, function() end)",
          "s.lua:1: 'options.tool' is a function" },
        { "hooke.on('Stop', 5, function() end)", "s.lua:1: bad argument #2 to 'on'" },
        { "hooke.on('Stop', {})", "s.lua:1: bad argument #3 to 'on'" },
        { "local function f() error('no') end\n\nf()", "s.lua:1: no (called from s.lua:3)" },
        { "\x1bLua", "attempt to load a binary chunk" },
        { "while true do end", "s.lua:1: it does not come to an end" },
        { "hooke.state.set('a', 1)", "s.lua:1: this can be used only while an event is handled" },
        { "hooke.on('Stop', { tool = '/(/' }, function() end)", "s.lua:1: " },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(&bed, "", rows[i].lua);
        if (!strstr(script_problems(&bed), rows[i].says))
            fail_msg("'%s': %s", rows[i].lua, script_problems(&bed));
    }
}

static void a_file_that_is_not_there_is_a_problem(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: s, on: PreToolUse, script: none.lua }]");
    assert_non_null(strstr(script_problems(&bed), "none.lua"));
}

static void a_broken_guard_fails_where_it_belongs(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "on: PreToolUse, safety_critical: true", "oops");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "s.lua:1: syntax error"));
    /* What it registered before it broke counts, with the traits it gave. */
    script_configure(
        &bed, "",
        "hooke.on('PreToolUse', { tool = '/x/', on_failure = 'ask' }, function() end)\n"
        "hooke.on('chat.message', function() end)\n"
        "error('late')\n");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_ASK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "s.lua:3: late"));
    bed_emit(&bed, "chat.message", NULL);
    assert_int_equal(bed.receipt.runs[0].end, RUN_FAILED);
}

static void a_guard_of_which_nothing_is_known_fails_at_every_gate(void **state UNUSED)
{
    static const char *const gates[] = { "tool.execute.before", "chat.message", "agent.start" };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "safety_critical: true", "oops");
    for (size_t i = 0; i < ARRAY_LEN(gates); i++) {
        bed_emit(&bed, gates[i], NULL);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    }
    bed_emit(&bed, "tool.execute.after", NULL);
    assert_int_equal(bed.receipt.run_count, 0);
    script_configure(&bed, "", "oops");
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_int_equal(bed.receipt.run_count, 0);
}

/* Answers -------------------------------------------------------------------------------------- */

static void a_table_is_a_verdict(void **state UNUSED)
{
    static const struct {
        const char *body, *verdict;
    } rows[] = {
        { "", "{}" },
        { "return nil", "{}" },
        { "return {}", "{}" },
        { "return { decision = 'ask', reason = event.data.args.command }",
          "{\"decision\":\"ask\",\"reason\":\"ls\"}" },
        { "return { stop = 'x', say = 'y' }", "{\"stop\":\"x\",\"say\":\"y\"}" },
        { "return { replace = { args = { z = 1, a = { 1, 2.5, true, 'x' }, m = {} } } }",
          "{\"replace\":{\"args\":{\"a\":[1,2.5,true,\"x\"],\"m\":{},\"z\":1}}}" },
        { "return { replace = { args = { list = hooke.array {}, none = hooke.null } } }",
          "{\"replace\":{\"args\":{\"list\":[],\"none\":null}}}" },
        { "return { modify = { args = { command = hooke.null, x = event.data.args.n } } }",
          "{\"replace\":{\"args\":{\"n\":1.50,\"o\":{\"b\":1,  \"a\":2},\"x\":1.50}}}" },
        { "return { replace = { args = event.data.args.o } }",
          "{\"replace\":{\"args\":{\"b\":1,  \"a\":2}}}" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *said = script_answer(
            &bed, rows[i].body,
            "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\",\"n\":1.50,\"o\":{\"b\":1,  \"a\":2}}}");
        const struct json *x, *y;

        assert_int_equal(json_parse(&bed.arena, str_of(said), NULL, &x, NULL), 0);
        assert_int_equal(json_parse(&bed.arena, str_of(rows[i].verdict), NULL, &y, NULL), 0);
        if (!json_equal(x, y))
            fail_msg("'%s': %s", rows[i].body, said);
    }
}

static void the_same_answer_has_the_same_bytes(void **state UNUSED)
{
    static const char body[] =
        "return { replace = { args = { z = 1, y = 2, x = { c = 3, b = 4, a = 5 } } } }";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (int i = 0; i < 5; i++)
        assert_string_equal(script_answer(&bed, body, BASH("ls")),
                            "{\"replace\":{\"args\":{\"x\":{\"a\":5,\"b\":4,\"c\":3},\"y\":2,"
                            "\"z\":1}}}");
}

static void what_is_no_verdict_is_a_failed_run(void **state UNUSED)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "return 'no'",
          "s.lua:1: a hook returns a verdict, which is a table, or nil, not a string" },
        { "return true", "not a boolean" },
        { "return { 1, 2 }", "gave a bad answer: a verdict must be an object, not an array" },
        { "return { say = function() end }", "'verdict.say' is a function" },
        { "return { replace = { args = { 1, nil, 3 } } }",
          "'verdict.replace.args' has keys that are not all texts" },
        { "return { replace = { [1.5] = 1 } }", "'verdict.replace' has keys" },
        { "return { replace = { a = 1, 2 } }", "'verdict.replace' has keys" },
        { "return { replace = { a = 0/0 } }",
          "'verdict.replace.a' is a number that JSON does not" },
        { "return { replace = { a = math.huge } }", "is a number that JSON does not have" },
        { "local t = {} t.t = t return { replace = t }", "is nested too deep, or holds itself" },
        { "local t = {} for i = 1, 200000 do t[i] = 1 end return { replace = { a = t } }",
          "'verdict.replace.a' has too many values" },
        { "error('broke')", "s.lua:2: broke" },
        { "error({})", "no reason given" },
        { "return event.dat", "s.lua:2: an event has no 'dat'" },
        { "return hook.x", "s.lua:2: unknown name 'hook'" },
        { "hooke.stat.set('x', 1)", "s.lua:2: attempt to call a nil value (field 'set')" },
        { "hooke.on('Stop', function() end)", "can be called only while the script is loaded" },
        { "('x'):find('x')", "s.lua:2: texts have no method 'find', use has() or re()" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(&bed, "", script_body(&bed, rows[i].body));
        bed_emit(&bed, "tool.execute.before", BASH("ls"));
        if (bed.receipt.runs[0].end != RUN_FAILED ||
            !strstr(bed.receipt.runs[0].detail, rows[i].says))
            fail_msg("'%s': %s", rows[i].body,
                     bed.receipt.runs[0].detail ? bed.receipt.runs[0].detail : bed_verdict(&bed));
    }
}

static void an_unknown_field_of_a_verdict_is_a_warning(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    (void)script_answer(&bed, "return { decison = 'block' }", BASH("ls"));
    assert_int_equal(bed.receipt.warning_count, 1);
    assert_non_null(strstr(bed.receipt.warnings[0], "decison"));
}

/* Events --------------------------------------------------------------------------------------- */

static void a_script_sees_the_event(void **state UNUSED)
{
    static const char *const conditions[] = {
        "event.point == 'tool.execute.before' and event.turn == 7 and #event.id == 26",
        "event.session.id == 's1' and event.session.agent == 'builder'",
        "event.data.tool == 'bash' and event.data.args.command == 'git push'",
        "event.data.args.list[2] == 'b' and #event.data.args.list == 3",
        "event.data.args.list[3] == 'c' and event.data.args.list[1] == 'a'",
        "event.data.args.list[4] == nil and event.data.no.such.field == nil",
        "event.verdict == nil and event.again == false",
        "table.concat(event.data.args.list, '-') == 'a-b-c'",
        "select('#', table.unpack(event.data.args.list)) == 3",
        "(function() local n = 0 for _ in pairs(event.data.args) do n = n + 1 end return n end)() == 2",
        "(function() local s = '' for i, v in ipairs(event.data.args.list) do s = s .. v end return s end)() == 'abc'",
        "re(event.data.args.command, [[^git\\s+push$]]) and has(event.data.args.command, 'push')",
        "glob('src/x.c', 'src/*.c') and tokens('abcdefgh') == 2",
        "(' a b '):trim() == 'a b' and ('a,b,,c'):split(',')[4] == 'c'",
        "('path/x.c'):ends('.c') and ('path'):starts('pa') and not ('a'):starts('ab')",
        "('%d-%s'):format(5, 'x') == '5-x' and ('ab'):rep(2) == 'abab' and ('ab'):byte() == 97",
        "string.format('%5.1f', 2) == '  2.0' and utf8.len('\\u{e9}a') == 2",
        "math.floor(2.5) == 2 and math.max(1, 3) == 3 and math.random() < 1",
        "(function() local t = { 3, 1 } table.sort(t) table.insert(t, 4) table.remove(t, 1) return t[1] == 3 and #t == 2 end)()",
        "pcall(error, 'x') == false and select(2, pcall(error, 'x')) == 'x'",
        "tonumber('12') == 12 and tostring(5) == '5' and type(event.data) == 'userdata'",
        "tostring(event.data.args.list) == '[\"a\",\"b\",\"c\"]'",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    bed.session.agent = "builder";
    bed.turn = 7;
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
        const char *body =
            arena_printf(&bed.arena, "if %s then return { say = 'yes' } end", conditions[i]);

        if (strcmp(script_answer(&bed, body,
                                 "{\"tool\":\"bash\",\"args\":{\"command\":\"git push\","
                                 "\"list\":[\"a\",\"b\",\"c\"]}}"),
                   "{\"say\":\"yes\"}") != 0)
            fail_msg("'%s'", conditions[i]);
    }
}

static void an_observer_sees_the_verdict(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct store_key key = { "s1", "s", "seen" };
    struct str seen;

    bed_open(&bed, NULL, NULL);
    assert_int_equal(file_write(path_join(&bed.arena, bed.dir.path, "s.lua"),
                                STR("hooke.on('PreToolUse', { mode = 'observe' }, function(event)\n"
                                    "  hooke.state.set('seen', event.verdict.reason)\n"
                                    "  return { decision = 'allow' }\nend)\n"),
                                0600, NULL),
                     0);
    bed_configure(&bed, NULL,
                  "hooks:\n  - { name: s, script: s.lua }\n"
                  "  - { name: b, on: PreToolUse, block: not here }\n");
    bed_emit(&bed, "tool.execute.before", BASH("ls"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_int_equal(store_get(bed.store, &key, &bed.arena, &seen, NULL), 0);
    assert_true(str_is(seen, "not here"));
}

static void a_long_list_is_read_in_one_walk(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf data = { 0 };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    strbuf_addstr(&data, "{\"args\":{\"list\":[0");
    for (int i = 1; i < 100000; i++)
        strbuf_printf(&data, ",%d", i);
    strbuf_addstr(&data, "]}}");
    assert_string_equal(script_answer(&bed,
                                      "local n = 0\n"
                                      "for i, v in ipairs(event.data.args.list) do n = n + v end\n"
                                      "return { say = tostring(n) }",
                                      data.buf),
                        "{\"say\":\"4999950000\"}");
}

/* Services ------------------------------------------------------------------------------------- */

static void state_keeps_what_json_can_hold(void **state UNUSED)
{
    static const char *const rows[][3] = {
        /* set, a condition on what comes back, what the store has */
        { "'abc'", "v == 'abc'", "abc" },
        { "'12'", "v == '12'", "\"12\"" },
        { "12", "v == 12", "12" },
        { "true", "v == true", "true" },
        { "{ a = { 1, 2 }, b = {} }", "v.a[2] == 2 and #v.a == 2", "{\"a\":[1,2],\"b\":{}}" },
        { "hooke.array {}", "#v == 0", "[]" },
        { "'a\\0b'", "#v == 3", NULL },
    };
    CLEANUP(bed) struct bed bed = { 0 };
    struct store_key key = { "s1", "s", "k" };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str stored;

        if (strcmp(script_answer(&bed,
                                 arena_printf(&bed.arena,
                                              "hooke.state.set('k', %s)\n"
                                              "local v = hooke.state.get('k')\n"
                                              "return { say = (%s) and 'yes' or 'no' }",
                                              rows[i][0], rows[i][1]),
                                 BASH("ls")),
                   "{\"say\":\"yes\"}") != 0)
            fail_msg("%s", rows[i][0]);
        assert_int_equal(store_get(bed.store, &key, &bed.arena, &stored, NULL), 0);
        if (rows[i][2])
            assert_string_equal(stored.ptr, rows[i][2]);
    }
    assert_string_equal(script_answer(&bed,
                                      "hooke.state.set('k', nil)\n"
                                      "return { say = tostring(hooke.state.get('k')) }",
                                      BASH("ls")),
                        "{\"say\":\"nil\"}");
}

static void state_is_counted_and_updated(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "",
                     script_body(&bed,
                                 "local n = hooke.state.incr('n')\n"
                                 "local m = hooke.state.incr('m', 5)\n"
                                 "local list = hooke.state.update('list', function(old)\n"
                                 "  old = old or {}\n  old[#old + 1] = n\n  return old\nend)\n"
                                 "return { say = n .. ' ' .. m .. ' ' .. #list }"));
    bed_emit(&bed, "tool.execute.before", NULL);
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"2 10 2\"}");
    bed.session.id = "s2";
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"1 5 1\"}");
}

static void state_that_cannot_be_had_is_a_failed_run(void **state UNUSED)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "hooke.state.set('@cadence', 1)", "must not begin with '@'" },
        { "hooke.state.set('', 1)", "must be a text of 1 to 4096 bytes" },
        { "hooke.state.set('a')", "bad argument #2 to 'set'" },
        { "hooke.state.set('a', print)", "unknown name 'print'" },
        { "hooke.state.set('a', ('x'):rep(2000000))", "up to 1 MiB" },
        { "hooke.state.set('a', 'x') hooke.state.incr('a')", "the state is out of reach" },
        { "hooke.state.update('a', function() error('inside') end)", "s.lua:2: inside" },
        { "hooke.state.update('a', function() return hooke.state.get('a') end)", "out of reach" },
        { "hooke.state.update('a', function() while true do end end)", "does not come to an end" },
        { "hooke.log('loud', 'x')", "bad argument #1 to 'log' (invalid option 'loud')" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        script_configure(&bed, "", script_body(&bed, rows[i].body));
        bed_emit(&bed, "tool.execute.before", NULL);
        if (bed.receipt.runs[0].end != RUN_FAILED ||
            !strstr(bed.receipt.runs[0].detail, rows[i].says))
            fail_msg("'%s': %s", rows[i].body, bed.receipt.runs[0].detail);
    }
    assert_string_equal(script_answer(&bed, "return { say = 'still there' }", NULL),
                        "{\"say\":\"still there\"}");
}

static void a_script_may_log(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    (void)script_answer(&bed, "hooke.log('quiet') hooke.log('warn', 'look')", NULL);
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "hook 's': look"));
    assert_null(strstr(strbuf_cstr(&bed.logged), "quiet"));
}

/* Threads -------------------------------------------------------------------------------------- */

static void *emit_many(void *context)
{
    struct engine *engine = context;

    for (int i = 0; i < 200; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(receipt) struct receipt r = { 0 };
        struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = { .id = "s" } };

        if (json_parse(&a, str_of(i % 2 ? BASH("rm") : BASH("ls")), NULL, &ev.data, NULL) < 0 ||
            engine_emit(engine, &ev, &a, &r, NULL) < 0 || r.runs[0].end != RUN_DONE ||
            (r.verdict.decision == DECISION_BLOCK) != (i % 2 == 1))
            return engine;
    }
    return NULL;
}

static void threads_share_a_script_and_its_state(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct store_key key = { "s", "s", "n" };
    pthread_t threads[4];
    struct str n;

    bed_open(&bed, NULL, NULL);
    script_configure(&bed, "",
                     script_body(&bed,
                                 "hooke.state.update('n', function(n) return (n or 0) + 1 end)\n"
                                 "if re(event.data.args.command, '^rm') then\n"
                                 "  return { decision = 'block' }\nend"));
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, emit_many, bed.engine), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *wrong;

        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(store_get(bed.store, &key, &bed.arena, &n, NULL), 0);
    assert_string_equal(n.ptr, "800");
}

TESTS(cmocka_unit_test(a_script_says_itself_what_it_is_for),
      cmocka_unit_test(keys_of_the_entry_win),
      cmocka_unit_test(the_entry_may_choose_among_the_points),
      cmocka_unit_test(a_condition_stands_before_a_script),
      cmocka_unit_test(what_is_wrong_with_a_file_is_a_problem_with_its_line),
      cmocka_unit_test(a_file_that_is_not_there_is_a_problem),
      cmocka_unit_test(a_broken_guard_fails_where_it_belongs),
      cmocka_unit_test(a_guard_of_which_nothing_is_known_fails_at_every_gate),
      cmocka_unit_test(a_table_is_a_verdict), cmocka_unit_test(the_same_answer_has_the_same_bytes),
      cmocka_unit_test(what_is_no_verdict_is_a_failed_run),
      cmocka_unit_test(an_unknown_field_of_a_verdict_is_a_warning),
      cmocka_unit_test(a_script_sees_the_event), cmocka_unit_test(an_observer_sees_the_verdict),
      cmocka_unit_test(a_long_list_is_read_in_one_walk),
      cmocka_unit_test(state_keeps_what_json_can_hold),
      cmocka_unit_test(state_is_counted_and_updated),
      cmocka_unit_test(state_that_cannot_be_had_is_a_failed_run),
      cmocka_unit_test(a_script_may_log), cmocka_unit_test(threads_share_a_script_and_its_state))
