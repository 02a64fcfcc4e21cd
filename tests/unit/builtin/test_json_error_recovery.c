#include "bed.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

static void arguments_that_are_no_object_are_told_with_what_to_do(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };
    const char *result;

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: bash, args: [ls] }]\n"
                     "- { text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_string_equal(b.outcome.text, "Done.");
    result = session_bed_message(&b, 2, 4);
    assert_non_null(strstr(
        result, "bash: the arguments are no JSON object, send them again: they are an array"));
    assert_non_null(strstr(result, "<json-error>"));
    assert_non_null(strstr(result, "\"success\":false"));
}

static void our_own_parser_is_understood(void **state UNUSED)
{
    static const char *const bad[] = {
        "{\"a\":1", "{\"a\" 1}", "[1,]", "{'a':1}", "\"\n\"", "tru"
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "");
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err e = { 0 };
        const struct json *j;
        struct json *data = json_object(&bed.arena);

        assert_true(json_parse(&bed.arena, str_of(bad[i]), NULL, &j, &e) < 0);
        json_add(&bed.arena, data, STR("tool"), json_cstring(&bed.arena, "mcp"));
        json_add(&bed.arena, data, STR("output"), json_cstring(&bed.arena, e.msg));
        bed_emit(&bed, "tool.execute.after", json_text(&bed.arena, data));
        if (!bed.receipt.verdict.injections)
            fail_msg("not recognised: %s", e.msg);
    }
}

TESTS(cmocka_unit_test(arguments_that_are_no_object_are_told_with_what_to_do),
      cmocka_unit_test(our_own_parser_is_understood))
