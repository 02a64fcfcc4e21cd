#include "agent/shell_env.h"
#include "base/clock.h"
#include "hook/spill.h"
#include "tool_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>

static void run(struct tool_bed *b, const char *command, const char *output)
{
    const struct json *args =
        json_with(&b->arena, NULL, STR("command"), json_cstring(&b->arena, command));

    assert_int_equal(tool_bed_call(b, "bash", json_text(&b->arena, args)), 0);
    if (output)
        assert_string_equal(b->result.output.ptr, output);
}

static void output_errors_and_exit_codes_are_told(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    run(&b, "echo out; echo err >&2", "out\nerr\n");
    assert_false(b.result.failed);
    run(&b, "printf out; echo err >&2; exit 3", "out\nerr\n\n(exit code 3)\n");
    assert_true(b.result.failed);
    assert_non_null(strstr(json_text(&b.arena, b.result.metadata), "\"exit_code\":3"));
    run(&b, "true", "(no output)");
    run(&b, "exit 1", "(exit code 1)\n");
    run(&b, "nothing-of-that-name", NULL);
    assert_non_null(strstr(b.result.output.ptr, "(exit code 127)"));
    run(&b, "kill -9 $$", NULL);
    assert_non_null(strstr(b.result.output.ptr, "(the command was killed by SIGKILL"));
    assert_true(b.result.failed);
    run(&b, "cat; echo end", "end\n"); /* there is no input */
    run(&b, "printf 'a\\377b'", "a\377b");
}

static void it_runs_in_the_working_folder(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "sub/x", "");
    b.call.cwd = tool_bed_path(&b, "sub");
    run(&b, "pwd", arena_printf(&b.arena, "%s\n", b.call.cwd));
    b.call.cwd = tool_bed_path(&b, "gone");
    tool_fails(&b, "bash", "{\"command\":\"pwd\"}", "could not be started");
}

static void words_before_it_run_it(void **state UNUSED)
{
    static const char *const prefix[] = { "/usr/bin/env", "WRAPPED=yes", NULL };
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    b.call.argv_prefix = prefix;
    run(&b, "echo $WRAPPED", "yes\n");
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) < 0;
}

static void at_the_timeout_all_it_started_is_ended(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    uint64_t end;
    pid_t pid;

    tool_bed_open(&b);
    tool_works(&b, "bash", "{\"command\":\"true\",\"timeout\":1}", NULL);
    assert_int_equal(tool_bed_call(&b, "bash",
                                   "{\"command\":\"sleep 600 & echo $!; echo $! > pid; wait\","
                                   "\"timeout\":1}"),
                     0);
    assert_true(b.result.failed);
    assert_non_null(strstr(b.result.output.ptr, "(the command timed out after 1 s"));
    pid = (pid_t)strtol(tool_bed_text(&b, "pid"), NULL, 10);
    assert_int_equal(strtol(b.result.output.ptr, NULL, 10), pid);
    end = clock_mono_ns() + UINT64_C(10000000000);
    while (!is_gone(pid) && clock_mono_ns() < end)
        sched_yield();
    assert_true(is_gone(pid));
    tool_fails(&b, "bash", "{\"command\":\"true\",\"timeout\":0}", "must be at least 1");
    tool_fails(&b, "bash", "{\"command\":\"true\",\"timeout\":3601}", "must be at most 3600");
}

static void an_abort_ends_it(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    int ends[2];

    tool_bed_open(&b);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    b.call.abort_fd = ends[0];
    run(&b, "sleep 600", NULL);
    assert_true(b.result.failed);
    close(ends[0]);
    close(ends[1]);
}

/* The path in "(… bytes left out; all of it: PATH)". */
static char *file_named(struct tool_bed *b)
{
    const char *at = strstr(b->result.output.ptr, "all of it: ");

    assert_non_null(at);
    at += strlen("all of it: ");
    return arena_cstr(&b->arena, (struct str){ at, strcspn(at, ")") });
}

static void long_output_is_cut_in_the_middle_and_kept_in_a_file(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    struct str all;
    char *file;

    tool_bed_open(&b);
    run(&b, "seq 100000", NULL);
    assert_true(b.result.output.len < 31000);
    assert_memory_equal(b.result.output.ptr, "1\n2\n3\n", 6);
    assert_non_null(strstr(b.result.output.ptr, " bytes left out; all of it: "));
    assert_non_null(strstr(b.result.output.ptr, "\n99999\n100000\n"));
    file = file_named(&b);
    assert_int_equal(file_read(&b.arena, file, (size_t)8 << 20, &all, NULL), 0);
    assert_int_equal(all.len, 588895);
    /* the session may look into it, another may not */
    tool_works(&b, "grep", arena_printf(&b.arena, "{\"pattern\":\"^5555$\",\"path\":\"%s\"}", file),
               arena_printf(&b.arena, "%s:5555:5555\n", file));
    tool_works(&b, "read",
               arena_printf(&b.arena, "{\"path\":\"%s\",\"offset\":70000,\"limit\":1}", file),
               NULL);
    assert_memory_equal(b.result.output.ptr, " 70000\t70000\n", 13);
    tool_fails(&b, "write", arena_printf(&b.arena, "{\"path\":\"%s\",\"content\":\"\"}", file),
               "is outside the workspace");
    b.call.session = "s2";
    tool_fails(&b, "read", arena_printf(&b.arena, "{\"path\":\"%s\"}", file),
               "is outside the workspace");
}

static void output_beyond_what_is_kept_is_said(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    run(&b, "head -c 9000000 /dev/zero | tr '\\0' x", NULL);
    assert_non_null(strstr(b.result.output.ptr,
                           "(of 9000000 bytes of output only the first 8388608 were kept)"));
}

static size_t files_in(const char *dir)
{
    DIR *stream = opendir(dir);
    const struct dirent *d;
    size_t count = 0;

    assert_non_null(stream);
    while ((d = readdir(stream)))
        count += d->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void only_the_newest_files_are_kept(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    char *dir, *last = NULL;

    tool_bed_open(&b);
    dir = path_join(&b.arena, b.top, "state/.local/state/hooke/outputs");
    for (int i = 0; i < SPILL_FILES + 3; i++) {
        struct timespec times[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };

        last = spill_write(&b.arena, i == 0 ? "a/b" : "s1", STR("text"));
        assert_non_null(last);
        assert_int_equal(utimensat(AT_FDCWD, last, times, 0), 0);
    }
    last = spill_write(&b.arena, "s1", STR("text"));
    assert_int_equal(files_in(dir), SPILL_FILES);
    assert_int_equal(access(last, F_OK), 0);
    assert_true(spill_is(&b.arena, "s1", last));
    assert_false(spill_is(&b.arena, "s", last));
}

static void keys_and_own_variables_stay_out_of_the_environment(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    const struct json *added;

    tool_bed_open(&b);
    setenv("ANTHROPIC_API_KEY", "sesame", 1);
    setenv("GOOGLE_API_KEY", "sesame", 1);
    setenv("HOOKE_STORE", "/somewhere", 1);
    setenv("HOOKE_SESSION", "another", 1);
    setenv("KEPT", "yes", 1);
    b.call.env = shell_env(&b.arena, NULL, "s1", NULL);
    run(&b, "env | grep -E '^(HOOKE_|KEPT|.*API_KEY)' | sort", "HOOKE_SESSION=s1\nKEPT=yes\n");
    added = json_with(&b.arena, NULL, STR("GOOGLE_API_KEY"), json_cstring(&b.arena, "given"));
    b.call.env = shell_env(&b.arena, NULL, "s1", added);
    run(&b, "echo $GOOGLE_API_KEY", "given\n");
}

TESTS(cmocka_unit_test(output_errors_and_exit_codes_are_told),
      cmocka_unit_test(it_runs_in_the_working_folder), cmocka_unit_test(words_before_it_run_it),
      cmocka_unit_test(at_the_timeout_all_it_started_is_ended), cmocka_unit_test(an_abort_ends_it),
      cmocka_unit_test(long_output_is_cut_in_the_middle_and_kept_in_a_file),
      cmocka_unit_test(output_beyond_what_is_kept_is_said),
      cmocka_unit_test(only_the_newest_files_are_kept),
      cmocka_unit_test(keys_and_own_variables_stay_out_of_the_environment))
