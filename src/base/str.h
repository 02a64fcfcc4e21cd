/*
 * str.h - a borrowed piece of text: pointer and length, not terminated, never owned.
 *
 * All-zero is "no text"; str_is_set() tells it from the empty text. Print one with
 * printf("%.*s", STR_ARG(s)).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_ARG(s)   (int)(s).len, (s).ptr ? (s).ptr : ""

static inline struct str str_of(const char *cstr)
{
    return (struct str){ cstr, cstr ? strlen(cstr) : 0 };
}

static inline bool str_is_set(struct str s)
{
    return s.ptr != NULL;
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_is(struct str a, const char *cstr)
{
    return str_eq(a, str_of(cstr));
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Whether a character is one of those in `set`; NUL never is. */
static inline bool str_has_char(const char *set, char c)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* The number, where the text is nothing but digits and of those no more than 18. */
bool str_to_whole(struct str s, int64_t *out);

/* The text without white space at its ends. */
struct str str_trim(struct str s);

/* The length of a beginning of at most `max` bytes that ends between two characters. */
size_t str_fit(struct str s, size_t max);

/* Cut the text up to the next `separator` off the front of `rest`. False when `rest` was unset. */
bool str_cut(struct str *rest, char separator, struct str *piece);

/* The candidate nearest to `word` (for "did you mean"), or NULL when none is near enough. */
const char *str_nearest(const char *word, const char *const *candidates, size_t count);
