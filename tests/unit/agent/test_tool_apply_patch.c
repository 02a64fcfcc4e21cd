#include "tool_fixture.h"

static void open_with(struct tool_bed *b)
{
    tool_bed_open(b);
    tool_bed_file(b, "a.txt", "one\ntwo\nthree\n");
    tool_bed_file(b, "b.txt", "four\r\nfive\r\n");
    tool_works(b, "read", "{\"path\":\"a.txt\"}", NULL);
    tool_works(b, "read", "{\"path\":\"b.txt\"}", NULL);
}

static const char *args_of(struct tool_bed *b, const char *patch)
{
    return json_text(&b->arena, json_with(&b->arena, NULL, STR("patch"),
                                          json_cstring(&b->arena, arena_printf(&b->arena,
                                                                               "*** Begin Patch\n%s"
                                                                               "*** End Patch\n",
                                                                               patch))));
}

static void works(struct tool_bed *b, const char *patch, const char *output)
{
    tool_works(b, "apply_patch", args_of(b, patch), output);
}

static void fails(struct tool_bed *b, const char *patch, const char *says)
{
    tool_fails(b, "apply_patch", args_of(b, patch), says);
    assert_string_equal(tool_bed_text(b, "a.txt"), "one\ntwo\nthree\n");
    assert_string_equal(tool_bed_text(b, "b.txt"), "four\r\nfive\r\n");
}

static void files_are_changed_added_moved_and_deleted_at_once(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct stat st;

    open_with(&b);
    tool_bed_file(&b, "run.sh", "echo\n");
    assert_int_equal(chmod(tool_bed_path(&b, "run.sh"), 0755), 0);
    tool_works(&b, "read", "{\"path\":\"run.sh\"}", NULL);
    works(
        &b,
        "*** Update File: a.txt\n one\n-two\n+2\n"
        "*** Add File: new/c.txt\n+fresh\n"
        "*** Delete File: b.txt\n"
        "*** Update File: run.sh\n*** Move to: bin/run\n-echo\n+echo hi\n",
        "changed 'a.txt'\nadded 'new/c.txt'\ndeleted 'b.txt'\ndeleted 'run.sh'\nadded 'bin/run'\n");
    assert_string_equal(b.result.title, "5 files");
    assert_string_equal(json_text(&b.arena, json_at(json_get(b.result.metadata, STR("files")), 0)),
                        "{\"added\":1,\"removed\":1,\"path\":\"a.txt\",\"change\":\"changed\"}");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "one\n2\nthree\n");
    assert_string_equal(tool_bed_text(&b, "new/c.txt"), "fresh\n");
    assert_string_equal(tool_bed_text(&b, "bin/run"), "echo hi\n");
    assert_false(tool_bed_exists(&b, "b.txt"));
    assert_false(tool_bed_exists(&b, "run.sh"));
    assert_int_equal(stat(tool_bed_path(&b, "bin/run"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    /* it knows what it wrote */
    works(&b, "*** Update File: new/c.txt\n-fresh\n+old\n", "changed 'new/c.txt'\n");
}

static void line_ends_and_mode_stay(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct stat st;

    open_with(&b);
    assert_int_equal(chmod(tool_bed_path(&b, "b.txt"), 0600), 0);
    works(&b, "*** Update File: b.txt\n four\n+4b\n", NULL);
    assert_string_equal(tool_bed_text(&b, "b.txt"), "four\r\n4b\r\nfive\r\n");
    assert_int_equal(stat(tool_bed_path(&b, "b.txt"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void one_file_may_be_named_twice(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b);
    works(&b, "*** Update File: a.txt\n-one\n+1\n*** Update File: ./a.txt\n-1\n+I\n",
          "changed 'a.txt'\n");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "I\ntwo\nthree\n");
    works(&b, "*** Delete File: a.txt\n*** Add File: a.txt\n+anew\n", "changed 'a.txt'\n");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "anew\n");
}

static void a_mistake_in_one_file_changes_none(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    const char *good = "*** Update File: a.txt\n-one\n+1\n";

    open_with(&b);
    tool_bed_file(&b, "unread", "x\n");
    tool_bed_file(&b, "../repo-other/x", "x\n");
    tool_bed_file(&b, "sub/x", "x\n");
    assert_int_equal(symlink("../repo-other/x", tool_bed_path(&b, "link")), 0);
#define AFTER(more) arena_printf(&b.arena, "%s%s", good, more)
    fails(&b, AFTER("*** Update File: b.txt\n-six\n+6\n"),
          "'b.txt', hunk 1 (line 6 of the patch): expected 'six'");
    fails(&b, AFTER("*** Update File: unread\n-x\n+y\n"), "was not read in this session");
    fails(&b, AFTER("*** Delete File: unread\n"), "was not read in this session");
    fails(&b, AFTER("*** Update File: none\n-x\n+y\n"), "there is no file 'none' to update");
    fails(&b, AFTER("*** Delete File: none\n"), "there is no file 'none' to delete");
    fails(&b, AFTER("*** Add File: unread\n+x\n"), "'unread' exists already");
    fails(&b, AFTER("*** Update File: b.txt\n*** Move to: unread\n"), "'unread' exists already");
    fails(&b, AFTER("*** Add File: a.txt\n+x\n"), "'a.txt' exists already");
    fails(&b, AFTER("*** Add File: ../repo-other/y\n+x\n"), "is outside the workspace");
    fails(&b, AFTER("*** Update File: b.txt\n*** Move to: ../repo-other/y\n"), "is outside");
    fails(&b, AFTER("*** Update File: link\n-x\n+y\n"), "is outside the workspace");
    fails(&b, AFTER("*** Delete File: /etc/passwd\n"), "is outside the workspace");
    fails(&b, AFTER("*** Update File: sub\n-x\n+y\n"), "is no file");
    tool_bed_file(&b, "b.txt", "four\r\nfive\r\nsix\r\n");
    tool_fails(&b, "apply_patch", args_of(&b, AFTER("*** Update File: b.txt\n-four\n+4\n")),
               "has changed since it was read");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "one\ntwo\nthree\n");
    assert_false(tool_bed_exists(&b, "../repo-other/y"));
}

static void a_failure_to_write_puts_everything_back(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b);
    /* the second file would have to be a folder for the third */
    fails(&b,
          "*** Update File: a.txt\n-one\n+1\n*** Add File: c\n+x\n*** Add File: c/d\n+x\n"
          "*** Delete File: b.txt\n",
          "nothing was changed: ");
    assert_false(tool_bed_exists(&b, "c"));
    works(&b, "*** Update File: a.txt\n-one\n+1\n", NULL);
}

static void a_unified_diff_is_applied_too(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    open_with(&b);
    tool_works(&b, "apply_patch",
               "{\"patch\":\"--- a/a.txt\\n+++ b/a.txt\\n@@ -1,3 +1,2 @@\\n one\\n-two\\n three\\n"
               "--- a/b.txt\\n+++ /dev/null\\n@@ -1,2 +0,0 @@\\n-four\\n-five\\n\"}",
               "changed 'a.txt'\ndeleted 'b.txt'\n");
    assert_string_equal(tool_bed_text(&b, "a.txt"), "one\nthree\n");
    tool_fails(&b, "apply_patch",
               "{\"patch\":\"--- a/a.txt\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-one\\n\"}",
               "'a.txt' holds more than the patch removes");
    tool_fails(&b, "apply_patch", "{\"input\":\"x\"}",
               "'patch' of the tool 'apply_patch' is missing");
}

TESTS(cmocka_unit_test(files_are_changed_added_moved_and_deleted_at_once),
      cmocka_unit_test(line_ends_and_mode_stay), cmocka_unit_test(one_file_may_be_named_twice),
      cmocka_unit_test(a_mistake_in_one_file_changes_none),
      cmocka_unit_test(a_failure_to_write_puts_everything_back),
      cmocka_unit_test(a_unified_diff_is_applied_too))
