/*
 * What is JSON and what is not: every category of inputs that JSON readers are known to disagree
 * on, as three tables (must be accepted, must be refused, ours to decide), and the errors.
 */
#include "json/json.h"
#include "test.h"

#include <errno.h>

/* STR() for tables: a static initialiser may not hold a compound literal. */
#define TEXT(literal)                   \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

/* Parse, and write as is: whatever is accepted must come back byte for byte. */
static int parse(struct str text, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    CLEANUP(mem) char *exact = NULL;
    const struct json *doc;
    int r;

    /* a buffer of exactly this size lets a sanitizer see every read behind the end */
    exact = malloc(text.len + !text.len);
    assert_non_null(exact);
    memcpy(exact, text.ptr, text.len);
    r = json_parse(&a, (struct str){ exact, text.len }, NULL, &doc, e);
    if (r < 0) {
        assert_null(doc);
        return r;
    }
    json_write(&out, doc, JSON_AS_IS);
    assert_true(str_eq(strbuf_str(&out), str_trim(text)));
    return 0;
}

static void check_accepted(const struct str *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err e = { 0 };

        if (parse(cases[i], &e) < 0)
            fail_msg("refused %.*s: %s", STR_ARG(cases[i]), e.msg);
    }
}

static void check_refused(const struct str *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err e = { 0 };

        if (parse(cases[i], &e) != -EBADMSG)
            fail_msg("accepted case %zu: %.*s", i, STR_ARG(cases[i]));
        assert_int_equal(e.code, -EBADMSG);
    }
}

static void accepts_structures(void **state UNUSED)
{
    static const struct str cases[] = {
        TEXT("[]"),
        TEXT("{}"),
        TEXT("[[]   ]"),
        TEXT("[\"\"]"),
        TEXT("[ 1]"),
        TEXT("[1 ]"),
        TEXT("[1\n]"),
        TEXT(" [1] "),
        TEXT("[1,null,\"x\",false,{\"k\":[]}]"),
        TEXT("[null,null]"),
        TEXT("[[[[[[[]]]]]],[[]]]"),
        TEXT("{\"a\":1}"),
        TEXT("{\"a\":1,\"b\":2}"),
        TEXT("{\"a\":1,\"a\":2}"),
        TEXT("{\"a\":1,\"a\":1}"),
        TEXT("{\"\":0}"),
        TEXT("{\"a\":[]}"),
        TEXT("{\"a\" : \"b\" , \"c\":\t{ } }"),
        TEXT("{\"nul\\u0000key\":1}"),
        TEXT("{\"x\":[{\"id\":\"0123456789012345678901234567890123456789\"}],\"id\":\"0\"}"),
        TEXT("{\n\"a\":\r\n\"b\"\n}"),
        TEXT("true"),
        TEXT("false"),
        TEXT("null"),
        TEXT("7"),
        TEXT("-0.5"),
        TEXT("\"top\""),
        TEXT("\"\""),
        TEXT("\t\r\n 5\n"),
    };

    check_accepted(cases, ARRAY_LEN(cases));
}

static void accepts_numbers(void **state UNUSED)
{
    static const struct str cases[] = {
        TEXT("[0]"),
        TEXT("[-0]"),
        TEXT("[0e1]"),
        TEXT("[0e+1]"),
        TEXT("[0E-0]"),
        TEXT("[-0.0e-0]"),
        TEXT("[1.0]"),
        TEXT("[123.456e78]"),
        TEXT("[1E22]"),
        TEXT("[1E-2]"),
        TEXT("[1E+2]"),
        TEXT("[123e45]"),
        TEXT("[-1]"),
        TEXT("[-123]"),
        TEXT("[20e1]"),
        TEXT("[0.1]"),
        TEXT("[123.456789]"),
        TEXT("[-0.000000000000000000000000000000000000000000000000000000000000000000000001]"),
        TEXT("[123456789012345678901234567890123456789012345678901234567890]"),
        TEXT("[9007199254740993]"),
        TEXT("[-9223372036854775809]"),
        TEXT("[1e400]"),
        TEXT("[-1e-4000]"),
        TEXT("[0.4e00669999999999999999999999999999999999999999999999999999999999]"),
    };

    check_accepted(cases, ARRAY_LEN(cases));
}

static void accepts_strings(void **state UNUSED)
{
    static const struct str cases[] = {
        TEXT("[\"\\u0060\\u012a\\u12AB\"]"),
        TEXT("[\"\\uD801\\udc37\"]"),
        TEXT("[\"\\ud83d\\ude39\\ud83d\\udc8d\"]"),
        TEXT("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"),
        TEXT("[\"\\\\u0000\"]"),
        TEXT("[\"\\\"\"]"),
        TEXT("[\"a/*b*/c/*d//e\"]"),
        TEXT("[\"\\\\a\"]"),
        TEXT("[\"\\\\n\"]"),
        TEXT("[\"\\u0012\"]"),
        TEXT("[\"\\uFFFF\"]"),
        TEXT("[\"asd \"]"),
        TEXT("[\"\\u0000\"]"),
        TEXT("[\"\\u002c\"]"),
        TEXT("[\"new\\u00A0line\"]"),
        TEXT("[\"\\uA66D\"]"),
        TEXT("[\"\\u0022\"]"),
        TEXT("[\"\\uDBFF\\uDFFE\"]"),
        TEXT("[\"\x7f\"]"),
        TEXT("[\"a\x7f"
             "a\"]"),
        TEXT("[\"\xc2\x80\"]"),
        TEXT("[\"\xdf\xbf\"]"),
        TEXT("[\"\xe0\xa0\x80\"]"),
        TEXT("[\"\xed\x9f\xbf\"]"),
        TEXT("[\"\xee\x80\x80\"]"),
        TEXT("[\"\xef\xbf\xbf\"]"),
        TEXT("[\"\xef\xbb\xbf inside\"]"),
        TEXT("[\"\xf0\x90\x80\x80\"]"),
        TEXT("[\"\xf4\x8f\xbf\xbf\"]"),
        TEXT("[\"\xe2\x80\xa8 and \xe2\x80\xa9\"]"),
        TEXT("[\"\xe2\x82\xac\xf0\x9d\x84\x9e\"]"),
        TEXT("[\"\xcf\x80\"]"),
        TEXT("[\"\xf0\x9b\xbf\xbf\"]"),
        TEXT("{\"\\u00e9\":\"\xc3\xa9\"}"),
        TEXT("[\"a string of more than sixteen bytes without anything special in it\"]"),
    };

    check_accepted(cases, ARRAY_LEN(cases));
}

/* The standard leaves these to the reader: we keep what is valid text, and nothing else. */
static void decides_open_cases(void **state UNUSED)
{
    static const struct str kept[] = {
        TEXT("[\"\\uD800\"]"),
        TEXT("[\"\\uDADA\"]"),
        TEXT("[\"\\uDd1e\\uD834\"]"),
        TEXT("[\"\\uD888\\u1234\"]"),
        TEXT("[\"\\uD800\\uD800\\n\"]"),
        TEXT("[\"\\uD800abc\"]"),
        TEXT("{\"\\uDFAA\":0}"),
        TEXT("[123123e100000]"),
        TEXT("[-123123e100000]"),
        TEXT("[0.4e-999999999999999999999999]"),
        TEXT("[100000000000000000000]"),
        TEXT("[-237462374673276894279832749832423479823246327846]"),
        TEXT("[1.7976931348623159e308]"),
    };
    static const struct str refused[] = {
        TEXT("\xef\xbb\xbf{}"),
        TEXT("[\"\xff\"]"),
        TEXT("[\"\xed\xa0\x80\"]"),
        TEXT("[\"\xed\xbf\xbf\"]"),
        TEXT("[\"\xc0\xaf\"]"),
        TEXT("[\"\xc1\xbf\"]"),
        TEXT("[\"\xe0\x80\xaf\"]"),
        TEXT("[\"\xe0\x9f\xbf\"]"),
        TEXT("[\"\xf0\x80\x80\xaf\"]"),
        TEXT("[\"\xf0\x8f\xbf\xbf\"]"),
        TEXT("[\"\xf4\x90\x80\x80\"]"),
        TEXT("[\"\xf5\x80\x80\x80\"]"),
        TEXT("[\"\xfc\x80\x80\x80\x80\x80\"]"),
        TEXT("[\"\x81\"]"),
        TEXT("[\"\xbf\"]"),
        TEXT("[\"\xe9\"]"),
        TEXT("[\"\xe6\x97\xa5\xd1\x88\xfa\"]"),
        TEXT("[\"\xe2\x82\"]"),
        TEXT("[\"\xf0\x9d\x84\"]"),
        TEXT("[\"\xc3\"]"),
        TEXT("[\"\xe2\x28\xa1\"]"),
        TEXT("\xff\xfe[\0\"\0"),
        TEXT("\0[\0\"\0\xe9"),
        TEXT("[\0\"\0\xe9\0\"\0]\0"),
    };

    check_accepted(kept, ARRAY_LEN(kept));
    check_refused(refused, ARRAY_LEN(refused));
}

static const struct str bad_structures[] = {
    TEXT(""),
    TEXT(" "),
    TEXT("["),
    TEXT("{"),
    TEXT("]"),
    TEXT("}"),
    TEXT("[1"),
    TEXT("[1,"),
    TEXT("[1,]"),
    TEXT("[,1]"),
    TEXT("[,]"),
    TEXT("[,"),
    TEXT("[1,,2]"),
    TEXT("[1 true]"),
    TEXT("[\"a\" \"b\"]"),
    TEXT("[\"\": 1]"),
    TEXT("[\"x\"]]"),
    TEXT("[\"x\"],"),
    TEXT("[]]"),
    TEXT("[[]"),
    TEXT("[}"),
    TEXT("{]"),
    TEXT("[1}"),
    TEXT("{\"a\":1]"),
    TEXT("{\"a\"}"),
    TEXT("{\"a\":}"),
    TEXT("{\"a\""),
    TEXT("{\"a\":"),
    TEXT("{\"a\":1"),
    TEXT("{\"a\":1,"),
    TEXT("{\"a\":1,}"),
    TEXT("{\"a\":1,,\"b\":2}"),
    TEXT("{,\"a\":1}"),
    TEXT("{\"a\",1}"),
    TEXT("{\"a\" 1}"),
    TEXT("{\"a\"::1}"),
    TEXT("{:1}"),
    TEXT("{1:1}"),
    TEXT("{a:1}"),
    TEXT("{'a':1}"),
    TEXT("{null:null}"),
    TEXT("{[]:1}"),
    TEXT("{\"a\":1 \"b\":2}"),
    TEXT("{\"a\":1}{\"b\":2}"),
    TEXT("{\"a\":1}#"),
    TEXT("{\"a\":1}}"),
    TEXT("{}x"),
    TEXT("1 2"),
    TEXT("true false"),
    TEXT("*"),
    TEXT("[*]"),
    TEXT("<.>"),
    TEXT("[<null>]"),
    TEXT("[a"),
    TEXT("[True]"),
    TEXT("[TRUE]"),
    TEXT("[nul]"),
    TEXT("[tru"),
    TEXT("[fals]"),
    TEXT("nulll"),
    TEXT("truefalse"),
    TEXT("undefined"),
    TEXT("[\\n]"),
    TEXT("[1]\f"),
    TEXT("[\v1]"),
    TEXT("[\f]"),
    TEXT("[\0]"),
    TEXT("[1]\0"),
    TEXT("\0"),
    TEXT("[\xc2\xa0]"),
    TEXT("[\xe2\x81\xa0]"),
    TEXT("\xe2\x80\xa8[]"),
    TEXT("\xc3\xa5"),
    TEXT("[\xe9]"),
    TEXT("\xef\xbb\xbf"),
    TEXT("{\"a\":1}/**/"),
    TEXT("{\"a\":/*c*/1}"),
    TEXT("// c\n1"),
    TEXT("[1] // c"),
    TEXT("[1/]"),
    TEXT("#!\n1"),
    TEXT("(1)"),
    TEXT("[1;2]"),
    TEXT("{\"a\":1;}"),
    TEXT("[${}]"),
    TEXT("[][]"),
    TEXT("[\"\\"),
};

static void refuses_bad_structures(void **state UNUSED)
{
    check_refused(bad_structures, ARRAY_LEN(bad_structures));
}

static void refuses_bad_numbers(void **state UNUSED)
{
    static const struct str cases[] = {
        TEXT("[-]"),
        TEXT("-"),
        TEXT("[--1]"),
        TEXT("[+1]"),
        TEXT("[++1]"),
        TEXT("[-01]"),
        TEXT("[01]"),
        TEXT("[012]"),
        TEXT("[-012]"),
        TEXT("[00]"),
        TEXT("[1.]"),
        TEXT("[.1]"),
        TEXT("[-.1]"),
        TEXT("[.-1]"),
        TEXT("[1.e1]"),
        TEXT("[-1.]"),
        TEXT("[0.e1]"),
        TEXT("[0.1.2]"),
        TEXT("[1e]"),
        TEXT("[1E+]"),
        TEXT("[1e-]"),
        TEXT("[0e]"),
        TEXT("[0e+]"),
        TEXT("[0.3e]"),
        TEXT("[0.3e+]"),
        TEXT("[1.0e]"),
        TEXT("[1eE2]"),
        TEXT("[1e+-2]"),
        TEXT("[1e1.5]"),
        TEXT("[9.e+]"),
        TEXT("[1 000]"),
        TEXT("[1_000]"),
        TEXT("[0x1]"),
        TEXT("[0x42]"),
        TEXT("[0o7]"),
        TEXT("[0b1]"),
        TEXT("[1f]"),
        TEXT("[1L]"),
        TEXT("[1a]"),
        TEXT("[1.2a-3]"),
        TEXT("[-1x]"),
        TEXT("[- 1]"),
        TEXT("[NaN]"),
        TEXT("[-NaN]"),
        TEXT("[nan]"),
        TEXT("[Inf]"),
        TEXT("[Infinity]"),
        TEXT("[-Infinity]"),
        TEXT("[-foo]"),
        TEXT("[1+2]"),
        TEXT("[1-2]"),
        TEXT("[2.]"),
        TEXT("[\xef\xbc\x91]"),
        TEXT("1."),
        TEXT("1e"),
        TEXT("0."),
        TEXT("[1\0]"),
        TEXT("[123\xe5]"),
        TEXT("[1e1\xe5]"),
        TEXT("[0\xe5]"),
        TEXT("[2.e3]"),
        TEXT("[2.e-3]"),
        TEXT("[0C7]"),
    };

    check_refused(cases, ARRAY_LEN(cases));
}

static void refuses_bad_strings(void **state UNUSED)
{
    static const struct str cases[] = {
        TEXT("\""),
        TEXT("[\""),
        TEXT("[\"a"),
        TEXT("[\"a]"),
        TEXT("[\"\\\"]"),
        TEXT("[\"\\"),
        TEXT("[\"\\u"),
        TEXT("[\"\\u00"),
        TEXT("[\"\\u00A\"]"),
        TEXT("[\"\\u00G0\"]"),
        TEXT("[\"\\u 041\"]"),
        TEXT("[\"\\u-041\"]"),
        TEXT("[\"\\uD834\\uDd\"]"),
        TEXT("[\"\\uD800\\u\"]"),
        TEXT("[\"\\uD800\\u1\"]"),
        TEXT("[\"\\uD800\\u1x\"]"),
        TEXT("[\"\\U0041\"]"),
        TEXT("[\"\\a\"]"),
        TEXT("[\"\\x00\"]"),
        TEXT("[\"\\0\"]"),
        TEXT("[\"\\v\"]"),
        TEXT("[\"\\'\"]"),
        TEXT("[\"\\ \"]"),
        TEXT("[\"\\\n\"]"),
        TEXT("[\"\\\t\"]"),
        TEXT("[\"\\\0\"]"),
        TEXT("[\"\\\xe5\"]"),
        TEXT("[\"\\\xf0\x9f\x8c\x80\"]"),
        TEXT("[\"new\nline\"]"),
        TEXT("[\"tab\there\"]"),
        TEXT("[\"a\0b\"]"),
        TEXT("[\"\x1f\"]"),
        TEXT("[\"\x01 and a tail of more than sixteen bytes\"]"),
        TEXT("['single']"),
        TEXT("[`back`]"),
        TEXT("[bare]"),
        TEXT("[\\u0020\"a\"]"),
        TEXT("\"a\"x"),
        TEXT("[\"a\"x\"]"),
        TEXT("{\"a\nb\":1}"),
        TEXT("{\"\\q\":1}"),
        TEXT("{\"\xff\":1}"),
        TEXT("{\"a:1}"),
        TEXT("[\"a string of more than sixteen bytes that nobody closes]"),
        TEXT(
            "[\"a string of more than sixty-four bytes with a raw line feed close to its end\n\"]"),
    };

    check_refused(cases, ARRAY_LEN(cases));
}

static void add_run(struct strbuf *b, char c, size_t count)
{
    while (count-- > 0)
        strbuf_addch(b, c);
}

/* A string with `middle` between two runs of plain bytes. */
static int parse_around(const char *middle, size_t before, size_t after)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct err e = { 0 };

    strbuf_addstr(&text, "[\"");
    add_run(&text, 'a', before);
    strbuf_addstr(&text, middle);
    add_run(&text, 'z', after);
    strbuf_addstr(&text, "\"]");
    return parse(strbuf_str(&text), &e);
}

/* Blocks of 16 and 64 bytes must not matter: put everything special at every distance. */
static void finds_special_bytes_at_every_distance(void **state UNUSED)
{
    static const struct {
        const char *middle;
        int result;
    } cases[] = {
        { "\\n", 0 },
        { "\\\\", 0 },
        { "\\\"", 0 },
        { "\xc3\xa9", 0 },
        { "\\u12aB", 0 },
        { "\xf0\x9f\x98\x80", 0 },
        { "\\\\\\\\\\\"", 0 },
        { "\n", -EBADMSG },
        { "\\q", -EBADMSG },
        { "\x80", -EBADMSG },
        { "\\u12g4", -EBADMSG },
        { "\"", -EBADMSG },
        { "\xe2\x82", -EBADMSG },
        { "\xed\xa0\x80", -EBADMSG },
    };
    static const size_t tails[] = { 0, 1, 2, 20, 60, 64, 100, 140 };

    for (size_t before = 0; before < 140; before++)
        for (size_t i = 0; i < ARRAY_LEN(cases) * ARRAY_LEN(tails); i++)
            assert_int_equal(parse_around(cases[i / ARRAY_LEN(tails)].middle, before,
                                          tails[i % ARRAY_LEN(tails)]),
                             cases[i / ARRAY_LEN(tails)].result);
}

/* The bytes of a code point, surrogates and all, by the plain rule of UTF-8. */
static size_t encode(unsigned code, char *out)
{
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(leads[len] | code);
    return len;
}

static void accepts_every_character_but_surrogates(void **state UNUSED)
{
    for (unsigned code = 0x80; code < 0x120000; code += code < 0x11000 ? 1 : 61) {
        char text[16] = "\"";
        size_t len = 1 + encode(code, text + 1);
        struct err e = { 0 };
        bool good = code < 0x110000 && (code < 0xd800 || code > 0xdfff);

        text[len++] = '"';
        if (parse((struct str){ text, len }, &e) != (good ? 0 : -EBADMSG))
            fail_msg("U+%04X", code);
    }
}

static void says_where_it_failed(void **state UNUSED)
{
    static const struct {
        const char *text, *msg;
    } cases[] = {
        { "{\"a\":1,\n  \"b\" 2}",
          "line 2, column 7 (offset 14): expected ':' after a key, found '2'" },
        { "", "line 1, column 1 (offset 0): expected a value, found the end of the text" },
        { "[1,\r\n2,\r\n]", "line 3, column 1 (offset 9): expected a value, found ']'" },
        { "[1] x", "line 1, column 5 (offset 4): expected the end of the text, found 'x'" },
        { "[1, // no\n2]", "line 1, column 5 (offset 4): expected a value, found a comment" },
        { "[1 2]", "line 1, column 4 (offset 3): expected ',' or ']', found '2'" },
        { "{\"a\":1 2}", "line 1, column 8 (offset 7): expected ',' or '}', found '2'" },
        { "{'a':1}",
          "line 1, column 2 (offset 1): expected a key in double quotes, found a single quote" },
        { "[\"a\tb\"]",
          "line 1, column 4 (offset 3): control character in a string: it must be escaped" },
        { "[\"a\xff\"]", "line 1, column 4 (offset 3): invalid UTF-8 in a string" },
        { "[\"\\x\"]", "line 1, column 3 (offset 2): unknown escape in a string" },
        { "[\"\\u12\"]", "line 1, column 3 (offset 2): '\\u' needs four hexadecimal digits" },
        { "\"abc", "line 1, column 5 (offset 4): the string is not closed" },
        { "[007]", "line 1, column 2 (offset 1): a number cannot start with 0" },
        { "[1.x]", "line 1, column 4 (offset 3): expected a digit after '.', found 'x'" },
        { "[\x01]", "line 1, column 2 (offset 1): expected a value, found byte 0x01" },
        { "\xef\xbb\xbf[]", "line 1, column 1 (offset 0): byte order mark before the document: "
                            "save the file without one" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err e = { 0 };

        assert_int_equal(parse(str_of(cases[i].text), &e), -EBADMSG);
        assert_string_equal(e.msg, cases[i].msg);
    }
}

static struct str nested(struct strbuf *b, const char *open, const char *close, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        strbuf_addstr(b, open);
    for (unsigned i = 0; i < depth; i++)
        strbuf_addstr(b, close);
    return strbuf_str(b);
}

static void limits_depth(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf deep = { 0 }, deeper = { 0 };
    struct json_reader reader = { 0 };
    struct err e = { 0 };
    const struct json *doc;

    assert_int_equal(json_parse(&a, nested(&deep, "[", "]", 512), &reader, &doc, &e), 0);
    assert_int_equal(json_parse(&a, nested(&deeper, "[", "]", 513), &reader, &doc, &e), -EFBIG);
    assert_int_equal(reader.error_offset, 512);
    assert_string_equal(
        e.msg,
        "line 1, column 513 (offset 512): more levels of nesting than allowed, the limit is 512");
    reader.max_depth = 513;
    assert_int_equal(json_parse(&a, strbuf_str(&deeper), &reader, &doc, &e), 0);
    reader.max_depth = 2;
    assert_int_equal(json_parse(&a, STR("[[1],[[2]]]"), &reader, &doc, &e), -EFBIG);
    assert_int_equal(reader.error_offset, 6);
    assert_int_equal(json_parse(&a, STR("[[],{},[],{\"a\":1}]"), &reader, &doc, &e), 0);
}

static void survives_huge_depth(void **state UNUSED)
{
    static const char *const opens[] = { "[", "{\"\":", "[{\"\":[", "[\n" };

    for (size_t i = 0; i < ARRAY_LEN(opens); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(strbuf) struct strbuf b = { 0 };
        struct json_reader reader = { .max_depth = UINT32_MAX };
        struct err e = { 0 };
        const struct json *doc;

        assert_int_equal(json_parse(&a, nested(&b, opens[i], "", 100000), &reader, &doc, &e),
                         -EFBIG);
        assert_true(reader.error_offset < (size_t)8 * JSON_DEPTH_LIMIT);
    }
}

static void limits_size(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json_reader reader = { .max_bytes = 8 };
    struct err e = { 0 };
    const struct json *doc;

    assert_int_equal(json_parse(&a, STR("[1,2,34]"), &reader, &doc, &e), 0);
    assert_int_equal(json_parse(&a, STR("[1,2,345]"), &reader, &doc, &e), -EFBIG);
    assert_int_equal(reader.error_offset, 8);
    assert_non_null(strstr(e.msg, "(offset 8): more bytes than allowed, the limit is 8"));
}

static void accepts_no_error_and_no_text(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *doc;

    assert_int_equal(json_parse(&a, (struct str){ 0 }, NULL, &doc, NULL), -EBADMSG);
    assert_int_equal(json_parse(&a, STR("[]"), NULL, &doc, NULL), 0);
}

static void leaves_the_unused_slab_to_the_arena(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *doc, *other;
    struct err e = { 0 };
    char *next;

    assert_int_equal(json_parse(&a, STR("[1,\"a\"]"), NULL, &doc, &e), 0);
    next = arena_strdup(&a, "overwritten");
    memset(next, 'x', 11);
    assert_int_equal(json_parse(&a, STR("{\"k\":[true]}"), NULL, &other, &e), 0);
    assert_string_equal(json_text(&a, doc), "[1,\"a\"]");
    assert_string_equal(json_text(&a, json_get(other, STR("k"))), "[true]");
}

static void counts_lines_and_columns(void **state UNUSED)
{
    struct str text = STR("ab\ncd\r\n\nx");
    static const struct {
        size_t offset;
        unsigned line, column;
    } cases[] = { { 0, 1, 1 }, { 2, 1, 3 }, { 3, 2, 1 }, { 6, 2, 4 },
                  { 7, 3, 1 }, { 8, 4, 1 }, { 9, 4, 2 }, { 99, 4, 2 } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json_place at = json_place(text, cases[i].offset);

        assert_int_equal(at.line, cases[i].line);
        assert_int_equal(at.column, cases[i].column);
    }
}

TESTS(cmocka_unit_test(accepts_structures), cmocka_unit_test(accepts_numbers),
      cmocka_unit_test(accepts_strings), cmocka_unit_test(decides_open_cases),
      cmocka_unit_test(refuses_bad_structures), cmocka_unit_test(refuses_bad_numbers),
      cmocka_unit_test(refuses_bad_strings),
      cmocka_unit_test(finds_special_bytes_at_every_distance),
      cmocka_unit_test(accepts_every_character_but_surrogates),
      cmocka_unit_test(says_where_it_failed), cmocka_unit_test(limits_depth),
      cmocka_unit_test(survives_huge_depth), cmocka_unit_test(limits_size),
      cmocka_unit_test(accepts_no_error_and_no_text),
      cmocka_unit_test(leaves_the_unused_slab_to_the_arena),
      cmocka_unit_test(counts_lines_and_columns))
