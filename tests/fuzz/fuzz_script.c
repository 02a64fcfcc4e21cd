/*
 * Scripts are written by people and come from files: any text is compiled or refused, run or
 * stopped, in bounded time and memory; what its functions answer is a verdict or a failure.
 */
#include "base/clock.h"
#include "hook/engine.h"
#include "runner/script_box.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATIENCE_NS 50000000u

static void fire(struct arena *a, struct engine *engine, struct script_box *box, enum point point)
{
    const struct hook hook = { .name = "fuzz" };
    struct event ev = { .point = point, .id = "e", .session = { .id = "s" } };
    struct hook_call c = { .engine = engine, .hook = &hook, .event = &ev, .arena = a };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    const struct json *answer = NULL;
    struct verdict v = { 0 };

    c.deadline_ns = clock_mono_ns() + PATIENCE_NS;
    if (json_parse(a, STR("{\"tool\":\"bash\",\"args\":{\"command\":\"ls\",\"list\":[1,2,{}]}}"),
                   NULL, &ev.data, NULL) < 0)
        abort();
    if (script_box_fire(box, &c, &answer, NULL) == 0 && answer)
        (void)!verdict_from_json(a, answer, &v, &warnings, NULL); /* may fail, must come back */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct script_source source = { "fuzz.lua", { (const char *)data, size } };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(store) struct store *store = NULL;
    struct script_learned learned = { .arena = &a };
    struct script_box *box;
    struct engine *engine;

    if (size > 4096)
        return 0;
    store = store_memory();
    engine = engine_new(&(struct engine_options){ .store = store });
    box = script_box_new();
    if (script_box_load(box, &source, clock_mono_ns() + PATIENCE_NS, &learned, NULL) == 0)
        for (size_t i = 0; i < learned.count; i++)
            for (int times = 0; times < 2; times++)
                fire(&a, engine, box, learned.list[i].on.point);
    script_box_free(box);
    engine_free(engine);
    return 0;
}
