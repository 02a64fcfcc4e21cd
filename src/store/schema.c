#include "store/schema.h"

#include "base/macros.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>

#define APPLICATION_ID 0x686f6f6b /* "hook", big-endian in the header of the file */

/*
 * migrations[n] leads from version n to n + 1. What was released is never edited: files out there
 * have run it.
 *
 * `state` holds small values that are always reached by their key, so it is its own index. A
 * receipt's number tells the order they were taken in. A message is found by where it stands: its
 * conversation's number in the upper half of `place`, its own in the lower, so that adding one
 * touches the end of one tree whatever is stored already. What a conversation has come to (when,
 * how many tokens) is written with its newest message for the same reason.
 */
static const char *const migrations[] = {
    "CREATE TABLE state(session TEXT NOT NULL, hook TEXT NOT NULL, key TEXT NOT NULL,"
    "  value TEXT NOT NULL, PRIMARY KEY(session, hook, key)) WITHOUT ROWID;"
    "CREATE TABLE receipts(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    "  session TEXT NOT NULL, point TEXT NOT NULL, line TEXT NOT NULL);"
    "CREATE INDEX receipts_by_session ON receipts(session);"
    "CREATE TABLE receipt_files(name TEXT PRIMARY KEY, offset INTEGER NOT NULL,"
    "  passed_over INTEGER NOT NULL) WITHOUT ROWID;",
    "CREATE TABLE conversations(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    "  workspace TEXT NOT NULL, cwd TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL,"
    "  recipe TEXT NOT NULL, title TEXT NOT NULL, parent TEXT NOT NULL, origin TEXT NOT NULL,"
    "  created INTEGER NOT NULL, generation INTEGER NOT NULL, first INTEGER NOT NULL);"
    "CREATE TABLE generations(conversation INTEGER NOT NULL, generation INTEGER NOT NULL,"
    "  trigger TEXT NOT NULL, first INTEGER NOT NULL, at INTEGER NOT NULL,"
    "  PRIMARY KEY(conversation, generation)) WITHOUT ROWID;"
    "CREATE TABLE messages(place INTEGER PRIMARY KEY, line TEXT NOT NULL, usage TEXT,"
    "  cost REAL NOT NULL, totals TEXT, total_cost REAL NOT NULL, at INTEGER NOT NULL);",
};

#define VERSION ((int64_t)ARRAY_LEN(migrations))

static int number(struct db *db, const char *sql, int64_t *n, struct err *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
    int r = 0;

    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *n = sqlite3_column_int64(st, 0);
    else
        r = db_fail(db, rc, e);
    sqlite3_finalize(st);
    return r;
}

static int read_version(struct db *db, int64_t *version, struct err *e)
{
    int64_t application = 0, tables = 0;
    int r = number(db, "PRAGMA application_id", &application, e);

    if (r == 0)
        r = number(db, "PRAGMA user_version", version, e);
    if (r == 0)
        r = number(db, "SELECT count(*) FROM sqlite_schema", &tables, e);
    if (r < 0)
        return r;
    if (application != APPLICATION_ID && (application != 0 || *version != 0 || tables > 0))
        return err_set(
            e, -EPROTO,
            "store '%s' is a database of another program: set HOOKE_STORE to another file",
            db->path);
    if (*version < 0 || *version > VERSION)
        return err_set(
            e, -EPROTO,
            "store '%s' was made by a newer hooke: upgrade hooke, or set HOOKE_STORE to another file",
            db->path);
    return 0;
}

/* In a transaction: between two of the questions another process may make the tables. */
int schema_check(struct db *db, bool *current, struct err *e)
{
    int64_t version = 0;
    int rc = sqlite3_exec(db->handle, "BEGIN", NULL, NULL, NULL);
    int r = rc == SQLITE_OK ? read_version(db, &version, e) : db_fail(db, rc, e);

    (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    if (r == 0)
        *current = version == VERSION;
    return r;
}

static int run_migrations(struct db *db, int64_t version, struct err *e)
{
    char stamp[96];
    int rc = SQLITE_OK;

    for (int64_t i = version; rc == SQLITE_OK && i < VERSION; i++)
        rc = sqlite3_exec(db->handle, migrations[i], NULL, NULL, NULL);
    snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             APPLICATION_ID, (int)VERSION);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db->handle, stamp, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : db_fail(db, rc, e);
}

int schema_migrate(struct db *db, struct err *e)
{
    int64_t version = 0;
    int r = db_begin(db, e);

    if (r < 0)
        return r;
    /* Somebody may have done it while we waited for our turn. */
    r = read_version(db, &version, e);
    if (r == 0)
        r = run_migrations(db, version, e);
    return db_end(db, r, e);
}

int store_schema_version(void)
{
    return (int)VERSION;
}
