/* Who gets which skills: tests/cases/skills-injector. Here: what becomes of one that is edited. */
#include "bed.h"
#include "builtin/builtin.h"

#define SYSTEM "experimental.chat.system.transform"
#define CONFIG "agents: { builder: { skills: [review] } }"

static void write_skill(struct bed *bed, const char *text)
{
    const char *path = path_join(&bed->arena, bed->dir.path, ".hooke/skills/review/SKILL.md");

    assert_int_equal(file_write(path, str_of(text), 0600, NULL), 0);
}

static const char *said(struct bed *bed)
{
    bed_emit(bed, SYSTEM, NULL);
    return bed->receipt.verdict.injections ? bed->receipt.verdict.injections->text : NULL;
}

static void open_bed(struct bed *bed)
{
    bed_open(bed, builtin_hooks, CONFIG);
    bed->session.agent = "builder";
    write_skill(bed, "Read twice.");
}

static void a_session_keeps_the_text_it_began_with(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    assert_string_equal(said(&bed), "<skill name=\"review\">\nRead twice.\n</skill>");
    write_skill(&bed, "Read once.");
    assert_string_equal(said(&bed), "<skill name=\"review\">\nRead twice.\n</skill>");
    bed.session.id = "s2";
    assert_string_equal(said(&bed), "<skill name=\"review\">\nRead once.\n</skill>");
}

static void a_compaction_lets_the_new_text_in(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed);
    assert_non_null(said(&bed));
    write_skill(&bed, "Read once.");
    bed_emit(&bed, "session.compacted", NULL);
    assert_string_equal(said(&bed), "<skill name=\"review\">\nRead once.\n</skill>");
}

static void a_skill_that_is_written_later_comes_in(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, CONFIG);
    bed.session.agent = "builder";
    assert_null(said(&bed));
    assert_int_equal(bed.receipt.warning_count, 1);
    write_skill(&bed, "Read twice.");
    assert_non_null(said(&bed));
}

TESTS(cmocka_unit_test(a_session_keeps_the_text_it_began_with),
      cmocka_unit_test(a_compaction_lets_the_new_text_in),
      cmocka_unit_test(a_skill_that_is_written_later_comes_in))
