/* Events saved while somebody asks, by an engine that looks now and then. */
#include "bed.h"
#include "hook/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define SECOND UINT64_C(1000000000)

struct fixture {
    struct bed bed;
    char *folder, *dir;
    struct capture *capture;
};

static void open_fixture(struct fixture *f, const char *own)
{
    bed_open(&f->bed, NULL, "hooks: [{ name: no-bash, on: PreToolUse, tool: bash, block: no }]");
    f->folder = path_join(&f->bed.arena, f->bed.dir.path, "requests");
    f->dir = path_join(&f->bed.arena, f->bed.dir.path, "saved");
    f->capture = capture_new(f->folder, own ? path_join(&f->bed.arena, f->bed.dir.path, own) : NULL,
                             &f->bed.log);
}

static void fixture_cleanup(struct fixture *f)
{
    capture_free(f->capture);
    bed_cleanup(&f->bed);
}

/* What an engine does behind every event. */
static void emit_at(struct fixture *f, const char *point, uint64_t now_ns)
{
    bed_emit(&f->bed, point, "{\"tool\":\"bash\"}");
    if (capture_is_due(f->capture, now_ns))
        capture_event(f->capture, now_ns, &f->bed.receipt, f->bed.receipt.id);
}

static bool is_saved(struct fixture *f, const char *dir)
{
    struct arena *a = &f->bed.arena;
    const char *name = arena_printf(a, "%s.json", f->bed.receipt.id);

    return access(path_join(a, path_join(a, f->bed.dir.path, dir), name), F_OK) == 0;
}

static void ask(struct fixture *f, struct capture_ticket *t, const char *session, const char *point)
{
    struct capture_request q = { .dir = f->dir, .session = session, .point = point };
    struct err e = { 0 };

    if (capture_ask(f->folder, &q, t, &e) < 0)
        fail_msg("%s", e.msg);
}

static void saves_while_asked_and_looks_once_a_second(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    struct capture_ticket t = { .fd = -1 };

    open_fixture(&f, NULL);
    emit_at(&f, "PreToolUse", SECOND);
    assert_false(is_saved(&f, "saved"));
    ask(&f, &t, NULL, NULL);
    emit_at(&f, "PreToolUse", SECOND + SECOND / 2); /* has just looked */
    assert_false(is_saved(&f, "saved"));
    emit_at(&f, "PreToolUse", 2 * SECOND);
    assert_true(is_saved(&f, "saved"));
    capture_withdraw(&t);
    emit_at(&f, "PreToolUse", 2 * SECOND + 1);
    assert_true(is_saved(&f, "saved")); /* has not noticed yet */
    emit_at(&f, "PreToolUse", 3 * SECOND);
    assert_false(is_saved(&f, "saved"));
    assert_false(capture_is_due(f.capture, 3 * SECOND + 1)); /* nobody asks: nearly free */
}

static void saves_what_the_request_wants(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    CLEANUP(capture_ticket) struct capture_ticket t = { .fd = -1 };

    open_fixture(&f, NULL);
    ask(&f, &t, "s2", "turn.after");
    f.bed.session.id = "s2";
    emit_at(&f, "PreToolUse", SECOND);
    assert_false(is_saved(&f, "saved"));
    emit_at(&f, "turn.after", SECOND);
    assert_true(is_saved(&f, "saved"));
    f.bed.session.id = "s1";
    emit_at(&f, "turn.after", SECOND);
    assert_false(is_saved(&f, "saved"));
}

static void a_folder_of_its_own_needs_no_request(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    struct stat st;

    open_fixture(&f, "own");
    emit_at(&f, "PreToolUse", SECOND);
    assert_true(is_saved(&f, "own"));
    assert_int_equal(stat(path_join(&f.bed.arena, f.bed.dir.path, "own"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

/* A process that died held a lock that is gone. */
static void removes_what_was_left_behind(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    struct capture_ticket t = { .fd = -1 };
    struct capture_request found[CAPTURE_MAX];
    char *path;

    open_fixture(&f, NULL);
    ask(&f, &t, NULL, NULL);
    assert_int_equal(capture_requests(&f.bed.arena, f.folder, found), 1);
    path = arena_strdup(&f.bed.arena, t.path);
    close(t.fd);
    t.fd = -1;
    capture_withdraw(&t);
    assert_int_equal(access(path, F_OK), 0);
    emit_at(&f, "PreToolUse", SECOND);
    assert_false(is_saved(&f, "saved"));
    assert_int_equal(access(path, F_OK), -1);
}

static void one_folder_is_asked_for_once(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    CLEANUP(capture_ticket) struct capture_ticket t = { .fd = -1 }, second = { .fd = -1 };
    struct capture_request q;

    open_fixture(&f, NULL);
    ask(&f, &t, NULL, NULL);
    q = (struct capture_request){ .dir = f.dir };
    assert_int_equal(capture_ask(f.folder, &q, &second, NULL), -EBUSY);
}

static void bad_requests_are_passed_over(void **state UNUSED)
{
    static const char *const texts[] = { "", "{", "[]", "{\"dir\":7}", "{\"dir\":\"relative\"}" };
    CLEANUP(fixture) struct fixture f = { 0 };
    struct capture_request found[CAPTURE_MAX];
    struct arena *a = &f.bed.arena;

    open_fixture(&f, NULL);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(capture_ticket) struct capture_ticket t = { .fd = -1 };
        CLEANUP(fd) int fd = -1;

        ask(&f, &t, NULL, NULL);
        fd = open(t.path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])), (ssize_t)strlen(texts[i]));
        assert_int_equal(capture_requests(a, f.folder, found), 0);
    }
}

static void failing_is_one_warning(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    const char *said;

    open_fixture(&f, "config.yaml"); /* a file, no folder */
    emit_at(&f, "PreToolUse", SECOND);
    emit_at(&f, "PreToolUse", SECOND);
    said = strstr(strbuf_cstr(&f.bed.logged), "events are not saved to");
    assert_non_null(said);
    assert_null(strstr(said + 1, "events are not saved to"));
    assert_int_equal(f.bed.receipt.verdict.decision, DECISION_BLOCK);
}

/* Files ---------------------------------------------------------------------------------------- */

static void what_was_written_is_read_back(void **state UNUSED)
{
    CLEANUP(fixture) struct fixture f = { 0 };
    struct arena *a = &f.bed.arena;
    struct captured c;
    struct err e = { 0 };
    char *text;

    open_fixture(&f, NULL);
    f.bed.turn = 4;
    f.bed.session = (struct session){
        .id = "s1", .parent = "p", .agent = "a", .recipe = "r", .cwd = "/x", .depth = 2
    };
    bed_emit(&f.bed, "PreToolUse", "{\"tool\":\"bash\",\"api_key\":\"x\"}");
    text = json_text(a, capture_to_json(a, &f.bed.receipt, "the-id"));
    if (capture_read(a, str_of(text), &c, &e) < 0)
        fail_msg("%s", e.msg);
    assert_int_equal(c.event.point, POINT_TOOL_EXECUTE_BEFORE);
    assert_string_equal(c.event.id, "the-id");
    assert_int_equal(c.event.turn, 4);
    assert_string_equal(c.event.session.parent, "p");
    assert_string_equal(c.event.session.agent, "a");
    assert_string_equal(c.event.session.recipe, "r");
    assert_string_equal(c.event.session.cwd, "/x");
    assert_int_equal(c.event.session.depth, 2);
    assert_string_equal(json_text(a, c.event.data),
                        "{\"tool\":\"bash\",\"api_key\":\"[removed]\"}");
    assert_int_equal(c.verdict.decision, DECISION_BLOCK);
    assert_string_equal(c.outcome, "block");
    assert_string_equal(json_text(a, c.hooks), "[{\"hook\":\"no-bash\",\"did\":[\"block\"]}]");
    assert_true(c.removed);
}

static void files_that_are_none_are_refused(void **state UNUSED)
{
#define EVENT "\"event\":{\"point\":\"Stop\",\"session\":{\"id\":\"s\"}}"
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "{\"hooke\":1," EVENT "}",
        "{\"hooke\":1,\"verdict\":{}}",
        "{\"hooke\":2," EVENT ",\"verdict\":{}}",
        "{" EVENT ",\"verdict\":{}}",
        "{\"hooke\":1," EVENT ",\"verdict\":[]}",
        "{\"hooke\":1,\"event\":[],\"verdict\":{}}",
        "{\"hooke\":1,\"event\":{\"point\":\"x\"},\"verdict\":{}}",
        "{\"hooke\":1,\"event\":{\"point\":\"Stop\",\"session\":{\"id\":\"\"}},\"verdict\":{}}",
        "{\"hooke\":1,\"event\":{\"point\":\"Stop\",\"session\":{\"id\":\"s\",\"parent\":\"p\"}},"
        "\"verdict\":{}}",
        "{\"hooke\":1,\"event\":{\"point\":\"Stop\",\"session\":{\"id\":\"s\",\"usage\":1}},"
        "\"verdict\":{}}",
        "{\"hooke\":1,\"event\":{\"point\":\"Stop\",\"session\":{\"id\":\"s\",\"depth\":\"1\"}},"
        "\"verdict\":{}}",
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct captured c;
        struct err e = { 0 };

        if (capture_read(&a, str_of(texts[i]), &c, &e) >= 0)
            fail_msg("%s was read", texts[i]);
        assert_int_not_equal(e.msg[0], '\0');
    }
}

TESTS(cmocka_unit_test(saves_while_asked_and_looks_once_a_second),
      cmocka_unit_test(saves_what_the_request_wants),
      cmocka_unit_test(a_folder_of_its_own_needs_no_request),
      cmocka_unit_test(removes_what_was_left_behind),
      cmocka_unit_test(one_folder_is_asked_for_once),
      cmocka_unit_test(bad_requests_are_passed_over), cmocka_unit_test(failing_is_one_warning),
      cmocka_unit_test(what_was_written_is_read_back),
      cmocka_unit_test(files_that_are_none_are_refused))
