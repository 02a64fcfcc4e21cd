#include "bed.h"
#include "builtin/builtin.h"

#include <unistd.h>

/* A program that writes its words, one a line, to the file "told". */
static void open_bed(struct bed *bed, const char *more)
{
    const char *script, *yaml;

    bed_open(bed, builtin_hooks, "");
    script = path_join(&bed->arena, bed->dir.path, "tell.sh");
    assert_int_equal(file_write(script,
                                str_of(arena_printf(
                                    &bed->arena, "#!/bin/sh\nprintf '%%s\\n' \"$@\" >> %s/told\n",
                                    bed->dir.path)),
                                0755, NULL),
                     0);
    yaml = arena_printf(&bed->arena,
                        "hooks: [{ name: notify, enabled: true, command: [%s, \"{kind}\", "
                        "\"{title}\", \"{text}\", \"{x} {\"]%s }]",
                        script, more);
    bed_configure(bed, builtin_hooks, yaml);
    bed->session.cwd = "/srv/project";
}

/* What was told since the last time. */
static const char *told(struct bed *bed)
{
    const char *path = path_join(&bed->arena, bed->dir.path, "told");
    struct str text = { 0 };

    if (file_read(&bed->arena, path, 10000, &text, NULL) < 0)
        return "";
    unlink(path);
    return text.ptr;
}

static void tells_that_the_agent_is_done_with_its_last_words(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    bed_emit(&bed, "agent.stop",
             "{\"messages\":[{\"role\":\"user\",\"content\":\"go\"},{\"role\":\"assistant\","
             "\"content\":[{\"type\":\"text\",\"text\":\"All\\n$(done) '\\\"; ls\"}]},"
             "{\"role\":\"tool\",\"content\":[]}]}");
    assert_string_equal(told(&bed), "done\nproject is done\nAll $(done) '\"; ls\n{x} {\n");
}

static void tells_that_a_person_is_waited_for(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    bed_emit(&bed, "notification", "{\"kind\":\"permission\",\"message\":\"may I?\"}");
    assert_string_equal(told(&bed), "waiting\nproject waits for you\nmay I?\n{x} {\n");
    bed_emit(&bed, "notification", "{\"kind\":\"idle\"}");
    assert_string_equal(told(&bed), "waiting\nproject waits for you\nidle\n{x} {\n");
    bed_emit(&bed, "notification", NULL);
    assert_string_equal(told(&bed), "waiting\nproject waits for you\n\n{x} {\n");
}

static void a_stop_that_is_none_is_not_told(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "");
    bed_emit(&bed, "agent.stop", "{\"todos\":[{\"content\":\"x\",\"status\":\"pending\"}]}");
    assert_int_equal(bed.receipt.verdict.result, VERDICT_CONTINUE);
    assert_string_equal(told(&bed), "");
    bed_emit(&bed, "agent.stop", "{}");
    assert_string_equal(told(&bed), "done\nproject is done\n\n{x} {\n");
}

static void subagents_and_other_kinds_are_not_told(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, ", kinds: waiting");
    bed_emit(&bed, "agent.stop", "{}");
    assert_string_equal(told(&bed), "");
    bed.session.parent = "s0";
    bed_emit(&bed, "notification", "{\"message\":\"x\"}");
    assert_string_equal(told(&bed), "");
}

static void a_program_that_is_not_there_is_a_failed_run_and_no_more(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: notify, enabled: true, command: [/none/such, x] }]");
    bed_emit(&bed, "agent.stop", "{}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "hook 'notify' could not tell: '/none/such'"));
}

static void a_long_text_is_cut_between_characters(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    for (int i = 0; i < 300; i++)
        strbuf_addstr(&text, i ? "ä" : "a");
    open_bed(&bed, "");
    bed_emit(&bed, "notification",
             arena_printf(&bed.arena, "{\"message\":\"%s\"}", strbuf_cstr(&text)));
    assert_non_null(strstr(told(&bed), "ää…\n{x}"));
}

TESTS(cmocka_unit_test(tells_that_the_agent_is_done_with_its_last_words),
      cmocka_unit_test(tells_that_a_person_is_waited_for),
      cmocka_unit_test(a_stop_that_is_none_is_not_told),
      cmocka_unit_test(subagents_and_other_kinds_are_not_told),
      cmocka_unit_test(a_program_that_is_not_there_is_a_failed_run_and_no_more),
      cmocka_unit_test(a_long_text_is_cut_between_characters))
