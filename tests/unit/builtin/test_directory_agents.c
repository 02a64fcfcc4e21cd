#include "bed.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

#include <unistd.h>

static char *in_bed(struct bed *bed, const char *name)
{
    return path_join(&bed->arena, bed->dir.path, name);
}

static void put(struct bed *bed, const char *name, const char *text)
{
    assert_int_equal(file_write(in_bed(bed, name), str_of(text), 0644, NULL), 0);
}

static void open_bed(struct bed *bed)
{
    bed_open(bed, builtin_hooks, "");
    bed->session.cwd = bed->dir.path;
    put(bed, ".git/HEAD", "x");
}

/* What is injected after a file was read, or "". */
static const char *after_read(struct bed *bed, const char *path)
{
    bed_emit(bed, "tool.execute.after",
             arena_printf(&bed->arena, "{\"tool\":\"read\",\"args\":{\"path\":\"%s\"}}", path));
    for (const struct injection *i = bed->receipt.verdict.injections; i; i = i->next)
        if (strcmp(i->source, "directory-agents") == 0)
            return i->text;
    return "";
}

static void a_link_inside_is_followed_and_said_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "docs/notes.md", "the notes");
    put(&bed, "src/a.c", "x");
    put(&bed, "lib/b.c", "x");
    assert_int_equal(symlink("../docs/notes.md", in_bed(&bed, "src/AGENTS.md")), 0);
    assert_int_equal(symlink("../docs/notes.md", in_bed(&bed, "lib/AGENTS.md")), 0);
    assert_non_null(strstr(after_read(&bed, "src/a.c"), "[docs/notes.md]\nthe notes"));
    assert_string_equal(after_read(&bed, "lib/b.c"), "");
}

static void what_the_agent_shows_itself_is_not_shown_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "AGENTS.md", "of all\n");
    put(&bed, "src/AGENTS.md", "of src\n");
    put(&bed, "src/a.c", "x");
    bed_emit(&bed, "tool.execute.after",
             "{\"tool\":\"read\",\"args\":{\"path\":\"src/a.c\"},\"output\":\"x\\n\\nof src\"}");
    assert_string_equal(bed.receipt.verdict.injections->text,
                        "<directory-context>\n[AGENTS.md]\nof all\n</directory-context>");
    assert_string_equal(after_read(&bed, "src/a.c"), "");
}

static void a_link_that_leads_out_of_the_workspace_is_not_read(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "../hooke-test-outside", "a secret");
    put(&bed, "a.c", "x");
    assert_int_equal(symlink("../hooke-test-outside", in_bed(&bed, "AGENTS.md")), 0);
    assert_string_equal(after_read(&bed, "a.c"), "");
    assert_int_equal(unlink(in_bed(&bed, "../hooke-test-outside")), 0);
}

static void a_file_that_a_link_leads_out_to_has_no_context(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "AGENTS.md", "inside");
    assert_int_equal(symlink("/etc/hostname", in_bed(&bed, "name")), 0);
    assert_string_equal(after_read(&bed, "name"), "");
}

static void a_workspace_reached_through_a_link_is_the_same_one(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "real/.git/HEAD", "x");
    put(&bed, "real/AGENTS.md", "inside");
    put(&bed, "real/a.c", "x");
    assert_int_equal(symlink("real", in_bed(&bed, "link")), 0);
    bed.session.cwd = in_bed(&bed, "link");
    assert_non_null(strstr(after_read(&bed, "a.c"), "[AGENTS.md]\ninside"));
    assert_string_equal(after_read(&bed, in_bed(&bed, "real/a.c")), "");
}

static void what_cannot_be_read_is_passed_over_and_read_later(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "AGENTS.md", "  \n");
    put(&bed, "src/a.c", "x");
    assert_int_equal(file_mkdirs(in_bed(&bed, "src/AGENTS.md"), NULL), 0);
    assert_string_equal(after_read(&bed, "src/a.c"), "");
    assert_int_equal(rmdir(in_bed(&bed, "src/AGENTS.md")), 0);
    put(&bed, "src/AGENTS.md", "now it can");
    assert_non_null(strstr(after_read(&bed, "src/a.c"), "now it can"));
}

static void without_a_working_folder_nothing_is_looked_for(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    put(&bed, "AGENTS.md", "inside");
    put(&bed, "a.c", "x");
    bed.session.cwd = NULL;
    assert_string_equal(after_read(&bed, in_bed(&bed, "a.c")), "");
    assert_int_equal(bed.receipt.runs[0].end, RUN_DONE);
}

static void
in_a_session_the_root_is_in_the_system_prompt_and_the_folder_after_the_read(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { .defs = builtin_hooks };
    const char *result;

    session_bed_open(&b, "",
                     "turns:\n"
                     "- calls: [{ tool: read, args: { path: src/a.c } }]\n"
                     "- { expects: src says, text: Done. }\n");
    put(&b.bed, "AGENTS.md", "root says");
    put(&b.bed, "src/AGENTS.md", "src says");
    put(&b.bed, "src/a.c", "int a;\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    assert_int_equal(b.outcome.end, AGENT_DONE);
    result = session_bed_message(&b, 2, 4);
    assert_non_null(strstr(result, "<directory-context>\\n[src/AGENTS.md]\\nsrc says"));
    assert_null(strstr(result, "root says"));
}

TESTS(cmocka_unit_test(a_link_inside_is_followed_and_said_once),
      cmocka_unit_test(what_the_agent_shows_itself_is_not_shown_again),
      cmocka_unit_test(a_link_that_leads_out_of_the_workspace_is_not_read),
      cmocka_unit_test(a_file_that_a_link_leads_out_to_has_no_context),
      cmocka_unit_test(a_workspace_reached_through_a_link_is_the_same_one),
      cmocka_unit_test(what_cannot_be_read_is_passed_over_and_read_later),
      cmocka_unit_test(without_a_working_folder_nothing_is_looked_for),
      cmocka_unit_test(in_a_session_the_root_is_in_the_system_prompt_and_the_folder_after_the_read))
