#include "serve/foreign.h"
#include "test.h"

static const struct json *parse(struct arena *a, const char *text)
{
    const struct json *j;

    assert_int_equal(json_parse(a, str_of(text), NULL, &j, NULL), 0);
    return j;
}

static void knows_the_systems_by_name(void **state UNUSED)
{
    enum tools_system system;

    assert_true(foreign_find(STR("opencode"), &system));
    assert_int_equal(system, TOOLS_OPENCODE);
    assert_false(foreign_find(STR("native"), &system));
    assert_false(foreign_find(STR(""), &system));
}

static void hooks_see_our_names_and_the_hosts_own(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = {
        .data = parse(&a, "{\"tool\":\"edit\",\"call_id\":\"c\","
                          "\"args\":{\"filePath\":\"/a\",\"oldString\":\"x\",\"mine\":1}}"),
    };

    foreign_in(&a, TOOLS_OPENCODE, &ev);
    assert_string_equal(json_text(&a, ev.data),
                        "{\"tool\":\"edit\",\"call_id\":\"c\","
                        "\"args\":{\"path\":\"/a\",\"old_string\":\"x\",\"mine\":1},"
                        "\"native\":{\"tool\":\"edit\","
                        "\"args\":{\"filePath\":\"/a\",\"oldString\":\"x\",\"mine\":1}}}");
}

static void changed_arguments_have_the_hosts_names_again(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .data = parse(&a, "{\"tool\":\"write\",\"args\":{\"path\":\"/a\"}}") };
    const struct json *verdict =
        parse(&a, "{\"replace\":{\"args\":{\"path\":\"/b\",\"content\":\"c\"},\"title\":\"t\"}}");

    verdict = foreign_out(&a, TOOLS_OPENCODE, &ev, verdict);
    assert_string_equal(
        json_text(&a, verdict),
        "{\"replace\":{\"args\":{\"filePath\":\"/b\",\"content\":\"c\"},\"title\":\"t\"}}");
}

static void errors_get_a_class_by_name_status_body_or_words(void **state UNUSED)
{
    static const struct {
        const char *error, *class;
    } cases[] = {
        { "{\"name\":\"MessageAbortedError\",\"message\":\"rate limit\"}", "aborted" },
        { "{\"status\":429,\"message\":\"slow\"}", "rate_limit" },
        { "{\"status\":400,\"body\":\"{\\\"error\\\":{\\\"type\\\":\\\"insufficient_quota\\\"}}\"}",
          "quota" },
        { "{\"message\":\"Too Many Requests\"}", "rate_limit" },
        { "{\"message\":\"Cannot connect to database\"}", "other" },
        { "{\"status\":200,\"message\":\"rate limit\"}", "other" },
        { "{\"class\":\"mine\",\"message\":\"rate limit\"}", "mine" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *said = arena_printf(&a, "{\"error\":%s,\"status\":{\"error\":%s}}",
                                        cases[i].error, cases[i].error);
        struct event ev = { .data = parse(&a, said) };

        foreign_in(&a, TOOLS_OPENCODE, &ev);
        assert_string_equal(json_cstr(&a, json_pointer(ev.data, "/error/class")), cases[i].class);
        assert_string_equal(json_cstr(&a, json_pointer(ev.data, "/status/error/class")),
                            cases[i].class);
        assert_null(json_pointer(ev.data, "/error/body"));
    }
}

static void leaves_what_is_about_no_tool(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *data = parse(&a, "{\"args\":{\"filePath\":1}}");
    struct event ev = { .data = data };
    const struct json *verdict = parse(&a, "{\"decision\":\"block\"}");

    foreign_in(&a, TOOLS_OPENCODE, &ev);
    assert_ptr_equal(ev.data, data);
    assert_ptr_equal(foreign_out(&a, TOOLS_OPENCODE, &ev, verdict), verdict);
}

TESTS(cmocka_unit_test(knows_the_systems_by_name),
      cmocka_unit_test(hooks_see_our_names_and_the_hosts_own),
      cmocka_unit_test(changed_arguments_have_the_hosts_names_again),
      cmocka_unit_test(errors_get_a_class_by_name_status_body_or_words),
      cmocka_unit_test(leaves_what_is_about_no_tool))
