#include "tool_fixture.h"

static void lines_have_numbers_and_long_files_come_in_pieces(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    tool_bed_open(&b);
    for (int i = 1; i <= 2500; i++)
        strbuf_printf(&text, "line %d\n", i);
    tool_bed_file(&b, "long.txt", strbuf_cstr(&text));
    tool_works(&b, "read", "{\"path\":\"long.txt\",\"offset\":3,\"limit\":2}",
               "     3\tline 3\n     4\tline 4\n(2496 more lines; go on with offset 5)\n");
    tool_works(&b, "read", "{\"path\":\"long.txt\"}", NULL);
    assert_non_null(strstr(b.result.output.ptr, "  2000\tline 2000\n(500 more lines; go on with "
                                                "offset 2001)\n"));
    tool_works(&b, "read", "{\"path\":\"long.txt\",\"offset\":2500}", "  2500\tline 2500\n");
    tool_works(&b, "read", "{\"path\":\"long.txt\",\"offset\":2501}",
               "(the file has only 2500 lines)\n");
    tool_fails(&b, "read", "{\"path\":\"long.txt\",\"offset\":0}", "must be at least 1");
}

static void files_that_are_not_plain_text_are_told_apart(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "empty", "");
    tool_bed_file(&b, "open", "no end");
    tool_bed_file(&b, "dos", "a\r\nb\r\n");
    assert_int_equal(file_write(tool_bed_path(&b, "binary"), STR("a\0b"), 0644, NULL), 0);
    assert_int_equal(mkfifo(tool_bed_path(&b, "pipe"), 0644), 0);
    tool_works(&b, "read", "{\"path\":\"empty\"}", "(the file is empty)\n");
    tool_works(&b, "read", "{\"path\":\"open\"}", "     1\tno end\n");
    tool_works(&b, "read", "{\"path\":\"dos\"}", "     1\ta\r\n     2\tb\r\n");
    tool_fails(&b, "read", "{\"path\":\"binary\"}", "is no text: it holds NUL bytes");
    tool_fails(&b, "read", "{\"path\":\"pipe\"}", "is neither a file nor a folder");
    tool_fails(&b, "read", "{\"path\":\"nothing\"}", "there is no file 'nothing'");
}

static void huge_files_and_lines_are_limited(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    CLEANUP(strbuf) struct strbuf line = { 0 };
    char *huge;

    tool_bed_open(&b);
    strbuf_addch(&line, '.');
    for (int i = 0; i < 1500; i++)
        strbuf_addstr(&line, "ä");
    tool_bed_file(&b, "line", strbuf_cstr(&line));
    tool_works(&b, "read", "{\"path\":\"line\"}", NULL);
    assert_int_equal(b.result.output.len, 7 + 1999 + strlen(" …\n"));
    huge = tool_bed_path(&b, "huge");
    tool_bed_file(&b, "huge", "");
    assert_int_equal(truncate(huge, (16 << 20) + 1), 0);
    tool_fails(&b, "read", "{\"path\":\"huge\"}",
               "'huge' is larger than 16777216 bytes: look into it with grep or bash");
}

static void a_folder_is_listed(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "z.txt", "");
    tool_bed_file(&b, "sub/a", "");
    tool_bed_file(&b, ".hidden", "");
    tool_works(&b, "read", "{\"path\":\".\"}", ".hidden\nsub/\nz.txt\n");
}

static void pictures_and_pdf_files_go_to_the_model_as_they_are(void **state UNUSED)
{
    static const struct {
        struct str bytes;
        const char *type, *data;
    } rows[] = {
        { { "\x89PNG\r\n\x1a\n\0\0", 10 }, "image/png", "iVBORw0KGgoAAA==" },
        { { "\xff\xd8\xff\xe0", 4 }, "image/jpeg", "/9j/4A==" },
        { { "GIF89a\1", 7 }, "image/gif", "R0lGODlhAQ==" },
        { { "RIFF\1\2\3\4WEBPVP8 ", 16 }, "image/webp", "UklGRgECAwRXRUJQVlA4IA==" },
        { { "%PDF-1.7\n", 9 }, "application/pdf", "JVBERi0xLjcK" },
    };
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(file_write(tool_bed_path(&b, "x"), rows[i].bytes, 0644, NULL), 0);
        tool_works(&b, "read", "{\"path\":\"x\"}", NULL);
        assert_non_null(strstr(b.result.output.ptr, rows[i].type));
        assert_string_equal(json_cstr(&b.arena, json_get(b.result.file, STR("media_type"))),
                            rows[i].type);
        assert_string_equal(json_cstr(&b.arena, json_get(b.result.file, STR("data"))),
                            rows[i].data);
    }
    assert_int_equal(truncate(tool_bed_path(&b, "x"), 4000000), 0);
    tool_fails(&b, "read", "{\"path\":\"x\"}", "at most 3500000 can be shown");
    tool_bed_file(&b, "x", "RIFF is a word");
    tool_works(&b, "read", "{\"path\":\"x\"}", "     1\tRIFF is a word\n");
    assert_null(b.result.file);
}

TESTS(cmocka_unit_test(lines_have_numbers_and_long_files_come_in_pieces),
      cmocka_unit_test(files_that_are_not_plain_text_are_told_apart),
      cmocka_unit_test(huge_files_and_lines_are_limited), cmocka_unit_test(a_folder_is_listed),
      cmocka_unit_test(pictures_and_pdf_files_go_to_the_model_as_they_are))
