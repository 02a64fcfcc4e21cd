#include "agent/provider.h"
#include "base/file.h"
#include "base/path.h"
#include "tmpdir.h"
#include "value.h"

#include <errno.h>
#include <fcntl.h>

struct bed {
    struct tmpdir dir;
    struct arena arena;
    struct provider provider;
    struct model_reply reply;
    struct model_failure failure;
    int abort_fd;
};

static int bed_open(struct bed *b, const char *yaml, struct err *e)
{
    char *file;

    tmpdir_make(&b->dir);
    file = path_join(&b->arena, b->dir.path, "turns.yaml");
    assert_int_equal(file_write(file, str_of(yaml), 0600, NULL), 0);
    setenv("HOOKE_SCRIPT", file, 1);
    return provider_open(&b->arena, NULL, "script", NULL, &b->provider, e);
}

static int ask(struct bed *b, const char *model, const char *text)
{
    struct model_request q = {
        .model = model,
        .abort_fd = b->abort_fd,
        .messages = value_of(
            &b->arena, arena_printf(&b->arena, "[{\"role\":\"user\",\"content\":\"%s\"}]", text)),
    };

    return provider_send(
        &(struct model_exchange){ &b->provider, &b->arena, &q, NULL, &b->reply, &b->failure });
}

static void bed_cleanup(struct bed *b)
{
    provider_close(&b->provider);
    arena_release(&b->arena);
    tmpdir_cleanup(&b->dir);
}

static void turns_are_played_in_order(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };

    assert_int_equal(bed_open(&b,
                              "turns:\n"
                              "- reasoning: hm\n"
                              "  text: Let me look.\n"
                              "  calls: [{ tool: bash, args: { command: ls } }, { tool: todo }]\n"
                              "  usage: { input_tokens: 7, cache_read_tokens: 2 }\n"
                              "- { text: Done. }\n",
                              NULL),
                     0);
    assert_int_equal(ask(&b, "m", "hi"), 0);
    assert_int_equal(b.reply.stop, MODEL_TOOLS);
    assert_int_equal(b.reply.usage.input, 7);
    assert_int_equal(b.reply.usage.cache_read, 2);
    assert_string_equal(
        json_text(&b.arena, b.reply.message),
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"hm\"},"
        "{\"type\":\"text\",\"text\":\"Let me look.\"},{\"type\":\"tool_call\",\"call_id\":"
        "\"call_3\",\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}},{\"type\":\"tool_call\","
        "\"call_id\":\"call_4\",\"tool\":\"todo\",\"args\":{}}]}");
    assert_int_equal(ask(&b, "m", "hi"), 0);
    assert_int_equal(b.reply.stop, MODEL_DONE);
    assert_true(ask(&b, "m", "hi") < 0);
    assert_non_null(strstr(b.failure.message, "no turn left"));
}

static void a_turn_can_wait_for_a_model_or_a_text(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };

    assert_int_equal(bed_open(&b,
                              "turns:\n"
                              "- { model: big, text: for big }\n"
                              "- { expects: please, text: for please }\n"
                              "- { text: for anybody }\n",
                              NULL),
                     0);
    assert_int_equal(ask(&b, "small", "hi"), 0);
    assert_non_null(strstr(json_text(&b.arena, b.reply.message), "for anybody"));
    assert_int_equal(ask(&b, "small", "say please"), 0);
    assert_non_null(strstr(json_text(&b.arena, b.reply.message), "for please"));
    assert_int_equal(ask(&b, "big", "hi"), 0);
    assert_non_null(strstr(json_text(&b.arena, b.reply.message), "for big"));
}

static void errors_and_aborts_are_played_too(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };
    int fds[2];

    assert_int_equal(bed_open(&b,
                              "turns:\n"
                              "- error: { class: rate_limit, message: slow, retry_after: 2s }\n"
                              "- error: { status: 529 }\n"
                              "- { text: late, delay: 60s }\n",
                              NULL),
                     0);
    assert_true(ask(&b, "m", "hi") < 0);
    assert_int_equal(b.failure.class, MODEL_RATE_LIMIT);
    assert_int_equal(b.failure.retry_after_ms, 2000);
    assert_string_equal(b.failure.message, "slow");
    assert_true(ask(&b, "m", "hi") < 0);
    assert_int_equal(b.failure.class, MODEL_OVERLOADED);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    close(fds[1]);
    b.abort_fd = fds[0];
    assert_true(ask(&b, "m", "hi") < 0);
    assert_int_equal(b.failure.class, MODEL_ABORTED);
    close(fds[0]);
}

static void a_mistake_in_the_file_is_named_with_its_place(void **state UNUSED)
{
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        { "turns:\n- { txt: a }\n", "turns.yaml:2:5: a turn has no key 'txt'" },
        { "turns: 3\n", "expected 'turns', a list" },
        { "turns: [\n", "turns.yaml:" },
        { "turns: [a]\n", "a turn must be a map, not a text" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed b = { 0 };
        struct err e = { 0 };

        assert_true(bed_open(&b, rows[i].yaml, &e) < 0);
        if (!strstr(e.msg, rows[i].says))
            fail_msg("'%s' is not in '%s'", rows[i].says, e.msg);
    }
}

TESTS(cmocka_unit_test(turns_are_played_in_order),
      cmocka_unit_test(a_turn_can_wait_for_a_model_or_a_text),
      cmocka_unit_test(errors_and_aborts_are_played_too),
      cmocka_unit_test(a_mistake_in_the_file_is_named_with_its_place))
