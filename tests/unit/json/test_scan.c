/* Where one document ends in a stream. */
#include "value.h"

/* Feed `text` in pieces of `step` bytes. `used` counts over all pieces. */
static enum json_scan_state feed(struct json_scan *s, struct str text, size_t step, size_t *used)
{
    enum json_scan_state state = JSON_SCAN_MORE;

    *used = 0;
    for (size_t at = 0; at < text.len && state == JSON_SCAN_MORE; at += step) {
        size_t len = text.len - at < step ? text.len - at : step, taken;

        state = json_scan_feed(s, (struct str){ text.ptr + at, len }, &taken);
        *used += taken;
    }
    return state;
}

static void finds_the_end_whatever_the_pieces(void **state UNUSED)
{
    static const struct {
        const char *text;
        size_t used;
    } cases[] = {
        { "{}", 2 },
        { " \n[1,2]\n{}", 7 },
        { "{\"a\":[{},\"]}\"],\"b\":\"\\\"}\"} tail", 25 },
        { "[][]", 2 },
        { "\"a\\nb\" \"c\"", 6 },
        { "[\"\\u00e9\",1]2", 12 },
        { "\"a\\\\\"\"b\"", 5 },
        { "\"\\\"\" ", 4 },
        { "true,", 4 },
        { "nullx", 4 },
        { " false", 6 },
        { "12.5e+3 ", 7 },
        { "-1]", 2 },
        { "7\n8", 1 },
        { "[\"a string that is longer than sixteen bytes \xc3\xa9 and goes on\"]x", 61 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str text = str_of(cases[i].text);

        for (size_t step = 1; step <= text.len; step++) {
            struct json_scan s = { 0 };
            size_t used;

            assert_int_equal(feed(&s, text, step, &used), JSON_SCAN_DONE);
            assert_int_equal(used, cases[i].used);
            assert_int_equal(json_scan_feed(&s, STR("more"), &used), JSON_SCAN_DONE);
            assert_int_equal(used, 0);
            assert_int_equal(json_scan_end(&s), JSON_SCAN_DONE);
        }
    }
}

static void every_shorter_piece_wants_more(void **state UNUSED)
{
    struct str text = STR(" {\"a\":[1,{\"b\\\"]\":null}],\"c\":\"\\u00e9\\\\\"}");

    for (size_t len = 0; len < text.len; len++) {
        struct json_scan s = { 0 };
        size_t used;

        assert_int_equal(json_scan_feed(&s, (struct str){ text.ptr, len }, &used), JSON_SCAN_MORE);
        assert_int_equal(used, len);
        assert_int_equal(json_scan_end(&s), JSON_SCAN_MORE);
    }
}

static void a_number_is_complete_when_the_stream_ends(void **state UNUSED)
{
    struct json_scan s = { 0 };
    size_t used;

    assert_int_equal(json_scan_feed(&s, STR(" 42"), &used), JSON_SCAN_MORE);
    assert_int_equal(used, 3);
    assert_int_equal(json_scan_end(&s), JSON_SCAN_DONE);
}

static void says_what_cannot_become_a_document(void **state UNUSED)
{
    static const struct {
        const char *text;
        size_t used;
    } cases[] = {
        { "]", 0 },          { "  x", 2 },       { "\xef\xbb\xbf{}", 0 },
        { "[}", 1 },         { "{\"a\":[}", 6 }, { "[1,{]", 4 },
        { "[\"a\nb\"]", 3 }, { "\"\\\n\"", 2 },  { "[\x01]", 1 },
        { "nul,", 3 },       { "trux", 3 },      { "fals3", 4 },
        { "// no", 0 },      { "'a'", 0 },       { "+1", 0 },
        { "NaN", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str text = str_of(cases[i].text);

        for (size_t step = 1; step <= text.len; step++) {
            struct json_scan s = { 0 };
            size_t used;

            assert_int_equal(feed(&s, text, step, &used), JSON_SCAN_BAD);
            assert_int_equal(used, cases[i].used);
        }
    }
}

static void refuses_endless_nesting(void **state UNUSED)
{
    struct json_scan s = { 0 };
    enum json_scan_state got = JSON_SCAN_MORE;
    unsigned fed = 0;
    size_t used;

    while (got == JSON_SCAN_MORE && fed <= 2 * JSON_DEPTH_LIMIT) {
        got = json_scan_feed(&s, fed % 2 ? STR("[") : STR("{"), &used);
        fed += got == JSON_SCAN_MORE ? 1 : 0;
    }
    assert_int_equal(got, JSON_SCAN_BAD);
    assert_int_equal(fed, JSON_DEPTH_LIMIT);
}

static void takes_documents_one_after_another(void **state UNUSED)
{
    static const char *const wanted[] = { "{\"id\":1}", "[2]", "\"three\"", "4", "null", "{}" };
    struct str stream = STR("{\"id\":1}\n[2]\"three\"4 null{}");

    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        struct json_scan s = { 0 };
        size_t used;

        assert_int_equal(json_scan_feed(&s, stream, &used), JSON_SCAN_DONE);
        assert_true(str_is(str_trim((struct str){ stream.ptr, used }), wanted[i]));
        stream = (struct str){ stream.ptr + used, stream.len - used };
    }
    assert_int_equal(stream.len, 0);
}

static void accepts_empty_pieces(void **state UNUSED)
{
    struct json_scan s = { 0 };
    size_t used = 7;

    assert_int_equal(json_scan_feed(&s, (struct str){ 0 }, &used), JSON_SCAN_MORE);
    assert_int_equal(used, 0);
    assert_int_equal(json_scan_end(&s), JSON_SCAN_MORE);
}

TESTS(cmocka_unit_test(finds_the_end_whatever_the_pieces),
      cmocka_unit_test(every_shorter_piece_wants_more),
      cmocka_unit_test(a_number_is_complete_when_the_stream_ends),
      cmocka_unit_test(says_what_cannot_become_a_document),
      cmocka_unit_test(refuses_endless_nesting),
      cmocka_unit_test(takes_documents_one_after_another), cmocka_unit_test(accepts_empty_pieces))
