#include "bed.h"
#include "builtin/builtin.h"

#include <unistd.h>

#define ALWAYS "---\nalwaysApply: true\n---\n"

static char *in_bed(struct bed *bed, const char *name)
{
    return path_join(&bed->arena, bed->dir.path, name);
}

static void put(struct bed *bed, const char *name, const char *text)
{
    assert_int_equal(file_write(in_bed(bed, name), str_of(text), 0644, NULL), 0);
}

static void open_bed(struct bed *bed, const char *yaml)
{
    bed_open(bed, builtin_hooks, yaml);
    bed->session.cwd = bed->dir.path;
    put(bed, ".git/HEAD", "x");
    put(bed, "a.c", "x");
}

static size_t rules_after_read(struct bed *bed)
{
    size_t count = 0;

    bed_emit(bed, "tool.execute.after", "{\"tool\":\"read\",\"args\":{\"path\":\"a.c\"}}");
    for (const struct injection *i = bed->receipt.verdict.injections; i; i = i->next)
        count += strcmp(i->source, "rules-injector") == 0;
    return count;
}

static void a_link_to_a_rule_is_the_rule_and_one_that_leads_out_is_none(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the rule");
    put(&bed, ".cursor/rules/x.md", "");
    put(&bed, "../hooke-test-rule.md", ALWAYS "from outside");
    assert_int_equal(symlink("../../.hooke/rules/one.md", in_bed(&bed, ".cursor/rules/two.md")), 0);
    assert_int_equal(symlink("../../../hooke-test-rule.md", in_bed(&bed, ".cursor/rules/three.md")),
                     0);
    assert_int_equal(rules_after_read(&bed), 1);
    assert_null(strstr(bed_verdict(&bed), "outside"));
    assert_int_equal(unlink(in_bed(&bed, "../hooke-test-rule.md")), 0);
}

static void a_folder_that_holds_itself_is_searched_to_an_end(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the rule");
    assert_int_equal(symlink(".", in_bed(&bed, ".hooke/rules/loop")), 0);
    assert_int_equal(rules_after_read(&bed), 1);
}

static void a_changed_rule_is_not_said_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the rule");
    assert_int_equal(rules_after_read(&bed), 1);
    put(&bed, ".hooke/rules/one.md", ALWAYS "another rule");
    assert_int_equal(rules_after_read(&bed), 0);
}

static void rules_that_pass_the_budget_come_later(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hooks: [{ name: rules-injector, budget: { tokens: 60 } }]");
    put(&bed, ".hooke/rules/one.md", ALWAYS "11111111112222222222333333333344444444445555555555");
    put(&bed, ".hooke/rules/two.md", ALWAYS "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee");
    put(&bed, ".hooke/rules/xxx.md", ALWAYS "a third of a length that does not fit beside others");
    assert_int_equal(rules_after_read(&bed), 2);
    assert_int_equal(rules_after_read(&bed), 1);
    assert_int_equal(rules_after_read(&bed), 0);
}

static void a_long_rule_is_cut(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    open_bed(&bed, "hooks: [{ name: rules-injector, max_size: 256 }]");
    strbuf_addstr(&text, ALWAYS);
    for (int i = 0; i < 100; i++)
        strbuf_printf(&text, "line %d\n", i);
    put(&bed, ".hooke/rules/one.md", strbuf_cstr(&text));
    assert_int_equal(rules_after_read(&bed), 1);
    assert_non_null(strstr(bed_verdict(&bed), "line 1\\n"));
    assert_non_null(
        strstr(bed_verdict(&bed), "[cut here: read '.hooke/rules/one.md' for the rest]"));
    assert_null(strstr(bed_verdict(&bed), "line 99"));
}

static void compact(struct bed *bed, const char *summary, int64_t window)
{
    bed->session.usage =
        json_with(&bed->arena, NULL, STR("max_context_window"), json_int(&bed->arena, window));
    bed_emit(bed, "session.compacted", "{}");
    bed_emit(bed, "session.created",
             arena_printf(&bed->arena, "{\"source\":\"compact\",\"summary\":\"%s\"}", summary));
}

static void what_a_summary_has_lost_is_put_back_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the first rule");
    put(&bed, ".hooke/rules/two.md", ALWAYS "the other rule");
    assert_int_equal(rules_after_read(&bed), 2);
    bed_emit(&bed, "session.created", "{\"source\":\"resume\"}");
    assert_null(bed.receipt.verdict.injections);
    compact(&bed, "keep to the first rule", 100000);
    assert_null(strstr(bed_verdict(&bed), "the first rule"));
    assert_non_null(strstr(bed_verdict(&bed), "the other rule"));
    assert_int_equal(rules_after_read(&bed), 0);
}

static void no_more_than_a_tenth_of_the_window_is_put_back(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the rule");
    assert_int_equal(rules_after_read(&bed), 1);
    compact(&bed, "", 100);
    assert_null(bed.receipt.verdict.injections);
    assert_int_equal(rules_after_read(&bed), 1);
}

static void a_rule_that_is_gone_is_not_put_back(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    put(&bed, ".hooke/rules/one.md", ALWAYS "the rule");
    assert_int_equal(rules_after_read(&bed), 1);
    assert_int_equal(unlink(in_bed(&bed, ".hooke/rules/one.md")), 0);
    compact(&bed, "", 0);
    assert_null(bed.receipt.verdict.injections);
}

TESTS(cmocka_unit_test(a_link_to_a_rule_is_the_rule_and_one_that_leads_out_is_none),
      cmocka_unit_test(a_folder_that_holds_itself_is_searched_to_an_end),
      cmocka_unit_test(a_changed_rule_is_not_said_again),
      cmocka_unit_test(rules_that_pass_the_budget_come_later),
      cmocka_unit_test(what_a_summary_has_lost_is_put_back_once),
      cmocka_unit_test(no_more_than_a_tenth_of_the_window_is_put_back),
      cmocka_unit_test(a_rule_that_is_gone_is_not_put_back), cmocka_unit_test(a_long_rule_is_cut))
