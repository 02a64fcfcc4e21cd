/* The public library, as an embedding program uses it. */
#include "base/file.h"
#include "base/path.h"
#include "hooke/hooke.h"
#include "tmpdir.h"

#include <errno.h>

static struct hooke *open_quietly(struct hooke_error *error)
{
    struct hooke_options o = { .store = "memory", .receipts = "" };
    struct hooke *h = hooke_open(&o, error);

    assert_non_null(h);
    return h;
}

static int answer_with(void *context, const char *event, struct hooke_answer *answer,
                       struct hooke_error *error UNUSED)
{
    assert_non_null(strstr(event, "\"point\":\"chat.message\""));
    hooke_answer_json(answer, context);
    return 0;
}

static int answer_any(void *context, const char *event UNUSED, struct hooke_answer *answer,
                      struct hooke_error *error UNUSED)
{
    hooke_answer_json(answer, context);
    return 0;
}

static int fail_always(void *context UNUSED, const char *event UNUSED,
                       struct hooke_answer *answer UNUSED, struct hooke_error *error)
{
    snprintf(error->message, sizeof(error->message), "no database");
    return -1;
}

static void emit(struct hooke *h, struct hooke_result *result)
{
    struct hooke_event ev = { .point = "chat.message",
                              .session = "s",
                              .data = "{\"message\":{\"text\":\"hi\"}}" };
    struct hooke_error error = { "" };

    if (hooke_emit(h, &ev, result, &error) < 0)
        fail_msg("%s", error.message);
}

static void a_function_of_the_program_is_a_hook(void **state UNUSED)
{
    char answer[] = "{\"decision\":\"block\",\"reason\":\"because\"}";
    struct hooke_hook hook = {
        .name = "mine", .point = "UserPromptSubmit", .run = answer_with, .context = answer
    };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_result r;

    assert_int_equal(hooke_register(h, &hook, &error), 0);
    assert_int_equal(hooke_register(h, &hook, &error), -EEXIST);
    emit(h, &r);
    assert_int_equal(r.decision, HOOKE_BLOCK);
    assert_string_equal(r.verdict, answer);
    assert_string_equal(r.data, "{\"message\":{\"text\":\"hi\"}}");
    assert_non_null(strstr(r.receipt, "\"hook\":\"mine\""));
    hooke_result_release(&r);
    hooke_close(h);
}

static void a_function_that_fails_or_answers_nonsense_blocks_only_when_critical(void **state UNUSED)
{
    char nonsense[] = "{\"decision\":";
    struct hooke_hook hooks[] = {
        { .name = "fails", .point = "chat.message", .run = fail_always },
        { .name = "lies", .point = "chat.message", .run = answer_with, .context = nonsense },
        { .name = "vital",
          .point = "chat.message",
          .run = fail_always,
          .safety_critical = 1,
          .layer = HOOKE_VALIDATE },
    };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_result r;

    assert_int_equal(hooke_register(h, &hooks[0], &error), 0);
    assert_int_equal(hooke_register(h, &hooks[1], &error), 0);
    emit(h, &r);
    assert_string_equal(r.verdict, "{}");
    hooke_result_release(&r);
    assert_int_equal(hooke_register(h, &hooks[2], &error), 0);
    emit(h, &r);
    assert_string_equal(r.verdict,
                        "{\"decision\":\"block\",\"reason\":\"hook 'vital' failed: no database\"}");
    hooke_result_release(&r);
    hooke_close(h);
}

static void mistakes_are_one_line_that_names_the_way_out(void **state UNUSED)
{
    struct hooke_hook hook = { .name = "x", .point = "chat.mesage", .run = fail_always };
    struct hooke_event ev = { .point = "chat.message", .session = "s", .data = "{" };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_result r;

    assert_true(hooke_register(h, &hook, &error) < 0);
    assert_non_null(strstr(error.message, "did you mean 'chat.message'?"));
    assert_int_equal(hooke_use(h, "lop-guard", &error), -ENOENT);
    assert_non_null(strstr(error.message, "did you mean 'loop-guard'?"));
    assert_true(hooke_emit(h, &ev, &r, &error) < 0);
    assert_non_null(strstr(error.message, "line 1, column 2"));
    ev = (struct hooke_event){ .point = "chat.message" };
    assert_true(hooke_emit(h, &ev, &r, &error) < 0);
    assert_true(hooke_load(h, "/none/config.yaml", &error) < 0);
    assert_non_null(strstr(error.message, "/none/config.yaml"));
    assert_int_equal(hooke_cadence(h, "none", "chat.message", &error), -ENOENT);
    hooke_close(h);
}

static void nothing_given_is_a_mistake_and_no_crash(void **state UNUSED)
{
    struct hooke_hook odd = {
        .name = "x", .point = "Stop", .run = fail_always, .layer = (enum hooke_layer)99
    };
    struct hooke_event ev = { .point = "Stop", .session = "s" };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_result r;

    assert_true(hooke_use(h, NULL, &error) < 0);
    assert_true(hooke_register(h, NULL, &error) < 0);
    assert_true(hooke_register(h, &odd, &error) < 0);
    assert_true(hooke_emit(h, NULL, &r, &error) < 0);
    assert_true(hooke_emit(h, &ev, NULL, &error) < 0);
    assert_true(hooke_emit(NULL, &ev, &r, NULL) < 0);
    assert_true(hooke_load(NULL, NULL, &error) < 0);
    assert_true(hooke_cadence(h, NULL, "Stop", &error) < 0);
    hooke_answer_json(NULL, "{}");
    hooke_result_release(NULL);
    hooke_close(NULL);
    hooke_close(h);
}

static void a_foreign_name_brings_its_match_along(void **state UNUSED)
{
    char answer[] = "{\"say\":\"seen\"}";
    struct hooke_hook hook = {
        .name = "mine", .point = "SubagentStop", .run = answer_any, .context = answer
    };
    struct hooke_event sub = { .point = "SubagentStop", .session = "s" };
    struct hooke_event main_stop = { .point = "Stop", .session = "s", .parent = "p" };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_result r;

    assert_int_equal(hooke_register(h, &hook, &error), 0);
    assert_int_equal(hooke_emit(h, &sub, &r, &error), 0);
    assert_string_equal(r.verdict, answer);
    hooke_result_release(&r);
    assert_true(hooke_emit(h, &main_stop, &r, &error) < 0);
    hooke_close(h);
}

static void an_event_can_be_given_up(void **state UNUSED)
{
    char answer[] = "{\"decision\":\"block\"}";
    struct hooke_hook hook = {
        .name = "mine", .point = "chat.message", .run = answer_any, .context = answer
    };
    struct hooke_error error = { "" };
    struct hooke *h = open_quietly(&error);
    struct hooke_event ev = { .point = "chat.message", .session = "s" };
    struct hooke_result r;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    ev.abort_fd = fds[0];
    assert_int_equal(hooke_register(h, &hook, &error), 0);
    assert_int_equal(hooke_emit(h, &ev, &r, &error), 0);
    assert_int_equal(r.decision, HOOKE_BLOCK);
    hooke_result_release(&r);
    close(fds[1]);
    assert_int_equal(hooke_emit(h, &ev, &r, &error), 0);
    assert_int_equal(r.decision, HOOKE_NONE);
    assert_true(r.stop);
    hooke_result_release(&r);
    close(fds[0]);
    hooke_close(h);
}

static void configuration_and_built_ins_come_from_a_file(void **state UNUSED)
{
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    CLEANUP(arena) struct arena a = { 0 };
    struct hooke_error error = { "" };
    struct hooke_result r;
    struct hooke *h;
    char *file;

    tmpdir_make(&dir);
    setenv("XDG_STATE_HOME", dir.path, 1);
    file = path_join(&a, dir.path, "mine.yaml");
    assert_int_equal(file_write(file,
                                STR("hook_cadence: { note: 2 }\n"
                                    "hooks: [{ name: note, on: chat.message, inject: hi }]\n"),
                                0600, NULL),
                     0);
    h = open_quietly(&error);
    assert_int_equal(hooke_load(h, file, &error), 0);
    assert_int_equal(hooke_cadence(h, "note", "chat.message", &error), 2);
    emit(h, &r);
    assert_non_null(strstr(r.verdict, "\"text\":\"hi\""));
    hooke_result_release(&r);
    emit(h, &r);
    assert_string_equal(r.verdict, "{}");
    hooke_result_release(&r);
    hooke_close(h);
}

TESTS(cmocka_unit_test(an_event_can_be_given_up),
      cmocka_unit_test(a_function_of_the_program_is_a_hook),
      cmocka_unit_test(a_function_that_fails_or_answers_nonsense_blocks_only_when_critical),
      cmocka_unit_test(mistakes_are_one_line_that_names_the_way_out),
      cmocka_unit_test(nothing_given_is_a_mistake_and_no_crash),
      cmocka_unit_test(a_foreign_name_brings_its_match_along),
      cmocka_unit_test(configuration_and_built_ins_come_from_a_file))
