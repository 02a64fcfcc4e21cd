/* Rule texts, and shortening: what is kept is a part of the text, and never more than allowed. */
#include "hook/rule_text.h"
#include "hook/shorten.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_rule(struct arena *a, struct str text)
{
    struct rule_text rule;

    rule_text_parse(a, text, &rule);
    require(rule.count <= RULE_TEXT_GLOBS);
    require(rule.body.len <= text.len);
    for (size_t i = 0; i < rule.count; i++)
        require(rule.globs[i][0] != '\0' || text.len > 0);
    if (rule.always)
        require(rule_text_match(&rule, "src/a.c", "a.c") != NULL);
    else
        (void)rule_text_match(&rule, "src/a.c", "a.c");
}

static void check_shortened(struct str text, size_t max)
{
    struct shortened s = shorten(text, max);

    require(s.head.len + s.tail.len + s.bytes == text.len);
    require(s.cut == (text.len > max));
    require(!s.cut || s.head.len + s.tail.len <= max);
    require(s.head.len == 0 || s.head.ptr == text.ptr);
    require(s.tail.len == 0 || s.tail.ptr + s.tail.len == text.ptr + text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { arena_cstr(&a, (struct str){ size ? (const char *)data : "", size }),
                        size };

    check_rule(&a, text);
    for (size_t max = 0; max <= size + 1; max += 1 + size / 7)
        check_shortened(text, max);
    return 0;
}
