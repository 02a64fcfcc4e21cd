#include "provider_fixture.h"

#include <errno.h>

#define EVENT(json) "data: " json "\n\n"

#define START                                                                        \
    EVENT("{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10," \
          "\"cache_read_input_tokens\":300,\"cache_creation_input_tokens\":20,"      \
          "\"output_tokens\":1}}}")
#define STOP(reason)                                                         \
    EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason \
          "\"},\"usage\":{\"output_tokens\":42}}")                           \
    EVENT("{\"type\":\"message_stop\"}")

static const char hello[] = "[{\"role\":\"user\",\"content\":\"hi\"}]";

static void text_and_tool_calls_arrive_in_pieces(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM START EVENT("{\"type\":\"ping\"}") EVENT(
            "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
            "\"thinking\",\"thinking\":\"\"}}") EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                                                      "\"thinking_delta\",\"thinking\":\"hm\"}}")
            EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                  "\"signature_delta\",\"signature\":\"ab\"}}")
                EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                      "\"signature_delta\",\"signature\":\"cd\"}}")
                    EVENT(
                        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":"
                        "\"text\",\"text\":\"\"}}") EVENT("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
                                                          "\"text_delta\",\"text\":\"Let \"}}")
                        EVENT("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
                              "\"text_delta\",\"text\":\"me\"}}")
                            EVENT(
                                "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":"
                                "\"tool_use\",\"id\":\"t1\",\"name\":\"bash\",\"input\":{}}}")
                                EVENT(
                                    "{\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":"
                                    "\"tool_use\",\"id\":\"t2\",\"name\":\"todo\",\"input\":{}}}")
                                    EVENT(
                                        "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":"
                                        "\"input_json_delta\",\"partial_json\":\"{\\\"comm\"}}")
                                        EVENT(
                                            "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":"
                                            "\"input_json_delta\",\"partial_json\":\"and\\\":\\\"ls\\\"}\"}}")
                                            STOP("tool_use"),
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_string_equal(strbuf_cstr(&bed.streamed), "<hm>Let me[bash][todo]");
    assert_string_equal(
        json_text(&bed.arena, bed.reply.message),
        "{\"role\":\"assistant\",\"content\":["
        "{\"type\":\"reasoning\",\"text\":\"hm\",\"native\":{\"anthropic\":{\"signature\":"
        "\"abcd\"}}},"
        "{\"type\":\"text\",\"text\":\"Let me\"},"
        "{\"type\":\"tool_call\",\"call_id\":\"t1\",\"tool\":\"bash\",\"args\":{\"command\":"
        "\"ls\"}},"
        "{\"type\":\"tool_call\",\"call_id\":\"t2\",\"tool\":\"todo\",\"args\":{}}]}");
    assert_int_equal(bed.reply.stop, MODEL_TOOLS);
    assert_int_equal(bed.reply.usage.input, 10);
    assert_int_equal(bed.reply.usage.cache_read, 300);
    assert_int_equal(bed.reply.usage.cache_write, 20);
    assert_int_equal(bed.reply.usage.output, 42);
}

static void the_request_is_what_the_api_wants(void **state UNUSED)
{
    static const char *const answers[] = { STREAM START STOP("end_turn"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    bed.request.system = value_of(&bed.arena, "[\"be brief\",\"\",\"be kind\"]");
    bed.request.tools = value_of(
        &bed.arena, "[{\"name\":\"bash\",\"description\":\"d\",\"parameters\":{\"x\":1}}]");
    bed.request.params = value_of(&bed.arena, "{\"temperature\":0.18734}");
    bed.request.headers = value_of(&bed.arena, "{\"x-initiator\":\"agent\",\"bad\":\"a\\r\\nb\"}");
    assert_int_equal(
        provider_bed_send(
            &bed, "[{\"role\":\"user\",\"content\":\"one\"},"
                  "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"x\"},"
                  "{\"type\":\"reasoning\",\"text\":\"y\",\"native\":{\"anthropic\":{\"signature\":"
                  "\"s\"}}},{\"type\":\"tool_call\",\"call_id\":\"t1\",\"tool\":\"bash\",\"args\":{"
                  "\"command\":\"ls\"}}]},"
                  "{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"t1\","
                  "\"tool\":\"bash\",\"output\":\"no\",\"success\":false}]},"
                  "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"two\"},"
                  "{\"type\":\"file\",\"media_type\":\"image/png\",\"data\":\"AA==\"}]}]"),
        0);
    assert_non_null(strstr(bed.server.requests.buf, "POST /v1/messages "));
    assert_non_null(strstr(bed.server.requests.buf, "x-api-key: sesame\r\n"));
    assert_non_null(strstr(bed.server.requests.buf, "anthropic-version: 2023-06-01\r\n"));
    assert_non_null(strstr(bed.server.requests.buf, "x-initiator: agent\r\n"));
    assert_null(strstr(bed.server.requests.buf, "bad:"));
    assert_string_equal(provider_bed_at(&bed, "/model"), "\"m1\"");
    assert_string_equal(provider_bed_at(&bed, "/temperature"), "0.18734");
    assert_string_equal(provider_bed_at(&bed, "/max_tokens"), "32000");
    assert_string_equal(provider_bed_at(&bed, "/thinking"), "nothing");
    assert_string_equal(provider_bed_at(&bed, "/tools"),
                        "[{\"name\":\"bash\",\"description\":\"d\",\"input_schema\":{\"x\":1}}]");
    assert_string_equal(provider_bed_at(&bed, "/system"),
                        "[{\"type\":\"text\",\"text\":\"be brief\"},{\"type\":\"text\",\"text\":"
                        "\"be kind\",\"cache_control\":{\"type\":\"ephemeral\"}}]");
    assert_string_equal(provider_bed_at(&bed, "/messages/1/content"),
                        "[{\"type\":\"thinking\",\"thinking\":\"y\",\"signature\":\"s\"},"
                        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"bash\",\"input\":{"
                        "\"command\":\"ls\"}}]");
    /* the result of the tool and what the user says next are one message */
    assert_string_equal(provider_bed_at(&bed, "/messages/2/content/0"),
                        "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"no\","
                        "\"is_error\":true}");
    assert_string_equal(provider_bed_at(&bed, "/messages/2/content/2/source/media_type"),
                        "\"image/png\"");
    assert_string_equal(provider_bed_at(&bed, "/messages/3"), "nothing");
}

static void the_last_two_messages_of_the_user_are_marked_for_the_cache(void **state UNUSED)
{
    static const char *const answers[] = { STREAM START STOP("end_turn"), NULL };
    static const char mark[] = "{\"type\":\"ephemeral\"}";
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    assert_int_equal(provider_bed_send(&bed, "[{\"role\":\"user\",\"content\":\"1\"},"
                                             "{\"role\":\"assistant\",\"content\":\"2\"},"
                                             "{\"role\":\"user\",\"content\":\"3\"},"
                                             "{\"role\":\"assistant\",\"content\":\"4\"},"
                                             "{\"role\":\"user\",\"content\":\"5\"}]"),
                     0);
    assert_string_equal(provider_bed_at(&bed, "/messages/0/content/0/cache_control"), "nothing");
    assert_string_equal(provider_bed_at(&bed, "/messages/2/content/0/cache_control"), mark);
    assert_string_equal(provider_bed_at(&bed, "/messages/3/content/0/cache_control"), "nothing");
    assert_string_equal(provider_bed_at(&bed, "/messages/4/content/0/cache_control"), mark);
}

static void what_is_volatile_comes_behind_the_mark(void **state UNUSED)
{
    static const char *const answers[] = { STREAM START STOP("end_turn"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    assert_int_equal(
        provider_bed_send(&bed, "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
                                "\"stays\"},{\"type\":\"text\",\"text\":\"goes\","
                                "\"synthetic\":true,\"tag\":\"volatile\"}]}]"),
        0);
    assert_string_equal(provider_bed_at(&bed, "/messages/0/content"),
                        "[{\"type\":\"text\",\"text\":\"stays\",\"cache_control\":{\"type\":"
                        "\"ephemeral\"}},{\"type\":\"text\",\"text\":\"goes\"}]");
}

static void a_variant_is_a_budget_to_think(void **state UNUSED)
{
    static const struct {
        const char *variant, *thinking;
    } rows[] = {
        { "low", "{\"type\":\"enabled\",\"budget_tokens\":4096}" },
        { "medium", "{\"type\":\"enabled\",\"budget_tokens\":12288}" },
        { "high", "{\"type\":\"enabled\",\"budget_tokens\":24576}" },
    };
    static const char one[] = STREAM START STOP("end_turn");
    static const char *const answers[] = { one, one, one, NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };
    struct err e = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    bed.request.params = value_of(&bed.arena, "{\"temperature\":0.5,\"max_output_tokens\":1000}");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bed.request.variant = rows[i].variant;
        assert_int_equal(provider_check_variant(&bed.provider, rows[i].variant, &e), 0);
        assert_int_equal(provider_bed_send(&bed, hello), 0);
        assert_string_equal(provider_bed_at(&bed, "/thinking"), rows[i].thinking);
        assert_string_equal(provider_bed_at(&bed, "/temperature"), "nothing");
    }
    assert_string_equal(provider_bed_at(&bed, "/max_tokens"), "28672");
    assert_int_equal(provider_check_variant(&bed.provider, "loud", &e), -EINVAL);
    assert_string_equal(e.msg, "provider 'anthropic' knows no variant 'loud': there are low, "
                               "medium, high");
}

static void failures_have_classes(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 429 x\r\nRetry-After: 3\r\nContent-Length: 68\r\n\r\n"
        "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}",
        STREAM START EVENT("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                           "\"message\":\"busy\"}}"),
        STREAM START EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
                           "\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"bash\"}}"),
        "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" START,
        STREAM "data: {broken\n\n",
        NULL,
    };
    static const struct {
        enum failure_class class;
        const char *message;
        int64_t retry_after_ms;
    } rows[] = {
        { MODEL_RATE_LIMIT, "slow", 3000 },
        { MODEL_OVERLOADED, "busy", -1 },
        { MODEL_CUT_STREAM, "ended before it was complete", -1 },
        { MODEL_CUT_STREAM, "was cut", -1 },
        { MODEL_OTHER, "no JSON", -1 },
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "anthropic", answers);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_true(provider_bed_send(&bed, hello) < 0);
        assert_string_equal(failure_class_name(bed.failure.class),
                            failure_class_name(rows[i].class));
        assert_non_null(strstr(bed.failure.message, rows[i].message));
        assert_int_equal(bed.failure.retry_after_ms, rows[i].retry_after_ms);
        assert_null(strstr(bed.failure.message, "sesame"));
    }
}

TESTS(cmocka_unit_test(text_and_tool_calls_arrive_in_pieces),
      cmocka_unit_test(the_request_is_what_the_api_wants),
      cmocka_unit_test(the_last_two_messages_of_the_user_are_marked_for_the_cache),
      cmocka_unit_test(what_is_volatile_comes_behind_the_mark),
      cmocka_unit_test(a_variant_is_a_budget_to_think), cmocka_unit_test(failures_have_classes))
