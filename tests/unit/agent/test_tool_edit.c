#include "tool_fixture.h"

#include <errno.h>

static void open_with(struct tool_bed *b, const char *text)
{
    tool_bed_open(b);
    tool_bed_file(b, "a.txt", text);
    tool_works(b, "read", "{\"path\":\"a.txt\"}", NULL);
}

static void a_piece_is_replaced(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b, "one\ntwo\nthree\n");
    tool_works(&b, "edit",
               "{\"path\":\"a.txt\",\"old_string\":\"two\\n\",\"new_string\":\"2\\n2b\\n\"}",
               "edited 'a.txt' at line 2");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "one\n2\n2b\nthree\n");
    assert_string_equal(json_text(&b.arena, b.result.metadata), "{\"added\":2,\"removed\":1}");
    /* what it wrote itself it knows */
    tool_works(&b, "edit", "{\"path\":\"a.txt\",\"old_string\":\"one\\n\",\"new_string\":\"\"}",
               NULL);
    assert_string_equal(tool_bed_text(&b, "a.txt"), "2\n2b\nthree\n");
}

static void an_ambiguous_piece_is_refused_with_its_lines(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b, "x\na\nx\nb\nx\n");
    tool_fails(
        &b, "edit", "{\"path\":\"a.txt\",\"old_string\":\"x\",\"new_string\":\"y\"}",
        "old_string stands there 3 times (lines 1, 3, 5): give more of what is around it, or "
        "set replace_all");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "x\na\nx\nb\nx\n");
    tool_works(
        &b, "edit",
        "{\"path\":\"a.txt\",\"old_string\":\"x\",\"new_string\":\"xx\",\"replace_all\":true}",
        NULL);
    assert_string_equal(tool_bed_text(&b, "a.txt"), "xx\na\nxx\nb\nxx\n");
}

static void mistakes_are_explained(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b, "one\n");
    tool_bed_file(&b, "sub/x", "");
    tool_fails(&b, "edit", "{\"path\":\"a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
               "old_string is not in 'a.txt': read it again, white space counts too");
    tool_fails(&b, "edit", "{\"path\":\"a.txt\",\"old_string\":\"\",\"new_string\":\"2\"}",
               "old_string is empty: use write for a whole file");
    tool_fails(&b, "edit", "{\"path\":\"a.txt\",\"old_string\":\"one\",\"new_string\":\"one\"}",
               "old_string and new_string are the same");
    tool_fails(&b, "edit", "{\"path\":\"b.txt\",\"old_string\":\"one\",\"new_string\":\"1\"}",
               "there is no file");
    tool_fails(&b, "edit", "{\"path\":\"sub\",\"old_string\":\"one\",\"new_string\":\"1\"}",
               "is no file");
    tool_fails(&b, "edit",
               "{\"path\":\"../repo-other/x\",\"old_string\":\"a\",\"new_string\":\"b\"}",
               "is outside the workspace");
    tool_fails(&b, "edit", "{\"path\":\"a.txt\",\"old_text\":\"a\",\"new_string\":\"b\"}",
               "'old_string' of the tool 'edit' is missing");
}

static void what_was_not_read_or_has_changed_is_left_alone(void **state UNUSED)
{
    static const char edit[] = "{\"path\":\"a.txt\",\"old_string\":\"one\",\"new_string\":\"1\"}";
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "a.txt", "one\n");
    tool_fails(&b, "edit", edit, "was not read in this session: read it first");
    tool_works(&b, "read", "{\"path\":\"a.txt\"}", NULL);
    tool_bed_file(&b, "a.txt", "one and more\n");
    tool_fails(&b, "edit", edit, "has changed since it was read: read it again");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "one and more\n");
    tool_works(&b, "read", "{\"path\":\"a.txt\"}", NULL);
    tool_works(&b, "edit", edit, NULL);
}

static void mode_line_ends_and_mark_stay(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct stat st;

    open_with(&b, "\xef\xbb\xbf"
                  "one\r\ntwo\r\nthree\r\n");
    assert_int_equal(chmod(tool_bed_path(&b, "a.txt"), 0751), 0);
    tool_works(&b, "edit",
               "{\"path\":\"a.txt\",\"old_string\":\"one\\ntwo\",\"new_string\":\"1\\n2\"}", NULL);
    assert_string_equal(tool_bed_text(&b, "a.txt"), "\xef\xbb\xbf"
                                                    "1\r\n2\r\nthree\r\n");
    assert_int_equal(stat(tool_bed_path(&b, "a.txt"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0751);
}

static void a_binary_file_is_not_edited(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    assert_int_equal(
        file_write(tool_bed_path(&b, "a.png"), STR("\x89PNG\r\n\x1a\n\0one"), 0644, NULL), 0);
    tool_works(&b, "read", "{\"path\":\"a.png\"}", NULL);
    tool_fails(&b, "edit", "{\"path\":\"a.png\",\"old_string\":\"one\",\"new_string\":\"1\"}",
               "is no text");
}

TESTS(cmocka_unit_test(a_piece_is_replaced),
      cmocka_unit_test(an_ambiguous_piece_is_refused_with_its_lines),
      cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(what_was_not_read_or_has_changed_is_left_alone),
      cmocka_unit_test(mode_line_ends_and_mark_stay), cmocka_unit_test(a_binary_file_is_not_edited))
