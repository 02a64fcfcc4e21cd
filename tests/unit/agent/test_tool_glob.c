#include "tool_fixture.h"

static void files_are_found_by_name(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "a.c", "");
    tool_bed_file(&b, "src/b.c", "");
    tool_bed_file(&b, "src/deep/c.c", "");
    tool_bed_file(&b, "src/deep/d.h", "");
    tool_bed_file(&b, ".git/e.c", "");
    tool_works(&b, "glob", "{\"pattern\":\"*.c\"}", "a.c\nsrc/b.c\nsrc/deep/c.c\n");
    tool_works(&b, "glob", "{\"pattern\":\"src/*.c\"}", "src/b.c\n");
    tool_works(&b, "glob", "{\"pattern\":\"src/**/*.{c,h}\"}",
               "src/b.c\nsrc/deep/c.c\nsrc/deep/d.h\n");
    tool_works(&b, "glob", "{\"pattern\":\"*.py\"}", "(no file matches)");
    tool_works(&b, "glob", "{\"pattern\":\"*.c\",\"path\":\"src\"}", "src/b.c\nsrc/deep/c.c\n");
    tool_fails(&b, "glob", "{\"pattern\":\"*\",\"path\":\"nothing\"}",
               "there is no folder 'nothing'");
    tool_fails(&b, "glob", "{\"pattern\":\"*\",\"path\":\"a.c\"}", "there is no folder 'a.c'");
    tool_fails(&b, "glob", "{}", "'pattern' of the tool 'glob' is missing");
}

static void what_gitignore_leaves_out_is_left_out(void **state UNUSED)
{
    static const char *const files[] = {
        "a.o",       "keep.o",         "build/x",   "lib/build/y",   "src/build",
        "top.txt",   "sub/top.txt",    "docs/a.md", "docs/old/b.md", "sub/a.log",
        "sub/b.log", "sub/deep/b.log", "x/tmp/z",   "#note",         "c.tmp",
    };
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        tool_bed_file(&b, files[i], "");
    tool_bed_file(
        &b, ".gitignore",
        "# a comment\n*.o\n!keep.o\nbuild/\n/top.txt\ndocs/old\nx/**/z\n\\#note\nc.tmp  \r\n");
    tool_bed_file(&b, "sub/.gitignore", "*.log\n!/b.log\n");
    tool_works(
        &b, "glob", "{\"pattern\":\"*\"}",
        ".gitignore\ndocs/a.md\nkeep.o\nsrc/build\nsub/.gitignore\nsub/b.log\nsub/top.txt\n");
}

static void folders_above_count_where_the_search_begins_deeper(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, ".gitignore", "*.o\n/src/gen/\n");
    tool_bed_file(&b, "src/.gitignore", "*.tmp\n");
    tool_bed_file(&b, "src/lib/a.o", "");
    tool_bed_file(&b, "src/lib/a.tmp", "");
    tool_bed_file(&b, "src/lib/a.c", "");
    tool_bed_file(&b, "src/gen/b.c", "");
    tool_works(&b, "glob", "{\"pattern\":\"*\",\"path\":\"src/lib\"}", "src/lib/a.c\n");
    tool_works(&b, "glob", "{\"pattern\":\"*.c\",\"path\":\"src\"}", "src/lib/a.c\n");
    /* named outright it is looked into */
    tool_works(&b, "glob", "{\"pattern\":\"*.c\",\"path\":\"src/gen\"}", "src/gen/b.c\n");
    b.call.cwd = tool_bed_path(&b, "src");
    tool_works(&b, "glob", "{\"pattern\":\"*.c\",\"path\":\"lib\"}", "lib/a.c\n");
}

static void links_are_not_followed(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "../repo-other/x.c", "");
    tool_bed_file(&b, "a.c", "");
    assert_int_equal(symlink("../repo-other", tool_bed_path(&b, "out")), 0);
    assert_int_equal(symlink(".", tool_bed_path(&b, "round")), 0);
    tool_works(&b, "glob", "{\"pattern\":\"*\"}", "a.c\n");
}

static void many_names_are_limited(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    const char *end;

    tool_bed_open(&b);
    assert_int_equal(mkdir(tool_bed_path(&b, "d"), 0755), 0);
    for (int i = 0; i < 507; i++) {
        FILE *f = fopen(tool_bed_path(&b, arena_printf(&b.arena, "d/%03d", i)), "w");

        assert_non_null(f);
        fclose(f);
    }
    tool_works(&b, "glob", "{\"pattern\":\"*\"}", NULL);
    end = strstr(b.result.output.ptr, "d/499\n");
    assert_non_null(end);
    assert_string_equal(end + 6, "(7 more; narrow the pattern)\n");
}

TESTS(cmocka_unit_test(files_are_found_by_name),
      cmocka_unit_test(what_gitignore_leaves_out_is_left_out),
      cmocka_unit_test(folders_above_count_where_the_search_begins_deeper),
      cmocka_unit_test(links_are_not_followed), cmocka_unit_test(many_names_are_limited))
