/* Any bytes are the file of a recipe; what loads is rendered with arguments, and runs nothing. */
#include "agent/recipe_body.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct problems problems = { .arena = &a };
    struct recipe recipe = { .name = "x", .path = "x.md" };
    const struct recipe_kitchen kitchen = { 0 };
    struct recipe_body body;
    const struct json *args = NULL;
    struct err e = { 0 };
    char *text = NULL;

    problems.end = &problems.first;
    if (recipe_read(&a, (struct str){ (const char *)data, size }, &recipe, &problems, &e) < 0) {
        if (e.msg[0] == '\0')
            __builtin_trap();
        return 0;
    }
    if (recipe_parse(&a, &recipe, &body, &e) < 0) /* what loads has a body */
        __builtin_trap();
    for (size_t i = 0; i < body.name_count; i++) {
        if (!recipe_takes(&recipe, body.names[i]))
            __builtin_trap();
        args = json_with(&a, args, str_of(body.names[i]), json_cstring(&a, "[\"{{.x}}\", \"{{\"]"));
    }
    if (recipe_render(&recipe, args, &kitchen, &a, &text, &e) == 0 && !text)
        __builtin_trap();
    if (recipe_render(&recipe, NULL, NULL, &a, &text, &e) < 0 && e.msg[0] == '\0')
        __builtin_trap();
    return 0;
}
