/*
 * chars.h - the bytes inside strings: how far they are plain, and what is valid UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Plain: printable ASCII that is neither a quote nor a backslash. */
static inline bool chars_is_plain(char c)
{
    return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

#ifdef __SSE2__

#define CHARS_STEP 16

/* A bit for each of the CHARS_STEP bytes at `p` that is not plain, the lowest for the first. */
static inline unsigned chars_marks(const char *p)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    /* signed: also true for every byte from 0x80 on */
    __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, backslash)));
}

/* The same for 64 bytes. */
static inline uint64_t chars_marks64(const char *p)
{
    return (uint64_t)chars_marks(p) | (uint64_t)chars_marks(p + 16) << 16 |
           (uint64_t)chars_marks(p + 32) << 32 | (uint64_t)chars_marks(p + 48) << 48;
}

#else

#define CHARS_STEP 8
#define CHARS_ONES 0x0101010101010101u
#define CHARS_TOPS 0x8080808080808080u

/* The top bit of every byte of `v` that is below `limit` (at most 0x80); no carry between bytes. */
static inline uint64_t chars_below(uint64_t v, unsigned limit)
{
    return ~((v & ~CHARS_TOPS) + CHARS_ONES * (0x80 - limit)) & ~v & CHARS_TOPS;
}

static inline unsigned chars_marks(const char *p)
{
    uint64_t v, tops;

    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    tops = (v & CHARS_TOPS) | chars_below(v, 0x20) | chars_below(v ^ CHARS_ONES * '"', 1) |
           chars_below(v ^ CHARS_ONES * '\\', 1);
    return (unsigned)((tops >> 7) * 0x0102040810204080u >> 56);
}

static inline uint64_t chars_marks64(const char *p)
{
    uint64_t marks = 0;

    for (unsigned i = 0; i < 64; i += CHARS_STEP)
        marks |= (uint64_t)chars_marks(p + i) << i;
    return marks;
}

#endif

/* The first byte from `p` on that is not plain, or `end`. */
static inline const char *chars_plain_end(const char *p, const char *end)
{
    while (end - p >= CHARS_STEP) {
        unsigned marks = chars_marks(p);

        if (marks)
            return p + __builtin_ctz(marks);
        p += CHARS_STEP;
    }
    while (p < end && chars_is_plain(*p))
        p++;
    return p;
}

/*
 * Length of the UTF-8 sequence at `p` (< end). When it is not valid (overlong, a surrogate, beyond
 * U+10FFFF, cut short): the negated length of the part that one U+FFFD stands for.
 */
static inline int chars_utf8(const char *p, const char *end)
{
    unsigned char lead = (unsigned char)*p;
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    int len = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return -1;
    for (int i = 1; i < len; i++) {
        if (end - p <= i || (unsigned char)p[i] < low || (unsigned char)p[i] > high)
            return -i;
        low = 0x80;
        high = 0xbf;
    }
    return len;
}

/*
 * The end of the run of valid UTF-8 beyond ASCII that starts at `p`; stops early at what needs a
 * closer look. Four bytes are judged at once: the fixed bits of each length, then the bits that
 * must not be all zero (overlong) or must not be those of a surrogate or beyond U+10FFFF.
 */
static inline const char *chars_skip_utf8(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - p >= 4) {
        uint32_t v;

        memcpy(&v, p, sizeof(v));
        if ((v & 0xc0c0f0) == 0x8080e0 && (v & 0x200f) != 0 && (v & 0x200f) != 0x200d)
            p += 3;
        else if ((v & 0xc0e0) == 0x80c0 && (v & 0x1e) != 0)
            p += 2;
        else if ((v & 0xc0c0c0f8) == 0x808080f0 && (v & 0x3007) != 0 &&
                 ((v & 4) == 0 || (v & 0x3003) == 0))
            p += 4;
        else
            break;
    }
#endif
    return p;
}

/* White space of the grammar. */
static inline bool chars_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The first byte from `p` on that is not white space, or `end`. */
static inline const char *chars_skip_space(const char *p, const char *end)
{
#ifdef __SSE2__
    /* indentation is a run of spaces */
    const __m128i spaces = _mm_set1_epi8(' ');

    while (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned others = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, spaces)) ^ 0xffff;

        p += others ? __builtin_ctz(others) : 16;
        if (others && !chars_is_space(*p))
            return p;
        p += others ? 1 : 0;
    }
#endif
    while (p < end && chars_is_space(*p))
        p++;
    return p;
}
