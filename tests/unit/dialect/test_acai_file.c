/* Which program runs an acai hook, and what it may say of itself. */
#include "dialect/acai.h"
#include "value.h"

static void every_file_has_its_interpreter(void **state UNUSED)
{
    static const struct {
        const char *name, *path, *head;
        unsigned mode;
        const char *argv; /* words and a space each; NULL: none */
    } rows[] = {
        { "AC-1", "/h/a.js", "", 0644, "node /h/a.js " },
        { "AC-1", "/h/a.mjs", "", 0644, "node /h/a.mjs " },
        { "AC-1", "/h/a.cjs", "", 0644, "node /h/a.cjs " },
        { "AC-1", "/h/a.sh", "echo", 0644, "/bin/bash /h/a.sh " },
        { "AC-1", "/h/a.bash", "", 0644, "/bin/bash /h/a.bash " },
        { "AC-1", "/h/a.zsh", "", 0644, "/bin/zsh /h/a.zsh " },
        { "AC-1", "/h/a.py", "", 0644, "python3 /h/a.py " },
        { "AC-1", "/h/a.rb", "", 0644, "ruby /h/a.rb " },
        { "AC-1", "/h/a.txt", "", 0755, NULL },
        { "AC-1", "/h.js/a", "", 0644, NULL },
        { "AC-2", "/h/a", "#!/bin/bash\necho", 0644, "/bin/bash /h/a " },
        { "AC-2", "/h/a.sh", "#! /bin/sh -e -u\r\necho", 0644, "/bin/sh -e -u /h/a.sh " },
        { "AC-2", "/h/a", "#!/usr/bin/env node --no-warnings\n", 0644, "node /h/a " },
        { "AC-2", "/h/a.txt", "#!/usr/bin/env python3\n", 0644, "python3 /h/a.txt " },
        { "AC-2", "/h/a.py", "#!\n", 0644, "python3 /h/a.py " },
        { "AC-2", "/h/a.py", "#!/usr/bin/env\n", 0644, "python3 /h/a.py " },
        { "AC-2", "/h/a.py", " #!/bin/sh\n", 0644, "python3 /h/a.py " },
        { "AC-3", "/h/a", "\177ELF", 0755, "/h/a " },
        { "AC-3", "/h/a", "\177ELF", 0644, NULL },
        { "AC-3", "/h/a", NULL, 0100, "/h/a " },
        { "AC-3", "/h/a.js", NULL, 0644, "node /h/a.js " },
        { "AC-3", "/h/.hidden", "", 0755, "/h/.hidden " },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(strbuf) struct strbuf words = { 0 };
        const char **argv = acai_interpreter(&a, rows[i].path, str_of(rows[i].head), rows[i].mode);

        for (size_t w = 0; argv && argv[w]; w++)
            strbuf_printf(&words, "%s ", argv[w]);
        if (strcmp(strbuf_cstr(&words), rows[i].argv ? rows[i].argv : "") != 0)
            fail_msg("%s: %s is run by '%s'", rows[i].name, rows[i].path, strbuf_cstr(&words));
        assert_int_equal(argv != NULL, rows[i].argv != NULL);
    }
}

static void a_first_line_counts_in_the_first_bytes_only(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf head = { 0 };
    const char **argv;

    strbuf_addstr(&head, "#!/bin/sh");
    for (int i = 0; i < 200; i++)
        strbuf_addstr(&head, " -e");
    argv = acai_interpreter(&a, "/h/a", strbuf_str(&head), 0644);
    assert_non_null(argv);
    assert_string_equal(argv[0], "/bin/sh");
    for (size_t i = 1; argv[i]; i++)
        assert_true(i < 40);
    assert_null(acai_interpreter(&a, "/h/a", (struct str){ "#!/bin\0/sh\n", 11 }, 0644));
}

static void a_description_says_what_the_hook_is_for(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct acai_metadata m;

    assert_int_equal(
        acai_metadata_parse(&a,
                            STR("{\"name\":\"guard\",\"description\":\"no rm\",\"hooks\":["
                                "{\"event\":\"tool-call-start\",\"timing\":\"before\"},"
                                "{\"event\":\"agent-stop\",\"timing\":\"after\"}]}\n"),
                            &m, NULL),
        0);
    assert_string_equal(m.name, "guard");
    assert_string_equal(m.description, "no rm");
    assert_int_equal(m.hook_count, 2);
    assert_string_equal(m.hooks[0].event, "tool-call-start");
    assert_int_equal(m.hooks[0].on.point, POINT_TOOL_EXECUTE_BEFORE);
    assert_false(m.hooks[0].after);
    assert_int_equal(m.hooks[1].on.point, POINT_AGENT_STOP);
    assert_true(m.hooks[1].after);
}

static void every_event_of_acai_may_be_named(void **state UNUSED)
{
    static const char *const events[] = { "agent-start",   "step-start", "tool-call-start",
                                          "tool-call-end", "step-stop",  "agent-stop",
                                          "agent-error" };

    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct acai_metadata m;
        char *text = arena_printf(&a,
                                  "{\"name\":\"_a-1\",\"description\":\"d\",\"hooks\":[{\"event\":"
                                  "\"%s\",\"timing\":\"after\"}]}",
                                  events[i]);

        assert_int_equal(acai_metadata_parse(&a, str_of(text), &m, NULL), 0);
        assert_string_equal(m.hooks[0].event, events[i]);
    }
}

#define HOOKS "\"hooks\":[{\"event\":\"agent-stop\",\"timing\":\"after\"}]"

/* S4-X2: what is wrong with a description is said in a line, and the hook is not taken. */
static void invalid_metadata_is_refused(void **state UNUSED)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "", "it says nothing of itself" },
        { "name: guard", "line 1" },
        { "[]", "'name' must be" },
        { "{\"description\":\"d\"," HOOKS "}", "'name' must be" },
        { "{\"name\":\"1a\",\"description\":\"d\"," HOOKS "}", "'name' must be" },
        { "{\"name\":\"a b\",\"description\":\"d\"," HOOKS "}", "'name' must be" },
        { "{\"name\":\"a\\u0000\",\"description\":\"d\"," HOOKS "}", "'name' must be" },
        { "{\"name\":\"a\"," HOOKS "}", "'description' must say" },
        { "{\"name\":\"a\",\"description\":\"\"," HOOKS "}", "'description' must say" },
        { "{\"name\":\"a\",\"description\":\"d\"}", "'hooks' must be a list" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[]}", "'hooks' must be a list" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":{\"a\":1}}", "'hooks' must be a list" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[7]}", "needs an 'event'" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[{\"event\":\"agent-stop\"}]}",
          "needs an 'event' and a 'timing'" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[{\"event\":\"PreToolUse\","
          "\"timing\":\"before\"}]}",
          "unknown event 'PreToolUse'" },
        { "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[{\"event\":\"agent-stop\","
          "\"timing\":\"during\"}]}",
          "'timing' must be before or after, not 'during'" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct acai_metadata m;
        struct err e = { 0 };

        if (acai_metadata_parse(&a, str_of(rows[i].text), &m, &e) == 0)
            fail_msg("%s was taken", rows[i].text);
        if (!strstr(e.msg, rows[i].says))
            fail_msg("%s: %s", rows[i].text, e.msg);
    }
}

static void a_description_names_a_limited_number_of_events(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct acai_metadata m;

    strbuf_addstr(&text, "{\"name\":\"a\",\"description\":\"d\",\"hooks\":[");
    for (int i = 0; i <= ACAI_HOOKS; i++)
        strbuf_printf(&text, "%s{\"event\":\"agent-stop\",\"timing\":\"after\"}", i ? "," : "");
    strbuf_addstr(&text, "]}");
    assert_int_not_equal(acai_metadata_parse(&a, strbuf_str(&text), &m, NULL), 0);
}

TESTS(cmocka_unit_test(every_file_has_its_interpreter),
      cmocka_unit_test(a_first_line_counts_in_the_first_bytes_only),
      cmocka_unit_test(a_description_says_what_the_hook_is_for),
      cmocka_unit_test(every_event_of_acai_may_be_named),
      cmocka_unit_test(invalid_metadata_is_refused),
      cmocka_unit_test(a_description_names_a_limited_number_of_events))
