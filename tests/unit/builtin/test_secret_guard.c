#include "bed.h"
#include "builtin/builtin.h"

/* Put together at run time, so that this file holds nothing that looks like a key. */
static char *github_token(struct arena *a)
{
    return arena_printf(a, "%s%s", "ghp", "_abcdefghijklmnopqrstuvwxyz0123456789");
}

static void blocks_a_call_whose_arguments_carry_a_token(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before",
             arena_printf(&bed.arena,
                          "{\"tool\":\"bash\",\"args\":{\"list\":[1,{\"h\":\"token %s\"}]}}",
                          github_token(&bed.arena)));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "a GitHub token"));
    assert_null(strstr(bed.receipt.verdict.reason, "abcdef"));
}

/* The verdict's output, with the four digits of each mask as "#". */
static const char *masked(struct bed *bed, const char *output)
{
    struct json *data = json_object(&bed->arena);
    char *text;

    json_add(&bed->arena, data, STR("tool"), json_cstring(&bed->arena, "bash"));
    json_add(&bed->arena, data, STR("output"), json_cstring(&bed->arena, output));
    bed_emit(bed, "tool.execute.after", json_text(&bed->arena, data));
    text = json_cstr(&bed->arena, json_pointer(bed->receipt.verdict.replace, "/output"));
    if (!text)
        return "(as it is)";
    for (char *p = strstr(text, ", masked "); p; p = strstr(p, ", masked ")) {
        p += strlen(", masked ");
        assert_int_equal(strspn(p, "0123456789abcdef"), 4);
        memmove(p + 1, p + 4, strlen(p + 4) + 1);
        *p = '#';
    }
    return text;
}

static void masks_tokens_in_output_and_keeps_the_rest(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *token;

    bed_open(&bed, builtin_hooks, NULL);
    token = github_token(&bed.arena);
    assert_string_equal(masked(&bed, arena_printf(&bed.arena, "a=%s b=%s.", token, token)),
                        "a=[a GitHub token, masked #] b=[a GitHub token, masked #].");
}

static void the_same_credential_has_the_same_mask(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *token, *first, *second;

    bed_open(&bed, builtin_hooks, NULL);
    token = github_token(&bed.arena);
    bed_emit(&bed, "tool.execute.after",
             arena_printf(&bed.arena, "{\"tool\":\"bash\",\"output\":\"%s %s0\"}", token, token));
    first = json_cstr(&bed.arena, json_pointer(bed.receipt.verdict.replace, "/output"));
    bed_emit(&bed, "tool.execute.after",
             arena_printf(&bed.arena, "{\"tool\":\"read\",\"output\":\"%s\"}", token));
    second = json_cstr(&bed.arena, json_pointer(bed.receipt.verdict.replace, "/output"));
    assert_int_equal(strncmp(first, second, strlen(second)), 0);
    assert_string_not_equal(first + strlen(second) + 1, second);
}

static void masks_a_whole_private_key(void **state UNUSED)
{
    static const struct {
        const char *text, *masked;
    } rows[] = {
        { "x\n%1$sBEGIN PRIVATE KEY%1$s\nMIIB\n%1$sEND PRIVATE KEY%1$s\ny",
          "x\n[a private key, masked #]\ny" },
        { "k = \"%1$sBEGIN RSA PRIVATE KEY%1$s\\nMIIB\\n%1$sEND RSA PRIVATE KEY%1$s\\n\"; y",
          "k = \"[a private key, masked #]\\n\"; y" },
        { "%1$sBEGIN EC PRIVATE KEY%1$s\r\nMHcCAQEE\r\ncut off", "[a private key, masked #]" },
        { "grep -r '%1$sBEGIN PRIVATE KEY%1$s' .", "(as it is)" },
        { "%1$sBEGIN CERTIFICATE%1$s\nMIIB\n%1$sEND CERTIFICATE%1$s", "(as it is)" },
        { "%1$sBEGIN PUBLIC KEY%1$s\nMIIB\n%1$sEND PUBLIC KEY%1$s", "(as it is)" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(strbuf) struct strbuf text = { 0 };

        for (const char *p = rows[i].text; *p; p++) {
            bool dashes = strncmp(p, "%1$s", 4) == 0;

            strbuf_add(&text, dashes ? "-----" : p, dashes ? 5 : 1);
            p += dashes ? 3 : 0;
        }
        assert_string_equal(masked(&bed, strbuf_cstr(&text)), rows[i].masked);
    }
}

/* Prefix and body are apart, so that this file holds nothing that looks like a key. */
static void knows_many_shapes(void **state UNUSED)
{
    static const struct {
        const char *prefix, *what;
    } rows[] = {
        { "sk_li"
          "ve_",
          "a Stripe key" },
        { "hf"
          "_",
          "a Hugging Face token" },
        { "sk-a"
          "nt-",
          "an Anthropic API key" },
        { "pypi"
          "-",
          "a PyPI token" },
        { "xap"
          "p-",
          "a Slack token" },
        { "AKI"
          "A",
          "an AWS access key" },
        { "LS0tLS1CRUdJTiBS"
          "U0EgUFJJVkFURSBL",
          "a private key in base64" },
    };
    static const char body[] = "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v2w3x4y5z6";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(masked(&bed, arena_printf(&bed.arena, "<%s%s>", rows[i].prefix, body)),
                            arena_printf(&bed.arena, "<[%s, masked #]>", rows[i].what));
    assert_string_equal(
        masked(&bed, arena_printf(&bed.arena, "%sJhbGciOiJIUzI1NiJ9.%s.%s. ok", "ey", body, body)),
        "[a JSON web token, masked #]. ok");
}

static void examples_are_no_credentials(void **state UNUSED)
{
    static const char *const texts[] = {
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "eyJhbGciOiJIUzI1NiJ9 without dots and so on and so on and so on and so on",
        "sk-learn hf_ pypi-server npm_config_registry",
        "my_ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_string_equal(masked(&bed, texts[i]), "(as it is)");
}

static void values_of_secret_variables_are_credentials(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    setenv("SOME_API_KEY", "q7-not-a-shape-12", 1);
    setenv("DB_PASSWORD", "postgres", 1);
    bed_open(&bed, builtin_hooks, NULL);
    assert_string_equal(masked(&bed, "KEY=q7-not-a-shape-12 postgres"),
                        "KEY=[the value of a secret variable, masked #] postgres");
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"curl -u q7-not-a-shape-12\"}}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_null(strstr(bed.receipt.verdict.reason, "q7-"));
    bed_configure(&bed, builtin_hooks, "hooks: [{ name: secret-guard, environment: false }]");
    assert_string_equal(masked(&bed, "KEY=q7-not-a-shape-12"), "(as it is)");
    unsetenv("SOME_API_KEY");
    unsetenv("DB_PASSWORD");
}

static void credentials_may_go_where_they_belong(void **state UNUSED)
{
    static const struct {
        const char *tool, *path;
        enum decision decision;
    } rows[] = {
        { "write", "sub/.env", DECISION_NONE },      { "edit", ".env.local", DECISION_NONE },
        { "write", ".env.example", DECISION_BLOCK }, { "write", "a.env", DECISION_BLOCK },
        { "write", ".env/x", DECISION_BLOCK },       { "bash", ".env", DECISION_BLOCK },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bed_emit(&bed, "tool.execute.before",
                 arena_printf(&bed.arena,
                              "{\"tool\":\"%s\",\"args\":{\"path\":\"%s\",\"content\":\"K=%s\"}}",
                              rows[i].tool, rows[i].path, github_token(&bed.arena)));
        assert_int_equal(bed.receipt.verdict.decision, rows[i].decision);
    }
}

static void shapes_can_be_added_and_allowed(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: secret-guard, extra: ['corp-[0-9]{6}'], allow: ['ghp_abc*'] }]");
    assert_string_equal(masked(&bed, "a\nkey: corp-123456\nb"),
                        "a\n[a line with a credential, masked #]\nb");
    assert_string_equal(masked(&bed, github_token(&bed.arena)), "(as it is)");
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"use corp-123456\"}}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void a_pattern_that_is_none_blocks_and_says_so(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: secret-guard, extra: ['('] }]");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "option 'extra'"));
}

static void zero_bytes_hide_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before",
             arena_printf(&bed.arena, "{\"tool\":\"bash\",\"args\":{\"command\":\"a\\u0000%s\"}}",
                          github_token(&bed.arena)));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    bed_emit(&bed, "tool.execute.after",
             arena_printf(&bed.arena, "{\"tool\":\"bash\",\"output\":\"a\\u0000%s\\u0000b\"}",
                          github_token(&bed.arena)));
    assert_null(strstr(bed_verdict(&bed), "abcdefghij"));
    assert_non_null(strstr(bed_verdict(&bed), "\\u0000b"));
}

static void lets_ordinary_words_pass(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"grep ghp_ AKIA sk-ant- xoxb- .\"}}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void copes_with_missing_and_odd_fields(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed_emit(&bed, "tool.execute.before", NULL);
    bed_emit(&bed, "tool.execute.before", "{\"args\":null}");
    bed_emit(&bed, "tool.execute.after", "{\"output\":42}");
    assert_string_equal(bed_verdict(&bed), "{}");
}

TESTS(cmocka_unit_test(blocks_a_call_whose_arguments_carry_a_token),
      cmocka_unit_test(masks_tokens_in_output_and_keeps_the_rest),
      cmocka_unit_test(the_same_credential_has_the_same_mask),
      cmocka_unit_test(masks_a_whole_private_key), cmocka_unit_test(knows_many_shapes),
      cmocka_unit_test(examples_are_no_credentials),
      cmocka_unit_test(values_of_secret_variables_are_credentials),
      cmocka_unit_test(credentials_may_go_where_they_belong),
      cmocka_unit_test(shapes_can_be_added_and_allowed),
      cmocka_unit_test(a_pattern_that_is_none_blocks_and_says_so),
      cmocka_unit_test(zero_bytes_hide_nothing), cmocka_unit_test(lets_ordinary_words_pass),
      cmocka_unit_test(copes_with_missing_and_odd_fields))
