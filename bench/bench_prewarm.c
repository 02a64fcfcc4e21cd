/*
 * What a command hook in an interpreted language costs, started when its event is there and started
 * ahead (`prewarm`).
 *
 *     bench_prewarm NAME INTERPRETER SCRIPT [NAME INTERPRETER SCRIPT...]
 *
 * prints "NAME-cold<TAB>nanoseconds" and "NAME-warm<TAB>nanoseconds". Between two events there is a
 * pause, as there is in an agent's life, in which the process that waits is loaded.
 */
#include "base/clock.h"
#include "base/file.h"
#include "hook/engine.h"
#include "runner/command.h"

#include <stdio.h>
#include <time.h>

#define SAMPLES  15
#define PAUSE_NS 150000000

static const struct runner *const runners[] = { &command_runner, NULL };

struct row {
    char *name;
    struct engine *engine;
    uint64_t samples[SAMPLES + 1];
};

static void open_row(struct row *row, struct arena *a, const char *dir, char *const *words,
                     bool warm)
{
    char *file, *none = arena_printf(a, "%s/none", dir);
    struct config_where where = {
        .cwd = dir, .managed = none, .hive = none, .user_dir = dir, .state_dir = dir
    };
    struct engine_options o = { .store = store_memory(), .runners = runners };
    char *yaml = arena_printf(a,
                              "hooks: [{ name: x, on: PreToolUse, exec: ['%s', '%s'], "
                              "prewarm: %s }]\n",
                              words[1], words[2], warm ? "true" : "false");

    row->name = arena_printf(a, "%s-%s", words[0], warm ? "warm" : "cold");
    where.user_file = file = arena_printf(a, "%s/%s.yaml", dir, row->name);
    if (file_write(file, str_of(yaml), 0600, NULL) < 0)
        abort();
    row->engine = engine_new(&o);
    engine_configure(row->engine, config_load(&where));
}

static void sample(struct row *row, const struct event *event, size_t i)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    CLEANUP(arena) struct arena a = { 0 };
    struct receipt r = { 0 };
    uint64_t began;

    nanosleep(&pause, NULL);
    began = clock_mono_ns();
    if (engine_emit(row->engine, event, &a, &r, NULL) < 0 || r.run_count != 1 ||
        r.runs[0].end != RUN_DONE || r.verdict.decision != DECISION_ALLOW) {
        fprintf(stderr, "bench_prewarm: %s gave no answer\n", row->name);
        exit(1);
    }
    row->samples[i] = r.runs[0].ns < clock_mono_ns() - began ? r.runs[0].ns : 0;
    receipt_release(&r);
}

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");
    size_t count = (size_t)(argc - 1) / 3 * 2;
    struct row *rows = arena_array(&a, struct row, count + 1);
    struct event event = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = { .id = "s" } };

    if (argc < 4 || (argc - 1) % 3 || !mkdtemp(dir) ||
        json_parse(&a, STR("{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}"), NULL, &event.data,
                   NULL) < 0) {
        fprintf(stderr, "usage: %s NAME INTERPRETER SCRIPT...\n", argv[0]);
        return 1;
    }
    for (size_t r = 0; r < count; r++)
        open_row(&rows[r], &a, dir, argv + 1 + r / 2 * 3, r % 2);
    for (size_t i = 0; i <= SAMPLES; i++) /* the first of a warm row is cold */
        for (size_t r = 0; r < count; r++)
            sample(&rows[r], &event, i);
    for (size_t r = 0; r < count; r++) {
        qsort(rows[r].samples + 1, SAMPLES, sizeof(uint64_t), ascending);
        printf("%s\t%llu\n", rows[r].name, (unsigned long long)rows[r].samples[1 + SAMPLES / 2]);
        engine_free(rows[r].engine);
    }
    return 0;
}
