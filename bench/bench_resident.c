/*
 * What an event of 4 KB costs a resident hook, from the emit to the verdict, receipt included.
 *
 *     bench_resident     prints "row<TAB>nanoseconds" lines
 *
 * The floor is a bare ping-pong with the same child: one write of 4 KB, one read of a short line;
 * no engine, no deadline, no JSON. `resident-call` is the part between the two: the request on its
 * way and its answer, with deadline, but without chain and receipt.
 */
#include "base/clock.h"
#include "base/file.h"
#include "hook/engine.h"
#include "proc/proc.h"
#include "runner/peer.h"
#include "runner/resident.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#define SAMPLES 101
#define BATCH   100
#define INPUT   4096

static const char child_path[] = BENCH_ANSWER;

struct bench {
    int in, out; /* of the bare child */
    pid_t pid;
    char line[INPUT];
    struct arena arena, lasting;
    struct peer *peer;
    struct engine *engine;
    struct event event;
};

static void stop(const char *what)
{
    fprintf(stderr, "bench_resident: %s\n", what);
    exit(1);
}

static void start_bare(struct bench *b)
{
    posix_spawn_file_actions_t files;
    int in[2], out[2];
    char *argv[] = { arena_strdup(&b->lasting, child_path), arena_strdup(&b->lasting, "ping"),
                     NULL };

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        stop("no pipes");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    if (posix_spawn(&b->pid, child_path, &files, NULL, argv, environ) != 0)
        stop("no child");
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    b->in = in[1];
    b->out = out[0];
    memset(b->line, 'x', INPUT);
    b->line[INPUT - 1] = '\n';
}

/* A tool call with a command so long that the whole message has 4 KB. */
static void make_event(struct bench *b)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"");
    while (text.len < INPUT - 330)
        strbuf_addstr(&text, "cat README.md | ");
    strbuf_addstr(&text, "\"}}");
    if (json_parse(&b->lasting, str_of(arena_cstr(&b->lasting, strbuf_str(&text))), NULL,
                   &b->event.data, NULL) < 0)
        stop("no event");
    b->event.point = POINT_TOOL_EXECUTE_BEFORE;
    b->event.session.id = "01JRULE000000000000000000A";
}

static void start_engine(struct bench *b)
{
    static const struct runner *const runners[] = { &resident_runner, NULL };
    static const char *argv[] = { child_path, "rpc", NULL };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&b->lasting, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");
    char *none, *file;
    struct engine_options o = { .store = store_memory(), .runners = runners };
    struct config_where where = { 0 };

    if (!mkdtemp(dir))
        stop("no folder");
    none = arena_printf(&b->lasting, "%s/none", dir);
    file = arena_printf(&b->lasting, "%s/config.yaml", dir);
    where = (struct config_where){ .cwd = dir,
                                   .managed = none,
                                   .hive = none,
                                   .user_file = file,
                                   .user_dir = dir,
                                   .state_dir = dir };
    if (file_write(file,
                   str_of(arena_printf(
                       &b->lasting, "hooks: [{ name: r, on: PreToolUse, resident: ['%s', rpc] }]",
                       child_path)),
                   0600, NULL) < 0)
        stop("no configuration");
    o.receipts = arena_printf(&b->lasting, "%s/receipts", dir);
    b->engine = engine_new(&o);
    engine_configure(b->engine, config_load(&where));
    b->peer = peer_new(&(struct peer_setup){ .hook = "r", .argv = argv, .cwd = "/" });
}

static bool ping(struct bench *b)
{
    char answer[64];

    return write(b->in, b->line, INPUT) == INPUT && read(b->out, answer, sizeof(answer)) > 0;
}

static bool call(struct bench *b)
{
    struct hook_io io = { 0 };
    struct peer_call c = {
        .engine = b->engine,
        .arena = &b->arena,
        .method = "event",
        .session = &b->event.session,
        .params = event_to_json(&b->arena, &b->event),
        .deadline_ns = clock_mono_ns() + PROC_TIMEOUT_NS,
        .io = &io,
    };

    return peer_call(b->peer, &c, NULL) == 0 && c.line.len > 0;
}

static bool emit(struct bench *b)
{
    struct receipt r = { 0 };
    bool ok = engine_emit(b->engine, &b->event, &b->arena, &r, NULL) == 0 && r.run_count == 1 &&
              r.runs[0].end == RUN_DONE && r.runs[0].io->bytes_in > INPUT - 100;

    receipt_release(&r);
    return ok;
}

struct row {
    const char *name;
    bool (*run)(struct bench *b);
    double samples[SAMPLES];
};

static int compare(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

static void sample(struct row *row, struct bench *b, size_t i)
{
    uint64_t began = clock_mono_ns();

    for (int n = 0; n < BATCH; n++) {
        if (!row->run(b))
            stop(row->name);
        arena_reset(&b->arena);
    }
    row->samples[i] = (double)(clock_mono_ns() - began) / BATCH;
}

int main(void)
{
    static struct row rows[] = { { .name = "pipe-4k", .run = ping },
                                 { .name = "resident-call-4k", .run = call },
                                 { .name = "resident-emit-4k", .run = emit } };
    static struct bench b;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    start_bare(&b);
    make_event(&b);
    start_engine(&b);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t r = 0; r < ARRAY_LEN(rows); r++)
            sample(&rows[r], &b, i);
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        qsort(rows[r].samples, SAMPLES, sizeof(double), compare);
        printf("%s\t%.1f\n", rows[r].name, rows[r].samples[SAMPLES / 2]);
    }
    peer_free(b.peer);
    engine_free(b.engine);
    close(b.in);
    waitpid(b.pid, NULL, 0);
    return 0;
}
