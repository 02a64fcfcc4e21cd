/* Handlers that no event waits for: what they leave, who waits for them, what ends them. */
#include "bed.h"
#include "child.h"
#include "hook/collector.h"

#include <sys/eventfd.h>
#include <sys/stat.h>

#define UNTIL(file) "for i in $(seq 1000); do [ -e " file " ] && break; sleep 0.01; done; "

static void open_bed(struct bed *bed, const char *yaml)
{
    bed_open(bed, NULL, NULL);
    bed->session.cwd = bed->dir.path;
    bed_configure(bed, NULL, yaml);
}

/* A hook at PreToolUse with one handler that runs in the background. */
static const char *async_hook(struct bed *bed, const char *exec)
{
    return arena_printf(&bed->arena,
                        "hooks:\n  - name: later\n    on: PreToolUse\n    group:\n"
                        "      - { exec: '%s', async: true }\n",
                        exec);
}

static void touch(const struct bed *bed, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", bed->dir.path, name);
    assert_int_equal(file_write(path, STR(""), 0600, NULL), 0);
}

static bool comes(const struct bed *bed, const char *name)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    uint64_t until = child_in(10000);
    char path[512];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", bed->dir.path, name);
    while (stat(path, &st) < 0 && clock_mono_ns() < until)
        nanosleep(&moment, NULL);
    return stat(path, &st) == 0;
}

static void end_engine(struct bed *bed)
{
    receipt_release(&bed->receipt);
    engine_free(bed->engine);
    bed->engine = NULL;
}

/* What waits for the next request of the session; NULL: nothing. */
static struct injection *pending(struct bed *bed)
{
    struct collector c = { bed->store, bed->session.id };
    struct injection *list;

    assert_int_equal(collector_peek(&c, &bed->arena, &list, NULL), 0);
    return list;
}

/* All receipts that were written. */
static const char *receipts(struct bed *bed)
{
    char *dir = path_join(&bed->arena, bed->dir.path, "receipts");
    char day[CLOCK_TEXT_SIZE];
    struct str text = { 0 };

    clock_format(clock_wall_ms(), day);
    assert_int_equal(
        file_read(&bed->arena,
                  path_join(&bed->arena, dir, arena_printf(&bed->arena, "%.10s.jsonl", day)),
                  1 << 20, &text, NULL),
        0);
    return arena_cstr(&bed->arena, text);
}

/* The event is over while the handler still waits for what comes after it. */
static void the_event_does_not_wait_and_the_text_comes_later(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *after;

    open_bed(&bed, async_hook(&bed, UNTIL("over") "echo found it"));
    bed_emit(&bed, "PreToolUse", "{\"tool\":\"bash\"}");
    assert_string_equal(bed_verdict(&bed), "{}");
    assert_null(pending(&bed));
    after = arena_printf(&bed.arena, "\"after\":\"%s\"", bed.receipt.id);
    touch(&bed, "over");
    end_engine(&bed);
    assert_non_null(pending(&bed));
    assert_string_equal(pending(&bed)->text, "found it");
    assert_string_equal(pending(&bed)->source, "later");
    assert_int_equal(pending(&bed)->class, INJECT_DETERMINISTIC);
    assert_non_null(strstr(receipts(&bed), after));
}

/* An event's descriptor is its emitter's again when the event is over, and may mean anything. */
static void it_outlives_the_descriptor_that_could_give_its_event_up(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    int pipe_ends[2];

    open_bed(&bed, async_hook(&bed, UNTIL("over") "echo found it"));
    assert_int_equal(pipe(pipe_ends), 0);
    bed.abort_fd = pipe_ends[0];
    bed_emit(&bed, "PreToolUse", "{\"tool\":\"bash\"}");
    close(pipe_ends[1]);
    close(pipe_ends[0]);
    touch(&bed, "over");
    end_engine(&bed);
    assert_non_null(pending(&bed));
    assert_string_equal(pending(&bed)->text, "found it");
}

static void it_is_placed_in_the_next_request(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct collector c;
    const struct json *messages, *placed;

    open_bed(&bed, async_hook(&bed, "echo found it"));
    bed_emit(&bed, "PreToolUse", NULL);
    end_engine(&bed);
    c = (struct collector){ bed.store, "s1" };
    assert_int_equal(json_parse(&bed.arena,
                                STR("[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":"
                                    "\"hi\"}]}]"),
                                NULL, &messages, NULL),
                     0);
    assert_int_equal(collector_place(&c, &bed.arena, messages, &placed, NULL), 0);
    assert_non_null(strstr(json_text(&bed.arena, placed), "found it"));
    assert_null(pending(&bed));
}

/* A session's later firing does not displace the text of an earlier one. */
static void every_firing_is_kept(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, async_hook(&bed, "echo one"));
    bed_emit(&bed, "PreToolUse", NULL);
    bed_emit(&bed, "PreToolUse", NULL);
    end_engine(&bed);
    assert_non_null(pending(&bed)->next);
    assert_null(pending(&bed)->next->next);
}

static void its_decision_has_no_power(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, async_hook(&bed, "echo no >&2; exit 2"));
    bed_emit(&bed, "PreToolUse", NULL);
    assert_string_equal(bed_verdict(&bed), "{}");
    end_engine(&bed);
    assert_null(pending(&bed));
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "it decides nothing"));
}

static void what_it_says_waits_where_nothing_can_be_injected(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hooks: [{ name: later, on: session.idle,"
                   " group: [{ exec: 'echo all quiet', async: true }] }]\n");
    bed_emit(&bed, "session.idle", NULL);
    end_engine(&bed);
    assert_string_equal(pending(&bed)->text, "all quiet");
}

static void its_failure_is_logged_and_has_a_receipt(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed,
             "hooks: [{ name: later, on: PreToolUse, safety_critical: true,"
             " group: [{ exec: 'echo bad >&2; exit 4', async: true }, { exec: 'true' }] }]\n");
    bed_emit(&bed, "PreToolUse", NULL);
    assert_string_equal(bed_verdict(&bed), "{}");
    end_engine(&bed);
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "exited with code 4: bad"));
    assert_non_null(strstr(receipts(&bed), "\"end\":\"failed\""));
}

static void it_outlives_its_configuration(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, async_hook(&bed, "touch began; " UNTIL("changed") "echo still here"));
    bed_emit(&bed, "PreToolUse", NULL);
    assert_true(comes(&bed, "began"));
    bed_configure(&bed, NULL, "hooks: []\n");
    receipt_release(&bed.receipt);
    touch(&bed, "changed");
    end_engine(&bed);
    assert_string_equal(pending(&bed)->text, "still here");
}

static void the_end_of_the_engine_waits_for_its_deadline_only(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();

    open_bed(&bed,
             "hooks: [{ name: later, on: PreToolUse,"
             " group: [{ exec: ['" FAKE_CHILD "', hang], async: true, timeout: 200ms }] }]\n");
    bed_emit(&bed, "PreToolUse", NULL);
    end_engine(&bed);
    assert_in_range(clock_mono_ns() - began, 200 * MS, 200 * MS + SLACK_NS);
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "timed out after"));
}

static void an_abort_ends_it_at_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(fd) int stop = eventfd(0, EFD_CLOEXEC);
    uint64_t began = clock_mono_ns();

    bed.abort_fd = stop;
    open_bed(&bed, async_hook(&bed, "touch began; exec " FAKE_CHILD " hang"));
    bed_emit(&bed, "PreToolUse", NULL);
    assert_true(comes(&bed, "began"));
    assert_int_equal(eventfd_write(stop, 1), 0);
    end_engine(&bed);
    assert_true(clock_mono_ns() - began < 10000 * MS);
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "aborted"));
}

static void *abort_when_begun(void *context)
{
    const struct bed *bed = context;

    return comes(bed, "began") && eventfd_write(bed->abort_fd, 1) == 0 ? context : NULL;
}

static void an_abort_ends_what_an_event_waits_for(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(fd) int stop = eventfd(0, EFD_CLOEXEC);
    uint64_t began = clock_mono_ns();
    pthread_t other;
    void *done;

    bed.abort_fd = stop;
    open_bed(&bed, "hooks: [{ name: slow, on: PreToolUse, group: [{ exec: 'true' },"
                   " { exec: 'touch began; exec " FAKE_CHILD " hang' }] }]\n");
    assert_int_equal(pthread_create(&other, NULL, abort_when_begun, &bed), 0);
    bed_emit(&bed, "PreToolUse", NULL);
    assert_int_equal(pthread_join(other, &done), 0);
    assert_non_null(done);
    assert_true(clock_mono_ns() - began < 10000 * MS);
    assert_int_equal(bed.receipt.runs[0].end, RUN_FAILED);
    assert_non_null(strstr(bed.receipt.runs[0].detail, "aborted"));
}

static void after_an_abort_nothing_is_started(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(fd) int stop = eventfd(1, EFD_CLOEXEC);

    bed.abort_fd = stop;
    open_bed(&bed,
             "hooks: [{ name: guard, on: PreToolUse, on_failure: block, exec: 'touch ran' }]\n");
    bed_emit(&bed, "PreToolUse", NULL);
    assert_string_equal(bed.receipt.verdict.stop, "the event was aborted");
    assert_string_equal(bed.receipt.runs[0].detail, "was not started: the event was aborted");
    assert_int_equal(access(path_join(&bed.arena, bed.dir.path, "ran"), F_OK), -1);
}

/* One process is all there may be, and the background has it. */
static void who_gets_no_process_in_time_names_the_limit(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(
        &bed,
        "limits: { processes: 1 }\nhooks:\n"
        "  - name: later\n    on: PreToolUse\n    group:\n"
        "      - { exec: 'touch began; " UNTIL(
            "over") "', async: true }\n"
                    "  - { name: now, on: PostToolUse, exec: 'true', timeout: 100ms, on_failure: block }\n");
    bed_emit(&bed, "PreToolUse", NULL);
    assert_true(comes(&bed, "began"));
    bed_emit(&bed, "PostToolUse", NULL);
    assert_int_equal(bed.receipt.runs[0].end, RUN_TIMED_OUT);
    assert_non_null(strstr(bed.receipt.runs[0].detail, "'limits.processes' allows no more"));
    bed.session.id = "s2"; /* another session has its own */
    bed_emit(&bed, "PostToolUse", NULL);
    assert_int_equal(bed.receipt.runs[0].end, RUN_DONE);
    bed.session.id = "s1";
    touch(&bed, "over");
    end_engine(&bed);
}

static void no_more_than_eight_run_at_once(void **state UNUSED)
{
    static const char count[] =
        "mkdir -p live; touch live/$$; sleep 0.1; ls live | wc -l >>counts; rm live/$$";
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf yaml = { 0 };
    struct str text, line;
    unsigned runs = 0, most = 0;

    strbuf_addstr(&yaml, "limits: { processes: 100 }\nhooks:\n  - name: later\n    on: PreToolUse\n"
                         "    group:\n");
    for (int i = 0; i < 12; i++)
        strbuf_printf(&yaml, "      - { exec: '%s', async: true }\n", count);
    open_bed(&bed, strbuf_cstr(&yaml));
    bed_emit(&bed, "PreToolUse", NULL);
    end_engine(&bed);
    assert_int_equal(
        file_read(&bed.arena, path_join(&bed.arena, bed.dir.path, "counts"), 1 << 16, &text, NULL),
        0);
    while (str_cut(&text, '\n', &line))
        if (line.len) {
            unsigned alive = (unsigned)strtoul(line.ptr, NULL, 10);

            most = alive > most ? alive : most;
            runs++;
        }
    assert_int_equal(runs, 12);
    assert_in_range(most, 2, 8);
}

static void a_deleted_session_gets_nothing_more(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, async_hook(&bed, "touch began; " UNTIL("over") "echo too late"));
    bed_emit(&bed, "PreToolUse", NULL);
    assert_true(comes(&bed, "began"));
    bed_emit(&bed, "session.deleted", NULL);
    touch(&bed, "over");
    end_engine(&bed);
    assert_null(pending(&bed));
}

static void a_guards_second_look_starts_it_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "hooks:\n"
                   "  - name: guard\n    layer: guard\n    on: PreToolUse\n    group:\n"
                   "      - { exec: 'echo seen', async: true }\n"
                   "  - { name: change, on: PreToolUse, replace: { args: { command: x } } }\n");
    bed_emit(&bed, "PreToolUse", "{\"args\":{}}");
    assert_int_equal(bed.receipt.run_count, 3);
    end_engine(&bed);
    assert_null(pending(&bed)->next);
}

TESTS(child_test(the_event_does_not_wait_and_the_text_comes_later),
      child_test(it_outlives_the_descriptor_that_could_give_its_event_up),
      child_test(it_is_placed_in_the_next_request), child_test(every_firing_is_kept),
      child_test(its_decision_has_no_power),
      child_test(what_it_says_waits_where_nothing_can_be_injected),
      child_test(its_failure_is_logged_and_has_a_receipt),
      child_test(it_outlives_its_configuration),
      child_test(the_end_of_the_engine_waits_for_its_deadline_only),
      child_test(an_abort_ends_it_at_once), child_test(an_abort_ends_what_an_event_waits_for),
      child_test(after_an_abort_nothing_is_started),
      child_test(who_gets_no_process_in_time_names_the_limit),
      child_test(no_more_than_eight_run_at_once), child_test(a_deleted_session_gets_nothing_more),
      child_test(a_guards_second_look_starts_it_once))
