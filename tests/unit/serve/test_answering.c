/* Serving one request on given descriptors: threads, deadlines, readers that have gone. */
#include "base/file.h"
#include "base/path.h"
#include "serve/answering.h"
#include "tmpdir.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

struct place {
    struct tmpdir dir;
    struct arena arena;
    struct runtime rt;
};

static void place_open(struct place *p, const char *config)
{
    struct runtime_options o = { .store = "memory", .receipts = "", .answering = "claude" };
    char *file;

    tmpdir_make(&p->dir);
    setenv("HOME", p->dir.path, 1);
    file = path_join(&p->arena, p->dir.path, "config.yaml");
    assert_int_equal(file_write(file, str_of(config), 0600, NULL), 0);
    o.cwd = p->dir.path;
    o.config = file;
    assert_int_equal(runtime_open(&p->rt, &o, NULL), 0);
}

static void place_cleanup(struct place *p)
{
    runtime_close(&p->rt);
    arena_release(&p->arena);
    tmpdir_cleanup(&p->dir);
}

/* One request; `left_open`: the agent does not close its end. */
struct request {
    struct place *place;
    struct answer_request q;
    const char *text;
    bool left_open;
    int rc;
    char out[4096], err[4096];
};

static void read_end(int fd, char *text, size_t size)
{
    ssize_t n = read(fd, text, size - 1);

    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

static void serve(struct request *r)
{
    int in[2], out[2], err[2];

    assert_int_equal(pipe(in) | pipe(out) | pipe(err), 0);
    assert_int_equal(write(in[1], r->text, strlen(r->text)), strlen(r->text));
    if (!r->left_open)
        close(in[1]);
    r->q.in = in[0];
    r->q.out = out[1];
    r->q.err = err[1];
    r->rc = answer_serve(&r->place->rt, &r->q);
    close(out[1]);
    close(err[1]);
    read_end(out[0], r->out, sizeof(r->out));
    read_end(err[0], r->err, sizeof(r->err));
    close(in[0]);
    if (r->left_open)
        close(in[1]);
}

#define RULE "hooks: [{ name: no, on: tool.execute.before, block: not here }]"
#define EVENT(session)                                                    \
    "{\"session_id\":\"" session "\",\"hook_event_name\":\"PreToolUse\"," \
    "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}"

static void answers_while_the_agent_keeps_its_end_open(void **state UNUSED)
{
    CLEANUP(place) struct place p = { 0 };
    struct request r = { .place = &p, .q.agent = "claude", .text = EVENT("s"), .left_open = true };

    place_open(&p, RULE);
    serve(&r);
    assert_int_equal(r.rc, 0);
    assert_string_equal(r.out, "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
                               "\"permissionDecision\":\"deny\","
                               "\"permissionDecisionReason\":\"not here\"}}\n");
    assert_string_equal(r.err, "");
}

static void a_document_that_never_ends_is_given_up(void **state UNUSED)
{
    CLEANUP(place) struct place p = { 0 };
    struct request r = { .place = &p,
                         .q = { .agent = "claude", .read_ms = 20 },
                         .text = "{\"session_id\":",
                         .left_open = true };

    place_open(&p, "disabled_hooks: [secret-guard, command-guard, sandbox]");
    serve(&r);
    assert_int_equal(r.rc, 0);
    assert_string_equal(r.out, "{}\n");
    assert_string_equal(r.err, "hooke: answer claude: standard input had no complete JSON "
                               "document after 20 ms\n");
}

static void an_agent_that_is_none(void **state UNUSED)
{
    static const char *const names[] = { "native", "nobody" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        CLEANUP(place) struct place p = { 0 };
        struct request r = { .place = &p, .q.agent = names[i], .text = EVENT("s") };

        place_open(&p, "{}");
        serve(&r);
        assert_int_equal(r.rc, 64);
        assert_string_equal(r.out, "");
    }
}

static void an_aborted_event_does_not_happen(void **state UNUSED)
{
    CLEANUP(place) struct place p = { 0 };
    struct request r = { .place = &p, .q.agent = "gemini", .text = EVENT("s") };
    int aborted[2];

    place_open(&p, RULE);
    assert_int_equal(pipe(aborted), 0);
    close(aborted[1]);
    r.q.abort_fd = aborted[0];
    r.text = "{\"session_id\":\"s\",\"hook_event_name\":\"BeforeTool\",\"tool_name\":\"x\"}";
    serve(&r);
    close(aborted[0]);
    assert_string_equal(r.out, "{\"continue\":false,\"stopReason\":\"the event was aborted\"}\n");
}

/* The exit code when nobody can read the answer. */
static int serve_nobody(const char *config, const char *event)
{
    CLEANUP(place) struct place p = { 0 };
    struct answer_request q = { .agent = "claude" };
    int in[2], out[2], rc;

    place_open(&p, config);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(in) | pipe(out), 0);
    assert_true(write(in[1], event, strlen(event)) > 0);
    close(out[0]);
    q.in = in[0];
    q.out = q.err = out[1];
    rc = answer_serve(&p.rt, &q);
    close(in[0]);
    close(in[1]);
    close(out[1]);
    return rc;
}

static void who_has_gone_is_no_failure(void **state UNUSED)
{
    assert_int_equal(serve_nobody("{}", EVENT("s")), 0);
}

static void the_exit_code_says_what_could_not_be_written(void **state UNUSED)
{
    assert_int_equal(serve_nobody(RULE, EVENT("s")), 2);
    assert_int_equal(
        serve_nobody("hooks: [{ name: n, on: tool.execute.before, inject: text }]", EVENT("s")), 1);
    assert_int_equal(serve_nobody("{}", "no event"), 2);
}

static void *serve_many(void *context)
{
    struct request *r = context;

    for (int i = 0; i < 20 && r->rc == 0; i++)
        serve(r);
    return NULL;
}

static void many_at_once(void **state UNUSED)
{
    CLEANUP(place) struct place p = { 0 };
    struct request r[4];
    pthread_t threads[ARRAY_LEN(r)];

    place_open(&p, "disabled_hooks: [loop-guard]\n" RULE);
    for (size_t i = 0; i < ARRAY_LEN(r); i++) {
        r[i] = (struct request){ .place = &p, .q.agent = i % 2 ? "claude" : "codex" };
        r[i].text = arena_printf(&p.arena,
                                 "{\"session_id\":\"s%zu\",\"hook_event_name\":\"PreToolUse\"}", i);
        assert_int_equal(pthread_create(&threads[i], NULL, serve_many, &r[i]), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(r); i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(r[i].rc, 0);
        assert_non_null(strstr(r[i].out, "not here"));
    }
}

static void a_configuration_that_is_not_in_force_is_said(void **state UNUSED)
{
    CLEANUP(place) struct place p = { 0 };
    struct request r = { .place = &p, .q = { .agent = "codex", .broken = "it is odd" } };

    place_open(&p, "{}");
    r.text = "{\"session_id\":\"s\",\"hook_event_name\":\"SessionStart\"}";
    serve(&r);
    assert_string_equal(r.out, "{\"systemMessage\":\"hooke: it is odd\"}\n");
    r.text = EVENT("s");
    serve(&r);
    assert_string_equal(r.out, "{}\n");
}

TESTS(cmocka_unit_test(answers_while_the_agent_keeps_its_end_open),
      cmocka_unit_test(a_document_that_never_ends_is_given_up),
      cmocka_unit_test(an_agent_that_is_none), cmocka_unit_test(an_aborted_event_does_not_happen),
      cmocka_unit_test(who_has_gone_is_no_failure),
      cmocka_unit_test(the_exit_code_says_what_could_not_be_written),
      cmocka_unit_test(many_at_once),
      cmocka_unit_test(a_configuration_that_is_not_in_force_is_said))
