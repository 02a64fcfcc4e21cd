/*
 * db.h - one connection to the store's SQLite file: opening, waiting, transactions, checkpoints.
 * Private to src/store; not for several threads.
 *
 *     r = db_ready(&db, e);
 *     r = db_begin(&db, e);
 *     r = db_statement(&db, slot, "SELECT …", &st, e);
 *     r = db_end(&db, r, e);
 *
 * Who has to wait for other processes does so for STORE_PATIENCE_MS, counted from `asked_ns` or,
 * where nobody has said when that was, from db_ready(). When that was in vain the next ones wait a
 * moment only, until one gets through: several hooks of one event would else wait one after the
 * other, longer than an agent waits for them.
 *
 * Checkpoints. The processes that write are short-lived, which defeats SQLite's own checkpoint: it
 * copies the log into the database but leaves the log in place, and that all of it was copied is
 * known only to the shared memory, which the next process, being alone, rebuilds from the log. So
 * every writer past the limit would copy everything again and the log would grow for ever. Here the
 * writer that passes WAL_FRAMES_MAX empties the log file itself. It never waits for that: while
 * others are in the way they also keep the shared memory, with which SQLite reuses the log.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define DB_STATEMENTS 40 /* the first 16 are sqlite.c's, the rest conversation.c's */

struct db {
    char *path;      /* ":memory:": none on disk */
    sqlite3 *handle; /* NULL: not open */
    sqlite3_stmt *statements[DB_STATEMENTS];
    uint64_t asked_ns; /* monotonic; when this use was wanted, 0: at db_ready() */
    uint64_t deadline; /* monotonic; when waiting ends */
    bool in_vain;      /* it has, and the file was still locked */
    uint64_t random;
    int wal_frames; /* in the log after the last commit */
};

/* Every use starts here: opens the file unless it is open, and starts the clock of patience. */
MUST_CHECK int db_ready(struct db *db, struct err *e);
void db_close(struct db *db);

/* The statement of `slot`, prepared on first use, reset, with no values bound. */
MUST_CHECK int db_statement(struct db *db, unsigned slot, const char *sql, sqlite3_stmt **st,
                            struct err *e);

/* Bind text; unset binds NULL. The bytes must stay until the statement has run. */
void db_bind(sqlite3_stmt *st, int index, struct str text);

/* 1: a row; 0: done and reset. A statement left before that must be reset by the caller. */
MUST_CHECK int db_step(struct db *db, sqlite3_stmt *st, struct err *e);

/* Run a statement that returns no rows. */
MUST_CHECK int db_run(struct db *db, sqlite3_stmt *st, struct err *e);

/* A transaction that may write. db_end() commits when `r` is 0, else takes everything back. */
MUST_CHECK int db_begin(struct db *db, struct err *e);
MUST_CHECK int db_end(struct db *db, int r, struct err *e);

/* To be called after a write outside of db_begin(): empties the log when it is due. */
void db_written(struct db *db);

/* Report the SQLite result `rc` of the connection. Returns a negative errno. */
int db_fail(struct db *db, int rc, struct err *e);
