/* Whoever emits an event may give it up while hooks run (S4-E8). */
#include "base/clock.h"
#include "bed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

struct aborter {
    char fifo[128]; /* the hook tells its process id here when it runs */
    int pipe[2];
    pid_t pid;
};

/* Wait until the hook runs, then give the event up. */
static void *abort_once_it_runs(void *context)
{
    struct aborter *ab = context;
    char text[32] = "";
    int fd = open(ab->fifo, O_RDONLY);

    if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
        ab->pid = (pid_t)strtol(text, NULL, 10);
    close(fd);
    close(ab->pipe[1]);
    return NULL;
}

static void open_bed(struct bed *bed, struct aborter *ab, const char *yaml)
{
    bed_open(bed, NULL, yaml);
    bed->session.cwd = bed->dir.path;
    snprintf(ab->fifo, sizeof(ab->fifo), "%s/fifo", bed->dir.path);
    assert_int_equal(mkfifo(ab->fifo, 0600), 0);
    assert_int_equal(pipe(ab->pipe), 0);
    bed->abort_fd = ab->pipe[0];
}

static bool exists(const struct bed *bed, const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", bed->dir.path, name);
    return access(path, F_OK) == 0;
}

static void an_abort_ends_the_hook_and_applies_no_answer(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct aborter ab = { .pid = 0 };
    pthread_t thread;

    open_bed(&bed, &ab,
             "hooks:\n"
             "  - { name: first, on: tool-call-start, modify: { args: { command: changed } } }\n"
             "  - name: slow\n"
             "    on: tool-call-start\n"
             "    dialect: acai\n"
             "    on_failure: block\n"
             "    timeout: 20s\n"
             "    exec: 'echo ''{\"action\":\"modify\",\"modifications\":{\"args\":"
             "{\"command\":\"x\"}}}''; echo $$ >fifo; exec sleep 60'\n"
             "  - { name: next, on: tool-call-start, exec: 'touch next' }\n"
             "  - { name: after, on: tool-call-start, mode: observe, exec: 'touch after' }\n");
    assert_int_equal(pthread_create(&thread, NULL, abort_once_it_runs, &ab), 0);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}");
    pthread_join(thread, NULL);
    assert_true(ab.pid > 1);
    assert_true(kill(ab.pid, 0) < 0 && errno == ESRCH);
    assert_string_equal(bed_verdict(&bed), "{\"stop\":\"the event was aborted\"}");
    assert_string_equal(json_text(&bed.arena, json_get(bed.receipt.data, STR("args"))),
                        "{\"command\":\"ls\"}");
    assert_string_equal(bed_order(&bed), "first slow");
    assert_string_equal(bed.receipt.runs[1].detail, "was aborted");
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "hook 'slow' was aborted"));
    assert_false(exists(&bed, "next") || exists(&bed, "after"));
    close(ab.pipe[0]);
}

/* Its process serves other events too and stays; it is told, and nobody waits for it. */
static void an_abort_leaves_a_resident_hook_running(void **state UNUSED)
{
    static const char program[] =
        "#!/bin/sh\n"
        "while IFS= read -r line; do\n"
        "  id=${line#*\\\"id\\\":} id=${id%%,*}\n"
        "  case $line in\n"
        "  *initialize*) echo '{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{}}' ;;\n"
        "  *'\"event\"'*) echo $$ >fifo ;;\n"
        "  *cancel*) touch cancelled ;;\n"
        "  esac\n"
        "done\n";
    CLEANUP(bed) struct bed bed = { 0 };
    struct aborter ab = { .pid = 0 };
    uint64_t began_ns = clock_mono_ns();
    pthread_t thread;

    open_bed(&bed, &ab, NULL);
    assert_int_equal(
        file_write(path_join(&bed.arena, bed.dir.path, "res.sh"), str_of(program), 0700, NULL), 0);
    bed_configure(&bed, NULL,
                  arena_printf(&bed.arena,
                               "hooks: [{ name: res, on: PreToolUse, timeout: 30s, "
                               "resident: 'cd %s && exec ./res.sh' }]",
                               bed.dir.path));
    assert_int_equal(pthread_create(&thread, NULL, abort_once_it_runs, &ab), 0);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    pthread_join(thread, NULL);
    assert_true(clock_mono_ns() - began_ns < UINT64_C(20000000000));
    assert_string_equal(bed_verdict(&bed), "{\"stop\":\"the event was aborted\"}");
    assert_string_equal(bed.receipt.runs[0].detail, "was aborted");
    assert_true(ab.pid > 1);
    assert_int_equal(kill(ab.pid, 0), 0);
    close(ab.pipe[0]);
}

static void what_is_given_up_beforehand_starts_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct aborter ab = { .pid = 0 };

    open_bed(&bed, &ab,
             "hooks:\n"
             "  - { name: first, on: tool-call-start, exec: 'touch first' }\n"
             "  - { name: after, on: tool-call-start, mode: observe, exec: 'touch after' }\n");
    close(ab.pipe[1]);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    assert_string_equal(bed_verdict(&bed), "{\"stop\":\"the event was aborted\"}");
    assert_string_equal(bed.receipt.runs[0].detail, "was not started: the event was aborted");
    assert_false(exists(&bed, "first") || exists(&bed, "after"));
    close(ab.pipe[0]);
}

static void a_pipe_that_stays_quiet_changes_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct aborter ab = { .pid = 0 };

    open_bed(&bed, &ab, "hooks: [{ name: a, on: tool-call-start, exec: 'echo no >&2; exit 2' }]");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    assert_string_equal(bed_verdict(&bed), "{\"decision\":\"block\",\"reason\":\"no\"}");
    close(ab.pipe[0]);
    close(ab.pipe[1]);
}

TESTS(cmocka_unit_test(an_abort_ends_the_hook_and_applies_no_answer),
      cmocka_unit_test(an_abort_leaves_a_resident_hook_running),
      cmocka_unit_test(what_is_given_up_beforehand_starts_nothing),
      cmocka_unit_test(a_pipe_that_stays_quiet_changes_nothing))
