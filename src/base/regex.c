#include "base/regex.h"

#include "base/clock.h"
#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>

/*
 * PCRE2 counts steps anew at every place of the text where a match may start, so its limit alone
 * does not bound a search. Nearly all searches end within QUICK_STEPS a place. The others are done
 * again a few hundred places at a time, with a generous limit and a look at the clock in between.
 */
#define QUICK_STEPS     500
#define SLOW_STEPS      2000000
#define SLOW_PLACES     512
#define SLOW_NS         1000000000u
#define SLOW_STACK_MIN  ((size_t)32 << 10)
#define SLOW_STACK_MAX  ((size_t)32 << 20)
#define COMPILE_OPTIONS (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT)

struct regex {
    pcre2_code *code;
    pcre2_match_context *quick, *slow;
};

static pcre2_match_context *limited(uint32_t steps)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);

    pcre2_set_match_limit(limits, steps);
    return limits;
}

int regex_new(struct str pattern, struct regex **out, struct err *e)
{
    PCRE2_SIZE offset;
    int code;
    struct regex *re;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)(pattern.ptr ? pattern.ptr : ""), pattern.len,
                                         COMPILE_OPTIONS, &code, &offset, NULL);

    if (!compiled) {
        PCRE2_UCHAR text[160] = "";

        pcre2_get_error_message(code, text, sizeof(text));
        return err_set(e, -EINVAL, "bad regular expression '%.*s' at offset %zu: %s",
                       STR_ARG(pattern), (size_t)offset, (char *)text);
    }
    (void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* interpreted where there is no JIT */
    re = xcalloc(1, sizeof(*re));
    re->code = compiled;
    re->quick = limited(QUICK_STEPS);
    re->slow = limited(SLOW_STEPS);
    *out = re;
    return 0;
}

/* Where the places that are tried together with `start` end: never inside a character. */
static size_t places_end(struct str text, size_t start)
{
    size_t end = start + SLOW_PLACES;

    while (end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
        end++;
    return end < text.len ? end : text.len;
}

static int match_slowly(const struct regex *re, struct str text, pcre2_match_data *data)
{
    pcre2_match_context *limits = pcre2_match_context_copy(re->slow);
    pcre2_jit_stack *stack = pcre2_jit_stack_create(SLOW_STACK_MIN, SLOW_STACK_MAX, NULL);
    uint64_t deadline = clock_mono_ns() + SLOW_NS;
    size_t start = 0, end;
    int r;

    pcre2_jit_stack_assign(limits, NULL, stack);
    do {
        end = places_end(text, start);
        pcre2_set_offset_limit(limits, end < text.len ? end - 1 : end);
        r = pcre2_match(re->code, (PCRE2_SPTR)text.ptr, text.len, start, 0, data, limits);
        if (r == PCRE2_ERROR_NOMATCH && end < text.len && clock_mono_ns() > deadline)
            r = PCRE2_ERROR_MATCHLIMIT;
        start = end;
    } while (r == PCRE2_ERROR_NOMATCH && end < text.len);
    pcre2_match_context_free(limits);
    pcre2_jit_stack_free(stack);
    return r;
}

int regex_match(const struct regex *re, struct str text, struct err *e)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int r;

    if (!text.ptr)
        text = STR("");
    r = pcre2_match(re->code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, data, re->quick);
    if (r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_JIT_STACKLIMIT)
        r = match_slowly(re, text, data);
    pcre2_match_data_free(data);
    if (r >= 0)
        return 1;
    if (r == PCRE2_ERROR_NOMATCH)
        return 0;
    return err_set(e, -EOVERFLOW, "matching gave up (PCRE2 error %d)", r);
}

void regex_free(struct regex *re)
{
    if (!re)
        return;
    pcre2_match_context_free(re->quick);
    pcre2_match_context_free(re->slow);
    pcre2_code_free(re->code);
    free(re);
}
