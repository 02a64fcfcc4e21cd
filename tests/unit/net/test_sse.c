#include "net/sse.h"
#include "test.h"

#include <errno.h>

/* Events as "name|data;" in a row. */
static int note(void *context, const char *name, struct str data, struct err *e UNUSED)
{
    struct strbuf *seen = context;

    strbuf_printf(seen, "%s|%.*s;", name, STR_ARG(data));
    return 0;
}

static const struct {
    const char *stream, *events;
} rows[] = {
    { "data: a\n\n", "|a;" },
    { "event: ping\ndata: {}\n\n", "ping|{};" },
    { "data: a\r\n\r\ndata: b\r\n\r\n", "|a;|b;" },
    { "data: a\r\rdata: b\r\r", "|a;|b;" },
    { "data: a\ndata: b\n\n", "|a\nb;" },
    { "data:a\n\n", "|a;" },
    { "data:  a\n\n", "| a;" },
    { "data\n\n", "|;" },
    { "data:\n\n", "|;" },
    { ": a comment\n\ndata: a\n\n", "|a;" },
    { "\xef\xbb\xbf"
      "data: a\n\n",
      "|a;" },
    { "id: 7\nretry: 10\ndata: a\n\n", "|a;" },
    { "event: x\n\ndata: a\n\n", "|a;" },
    { "data: whole\n\ndata: half", "|whole;" },
    { "data: whole\n\ndata: half\n", "|whole;" },
    { "dataset: a\n\n", "" },
    { "", "" },
    { "\n\n\n", "" },
    { "data: a: b\n\n", "|a: b;" },
};

static void check(const char *stream, const char *events, size_t step)
{
    struct str all = str_of(stream);
    CLEANUP(sse) struct sse s = { 0 };
    CLEANUP(strbuf) struct strbuf seen = { 0 };

    for (size_t at = 0; at < all.len; at += step) {
        struct str piece = { all.ptr + at, all.len - at < step ? all.len - at : step };

        assert_int_equal(sse_feed(&s, piece, note, &seen, NULL), 0);
    }
    if (strcmp(strbuf_cstr(&seen), events) != 0)
        fail_msg("'%s' in steps of %zu gives '%s'", stream, step, strbuf_cstr(&seen));
}

static void events_are_the_same_however_the_bytes_are_split(void **state UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t step = 1; step <= strlen(rows[i].stream) + 1; step++)
            check(rows[i].stream, rows[i].events, step);
}

static int refuse(void *context UNUSED, const char *name UNUSED, struct str data UNUSED,
                  struct err *e)
{
    return err_set(e, -EIO, "no more");
}

static void who_takes_events_can_end_the_stream(void **state UNUSED)
{
    CLEANUP(sse) struct sse s = { 0 };
    struct err e = { 0 };

    assert_int_equal(sse_feed(&s, STR("data: a\n\ndata: b\n\n"), refuse, NULL, &e), -EIO);
    assert_string_equal(e.msg, "no more");
}

static void a_line_without_end_is_given_up(void **state UNUSED)
{
    CLEANUP(sse) struct sse s = { 0 };
    CLEANUP(strbuf) struct strbuf seen = { 0 };
    static char block[1 << 20];
    struct err e = { 0 };
    int r = 0;

    memset(block, 'x', sizeof(block));
    for (size_t i = 0; r == 0 && i < 40; i++)
        r = sse_feed(&s, (struct str){ block, sizeof(block) }, note, &seen, &e);
    assert_int_equal(r, -EMSGSIZE);
}

static void an_event_without_end_is_given_up(void **state UNUSED)
{
    CLEANUP(sse) struct sse s = { 0 };
    CLEANUP(strbuf) struct strbuf seen = { 0 };
    static const char field[] = { 'd', 'a', 't', 'a', ':' };
    static char block[1 << 20];
    struct err e = { 0 };
    int r = 0;

    memset(block, 'x', sizeof(block));
    memcpy(block, field, sizeof(field));
    block[sizeof(block) - 1] = '\n';
    for (size_t i = 0; r == 0 && i < 40; i++)
        r = sse_feed(&s, (struct str){ block, sizeof(block) }, note, &seen, &e);
    assert_int_equal(r, -EMSGSIZE);
}

TESTS(cmocka_unit_test(events_are_the_same_however_the_bytes_are_split),
      cmocka_unit_test(who_takes_events_can_end_the_stream),
      cmocka_unit_test(a_line_without_end_is_given_up),
      cmocka_unit_test(an_event_without_end_is_given_up))
