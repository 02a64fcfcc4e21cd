#include "agent/patch.h"
#include "test.h"

#define BEGIN  "*** Begin Patch\n"
#define END    "*** End Patch\n"
#define UPDATE BEGIN "*** Update File: a\n"

static int parse(struct arena *a, const char *text, struct patch *p, struct err *e)
{
    *e = (struct err){ 0 };
    return patch_parse(a, str_of(text), p, e);
}

/* Apply the only file of a patch to a text. */
static int apply(struct arena *a, const char *text, const char *before, struct str *after,
                 struct err *e)
{
    struct patch p;
    int r = parse(a, text, &p, e);

    return r < 0 ? r : patch_apply(a, p.first, str_of(before), after, e);
}

static void gives(const char *text, const char *before, const char *expected)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str after = { 0 };
    struct err e;

    if (apply(&a, text, before, &after, &e) < 0)
        fail_msg("%s\n%s", text, e.msg);
    assert_string_equal(after.ptr, expected);
    assert_int_equal(after.len, strlen(expected));
}

static void refuses(const char *text, const char *before, const char *says)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str after;
    struct err e;

    if (apply(&a, text, before, &after, &e) == 0)
        fail_msg("%s\nis fine", text);
    if (!strstr(e.msg, says))
        fail_msg("'%s' is not in '%s'", says, e.msg);
}

static void all_kinds_of_sections_are_read(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct patch_file *f;
    struct patch p;
    struct err e;

    assert_int_equal(parse(&a,
                           "\n" UPDATE "*** Move to: b c\n@@ class X\n@@  def y\n one\n-two\n+2\n"
                           "*** End of File\n\n"
                           "*** Add File: new\n+first\n+\n\n"
                           "*** Add File: nothing\n"
                           "*** Delete File: old\n" END "whatever",
                           &p, &e),
                     0);
    assert_int_equal(p.count, 4);
    f = p.first;
    assert_string_equal(f->path, "a");
    assert_string_equal(f->move_to, "b c");
    assert_int_equal(f->hunks->anchor_count, 2);
    assert_true(str_is(f->hunks->anchors[1], "def y"));
    assert_int_equal(f->hunks->count, 3);
    assert_true(f->hunks->at_end);
    f = f->next;
    assert_int_equal(f->kind, PATCH_ADD);
    assert_int_equal(f->hunks->count, 2);
    assert_int_equal(f->next->hunks->count, 0);
    assert_int_equal(f->next->next->kind, PATCH_DELETE);
}

static void lines_are_changed_where_their_context_is(void **state UNUSED)
{
    gives(UPDATE "@@\n one\n-two\n+2\n three\n" END, "zero\none\ntwo\nthree\n",
          "zero\none\n2\nthree\n");
    gives(UPDATE " one\n+1b\n@@\n-three\n" END, "one\ntwo\nthree\n", "one\n1b\ntwo\n");
    gives(UPDATE "@@ def b():\n-    x\n+    y\n" END, "def a():\n    x\ndef b():\n    x\n",
          "def a():\n    x\ndef b():\n    y\n");
    gives(UPDATE "@@ class B\n@@ def f():\n-  1\n+  2\n" END,
          "class A\n def f():\n  1\nclass B\n def f():\n  1\n",
          "class A\n def f():\n  1\nclass B\n def f():\n  2\n");
    /* the line after "@@" may be repeated, and may be what is changed */
    gives(UPDATE "@@ def b():\n def b():\n-    x\n" END, "def a():\n    x\ndef b():\n    x\n",
          "def a():\n    x\ndef b():\n");
    gives(UPDATE "@@\n-x\n+y\n*** End of File\n" END, "x\nx\n", "x\ny\n");
    gives(UPDATE "@@\n+end\n" END, "one\n", "one\nend\n");
    gives(UPDATE "@@ one\n+after\n" END, "one\ntwo\n", "one\nafter\ntwo\n");
    gives(UPDATE "@@\n one\n\n-two\n" END, "one\n\ntwo\n", "one\n\n");
    gives(BEGIN "*** Add File: a\n+one\n+\n+two\n" END, "", "one\n\ntwo\n");
}

static void bytes_nobody_changed_stay(void **state UNUSED)
{
    gives(UPDATE " one\n-two\n+2\n three\n" END, "one\r\ntwo\r\nthree\r\n",
          "one\r\n2\r\nthree\r\n");
    gives(UPDATE " one\n-two\n+2\n" END, "one \ntwo\t\nthree", "one \n2\nthree");
    gives(UPDATE "-one\n+1\n" END, "\xef\xbb\xbfone\ntwo\n",
          "\xef\xbb\xbf"
          "1\ntwo\n");
    gives(UPDATE "-two\n+2\n" END, "l\xe4tin\ntwo\n", "l\xe4tin\n2\n");
    /* no line break at the end */
    gives(UPDATE "-two\n+2\n" END, "one\ntwo", "one\n2");
    gives(UPDATE " two\n+three\n" END, "one\ntwo", "one\ntwo\nthree");
    gives(UPDATE "-one\n" END, "one\ntwo", "two");
    gives(UPDATE "-two\n" END, "one\ntwo", "one");
    gives(UPDATE "-one\r\n+1\r\n" END, "one\ntwo\n", "1\ntwo\n");
}

static void what_does_not_fit_is_explained(void **state UNUSED)
{
    refuses(UPDATE "@@\n one\n-two\n+2\n" END, "one\n2wo\n",
            "'a', hunk 1 (line 3 of the patch): expected 'two' at line 2, found '2wo'");
    refuses(UPDATE " one\n-two\n" END, "one\n", "expected 'two' at line 2, found 'the end'");
    refuses(UPDATE "-none\n" END, "one\ntwo\n", "expected 'none', but no line of the 2 is that");
    refuses(UPDATE "-two\n+2\n@@\n-four\n" END, "one\ntwo\n",
            "hunk 2 (line 5 of the patch): expected 'four', but no line after line 2 is that");
    refuses(
        UPDATE "-two\n+2\n@@\n-one\n" END, "one\ntwo\n",
        "hunk 2 (line 5 of the patch): it is at line 1, before what the hunk before it changes");
    refuses(UPDATE " x\n-y\n" END, "x\ny\nx\ny\n",
            "it fits at line 1 and at line 3: give more lines around it");
    refuses(UPDATE "@@ nothing\n-x\n" END, "x\n",
            "no line after line 0 is 'nothing', which stands after '@@'");
    refuses(UPDATE "@@ def f():\n-  1\n" END, "def f():\n  1\ndef f():\n  1\n",
            "it fits at line 2");
    refuses(UPDATE "-x\n*** End of File\n" END, "x\ny\n",
            "it is not at the end of the file but at line 1");
    refuses(UPDATE "  one\n-two\n" END, "one\ntwo\n", "expected ' one'");
}

static void a_broken_patch_is_refused_with_its_line(void **state UNUSED)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "", "the patch names no file" },
        { BEGIN END, "the patch names no file" },
        { "hello\n", "line 1 of the patch, 'hello': expected '--- file' and '+++ file'" },
        { BEGIN "*** Change File: a\n" END, "line 2 of the patch, '*** Change File: a': expected" },
        { BEGIN "*** Update File:\n" END, "it names no file" },
        { UPDATE "-x\n", "the patch ends too early: expected" },
        { UPDATE END, "'a': the patch says no change" },
        { UPDATE " x\n" END, "'a', hunk 1 (line 3 of the patch): it changes nothing" },
        { UPDATE "@@\n-x\nint y;\n" END, "line 5 of the patch, 'int y;': lines must begin with" },
        { UPDATE "int x;\n" END, "line 3 of the patch, 'int x;': lines must begin with" },
        { BEGIN "*** Add File: a\nx\n" END, "lines of an added file must begin with '+'" },
        { BEGIN "*** Add File: a\n+x\n\n+y\n" END, "lines of an added file must begin with '+'" },
        { "--- a/x\n+++ b/x\n", "expected '@@ -line,count +line,count @@'" },
        { "--- a/x\n+++ b/x\n@@ somewhere @@\n-y\n", "expected '@@ -line,count +line,count @@'" },
        { "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n", "the two lines name no file" },
        { "diff --git a/x b/y\nrename from \nrename to y\n", "it names no file" },
        { "Binary files a/x and b/x differ\n", "expected '--- file'" },
    };
    CLEANUP(arena) struct arena a = { 0 };
    struct patch p;
    struct err e;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (parse(&a, rows[i].text, &p, &e) == 0 || !strstr(e.msg, rows[i].says))
            fail_msg("%s\n%s", rows[i].text, e.msg);
}

static void unified_diffs_are_read(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct patch_file *f;
    struct patch p;
    struct err e;

    assert_int_equal(parse(&a,
                           "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\t2024-01-01\n"
                           "+++ b/x.c\n@@ -1,2 +1,2 @@ int main\n one\n-two\n+2\n"
                           "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n"
                           "@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
                           "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
                           "diff --git a/from b/to\nsimilarity index 100%\nrename from from\n"
                           "rename to to\n"
                           "diff --git a/y b/z\nrename from y\nrename to z\n--- a/y\n+++ b/z\n"
                           "@@ -1 +1 @@\n--- a\n+++ b\n",
                           &p, &e),
                     0);
    assert_int_equal(p.count, 5);
    f = p.first;
    assert_string_equal(f->path, "x.c");
    assert_null(f->move_to);
    assert_int_equal(f->hunks->old_line, 1);
    f = f->next;
    assert_int_equal(f->kind, PATCH_ADD);
    assert_true(f->hunks->lines[0].open);
    f = f->next;
    assert_int_equal(f->kind, PATCH_DELETE);
    assert_string_equal(f->path, "gone");
    f = f->next;
    assert_string_equal(f->path, "from");
    assert_string_equal(f->move_to, "to");
    f = f->next;
    assert_string_equal(f->move_to, "z");
    assert_int_equal(f->hunks->count, 2); /* "-- a" goes and "++ b" comes: no header */
    assert_true(str_is(f->hunks->lines[1].text, "++ b"));
}

static void unified_diffs_are_applied(void **state UNUSED)
{
#define HEAD "--- a/a\n+++ b/a\n"
    gives(HEAD "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", "one\ntwo\nthree\n", "one\n2\nthree\n");
    /* the number decides between places that fit */
    gives(HEAD "@@ -3 +3 @@\n-x\n+y\n", "x\na\nx\nb\nx\n", "x\na\ny\nb\nx\n");
    gives(HEAD "@@ -2,0 +3,1 @@\n+new\n", "1\n2\n3\n", "1\n2\nnew\n3\n");
    gives(HEAD "@@ -0,0 +1,1 @@\n+new\n", "1\n", "new\n1\n");
    /* and is otherwise not believed, no more than the counts */
    gives(HEAD "@@ -70,9 +70,9 @@\n one\n-two\n+2\n", "one\ntwo\n", "one\n2\n");
    gives(HEAD "@@ -1,1 +1,1 @@\n one\n-two\n+2\n\n", "one\ntwo\n", "one\n2\n");
    gives(HEAD "@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-one\n+3\n", "one\ntwo\none\n", "1\ntwo\n3\n");
    gives(HEAD "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\n", "one", "one\n");
    gives(HEAD "@@ -1 +1 @@\n-one\n+one\n\\ No newline at end of file\n", "one\n", "one");
    refuses(HEAD "@@ -7 +7 @@\n-x\n+y\n", "x\na\nx\n", "it fits at line 1 and at line 3");
    refuses(HEAD "@@ -2 +2 @@\n-x\n", "a\nb\n", "'a', hunk 1 (line 3 of the patch): expected 'x'");
}

TESTS(cmocka_unit_test(all_kinds_of_sections_are_read),
      cmocka_unit_test(lines_are_changed_where_their_context_is),
      cmocka_unit_test(bytes_nobody_changed_stay), cmocka_unit_test(what_does_not_fit_is_explained),
      cmocka_unit_test(a_broken_patch_is_refused_with_its_line),
      cmocka_unit_test(unified_diffs_are_read), cmocka_unit_test(unified_diffs_are_applied))
