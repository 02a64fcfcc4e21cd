#include "base/str.h"
#include "test.h"

static void tells_unset_from_empty(void **state UNUSED)
{
    assert_false(str_is_set((struct str){ 0 }));
    assert_false(str_is_set(str_of(NULL)));
    assert_true(str_is_set(str_of("")));
    assert_true(str_is_set(STR("")));
}

static void compares_by_length_and_bytes(void **state UNUSED)
{
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("ab"), STR("abc")));
    assert_true(str_eq((struct str){ 0 }, STR("")));
    assert_true(str_is(STR("abc"), "abc"));
    assert_false(str_is(STR("a\0"), "a"));
}

static void knows_its_prefixes(void **state UNUSED)
{
    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_true(str_starts(STR("abc"), STR("abc")));
    assert_true(str_starts(STR("abc"), (struct str){ 0 }));
    assert_true(str_starts((struct str){ 0 }, (struct str){ 0 }));
    assert_false(str_starts(STR("ab"), STR("abc")));
    assert_false(str_starts((struct str){ 0 }, STR("a")));
}

static void knows_its_suffixes(void **state UNUSED)
{
    assert_true(str_ends(STR("abc"), STR("bc")));
    assert_true(str_ends(STR("abc"), STR("abc")));
    assert_true(str_ends((struct str){ 0 }, (struct str){ 0 }));
    assert_false(str_ends(STR("abc"), STR("ab")));
    assert_false(str_ends(STR("bc"), STR("abc")));
    assert_false(str_ends((struct str){ 0 }, STR("c")));
}

static void a_whole_number_is_digits_only(void **state UNUSED)
{
    static const char *const others[] = { "",   "-1",  "+1",  " 1",
                                          "1 ", "1.0", "0x1", "1000000000000000000" };
    int64_t n = -1;

    assert_true(str_to_whole(STR("007"), &n));
    assert_int_equal(n, 7);
    assert_true(str_to_whole(STR("999999999999999999"), &n));
    assert_true(n == 999999999999999999);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_false(str_to_whole(str_of(others[i]), &n));
    assert_true(n == 999999999999999999);
}

static void trims_both_ends(void **state UNUSED)
{
    assert_true(str_is(str_trim(STR(" \t\r\na b\v\f ")), "a b"));
    assert_true(str_is(str_trim(STR("  \n")), ""));
    assert_true(str_is(str_trim(STR("\xc3\xa9")), "\xc3\xa9"));
    assert_false(str_is_set(str_trim((struct str){ 0 })));
}

static void cuts_at_every_separator(void **state UNUSED)
{
    struct str rest = STR(",a,,b,"), piece;
    static const char *const expected[] = { "", "a", "", "b", "" };

    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        assert_true(str_cut(&rest, ',', &piece));
        assert_true(str_is(piece, expected[i]));
        assert_true(str_is_set(piece));
    }
    assert_false(str_cut(&rest, ',', &piece));
}

static void cuts_the_empty_text_once(void **state UNUSED)
{
    struct str rest = STR(""), piece = STR("before");

    assert_true(str_cut(&rest, ',', &piece));
    assert_true(str_is(piece, ""));
    assert_false(str_cut(&rest, ',', &piece));
    rest = (struct str){ 0 };
    assert_false(str_cut(&rest, ',', &piece));
}

static void suggests_the_nearest_word(void **state UNUSED)
{
    static const char *const words[] = { "turn.after", "agent.stop", "chat.message", "x" };

    assert_string_equal(str_nearest("agent.sotp", words, 4), "agent.stop");
    assert_string_equal(str_nearest("TURN.AFTER", words, 4), "turn.after");
    assert_string_equal(str_nearest("chat.mesage", words, 4), "chat.message");
    assert_null(str_nearest("something else", words, 4));
    assert_null(str_nearest("agent.stop", words, 0));
}

static void does_not_suggest_for_overlong_words(void **state UNUSED)
{
    char word[200];
    const char *words[] = { word };

    memset(word, 'a', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_null(str_nearest(word, words, 1));
    assert_null(str_nearest("aaa", words, 1));
    word[64] = '\0';
    assert_ptr_equal(str_nearest(word, words, 1), word);
}

static void fits_whole_characters(void **state UNUSED)
{
    assert_int_equal(str_fit(STR("aä"), 3), 3);
    assert_int_equal(str_fit(STR("aä"), 2), 1);
    assert_int_equal(str_fit(STR("aä"), 0), 0);
    assert_int_equal(str_fit((struct str){ 0 }, 5), 0);
}

TESTS(cmocka_unit_test(fits_whole_characters), cmocka_unit_test(tells_unset_from_empty),
      cmocka_unit_test(compares_by_length_and_bytes), cmocka_unit_test(knows_its_prefixes),
      cmocka_unit_test(knows_its_suffixes), cmocka_unit_test(a_whole_number_is_digits_only),
      cmocka_unit_test(trims_both_ends), cmocka_unit_test(cuts_at_every_separator),
      cmocka_unit_test(cuts_the_empty_text_once), cmocka_unit_test(suggests_the_nearest_word),
      cmocka_unit_test(does_not_suggest_for_overlong_words))
