#include "agent/models.h"

#include <ctype.h>

/* Of models nobody knows: small enough to compact in time on most. */
#define WINDOW_UNKNOWN 128000

/*
 * The first row whose name the model's begins with; a version or a date may follow. Dollars are the
 * list prices of November 2026; what some ask more for above 200,000 or 272,000 tokens is not known
 * here.
 */
static const struct {
    const char *name;
    struct model_info info;
} models[] = {
    { "claude-fable-5", { 1000000, 32000, 10, 50, 1, 12.5, true } },
    { "claude-opus-5-5", { 1000000, 32000, 4, 20, 0.4, 5, true } },
    { "claude-opus-5", { 1000000, 32000, 5, 25, 0.5, 6.25, true } },
    { "claude-sonnet-5", { 1000000, 32000, 2, 10, 0.2, 2.5, true } },
    { "claude-opus-4-7", { 1000000, 32000, 5, 25, 0.5, 6.25, true } },
    { "claude-opus-4-6", { 1000000, 32000, 5, 25, 0.5, 6.25, true } },
    { "claude-opus-4-5", { 200000, 32000, 5, 25, 0.5, 6.25, true } },
    { "claude-opus-4", { 200000, 32000, 15, 75, 1.5, 18.75, true } },
    { "claude-sonnet-4-6", { 1000000, 32000, 3, 15, 0.3, 3.75, true } },
    { "claude-sonnet-4", { 200000, 32000, 3, 15, 0.3, 3.75, true } },
    { "claude-haiku-4", { 200000, 32000, 1, 5, 0.1, 1.25, true } },
    { "claude-3-7-sonnet", { 200000, 32000, 3, 15, 0.3, 3.75, true } },
    { "claude-3-5-sonnet", { 200000, 8192, 3, 15, 0.3, 3.75, true } },
    { "claude-3-5-haiku", { 200000, 8192, 0.8, 4, 0.08, 1, true } },
    { "claude-3-opus", { 200000, 4096, 15, 75, 1.5, 18.75, true } },
    { "claude-3-haiku", { 200000, 4096, 0.25, 1.25, 0.03, 0.3, true } },
    { "claude", { 200000, 8192, 0, 0, 0, 0, false } },
    { "gpt-6-sol", { 400000, 0, 2, 10, 0.2, 2.5, true } },
    { "gpt-6-luna", { 400000, 0, 0.1, 0.5, 0.01, 0.125, true } },
    { "gpt-5.6-luna", { 1050000, 0, 0.2, 1.2, 0.02, 0.25, true } },
    { "gpt-5.6-terra", { 1050000, 0, 2, 12, 0.2, 2.5, true } },
    { "gpt-5.6", { 1050000, 0, 5, 30, 0.5, 6.25, true } },
    { "gpt-5.5-pro", { 1050000, 0, 30, 180, 30, 0, true } },
    { "gpt-5.5", { 1050000, 0, 5, 30, 0.5, 0, true } },
    { "gpt-5.4-mini", { 400000, 0, 0.75, 4.5, 0.075, 0, true } },
    { "gpt-5.4", { 1050000, 0, 2.5, 15, 0.25, 0, true } },
    { "gpt-5.1", { 400000, 0, 1.25, 10, 0.125, 0, true } },
    { "gpt-5-pro", { 400000, 0, 15, 120, 15, 0, true } },
    { "gpt-5-nano", { 400000, 0, 0.05, 0.4, 0.005, 0, true } },
    { "gpt-5-mini", { 400000, 0, 0.25, 2, 0.025, 0, true } },
    { "gpt-5", { 400000, 0, 1.25, 10, 0.125, 0, true } },
    { "gpt-4.1-nano", { 1047576, 0, 0.1, 0.4, 0.025, 0, true } },
    { "gpt-4.1-mini", { 1047576, 0, 0.4, 1.6, 0.1, 0, true } },
    { "gpt-4.1", { 1047576, 0, 2, 8, 0.5, 0, true } },
    { "gpt-4o-mini", { 128000, 0, 0.15, 0.6, 0.075, 0, true } },
    { "gpt-4o", { 128000, 0, 2.5, 10, 1.25, 0, true } },
    { "gpt-4-turbo", { 128000, 0, 10, 30, 10, 0, true } },
    { "gpt-4", { 8192, 0, 30, 60, 30, 0, true } },
    { "gpt-3.5-turbo", { 16385, 0, 0.5, 1.5, 0.5, 0, true } },
    { "o4-mini", { 200000, 0, 1.1, 4.4, 0.275, 0, true } },
    { "o3-mini", { 200000, 0, 1.1, 4.4, 0.55, 0, true } },
    { "o3-pro", { 200000, 0, 20, 80, 20, 0, true } },
    { "o3", { 200000, 0, 2, 8, 0.5, 0, true } },
    { "o1-pro", { 200000, 0, 150, 600, 150, 0, true } },
    { "o1-mini", { 128000, 0, 1.1, 4.4, 0.55, 0, true } },
    { "o1", { 200000, 0, 15, 60, 7.5, 0, true } },
    { "gemini-3.1-pro", { 1048576, 0, 2, 12, 0.2, 0, true } },
    { "gemini-3.1-flash-lite", { 1048576, 0, 0.25, 1.5, 0.025, 0, true } },
    { "gemini-3-flash", { 1048576, 0, 0.5, 3, 0.05, 0, true } },
    { "gemini-3-pro", { 1048576, 0, 2, 12, 0.2, 0, true } },
    { "gemini-2.5-pro", { 1048576, 0, 1.25, 10, 0.125, 0, true } },
    { "gemini-2.5-flash-lite", { 1048576, 0, 0.1, 0.4, 0.01, 0, true } },
    { "gemini-2.5-flash", { 1048576, 0, 0.3, 2.5, 0.03, 0, true } },
    { "gemini-2.0-flash-lite", { 1048576, 0, 0.075, 0.3, 0.075, 0, true } },
    { "gemini-2.0-flash", { 1048576, 0, 0.1, 0.4, 0.025, 0, true } },
    { "gemini", { 1048576, 0, 0, 0, 0, 0, false } },
};

/* "o3" is not "o3000", and "gpt-4" neither "gpt-4o" nor "gpt-4.5". */
static bool is_of(const char *model, const char *family)
{
    size_t len = strlen(family);

    return strncmp(model, family, len) == 0 && !isalnum((unsigned char)model[len]) &&
           model[len] != '.';
}

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
        if (is_of(model, models[i].name)) {
            m = models[i].info;
            break;
        }
    m.priced = m.priced || price;
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
