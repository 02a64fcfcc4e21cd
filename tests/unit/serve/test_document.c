/* One document from a stream: complete, cut off, late, or none at all. */
#include "serve/document.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

struct stream {
    int in, out;
};

static struct stream stream_open(void)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    return (struct stream){ ends[0], ends[1] };
}

static void stream_write(const struct stream *s, const char *text)
{
    assert_int_equal(write(s->out, text, strlen(text)), strlen(text));
}

static void stream_close(const struct stream *s)
{
    close(s->in);
    close(s->out);
}

static void reads_no_further_than_the_document(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct stream s = stream_open();
    struct str text;

    stream_write(&s, " {\"a\":[1,2]} {\"b\":2}");
    assert_int_equal(document_read(&a, s.in, 1000, &text, NULL), 0);
    assert_string_equal(text.ptr, " {\"a\":[1,2]}");
    stream_close(&s);
}

static void a_document_may_end_with_the_stream(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct stream s = stream_open();
    struct str text;

    stream_write(&s, "12");
    close(s.out);
    assert_int_equal(document_read(&a, s.in, 1000, &text, NULL), 0);
    assert_string_equal(text.ptr, "12");
    close(s.in);
}

static void says_what_is_wrong_with_it(void **state UNUSED)
{
    char deep[JSON_DEPTH_LIMIT + 2] = "";
    const struct {
        const char *text, *says;
    } rows[] = {
        { "", "is empty" },
        { " \n", "is empty" },
        { "{\"a\":", "ended before its JSON document was complete" },
        { "}", "is no JSON document" },
        { "nonsense", "is no JSON document" },
        { deep, "is nested more than 1024 levels deep" },
    };

    memset(deep, '[', sizeof(deep) - 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct stream s = stream_open();
        struct str text;
        struct err e = { 0 };

        stream_write(&s, rows[i].text);
        close(s.out);
        assert_int_equal(document_read(&a, s.in, 1000, &text, &e), -EBADMSG);
        assert_non_null(strstr(e.msg, rows[i].says));
        assert_string_equal(text.ptr, rows[i].text);
        close(s.in);
    }
}

static void waits_no_longer_than_it_is_told(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct stream s = stream_open();
    struct str text;
    struct err e = { 0 };

    stream_write(&s, "{\"a\":");
    assert_int_equal(document_read(&a, s.in, 20, &text, &e), -ETIMEDOUT);
    assert_string_equal(e.msg, "standard input had no complete JSON document after 20 ms");
    assert_string_equal(text.ptr, "{\"a\":");
    stream_close(&s);
}

TESTS(cmocka_unit_test(reads_no_further_than_the_document),
      cmocka_unit_test(a_document_may_end_with_the_stream),
      cmocka_unit_test(says_what_is_wrong_with_it),
      cmocka_unit_test(waits_no_longer_than_it_is_told))
