#include "hook/inject.h"
#include "test.h"

static struct arena arena;

static const struct json *parse(const char *text)
{
    const struct json *j;

    assert_int_equal(json_parse(&arena, str_of(text), NULL, &j, NULL), 0);
    return j;
}

static const char *as_is(const struct json *j)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    json_write(&b, j, JSON_AS_IS);
    return arena_cstr(&arena, strbuf_str(&b));
}

static void what_is_unsaid_comes_from_the_point(void **state UNUSED)
{
    struct injection i = { 0 };

    inject_settle(&i, POINT_CHAT_MESSAGE);
    assert_int_equal(i.class, INJECT_PERSISTENT);
    assert_int_equal(i.place, PLACE_MESSAGE);
    i = (struct injection){ 0 };
    inject_settle(&i, POINT_TOOL_EXECUTE_AFTER);
    assert_int_equal(i.class, INJECT_PERSISTENT);
    assert_int_equal(i.place, PLACE_OUTPUT);
    i = (struct injection){ 0 };
    inject_settle(&i, POINT_SYSTEM_TRANSFORM);
    assert_int_equal(i.place, PLACE_SYSTEM);
    i = (struct injection){ 0 };
    inject_settle(&i, POINT_SESSION_CREATED);
    assert_int_equal(i.class, INJECT_DETERMINISTIC);
    i = (struct injection){ .class = INJECT_VOLATILE };
    inject_settle(&i, POINT_CHAT_MESSAGE);
    assert_int_equal(i.place, PLACE_TAIL);
    i = (struct injection){ .class = INJECT_PERSISTENT, .place = PLACE_OUTPUT };
    inject_settle(&i, POINT_TOOL_EXECUTE_BEFORE);
    assert_int_equal(i.class, INJECT_DETERMINISTIC);
    assert_int_equal(i.place, PLACE_MESSAGE);
    i = (struct injection){ .place = PLACE_TAIL };
    inject_settle(&i, POINT_TURN_AFTER);
    assert_int_equal(i.class, INJECT_VOLATILE);
}

static void a_part_is_tagged_by_metadata_never_by_its_text(void **state UNUSED)
{
    const struct json *part = inject_part(&arena, "context", STR("x"));

    assert_string_equal(
        as_is(part), "{\"type\":\"text\",\"text\":\"x\",\"synthetic\":true,\"tag\":\"context\"}");
    assert_true(inject_is_tagged(part, "context"));
    assert_true(inject_is_tagged(part, NULL));
    assert_false(inject_is_tagged(part, "other"));
    assert_false(inject_is_tagged(parse("{\"text\":\"x\",\"tag\":\"context\"}"), "context"));
    assert_false(inject_is_tagged(parse("{\"text\":\"x\",\"synthetic\":true}"), NULL));
    assert_false(inject_is_tagged(NULL, NULL));
}

static void a_plain_content_becomes_parts_and_keeps_its_text(void **state UNUSED)
{
    const struct json *message = parse("{\"role\":\"user\",\"content\":\"a\\u0041\"}");
    const struct json *part = inject_part(&arena, "t", STR("x"));

    assert_string_equal(as_is(inject_append_part(&arena, message, part)),
                        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\\u0041\"},"
                        "{\"type\":\"text\",\"text\":\"x\",\"synthetic\":true,\"tag\":\"t\"}]}");
}

static void context_goes_before_the_first_text_part(void **state UNUSED)
{
    const struct json *message =
        parse("{\"content\":[{\"type\":\"file\"},{\"type\":\"text\",\"text\":\"a\"}]}");
    const struct json *out =
        inject_before_text(&arena, message, inject_part(&arena, "t", STR("x")));

    assert_true(inject_is_tagged(json_pointer(out, "/content/1"), "t"));
    assert_int_equal(json_count(json_get(out, STR("content"))), 3);
}

static void context_goes_last_where_there_is_no_text_part(void **state UNUSED)
{
    const struct json *message = parse("{\"content\":[{\"type\":\"file\"}]}");
    const struct json *out =
        inject_before_text(&arena, message, inject_part(&arena, "t", STR("x")));

    assert_true(inject_is_tagged(json_pointer(out, "/content/1"), "t"));
}

static void stripping_takes_tagged_parts_and_messages_it_empties(void **state UNUSED)
{
    static const char before[] =
        "[ {\"id\":1,\"content\":[]}, {\"id\":2,\"content\":[{\"synthetic\":true,\"tag\":\"t\"}]},"
        "{\"id\":3, \"content\":[{\"text\":\"a\"},{\"synthetic\":true,\"tag\":\"t\"}]},"
        "{\"id\":4, \"content\":\"b\"}]";
    const struct json *out = inject_strip(&arena, parse(before), "t");

    assert_int_equal(json_count(out), 3);
    assert_string_equal(as_is(json_at(out, 0)), "{\"id\":1,\"content\":[]}");
    assert_string_equal(as_is(json_at(out, 1)), "{\"id\":3,\"content\":[{\"text\":\"a\"}]}");
    assert_string_equal(as_is(json_at(out, 2)), "{\"id\":4, \"content\":\"b\"}");
}

static void stripping_nothing_gives_the_very_same_value(void **state UNUSED)
{
    const struct json *messages = parse("[{\"content\":[{\"synthetic\":true,\"tag\":\"t\"}]}]");

    assert_ptr_equal(inject_strip(&arena, messages, "other"), messages);
}

static void persistent_text_goes_where_its_point_keeps_it(void **state UNUSED)
{
    struct injection other = { .class = INJECT_VOLATILE, .text = "never" };
    struct injection i = {
        .next = &other, .source = "h", .class = INJECT_PERSISTENT, .text = "more"
    };

    assert_string_equal(as_is(inject_apply(&arena, POINT_CHAT_MESSAGE,
                                           parse("{\"message\":{\"text\":\"hi\"}}"), &i)),
                        "{\"message\":{\"text\":\"hi\\n\\nmore\"}}");
    assert_string_equal(
        as_is(inject_apply(&arena, POINT_CHAT_MESSAGE, parse("{\"message\":{\"parts\":[]}}"), &i)),
        "{\"message\":{\"parts\":[{\"type\":\"text\",\"text\":\"more\","
        "\"synthetic\":true,\"tag\":\"h\"}]}}");
    assert_string_equal(
        as_is(inject_apply(&arena, POINT_TOOL_EXECUTE_AFTER, parse("{\"output\":\"x\"}"), &i)),
        "{\"output\":\"x\\n\\nmore\"}");
    assert_string_equal(as_is(inject_apply(&arena, POINT_SYSTEM_TRANSFORM, NULL, &i)),
                        "{\"system\":[\"more\"]}");
    assert_string_equal(as_is(inject_apply(&arena, POINT_TURN_AFTER, parse("{}"), &i)), "{}");
}

static void tokens_are_a_quarter_of_the_bytes_rounded_up(void **state UNUSED)
{
    assert_int_equal(inject_tokens(STR("")), 0);
    assert_int_equal(inject_tokens(STR("a")), 1);
    assert_int_equal(inject_tokens(STR("abcd")), 1);
    assert_int_equal(inject_tokens(STR("abcde")), 2);
}

static int release(void **state UNUSED)
{
    arena_release(&arena);
    return 0;
}

static void the_last_text_of_a_message_is_not_one_of_ours(void **state UNUSED)
{
    static const char *const messages[] = {
        "{\"content\":\"last\"}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"first\"},{\"type\":\"text\",\"text\":\"last\"},"
        "{\"type\":\"text\",\"text\":\"ours\",\"synthetic\":true,\"tag\":\"x\"},{\"type\":\"file\"}]}",
    };
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *m;

    for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
        assert_int_equal(json_parse(&a, str_of(messages[i]), NULL, &m, NULL), 0);
        assert_true(str_is(inject_last_text(&a, m), "last"));
    }
    assert_false(str_is_set(inject_last_text(&a, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_unsaid_comes_from_the_point),
        cmocka_unit_test(a_part_is_tagged_by_metadata_never_by_its_text),
        cmocka_unit_test(a_plain_content_becomes_parts_and_keeps_its_text),
        cmocka_unit_test(context_goes_before_the_first_text_part),
        cmocka_unit_test(context_goes_last_where_there_is_no_text_part),
        cmocka_unit_test(stripping_takes_tagged_parts_and_messages_it_empties),
        cmocka_unit_test(stripping_nothing_gives_the_very_same_value),
        cmocka_unit_test(persistent_text_goes_where_its_point_keeps_it),
        cmocka_unit_test(the_last_text_of_a_message_is_not_one_of_ours),
        cmocka_unit_test(tokens_are_a_quarter_of_the_bytes_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
