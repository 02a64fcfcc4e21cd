#include "hook/usage.h"

#include <stddef.h>

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    { "input_tokens", offsetof(struct usage, input) },
    { "output_tokens", offsetof(struct usage, output) },
    { "reasoning_tokens", offsetof(struct usage, reasoning) },
    { "cache_read_tokens", offsetof(struct usage, cache_read) },
    { "cache_write_tokens", offsetof(struct usage, cache_write) },
    { "current_context_window", offsetof(struct usage, context) },
    { "max_context_window", offsetof(struct usage, window) },
};

int64_t usage_tokens(const struct usage *u)
{
    return u->input + u->output + u->reasoning + u->cache_read + u->cache_write;
}

int64_t usage_sent(const struct usage *u)
{
    return u->input + u->cache_read + u->cache_write;
}

int64_t usage_left(const struct usage *u)
{
    if (u->window <= 0 || u->context <= 0)
        return -1;
    return u->context < u->window ? u->window - u->context : 0;
}

double usage_share(const struct usage *u)
{
    return u->window > 0 && u->context > 0 ? (double)u->context / (double)u->window : -1;
}

void usage_add(struct usage *to, const struct usage *u)
{
    to->input += u->input;
    to->output += u->output;
    to->reasoning += u->reasoning;
    to->cache_read += u->cache_read;
    to->cache_write += u->cache_write;
}

const struct json *usage_to_json(struct arena *a, const struct usage *u)
{
    struct json *j = json_object(a);

    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        json_add(a, j, str_of(fields[i].name),
                 json_int(a, *(const int64_t *)((const char *)u + fields[i].offset)));
    return j;
}

struct usage usage_from_json(const struct json *j)
{
    struct usage u = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        int64_t n;

        if (json_to_int64(json_get(j, str_of(fields[i].name)), &n) == 0 && n >= 0)
            *(int64_t *)((char *)&u + fields[i].offset) = n < USAGE_MAX ? n : USAGE_MAX;
    }
    return u;
}
