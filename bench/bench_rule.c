/*
 * What the same decision costs as a rule, as a script in Lua, as one for bash and jq and as a
 * resident hook: is the context window over 70 % full? And what it costs to load the script in Lua.
 *
 *     bench_rule SCRIPT RESIDENT     prints "row<TAB>nanoseconds" lines; SCRIPT is a hook written
 *                                    for Kodelet, RESIDENT one that stays
 *
 * All run through the whole engine, receipt included, on the same event.
 */
#include "base/clock.h"
#include "base/file.h"
#include "hook/engine.h"
#include "runner/command.h"
#include "runner/resident.h"
#include "runner/rule.h"
#include "runner/script.h"
#include "runner/script_box.h"

#include <stdio.h>

#define SAMPLES    31
#define RULE_BATCH 400
#define LOAD_BATCH 40
#define EVENT_TURNS \
    "{\"turn\":3,\"response\":\"done\",\"messages\":[],\"usage\":{\"current_context_window\":150000,\"max_context_window\":200000}}"

static const struct runner *const runners[] = { &rule_runner, &script_runner, &command_runner,
                                                &resident_runner, NULL };

static const char lua[] =
    "hooke.on('turn.after', function(event)\n"
    "  local usage = event.data.usage\n"
    "  if usage.current_context_window / usage.max_context_window > 0.70 then\n"
    "    return { result = 'callback', callback = 'compact' }\n"
    "  end\n"
    "end)\n";

struct row {
    const char *name;
    unsigned batch;
    struct engine *engine;
    struct arena arena;
    struct event event;
    double samples[SAMPLES];
};

static void open_row(struct row *row, struct arena *a, const char *dir, const char *yaml)
{
    char *file = arena_printf(a, "%s/%s.yaml", dir, row->name);
    char *none = arena_printf(a, "%s/none", dir);
    struct config_where where = {
        .cwd = dir,
        .managed = none,
        .hive = none,
        .user_file = file,
        .user_dir = dir,
        .state_dir = dir,
    };
    struct engine_options o = {
        .store = store_memory(),
        .receipts = arena_printf(a, "%s/%s", dir, row->name),
        .runners = runners,
    };

    if (file_write(file, str_of(yaml), 0600, NULL) < 0 ||
        json_parse(a, STR(EVENT_TURNS), NULL, &row->event.data, NULL) < 0)
        abort();
    row->engine = engine_new(&o);
    engine_configure(row->engine, config_load(&where));
    row->event.point = POINT_TURN_AFTER;
    row->event.session.id = "01JRULE000000000000000000A";
}

/* The time of one event; every one must decide for a callback, or the figure means nothing. */
static double sample(struct row *row)
{
    uint64_t began = clock_mono_ns();

    for (unsigned i = 0; i < row->batch; i++) {
        struct receipt r = { 0 };

        if (engine_emit(row->engine, &row->event, &row->arena, &r, NULL) < 0 ||
            r.verdict.result != VERDICT_CALLBACK) {
            fprintf(stderr, "bench_rule: %s did not decide\n", row->name);
            exit(1);
        }
        receipt_release(&r);
        arena_reset(&row->arena);
    }
    return (double)(clock_mono_ns() - began) / row->batch;
}

static int compare(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* To read the file is not part of it: a state, its libraries, the code compiled and run once. */
static double sample_load(void)
{
    const struct script_source source = { "compact.lua", { lua, sizeof(lua) - 1 } };
    uint64_t began = clock_mono_ns();

    for (unsigned i = 0; i < LOAD_BATCH; i++) {
        struct script_box *box = script_box_new();

        if (script_box_load(box, &source, 0, NULL, NULL) < 0)
            abort();
        script_box_free(box);
    }
    return (double)(clock_mono_ns() - began) / LOAD_BATCH;
}

static void print_median(const char *name, double *samples)
{
    qsort(samples, SAMPLES, sizeof(double), compare);
    printf("%s\t%.1f\n", name, samples[SAMPLES / 2]);
}

static void open_rows(struct row *rows, struct arena *a, const char *dir, char **argv)
{
    if (file_write(arena_printf(a, "%s/compact.lua", dir), str_of(lua), 0600, NULL) < 0)
        abort();
    open_row(&rows[0], a, dir,
             "hooks:\n  - name: compact-at-70\n    on: turn.after\n"
             "    when: usage.current_context_window / usage.max_context_window > 0.70\n"
             "    callback: compact\n");
    open_row(&rows[1], a, dir, "hooks: [{ name: compact-at-70, script: compact.lua }]\n");
    open_row(&rows[2], a, dir,
             arena_printf(
                 a,
                 "hooks: [{ name: script, on: turn.after, dialect: kodelet, exec: [%s, run] }]\n",
                 argv[1]));
    open_row(
        &rows[3], a, dir,
        arena_printf(a, "hooks: [{ name: resident, on: turn.after, resident: [%s] }]\n", argv[2]));
}

int main(int argc, char **argv)
{
    struct row rows[] = { { .name = "compact-rule", .batch = RULE_BATCH },
                          { .name = "compact-lua", .batch = RULE_BATCH },
                          { .name = "compact-script", .batch = 1 },
                          { .name = "compact-resident", .batch = 20 } };
    double load[SAMPLES];
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");

    if (argc != 3 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: %s SCRIPT RESIDENT\n", argv[0]);
        return 1;
    }
    open_rows(rows, &a, dir, argv);
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t r = 0; r < ARRAY_LEN(rows); r++)
            rows[r].samples[i] = sample(&rows[r]);
        load[i] = sample_load();
    }
    for (size_t r = 0; r < ARRAY_LEN(rows); r++)
        print_median(rows[r].name, rows[r].samples);
    print_median("load-lua", load);
    return 0;
}
