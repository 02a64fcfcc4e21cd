#include "base/clock.h"
#include "base/mem.h"
#include "base/regex.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>

#define SECOND 1000000000u

static void regex_cleanup(struct regex *const *re)
{
    regex_free(*re);
}

static struct regex *compiled(const char *pattern)
{
    struct regex *re = NULL;
    struct err e = { 0 };

    if (regex_new(str_of(pattern), &re, &e) < 0)
        fail_msg("%s", e.msg);
    return re;
}

static int match(const char *pattern, struct str text)
{
    CLEANUP(regex) struct regex *re = compiled(pattern);
    struct err e = { 0 };

    return regex_match(re, text, &e);
}

/* `len` times `fill`, with `mark` at every `every`th place. */
static char *filled(size_t len, char fill, size_t every, char mark)
{
    char *text = xmalloc(len + 1);

    memset(text, fill, len);
    for (size_t i = every - 1; i < len; i += every)
        text[i] = mark;
    text[len] = '\0';
    return text;
}

static void finds_a_match_anywhere(void **state UNUSED)
{
    assert_int_equal(match("push.*--force", STR("git push origin --force")), 1);
    assert_int_equal(match("^push", STR("git push")), 0);
    assert_int_equal(match("", STR("")), 1);
    assert_int_equal(match("^$", (struct str){ 0 }), 1);
    assert_int_equal(match("a", (struct str){ 0 }), 0);
    assert_int_equal(match("(?i)FORCE", STR("--force")), 1);
    assert_int_equal(match("a\\x00b", STR("a\0b")), 1);
}

static void an_unset_pattern_matches_like_an_empty_one(void **state UNUSED)
{
    CLEANUP(regex) struct regex *re = NULL;
    struct err e = { 0 };

    assert_int_equal(regex_new((struct str){ 0 }, &re, &e), 0);
    assert_int_equal(regex_match(re, STR("x"), &e), 1);
}

static void reports_where_a_pattern_is_wrong(void **state UNUSED)
{
    struct regex *re = NULL;
    struct err e = { 0 };

    assert_int_equal(regex_new(STR("a(b"), &re, &e), -EINVAL);
    assert_non_null(strstr(e.msg, "'a(b'"));
    assert_non_null(strstr(e.msg, "offset 3"));
    assert_null(re);
    assert_int_equal(regex_new(STR("\xff"), &re, &e), -EINVAL);
    regex_free(NULL);
}

static void reads_text_as_utf8(void **state UNUSED)
{
    assert_int_equal(match("^.$", STR("\xc3\xa9")), 1);
    assert_int_equal(match("^\\x{1F600}$", STR("\xf0\x9f\x98\x80")), 1);
}

/* Otherwise one stray byte would carry a forbidden command past every rule. */
static void matches_around_bytes_that_are_not_utf8(void **state UNUSED)
{
    assert_int_equal(match("rm -rf", STR("echo \xff; rm -rf x")), 1);
    assert_int_equal(match("rm -rf", STR("rm -rf x \xed\xa0\x80")), 1);
    assert_int_equal(match("rm -rf", STR("\xff\xfe nothing")), 0);
    assert_int_equal(match("a.b", STR("a\xff"
                                      "b")),
                     0);
}

static void catastrophic_patterns_give_up(void **state UNUSED)
{
    CLEANUP(mem) char *text = filled(5000, 'a', 5000, 'b');
    static const char *const patterns[] = { "(a+)+$", "(a|aa)+$", "(a*)*[cd]$", "(.*)*(.*)*[xy]" };

    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        uint64_t start = clock_mono_ns();

        assert_true(match(patterns[i], (struct str){ text, 5000 }) < 0);
        assert_true(clock_mono_ns() - start < 20ull * SECOND);
    }
}

/* Each starting place alone stays under PCRE2's limit; all of them together take minutes. */
static void slow_patterns_on_long_text_give_up(void **state UNUSED)
{
    size_t len = (size_t)1 << 20;
    CLEANUP(mem) char *text = filled(len, 'a', 500, 'c');
    uint64_t start = clock_mono_ns();

    assert_true(match("(?:a|e)*(?:a|f)*[bx]", (struct str){ text, len }) < 0);
    assert_true(clock_mono_ns() - start < 20ull * SECOND);
}

static void honest_patterns_work_on_long_text(void **state UNUSED)
{
    size_t len = (size_t)1 << 20;
    CLEANUP(mem) char *text = filled(len, 'a', 100, '\n');
    struct str whole = { text, len };

    assert_int_equal(match("[xy]", whole), 0);
    text[len - 1] = 'x';
    assert_int_equal(match("[xy]", whole), 1);
    assert_int_equal(match("[xy]$", whole), 1);
    assert_int_equal(match("^a+x$", whole), 0);
    assert_int_equal(match("(?m)^a+x$", whole), 1);
    assert_int_equal(match("(?:.|\\n)*[xy]", (struct str){ text + len - 30000, 30000 }), 1);
    assert_int_equal(match("^(?:[a-z]|\\n)+[xy]", (struct str){ text + len - 200000, 200000 }), 1);
    assert_int_equal(match("(?<=a\\n)a+x", whole), 1);
}

/* Places where a long search is taken up again must not split a character or miss a match. */
static void finds_a_match_at_every_place_of_a_slow_search(void **state UNUSED)
{
    CLEANUP(regex) struct regex *re = compiled("(?:\xc3\xa9|e)*(?:\xc3\xa9|f)*[bx]z");
    CLEANUP(mem) char *text = filled(4002, '\xa9', 2, '\xa9');
    struct err e = { 0 };

    for (size_t i = 0; i < 4000; i += 2)
        text[i] = '\xc3';
    for (size_t at = 0; at < 4000; at += 94) {
        char kept[2] = { text[at], text[at + 1] };

        text[at] = 'b';
        text[at + 1] = 'z';
        assert_int_equal(regex_match(re, (struct str){ text, 4000 }, &e), 1);
        text[at] = kept[0];
        text[at + 1] = kept[1];
    }
    assert_int_equal(regex_match(re, (struct str){ text, 2000 }, &e), 0);
}

static void *match_often(void *re)
{
    struct err e = { 0 };

    for (unsigned i = 0; i < 500; i++)
        if (regex_match(re, STR("git push --force"), &e) != 1 ||
            regex_match(re, STR("git pull"), &e) != 0)
            return re;
    return NULL;
}

static void threads_share_a_pattern(void **state UNUSED)
{
    CLEANUP(regex) struct regex *re = compiled("push.*(--force|-f)");
    pthread_t threads[4];
    void *failed;

    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, match_often, re), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

TESTS(cmocka_unit_test(finds_a_match_anywhere),
      cmocka_unit_test(an_unset_pattern_matches_like_an_empty_one),
      cmocka_unit_test(reports_where_a_pattern_is_wrong), cmocka_unit_test(reads_text_as_utf8),
      cmocka_unit_test(matches_around_bytes_that_are_not_utf8),
      cmocka_unit_test(catastrophic_patterns_give_up),
      cmocka_unit_test(slow_patterns_on_long_text_give_up),
      cmocka_unit_test(honest_patterns_work_on_long_text),
      cmocka_unit_test(finds_a_match_at_every_place_of_a_slow_search),
      cmocka_unit_test(threads_share_a_pattern))
