#include "base/str.h"

#include <ctype.h>

#define NEAREST_MAX 64 /* longer words are not typing mistakes */

bool str_to_whole(struct str s, int64_t *out)
{
    int64_t number = 0;

    if (s.len == 0 || s.len > 18)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        number = number * 10 + (s.ptr[i] - '0');
    }
    *out = number;
    return true;
}

struct str str_trim(struct str s)
{
    while (s.len > 0 && isspace((unsigned char)s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && isspace((unsigned char)s.ptr[s.len - 1]))
        s.len--;
    return s;
}

size_t str_fit(struct str s, size_t max)
{
    if (s.len <= max)
        return s.len;
    while (max > 0 && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
        max--;
    return max;
}

bool str_cut(struct str *rest, char separator, struct str *piece)
{
    const char *end;

    if (!rest->ptr)
        return false;
    end = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    if (!end) {
        *piece = *rest;
        *rest = (struct str){ 0 };
        return true;
    }
    *piece = (struct str){ rest->ptr, (size_t)(end - rest->ptr) };
    *rest = (struct str){ end + 1, rest->len - piece->len - 1 };
    return true;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* Levenshtein distance, case folded; both words are at most NEAREST_MAX long. */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned row[NEAREST_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            unsigned above = row[j];
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);

            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1));
            diagonal = above;
        }
    }
    return row[b_len];
}

const char *str_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t word_len = strlen(word);
    const char *best = NULL;
    unsigned best_distance = UINT32_MAX;

    if (word_len > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(candidates[i]);
        unsigned d;

        if (len > NEAREST_MAX)
            continue;
        d = distance(word, word_len, candidates[i], len);
        if (d < best_distance && d <= 1 + word_len / 3) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}
