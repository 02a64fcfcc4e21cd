/*
 * Conditions are written by people and come from files: any text is compiled or refused, evaluated
 * or failed, in bounded time and memory, and its names are found without reading past its end.
 */
#include "base/clock.h"
#include "runner/lua_box.h"
#include "runner/lua_names.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_names(struct str text)
{
    struct lua_names names = { .rest = text };
    struct str name;

    while (lua_names_next(&names, &name))
        if (name.len == 0 || name.ptr < text.ptr || name.ptr + name.len > text.ptr + text.len)
            abort();
}

static void evaluate(struct arena *a, struct lua_box *box)
{
    struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = { .id = "s" } };
    struct hook_call c = { .event = &ev, .arena = a, .deadline_ns = clock_mono_ns() + 50000000 };
    bool truth;

    if (json_parse(a, STR("{\"tool\":\"bash\",\"args\":{\"command\":\"ls\",\"list\":[1,2,{}]}}"),
                   NULL, &ev.data, NULL) < 0)
        abort();
    (void)!lua_box_test(box, &c, &truth, NULL); /* may fail, must come back */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    CLEANUP(arena) struct arena a = { 0 };
    struct lua_box *box;

    if (size > 4096)
        return 0;
    find_names(text);
    box = lua_box_new();
    if (lua_box_load(box, "fuzz.yaml", 3, text, NULL) == 0)
        evaluate(&a, box);
    lua_box_free(box);
    return 0;
}
