/*
 * Numbers are kept as text; this file answers what the text means.
 */
#include "base/mem.h"
#include "json/node.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#define EXPONENT_MAX 1000000000000 /* far beyond what any number of digits can outweigh */

/* digits × 10^exponent, without zeros at either end. Zero has no digits. */
struct decimal {
    const char *first; /* `count` digits from here, perhaps with a '.' among them */
    size_t count;
    int64_t exponent;
    bool negative;
    bool huge; /* the exponent was capped */
};

static int64_t read_exponent(const char *p, const char *end, bool *huge)
{
    bool negative = p < end && *p == '-';
    int64_t value = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end; p++) {
        value = value * 10 + (*p - '0');
        if (value > EXPONENT_MAX) {
            *huge = true;
            value = EXPONENT_MAX;
        }
    }
    return negative ? -value : value;
}

static struct decimal read_decimal(struct str text)
{
    struct decimal d = { .negative = text.len && text.ptr[0] == '-' };
    const char *p = text.ptr + (d.negative ? 1 : 0), *end = text.ptr + text.len;
    size_t digits = 0, whole = 0, skipped = 0, used = 0;
    bool point = false;

    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        digits++;
        whole += point ? 0 : 1;
        if (*p == '0')
            continue;
        if (!d.first) {
            d.first = p;
            skipped = digits - 1;
        }
        used = digits;
    }
    if (!d.first)
        return d;
    d.count = used - skipped;
    if (p < end)
        d.exponent = read_exponent(p + 1, end, &d.huge);
    d.exponent += (int64_t)whole - (int64_t)used;
    return d;
}

/* The first digits as an integer; `count` is at most 19. */
static uint64_t digits_value(const struct decimal *d)
{
    const char *p = d->first;
    uint64_t value = 0;

    for (size_t left = d->count; left > 0; p++) {
        if (*p == '.')
            continue;
        value = value * 10 + (uint64_t)(*p - '0');
        left--;
    }
    return value;
}

int json_to_int64(const struct json *j, int64_t *out)
{
    struct decimal d;
    uint64_t value;

    if (json_type(j) != JSON_NUMBER)
        return -EINVAL;
    d = read_decimal((struct str){ j->text, j->len });
    if (d.exponent < 0)
        return -EINVAL;
    if (d.huge || d.exponent > 19 || d.count + (size_t)d.exponent > 19)
        return -ERANGE;
    value = digits_value(&d);
    for (int64_t i = 0; i < d.exponent; i++)
        value *= 10;
    if (value > (uint64_t)INT64_MAX + (d.negative ? 1 : 0))
        return -ERANGE;
    *out = d.negative ? (int64_t)(0 - value) : (int64_t)value;
    return 0;
}

/* Exact operands and one rounding make an exact result, so most numbers need no strtod(). */
static bool simple_double(struct str text, double *out)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    struct decimal d = read_decimal(text);
    double value;

    if (FLT_EVAL_METHOD != 0 || d.count > 15 || d.exponent < -22 || d.exponent > 22)
        return false;
    value = (double)digits_value(&d);
    value = d.exponent < 0 ? value / powers[-d.exponent] : value * powers[d.exponent];
    *out = d.negative ? -value : value;
    return true;
}

/* strtod() needs a terminated text, and must not be asked in the locale of the process. */
static double slow_double(struct str text)
{
    char small[128];
    CLEANUP(mem) char *large = text.len < sizeof(small) ? NULL : xmalloc(text.len + 1);
    char *copy = large ? large : small;

    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    /* the C locale is a constant of the C library: nothing is made here, nothing to free */
    return strtod_l(copy, NULL, newlocale(LC_ALL_MASK, "C", NULL));
}

int json_to_double(const struct json *j, double *out)
{
    struct str text;
    double value;

    if (json_type(j) != JSON_NUMBER)
        return -EINVAL;
    text = (struct str){ j->text, j->len };
    if (!simple_double(text, &value))
        value = slow_double(text);
    if (isinf(value))
        return -ERANGE;
    *out = value;
    return 0;
}

bool number_equal(struct str x, struct str y)
{
    struct decimal dx = read_decimal(x), dy = read_decimal(y);
    const char *px = dx.first, *py = dy.first;

    if (str_eq(x, y))
        return true;
    if (dx.count != dy.count || dx.huge || dy.huge)
        return false;
    if (dx.count == 0)
        return true;
    if (dx.negative != dy.negative || dx.exponent != dy.exponent)
        return false;
    for (size_t left = dx.count; left > 0; left--, px++, py++) {
        px += *px == '.' ? 1 : 0;
        py += *py == '.' ? 1 : 0;
        if (*px != *py)
            return false;
    }
    return true;
}
