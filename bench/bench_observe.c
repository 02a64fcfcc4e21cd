/*
 * What it costs to have many observers: ten commands that take 5 to 50 ms each, beside the slowest
 * of them alone.
 *
 *     bench_observe     prints "row<TAB>nanoseconds" lines
 *
 * Both are whole events, receipt included, in turns.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "hook/engine.h"
#include "runner/command.h"

#include <stdio.h>

#define SAMPLES   15
#define OBSERVERS 10
#define STEP_MS   5

struct row {
    const char *name;
    int first; /* of the observers; the last is the slowest */
    struct engine *engine;
    double samples[SAMPLES];
};

/* Observers from `first` on in a configuration of their own. */
static struct config *configure(struct arena *a, const char *dir, int first)
{
    CLEANUP(strbuf) struct strbuf yaml = { 0 };
    struct config_where where = {
        .cwd = dir, .managed = "none", .hive = "none", .user_dir = dir, .state_dir = dir
    };

    strbuf_addstr(&yaml, "hooks:\n");
    for (int i = first; i <= OBSERVERS; i++)
        strbuf_printf(&yaml,
                      "  - { name: o%d, on: tool.execute.after, mode: observe,"
                      " exec: ['%s', %d] }\n",
                      i, BENCH_CHILD, i * STEP_MS);
    if (file_mkdirs(dir, NULL) < 0 ||
        file_write(path_join(a, dir, "config.yaml"), strbuf_str(&yaml), 0600, NULL) < 0)
        return NULL;
    return config_load(&where);
}

static bool open_row(struct row *row, struct arena *a, const char *base)
{
    static const struct runner *const runners[] = { &command_runner, NULL };
    const char *dir = arena_printf(a, "%s/%s", base, row->name);
    struct engine_options o = { .store = store_memory(), .receipts = dir, .runners = runners };
    struct config *config = configure(a, dir, row->first);

    row->engine = engine_new(&o);
    if (config)
        engine_configure(row->engine, config);
    return config != NULL;
}

static bool sample(const struct row *row, double *ns)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_TOOL_EXECUTE_AFTER, .session = { .id = "s1" } };
    uint64_t began = clock_mono_ns();
    struct receipt r = { 0 };
    bool ok;

    if (engine_emit(row->engine, &ev, &a, &r, NULL) < 0)
        return false;
    *ns = (double)(clock_mono_ns() - began);
    ok = r.run_count == (size_t)(OBSERVERS - row->first + 1);
    for (size_t i = 0; i < r.run_count; i++)
        ok = ok && r.runs[i].end == RUN_DONE;
    receipt_release(&r);
    return ok;
}

static int compare(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

int main(void)
{
    struct row rows[] = { { .name = "observe-10", .first = 1 },
                          { .name = "observe-slowest", .first = OBSERVERS } };
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");
    bool ok = mkdtemp(dir) != NULL;

    for (size_t r = 0; r < ARRAY_LEN(rows); r++)
        ok = ok && open_row(&rows[r], &a, dir);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t r = 0; r < ARRAY_LEN(rows); r++)
            ok = ok && sample(&rows[r], &rows[r].samples[i]);
    if (!ok) {
        fprintf(stderr, "bench_observe: an observer did not run\n");
        return 1;
    }
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        qsort(rows[r].samples, SAMPLES, sizeof(double), compare);
        printf("%s\t%.0f\n", rows[r].name, rows[r].samples[SAMPLES / 2]);
    }
    return 0;
}
