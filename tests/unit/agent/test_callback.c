#include "agent/callback.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

#include <errno.h>
#include <sys/stat.h>

#define CALL "calls: [{ tool: bash, args: { command: 'true' } }]"

/* A function that a hook offers -------------------------------------------------------------- */

static int shout(const struct callback_call *c, char **text, struct err *e)
{
    const char *word = json_cstr(c->arena, json_get(c->args, STR("word")));

    if (word && strcmp(word, "fail") == 0)
        return err_set(e, -EIO, "lost its voice");
    if (!word)
        return 0;
    *text = arena_printf(c->arena, "%s after %zu messages of %s", word, json_count(c->messages),
                         c->session->agent);
    return 0;
}

static const struct hook_callback offered[] = { { "shout", shout }, { NULL, NULL } };

static const struct hook_def offering = {
    .name = "offering",
    .summary = "offers a function",
    .layer = LAYER_TRANSFORM,
    .callbacks = offered,
};

static const struct hook_def *const defs[] = { &offering, NULL };

static void put(struct session_bed *b, const char *name, const char *text)
{
    struct arena *a = &b->bed.arena;
    const char *folder = path_join(a, b->bed.dir.path, ".config/hooke/recipes");

    assert_int_equal(mkdir(path_join(a, b->bed.dir.path, ".config"), 0700) < 0 && errno != EEXIST,
                     0);
    (void)mkdir(path_join(a, b->bed.dir.path, ".config/hooke"), 0700);
    (void)mkdir(folder, 0700);
    assert_int_equal(file_write(path_join(a, folder, name), str_of(text), 0600, NULL), 0);
}

static void open_bed(struct session_bed *b, const char *more, const char *turns)
{
    b->defs = defs;
    b->window = 1000;
    session_bed_open(b, more, turns);
    setenv("HOME", b->bed.dir.path, 1);
    unsetenv("XDG_CONFIG_HOME");
    put(b, "hand.md",
        "---\nallowed_tools: []\narguments: { who: { default: nobody } }\n---\n"
        "Write it down for {{.who}}.\n");
    put(b, "look.md", "---\nallowed_tools: [bash]\n---\nLook around.\n");
}

static uint32_t generation_of(struct session_bed *b)
{
    struct conversation c = { 0 };

    assert_int_equal(conversation_get(b->bed.store, b->outcome.session, &b->bed.arena, &c, &b->e),
                     0);
    return c.generation;
}

static bool is_shown(const struct session_bed *b, const char *text)
{
    return strstr(strbuf_cstr(&b->shown), text) != NULL;
}

/* Mutations ----------------------------------------------------------------------------------- */

static void a_mutation_starts_a_generation_and_the_loop_goes_on(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation_rows rows;

    open_bed(&b,
             "hooks: [{ name: cut, on: turn.after, when: turn == 1,"
             " mutate: [{ role: user, content: what matters }] }]\n",
             "turns:\n- { text: One., " CALL " }\n- { expects: what matters, text: Two. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Two.");
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "what matters"));
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "\"id\":"));
    assert_int_equal(
        conversation_load(b.bed.store, b.outcome.session, 1, &b.bed.arena, &rows, &b.e), 0);
    assert_int_equal(rows.count, 3); /* the old one is whole */
}

static void a_malformed_mutation_is_refused_and_recorded(void **state UNUSED)
{
    static const struct {
        const char *messages, *why;
    } rows[] = {
        { "[{ role: system, content: x }]", "message 1 has the role 'system'" },
        { "[{ role: user, content: '' }]", "message 1 is empty" },
        { "[{ role: user, content: x }, { role: tool, content: [{ type: tool_result, call_id: c9,"
          " output: y }] }]",
          "message 2 has the result of a call 'c9'" },
        { "[{ role: user, content: x }, { role: assistant, content: y }]",
          "the last message must be" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };

        open_bed(&b,
                 arena_printf(&b.bed.arena, "hooks: [{ name: bad, on: turn.after, mutate: %s }]\n",
                              rows[i].messages),
                 "turns:\n- { text: One., " CALL " }\n- { text: Two. }\n");
        session_bed_run(&b, &(struct agent_task){ .text = "go" });
        assert_int_equal(b.outcome.end, AGENT_DONE);
        session_bed_shows(&b,
                          arena_printf(&b.bed.arena, "hook changed nothing bad %s", rows[i].why));
        session_bed_recorded(
            &b, arena_printf(&b.bed.arena, "hook 'bad' changed nothing: %s", rows[i].why));
        session_bed_recorded(&b, "\"after\":\"");
        assert_int_equal(generation_of(&b), i == 3 ? 2 : 1); /* the last turn expects no answer */
    }
}

static void the_first_of_two_results_wins_and_the_other_is_recorded(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "hooks:\n"
             "- { name: none, on: turn.after, mutate: [] }\n"
             "- { name: first, on: turn.after, mutate: [{ role: user, content: mine }] }\n"
             "- { name: second, on: turn.after, callback: hand }\n",
             "turns:\n- { text: One., " CALL " }\n- { expects: mine, text: Two. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Two.");
    session_bed_recorded(&b,
                         "hook 'second': its callback was ignored, an earlier hook had decided");
}

static void history_changes_before_the_follow_ups_are_sent(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(
        &b,
        "hooks:\n"
        "- { name: more, on: agent.stop, when: continuations == 0, continue: run the linter }\n"
        "- { name: cut, on: agent.stop, when: continuations == 0,"
        " mutate: [{ role: user, content: x }, { role: assistant, content: y }] }\n",
        "turns:\n- { text: One. }\n- { expects: run the linter, text: Two. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Two.");
    assert_non_null(strstr(session_bed_message(&b, 1, 4), "\"y\""));
    assert_non_null(strstr(session_bed_message(&b, 2, 4), "run the linter"));
    assert_int_equal(generation_of(&b), 2);
}

static void the_next_request_names_the_hook_that_broke_the_cache(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(
        &b,
        "hooks:\n"
        "- { name: cut, on: turn.after, when: turn == 1, mutate: [{ role: user, content: x }] }\n"
        "- { name: tell, on: message.updated, when: prefix_broken_by == 'cut', say: it was cut }\n",
        "turns:\n- { text: One., " CALL " }\n- { text: Two. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "say it was cut\n");
}

static void a_stop_leaves_the_history_alone(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "hooks:\n"
             "- { name: cut, on: turn.after, mutate: [{ role: user, content: x }] }\n"
             "- { name: halt, on: turn.after, stop: enough }\n",
             "turns:\n- { text: One. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_STOPPED);
    assert_int_equal(generation_of(&b), 1);
}

/* Recipes ------------------------------------------------------------------------------------- */

static void a_recipe_is_told_the_real_history_and_its_text_replaces_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(
        &b,
        "hooks:\n"
        "- { name: over, on: turn.after, when: turn == 1 and recipe ~= 'hand', callback: hand,"
        " callback_args: { who: Ada } }\n"
        "- { name: see, on: experimental.chat.messages.transform, when: \"recipe == 'hand' and"
        " messages[3].role == 'tool' and messages[2].content[2].type == 'tool_call'\", say: real }\n",
        "turns:\n"
        "- { text: One., calls: [{ tool: bash, args: { command: echo hi } }],"
        " usage: { input_tokens: 20 } }\n"
        "- { expects: Write it down for Ada., text: Dear Ada, usage: { input_tokens: 7 } }\n"
        "- { expects: Dear Ada, text: Two., usage: { input_tokens: 9 } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Two.");
    session_bed_shows(&b, "say real\n");
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "Dear Ada"));
    assert_int_equal(b.outcome.usage.input, 36);
    assert_int_equal(b.outcome.usage.context, 9);
    assert_int_equal(generation_of(&b), 2);
    assert_null(strstr(strbuf_cstr(&b.bed.logged), "hand"));
}

static void the_agent_ends_after_a_callback_at_its_stop(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "hooks: [{ name: over, on: agent.stop, callback: hand }]\n",
             "turns:\n- { text: One. }\n- { expects: for nobody, text: Dear all }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "One.");
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "Dear all"));
}

static void only_allowed_tools_run_and_guards_see_them(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(
        &b,
        "hooks:\n"
        "- { name: over, on: agent.stop, callback: look }\n"
        "- { name: guard, on: tool.execute.before, when: recipe == 'look', block: eyes shut }\n",
        "turns:\n- { text: One. }\n"
        "- { expects: Look around, calls: [{ tool: bash, args: { command: touch ran } },"
        " { tool: write, args: { path: ran, content: x } }] }\n"
        "- { expects: 'blocked: eyes shut', text: Saw nothing }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "Saw nothing"));
    session_bed_shows(&b, "hook block guard eyes shut\n");
    session_bed_shows(&b, "tool-end write failed \"there is no such tool");
    assert_int_not_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK), 0);
}

static void what_goes_wrong_changes_nothing_and_is_recorded(void **state UNUSED)
{
    static const struct {
        const char *callback, *turn, *why;
    } rows[] = {
        { "callback: nothing-like-it", "text: x", "no hook offers a callback 'nothing-like-it'" },
        { "callback: hand", "text: '  '", "callback 'hand' had nothing to say" },
        { "callback: hand", "error: { class: bad_request, message: oh no }",
          "callback 'hand': oh no" },
        { "callback: hand, callback_args: { whom: x }", "text: x", "callback 'hand': " },
        { "callback: shout, callback_args: { word: fail }", "text: x",
          "callback 'shout': hook 'offering': lost its voice" },
        { "callback: shout", "text: x", "callback 'shout' had nothing to say" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };

        open_bed(&b,
                 arena_printf(&b.bed.arena, "hooks: [{ name: over, on: turn.after, %s }]\n",
                              rows[i].callback),
                 arena_printf(&b.bed.arena, "turns:\n- { text: One. }\n- { %s }\n", rows[i].turn));
        session_bed_run(&b, &(struct agent_task){ .text = "go" });
        assert_int_equal(b.outcome.end, AGENT_DONE);
        session_bed_shows(&b,
                          arena_printf(&b.bed.arena, "hook changed nothing over %s", rows[i].why));
        session_bed_recorded(&b, "hook 'over' changed nothing: ");
        assert_int_equal(generation_of(&b), 1);
    }
}

static void a_callback_never_starts_a_callback(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "hooks: [{ name: again, on: turn.after, callback: hand }]\n",
             "turns:\n- { text: One. }\n- { expects: for nobody, text: Dear all }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    session_bed_shows(&b, "hook changed nothing again a callback can't start a callback\n");
    session_bed_recorded(&b, "hook 'again' changed nothing: a callback can't start a callback");
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "Dear all"));
}

static void nor_does_a_mutation_reach_into_its_thread(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "hooks:\n- { name: over, on: agent.stop, callback: hand }\n"
             "- { name: cut, on: turn.after, when: recipe == 'hand',"
             " mutate: [{ role: user, content: x }] }\n",
             "turns:\n- { text: One. }\n- { expects: for nobody, text: Dear all }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "hook changed nothing cut ");
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "Dear all"));
}

static void its_thread_is_not_stored_and_leaves_no_state(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct conversation *list;
    size_t count;

    open_bed(&b,
             "hooks:\n- { name: over, on: agent.stop, callback: hand }\n"
             "- { name: count, on: step.start, cadence: 2, block: never, when: false }\n",
             "turns:\n- { text: One. }\n- { expects: for nobody, text: Dear all }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(conversation_list(b.bed.store,
                                       &(struct conversation_query){ .subagents = true },
                                       &b.bed.arena, &list, &count, &b.e),
                     0);
    assert_int_equal(count, 1);
}

/* Functions ----------------------------------------------------------------------------------- */

static void a_function_of_a_hook_comes_before_a_recipe(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "hooks: [{ name: over, on: turn.after, callback: shout,"
             " callback_args: { word: HEY } }]\n",
             "turns:\n- { text: One. }\n");
    put(&b, "shout.md", "Never told.\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "HEY after 2 messages of builder"));
    assert_false(is_shown(&b, "changed nothing"));
}

static void one_of_a_hook_that_is_off_is_not_offered(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "disabled_hooks: [offering]\n"
             "hooks: [{ name: over, on: turn.after, callback: shout,"
             " callback_args: { word: HEY } }]\n",
             "turns:\n- { text: One. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "no hook offers a callback 'shout'");
}

TESTS(cmocka_unit_test(a_mutation_starts_a_generation_and_the_loop_goes_on),
      cmocka_unit_test(a_malformed_mutation_is_refused_and_recorded),
      cmocka_unit_test(the_first_of_two_results_wins_and_the_other_is_recorded),
      cmocka_unit_test(history_changes_before_the_follow_ups_are_sent),
      cmocka_unit_test(the_next_request_names_the_hook_that_broke_the_cache),
      cmocka_unit_test(a_stop_leaves_the_history_alone),
      cmocka_unit_test(a_recipe_is_told_the_real_history_and_its_text_replaces_it),
      cmocka_unit_test(the_agent_ends_after_a_callback_at_its_stop),
      cmocka_unit_test(only_allowed_tools_run_and_guards_see_them),
      cmocka_unit_test(what_goes_wrong_changes_nothing_and_is_recorded),
      cmocka_unit_test(a_callback_never_starts_a_callback),
      cmocka_unit_test(nor_does_a_mutation_reach_into_its_thread),
      cmocka_unit_test(its_thread_is_not_stored_and_leaves_no_state),
      cmocka_unit_test(a_function_of_a_hook_comes_before_a_recipe),
      cmocka_unit_test(one_of_a_hook_that_is_off_is_not_offered))
