#include "agent/models.h"
#include "base/yaml.h"
#include "hook/setting.h"
#include "test.h"

static const struct provider nothing_said = { 0 };

static struct model_info find(const char *model)
{
    return model_info_find(&nothing_said, model);
}

static void a_family_is_known_by_its_name_with_or_without_a_date(void **state UNUSED)
{
    assert_int_equal(find("claude-sonnet-4-5-20250929").window, 200000);
    assert_true(find("claude-sonnet-4-5").output > find("claude-haiku-4-5").output);
    assert_true(find("claude-opus-4-5").output < find("claude-opus-4-1-20250805").output);
    assert_true(find("gpt-5-nano").input < find("gpt-5-mini").input);
    assert_true(find("gpt-4.1-nano").input < find("gpt-4.1-mini").input);
    assert_true(find("o3-mini").input < find("o3").input);
    assert_true(find("o3-pro").input > find("o3-2025-04-16").input);
}

static void a_name_that_only_begins_alike_is_another_model(void **state UNUSED)
{
    assert_true(find("gpt-4o").window > find("gpt-4").window);
    assert_false(find("gpt-4.5").priced);
    assert_true(find("claude-opus-5-5").input < find("claude-opus-5").input);
    assert_true(find("gpt-5.6-luna").input < find("gpt-5.6-sol").input);
    assert_int_equal(find("claude-opus-4-1").window, 200000);
    assert_false(find("o3000").priced);
    assert_int_equal(find("llama-3").window, 128000);
    assert_false(find("llama-3").priced);
    assert_false(find("claude-next").priced);
    assert_int_equal(find("claude-next").window, 200000);
}

static void every_price_of_the_table_is_plausible(void **state UNUSED)
{
    static const char *const names[] = {
        "claude-opus-4-5",
        "claude-sonnet-4",
        "claude-sonnet-5-5",
        "gpt-5.6-terra",
        "gpt-6-sol",
        "gemini-3.1-pro-preview",
        "claude-3-haiku",
        "gpt-5",
        "gpt-5-pro",
        "gpt-4o-mini",
        "o1",
        "o4-mini",
        "gemini-2.5-pro",
        "gemini-2.0-flash",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct model_info m = find(names[i]);

        assert_true(m.priced && m.input < m.output && m.cache_read <= m.input);
        assert_true(m.max_output < m.window);
    }
}

static void the_configuration_has_the_last_word(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct origin here = { 0 };
    struct provider p = { 0 };
    struct setting *root;
    struct origin bad;
    struct model_info m;

    assert_int_equal(setting_parse(&a, &here,
                                   STR("models: { small: { context_window: 9000, max_output: 70, "
                                       "price: { input: 0 } } }"),
                                   &root, &bad, NULL),
                     0);
    p.settings = root;
    m = model_info_find(&p, "small");
    assert_int_equal(m.window, 9000);
    assert_int_equal(m.max_output, 70);
    assert_true(m.priced && m.input == 0); /* it costs nothing, which is a price */
    assert_false(model_info_find(&p, "large").priced);
}

TESTS(cmocka_unit_test(a_family_is_known_by_its_name_with_or_without_a_date),
      cmocka_unit_test(a_name_that_only_begins_alike_is_another_model),
      cmocka_unit_test(every_price_of_the_table_is_plausible),
      cmocka_unit_test(the_configuration_has_the_last_word))
