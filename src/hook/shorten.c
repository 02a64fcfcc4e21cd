#include "hook/shorten.h"

/* Where a head of at most `max` bytes ends. */
static size_t head_end(struct str text, size_t max)
{
    const char *end = max ? memrchr(text.ptr, '\n', max) : NULL;

    return end ? (size_t)(end - text.ptr) + 1 : str_fit(text, max);
}

/* Where a tail of at most `max` bytes begins. */
static size_t tail_start(struct str text, size_t max)
{
    size_t from = text.len - max;
    const char *end;

    if (max == 0 || text.ptr[from - 1] == '\n')
        return from;
    end = memchr(text.ptr + from, '\n', max - 1); /* one that ends the text begins no line */
    if (end)
        return (size_t)(end - text.ptr) + 1;
    while (from < text.len && ((unsigned char)text.ptr[from] & 0xc0) == 0x80)
        from++;
    return from;
}

static size_t count_lines(struct str text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines + (text.len && text.ptr[text.len - 1] != '\n');
}

struct shortened shorten(struct str text, size_t max)
{
    struct shortened s = { .head = text };
    size_t head, tail;

    if (text.len <= max)
        return s;
    head = head_end(text, max / 5 * 3);
    tail = tail_start(text, max / 5 * 2);
    s.cut = true;
    s.head = (struct str){ text.ptr, head };
    s.tail = (struct str){ text.ptr + tail, text.len - tail };
    s.bytes = tail - head;
    s.lines = count_lines((struct str){ text.ptr + head, s.bytes });
    return s;
}
