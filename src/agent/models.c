#include "agent/models.h"

/* Of models nobody knows: small enough to compact in time on most. */
#define WINDOW_UNKNOWN 128000

/* The first row whose name the model's begins with. */
static const struct {
    const char *name;
    struct model_info info;
} models[] = {
    { "claude-opus-4-5", { 200000, 32000, 5, 25, 0.5, 6.25 } },
    { "claude-opus-4", { 200000, 32000, 15, 75, 1.5, 18.75 } },
    { "claude-sonnet-4", { 200000, 32000, 3, 15, 0.3, 3.75 } },
    { "claude-haiku-4", { 200000, 32000, 1, 5, 0.1, 1.25 } },
    { "claude-3-7-sonnet", { 200000, 32000, 3, 15, 0.3, 3.75 } },
    { "claude-3-5-haiku", { 200000, 8192, 0.8, 4, 0.08, 1 } },
    { "claude", { 200000, 8192, 0, 0, 0, 0 } },
    { "gpt-5-nano", { 400000, 0, 0.05, 0.4, 0.005, 0 } },
    { "gpt-5-mini", { 400000, 0, 0.25, 2, 0.025, 0 } },
    { "gpt-5", { 400000, 0, 1.25, 10, 0.125, 0 } },
    { "gpt-4.1-mini", { 1047576, 0, 0.4, 1.6, 0.1, 0 } },
    { "gpt-4.1", { 1047576, 0, 2, 8, 0.5, 0 } },
    { "gpt-4o-mini", { 128000, 0, 0.15, 0.6, 0.075, 0 } },
    { "gpt-4o", { 128000, 0, 2.5, 10, 1.25, 0 } },
    { "o4-mini", { 200000, 0, 1.1, 4.4, 0.275, 0 } },
    { "o3", { 200000, 0, 2, 8, 0.5, 0 } },
    { "gemini-2.5-pro", { 1048576, 0, 1.25, 10, 0.125, 0 } },
    { "gemini-2.5-flash-lite", { 1048576, 0, 0.1, 0.4, 0.01, 0 } },
    { "gemini-2.5-flash", { 1048576, 0, 0.3, 2.5, 0.03, 0 } },
    { "gemini", { 1048576, 0, 0, 0, 0, 0 } },
};

static void take_number(const struct setting *settings, const char *key, double *out)
{
    const struct setting *s = setting_get(settings, key);
    double n;

    if (s && setting_to_double(s, &n) && n >= 0)
        *out = n;
}

static void take_count(const struct setting *settings, const char *key, int64_t *out)
{
    const struct setting *s = setting_get(settings, key);
    int64_t n;

    if (s && setting_to_int64(s, &n) && n > 0)
        *out = n;
}

struct model_info model_info_find(const struct provider *p, const char *model)
{
    const struct setting *said = setting_get(setting_get(p->settings, "models"), model);
    const struct setting *price = setting_get(said, "price");
    struct model_info m = { .window = WINDOW_UNKNOWN };

    for (size_t i = 0; i < ARRAY_LEN(models); i++)
        if (str_starts(str_of(model), str_of(models[i].name))) {
            m = models[i].info;
            break;
        }
    take_count(said, "context_window", &m.window);
    take_count(said, "max_output", &m.max_output);
    take_number(price, "input", &m.input);
    take_number(price, "output", &m.output);
    take_number(price, "cache_read", &m.cache_read);
    take_number(price, "cache_write", &m.cache_write);
    return m;
}

double model_cost(const struct model_info *m, const struct usage *u)
{
    return ((double)u->input * m->input + (double)(u->output + u->reasoning) * m->output +
            (double)u->cache_read * m->cache_read + (double)u->cache_write * m->cache_write) /
           1e6;
}
