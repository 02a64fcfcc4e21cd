/* One line per event, appended to a file a day. */
#include "base/clock.h"
#include "bed.h"

static int inject_note(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    verdict_inject(c->arena, v, "note", "12345678");
    return 0;
}

static const struct hook_def noter = { .name = "noter",
                                       .layer = LAYER_PRODUCE,
                                       .on = { [POINT_CHAT_MESSAGE] = inject_note } };
static const struct hook_def *const defs[] = { &noter, NULL };

static const struct json *written(struct bed *bed, size_t line)
{
    char *dir = path_join(&bed->arena, bed->dir.path, "receipts");
    char day[CLOCK_TEXT_SIZE];
    struct str text, piece = { 0 };
    const struct json *j;

    clock_format(bed->receipt.at_ms, day);
    assert_int_equal(file_read(&bed->arena, arena_printf(&bed->arena, "%s/%.10s.jsonl", dir, day),
                               1 << 20, &text, NULL),
                     0);
    for (size_t i = 0; i <= line; i++)
        assert_true(str_cut(&text, '\n', &piece));
    assert_int_equal(json_parse(&bed->arena, piece, NULL, &j, NULL), 0);
    return j;
}

static const char *at(struct bed *bed, const struct json *j, const char *pointer)
{
    const struct json *value = json_pointer(j, pointer);

    return value ? json_text(&bed->arena, value) : "";
}

static void a_receipt_says_what_every_hook_did(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct json *j;

    bed_open(&bed, defs,
             "{ hook_cadence: { noter: 2 }, disabled_hooks: [off],"
             " hooks: [{ name: off, on: chat.message, inject: x }] }");
    bed.session.agent = "builder";
    bed.turn = 3;
    bed_emit(&bed, "chat.message", NULL);
    bed_emit(&bed, "chat.message", NULL);
    j = written(&bed, 0);
    assert_string_equal(at(&bed, j, "/point"), "\"chat.message\"");
    assert_string_equal(at(&bed, j, "/session"), "\"s1\"");
    assert_string_equal(at(&bed, j, "/agent"), "\"builder\"");
    assert_string_equal(at(&bed, j, "/turn"), "3");
    assert_string_equal(at(&bed, j, "/outcome"), "\"inject\"");
    assert_string_equal(at(&bed, j, "/runs/0/hook"), "\"noter\"");
    assert_string_equal(at(&bed, j, "/runs/0/did/0"), "\"inject\"");
    assert_string_equal(at(&bed, j, "/runs/0/tokens"), "2");
    assert_string_equal(at(&bed, j, "/runs/0/every"), "2");
    assert_string_equal(at(&bed, j, "/runs/0/time"), "1");
    assert_string_equal(at(&bed, j, "/held/0/hook"), "\"off\"");
    assert_string_equal(at(&bed, j, "/held/0/why"), "\"off\"");
    j = written(&bed, 1);
    assert_string_equal(at(&bed, j, "/outcome"), "\"none\"");
    assert_string_equal(at(&bed, j, "/held/0/why"), "\"cadence\"");
    assert_string_equal(at(&bed, j, "/held/0/time"), "2");
}

static void a_receipt_names_the_tool_and_the_call(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct json *j;

    bed_open(&bed, NULL,
             "hooks: [{ name: no, on: PreToolUse, tool: bash, block: \"not \\\"here\\\"\" }]");
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\",\"call_id\":\"c1\"}");
    j = written(&bed, 0);
    assert_string_equal(at(&bed, j, "/tool"), "\"bash\"");
    assert_string_equal(at(&bed, j, "/call_id"), "\"c1\"");
    assert_string_equal(at(&bed, j, "/outcome"), "\"block\"");
    assert_string_equal(at(&bed, j, "/reason"), "\"not \\\"here\\\"\"");
    assert_string_equal(at(&bed, j, "/runs/0/detail"), "\"not \\\"here\\\"\"");
}

static void an_event_nobody_matches_has_a_receipt_too(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, NULL);
    bed_emit(&bed, "session.idle", NULL);
    assert_string_equal(at(&bed, written(&bed, 0), "/runs"), "[]");
}

static void a_folder_that_cannot_be_written_is_said_once_and_stops_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct engine_options o = { .receipts = "/proc/none" };
    struct engine *engine;

    bed_open(&bed, NULL, NULL);
    o.log = &bed.log;
    o.store = bed.store;
    engine = engine_new(&o);
    engine_free(bed.engine);
    bed.engine = engine;
    bed_emit(&bed, "session.idle", NULL);
    bed_emit(&bed, "session.idle", NULL);
    assert_non_null(strstr(bed.logged.buf, "/proc/none"));
    assert_ptr_equal(strchr(bed.logged.buf, '\n') + 1, bed.logged.buf + bed.logged.len);
}

static void the_store_takes_receipts_in(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    size_t taken;

    bed_open(&bed, defs, NULL);
    bed_emit(&bed, "chat.message", NULL);
    bed_emit(&bed, "session.idle", NULL);
    assert_int_equal(
        store_ingest(bed.store, path_join(&bed.arena, bed.dir.path, "receipts"), &taken, NULL), 0);
    assert_int_equal(taken, 2);
}

TESTS(cmocka_unit_test(a_receipt_says_what_every_hook_did),
      cmocka_unit_test(a_receipt_names_the_tool_and_the_call),
      cmocka_unit_test(an_event_nobody_matches_has_a_receipt_too),
      cmocka_unit_test(a_folder_that_cannot_be_written_is_said_once_and_stops_nothing),
      cmocka_unit_test(the_store_takes_receipts_in))
