#include "agent/archive.h"
#include "test.h"

/* A document around the members of one conversation and its generations. */
static int read_document(struct arena *a, const char *about, const char *generations,
                         struct archive *out, struct err *e)
{
    const char *text = arena_printf(a,
                                    "{\"format\":\"hooke-conversation\",\"version\":1,"
                                    "\"conversation\":%s,\"generations\":%s}",
                                    about, generations);

    return archive_read(a, str_of(text), out, e);
}

#define USER  "{\"at_ms\":1,\"message\":{\"role\":\"user\",\"content\":\"go\"}}"
#define MODEL "{\"message\":{\"role\":\"assistant\",\"content\":\"done\"}}"
#define CALL                                                                                   \
    "{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"call_id\":1," \
    "\"tool\":\"x\"}]}}"

static void keeps_the_bytes_of_every_message(void **state UNUSED)
{
    static const char *const line =
        "{ \"role\" : \"user\",\"content\":[ {\"type\":\"text\",\"text\":\"\\u00e9 1e2\"}],\"n\":1.0 }";
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct archive first, again;
    struct err e = { 0 };

    assert_int_equal(read_document(&a, "{\"id\":\"a\"}",
                                   arena_printf(&a,
                                                "[{\"messages\":[{\"message\":%s}]},"
                                                "{\"trigger\":\"hook\",\"messages\":[" USER "]}]",
                                                line),
                                   &first, &e),
                     0);
    assert_int_equal(archive_write(&a, &first, &text, &e), 0);
    assert_int_equal(archive_read(&a, strbuf_str(&text), &again, &e), 0);
    assert_int_equal(again.count, 2);
    assert_string_equal(again.parts[0].rows[0].line.ptr, line);
    assert_string_equal(again.parts[1].trigger, "hook");
    assert_int_equal(again.parts[1].rows[0].at_ms, 1);
}

static void refuses_what_could_not_be_used(void **state UNUSED)
{
    static const struct {
        const char *about, *generations, *says;
    } rows[] = {
        { "{}", "[]", "'conversation.id' must be" },
        { "{\"id\":\"../../etc/x\"}", "[]", "'conversation.id' must be" },
        { "{\"id\":3}", "[]", "'conversation.id' must be" },
        { "{\"id\":\"a\"}", "[]", "'generations' must be a list of 1 to" },
        { "{\"id\":\"a\"}", "{}", "'generations' must be a list of 1 to" },
        { "{\"id\":\"a\"}", "[{}]", "generation 1: 'messages' must be a list" },
        { "{\"id\":\"a\"}", "[{\"messages\":[3]}]", "message 1 has no 'message'" },
        { "{\"id\":\"a\"}",
          "[{\"messages\":[{\"message\":{\"role\":\"king\",\"content\":\"x\"}}]}]", "role 'king'" },
        { "{\"id\":\"a\"}", "[{\"messages\":[" USER "," CALL "]}]", "generation 1: " },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct archive out;
        struct err e = { 0 };

        assert_true(read_document(&a, rows[i].about, rows[i].generations, &out, &e) < 0);
        if (!strstr(e.msg, rows[i].says))
            fail_msg("'%s' is not in '%s'", rows[i].says, e.msg);
    }
}

static void a_history_may_end_with_the_model(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct archive out;
    struct err e = { 0 };

    assert_int_equal(
        read_document(&a, "{\"id\":\"a\"}", "[{\"messages\":[" USER "," MODEL "]}]", &out, &e), 0);
}

static void refuses_other_documents(void **state UNUSED)
{
    static const char *const texts[] = { "", "[]", "{}", "{\"format\":\"hooke-conversation\"}",
                                         "{\"format\":\"hooke-conversation\",\"version\":9}" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct archive out;
        struct err e = { 0 };

        assert_true(archive_read(&a, str_of(texts[i]), &out, &e) < 0);
        assert_true(e.msg[0]);
    }
}

TESTS(cmocka_unit_test(keeps_the_bytes_of_every_message),
      cmocka_unit_test(refuses_what_could_not_be_used),
      cmocka_unit_test(a_history_may_end_with_the_model), cmocka_unit_test(refuses_other_documents))
