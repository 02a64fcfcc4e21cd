#include "provider_fixture.h"

#include <errno.h>

#define CHUNK(delta) \
    "data: {\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":null}]}\n\n"
#define END(reason)                                                                         \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\n" \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":50,"      \
    "\"prompt_tokens_details\":{\"cached_tokens\":60},"                                     \
    "\"completion_tokens_details\":{\"reasoning_tokens\":20}}}\n\ndata: [DONE]\n\n"

static const char hello[] = "[{\"role\":\"user\",\"content\":\"hi\"}]";

static void text_and_parallel_calls_arrive_in_pieces(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM CHUNK("{\"role\":\"assistant\",\"content\":\"\"}") CHUNK(
            "{\"reasoning_content\":\"hm\"}") CHUNK("{\"content\":\"Let \"}")
            CHUNK("{\"content\":\"me\"}") CHUNK(
                "{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{"
                "\"name\":\"bash\",\"arguments\":\"\"}}]}")
                CHUNK(
                    "{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"type\":\"function\",\"function\":{"
                    "\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\"}}]}")
                    CHUNK(
                        "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{broken\"}}]}")
                        CHUNK(
                            "{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"\\\"a\\\"}\"}}]}")
                            END("tool_calls"),
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_string_equal(strbuf_cstr(&bed.streamed), "<hm>Let me[bash][read]");
    assert_string_equal(
        json_text(&bed.arena, bed.reply.message),
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"hm\"},"
        "{\"type\":\"text\",\"text\":\"Let me\"},"
        "{\"type\":\"tool_call\",\"call_id\":\"c1\",\"tool\":\"bash\",\"args\":{},"
        "\"args_text\":\"{broken\"},"
        "{\"type\":\"tool_call\",\"call_id\":\"c2\",\"tool\":\"read\",\"args\":{\"path\":"
        "\"a\"}}]}");
    assert_int_equal(bed.reply.stop, MODEL_TOOLS);
    assert_int_equal(bed.reply.usage.input, 40);
    assert_int_equal(bed.reply.usage.cache_read, 60);
    assert_int_equal(bed.reply.usage.output, 30);
    assert_int_equal(bed.reply.usage.reasoning, 20);
}

static void the_request_is_what_the_api_wants(void **state UNUSED)
{
    static const char one[] = STREAM END("stop");
    static const char *const answers[] = { one, one, NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    bed.request.system = value_of(&bed.arena, "[\"be brief\"]");
    bed.request.session = "s1";
    bed.request.variant = "high";
    bed.request.params = value_of(&bed.arena, "{\"max_output_tokens\":7}");
    bed.request.tools =
        value_of(&bed.arena, "[{\"name\":\"bash\",\"description\":\"d\",\"parameters\":{}}]");
    assert_int_equal(
        provider_bed_send(
            &bed,
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":"
            "\"file\",\"media_type\":\"image/png\",\"data\":\"AA==\"}]},"
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"x\"},"
            "{\"type\":\"tool_call\",\"call_id\":\"c1\",\"tool\":\"bash\",\"args\":{\"command\":"
            "\"ls\"}}]},"
            "{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"c1\","
            "\"tool\":\"bash\",\"output\":\"ok\",\"success\":true},{\"type\":\"text\",\"text\":"
            "\"a hint\",\"synthetic\":true,\"tag\":\"x\"}]}]"),
        0);
    assert_non_null(strstr(bed.server.requests.buf, "POST /chat/completions "));
    assert_non_null(strstr(bed.server.requests.buf, "Authorization: Bearer sesame\r\n"));
    assert_string_equal(provider_bed_at(&bed, "/reasoning_effort"), "\"high\"");
    assert_string_equal(provider_bed_at(&bed, "/max_completion_tokens"), "7");
    assert_string_equal(provider_bed_at(&bed, "/prompt_cache_key"), "\"s1\"");
    assert_string_equal(provider_bed_at(&bed, "/stream_options/include_usage"), "true");
    assert_string_equal(provider_bed_at(&bed, "/tools/0"),
                        "{\"type\":\"function\",\"function\":{\"name\":\"bash\",\"description\":"
                        "\"d\",\"parameters\":{}}}");
    assert_string_equal(
        provider_bed_at(&bed, "/messages"),
        "[{\"role\":\"system\",\"content\":\"be brief\"},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":"
        "\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\"}}]},"
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":"
        "\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":"
        "\\\"ls\\\"}\"}}]},"
        "{\"role\":\"tool\",\"content\":\"ok\",\"tool_call_id\":\"c1\"},"
        "{\"role\":\"user\",\"content\":\"a hint\"}]");
    bed.provider.own_address = true;
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_string_equal(provider_bed_at(&bed, "/max_tokens"), "7");
    assert_string_equal(provider_bed_at(&bed, "/prompt_cache_key"), "nothing");
    assert_string_equal(provider_bed_at(&bed, "/messages/1/content"), "\"hi\"");
}

static void files_that_were_read_are_said_by_the_user(void **state UNUSED)
{
    static const char *const answers[] = { STREAM END("stop"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_int_equal(
        provider_bed_send(
            &bed,
            "[{\"role\":\"user\",\"content\":\"look\"},{\"role\":\"assistant\",\"content\":[{\"type\":"
            "\"tool_call\",\"call_id\":\"c1\",\"tool\":\"read\",\"args\":{}}]},"
            "{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"c1\",\"tool\":"
            "\"read\",\"output\":\"see below\",\"success\":true},{\"type\":\"file\",\"media_type\":"
            "\"image/gif\",\"data\":\"AA==\",\"name\":\"x.gif\"},{\"type\":\"file\",\"media_type\":"
            "\"application/pdf\",\"data\":\"AA==\",\"name\":\"x.pdf\"}]}]"),
        0);
    assert_string_equal(provider_bed_at(&bed, "/messages/2"),
                        "{\"role\":\"tool\",\"content\":\"see below\",\"tool_call_id\":\"c1\"}");
    assert_string_equal(
        provider_bed_at(&bed, "/messages/3"),
        "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
        "\"data:image/gif;base64,AA==\"}},{\"type\":\"file\",\"file\":{\"filename\":\"x.pdf\","
        "\"file_data\":\"data:application/pdf;base64,AA==\"}}]}");
}

static void failures_have_classes(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 429 x\r\nConnection: close\r\n\r\n"
        "{\"error\":{\"type\":\"insufficient_quota\",\"message\":\"no money\"}}",
        "HTTP/1.1 400 x\r\nConnection: close\r\n\r\n{\"error\":{\"code\":"
        "\"context_length_exceeded\",\"message\":\"too long\"}}",
        "HTTP/1.1 502 x\r\nConnection: close\r\n\r\n<html>bad gateway</html>",
        "HTTP/1.1 401 x\r\nConnection: close\r\n\r\n{\"error\":\"who are you\"}",
        STREAM CHUNK("{\"content\":\"half\"}"),
        STREAM "data: {\"error\":{\"message\":\"boom\",\"code\":503}}\n\n",
        NULL,
    };
    static const enum failure_class classes[] = {
        MODEL_QUOTA, MODEL_CONTEXT_OVERFLOW, MODEL_OVERLOADED,
        MODEL_AUTH,  MODEL_CUT_STREAM,       MODEL_OVERLOADED,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        assert_true(provider_bed_send(&bed, hello) < 0);
        assert_string_equal(failure_class_name(bed.failure.class), failure_class_name(classes[i]));
    }
}

static void calls_without_numbers_of_their_own_stay_apart(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM CHUNK("{\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"bash\","
                     "\"arguments\":\"{\"}}]}")
            CHUNK("{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}")
                CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"c2\",\"function\":{\"name\":"
                      "\"read\",\"arguments\":\"{\\\"path\\\":\"}}]}")
                    CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"c2\",\"function\":{"
                          "\"arguments\":\"\\\"a\\\"}\"}}]}") END("tool_calls"),
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_string_equal(
        json_text(&bed.arena, json_get(bed.reply.message, STR("content"))),
        "[{\"type\":\"tool_call\",\"call_id\":\"c1\",\"tool\":\"bash\",\"args\":{}},"
        "{\"type\":\"tool_call\",\"call_id\":\"c2\",\"tool\":\"read\",\"args\":{\"path\":\"a\"}"
        "}]");
}

static void an_answer_with_nothing_in_it_goes_back_as_an_empty_text(void **state UNUSED)
{
    static const char *const answers[] = { STREAM END("stop"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_int_equal(provider_bed_send(&bed, "[{\"role\":\"user\",\"content\":\"hi\"},"
                                             "{\"role\":\"assistant\",\"content\":[]},"
                                             "{\"role\":\"user\",\"content\":\"well?\"}]"),
                     0);
    assert_string_equal(provider_bed_at(&bed, "/messages/1"),
                        "{\"role\":\"assistant\",\"content\":\"\"}");
}

static void what_is_no_stream_is_not_taken_for_a_cut_one(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 x\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>log in",
        "HTTP/1.1 200 x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
        "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no such model\"}}",
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_true(provider_bed_send(&bed, hello) < 0);
    assert_int_equal(bed.failure.class, MODEL_OTHER);
    assert_non_null(strstr(bed.failure.message, "'text/html'"));
    assert_true(provider_bed_send(&bed, hello) < 0);
    assert_int_equal(bed.failure.class, MODEL_BAD_REQUEST);
    assert_string_equal(bed.failure.message, "no such model");
}

static void a_key_that_comes_back_in_an_error_is_hidden(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 401 x\r\nConnection: close\r\n\r\n"
        "{\"error\":{\"message\":\"open-sesame-9: no, open-sesame-9 is not known\"}}",
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    bed.provider.key = "open-sesame-9";
    assert_true(provider_bed_send(&bed, hello) < 0);
    assert_string_equal(bed.failure.message, "[key]: no, [key] is not known");
}

static void counts_beyond_all_measure_are_held_to_be_large(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM CHUNK(
            "{\"content\":\"x\"}") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{"
                                   "\"prompt_tokens\":9223372036854775807,\"completion_tokens\":9223372036854775807}}\n\n",
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "openai", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_true(usage_tokens(&bed.reply.usage) == 2 * USAGE_MAX);
}

TESTS(cmocka_unit_test(text_and_parallel_calls_arrive_in_pieces),
      cmocka_unit_test(the_request_is_what_the_api_wants),
      cmocka_unit_test(files_that_were_read_are_said_by_the_user),
      cmocka_unit_test(failures_have_classes),
      cmocka_unit_test(calls_without_numbers_of_their_own_stay_apart),
      cmocka_unit_test(an_answer_with_nothing_in_it_goes_back_as_an_empty_text),
      cmocka_unit_test(what_is_no_stream_is_not_taken_for_a_cut_one),
      cmocka_unit_test(a_key_that_comes_back_in_an_error_is_hidden),
      cmocka_unit_test(counts_beyond_all_measure_are_held_to_be_large))
