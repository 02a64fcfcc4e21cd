#include "builtin/builtin.h"
#include "session_fixture.h"

#include <errno.h>

/* A history long enough that a summary is shorter. */
#define LONG "count to a hundred and say every number in words, slowly, and never leave one out"

#define PROMPT "expects: is about to be replaced"
#define FULL   "usage: { input_tokens: 500, output_tokens: 100, cache_read_tokens: 250 }"
#define CALL   "calls: [{ tool: bash, args: { command: 'true' } }]"

static void open_bed(struct session_bed *b, const char *more, const char *turns)
{
    b->defs = builtin_hooks;
    b->window = 1000;
    session_bed_open(b, more, turns);
    setenv("HOME", b->bed.dir.path, 1);
}

static uint32_t generation_of(struct session_bed *b)
{
    struct conversation c = { 0 };

    assert_int_equal(conversation_get(b->bed.store, b->outcome.session, &b->bed.arena, &c, &b->e),
                     0);
    return c.generation;
}

/* The threshold ------------------------------------------------------------------------------- */

static void a_full_window_is_compacted_in_the_middle_of_a_session(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(
        &b, "",
        "turns:\n"
        "- { text: One., calls: [{ tool: bash, args: { command: echo two } }], " FULL " }\n"
        "- { " PROMPT ", text: 'SUMMARY', usage: { input_tokens: 30, output_tokens: 3 } }\n"
        "- { expects: SUMMARY, text: Done., usage: { input_tokens: 40, output_tokens: 2 } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "hook callback compact-trigger\n");
    session_bed_shows(&b, "compacted Compacted conversation ");
    assert_int_equal(generation_of(&b), 2);
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "SUMMARY"));
    assert_non_null(strstr(session_bed_message(&b, 0, 2), "\"role\":\"user\""));
    /* what the summary cost is the session's, how full the context is, is not */
    assert_int_equal(b.outcome.usage.input, 570);
    assert_int_equal(b.outcome.usage.context, 42);
    session_bed_recorded(&b, "\"point\":\"experimental.session.compacting\"");
    session_bed_recorded(&b, "\"point\":\"session.compacted\"");
}

static void below_the_threshold_or_switched_off_nothing_happens(void **state UNUSED)
{
    static const struct {
        const char *config;
        struct agent_task task;
        uint32_t generation;
    } rows[] = {
        { "compact: { ratio: 0.9 }\n", { 0 }, 1 },
        { "compact: { auto: false }\n", { 0 }, 1 },
        { "compact: { ratio: 0 }\n", { 0 }, 1 },
        { "agents: { builder: { compact: { auto: false } } }\n", { 0 }, 1 },
        { "agents: { builder: { compact: { ratio: 0.86 } } }\n", { 0 }, 1 },
        { "disabled_hooks: [compact-trigger]\n", { 0 }, 1 },
        { "", { .no_auto_compact = true }, 1 },
        { "", { .compact_ratio = 0.9 }, 1 },
        { "", { 0 }, 2 },
        { "compact: { ratio: 0.9 }\n", { .compact_ratio = 0.85 }, 2 },
        { "compact: { auto: false }\nagents: { builder: { compact: { auto: true } } }\n",
          { 0 },
          2 },
        { "agents: { builder: { compact: { ratio: 0.85 } } }\n", { 0 }, 2 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };
        struct agent_task task = rows[i].task;

        open_bed(&b, rows[i].config,
                 "turns:\n- { text: Done., " FULL " }\n- { " PROMPT ", text: SUMMARY }\n");
        task.text = LONG;
        session_bed_run(&b, &task);
        assert_int_equal(b.outcome.end, AGENT_DONE);
        assert_string_equal(b.outcome.text, "Done.");
        if (generation_of(&b) != rows[i].generation)
            fail_msg("%zu: generation %u\n%s", i, generation_of(&b), strbuf_cstr(&b.shown));
    }
}

/* Summaries that are none --------------------------------------------------------------------- */

static void a_summary_that_is_empty_or_failed_changes_nothing(void **state UNUSED)
{
    static const struct {
        const char *summary, *says;
    } rows[] = {
        { "text: ' '", "changed nothing compact-trigger callback 'compact' had nothing to say" },
        { "error: { class: bad_request, message: no such thing }",
          "changed nothing compact-trigger callback 'compact': no such thing" },
        { "calls: [{ tool: bash, args: { command: touch ran } }]",
          "changed nothing compact-trigger callback 'compact'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };

        open_bed(&b, "",
                 arena_printf(&b.bed.arena,
                              "turns:\n- { text: Done., " FULL " }\n- { " PROMPT ", %s }\n",
                              rows[i].summary));
        session_bed_run(&b, &(struct agent_task){ .text = LONG });
        assert_int_equal(b.outcome.end, AGENT_DONE);
        session_bed_shows(&b, rows[i].says);
        assert_int_equal(generation_of(&b), 1);
        assert_non_null(strstr(session_bed_message(&b, 0, 2), LONG));
        session_bed_recorded(&b, "hook 'compact-trigger' changed nothing");
        assert_int_not_equal(access(path_join(&b.bed.arena, b.bed.dir.path, "ran"), F_OK), 0);
    }
}

/* Turns whose first summary is longer than what it summarises. */
static void open_with_long_summary(struct session_bed *b, const char *rest)
{
    CLEANUP(strbuf) struct strbuf turns = { 0 };

    strbuf_addstr(&turns, "turns:\n- { text: One., " CALL ", usage: { input_tokens: 900 } }\n"
                          "- { " PROMPT ", text: '");
    for (int i = 0; i < 500; i++)
        strbuf_addstr(&turns, "far too long ");
    strbuf_printf(&turns, "' }\n%s", rest);
    open_bed(b, "", strbuf_cstr(&turns));
}

static void one_that_does_not_shrink_is_not_tried_again_on_the_same_history(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_with_long_summary(&b, "- { text: Two., usage: { input_tokens: 900 } }\n"
                               "- { " PROMPT ", text: SUMMARY }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG LONG LONG LONG LONG LONG LONG });
    assert_string_equal(b.outcome.text, "Two.");
    session_bed_shows(&b, "changed nothing compact-trigger the summary is not shorter: ");
    assert_int_equal(generation_of(&b), 1); /* a word more is no growth worth another try */
}

static void it_is_tried_again_when_the_history_has_grown(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_with_long_summary(&b,
                           "- { text: Two., calls: [{ tool: bash, args: { command: seq 300 } }],"
                           " usage: { input_tokens: 900 } }\n"
                           "- { " PROMPT ", text: SUMMARY }\n"
                           "- { expects: SUMMARY, text: Three. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG LONG });
    assert_string_equal(b.outcome.text, "Three.");
    assert_int_equal(generation_of(&b), 2);
}

static void a_summary_that_fails_twice_is_tried_in_each_turn_until_it_works(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "",
             "turns:\n"
             "- { text: One., " CALL ", " FULL " }\n"
             "- { " PROMPT ", error: { class: bad_request, message: first } }\n"
             "- { text: Two., " CALL ", " FULL " }\n"
             "- { " PROMPT ", error: { class: bad_request, message: second } }\n"
             "- { text: Three., " CALL ", " FULL " }\n"
             "- { " PROMPT ", text: SUMMARY }\n"
             "- { expects: SUMMARY, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_string_equal(b.outcome.text, "Done.");
    session_bed_shows(&b, "callback 'compact': first\n");
    session_bed_shows(&b, "callback 'compact': second\n");
    session_bed_shows(&b, "compacted ");
    assert_int_equal(generation_of(&b), 2);
}

/* Histories nobody has looked at -------------------------------------------------------------- */

static void what_the_user_waits_for_stays_after_the_summary(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;

    open_bed(&b, "",
             "turns:\n- { text: Done., " FULL " }\n"
             "- { " PROMPT ", text: SUMMARY }\n- { expects: and now this, text: Next. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG, .no_auto_compact = true });
    id = strdup(b.outcome.session);
    session_bed_run(&b, &(struct agent_task){ .text = "and now this", .resume = id });
    assert_string_equal(b.outcome.text, "Next.");
    assert_non_null(strstr(session_bed_message(&b, 0, 3), "SUMMARY"));
    assert_non_null(strstr(session_bed_message(&b, 1, 3), "and now this"));
    assert_null(strstr(session_bed_message(&b, 0, 3), "and now this"));
}

static void a_smaller_model_is_looked_at_before_it_is_asked(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;

    open_bed(&b, "compact: { ratio: 0.5 }\n",
             "turns:\n- { text: Done., usage: { input_tokens: 600 } }\n"
             "- { " PROMPT ", text: SUMMARY }\n- { expects: more, text: Next. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG, .model = "script/huge" });
    assert_int_equal(generation_of(&b), 1);
    id = strdup(b.outcome.session);
    session_bed_run(&b, &(struct agent_task){ .text = "more", .resume = id, .model = "script/m1" });
    assert_string_equal(b.outcome.text, "Next.");
    assert_int_equal(generation_of(&b), 2);
}

static void a_request_that_is_too_long_is_compacted_and_sent_again(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "",
             "turns:\n- { text: One., " CALL ", usage: { input_tokens: 300 } }\n"
             "- { error: { class: context_overflow, message: too long } }\n"
             "- { " PROMPT ", text: SUMMARY }\n- { expects: SUMMARY, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG LONG LONG });
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(generation_of(&b), 2);
}

static void one_that_is_too_long_again_fails(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "",
             "turns:\n- { text: One., " CALL ", usage: { input_tokens: 300 } }\n"
             "- { error: { class: context_overflow, message: too long } }\n"
             "- { " PROMPT ", text: SUMMARY }\n"
             "- { error: { class: context_overflow, message: still too long } }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG LONG LONG });
    assert_int_equal(b.outcome.end, AGENT_FAILED);
    assert_string_equal(b.outcome.reason, "still too long");
    assert_int_equal(generation_of(&b), 2);
}

static void
a_history_too_long_even_to_summarise_is_summarised_with_short_outputs(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "",
             "turns:\n- { text: One., calls: [{ tool: bash, args: { command: seq 2000 } }],"
             " usage: { input_tokens: 300 } }\n"
             "- { error: { class: context_overflow, message: too long } }\n"
             "- { " PROMPT ", error: { class: context_overflow, message: too long } }\n"
             "- { " PROMPT ", text: SUMMARY }\n- { expects: SUMMARY, text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_string_equal(b.outcome.text, "Done.");
    assert_int_equal(generation_of(&b), 2);
}

/* Hooks around it ----------------------------------------------------------------------------- */

static void hooks_may_add_context_replace_the_prompt_or_block(void **state UNUSED)
{
    static const struct {
        const char *hook, *turn, *says;
    } rows[] = {
        { "replace: { context: [keep the port 8080] }", "expects: keep the port 8080",
          "compacted " },
        { "replace: { prompt: just say it briefly }", "expects: just say it briefly",
          "compacted " },
        { "block: not in the middle of a release", "expects: never",
          "changed nothing compact-trigger a hook is against it: not in the middle of a release" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };

        open_bed(&b,
                 arena_printf(&b.bed.arena,
                              "hooks: [{ name: h, on: experimental.session.compacting, %s }]\n",
                              rows[i].hook),
                 arena_printf(&b.bed.arena,
                              "turns:\n- { text: Done., " FULL " }\n- { %s, text: SUMMARY }\n",
                              rows[i].turn));
        session_bed_run(&b, &(struct agent_task){ .text = LONG });
        session_bed_shows(&b, rows[i].says);
    }
}

static void what_was_said_once_and_counted_begins_anew(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;

    open_bed(&b,
             "hooks:\n"
             "- { name: rules, on: chat.message, inject: tabs not spaces, once: true }\n"
             "- { name: third, on: chat.message, cadence: 3, inject: every third }\n",
             "turns:\n- { expects: tabs not spaces, text: One., " FULL " }\n"
             "- { " PROMPT ", text: SUMMARY }\n"
             "- { expects: tabs not spaces, text: Two., usage: { input_tokens: 10 } }\n"
             "- { text: Three. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    id = strdup(b.outcome.session);
    session_bed_run(&b, &(struct agent_task){ .text = "two", .resume = id });
    assert_string_equal(b.outcome.text, "Two.");
    assert_non_null(strstr(session_bed_message(&b, 1, 3), "every third"));
    session_bed_run(&b, &(struct agent_task){ .text = "three", .resume = id });
    assert_null(strstr(session_bed_message(&b, 3, 5), "tabs not spaces"));
    assert_null(strstr(session_bed_message(&b, 3, 5), "every third"));
}

static void the_summarising_request_does_not_count(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b,
             "hooks:\n"
             "- { name: main, on: experimental.chat.messages.transform, cadence: 2,"
             " when: purpose == 'compaction', block: not counted and not fired }\n"
             "- { name: see, on: experimental.chat.system.transform,"
             " when: purpose == 'compaction' and recipe == 'compact', say: a summary is made }\n",
             "turns:\n- { text: Done., " FULL " }\n- { " PROMPT ", text: SUMMARY }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    session_bed_shows(&b, "say a summary is made\n");
    assert_int_equal(generation_of(&b), 2);
}

static void files_must_be_read_again_before_they_are_written(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    open_bed(&b, "",
             "turns:\n"
             "- { calls: [{ tool: read, args: { path: a.txt } }], " FULL " }\n"
             "- { " PROMPT ", text: SUMMARY }\n"
             "- { calls: [{ tool: write, args: { path: a.txt, content: new } }] }\n"
             "- { expects: was not read in this session, text: Done. }\n");
    assert_int_equal(
        file_write(path_join(&b.bed.arena, b.bed.dir.path, "a.txt"), STR("old\n"), 0600, NULL), 0);
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_string_equal(b.outcome.text, "Done.");
}

static void open_todos_the_summary_lost_are_put_back(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(mem) char *id = NULL;
    const char *first;

    open_bed(
        &b,
        "hooks: [{ name: look, on: agent.stop, when: 'todos ~= nil and #todos == 3',"
        " continue: you have todos }]\nlimits: { continuations: 1 }\n"
        "disabled_hooks: [todo-continuation]\n",
        "turns:\n"
        "- { calls: [{ tool: todo, args: { todos: [{ content: paint the shed, status: pending },"
        " { content: feed the cat, status: in_progress }, { content: sleep, status: completed }]"
        " } }], " FULL " }\n"
        "- { " PROMPT ", text: 'SUMMARY: next, Feed the cat' }\n"
        "- { expects: paint the shed, text: Done. }\n- { text: Yes. }\n"
        "- { text: Again. }\n- { text: Yes again. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    id = strdup(b.outcome.session);
    first = session_bed_message(&b, 0, 4);
    assert_non_null(strstr(first, "Todos that are still open:\\n[ ] paint the shed\""));
    assert_non_null(strstr(first, "\"synthetic\":true"));
    session_bed_run(&b, &(struct agent_task){ .text = "more", .resume = id });
    assert_string_equal(b.outcome.text, "Yes again."); /* the list is known after a resume */
}

/* By a person --------------------------------------------------------------------------------- */

static void a_person_compacts_a_conversation_when_they_want(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct agent_compacted done;
    char *text;

    open_bed(&b, "compact: { auto: false }\n",
             "turns:\n- { text: Done., usage: { input_tokens: 182000, output_tokens: 311 } }\n"
             "- { expects: mind the tests, text: SUMMARY }\n- { expects: go on, text: Next. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_int_equal(
        agent_compact(b.agent,
                      &(struct agent_task){ .resume = b.outcome.session, .text = "mind the tests" },
                      NULL, &done, &b.e),
        0);
    assert_int_equal(done.generation, 2);
    assert_int_equal(done.before, 182311);
    text = agent_compacted_text(&b.bed.arena, &done);
    assert_non_null(strstr(text, ": 182,311 → 8 tokens in "));
    assert_non_null(strstr(session_bed_message(&b, 0, 1), "SUMMARY"));
    /* and once more: there is nothing left to summarise */
    assert_int_equal(agent_compact(b.agent, &(struct agent_task){ .resume = b.outcome.session },
                                   NULL, &done, &b.e),
                     -ENODATA);
    assert_string_equal(b.e.msg, "there is nothing to compact");
}

static void a_person_must_name_a_conversation_and_a_compaction(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    struct agent_compacted done;

    open_bed(&b, "compact: { auto: false }\n", "turns:\n- { text: Done. }\n");
    assert_int_equal(agent_compact(b.agent, &(struct agent_task){ 0 }, NULL, &done, &b.e), -EINVAL);
    session_bed_run(&b, &(struct agent_task){ .text = LONG });
    assert_int_equal(
        agent_compact(b.agent,
                      &(struct agent_task){ .resume = b.outcome.session, .recipe = "review" }, NULL,
                      &done, &b.e),
        -EINVAL);
    assert_non_null(strstr(b.e.msg, "'review' is no compaction"));
    assert_int_equal(generation_of(&b), 1);
}

TESTS(cmocka_unit_test(a_full_window_is_compacted_in_the_middle_of_a_session),
      cmocka_unit_test(below_the_threshold_or_switched_off_nothing_happens),
      cmocka_unit_test(a_summary_that_is_empty_or_failed_changes_nothing),
      cmocka_unit_test(one_that_does_not_shrink_is_not_tried_again_on_the_same_history),
      cmocka_unit_test(it_is_tried_again_when_the_history_has_grown),
      cmocka_unit_test(a_summary_that_fails_twice_is_tried_in_each_turn_until_it_works),
      cmocka_unit_test(what_the_user_waits_for_stays_after_the_summary),
      cmocka_unit_test(a_smaller_model_is_looked_at_before_it_is_asked),
      cmocka_unit_test(a_request_that_is_too_long_is_compacted_and_sent_again),
      cmocka_unit_test(one_that_is_too_long_again_fails),
      cmocka_unit_test(a_history_too_long_even_to_summarise_is_summarised_with_short_outputs),
      cmocka_unit_test(hooks_may_add_context_replace_the_prompt_or_block),
      cmocka_unit_test(what_was_said_once_and_counted_begins_anew),
      cmocka_unit_test(the_summarising_request_does_not_count),
      cmocka_unit_test(files_must_be_read_again_before_they_are_written),
      cmocka_unit_test(open_todos_the_summary_lost_are_put_back),
      cmocka_unit_test(a_person_compacts_a_conversation_when_they_want),
      cmocka_unit_test(a_person_must_name_a_conversation_and_a_compaction))
