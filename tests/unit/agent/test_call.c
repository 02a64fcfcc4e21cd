#include "http_server.h"
#include "session_fixture.h"

#include <stdlib.h>

static void put(struct session_bed *b, const char *name, struct str bytes)
{
    assert_int_equal(file_write(path_join(&b->bed.arena, b->bed.dir.path, name), bytes, 0644, NULL),
                     0);
}

/* Where `text` begins in `all`, after `from`. */
static const char *find(const char *from, const char *text)
{
    const char *at = strstr(from, text);

    if (!at)
        fail_msg("'%s' is not in:\n%s", text, from);
    return at;
}

static void an_output_that_no_hook_could_look_at_is_not_kept(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b,
                     "hooks:\n"
                     "- { name: enough, on: tool.execute.after, layer: guard, stop: enough }\n"
                     "- { name: mask, on: tool.execute.after, replace: { output: masked } }\n",
                     "turns:\n"
                     "- calls: [{ tool: read, args: { path: a.txt } }]\n");
    put(&b, "a.txt", STR("a secret\n"));
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_STOPPED);
    assert_null(strstr(strbuf_cstr(&b.shown), "a secret"));
    assert_non_null(strstr(session_bed_message(&b, 2, 3), "enough"));
    assert_null(strstr(session_bed_message(&b, 2, 3), "a secret"));
}

static void calls_that_only_read_run_side_by_side_and_keep_their_order(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    CLEANUP(strbuf) struct strbuf long_text = { 0 };
    const char *at, *message;

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls:\n"
                     "  - { tool: grep, args: { pattern: needle } }\n"
                     "  - { tool: read, args: { path: a.txt } }\n"
                     "  - { tool: read, args: { path: long.txt, limit: 1 } }\n"
                     "  - { tool: read, args: { path: none.txt } }\n"
                     "  - { tool: grep, args: { pattern: second, path: a.txt } }\n"
                     "  - { tool: glob, args: { pattern: '*.txt' } }\n"
                     "  - { tool: read, args: { path: a.txt, offset: 2 } }\n"
                     "  - { tool: grep, args: { pattern: hay, path: long.txt } }\n"
                     "  - { tool: read, args: { path: . } }\n"
                     "- { text: Done. }\n");
    for (int i = 0; i < 20000; i++)
        strbuf_addstr(&long_text, i == 19999 ? "needle\n" : "straw\n");
    put(&b, "long.txt", strbuf_str(&long_text));
    put(&b, "a.txt", STR("first\nsecond\n"));
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    message = session_bed_message(&b, 2, 4);
    at = find(message, "long.txt:20000:needle");
    at = find(at, "     1\\tfirst\\n     2\\tsecond");
    at = find(at, "     1\\tstraw");
    at = find(at, "there is no file 'none.txt'");
    at = find(at, "a.txt:2:second");
    at = find(at, "a.txt\\nlong.txt");
    at = find(at, "\"     2\\tsecond\\n\"");
    at = find(at, "(no line matches)");
    find(at, "config.yaml");
    at = find(strbuf_cstr(&b.shown), "tool-end grep ok");
    at = find(at, "tool-end read ok");
    find(at, "tool-end read failed");
}

static void a_picture_comes_behind_the_results(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };
    const char *message;

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: read, args: { path: x.gif } }, { tool: read, args: { path: "
                     "a.txt } }]\n"
                     "- { text: I see. }\n");
    put(&b, "x.gif", STR("GIF89a\1"));
    put(&b, "a.txt", STR("text\n"));
    session_bed_run(&b, &(struct agent_task){ .text = "look" });
    assert_string_equal(b.outcome.text, "I see.");
    message = session_bed_message(&b, 2, 4);
    message = find(message, "(image/gif, 7 bytes, shown below)");
    message = find(message, "text\\n\",\"success\":true}");
    find(message, ",{\"type\":\"file\",\"media_type\":\"image/gif\",\"data\":\"R0lGODlhAQ==\","
                  "\"name\":\"x.gif\"}]");
}

static void a_hook_that_blocks_a_picture_blocks_all_of_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b, "hooks: [{ name: no-look, on: tool.execute.after, block: not for you }]\n",
                     "turns:\n"
                     "- calls: [{ tool: read, args: { path: x.gif } }]\n"
                     "- { text: ok }\n");
    put(&b, "x.gif", STR("GIF89a\1"));
    session_bed_run(&b, &(struct agent_task){ .text = "look" });
    assert_null(strstr(session_bed_message(&b, 2, 4), "R0lGODlhAQ=="));
}

static void commands_see_no_keys_but_what_hooks_give_them(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    setenv("OPENAI_API_KEY", "sesame", 1);
    setenv("MY_KEY", "sesame", 1);
    setenv("HOOKE_LOG", "warn", 1);
    session_bed_open(
        &b, "hooks: [{ name: env, on: shell.env, modify: { env: { GIVEN: 'yes' } } }]\n",
        "turns:\n"
        "- calls: [{ tool: bash, args: { command: 'env | grep -cE \"sesame|HOOKE_LOG\"; echo $GIVEN "
        "${#HOOKE_SESSION}' } }]\n"
        "- { text: ok }\n");
    bed_configure(
        &b.bed, NULL,
        "model: script/m1\nproviders: { script: { file: turns.yaml }, mine: { type: openai, "
        "key_variable: MY_KEY } }\n"
        "hooks: [{ name: env, on: shell.env, modify: { env: { GIVEN: 'yes' } } }]\n");
    agent_free(b.agent);
    b.agent = agent_new(&(struct agent_options){ .engine = b.bed.engine,
                                                 .store = b.bed.store,
                                                 .log = &b.bed.log,
                                                 .cwd = b.bed.dir.path,
                                                 .screen = &b.screen });
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "tool-end bash ok \"0\\nyes 26\\n\"\n");
    unsetenv("HOOKE_LOG");
}

static void what_web_fetch_reaches_is_configured(void **state UNUSED)
{
    static const char *const answers[] = { "HTTP/1.1 200 x\r\nContent-Length: 2\r\n\r\nhi", NULL };
    CLEANUP(http_server) struct http_server server = { .answers = answers };

    http_server_start(&server);
    for (int allowed = 0; allowed < 2; allowed++) {
        CLEANUP(session_bed) struct session_bed b = { 0 };
        char *url = http_server_url(&server, &b.bed.arena, "/");

        session_bed_open(
            &b, allowed ? "web_fetch: { allow_private: true }\n" : "",
            arena_printf(&b.bed.arena,
                         "turns:\n- calls: [{ tool: web_fetch, args: { url: '%s' } }]\n"
                         "- { text: ok }\n",
                         url));
        session_bed_run(&b, &(struct agent_task){ .text = "go" });
        session_bed_shows(&b, allowed ? "tool-end web_fetch ok \"hi\""
                                      : "tool-end web_fetch failed \"not fetched");
    }
}

static void arguments_that_nobody_can_read_are_a_failed_call_hooks_hear_of(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b,
                     "hooks:\n"
                     "- { name: hint, on: PostToolUseFailure, inject: Count the brackets. }\n"
                     "- { name: gate, on: tool.execute.before, say: asked }\n",
                     "turns:\n"
                     "- calls: [{ tool: bash, args: echo }]\n"
                     "- { expects: Count the brackets., text: ok }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "ok");
    session_bed_shows(&b,
                      "tool-end bash failed \"bash: the arguments are no JSON object, send them "
                      "again: they are a string\\n\\nCount the brackets.\"");
    assert_null(strstr(strbuf_cstr(&b.shown), "asked"));
}

static bool say_yes(void *context, const char *tool UNUSED, const struct json *args UNUSED,
                    const char *why UNUSED)
{
    strbuf_addstr(context, "the person says yes\n");
    return true;
}

static void whoever_waits_for_consent_is_announced(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(&b,
                     "permission: { glob: ask }\n"
                     "hooks: [{ name: bell, on: notification, say: ring }]\n",
                     "turns:\n"
                     "- calls: [{ tool: glob, args: { pattern: '*.none' } }]\n"
                     "- { text: ok }\n");
    b.screen.consent = say_yes;
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "say ring\nthe person says yes\ntool-end glob ok");
}

TESTS(cmocka_unit_test(an_output_that_no_hook_could_look_at_is_not_kept),
      cmocka_unit_test(arguments_that_nobody_can_read_are_a_failed_call_hooks_hear_of),
      cmocka_unit_test(whoever_waits_for_consent_is_announced),
      cmocka_unit_test(calls_that_only_read_run_side_by_side_and_keep_their_order),
      cmocka_unit_test(a_picture_comes_behind_the_results),
      cmocka_unit_test(a_hook_that_blocks_a_picture_blocks_all_of_it),
      cmocka_unit_test(commands_see_no_keys_but_what_hooks_give_them),
      cmocka_unit_test(what_web_fetch_reaches_is_configured))
