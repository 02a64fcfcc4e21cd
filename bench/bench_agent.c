/*
 * What the agent itself costs: a turn with a tool call and 0, 5 or 20 hooks at every point, on
 * replies from a script; and its parser of event streams beside a copy of the bytes.
 *
 *     bench_agent     prints "row<TAB>nanoseconds" lines
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "net/sse.h"

#include <ftw.h>
#include <stdio.h>

#define TURNS   40
#define SAMPLES 15
#define STREAM  ((size_t)4 << 20)

static int do_nothing(const struct hook_call *c UNUSED, struct verdict *v UNUSED,
                      struct err *e UNUSED)
{
    return 0;
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static void print_median(const char *name, double *samples)
{
    qsort(samples, SAMPLES, sizeof(*samples), compare);
    printf("%s\t%.1f\n", name, samples[SAMPLES / 2]);
}

static int remove_one(const char *path, const struct stat *st UNUSED, int type UNUSED,
                      struct FTW *ftw UNUSED)
{
    return remove(path);
}

/* Turns --------------------------------------------------------------------------------------- */

static const struct hook_def *const *make_defs(struct arena *a, size_t count)
{
    const struct hook_def **defs = arena_array(a, const struct hook_def *, count + 1);

    for (size_t i = 0; i < count; i++) {
        struct hook_def *d = arena_new(a, struct hook_def);

        d->name = arena_printf(a, "noop-%02zu", i);
        d->layer = LAYER_TRANSFORM;
        for (int p = 0; p < POINT_COUNT; p++)
            d->on[p] = do_nothing;
        defs[i] = d;
    }
    return defs;
}

static void write_turns(const char *file)
{
    struct strbuf text = { 0 };

    strbuf_addstr(&text, "turns:\n");
    for (size_t i = 1; i < TURNS; i++)
        strbuf_addstr(&text, "- calls: [{ tool: todo, args: { todos: [] } }]\n");
    strbuf_addstr(&text, "- { text: Done. }\n");
    if (file_write(file, strbuf_str(&text), 0600, NULL) < 0)
        abort();
    strbuf_release(&text);
}

static double run_session(const struct hook_def *const *defs, const char *dir)
{
    struct store *store = store_memory();
    struct engine *engine = engine_new(&(struct engine_options){
        .store = store, .receipts = dir, .builtins = defs, .use_builtins = true });
    struct agent *agent;
    struct agent_outcome out;
    uint64_t began;
    double ns;

    engine_configure(engine, config_load(&(struct config_where){
                                 .cwd = dir, .user_dir = dir, .state_dir = dir }));
    agent = agent_new(&(struct agent_options){ .engine = engine, .store = store, .cwd = dir });
    began = clock_mono_ns();
    if (agent_run(agent, &(struct agent_task){ .text = "go", .model = "script/m" }, &out, NULL) < 0)
        abort();
    ns = (double)(clock_mono_ns() - began) / TURNS;
    if (out.turns != TURNS)
        abort();
    agent_outcome_release(&out);
    agent_free(agent);
    engine_free(engine);
    store_free(store);
    return ns;
}

static void bench_turns(struct arena *a, const char *dir)
{
    static const struct {
        const char *name;
        size_t hooks;
    } rows[] = { { "turn-0", 0 }, { "turn-5", 5 }, { "turn-20", 20 } };
    double samples[ARRAY_LEN(rows)][SAMPLES];
    char *file = path_join(a, dir, "turns.yaml");

    write_turns(file);
    setenv("HOOKE_SCRIPT", file, 1);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t r = 0; r < ARRAY_LEN(rows); r++)
            samples[r][i] = run_session(make_defs(a, rows[r].hooks), dir);
    for (size_t r = 0; r < ARRAY_LEN(rows); r++)
        print_median(rows[r].name, samples[r]);
}

/* Streams ------------------------------------------------------------------------------------- */

static int take(void *context, const char *name UNUSED, struct str data, struct err *e UNUSED)
{
    *(size_t *)context += data.len;
    return 0;
}

static void bench_stream(void)
{
    static const char event[] =
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
        "{\"type\":\"text_delta\",\"text\":\"a few words of an answer\"}}\n\n";
    double parse[SAMPLES], copy[SAMPLES];
    struct strbuf text = { 0 };
    char *other = malloc(STREAM * 2);
    size_t seen = 0;

    while (text.len < STREAM)
        strbuf_addstr(&text, event);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sse s = { 0 };
        uint64_t began = clock_mono_ns(), middle;

        if (sse_feed(&s, strbuf_str(&text), take, &seen, NULL) < 0)
            abort();
        middle = clock_mono_ns();
        memcpy(other, text.buf, text.len);
        __asm__ volatile("" : : "r"(other) : "memory"); /* it is used */
        copy[i] = (double)(clock_mono_ns() - middle);
        parse[i] = (double)(middle - began);
        sse_release(&s);
    }
    print_median("sse-4m", parse);
    print_median("memcpy-4m", copy);
    free(other);
    strbuf_release(&text);
}

int main(void)
{
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");

    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    bench_turns(&a, dir);
    bench_stream();
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    arena_release(&a);
    return 0;
}
