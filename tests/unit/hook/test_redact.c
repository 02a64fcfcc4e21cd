/* Secrets go, everything else stays byte for byte. */
#include "base/clock.h"
#include "hook/redact.h"
#include "test.h"

#include <stdlib.h>

/* In pieces, so that nobody's scanner takes the examples for real ones. */
#define GITHUB \
    "ghp"      \
    "_0123456789abcdefghijABCDEFGHIJ012345"
#define ANTHROPIC \
    "sk-"         \
    "ant"         \
    "-abcdefghij0123456789"
#define PEM       \
    "-----BEGIN " \
    "PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----"
#define HIDDEN "correct-horse-battery"

struct row {
    const char *before, *after; /* NULL: the same */
};

static const struct row values[] = {
    /* names */
    { "{\"password\":\"x\"}", "{\"password\":\"[removed]\"}" },
    { "{\"apiKey\":\"x\",\"API_KEY\":\"x\"}",
      "{\"apiKey\":\"[removed]\",\"API_KEY\":\"[removed]\"}" },
    { "{\"headers\":{\"X-Api-Key\":\"x\",\"authorization\":\"y\",\"accept\":\"z\"}}",
      "{\"headers\":{\"X-Api-Key\":\"[removed]\",\"authorization\":\"[removed]\",\"accept\":\"z\"}}" },
    { "{\"client_secret\":1234}", "{\"client_secret\":\"[removed]\"}" },
    { "{\"cookies\":{\"sid\":\"x\",\"n\":[\"y\",1,true,null]}}",
      "{\"cookies\":{\"sid\":\"[removed]\",\"n\":[\"[removed]\",\"[removed]\",true,null]}}" },
    { "{\"GITHUB_TOKEN\":\"x\",\"accesstoken\":\"y\"}",
      "{\"GITHUB_TOKEN\":\"[removed]\",\"accesstoken\":\"[removed]\"}" },
    { "{\"input_tokens\":12,\"token_count\":3,\"tokenizer\":\"bpe\",\"key\":\"Enter\"}", NULL },
    { "{\"password\":\"\",\"secret\":true,\"cookie\":null}", NULL },
    /* shapes */
    { "{\"command\":\"curl -H 'X: " GITHUB "' x\"}", "{\"command\":\"curl -H 'X: [removed]' x\"}" },
    { "[\"" ANTHROPIC "\"]", "[\"[removed]\"]" },
    { "[\"a\\n" PEM "\\nb\"]", "[\"a\\n[removed]\\nb\"]" },
    { "{\"" GITHUB "\":1}", "{\"[removed]\":1}" },
    /* names inside a text */
    { "[\"API_KEY=abc make\"]", "[\"API_KEY=[removed] make\"]" },
    { "[\"login --password hunter2 --user me\"]", "[\"login --password [removed] --user me\"]" },
    { "[\"login --token=abc\"]", "[\"login --token=[removed]\"]" },
    { "[\"{\\\"token\\\": \\\"abc\\\"}\"]", "[\"{\\\"token\\\": \\\"[removed]\\\"}\"]" },
    { "[\"password: hunter2\"]", "[\"password: [removed]\"]" },
    { "[\"?access_token=abc&x=1\"]", "[\"?access_token=[removed]&x=1\"]" },
    { "[\"Authorization: Digest a b c\\nnext\"]", "[\"Authorization: [removed]\\nnext\"]" },
    { "[\"Bearer abcdef123456\"]", "[\"Bearer [removed]\"]" },
    { "[\"git clone https://me:pw@example.org/x\"]",
      "[\"git clone https://me:[removed]@example.org/x\"]" },
    { "[\"export API_KEY=$OTHER\"]", NULL },
    { "[\"password: string;\"]", NULL },
    { "[\"if token == 'bash' then\"]", NULL },
    { "[\"https://example.org:80/a@b\"]", NULL },
    { "[\"the token limit, and a Bearer of news\"]", NULL },
    { "[\"{\\\\\\\"password\\\\\\\":\\\\\\\"a b\\\\\\\",1}\"]",
      "[\"{\\\\\\\"password\\\\\\\":\\\\\\\"[removed]\\\\\\\",1}\"]" },
    /* by what stands beside them */
    { "[\"mysql\",\"--password\",\"x\",\"y\"]", "[\"mysql\",\"--password\",\"[removed]\",\"y\"]" },
    { "[\"--token\",\"--force\",\"password\",\"x\"]", NULL },
    { "{\"name\":\"Authorization\",\"value\":\"x\",\"n\":1}",
      "{\"name\":\"Authorization\",\"value\":\"[removed]\",\"n\":1}" },
    { "{\"value\":[\"x\"],\"key\":\"DB_PASSWORD\"}",
      "{\"value\":[\"[removed]\"],\"key\":\"DB_PASSWORD\"}" },
    { "{\"name\":\"colour\",\"value\":\"red\"}", NULL },
    /* learnt */
    { "[\"echo " HIDDEN "!\"]", "[\"echo [removed]!\"]" },
    /* bytes */
    { " { \"a\" : 1.50e+3 , \"\\u0061\":\"\\/\\u00e9\", \"b\":[ ] } ", NULL },
    { "{ \"n\" : 1.50 ,\"token\" : \"x\" , \"\\u0061\":\"\\/\" }",
      "{ \"n\" : 1.50 ,\"token\" : \"[removed]\" , \"\\u0061\":\"\\/\" }" },
    { "{\"a\":\"x\",\"a\":\"y\",\"token\":\"z\"}",
      "{\"a\":\"x\",\"a\":\"y\",\"token\":\"[removed]\"}" },
};

static struct redactor redactor(struct arena *a)
{
    static char name[] = "MY_SECRET=" HIDDEN, plain[] = "EDITOR=vim-or-something",
                brief[] = "PASSWORD=test";
    static char *const env[] = { name, plain, brief, NULL };
    struct redactor r = { .arena = a };

    redact_learn(&r, env);
    return r;
}

static const char *redacted(struct arena *a, const char *text, size_t *removed)
{
    struct redactor r = redactor(a);
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *j;

    assert_int_equal(json_parse(a, str_of(text), NULL, &j, NULL), 0);
    json_write(&out, redact_json(&r, j), JSON_AS_IS);
    *removed = r.removed;
    return arena_cstr(a, strbuf_str(&out));
}

/* Leading and trailing white space of a document is no part of its value. */
static const char *trimmed(struct arena *a, const char *text)
{
    return arena_cstr(a, str_trim(str_of(text)));
}

static void takes_out_what_the_table_says(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t removed;

    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        const char *after = values[i].after ? values[i].after : values[i].before;

        assert_string_equal(redacted(&a, values[i].before, &removed), trimmed(&a, after));
        assert_int_equal(removed > 0, values[i].after != NULL);
    }
}

static void the_second_time_changes_nothing(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t removed;

    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        const char *once = redacted(&a, values[i].before, &removed);

        assert_string_equal(redacted(&a, once, &removed), once);
        assert_int_equal(removed, 0);
    }
}

/* An event waits for this: a text of many secrets, or of what nearly is one, takes no longer. */
static void the_time_it_takes_grows_with_the_text(void **state UNUSED)
{
    static const char token[] = GITHUB " ";
    static const char *const pieces[] = {
        "password=abc123 ",
        "password=\"",
        "password:",
        "Authorization: $ ",
        "://",
        "password=\\\"$a\\\"",
        "--password ",
        "Bearer ",
        token,
        "password: ab ",
        "password=\"$\" ",
    };

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(strbuf) struct strbuf text = { 0 };
        struct redactor r = redactor(&a);
        uint64_t began = clock_mono_ns();

        while (text.len < (size_t)1 << 19)
            strbuf_addstr(&text, pieces[i]);
        (void)redact_text(&r, strbuf_str(&text));
        assert_true(clock_mono_ns() - began < UINT64_C(5000000000));
    }
}

/* Any pieces beside each other: what one removal uncovers is found too. */
static void texts_of_random_pieces_settle(void **state UNUSED)
{
    static const char github[] = GITHUB, anthropic[] = ANTHROPIC;
    static const char *const pieces[] = { "password", "=",      ":",     " ",     "\"",  "'",
                                          github,     HIDDEN,   "--",    "token", "://", "@",
                                          "Bearer ",  "[remov", "ed]",   "a1",    "\n",  "$",
                                          anthropic,  "\\",     REDACTED };
    CLEANUP(arena) struct arena a = { 0 };
    struct redactor r = redactor(&a);

    srand(1);
    for (int round = 0; round < 20000; round++) {
        CLEANUP(strbuf) struct strbuf text = { 0 };
        struct str once;

        for (int n = rand() % 9; n >= 0; n--)
            strbuf_addstr(&text, pieces[(size_t)rand() % ARRAY_LEN(pieces)]);
        once = redact_text(&r, strbuf_str(&text));
        if (!str_is_set(once))
            continue;
        assert_null(strstr(once.ptr, HIDDEN));
        if (str_is_set(redact_text(&r, once)))
            fail_msg("%s\nbecame %s\nbecame %s", strbuf_cstr(&text), once.ptr,
                     redact_text(&r, once).ptr);
    }
}

static void an_untouched_value_is_handed_back(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct redactor r = redactor(&a);
    const struct json *j;

    assert_int_equal(json_parse(&a, STR("{\"tool\":\"bash\"}"), NULL, &j, NULL), 0);
    assert_ptr_equal(redact_json(&r, j), j);
}

TESTS(cmocka_unit_test(takes_out_what_the_table_says),
      cmocka_unit_test(the_second_time_changes_nothing),
      cmocka_unit_test(the_time_it_takes_grows_with_the_text),
      cmocka_unit_test(texts_of_random_pieces_settle),
      cmocka_unit_test(an_untouched_value_is_handed_back))
