#include "agent/provider.h"
#include "config_fixture.h"

#include <errno.h>

static void a_model_is_named_by_its_provider(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct model_name n;
    struct err e = { 0 };

    assert_int_equal(model_name_parse(&a, "ollama/qwen/coder:7b", &n, &e), 0);
    assert_string_equal(n.provider, "ollama");
    assert_string_equal(n.model, "qwen/coder:7b");
    assert_int_equal(model_name_parse(&a, "gpt-4o", &n, &e), -EINVAL);
    assert_string_equal(e.msg, "'gpt-4o' is no model: write 'provider/model'");
    assert_int_equal(model_name_parse(&a, "/x", &n, &e), -EINVAL);
    assert_int_equal(model_name_parse(&a, "x/", &n, &e), -EINVAL);
}

static void keys_come_from_the_environment_and_a_missing_one_is_named(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct provider p;
    struct err e = { 0 };

    unsetenv("ANTHROPIC_BASE_URL");
    unsetenv("ANTHROPIC_API_KEY");
    assert_int_equal(provider_open(&a, NULL, "anthropic", NULL, &p, &e), -ENOKEY);
    assert_string_equal(e.msg, "provider 'anthropic' needs a key: set ANTHROPIC_API_KEY");
    setenv("ANTHROPIC_API_KEY", "sesame", 1);
    setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9///", 1);
    assert_int_equal(provider_open(&a, NULL, "anthropic", NULL, &p, &e), 0);
    assert_string_equal(p.key, "sesame");
    assert_string_equal(p.base_url, "http://127.0.0.1:9");
    assert_true(p.own_address);
    assert_int_equal(provider_open(&a, NULL, "nobody", NULL, &p, &e), -ENOENT);
    assert_string_equal(e.msg,
                        "unknown provider 'nobody': there are anthropic, google, openai, script");
}

static void a_configured_provider_has_an_address_and_a_key_of_its_own(void **state)
{
    struct fixture *f = *state;
    struct provider p;
    struct err e = { 0 };

    put(f, "user/config.yaml",
        "providers:\n"
        "  ollama: { type: openai, base_url: 'http://127.0.0.1:11434/v1/' }\n"
        "  proxy: { type: anthropic, base_url: 'http://127.0.0.1:8', key_file: ./key }\n"
        "  odd: { type: nobody }\n");
    put(f, "user/key", "  from-a-file\n");
    CLEANUP(config) struct config *c = load(f);
    unsetenv("OPENAI_API_KEY");
    assert_int_equal(provider_open(&f->arena, c, "ollama", NULL, &p, &e), 0);
    assert_string_equal(p.kind->name, "openai");
    assert_string_equal(p.base_url, "http://127.0.0.1:11434/v1");
    assert_null(p.key);
    assert_int_equal(provider_open(&f->arena, c, "proxy", NULL, &p, &e), 0);
    assert_string_equal(p.key, "from-a-file");
    assert_int_equal(provider_open(&f->arena, c, "odd", NULL, &p, &e), -ENOENT);
    assert_string_equal(e.msg, "unknown type of provider 'nobody': there are anthropic, google, "
                               "openai, script");
    assert_int_equal(provider_open(&f->arena, c, "other", NULL, &p, &e), -ENOENT);
    assert_string_equal(e.msg, "unknown provider 'other': there are ollama, proxy, odd, anthropic, "
                               "google, openai, script");
}

TESTS(CONFIG_TEST(a_configured_provider_has_an_address_and_a_key_of_its_own),
      cmocka_unit_test(a_model_is_named_by_its_provider),
      cmocka_unit_test(keys_come_from_the_environment_and_a_missing_one_is_named))
