/* Which hooks there are, in force or not, and which of them match an event. */
#include "bed.h"
#include "hook/chain.h"

#include <pthread.h>

static int say_nothing(const struct hook_call *c UNUSED, struct verdict *v UNUSED,
                       struct err *e UNUSED)
{
    return 0;
}

static const struct hook_def plain = { .name = "plain",
                                       .layer = LAYER_TRANSFORM,
                                       .on = { [POINT_CHAT_MESSAGE] = say_nothing } };
static const struct hook_def idle = { .name = "idle",
                                      .layer = LAYER_TRANSFORM,
                                      .off = true,
                                      .on = { [POINT_CHAT_MESSAGE] = say_nothing } };
static const struct hook_def *const defs[] = { &idle, &plain, NULL };

static const char *problems(struct bed *bed)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    struct registry *reg = engine_look(bed->engine);

    for (const struct problem *p = registry_config(reg)->problems.first; p; p = p->next)
        strbuf_printf(&b, "%u:%u %s\n", p->origin.line, p->origin.column, p->message);
    registry_unref(reg);
    return arena_cstr(&bed->arena, strbuf_str(&b));
}

static void disabled_hooks_are_held_back_and_say_where(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "disabled_hooks: [plain]");
    bed_emit(&bed, "chat.message", NULL);
    assert_false(bed_ran(&bed, "plain"));
    assert_string_equal(bed.receipt.held[1].hook->name, "plain");
    assert_int_equal(bed.receipt.held[1].why, HELD_OFF);
    assert_non_null(strstr(bed.receipt.held[1].detail, "config.yaml:1:18"));
}

static void an_unknown_disabled_hook_is_a_problem_with_the_nearest_name(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "disabled_hooks: [plane]");
    assert_string_equal(problems(&bed), "1:18 unknown hook 'plane', did you mean 'plain'?\n");
}

static void a_hook_that_is_off_can_be_enabled(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, NULL);
    bed_emit(&bed, "chat.message", NULL);
    assert_false(bed_ran(&bed, "idle"));
    bed_configure(&bed, defs, "hooks: [{ name: idle, enabled: true }]");
    bed_emit(&bed, "chat.message", NULL);
    assert_true(bed_ran(&bed, "idle"));
}

static void an_unknown_option_of_a_built_in_is_a_problem(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hooks: [{ name: plain, volume: 11 }]");
    assert_string_equal(problems(&bed),
                        "1:32 hook 'plain' has no option 'volume', see 'hooke show plain'\n");
    bed_emit(&bed, "chat.message", NULL);
    assert_true(bed_ran(&bed, "plain"));
}

static void a_cadence_that_never_holds_a_built_in_back_is_said_once(void **state UNUSED)
{
    static const struct hook_def critical = { .name = "critical",
                                              .safety_critical = true,
                                              .on = { [POINT_CHAT_MESSAGE] = say_nothing } };
    static const struct hook_def guard = { .name = "guard",
                                           .on = { [POINT_TOOL_EXECUTE_BEFORE] = say_nothing } };
    static const struct hook_def *const own[] = { &critical, &guard, NULL };
    static const char *const configs[] = {
        "hook_cadence: { critical: 3 }",
        "hook_cadence: { guard: 3 }",
        "hooks: [{ name: critical, cadence: 3 }]",
        "hooks: [{ name: guard, cadence: 3 }]",
    };

    for (size_t i = 0; i < ARRAY_LEN(configs); i++) {
        CLEANUP(bed) struct bed bed = { 0 };
        const char *hook = strstr(configs[i], "guard") ? "guard" : "critical";
        const char *said;

        bed_open(&bed, own, configs[i]);
        said = strstr(problems(&bed), arena_printf(&bed.arena,
                                                   "Ignoring cadence > 1 for safety-critical "
                                                   "hook: %s\n",
                                                   hook));
        assert_non_null(said);
        assert_null(strstr(said + 1, "Ignoring"));
    }
}

static void a_built_in_that_comes_and_goes_in_the_system_prompt_is_warned_about(void **state UNUSED)
{
    static const struct hook_def text = { .name = "text",
                                          .on = { [POINT_SYSTEM_TRANSFORM] = say_nothing } };
    static const struct hook_def *const own[] = { &text, &plain, NULL };
    static const struct {
        const char *yaml;
        bool warned;
    } rows[] = {
        { "{ hook_cadence: { text: 3 }, hooks: [{ name: text, place: system }] }", true },
        { "hooks: [{ name: text, place: system, cadence: 3 }]", true },
        { "{ hook_cadence: { experimental.chat.system.transform: 3 }, "
          "hooks: [{ name: text, place: system }] }",
          true },
        { "hook_cadence: { text: 3 }", false },
        { "hooks: [{ name: text, place: system }]", false },
        { "{ hook_cadence: { plain: 3 }, hooks: [{ name: plain, place: system }] }", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed bed = { 0 };

        bed_open(&bed, own, rows[i].yaml);
        assert_int_equal(strstr(problems(&bed), "prompt cache") != NULL, rows[i].warned);
    }
}

static void hooks_match_tool_agent_session_and_result(void **state UNUSED)
{
    static const char yaml[] =
        "hooks:\n"
        "  - { name: exact, on: tool.execute.after, tool: bash, say: x }\n"
        "  - { name: list, on: tool.execute.after, tool: [read, edit], say: x }\n"
        "  - { name: pattern, on: tool.execute.after, tool: /^b/, say: x }\n"
        "  - { name: agent, on: tool.execute.after, agent: builder, say: x }\n"
        "  - { name: main, on: tool.execute.after, session: main, say: x }\n"
        "  - { name: sub, on: tool.execute.after, session: sub, say: x }\n"
        "  - { name: worked, on: PostToolUse, say: x }\n"
        "  - { name: failed, on: PostToolUseFailure, say: x }\n";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, yaml);
    bed_emit(&bed, "tool.execute.after", "{\"tool\":\"bash\",\"success\":true}");
    assert_string_equal(bed_order(&bed), "exact pattern main worked");
    bed.session.agent = "builder";
    bed.session.parent = "s0";
    bed_emit(&bed, "tool.execute.after", "{\"tool\":\"edit\",\"success\":false}");
    assert_string_equal(bed_order(&bed), "list agent sub failed");
}

static void a_matcher_of_tools_never_takes_an_event_without_one(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: any, on: tool.execute.before, tool: /.*/, say: x }]");
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed_order(&bed), "");
}

static void a_mismatch_is_explained(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct chain_key key = { .point = POINT_AGENT_STOP, .tool = STR("read") };
    struct registry *reg;

    bed_open(&bed, NULL,
             "hooks:\n"
             "  - { name: a, on: SubagentStop, say: x }\n"
             "  - { name: b, on: Stop, say: x }\n"
             "  - { name: c, on: agent.stop, tool: bash, say: x }\n");
    reg = engine_look(bed.engine);
    assert_string_equal(chain_mismatch(registry_find(reg, "a"), &key), "only for subagents");
    assert_null(chain_mismatch(registry_find(reg, "b"), &key));
    assert_string_equal(chain_mismatch(registry_find(reg, "c"), &key), "other tools only");
    registry_unref(reg);
}

static void more_tools_than_the_cache_holds_still_match(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: x, on: tool.execute.before, tool: /^tool-9/, say: x }]");
    for (int i = 0; i < CHAIN_MAX + 100; i++)
        bed_emit(&bed, "tool.execute.before",
                 arena_printf(&bed.arena, "{\"tool\":\"tool-%d\"}", i));
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"tool-99999\"}");
    assert_true(bed_ran(&bed, "x"));
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"tool-1\"}");
    assert_false(bed_ran(&bed, "x"));
}

static void a_registered_name_is_unique(void **state UNUSED)
{
    struct engine_callback cb = { .name = "mine",
                                  .on = { .point = POINT_CHAT_MESSAGE },
                                  .layer = LAYER_TRANSFORM,
                                  .run = say_nothing };
    CLEANUP(bed) struct bed bed = { 0 };
    struct err e = { 0 };

    bed_open(&bed, defs, "");
    assert_int_equal(engine_register(bed.engine, &cb, &e), 0);
    assert_true(engine_register(bed.engine, &cb, &e) < 0);
    assert_non_null(strstr(e.msg, "there is a hook 'mine' already"));
    cb.name = "idle";
    assert_true(engine_register(bed.engine, &cb, &e) < 0);
    bed_emit(&bed, "chat.message", NULL);
    assert_string_equal(bed_order(&bed), "plain mine");
}

static void an_entry_cannot_take_the_name_of_the_programs_own_hook(void **state UNUSED)
{
    struct engine_callback cb = { .name = "mine",
                                  .on = { .point = POINT_CHAT_MESSAGE },
                                  .layer = LAYER_GUARD,
                                  .run = say_nothing };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, NULL);
    assert_int_equal(engine_register(bed.engine, &cb, NULL), 0);
    bed_configure(&bed, defs, "hooks: [{ name: mine, on: chat.message, when: agent, say: x }]");
    assert_non_null(strstr(problems(&bed), "the program has a hook 'mine' of its own"));
    bed_emit(&bed, "chat.message", NULL);
    assert_string_equal(bed_order(&bed), "mine plain");
}

static void a_hook_registered_while_a_registry_was_built_joins_it(void **state UNUSED)
{
    struct engine_callback cb = { .name = "mine",
                                  .on = { .point = POINT_CHAT_MESSAGE },
                                  .layer = LAYER_GUARD,
                                  .run = say_nothing };
    CLEANUP(bed) struct bed bed = { 0 };
    struct registry *reg;

    bed_open(&bed, defs, NULL);
    reg = engine_build(bed.engine, NULL);
    assert_int_equal(engine_register(bed.engine, &cb, NULL), 0);
    engine_install(bed.engine, reg);
    bed_emit(&bed, "chat.message", NULL);
    assert_string_equal(bed_order(&bed), "mine plain");
}

/* Emitting while others register and configure: each emit sees one registry, whole. */
static void *emit_many(void *context)
{
    struct engine *engine = context;

    for (int i = 0; i < 200; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(receipt) struct receipt r = { 0 };
        struct event ev = { .point = POINT_CHAT_MESSAGE, .session = { .id = "s" } };

        if (engine_emit(engine, &ev, &a, &r, NULL) < 0 || r.run_count < 1)
            return engine;
    }
    return NULL;
}

static void emitting_and_configuring_at_once_is_safe(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    pthread_t threads[3];

    bed_open(&bed, defs, "");
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, emit_many, bed.engine), 0);
    for (int i = 0; i < 20; i++) {
        struct engine_callback cb = { .name = arena_printf(&bed.arena, "cb%d", i),
                                      .on = { .point = POINT_CHAT_MESSAGE },
                                      .layer = LAYER_TRANSFORM,
                                      .run = say_nothing };

        assert_int_equal(engine_register(bed.engine, &cb, NULL), 0);
        bed_configure(&bed, defs, "hooks: [{ name: extra, on: chat.message, say: x }]");
    }
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static int answer(const struct callback_call *c UNUSED, char **text UNUSED, struct err *e UNUSED)
{
    return 0;
}

static void a_callback_is_found_by_name_at_the_first_hook_that_is_on(void **state UNUSED)
{
    static const struct hook_callback of_first[] = { { "one", answer }, { "both", answer }, { 0 } };
    static const struct hook_callback of_second[] = { { "both", answer },
                                                      { "two", answer },
                                                      { 0 } };
    static const struct hook_def first = { .name = "first", .priority = 1, .callbacks = of_first };
    static const struct hook_def second = { .name = "second", .callbacks = of_second };
    static const struct hook_def *const two[] = { &second, &first, NULL };
    static const struct {
        const char *config, *name, *hook; /* NULL: there is none */
    } rows[] = {
        { "", "one", "first" },
        { "", "two", "second" },
        { "", "both", "first" },
        { "", "three", NULL },
        { "disabled_hooks: [first]", "one", NULL },
        { "disabled_hooks: [first]", "both", "second" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed bed = { 0 };
        const struct hook *h = NULL;
        struct registry *reg;

        bed_open(&bed, two, rows[i].config);
        reg = engine_look(bed.engine);
        if (!registry_callback(reg, rows[i].name, &h) != !rows[i].hook)
            fail_msg("'%s' with '%s'", rows[i].name, rows[i].config);
        if (rows[i].hook)
            assert_string_equal(h->name, rows[i].hook);
        registry_unref(reg);
    }
}

static void without_hooks_those_stay_that_keep_from_harm_or_keep_going(void **state UNUSED)
{
    static const struct hook_def guard = { .name = "guard",
                                           .safety_critical = true,
                                           .on = { [POINT_CHAT_MESSAGE] = say_nothing } };
    static const struct hook_def lasting = { .name = "lasting",
                                             .stays = true,
                                             .on = { [POINT_CHAT_MESSAGE] = say_nothing } };
    static const struct hook_def *const all[] = { &guard, &lasting, &plain, NULL };
    CLEANUP(bed) struct bed bed = { .no_hooks = true };

    bed_open(&bed, all,
             "hooks:\n- { name: mine, on: chat.message, say: hello }\n"
             "- { name: mine-too, on: chat.message, say: beware, safety_critical: true }\n");
    bed_emit(&bed, "chat.message", NULL);
    assert_true(bed_ran(&bed, "guard"));
    assert_true(bed_ran(&bed, "lasting"));
    assert_true(bed_ran(&bed, "mine-too"));
    assert_false(bed_ran(&bed, "plain"));
    assert_false(bed_ran(&bed, "mine"));
    assert_string_equal(bed.receipt.held[0].detail, "--no-hooks");
}

TESTS(cmocka_unit_test(a_callback_is_found_by_name_at_the_first_hook_that_is_on),
      cmocka_unit_test(without_hooks_those_stay_that_keep_from_harm_or_keep_going),
      cmocka_unit_test(disabled_hooks_are_held_back_and_say_where),
      cmocka_unit_test(an_unknown_disabled_hook_is_a_problem_with_the_nearest_name),
      cmocka_unit_test(a_hook_that_is_off_can_be_enabled),
      cmocka_unit_test(an_unknown_option_of_a_built_in_is_a_problem),
      cmocka_unit_test(a_cadence_that_never_holds_a_built_in_back_is_said_once),
      cmocka_unit_test(a_built_in_that_comes_and_goes_in_the_system_prompt_is_warned_about),
      cmocka_unit_test(hooks_match_tool_agent_session_and_result),
      cmocka_unit_test(a_matcher_of_tools_never_takes_an_event_without_one),
      cmocka_unit_test(a_mismatch_is_explained),
      cmocka_unit_test(more_tools_than_the_cache_holds_still_match),
      cmocka_unit_test(a_registered_name_is_unique),
      cmocka_unit_test(an_entry_cannot_take_the_name_of_the_programs_own_hook),
      cmocka_unit_test(a_hook_registered_while_a_registry_was_built_joins_it),
      cmocka_unit_test(emitting_and_configuring_at_once_is_safe))
