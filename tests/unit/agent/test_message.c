#include "agent/message.h"
#include "value.h"

#define USER "{\"role\":\"user\",\"content\":\"hi\"}"
#define CALL(id)                                                                     \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"call_id\":\"" id \
    "\",\"tool\":\"bash\",\"args\":{}}]}"
#define RESULT(id)                                                                \
    "{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"" id \
    "\",\"output\":\"\"}]}"

static void a_history_that_cannot_be_sent_is_refused_with_its_place(void **state UNUSED)
{
    static const struct {
        const char *messages, *says; /* NULL: it can be sent */
    } rows[] = {
        { "[" USER "]", NULL },
        { "[" USER "," CALL("1") "," RESULT("1") "]", NULL },
        { "[" USER "," CALL("1") "," RESULT("1") "," USER "]", NULL },
        { "[]", "there are no messages" },
        { "[{\"role\":\"system\",\"content\":\"x\"}]", "message 1 has the role 'system'" },
        { "[{\"role\":\"user\",\"content\":\"\"}]", "message 1 is empty" },
        { "[{\"role\":\"user\",\"content\":[]}]", "message 1 is empty" },
        { "[{\"role\":\"user\"}]", "message 1 is empty" },
        { "[{\"role\":\"user\",\"content\":\" \\n\"}]", "message 1 is empty" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\"}]}]",
          "message 1 is empty" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"image\"}]}]",
          "message 1 has a part that is" },
        { "[" USER ",7]", "message 2 has the role ''" },
        { "[" USER "," CALL("") "]", "message 2 has a tool_call without 'call_id'" },
        { "[" USER ",{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\","
          "\"call_id\":\"1\",\"tool\":\"bash\",\"args\":\"ls\"}]}]",
          "message 2 has a tool_call whose 'args' are no object" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"tool_call\",\"call_id\":\"1\","
          "\"tool\":\"bash\",\"args\":{}}]}," RESULT("1") "]",
          "message 1 has a tool_call: only messages of the role 'assistant' do" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"1\"}]}]",
          "message 1 has a tool_result: only messages of the role 'tool' do" },
        { "[" USER ",{\"role\":\"tool\",\"content\":\"done\"}]",
          "message 2 is a tool's and has no result" },
        { "[{\"role\":\"user\",\"content\":[{\"type\":\"file\"}]}]",
          "message 1 has a file without 'data'" },
        { "[" USER "," RESULT("9") "]", "message 2 has the result of a call '9'" },
        { "[" USER "," CALL("1") "]", "the call '1' has no result" },
        { "[" USER "," CALL("1") "," USER "]", "message 3 comes before the result" },
        { "[" USER ",{\"role\":\"assistant\",\"content\":\"x\"}]", "the last message must be" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct err e = { 0 };
        int r = message_check(value_of(&a, rows[i].messages), &e);

        if ((r == 0) != !rows[i].says || (r < 0 && !strstr(e.msg, rows[i].says)))
            fail_msg("%s: %s", rows[i].messages, r < 0 ? e.msg : "was taken");
    }
}

static void the_text_of_a_message_leaves_out_what_hooks_added(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(message_text(&a, value_of(&a, USER)), "hi");
    assert_string_equal(
        message_text(&a, value_of(&a, "{\"role\":\"user\",\"content\":["
                                      "{\"type\":\"text\",\"text\":\"one\"},"
                                      "{\"type\":\"text\",\"text\":\"no\",\"synthetic\":true},"
                                      "{\"type\":\"reasoning\",\"text\":\"no\"},"
                                      "{\"type\":\"text\",\"text\":\"two\"}]}")),
        "one\n\ntwo");
}

static void a_history_may_end_with_the_model_where_no_request_follows(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *said = value_of(&a, "[" USER ",{\"role\":\"assistant\",\"content\":\"x\"}]");
    struct err e = { 0 };

    assert_int_equal(message_check_history(said, &e), 0);
    assert_true(message_check(said, &e) < 0);
    assert_true(message_check_history(value_of(&a, "[" USER "," CALL("1") "]"), &e) < 0);
}

static void four_bytes_of_a_message_are_a_token(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *longer =
        "{\"role\":\"user\",\"content\":\"0123456789012345678901234567890123456789\"}";

    assert_int_equal(message_tokens(value_of(&a, longer)) - message_tokens(value_of(&a, USER)), 10);
    assert_true(message_tokens(value_of(&a, "{\"role\":\"user\",\"content\":[{\"type\":\"file\","
                                            "\"data\":\"AAAA\"}]}")) > 100);
}

TESTS(cmocka_unit_test(a_history_may_end_with_the_model_where_no_request_follows),
      cmocka_unit_test(four_bytes_of_a_message_are_a_token),
      cmocka_unit_test(a_history_that_cannot_be_sent_is_refused_with_its_place),
      cmocka_unit_test(the_text_of_a_message_leaves_out_what_hooks_added))
