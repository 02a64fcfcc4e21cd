/*
 * Any bytes: what the reader accepts must come back byte for byte, mean the same in every style,
 * and end where the scanner says.
 */
#include "json/json.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct json *reread(struct arena *a, const struct json *j, enum json_style style,
                                 struct strbuf *out)
{
    struct json_reader reader = { .max_depth = JSON_DEPTH_LIMIT };
    const struct json *again;

    strbuf_reset(out);
    json_write(out, j, style);
    must(!out->truncated);
    must(json_parse(a, strbuf_str(out), &reader, &again, NULL) == 0);
    return again;
}

static void check_styles(struct arena *a, const struct json *j)
{
    CLEANUP(strbuf) struct strbuf as_is = { 0 }, compact = { 0 }, pretty = { 0 };

    json_write(&as_is, j, JSON_AS_IS);
    must(str_eq(strbuf_str(&as_is), json_source(j)));
    must(json_equal(j, reread(a, j, JSON_COMPACT, &compact)));
    must(json_equal(reread(a, j, JSON_PRETTY, &pretty), j));
    must(strcmp(json_text(a, json_copy(a, j)), strbuf_cstr(&compact)) == 0);
}

/* Every child can be read, found again by its name, and taken out. */
static void check_children(struct arena *a, const struct json *j)
{
    size_t count = 0;
    int64_t n;
    double d;

    (void)!json_to_int64(j, &n);
    (void)!json_to_double(j, &d);
    for (const struct json *c = json_first(j); c && count < 8; c = json_next(c), count++) {
        struct str key = json_key(a, c);

        if (!key.ptr) {
            must(json_count(json_splice(a, j, count, 1, j)) == 2 * json_count(j) - 1);
            continue;
        }
        must(json_get(j, key) != NULL);
        must(json_get(json_with(a, j, key, NULL), key) == NULL);
        must(json_type(json_get(json_with(a, j, key, j), key)) == JSON_OBJECT);
        (void)json_str(a, c);
    }
}

static void check_edits(struct arena *a, const struct json *j)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *merged = json_merge(a, j, j);
    const struct json *list = json_append(a, NULL, j);

    must(json_equal(json_merge(a, merged, merged), merged));
    must(json_type(merged) == json_type(j));
    must(json_count(merged) <= json_count(j));
    reread(a, merged, JSON_AS_IS, &out);
    must(json_equal(json_first(reread(a, list, JSON_AS_IS, &out)), j));
}

/* Fed whole, and byte by byte: the document ends where its value does. */
static void check_scanner(struct str text, const struct json *j)
{
    struct json_scan whole = { 0 }, bytes = { 0 };
    size_t end = (size_t)(json_source(j).ptr - text.ptr) + json_source(j).len, used;
    enum json_scan_state state = json_scan_feed(&whole, text, &used);

    must(state == JSON_SCAN_DONE || json_scan_end(&whole) == JSON_SCAN_DONE);
    must(used == end);
    state = JSON_SCAN_MORE;
    for (size_t i = 0; i < end; i++) {
        must(state == JSON_SCAN_MORE);
        state = json_scan_feed(&bytes, (struct str){ text.ptr + i, 1 }, &used);
        must(used == 1);
    }
    must(json_scan_end(&bytes) == JSON_SCAN_DONE);
}

/* A child that is cut in at the end and out again leaves the bytes, where there was one before. */
static void check_texts(struct arena *a, struct str text, const struct json *j)
{
    struct str key = json_type(j) == JSON_OBJECT ? STR("new") : (struct str){ 0 }, shorter;
    const struct json_edited source = json_edited(a, text, false);
    const struct json *again, *last = NULL;
    struct json_edited longer;

    if (json_type(j) != JSON_ARRAY && json_type(j) != JSON_OBJECT)
        return;
    longer = json_edited(a, str_of(json_text_insert(a, &source, j, key, json_int(a, 1))), false);
    must(json_parse(a, longer.parsed, NULL, &again, NULL) == 0);
    must(json_count(again) == json_count(j) + 1);
    for (const struct json *c = json_first(again); c; c = json_next(c))
        last = c;
    shorter = str_of(json_text_remove(a, &longer, again, last));
    if (json_count(j))
        must(str_eq(shorter, text));
    else
        must(json_parse(a, shorter, NULL, &again, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { (const char *)data, size };
    struct json_reader reader = { 0 };
    struct err e = { 0 };
    const struct json *j;
    struct json_scan s = { 0 };
    size_t used;

    if (json_parse(&a, text, &reader, &j, &e) < 0) {
        must(e.code < 0 && e.msg[0] && reader.error_offset <= size && !j);
        json_scan_feed(&s, text, &used);
        must(used <= size);
        return 0;
    }
    check_styles(&a, j);
    check_children(&a, j);
    check_edits(&a, j);
    check_scanner(text, j);
    check_texts(&a, text, j);
    return 0;
}
