#include "bed.h"
#include "builtin/builtin.h"

static void put(struct bed *bed, const char *name, const char *text)
{
    char *path = path_join(&bed->arena, bed->dir.path, name);

    assert_int_equal(file_write(path, str_of(text), 0644, NULL), 0);
}

static void a_system_prompt_that_has_the_readme_changes_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: directory-readme, enabled: true }]");
    bed.session.cwd = bed.dir.path;
    put(&bed, ".git/HEAD", "x");
    put(&bed, "README.md", "about it");
    put(&bed, "a.c", "x");
    bed_emit(&bed, "experimental.chat.system.transform", "{\"system\":[\"about it\"]}");
    assert_false(bed_ran(&bed, "directory-readme"));
    bed_emit(&bed, "tool.execute.after", "{\"tool\":\"read\",\"args\":{\"path\":\"a.c\"}}");
    assert_true(bed_ran(&bed, "directory-readme"));
    assert_non_null(strstr(bed_verdict(&bed), "[README.md]\\nabout it"));
}

TESTS(cmocka_unit_test(a_system_prompt_that_has_the_readme_changes_nothing))
