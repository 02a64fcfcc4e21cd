#include "bed.h"
#include "builtin/builtin.h"

static const char *verdict_of(struct bed *bed, const char *compact, const char *usage)
{
    CLEANUP(strbuf) struct strbuf data = { 0 };

    strbuf_printf(&data, "{%s%s%s}", compact, compact[0] && usage[0] ? "," : "", usage);
    bed_emit(bed, "turn.after", strbuf_cstr(&data));
    return bed->receipt.verdict.callback ? bed->receipt.verdict.callback : "";
}

#define ON(ratio) "\"auto_compact\":{\"enabled\":true,\"threshold\":" ratio "}"
#define USED(now, most) \
    "\"usage\":{\"current_context_window\":" now ",\"max_context_window\":" most "}"

static void it_answers_from_the_threshold_on(void **state UNUSED)
{
    static const struct {
        const char *compact, *usage;
        bool fires;
    } rows[] = {
        { ON("0.8"), USED("81", "100"), true },
        { ON("0.8"), USED("80", "100"), true },
        { ON("0.8"), USED("79", "100"), false },
        { ON("0.5"), USED("1", "2"), true },
        { ON("0.0001"), USED("1", "10000"), true },
        { ON("0.9999"), USED("9998", "10000"), false },
        { ON("0.9999"), USED("9999", "10000"), true },
        { ON("1.0"), USED("100", "100"), true },
        { ON("1.0"), USED("99", "100"), false },
        { ON("0"), USED("100", "100"), false },
        { ON("-0.5"), USED("100", "100"), false },
        { ON("1.5"), USED("200", "100"), false },
        { ON("0.8"), USED("100", "0"), false },
        { ON("0.8"), USED("0", "100"), false },
        { ON("0.8"), "", false },
        { "", USED("100", "100"), false },
        { "\"auto_compact\":{\"enabled\":false,\"threshold\":0.8}", USED("100", "100"), false },
        { "\"auto_compact\":{\"enabled\":true}", USED("100", "100"), false },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if ((strcmp(verdict_of(&bed, rows[i].compact, rows[i].usage), "compact") == 0) !=
            rows[i].fires)
            fail_msg("%s %s", rows[i].compact, rows[i].usage);
}

static void a_hook_of_the_users_decides_before_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: mine, on: turn.after, callback: other }]");
    assert_string_equal(verdict_of(&bed, ON("0.8"), USED("90", "100")), "other");
    assert_int_equal(bed.receipt.warning_count, 1);
}

TESTS(cmocka_unit_test(it_answers_from_the_threshold_on),
      cmocka_unit_test(a_hook_of_the_users_decides_before_it))
