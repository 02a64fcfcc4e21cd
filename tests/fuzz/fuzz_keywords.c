/*
 * People type anything: keyword-detector reads it all, and finds nothing in what is code from its
 * first line to its end.
 */
#include "hook/hook.h"

#include <stdlib.h>

extern const struct hook_def keyword_detector_hook;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool asks(struct arena *a, struct str text)
{
    const struct hook_def *def = &keyword_detector_hook;
    void *options = arena_zalloc(a, def->options_size);
    const struct json *message = json_with(a, NULL, STR("text"), json_string(a, text));
    struct event ev = { .point = POINT_CHAT_MESSAGE, .session = { .id = "s" } };
    struct hook_call c = { .event = &ev, .arena = a, .options = options };
    struct verdict v = { 0 };

    option_defaults(a, def->options, options);
    ev.data = json_with(a, NULL, STR("message"), message);
    if (def->on[POINT_CHAT_MESSAGE](&c, &v, NULL) < 0)
        abort();
    return v.injections != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf code = { 0 };
    struct str text = { (const char *)data, size };

    (void)asks(&a, text);
    if (memmem(data, size, "````````", 8))
        return 0;
    strbuf_addstr(&code, "````````\n");
    strbuf_add(&code, text.ptr, text.len);
    if (asks(&a, strbuf_str(&code)))
        abort();
    return 0;
}
