#include "tool_fixture.h"

static void lines_are_found_with_their_places(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "a.c", "int x;\nint y;\n");
    tool_bed_file(&b, "src/b.c", "no\nlong y;\n");
    tool_bed_file(&b, "src/b.h", "char y;");
    tool_bed_file(&b, "dos.txt", "y;\r\n");
    assert_int_equal(file_write(tool_bed_path(&b, "bin"), STR("y;\0"), 0644, NULL), 0);
    tool_works(&b, "grep", "{\"pattern\":\"\\\\by;$\"}",
               "a.c:2:int y;\ndos.txt:1:y;\nsrc/b.c:2:long y;\nsrc/b.h:1:char y;\n");
    assert_string_equal(b.result.title, "\\by;$: 4 lines in 4 files");
    tool_works(&b, "grep", "{\"pattern\":\"y\",\"files\":\"*.c\"}",
               "a.c:2:int y;\nsrc/b.c:2:long y;\n");
    tool_works(&b, "grep", "{\"pattern\":\"y\",\"path\":\"src\"}",
               "src/b.c:2:long y;\nsrc/b.h:1:char y;\n");
    tool_works(&b, "grep", "{\"pattern\":\"y\",\"path\":\"src/b.h\"}", "src/b.h:1:char y;\n");
    tool_works(&b, "grep", "{\"pattern\":\"z{3}\"}", "(no line matches)\n");
    tool_works(&b, "grep", "{\"pattern\":\"^$\",\"path\":\"a.c\"}", "(no line matches)\n");
}

static void mistakes_are_explained(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_fails(&b, "grep", "{\"pattern\":\"(\"}", "(");
    tool_fails(&b, "grep", "{\"pattern\":\"x\",\"path\":\"nothing\"}", "there is no 'nothing'");
    tool_fails(&b, "grep", "{\"pattern\":\"x\",\"path\":\"/etc\"}", "is outside the workspace");
    tool_fails(&b, "grep", "{\"pattern\":\"x\",\"include\":\"*.c\"}",
               "'include' of the tool 'grep' is not known: it takes pattern, path, files");
}

static void ignored_files_are_left_out(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, ".gitignore", "out/\n");
    tool_bed_file(&b, "out/a", "word\n");
    tool_bed_file(&b, "b", "word\n");
    tool_works(&b, "grep", "{\"pattern\":\"word\"}", "b:1:word\n");
}

static void many_and_long_lines_are_limited(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    tool_bed_open(&b);
    for (int i = 0; i < 203; i++)
        strbuf_addstr(&text, "word\n");
    tool_bed_file(&b, "many", strbuf_cstr(&text));
    tool_works(&b, "grep", "{\"pattern\":\"word\"}", NULL);
    assert_non_null(
        strstr(b.result.output.ptr, "many:200:word\n(3 more lines; narrow the pattern)\n"));
    strbuf_reset(&text);
    for (int i = 0; i < 200; i++)
        strbuf_addstr(&text, "ä.");
    tool_bed_file(&b, "many", strbuf_cstr(&text));
    tool_works(&b, "grep", "{\"pattern\":\"ä\"}", NULL);
    assert_int_equal(b.result.output.len, strlen("many:1:") + 300 + strlen(" …\n"));
}

TESTS(cmocka_unit_test(lines_are_found_with_their_places), cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(ignored_files_are_left_out),
      cmocka_unit_test(many_and_long_lines_are_limited))
