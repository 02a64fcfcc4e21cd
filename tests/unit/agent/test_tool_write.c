#include "tool_fixture.h"

static void a_new_file_is_made_with_its_folders(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct stat st;

    tool_bed_open(&b);
    tool_works(&b, "write", "{\"path\":\"new/deep/a.txt\",\"content\":\"one\\n\"}",
               "created 'new/deep/a.txt', 4 bytes");
    assert_string_equal(tool_bed_text(&b, "new/deep/a.txt"), "one\n");
    assert_string_equal(json_text(&b.arena, b.result.metadata), "{\"added\":1,\"removed\":0}");
    assert_int_equal(stat(tool_bed_path(&b, "new/deep"), &st), 0);
    assert_true(st.st_mode & 0055); /* for others too, as far as the umask lets them */
    tool_works(&b, "write", "{\"path\":\"new/deep/a.txt\",\"content\":\"\"}",
               "wrote 'new/deep/a.txt', 0 bytes");
}

static void what_is_there_must_have_been_read(void **state UNUSED)
{
    static const char write[] = "{\"path\":\"a.txt\",\"content\":\"mine\"}";
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "a.txt", "one\n");
    tool_fails(&b, "write", write, "was not read in this session: read it first");
    tool_works(&b, "read", "{\"path\":\"a.txt\"}", NULL);
    tool_bed_file(&b, "a.txt", "somebody else's\n");
    tool_fails(&b, "write", write, "has changed since it was read: read it again");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "somebody else's\n");
    tool_works(&b, "read", "{\"path\":\"a.txt\"}", NULL);
    tool_works(&b, "write", write, "wrote 'a.txt', 4 bytes");
    assert_int_equal(unlink(tool_bed_path(&b, "a.txt")), 0);
    tool_works(&b, "write", write, "created 'a.txt', 4 bytes");
}

static void form_and_mode_of_the_old_file_stay(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct stat st;

    tool_bed_open(&b);
    tool_bed_file(&b, "a.bat",
                  "\xef\xbb\xbf"
                  "one\r\n");
    assert_int_equal(chmod(tool_bed_path(&b, "a.bat"), 0755), 0);
    tool_works(&b, "read", "{\"path\":\"a.bat\"}", NULL);
    tool_works(&b, "write", "{\"path\":\"a.bat\",\"content\":\"two\\nthree\\r\\n\"}", NULL);
    assert_string_equal(tool_bed_text(&b, "a.bat"), "\xef\xbb\xbf"
                                                    "two\r\nthree\r\n");
    assert_int_equal(stat(tool_bed_path(&b, "a.bat"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
}

static void mistakes_are_explained(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "sub/x", "");
    tool_fails(&b, "write", "{\"path\":\"sub\",\"content\":\"x\"}", "is no file");
    tool_fails(&b, "write", "{\"path\":\"sub/x/y\",\"content\":\"x\"}", "sub/x/y'");
    tool_fails(&b, "write", "{\"path\":\"/tmp/x\",\"content\":\"x\"}", "is outside the workspace");
    tool_fails(&b, "write", "{\"path\":\"x\"}", "'content' of the tool 'write' is missing");
}

TESTS(cmocka_unit_test(a_new_file_is_made_with_its_folders),
      cmocka_unit_test(what_is_there_must_have_been_read),
      cmocka_unit_test(form_and_mode_of_the_old_file_stay),
      cmocka_unit_test(mistakes_are_explained))
