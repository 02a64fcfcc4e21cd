/*
 * json.h - lossless JSON: values that remember the text they came from.
 *
 *     const struct json *doc;
 *     r = json_parse(&arena, text, NULL, &doc, e);
 *     command = json_cstr(&arena, json_pointer(doc, "/data/args/command"));
 *     doc = json_with(&arena, doc, STR("turn"), json_int(&arena, 4));
 *     json_write(&out, doc, JSON_AS_IS);
 *
 * Values are immutable once built: every edit returns a new value that shares what did not change,
 * so a document may be read by several threads and an earlier version never moves. What nobody
 * changed is written back byte for byte. Memory comes from the arena that is passed; a parsed value
 * also borrows `text`, which must live as long as the arena's user needs the value.
 *
 * A NULL value means "absent": every reader accepts it, so look-ups can be chained without checks.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

enum json_type {
    JSON_ABSENT, /* the type of NULL */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json;

/* Reading ------------------------------------------------------------------------------------ */

#define JSON_MAX_BYTES ((size_t)256 << 20)
#define JSON_MAX_DEPTH 512

/* The deepest value any function works on; deeper parts of a built value are written as null. */
#define JSON_DEPTH_LIMIT 1024

struct json_reader {
    size_t max_bytes;    /* 0: JSON_MAX_BYTES; never more */
    unsigned max_depth;  /* 0: JSON_MAX_DEPTH; never more than JSON_DEPTH_LIMIT */
    size_t error_offset; /* out: where reading failed */
};

/*
 * Strict RFC 8259, one document and nothing after it. `reader` may be NULL. On failure `e` says
 * "line 3, column 7 (offset 41): expected ':' after a key, found '}'". -EBADMSG: it is not JSON;
 * -EFBIG: it passes a limit of the reader.
 */
MUST_CHECK int json_parse(struct arena *a, struct str text, struct json_reader *reader,
                          const struct json **out, struct err *e);

/* Line and column (from 1, in bytes) of an offset into `text`. */
struct json_place {
    unsigned line, column;
};
struct json_place json_place(struct str text, size_t offset);

/* Looking ------------------------------------------------------------------------------------ */

enum json_type json_type(const struct json *j);
const char *json_type_name(enum json_type type); /* "a string", "nothing", … for messages */

/*
 * Member of an object; the last of duplicate keys. NULL when absent or not an object. Look-ups walk
 * the children: go through large arrays with json_first() and json_next(), not with json_at().
 */
const struct json *json_get(const struct json *object, struct str key);

/* RFC 6901: "" is the value itself, "/messages/0/content" a member of an element. */
const struct json *json_pointer(const struct json *j, const char *pointer);

size_t json_count(const struct json *j); /* elements or members, duplicates included */
const struct json *json_at(const struct json *array, size_t index);

/* for (const struct json *c = json_first(j); c; c = json_next(c)) */
const struct json *json_first(const struct json *j);
const struct json *json_next(const struct json *child);

/* Name of an object's member, escapes decoded. Unset for an element of an array. */
struct str json_key(struct arena *a, const struct json *member);

/* The text a value was parsed from (a string with its quotes); unset for a built value. */
struct str json_source(const struct json *j);

/*
 * Decoded text of a string; unset when it is not a string. Without escapes it points into the
 * source, else it is decoded into the arena: a lone surrogate becomes U+FFFD, \u0000 a NUL byte.
 */
struct str json_str(struct arena *a, const struct json *j);

/* The same as a terminated copy; NULL when it is not a string. */
char *json_cstr(struct arena *a, const struct json *j);

bool json_is_true(const struct json *j);

/* Whether a string of these bytes would be written as they are. */
bool json_is_utf8(struct str bytes);

/* -EINVAL: not a number (for int64: not an integer, "1.0" and "1e2" are); -ERANGE: does not fit. */
MUST_CHECK int json_to_int64(const struct json *j, int64_t *out);
MUST_CHECK int json_to_double(const struct json *j, double *out);

/* Same value, whatever the spelling: key order, white space, escapes; numbers as numbers. */
bool json_equal(const struct json *x, const struct json *y);

/* Building ----------------------------------------------------------------------------------- */

const struct json *json_null(struct arena *a);
const struct json *json_bool(struct arena *a, bool value);
const struct json *json_int(struct arena *a, int64_t value);
const struct json *json_double(struct arena *a, double value); /* not finite: null */

/* A string of these bytes (borrowed, not copied). Invalid UTF-8 is written as U+FFFD. */
const struct json *json_string(struct arena *a, struct str text);
const struct json *json_string_copy(struct arena *a, struct str text); /* does not borrow it */
const struct json *json_cstring(struct arena *a, const char *text);    /* NULL: null */

/*
 * Containers under construction. json_add() and json_push() may be used by the one who made the
 * container and only until somebody else has seen it. `key` is borrowed; a NULL value is left out.
 * A value is added as it is at that moment: fill a container before adding it to another.
 */
struct json *json_object(struct arena *a);
struct json *json_array(struct arena *a);
void json_add(struct arena *a, struct json *object, struct str key, const struct json *value);
void json_push(struct arena *a, struct json *array, const struct json *value);

/* Editing: each returns a new value ----------------------------------------------------------- */

/*
 * `object` with `key` set to `value`, in its old place or at the end; NULL removes it. Afterwards
 * no second member has that key. What is not an object counts as an empty one.
 */
const struct json *json_with(struct arena *a, const struct json *object, struct str key,
                             const struct json *value);

/* RFC 7396 merge patch. `target` may be absent. */
const struct json *json_merge(struct arena *a, const struct json *target, const struct json *patch);

/*
 * `array` with `remove` elements from `at` replaced by those of `insert` (may be absent). What lies
 * behind the end is cut off; what is not an array counts as an empty one.
 */
const struct json *json_splice(struct arena *a, const struct json *array, size_t at, size_t remove,
                               const struct json *insert);
const struct json *json_append(struct arena *a, const struct json *array, const struct json *value);

/* Copy into another arena everything `j` needs to outlive its own. */
const struct json *json_copy(struct arena *a, const struct json *j);

/* Texts: one change of a document, every other byte as it was ---------------------------------- */

/*
 * A text that people edit. Values are parsed from `parsed`: the bytes, with blanks in place of
 * comments where those are allowed, so that every place is the same in both.
 */
struct json_edited {
    struct str bytes, parsed;
};

/* `comments`: those of JavaScript may be in it. The bytes are borrowed. */
struct json_edited json_edited(struct arena *a, struct str bytes, bool comments);

/* Whether there is a comment inside of a value of that text. */
bool json_text_has_comment(const struct json_edited *s, const struct json *value);

/*
 * The text with one more element at the end of an array, or, where `key` is set, one more member at
 * the end of an object, laid out as the text is. `in` is a container of that text.
 */
char *json_text_insert(struct arena *a, const struct json_edited *s, const struct json *in,
                       struct str key, const struct json *value);

/* The text without a child of that container. */
char *json_text_remove(struct arena *a, const struct json_edited *s, const struct json *in,
                       const struct json *child);

/* The text with another value in place of one of its own. */
char *json_text_replace(struct arena *a, const struct json_edited *s, const struct json *old,
                        const struct json *value);

/* Writing ------------------------------------------------------------------------------------ */

enum json_style {
    JSON_AS_IS,   /* unchanged values byte for byte, white space included; the rest compact */
    JSON_COMPACT, /* no white space outside strings: always one line; tokens byte for byte */
    JSON_PRETTY,  /* two spaces a level; tokens byte for byte */
};
/* NULL is written as null. `out->truncated` tells that the text is not the whole value. */
void json_write(struct strbuf *out, const struct json *j, enum json_style style);

/* One quoted and escaped string; for lines that are written without building values. */
void json_write_string(struct strbuf *out, struct str text);

/* In the arena, terminated, compact. */
char *json_text(struct arena *a, const struct json *j);

/* Streams ------------------------------------------------------------------------------------ */

/*
 * Tells where one document ends while its bytes arrive in any pieces. It checks brackets and
 * strings, not the whole grammar: json_parse() does that on the complete text. All-zero is a fresh
 * scanner; reuse it by zeroing it.
 */
struct json_scan {
    uint64_t objects[JSON_DEPTH_LIMIT / 64]; /* a bit for each open bracket: is it a '{' */
    const char *word;                        /* what true, false or null still needs */
    unsigned depth;
    bool started, in_string, escaped, scalar, done;
};
enum json_scan_state {
    JSON_SCAN_MORE, /* everything was used, the document is not complete */
    JSON_SCAN_DONE, /* complete: `used` bytes belong to it */
    JSON_SCAN_BAD,  /* cannot become a document; `used` is where */
};
enum json_scan_state json_scan_feed(struct json_scan *s, struct str bytes, size_t *used);

/* The stream ended: a number at top level is complete only now. */
enum json_scan_state json_scan_end(const struct json_scan *s);
