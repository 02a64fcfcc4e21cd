/* Handlers side by side: all run to their end, configured order decides, no failure is lost. */
#include "bed.h"
#include "child.h"

#include <sys/stat.h>

/* A handler that waits, not for ever, until there is a file of that name beside the others. */
#define UNTIL(file) "for i in $(seq 1000); do [ -e " file " ] && break; sleep 0.01; done; "

static const char event[] = "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"},\"output\":\"x\"}";

/* One hook, `keys` of its own and these handlers, each a flow map without its braces. */
static const char *group(struct bed *bed, const char *keys, const char *const *handlers)
{
    CLEANUP(strbuf) struct strbuf yaml = { 0 };

    strbuf_printf(&yaml, "%s    group:\n", keys);
    for (; *handlers; handlers++)
        strbuf_printf(&yaml, "      - { %s }\n", *handlers);
    return arena_cstr(&bed->arena, strbuf_str(&yaml));
}

#define GROUP(bed, keys, ...) group(bed, keys, (const char *const[]){ __VA_ARGS__, NULL })

static void open_bed(struct bed *bed, const char *top, const char *hook)
{
    bed_open(bed, NULL, NULL);
    bed->session.cwd = bed->dir.path;
    bed_configure(
        bed, NULL,
        arena_printf(&bed->arena, "%shooks:\n  - name: all\n    on: PreToolUse\n%s", top, hook));
}

static const struct hook_run *emit(struct bed *bed)
{
    bed_emit(bed, "tool.execute.before", event);
    assert_int_equal(bed->receipt.run_count, 1);
    return &bed->receipt.runs[0];
}

static bool exists(const struct bed *bed, const char *name)
{
    char path[512];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", bed->dir.path, name);
    return stat(path, &st) == 0;
}

static void siblings_complete_although_one_blocks(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "",
             GROUP(&bed, "", "exec: 'touch blocked; echo no >&2; exit 2'",
                   "exec: '" UNTIL("blocked") "touch second; echo and a text'",
                   "exec: '" UNTIL("second") "touch third'"));
    emit(&bed);
    assert_true(exists(&bed, "second") && exists(&bed, "third"));
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_string_equal(bed.receipt.verdict.reason, "no");
    assert_string_equal(bed.receipt.verdict.injections->text, "and a text");
}

/* The first to be written is the last to answer. */
static void configured_order_decides_not_completion_order(void **state UNUSED)
{
    static const char answer[] =
        "{\"replace\":{\"args\":{\"command\":\"%s\"}},\"say\":\"%s\",\"inject\":\"%s\"}";
    CLEANUP(bed) struct bed bed = { 0 };
    const char *first = arena_printf(&bed.arena, answer, "first", "first", "first");
    const char *second = arena_printf(&bed.arena, answer, "second", "second", "second");

    bed_open(&bed, NULL, NULL);
    bed.session.cwd = bed.dir.path;
    bed_configure(
        &bed, NULL,
        arena_printf(&bed.arena,
                     "hooks:\n  - name: all\n    on: PreToolUse\n    group:\n"
                     "      - exec: |-\n          " UNTIL(
                         "second") "\n          echo '%s'\n"
                                   "      - exec: |-\n          echo '%s'; touch second\n",
                     first, second));
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.say, "first\nsecond");
    assert_string_equal(bed.receipt.verdict.injections->text, "first");
    assert_string_equal(bed.receipt.verdict.injections->next->text, "second");
    assert_string_equal(json_text(&bed.arena, bed.receipt.verdict.replace),
                        "{\"args\":{\"command\":\"second\"}}");
    assert_string_equal(bed.receipt.warnings[0],
                        "hook 'all': two handlers change 'args', the later one counts");
}

static void the_first_reason_of_the_strictest_is_given(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "",
             GROUP(&bed, "", "exec: 'true'", "exec: '" UNTIL("last") "echo early >&2; exit 2'",
                   "exec: 'touch last; echo late >&2; exit 2'"));
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.reason, "early");
}

static void each_has_its_own_timeout(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();
    const struct hook_run *r;

    open_bed(&bed, "",
             GROUP(&bed, "    timeout: 20s\n", "exec: ['" FAKE_CHILD "', hang], timeout: 150ms",
                   "exec: 'echo here'"));
    r = emit(&bed);
    assert_true(clock_mono_ns() - began < 150 * MS + SLACK_NS);
    assert_int_equal(r->end, RUN_TIMED_OUT);
    assert_non_null(strstr(r->detail, "fake_child' ("));
    assert_non_null(strstr(r->detail, "config.yaml:6:9) timed out after"));
    assert_string_equal(bed.receipt.verdict.injections->text, "here");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
}

static void none_runs_past_the_deadline_of_the_event(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    uint64_t began = clock_mono_ns();

    open_bed(&bed, "event_timeout: 150ms\n",
             GROUP(&bed, "", "exec: ['" FAKE_CHILD "', hang], timeout: 20s",
                   "exec: ['" FAKE_CHILD "', hang], timeout: 20s"));
    assert_int_equal(emit(&bed)->end, RUN_TIMED_OUT);
    assert_true(clock_mono_ns() - began < 150 * MS + SLACK_NS);
}

/* What a group of a good handler, one that fails and one more comes to. */
static void no_failure_is_lost(void **state UNUSED)
{
    static const struct {
        const char *keys, *third;
        enum decision decision;
        const char *reason; /* a part of it; NULL: none */
    } rows[] = {
        { "", "exec: 'true'", DECISION_NONE, NULL },
        { "", "exec: 'echo no >&2; exit 2'", DECISION_BLOCK, "no" },
        { "    safety_critical: true\n", "exec: 'true'", DECISION_BLOCK,
          "hook 'all' has a handler that failed: 'echo bad luck >&2; exit 3' (" },
        { "    safety_critical: true\n", "exec: 'echo no >&2; exit 2'", DECISION_BLOCK, "no" },
        { "    on_failure: ask\n", "exec: 'true'", DECISION_ASK, "exited with code 3: bad luck" },
        { "    on_failure: ask\n", "exec: 'echo no >&2; exit 2'", DECISION_BLOCK, "no" },
        { "    on_failure: block\n", "exec: [/no/such/program]", DECISION_BLOCK,
          "has 2 handlers that failed, the first: 'echo bad luck" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed bed = { 0 };
        const struct hook_run *r;

        open_bed(&bed, "",
                 GROUP(&bed, rows[i].keys, "exec: 'echo context'",
                       "exec: 'echo bad luck >&2; exit 3'", rows[i].third));
        r = emit(&bed);
        assert_int_equal(r->end, RUN_FAILED);
        assert_non_null(strstr(r->detail, "exited with code 3: bad luck"));
        assert_string_equal(r->io->stderr_head, "bad luck");
        assert_int_equal(bed.receipt.verdict.decision, rows[i].decision);
        assert_string_equal(bed.receipt.verdict.injections->text, "context");
        if (rows[i].reason && !strstr(bed.receipt.verdict.reason, rows[i].reason))
            fail_msg("row %zu: %s", i, bed.receipt.verdict.reason);
    }
}

static void a_stop_does_not_hide_what_failed(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;

    bed_open(&bed, NULL,
             "hooks:\n  - name: all\n    on: PreToolUse\n    safety_critical: true\n    group:\n"
             "      - exec: exit 9\n"
             "      - exec: |-\n          echo '{\"stop\":\"enough\"}'\n");
    r = emit(&bed);
    assert_string_equal(bed.receipt.verdict.stop, "enough");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "exited with code 9"));
    assert_non_null(strstr(r->detail, "exited with code 9"));
}

static void a_handler_that_is_wrong_leaves_its_neighbours(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;

    open_bed(&bed, "",
             GROUP(&bed, "", "exec: 'echo first'", "exec: 'x', match: Bash",
                   "exec: 'y', tiemout: 1", "exec: 'echo last'"));
    r = emit(&bed);
    assert_int_equal(r->end, RUN_FAILED);
    assert_non_null(strstr(r->detail, "has 2 handlers that failed, the first: 'x' ("));
    assert_non_null(strstr(r->detail, "handlers of the dialect 'native' have no 'match'"));
    assert_string_equal(bed.receipt.verdict.injections->text, "first");
    assert_string_equal(bed.receipt.verdict.injections->next->text, "last");
}

#define CONTEXT(text)                                              \
    "''{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\"," \
    "\"additionalContext\":\"" text "\"}}''"

static void injections_of_different_handlers_stay_apart(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "", GROUP(&bed, "", "exec: 'echo a'", "exec: 'echo b'", "exec: 'echo c'"));
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.injections->id, "stdout");
    assert_string_equal(bed.receipt.verdict.injections->next->id, "stdout/2");
    assert_string_equal(bed.receipt.verdict.injections->next->next->id, "stdout/3");
}

/* By its place in the configuration, so that an id is the same whoever else answered. */
static void a_dialect_leaves_them_their_names(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "",
             GROUP(&bed, "    dialect: claude\n",
                   "exec: 'test -e gone && exit 1; echo " CONTEXT("a") "'",
                   "exec: 'echo " CONTEXT("b") "'"));
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.injections->id, "additionalContext");
    assert_string_equal(bed.receipt.verdict.injections->next->id, "additionalContext/2");
    assert_int_equal(file_write(path_join(&bed.arena, bed.dir.path, "gone"), STR(""), 0600, NULL),
                     0);
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.injections->id, "additionalContext/2");
}

static void a_handler_has_the_variables_of_its_hook_and_its_own(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "",
             GROUP(&bed, "    env: { A: 1, B: 1 }\n", "exec: 'echo $A-$B-$C', env: { B: 2, C: 2 }",
                   "exec: 'echo $A-$B-$C'"));
    emit(&bed);
    assert_string_equal(bed.receipt.verdict.injections->text, "1-2-2");
    assert_string_equal(bed.receipt.verdict.injections->next->text, "1-1-");
}

static void the_receipt_adds_up_bytes(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct hook_run *r;
    uint64_t one;

    open_bed(&bed, "", GROUP(&bed, "", "exec: 'echo 1234'"));
    one = emit(&bed)->io->bytes_in;
    bed_configure(&bed, NULL,
                  "hooks: [{ name: all, on: PreToolUse,"
                  " group: [{ exec: 'echo 1234' }, { exec: 'echo 567; echo hm >&2' }] }]\n");
    r = emit(&bed);
    assert_int_equal(r->io->bytes_in, 2 * one);
    assert_int_equal(r->io->bytes_out, 9);
    assert_string_equal(r->io->stderr_head, "hm");
}

/* Each says how many of its kind are alive, itself included. */
#define COUNT_LIVE "mkdir -p live; touch live/$$; sleep 0.1; ls live | wc -l >>counts; rm live/$$"

static unsigned most_alive(struct bed *bed, unsigned runs)
{
    char *path = path_join(&bed->arena, bed->dir.path, "counts");
    struct str text, line;
    unsigned most = 0;

    assert_int_equal(file_read(&bed->arena, path, 1 << 16, &text, NULL), 0);
    while (str_cut(&text, '\n', &line))
        if (line.len) {
            unsigned alive = (unsigned)strtoul(line.ptr, NULL, 10);

            most = alive > most ? alive : most;
            runs--;
        }
    assert_int_equal(runs, 0);
    return most;
}

static void more_than_the_limit_run_in_waves(void **state UNUSED)
{
    static const char one[] = "exec: '" COUNT_LIVE "'";
    CLEANUP(bed) struct bed bed = { 0 };

    open_bed(&bed, "limits: { processes: 2 }\n", GROUP(&bed, "", one, one, one, one, one));
    assert_int_equal(emit(&bed)->end, RUN_DONE);
    assert_int_equal(most_alive(&bed, 5), 2);
}

static void observers_keep_to_the_limit_too(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf yaml = { 0 };

    bed_open(&bed, NULL, NULL);
    bed.session.cwd = bed.dir.path;
    strbuf_addstr(&yaml, "limits: { processes: 3 }\nhooks:\n");
    for (int i = 0; i < 6; i++)
        strbuf_printf(
            &yaml, "  - { name: o%d, on: PreToolUse, mode: observe, exec: '" COUNT_LIVE "' }\n", i);
    bed_configure(&bed, NULL, strbuf_cstr(&yaml));
    bed_emit(&bed, "tool.execute.before", event);
    assert_int_equal(most_alive(&bed, 6), 3);
}

/* Ten that all wait for each other end only when all ten run at once. */
static void ten_observers_run_at_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    CLEANUP(strbuf) struct strbuf yaml = { 0 };

    bed_open(&bed, NULL, NULL);
    bed.session.cwd = bed.dir.path;
    strbuf_addstr(&yaml, "hooks:\n");
    for (int i = 0; i < 10; i++)
        strbuf_printf(&yaml,
                      "  - { name: o%d, on: PreToolUse, mode: observe, exec: 'mkdir -p all; touch"
                      " all/$$; for i in $(seq 1000); do [ $(ls all | wc -l) = 10 ] && exit 0;"
                      " sleep 0.01; done; exit 1' }\n",
                      i);
    bed_configure(&bed, NULL, strbuf_cstr(&yaml));
    bed_emit(&bed, "tool.execute.before", event);
    assert_int_equal(bed.receipt.run_count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(bed.receipt.runs[i].end, RUN_DONE);
}

static void a_hook_knows_the_name_it_was_asked_for_by(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct chain_key key = { .point = POINT_TOOL_EXECUTE_AFTER, .result = RESULT_FAILURE };
    struct registry *reg;
    const struct hook *h;

    bed_open(&bed, NULL,
             "hooks: [{ name: all, on: [PostToolUse, PostToolUseFailure, tool.execute.before],"
             " exec: x }]\n");
    reg = engine_look(bed.engine);
    h = registry_find(reg, "all");
    assert_string_equal(chain_subscription(h, &key)->as, "PostToolUseFailure");
    key.result = RESULT_SUCCESS;
    assert_string_equal(chain_subscription(h, &key)->as, "PostToolUse");
    key = (struct chain_key){ .point = POINT_TOOL_EXECUTE_BEFORE };
    assert_null(chain_subscription(h, &key)->as);
    key.point = POINT_AGENT_STOP;
    assert_null(chain_subscription(h, &key));
    registry_unref(reg);
}

TESTS(child_test(siblings_complete_although_one_blocks),
      child_test(configured_order_decides_not_completion_order),
      child_test(the_first_reason_of_the_strictest_is_given), child_test(each_has_its_own_timeout),
      child_test(none_runs_past_the_deadline_of_the_event), child_test(no_failure_is_lost),
      child_test(a_stop_does_not_hide_what_failed),
      child_test(a_handler_that_is_wrong_leaves_its_neighbours),
      child_test(injections_of_different_handlers_stay_apart),
      child_test(a_dialect_leaves_them_their_names),
      child_test(a_handler_has_the_variables_of_its_hook_and_its_own),
      child_test(the_receipt_adds_up_bytes), child_test(more_than_the_limit_run_in_waves),
      child_test(observers_keep_to_the_limit_too), child_test(ten_observers_run_at_once),
      cmocka_unit_test(a_hook_knows_the_name_it_was_asked_for_by))
