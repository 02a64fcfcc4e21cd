#include "hook/site.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "hook/collector.h"
#include "hook/state.h"
#include "hook/usage.h"

#include <stdlib.h>

#define KEPT "kept/" /* before the path: keys of the state */

/* In the arena; NULL: there is no such file. */
static const char *real_path(struct arena *a, const char *path)
{
    CLEANUP(mem) char *real = realpath(path, NULL);

    return real ? arena_strdup(a, real) : NULL;
}

/* Dialects use our name; agents that nobody has taught us keep theirs. */
static const char *path_argument(const struct hook_call *c)
{
    static const struct str names[] = { { "path", 4 }, { "file_path", 9 }, { "filePath", 8 } };
    const struct json *args = event_data(c->event, STR("args"));
    const char *path = NULL;

    for (size_t i = 0; i < ARRAY_LEN(names) && !(path && path[0]); i++)
        path = json_cstr(c->arena, json_get(args, names[i]));
    return path && path[0] ? path : NULL;
}

bool site_root(const struct hook_call *c, struct site *out)
{
    const char *cwd = c->event->session.cwd;

    *out = (struct site){ 0 };
    if (cwd && cwd[0])
        out->root = real_path(c->arena, path_workspace(c->arena, cwd));
    return out->root != NULL;
}

static bool set_file(const struct hook_call *c, struct site *s, const char *path)
{
    s->file = real_path(c->arena, path_join(c->arena, c->event->session.cwd, path));
    return s->file && path_within(s->root, s->file);
}

/* The file that a line of a patch names; NULL: none. */
static const char *patched_file(struct arena *a, struct str line)
{
    static const struct str heads[] = { { "*** Update File: ", 17 }, { "*** Add File: ", 14 } };

    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        if (str_starts(line, heads[i]))
            return arena_cstr(
                a, str_trim((struct str){ line.ptr + heads[i].len, line.len - heads[i].len }));
    return NULL;
}

bool site_next(const struct hook_call *c, struct site *s)
{
    struct str line;

    while (s->rest.len && str_cut(&s->rest, '\n', &line)) {
        const char *path = patched_file(c->arena, line);

        if (path && set_file(c, s, path))
            return true;
    }
    return false;
}

bool site_find(const struct hook_call *c, struct site *out)
{
    const char *path = path_argument(c);

    if (!site_root(c, out))
        return false;
    if (path)
        return set_file(c, out, path);
    out->rest = json_str(c->arena, json_get(event_data(c->event, STR("args")), STR("patch")));
    return site_next(c, out);
}

const char *site_below(const char *folder, const char *path)
{
    size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return path + len + (path[len] == '/');
}

bool site_read(struct arena *a, const struct site *s, const char *path, struct site_text *out)
{
    struct str text;

    *out = (struct site_text){ .path = real_path(a, path) };
    if (!out->path || !path_within(s->root, out->path) ||
        file_read(a, out->path, SITE_FILE_MAX, &text, NULL) < 0)
        return false;
    text = str_trim((struct str){ text.ptr, strnlen(text.ptr, text.len) });
    if (!text.len)
        return false;
    out->name = site_below(s->root, out->path);
    out->text = (struct str){ arena_cstr(a, text), text.len };
    return true;
}

struct str site_cut(struct arena *a, const struct site_text *t, size_t max)
{
    const char *end, *note;
    size_t len = max;

    if (t->text.len <= max)
        return t->text;
    note = arena_printf(a, "\n[cut here: read '%s' for the rest]", t->name);
    len = len > strlen(note) ? len - strlen(note) : 0;
    end = len ? memrchr(t->text.ptr, '\n', len) : NULL;
    if (end)
        len = (size_t)(end - t->text.ptr);
    return str_of(arena_printf(a, "%.*s%s", (int)str_fit(t->text, len), t->text.ptr, note));
}

static bool is_compacted(const struct hook_call *c)
{
    return c->event->point == POINT_SESSION_CREATED &&
           str_is(json_str(c->arena, event_data(c->event, STR("source"))), "compact");
}

size_t site_budget(const struct hook_call *c)
{
    int64_t tokens = c->hook->traits.budget_tokens;
    int64_t window = usage_from_json(c->event->session.usage).window;

    if (tokens == 0)
        tokens = INJECT_BUDGET_TOKENS;
    if (is_compacted(c) && window > 0 && window / 10 < tokens)
        tokens = window / 10;
    return (size_t)tokens * 4;
}

size_t site_room(const struct hook_call *c, size_t around, size_t max)
{
    size_t budget = site_budget(c), room = budget > around ? budget - around : 0;

    return max < room ? max : room;
}

/* Marks that the engine forgets when the conversation is compacted. */
static struct store_key mark_of(const struct hook_call *c, const char *key)
{
    return (struct store_key){ c->event->session.id, c->hook->name,
                               collector_once_key(c->arena, key) };
}

int site_was_said(const struct hook_call *c, const char *key, bool *said, struct err *e)
{
    struct store_key mark = mark_of(c, key);
    struct str value = { 0 };
    int r = store_get(engine_store(c->engine), &mark, c->arena, &value, e);

    *said = str_is_set(value);
    return r;
}

int site_say(const struct hook_call *c, const char *key, bool *first, struct err *e)
{
    struct store_key mark = mark_of(c, key);
    int64_t times = 0;
    int r = store_incr(engine_store(c->engine), &mark, 1, &times, e);

    *first = times == 1;
    return r;
}

int site_keep(const struct hook_call *c, const char *path, const char *why, struct err *e)
{
    return state_set(c, arena_printf(c->arena, KEPT "%s", path), str_of(why), e);
}

int site_kept(const struct hook_call *c, struct site_kept **list, size_t *count, struct err *e)
{
    const struct store_key prefix = { c->event->session.id, c->hook->name, KEPT };
    struct store_entry *entries;
    int r;

    *count = 0;
    if (!is_compacted(c))
        return 0;
    r = store_list(engine_store(c->engine), &prefix, c->arena, &entries, count, e);
    if (r < 0)
        return r;
    *list = arena_array(c->arena, struct site_kept, *count + 1);
    for (size_t i = 0; i < *count; i++)
        (*list)[i] = (struct site_kept){ entries[i].key + strlen(KEPT),
                                         arena_cstr(c->arena, entries[i].value) };
    return 0;
}

bool site_survived(const struct hook_call *c, struct str text)
{
    struct str summary = json_str(c->arena, event_data(c->event, STR("summary")));

    return summary.len && memmem(summary.ptr, summary.len, text.ptr, text.len);
}
