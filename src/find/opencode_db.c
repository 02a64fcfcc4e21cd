#include "find/opencode_db.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vars.h"

#include <sqlite3.h>
#include <unistd.h>

#define SESSIONS_MAX 20
#define CALLS_MAX    20000 /* of all of them */
#define PATIENCE_MS  1000

static const char query[] =
    "SELECT s.id, s.directory, json_extract(p.data, '$.callID'), json_extract(p.data, '$.tool'), "
    "p.time_created FROM (SELECT id, directory FROM session WHERE time_updated >= ?1 "
    "ORDER BY time_updated DESC LIMIT ?2) s JOIN part p ON p.session_id = s.id "
    "WHERE p.time_created >= ?1 AND json_valid(p.data) AND json_extract(p.data, '$.type') = 'tool' "
    "AND json_extract(p.data, '$.state.status') IN ('completed', 'error') "
    "ORDER BY s.id, p.time_created LIMIT ?3";

char *opencode_db_path(struct arena *a)
{
    const char *folder = path_join(a, path_dirname(a, path_xdg(a, PATH_DATA)), "opencode");
    const char *named = vars_get("OPENCODE_DB");

    if (named && strcmp(named, ":memory:") == 0)
        return NULL;
    return path_join(a, folder, named && named[0] ? named : "opencode.db");
}

/* One whose log is gone is read as it lies there, or reading it would make a new log. */
static sqlite3 *open_db(struct arena *a, const char *path)
{
    CLEANUP(strbuf) struct strbuf uri = { 0 };
    bool alone = access(arena_printf(a, "%s-wal", path), F_OK) < 0;
    sqlite3 *db = NULL;

    strbuf_addstr(&uri, "file:");
    for (const char *p = path; *p; p++)
        if (strchr("?#%", *p))
            strbuf_printf(&uri, "%%%02x", (unsigned)(unsigned char)*p);
        else
            strbuf_addch(&uri, *p);
    if (alone)
        strbuf_addstr(&uri, "?immutable=1");
    if (sqlite3_open_v2(strbuf_cstr(&uri), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) !=
        SQLITE_OK) {
        sqlite3_close(db);
        return NULL;
    }
    sqlite3_busy_timeout(db, PATIENCE_MS);
    return db;
}

static const char *text_at(struct arena *a, sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);

    return text ? arena_strdup(a, text) : NULL;
}

/* Rows come session by session: the last one, or a new one. */
static struct transcript *session_of(struct arena *a, const char *id, sqlite3_stmt *st,
                                     struct transcript *all, size_t *count)
{
    if (*count && strcmp(all[*count - 1].session, id) == 0)
        return &all[*count - 1];
    if (*count == SESSIONS_MAX)
        return NULL;
    all[*count] = (struct transcript){ .session = id, .cwd = text_at(a, st, 1) };
    return &all[(*count)++];
}

static void add_call(struct arena *a, struct transcript *t, sqlite3_stmt *st, size_t *room)
{
    const char *id = text_at(a, st, 2), *tool = text_at(a, st, 3);
    char at[CLOCK_TEXT_SIZE];

    if (!id || !tool)
        return;
    if (t->count == 0)
        *room = 0;
    if (t->count == *room) {
        struct transcript_call *more = arena_array(a, struct transcript_call, *room * 2 + 32);

        for (size_t i = 0; i < t->count; i++)
            more[i] = t->calls[i];
        t->calls = more;
        *room = *room * 2 + 32;
    }
    clock_format(sqlite3_column_int64(st, 4), at);
    t->calls[t->count++] = (struct transcript_call){ id, tool, arena_strdup(a, at) };
}

void opencode_db_read(struct arena *a, const char *path, int64_t since_ms, struct transcript **out,
                      size_t *count)
{
    struct transcript *t, *all = arena_array(a, struct transcript, SESSIONS_MAX);
    sqlite3 *db = open_db(a, path);
    sqlite3_stmt *st = NULL;
    size_t room = 0;

    *out = all;
    *count = 0;
    if (db && sqlite3_prepare_v2(db, query, -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(st, 1, since_ms);
        sqlite3_bind_int(st, 2, SESSIONS_MAX);
        sqlite3_bind_int(st, 3, CALLS_MAX);
        while (sqlite3_step(st) == SQLITE_ROW) {
            const char *id = text_at(a, st, 0);

            t = id ? session_of(a, id, st, all, count) : NULL;
            if (t)
                add_call(a, t, st, &room);
        }
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
}
