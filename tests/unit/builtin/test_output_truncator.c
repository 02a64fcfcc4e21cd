#include "bed.h"
#include "builtin/builtin.h"
#include "hook/spill.h"

static const char *long_text(struct arena *a, int lines)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    for (int i = 0; i < lines; i++)
        strbuf_printf(&text, "line %d\\n", i);
    return arena_cstr(a, strbuf_str(&text));
}

static const char *emit_long(struct bed *bed, int lines)
{
    bed_emit(bed, "tool.execute.after",
             arena_printf(&bed->arena, "{\"tool\":\"mcp\",\"output\":\"%s\"}",
                          long_text(&bed->arena, lines)));
    return json_cstr(&bed->arena, json_get(bed->receipt.data, STR("output")));
}

static void open_bed(struct bed *bed)
{
    bed_open(bed, builtin_hooks, "hooks: [{ name: output-truncator, max_tokens: 500 }]");
    setenv("XDG_STATE_HOME", path_join(&bed->arena, bed->dir.path, "state"), 1);
}

static void the_file_has_every_byte_and_the_session_may_read_it(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *output, *from, *path;
    struct str kept;

    open_bed(&bed);
    output = emit_long(&bed, 2000);
    assert_true(strlen(output) < 500 * 4 + 400);
    from = strstr(output, "all of it is in '");
    assert_non_null(from);
    from += strlen("all of it is in '");
    path = arena_cstr(&bed.arena, (struct str){ from, strcspn(from, "'") });
    assert_int_equal(file_read(&bed.arena, path, 1 << 20, &kept, NULL), 0);
    assert_int_equal(kept.len, strlen(long_text(&bed.arena, 2000)) - 2000);
    assert_true(str_starts(kept, STR("line 0\nline 1\n")));
    assert_true(str_ends(kept, STR("line 1998\nline 1999\n")));
    assert_true(spill_is(&bed.arena, "s1", path));
}

static void cut_once_it_is_not_cut_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *output;
    struct json *data;

    open_bed(&bed);
    output = emit_long(&bed, 2000);
    bed_configure(&bed, builtin_hooks, "hooks: [{ name: output-truncator, max_tokens: 700 }]");
    data = json_object(&bed.arena);
    json_add(&bed.arena, data, STR("output"), json_cstring(&bed.arena, output));
    bed_emit(&bed, "tool.execute.after", json_text(&bed.arena, data));
    assert_null(bed.receipt.verdict.replace);
}

static void where_no_file_can_be_written_it_says_what_else_to_do(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    assert_non_null(strstr(emit_long(&bed, 2000), "call the tool again for less at a time]"));
}

static void masked_credentials_are_masked_in_the_file_too(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *output, *from;
    struct str kept;

    open_bed(&bed);
    bed_emit(&bed, "tool.execute.after",
             arena_printf(&bed.arena, "{\"tool\":\"mcp\",\"output\":\"%sghp_%036d\\n%s\"}",
                          long_text(&bed.arena, 1000), 0, long_text(&bed.arena, 1000)));
    output = json_cstr(&bed.arena, json_get(bed.receipt.data, STR("output")));
    from = strstr(output, "is in '") + strlen("is in '");
    assert_int_equal(file_read(&bed.arena,
                               arena_cstr(&bed.arena, (struct str){ from, strcspn(from, "'") }),
                               1 << 20, &kept, NULL),
                     0);
    assert_non_null(strstr(kept.ptr, "[a GitHub token, masked "));
    assert_null(strstr(kept.ptr, "ghp_"));
}

TESTS(cmocka_unit_test(the_file_has_every_byte_and_the_session_may_read_it),
      cmocka_unit_test(cut_once_it_is_not_cut_again),
      cmocka_unit_test(where_no_file_can_be_written_it_says_what_else_to_do),
      cmocka_unit_test(masked_credentials_are_masked_in_the_file_too))
