/* The next process of a command, started ahead: when it is used, when not, and that it never stays.
 */
#include "bed.h"
#include "child.h"

#include <sys/stat.h>

/* Says the number of its process, after it has read its event. */
static const char script[] = "#!/bin/sh\nread -r event\necho \"{\\\"say\\\":\\\"$$\\\"}\"\n";

static void open_bed(struct bed *bed, const char *keys)
{
    struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    uint64_t until = child_in(5000);
    char *file;

    bed_open(bed, NULL, NULL);
    file = path_join(&bed->arena, bed->dir.path, "x.sh");
    assert_int_equal(file_write(file, str_of(script), 0755, NULL), 0);
    assert_int_equal(utimensat(AT_FDCWD, file, old, 0), 0);
    bed_configure(bed, NULL,
                  arena_printf(&bed->arena,
                               "hooks: [{ name: x, on: [PreToolUse, turn.after], exec: [./x.sh], "
                               "prewarm: true, %s }]\n",
                               keys));
    bed->session.cwd = bed->dir.path;
    do { /* a file this young is not trusted to stay as it is */
        bed_emit(bed, "tool.execute.before", NULL);
        assert_true(clock_mono_ns() < until);
    } while (child_signal_all(0) == 0);
}

/* The number of the process that waits. */
static const char *waiting(struct bed *bed)
{
    DIR *dir = opendir("/proc");
    const struct dirent *d;
    const char *found = NULL;

    assert_non_null(dir);
    assert_true(child_comes_to(1));
    while ((d = readdir(dir)))
        if (strtol(d->d_name, NULL, 10) != (long)getpid() && child_is_ours(d->d_name))
            found = arena_strdup(&bed->arena, d->d_name);
    closedir(dir);
    return found;
}

static void the_process_that_waits_gets_the_next_event(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "layer: guard");
    for (int i = 0; i < 3; i++) {
        const char *pid = waiting(&bed);

        bed_emit(&bed, "tool.execute.before", NULL);
        assert_string_equal(bed.receipt.verdict.say, pid);
    }
}

static void another_session_point_or_folder_gets_a_process_of_its_own(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *pid;

    open_bed(&bed, "layer: guard");
    pid = waiting(&bed);
    bed.session.id = "s2";
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_not_equal(bed.receipt.verdict.say, pid);
    pid = waiting(&bed);
    bed_emit(&bed, "turn.after", NULL);
    assert_string_not_equal(bed.receipt.verdict.say, pid);
    pid = waiting(&bed);
    bed.session.cwd = "/";
    bed_emit(&bed, "turn.after", NULL);
    assert_string_not_equal(bed.receipt.verdict.say, pid);
    pid = waiting(&bed);
    setenv("CHANGED", "1", 1);
    bed_emit(&bed, "turn.after", NULL);
    assert_string_not_equal(bed.receipt.verdict.say, pid);
    unsetenv("CHANGED");
}

static void a_program_that_has_changed_is_started_anew(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    char *file;

    open_bed(&bed, "layer: guard");
    file = path_join(&bed.arena, bed.dir.path, "x.sh");
    assert_int_equal(
        file_write(file, STR("#!/bin/sh\nread -r event\necho '{\"say\":\"new\"}'\n"), 0755, NULL),
        0);
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_string_equal(bed.receipt.verdict.say, "new");
}

static void one_that_died_is_replaced(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *pid;

    open_bed(&bed, "layer: guard");
    pid = waiting(&bed);
    child_signal_all(SIGKILL);
    /* until it can be reaped: it is out of sight a moment earlier */
    assert_int_equal(
        waitid(P_PID, (id_t)strtol(pid, NULL, 10), &(siginfo_t){ 0 }, WEXITED | WNOWAIT | __WALL),
        0);
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_int_equal(bed.receipt.runs[0].end, RUN_DONE);
    assert_string_not_equal(bed.receipt.verdict.say, pid);
}

static void it_goes_with_the_engine(void **state UNUSED)
{
    struct bed bed = { 0 };

    open_bed(&bed, "layer: guard");
    assert_true(child_comes_to(1));
    bed_cleanup(&bed);
    assert_int_equal(child_signal_all(0), 0);
}

static void without_the_key_none_waits(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, "hooks: [{ name: x, on: PreToolUse, exec: 'cat >&2', prewarm: false }]\n");
    bed_emit(&bed, "tool.execute.before", NULL);
    assert_int_equal(child_signal_all(0), 0);
}

TESTS(child_test(the_process_that_waits_gets_the_next_event),
      child_test(another_session_point_or_folder_gets_a_process_of_its_own),
      child_test(a_program_that_has_changed_is_started_anew), child_test(one_that_died_is_replaced),
      child_test(it_goes_with_the_engine), child_test(without_the_key_none_waits))
