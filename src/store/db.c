#include "store/db.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "store/schema.h"
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

/*
 * How many pages of 4 KiB the log may hold. Who opens the store alone reads all of them, which asks
 * for few; emptying the log waits for the disk, which asks for many.
 */
#define WAL_FRAMES_MAX 128
#define PAUSE_MAX_US   20000u
#define MOMENT_MS      500u

/* Errors --------------------------------------------------------------------------------------- */

static int fail_to_open(struct db *db, int code, struct err *e)
{
    char text[128];

    return err_set(
        e, -code,
        "store '%s' cannot be opened: %s; make it and its folder writable, or set HOOKE_STORE to another file",
        db->path, strerror_r(code, text, sizeof(text)));
}

int db_fail(struct db *db, int rc, struct err *e)
{
    const char *why = sqlite3_errmsg(db->handle);
    int code;

    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: /* lost too many races for a lock */
        db->in_vain = true;
        return err_set(e, -EBUSY,
                       "store '%s' is locked by another process for more than %d s: try again",
                       db->path, STORE_PATIENCE_MS / 1000);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(
            e, -EUCLEAN,
            "store '%s' is damaged (%s): move it and its -wal file away and hooke starts a new one",
            db->path, why);
    case SQLITE_CANTOPEN:
        code = sqlite3_system_errno(db->handle);
        return fail_to_open(db, code ? code : EACCES, e);
    case SQLITE_READONLY: /* what cannot be written was opened for reading */
    case SQLITE_PERM:
        return fail_to_open(db, EACCES, e);
    case SQLITE_FULL:
        return err_set(e, -ENOSPC, "store '%s' cannot grow: the disk is full", db->path);
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT: /* the NULL that db_bind() leaves for a text beyond the limit */
        return err_set(e, -EMSGSIZE, "store '%s': the value is too large", db->path);
    case SQLITE_NOMEM:
        return err_set(e, -ENOMEM, "store '%s': out of memory", db->path);
    default:
        return err_set(e, -EIO, "store '%s': %s", db->path, why);
    }
}

/* Waiting -------------------------------------------------------------------------------------- */

static uint64_t next_random(struct db *db)
{
    uint64_t x = db->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return db->random = x;
}

/*
 * Called by SQLite while a lock is taken. Pauses are random, so that many processes do not come
 * back in step, and stay short: who gave up the processor often is no worse off than a newcomer.
 */
static int wait_for_lock(void *context, int count)
{
    struct db *db = context;
    uint64_t longest = 500u + (uint64_t)count * 500u;
    uint64_t pause;

    if (clock_mono_ns() >= db->deadline)
        return 0;
    if (longest > PAUSE_MAX_US)
        longest = PAUSE_MAX_US;
    pause = 100u + next_random(db) % longest;
    nanosleep(&(struct timespec){ .tv_nsec = (long)(pause * 1000u) }, NULL);
    return 1;
}

/* Opening -------------------------------------------------------------------------------------- */

static int count_frames(void *context, sqlite3 *handle UNUSED, const char *schema UNUSED,
                        int frames)
{
    struct db *db = context;

    db->wal_frames = frames;
    return SQLITE_OK;
}

/* Nothing here asks the disk. */
static int configure(struct db *db)
{
    int yes = 1, rc;

    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_handler(db->handle, wait_for_lock, db);
    sqlite3_wal_hook(db->handle, count_frames, db); /* also ends SQLite's own checkpoints */
    rc = sqlite3_file_control(db->handle, NULL, SQLITE_FCNTL_PERSIST_WAL, &yes);
    if (rc == SQLITE_OK)
        rc = sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return rc;
}

/* Only when it is known that the file is ours: the journal mode is written into it. */
static int bring_up_to_date(struct db *db, struct err *e)
{
    bool current = false;
    int r = schema_check(db, &current, e);
    int rc;

    if (r < 0)
        return r;
    /* A file system without shared memory keeps its rollback journal: slower, just as right. */
    rc = sqlite3_exec(db->handle, "PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL", NULL,
                      NULL, NULL);
    if (rc != SQLITE_OK)
        return db_fail(db, rc, e);
    return current ? 0 : schema_migrate(db, e);
}

static bool on_disk(const struct db *db)
{
    return strcmp(db->path, ":memory:") != 0;
}

static int open_once(struct db *db, struct err *e)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc, r;

    /*
     * Only for us to read. Not open(): closing a descriptor of the file would drop the locks that
     * another store of this process has on it.
     */
    if (on_disk(db) && mknod(db->path, S_IFREG | 0600, 0) < 0 && errno != EEXIST)
        return fail_to_open(db, errno, e);
    rc = sqlite3_open_v2(db->path, &db->handle, flags, NULL);
    if (rc == SQLITE_OK && sqlite3_db_readonly(db->handle, "main") == 1)
        rc = SQLITE_READONLY;
    if (rc == SQLITE_OK && on_disk(db))
        rc = configure(db);
    r = rc == SQLITE_OK ? bring_up_to_date(db, e) : db_fail(db, rc, e);
    if (r < 0)
        db_close(db);
    return r;
}

static int make_folder(const char *path, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    int r = file_mkdirs(path_dirname(&a, path), e);

    if (r < 0)
        return err_wrap(e, r, "store '%s' cannot be made, set HOOKE_STORE to another file", path);
    return 0;
}

int db_ready(struct db *db, struct err *e)
{
    uint64_t patience = db->in_vain ? MOMENT_MS : STORE_PATIENCE_MS;
    struct err why = { 0 };
    int r;

    db->deadline = (db->asked_ns ? db->asked_ns : clock_mono_ns()) + patience * 1000000u;
    if (db->handle)
        return 0;
    db->random = (clock_mono_ns() ^ ((uint64_t)getpid() << 32)) | 1;
    r = on_disk(db) ? make_folder(db->path, e) : 0;
    if (r < 0)
        return r;
    /*
     * SQLite does not ask our handler where waiting might be a deadlock, as when several processes
     * make the file a WAL one: who lost closes, which gives up what others wait for, and returns.
     */
    for (int tries = 0;; tries++) {
        r = open_once(db, &why);
        if (r != -EBUSY || !wait_for_lock(db, tries))
            break;
    }
    db->in_vain = r == -EBUSY;
    if (r < 0 && e)
        *e = why;
    return r;
}

void db_close(struct db *db)
{
    if (!db->handle) /* most programs that have a store end without having used it */
        return;
    for (unsigned i = 0; i < DB_STATEMENTS; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

/* Statements ----------------------------------------------------------------------------------- */

int db_statement(struct db *db, unsigned slot, const char *sql, sqlite3_stmt **st, struct err *e)
{
    assert(slot < DB_STATEMENTS);
    if (!db->statements[slot]) {
        int rc = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                    &db->statements[slot], NULL);

        if (rc != SQLITE_OK)
            return db_fail(db, rc, e);
    }
    *st = db->statements[slot];
    sqlite3_reset(*st);
    sqlite3_clear_bindings(*st);
    return 0;
}

void db_bind(sqlite3_stmt *st, int index, struct str text)
{
    /* A text beyond SQLite's limit stays NULL, which no column accepts: db_fail() knows. */
    if (str_is_set(text))
        (void)sqlite3_bind_text64(st, index, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

int db_step(struct db *db, sqlite3_stmt *st, struct err *e)
{
    int rc = sqlite3_step(st);
    int r;

    if (rc == SQLITE_ROW)
        return 1;
    if (rc == SQLITE_DONE && !sqlite3_stmt_readonly(st))
        db->in_vain = false;
    r = rc == SQLITE_DONE ? 0 : db_fail(db, rc, e);
    sqlite3_reset(st);
    return r;
}

int db_run(struct db *db, sqlite3_stmt *st, struct err *e)
{
    int r = db_step(db, st, e);

    assert(r <= 0);
    return r;
}

/* Transactions --------------------------------------------------------------------------------- */

int db_begin(struct db *db, struct err *e)
{
    int rc;

    do
        rc = sqlite3_exec(db->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    while ((rc & 0xff) == SQLITE_PROTOCOL && wait_for_lock(db, 1));
    if (rc != SQLITE_OK)
        return db_fail(db, rc, e);
    db->in_vain = false;
    return 0;
}

int db_end(struct db *db, int r, struct err *e)
{
    if (r >= 0) {
        int rc = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);

        r = rc == SQLITE_OK ? 0 : db_fail(db, rc, e);
    }
    /* Some failures end the transaction by themselves. */
    if (r < 0 && !sqlite3_get_autocommit(db->handle))
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    if (r >= 0)
        db_written(db);
    return r;
}

void db_written(struct db *db)
{
    if (db->wal_frames < WAL_FRAMES_MAX)
        return;
    db->wal_frames = 0;
    sqlite3_busy_handler(db->handle, NULL, NULL);
    /* The write is safe in the log; whoever writes next tries again. */
    (void)sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_handler(db->handle, wait_for_lock, db);
}
