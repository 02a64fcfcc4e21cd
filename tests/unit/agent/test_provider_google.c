#include "provider_fixture.h"

#define CHUNK(parts) \
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":" parts "}}]}\n\n"
#define END(reason)                                                                       \
    "data: {\"candidates\":[{\"finishReason\":\"" reason "\"}],\"usageMetadata\":{"       \
    "\"promptTokenCount\":100,\"cachedContentTokenCount\":30,\"candidatesTokenCount\":5," \
    "\"thoughtsTokenCount\":7}}\n\n"

static const char hello[] = "[{\"role\":\"user\",\"content\":\"hi\"}]";

static void pieces_of_text_join_and_calls_stay_apart(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM CHUNK("[{\"text\":\"hm\",\"thought\":true}]") CHUNK("[{\"text\":\"Let \"}]")
            CHUNK("[{\"text\":\"me\"}]") CHUNK(
                "[{\"functionCall\":{\"name\":\"bash\",\"args\":{\"command\":\"ls\"}},"
                "\"thoughtSignature\":\"sig\"},{\"functionCall\":{\"name\":\"bash\",\"args\":{}}}]")
                END("STOP"),
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "google", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_string_equal(strbuf_cstr(&bed.streamed), "<hm>Let me[bash][bash]");
    assert_string_equal(
        json_text(&bed.arena, bed.reply.message),
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"hm\"},"
        "{\"type\":\"text\",\"text\":\"Let me\"},"
        "{\"type\":\"tool_call\",\"call_id\":\"call_3\",\"tool\":\"bash\",\"args\":{\"command\":"
        "\"ls\"},\"native\":{\"google\":{\"signature\":\"sig\"}}},"
        "{\"type\":\"tool_call\",\"call_id\":\"call_4\",\"tool\":\"bash\",\"args\":{}}]}");
    assert_int_equal(bed.reply.stop, MODEL_TOOLS);
    assert_int_equal(bed.reply.usage.input, 70);
    assert_int_equal(bed.reply.usage.cache_read, 30);
    assert_int_equal(bed.reply.usage.output, 5);
    assert_int_equal(bed.reply.usage.reasoning, 7);
}

static void tools_that_may_not_be_called_are_told_of(void **state UNUSED)
{
    static const char *const answers[] = { STREAM END("STOP"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "google", answers);
    bed.request.tools = value_of(&bed.arena, "[{\"name\":\"bash\"}]");
    bed.request.no_calls = true;
    assert_int_equal(provider_bed_send(&bed, "[{\"role\":\"user\",\"content\":\"hi\"}]"), 0);
    assert_string_equal(provider_bed_at(&bed, "/toolConfig"),
                        "{\"functionCallingConfig\":{\"mode\":\"NONE\"}}");
}

static void the_request_is_what_the_api_wants(void **state UNUSED)
{
    static const char *const answers[] = { STREAM END("STOP"), NULL };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "google", answers);
    bed.request.system = value_of(&bed.arena, "[\"be brief\"]");
    bed.request.variant = "low";
    bed.request.params = value_of(&bed.arena, "{\"temperature\":0.1,\"top_k\":3}");
    bed.request.tools = value_of(
        &bed.arena, "[{\"name\":\"bash\",\"description\":\"d\",\"parameters\":{\"x\":1}}]");
    assert_int_equal(
        provider_bed_send(
            &bed,
            "[{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"media_type\":\"image/png\","
            "\"data\":\"AA==\"},{\"type\":\"text\",\"text\":\"see\"}]},"
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\",\"text\":\"x\"},"
            "{\"type\":\"tool_call\",\"call_id\":\"c1\",\"tool\":\"bash\",\"args\":{\"command\":"
            "\"ls\"},\"native\":{\"google\":{\"signature\":\"sig\"}}}]},"
            "{\"role\":\"tool\",\"content\":[{\"type\":\"tool_result\",\"call_id\":\"c1\","
            "\"tool\":\"bash\",\"output\":\"no\",\"success\":false}]}]"),
        0);
    assert_non_null(
        strstr(bed.server.requests.buf, "POST /v1beta/models/m1:streamGenerateContent?alt=sse "));
    assert_non_null(strstr(bed.server.requests.buf, "x-goog-api-key: sesame\r\n"));
    assert_string_equal(provider_bed_at(&bed, "/systemInstruction"),
                        "{\"parts\":[{\"text\":\"be brief\"}]}");
    assert_string_equal(provider_bed_at(&bed, "/generationConfig"),
                        "{\"temperature\":0.1,\"topK\":3,\"thinkingConfig\":{\"thinkingBudget\":"
                        "2048,\"includeThoughts\":true}}");
    assert_string_equal(provider_bed_at(&bed, "/tools/0/functionDeclarations/0"),
                        "{\"name\":\"bash\",\"description\":\"d\",\"parametersJsonSchema\":{"
                        "\"x\":1}}");
    assert_string_equal(
        provider_bed_at(&bed, "/contents"),
        "[{\"role\":\"user\",\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":"
        "\"AA==\"}},{\"text\":\"see\"}]},"
        "{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"bash\",\"args\":{"
        "\"command\":\"ls\"}},\"thoughtSignature\":\"sig\"}]},"
        "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"bash\",\"response\":{"
        "\"error\":\"no\"}}}]}]");
}

static void failures_have_classes(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 429 x\r\nConnection: close\r\n\r\n[{\"error\":{\"code\":429,\"status\":"
        "\"RESOURCE_EXHAUSTED\",\"message\":\"slow\"}}]",
        "HTTP/1.1 400 x\r\nConnection: close\r\n\r\n{\"error\":{\"code\":400,\"status\":"
        "\"INVALID_ARGUMENT\",\"message\":\"API key not valid. Pass one.\"}}",
        STREAM CHUNK("[{\"text\":\"half\"}]"),
        NULL,
    };
    static const enum failure_class classes[] = { MODEL_RATE_LIMIT, MODEL_AUTH, MODEL_CUT_STREAM };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "google", answers);
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        assert_true(provider_bed_send(&bed, hello) < 0);
        assert_string_equal(failure_class_name(bed.failure.class), failure_class_name(classes[i]));
    }
}

static void a_prompt_that_is_refused_is_an_answer(void **state UNUSED)
{
    static const char *const answers[] = {
        STREAM "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n",
        STREAM END("MAX_TOKENS"),
        NULL,
    };
    CLEANUP(provider_bed) struct provider_bed bed = { 0 };

    provider_bed_open(&bed, "google", answers);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_int_equal(bed.reply.stop, MODEL_REFUSED);
    assert_int_equal(provider_bed_send(&bed, hello), 0);
    assert_int_equal(bed.reply.stop, MODEL_LENGTH);
}

TESTS(cmocka_unit_test(tools_that_may_not_be_called_are_told_of),
      cmocka_unit_test(pieces_of_text_join_and_calls_stay_apart),
      cmocka_unit_test(the_request_is_what_the_api_wants), cmocka_unit_test(failures_have_classes),
      cmocka_unit_test(a_prompt_that_is_refused_is_an_answer))
