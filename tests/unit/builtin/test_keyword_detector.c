/* What messages ask for: tests/cases/keyword-detector. Here: that every line of the data works. */
#include "bed.h"
#include "builtin/builtin.h"

struct line {
    const char *mode, *text;
};

static const struct line asking[] = {
#define KEYWORD(mode, language, word) { #mode, word },
#define KEYTEXT(mode, language, text) { #mode, text },
#include "builtin/keyword_detector.def"
};

static const struct line not_asking[] = {
#define NOT(mode, language, words) { #mode, words },
#include "builtin/keyword_detector.def"
};

static bool asks_for(struct bed *bed, const char *text, const char *mode)
{
    bed_emit(bed, "chat.message",
             arena_printf(&bed->arena, "{\"message\":{\"text\":\"%s, please\"}}", text));
    for (const struct injection *i = bed->receipt.verdict.injections; i; i = i->next)
        if (strcasecmp(i->id, mode) == 0)
            return true;
    return false;
}

static void every_keyword_brings_its_mode(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(asking); i++)
        if (!asks_for(&bed, asking[i].text, asking[i].mode))
            fail_msg("'%s' does not ask for %s", asking[i].text, asking[i].mode);
}

static void no_exception_brings_its_mode(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(not_asking); i++)
        if (asks_for(&bed, not_asking[i].text, not_asking[i].mode))
            fail_msg("'%s' asks for %s", not_asking[i].text, not_asking[i].mode);
}

static void every_exception_has_a_keyword_in_it(void **state UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(not_asking); i++) {
        bool found = false;

        for (size_t k = 0; k < ARRAY_LEN(asking); k++)
            found |= strcmp(asking[k].mode, not_asking[i].mode) == 0 &&
                     strstr(not_asking[i].text, asking[k].text);
        if (!found)
            fail_msg("'%s' excepts nothing", not_asking[i].text);
    }
}

static void an_exception_beside_a_wish_does_not_hide_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    assert_true(asks_for(&bed, "stack trace, stack trace: find its cause", "search"));
}

TESTS(cmocka_unit_test(every_keyword_brings_its_mode),
      cmocka_unit_test(no_exception_brings_its_mode),
      cmocka_unit_test(every_exception_has_a_keyword_in_it),
      cmocka_unit_test(an_exception_beside_a_wish_does_not_hide_it))
