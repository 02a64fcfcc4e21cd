/*
 * What dispatch costs: a chain of twenty built-ins that do nothing, receipt included, beside its
 * floor; and five matching hooks among ten, a thousand and ten thousand registered ones.
 *
 *     bench_chain     prints "row<TAB>nanoseconds" lines
 *
 * The floor is what cannot be left out: twenty calls through pointers, twenty-one readings of the
 * clock, one line of 300 bytes appended to a file. Rows take turns, so that all of them see the
 * same machine.
 */
#include "base/clock.h"
#include "hook/engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define SAMPLES 61
#define BATCH   400
#define CHAIN   20
#define MATCH   5

static int do_nothing(const struct hook_call *c UNUSED, struct verdict *v UNUSED,
                      struct err *e UNUSED)
{
    return 0;
}

struct row {
    const char *name;
    void (*once)(struct row *row);
    struct engine *engine;
    struct event event;
    struct arena arena;
    int fd;
    double samples[SAMPLES];
};

static void emit_once(struct row *row)
{
    struct receipt r = { 0 };

    if (engine_emit(row->engine, &row->event, &row->arena, &r, NULL) == 0)
        receipt_release(&r);
    arena_reset(&row->arena);
}

static void floor_once(struct row *row)
{
    static const char line[300] = { [299] = '\n' };
    hook_fn *volatile calls[CHAIN];
    uint64_t last = clock_mono_ns();

    for (size_t i = 0; i < CHAIN; i++)
        calls[i] = do_nothing;
    for (size_t i = 0; i < CHAIN; i++) {
        (void)calls[i](NULL, NULL, NULL); /* nothing can fail in nothing */
        last += clock_mono_ns() - last;
    }
    if (write(row->fd, line, sizeof(line)) < 0)
        perror("bench_chain");
}

/* `count` built-ins for tool.execute.before, of which `matching` want the tool "bash". */
static const struct hook_def *const *make_defs(struct arena *a, size_t count, size_t matching)
{
    const struct hook_def **defs = arena_array(a, const struct hook_def *, count + 1);

    for (size_t i = 0; i < count; i++) {
        struct hook_def *d = arena_new(a, struct hook_def);
        const char **tools = arena_array(a, const char *, 2);

        tools[0] = i < matching ? "bash" : arena_printf(a, "tool-%zu", i);
        d->name = arena_printf(a, "noop-%05zu", i);
        d->layer = LAYER_TRANSFORM;
        d->tools = tools;
        d->on[POINT_TOOL_EXECUTE_BEFORE] = do_nothing;
        defs[i] = d;
    }
    return defs;
}

static void open_row(struct row *row, struct arena *a, const char *dir, size_t count,
                     size_t matching)
{
    struct engine_options o = {
        .store = store_memory(),
        .receipts = arena_printf(a, "%s/%s", dir, row->name),
        .captures = arena_printf(a, "%s/capture", dir), /* nobody asks: the usual case */
        .builtins = make_defs(a, count, matching),
        .use_builtins = true,
    };

    row->once = emit_once;
    row->engine = engine_new(&o);
    row->event = (struct event){
        .point = POINT_TOOL_EXECUTE_BEFORE,
        .session = { .id = "01JCHAIN00000000000000000A", .agent = "builder" },
        .turn = 3,
    };
    if (json_parse(a, STR("{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{\"command\":\"ls\"}}"),
                   NULL, &row->event.data, NULL) < 0)
        abort();
}

static void sample(struct row *row, size_t at)
{
    uint64_t began = clock_mono_ns();

    for (int i = 0; i < BATCH; i++)
        row->once(row);
    row->samples[at] = (double)(clock_mono_ns() - began) / BATCH;
}

static int compare(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

int main(void)
{
    struct row rows[] = { { .name = "chain-20" },
                          { .name = "chain-floor" },
                          { .name = "dispatch-10" },
                          { .name = "dispatch-1000" },
                          { .name = "dispatch-10000" } };
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");

    if (!mkdtemp(dir)) {
        perror("bench_chain");
        return 1;
    }
    open_row(&rows[0], &a, dir, CHAIN, CHAIN);
    rows[1].once = floor_once;
    rows[1].fd = open(arena_printf(&a, "%s/floor", dir), O_WRONLY | O_APPEND | O_CREAT, 0600);
    open_row(&rows[2], &a, dir, 10, MATCH);
    open_row(&rows[3], &a, dir, 1000, MATCH);
    open_row(&rows[4], &a, dir, 10000, MATCH);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t r = 0; r < ARRAY_LEN(rows); r++)
            sample(&rows[r], i);
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        qsort(rows[r].samples, SAMPLES, sizeof(double), compare);
        printf("%s\t%.1f\n", rows[r].name, rows[r].samples[SAMPLES / 2]);
    }
    return 0;
}
