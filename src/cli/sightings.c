#include "cli/sightings.h"

#include "base/file.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/receipt_file.h"

#define FILE_MAX ((size_t)512 << 20)

static const struct sighting *find(const struct sightings *s, const char *event)
{
    const struct sighting *at = s->first;

    while (at && strcmp(at->event, event) != 0)
        at = at->next;
    return at;
}

size_t sightings_of(const struct sightings *s, const char *event)
{
    const struct sighting *at = find(s, event);

    return at ? at->count : 0;
}

static void note_event(struct arena *a, struct sightings *s, const char *event, const char *at)
{
    struct sighting **end = &s->first;

    while (*end && strcmp((*end)->event, event) != 0)
        end = &(*end)->next;
    if (!*end) {
        *end = arena_array(a, struct sighting, 1);
        (*end)->event = arena_strdup(a, event);
    }
    (*end)->count++;
    (*end)->last = arena_strdup(a, at);
    s->last = (*end)->last;
    s->last_event = (*end)->event;
}

/* Subagents are of the session that started them: their name begins with its. */
static void note_call(struct arena *a, struct sightings *s, struct str session, struct str call)
{
    struct str rest = session, main;
    size_t *count;

    if (str_is_set(call))
        map_put(&s->calls, str_of(arena_cstr(a, call)), s);
    if (!str_cut(&rest, '/', &main))
        return;
    count = map_get(&s->sessions, main);
    if (!count) {
        count = arena_array(a, size_t, 1);
        map_put(&s->sessions, str_of(arena_cstr(a, main)), count);
    }
    ++*count;
}

static void note_run(struct arena *a, struct sightings *s, const struct json *run)
{
    const char *name = json_cstr(a, json_get(run, STR("hook")));
    const char *detail = json_cstr(a, json_get(run, STR("detail")));
    bool failed = json_get(run, STR("end")) != NULL;
    struct sighting_hook **end = &s->hooks;

    while (name && *end && strcmp((*end)->name, name) != 0)
        end = &(*end)->next;
    if (!name || (!*end && !failed))
        return;
    if (!*end) {
        *end = arena_array(a, struct sighting_hook, 1);
        (*end)->name = arena_strdup(a, name);
    }
    (*end)->failed = failed ? (*end)->failed + 1 : 0;
    (*end)->detail = failed && detail ? arena_strdup(a, detail) : "";
}

static void read_line(struct arena *a, struct str line, const char *agent, struct sightings *s)
{
    CLEANUP(arena) struct arena own = { 0 };
    const struct json *j;
    const char *event, *at, *point;

    if (json_parse(&own, line, NULL, &j, NULL) < 0 ||
        !str_is(json_str(&own, json_get(j, STR("via"))), agent) || json_get(j, STR("after")))
        return;
    at = json_cstr(&own, json_get(j, STR("at")));
    point = json_cstr(&own, json_get(j, STR("point")));
    event = json_cstr(&own, json_get(j, STR("as")));
    if (!at || !point)
        return;
    note_event(a, s, event ? event : point, at);
    for (const struct json *run = json_first(json_get(j, STR("runs"))); run; run = json_next(run))
        note_run(a, s, run);
    if (strcmp(point, "tool.execute.before") == 0)
        note_call(a, s, json_str(&own, json_get(j, STR("session"))),
                  json_str(&own, json_get(j, STR("call_id"))));
}

/* Most lines are none of that agent: looking for its name is cheaper than reading JSON. */
static void read_file(struct arena *a, const char *path, const char *agent, struct sightings *s)
{
    CLEANUP(arena) struct arena own = { 0 };
    const char *mark = arena_printf(&own, "\"via\":\"%s\"", agent);
    struct str text, line;

    if (file_read(&own, path, FILE_MAX, &text, NULL) < 0)
        return;
    while (str_cut(&text, '\n', &line))
        if (line.len && memmem(line.ptr, line.len, mark, strlen(mark)))
            read_line(a, line, agent, s);
}

void sightings_read(struct arena *a, const char *dir, const char *agent, struct sightings *s)
{
    char **paths = NULL;
    size_t count = 0;

    if (!dir || !dir[0] || receipt_file_list(a, dir, &paths, &count, NULL) < 0)
        return;
    for (size_t i = count > SIGHTING_DAYS ? count - SIGHTING_DAYS : 0; i < count; i++)
        read_file(a, paths[i], agent, s);
}

void sightings_release(struct sightings *s)
{
    map_release(&s->calls);
    map_release(&s->sessions);
}
