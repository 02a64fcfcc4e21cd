/* Programs as hooks: how they are started, what they are told, what becomes of their ends. */
#include "base/clock.h"
#include "bed.h"

#include <sys/stat.h>

static void configure(struct bed *bed, const char *keys)
{
    bed_configure(
        bed, NULL,
        arena_printf(&bed->arena, "hooks:\n  - name: prog\n    on: tool.execute.before\n%s", keys));
}

static const struct hook_run *run(struct bed *bed, const char *keys)
{
    configure(bed, keys);
    bed_emit(bed, "tool.execute.before", "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}");
    assert_int_equal(bed->receipt.run_count, 1);
    return &bed->receipt.runs[0];
}

static void write_script(struct bed *bed, const char *name, const char *text, mode_t mode)
{
    char *path = path_join(&bed->arena, bed->dir.path, name);

    assert_int_equal(file_write(path, str_of(text), mode, NULL), 0);
}

static void a_text_is_run_by_a_shell_and_reads_the_event(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    run(&bed,
        "    exec: 'grep -q \"\\\"command\\\":\\\"ls\\\"\" && { echo no ls >&2; exit 2; }'\n");
    assert_string_equal(bed_verdict(&bed), "{\"decision\":\"block\",\"reason\":\"no ls\"}");
}

static void a_list_is_executed_directly_beside_its_configuration(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;

    bed_open(&bed, NULL, NULL);
    write_script(&bed, "my hook.sh", "#!/bin/sh\necho \"{\\\"say\\\":\\\"$1 $2\\\"}\"\n", 0755);
    r = run(&bed, "    exec: ['./my hook.sh', 'a b', '$HOME']\n");
    assert_int_equal(r->end, RUN_DONE);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"a b $HOME\"}");
}

static void it_runs_in_the_folder_of_the_session_and_knows_where_it_is(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    bed.session.cwd = "/usr";
    run(&bed, "    exec: 'cat >/dev/null; printf \"{\\\"say\\\":\\\"%s\\\"}\""
              " \"$PWD $HOOKE_SESSION $HOOKE_HOOK $HOOKE_POINT $HOOKE_DEPTH\"'\n");
    assert_string_equal(bed.receipt.verdict.say, "/usr s1 prog tool.execute.before 1");
}

static void keys_of_providers_are_passed_only_when_named(void **state UNUSED)
{
    static const char echo[] =
        "    exec: 'printf \"{\\\"say\\\":\\\"%s\\\"}\" \"$OPENAI_API_KEY-$ANTHROPIC_API_KEY-$MINE\"'\n";
    CLEANUP(bed) struct bed bed = { 0 };

    setenv("OPENAI_API_KEY", "open", 1);
    setenv("ANTHROPIC_API_KEY", "anthropic", 1);
    bed_open(&bed, NULL, NULL);
    run(&bed, echo);
    assert_string_equal(bed.receipt.verdict.say, "--");
    run(&bed, arena_printf(&bed.arena, "%s    env: [OPENAI_API_KEY]\n", echo));
    assert_string_equal(bed.receipt.verdict.say, "open--");
    run(&bed, arena_printf(&bed.arena, "%s    env: { MINE: 7 }\n", echo));
    assert_string_equal(bed.receipt.verdict.say, "--7");
    unsetenv("OPENAI_API_KEY");
    unsetenv("ANTHROPIC_API_KEY");
}

static void a_program_that_stalls_costs_its_own_timeout_only(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();
    const struct hook_run *r;

    bed_open(&bed, NULL, NULL);
    r = run(&bed, "    exec: 'sleep 60'\n    timeout: 100ms\n    on_failure: block\n");
    assert_true(clock_mono_ns() - began < 10000000000u);
    assert_int_equal(r->end, RUN_TIMED_OUT);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "hook 'prog' timed out after"));
}

static void failures_say_what_happened(void **state UNUSED)
{
    static const struct {
        const char *keys, *says;
    } rows[] = {
        { "    exec: 'echo bad luck >&2; exit 3'\n", "exited with code 3: bad luck" },
        { "    exec: [./none.sh]\n", "could not be started" },
        { "    exec: [./plain.txt]\n", "not executable" },
        { "    exec: 'kill -SEGV $$'\n", "SEGV" },
        { "    exec: 'echo {'\n", "gave a bad answer" },
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    write_script(&bed, "plain.txt", "#!/bin/sh\n", 0644);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct hook_run *r = run(&bed, rows[i].keys);

        assert_int_equal(r->end, RUN_FAILED);
        if (!strstr(r->detail, rows[i].says))
            fail_msg("%s: %s", rows[i].keys, r->detail);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    }
}

static void the_receipt_counts_bytes_and_keeps_the_head_of_stderr(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;

    bed_open(&bed, NULL, NULL);
    r = run(&bed, "    exec: 'cat >/dev/null; echo careful >&2; echo \"{\\\"colour\\\":1}\"'\n");
    assert_true(r->io->bytes_in > 100);
    assert_int_equal(r->io->bytes_out, 13);
    assert_string_equal(r->io->stderr_head, "careful");
    assert_string_equal(bed.receipt.warnings[0], "hook 'prog': unknown field 'colour'");
}

/* Each waits until all of them are there, which they only are when they run side by side. */
static void observers_run_side_by_side_and_see_the_verdict(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf yaml = { 0 };

    bed_open(&bed, NULL, NULL);
    strbuf_addstr(&yaml, "hooks:\n  - { name: no, on: PreToolUse, block: never }\n");
    for (const char *name = "abc"; *name; name++)
        strbuf_printf(&yaml,
                      "  - name: %c\n    on: PreToolUse\n    mode: observe\n"
                      "    exec: 'cd %s && cat > %c && for i in $(seq 500); do"
                      " [ -e a ] && [ -e b ] && [ -e c ] && exit 0; sleep 0.02; done; exit 1'\n",
                      *name, bed.dir.path, *name);
    bed_configure(&bed, NULL, yaml.buf);
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_int_equal(bed.receipt.run_count, 4);
    for (size_t i = 1; i < 4; i++) {
        const char *name = bed.receipt.runs[i].hook->name;
        struct str seen;

        assert_int_equal(bed.receipt.runs[i].end, RUN_DONE);
        assert_int_equal(
            file_read(&bed.arena, path_join(&bed.arena, bed.dir.path, name), 1 << 16, &seen, NULL),
            0);
        assert_non_null(
            strstr(seen.ptr, "\"verdict\":{\"decision\":\"block\",\"reason\":\"never\"}"));
    }
}

static void a_condition_decides_whether_it_is_started(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    run(&bed, "    exec: 'echo no >&2; exit 2'\n    when: tool == 'read'\n");
    assert_string_equal(bed_verdict(&bed), "{}");
    run(&bed, "    exec: 'echo no >&2; exit 2'\n    when: tool == 'bash'\n");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void a_guard_knows_its_second_look(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL,
             "hooks:\n"
             "  - { name: guard, layer: guard, on: PreToolUse,"
             " exec: 'test -z \"$HOOKE_AGAIN\" || { echo seen again >&2; exit 2; }' }\n"
             "  - { name: change, on: PreToolUse, replace: { args: { command: x } } }\n");
    bed_emit(&bed, "tool.execute.before", "{\"args\":{}}");
    assert_string_equal(bed.receipt.verdict.reason, "seen again");
}

static void inside_a_hook_only_what_runs_in_process_runs(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { .depth = 1 };

    bed_open(&bed, NULL,
             "hooks:\n"
             "  - { name: prog, on: PreToolUse, exec: 'echo no >&2; exit 2' }\n"
             "  - { name: rule, on: PreToolUse, say: still here }\n");
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed_verdict(&bed), "{\"say\":\"still here\"}");
    assert_int_equal(bed.receipt.held[0].why, HELD_DEPTH);
}

TESTS(cmocka_unit_test(a_text_is_run_by_a_shell_and_reads_the_event),
      cmocka_unit_test(a_list_is_executed_directly_beside_its_configuration),
      cmocka_unit_test(it_runs_in_the_folder_of_the_session_and_knows_where_it_is),
      cmocka_unit_test(keys_of_providers_are_passed_only_when_named),
      cmocka_unit_test(a_program_that_stalls_costs_its_own_timeout_only),
      cmocka_unit_test(failures_say_what_happened),
      cmocka_unit_test(the_receipt_counts_bytes_and_keeps_the_head_of_stderr),
      cmocka_unit_test(observers_run_side_by_side_and_see_the_verdict),
      cmocka_unit_test(a_condition_decides_whether_it_is_started),
      cmocka_unit_test(a_guard_knows_its_second_look),
      cmocka_unit_test(inside_a_hook_only_what_runs_in_process_runs))
