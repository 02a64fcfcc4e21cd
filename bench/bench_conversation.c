/*
 * What it costs to save a message: the first of a conversation and the ten thousandth, beside one
 * row of SQLite in a commit of its own, and beside rewriting all of it each time.
 *
 *     bench_conversation     prints "row<TAB>nanoseconds" lines
 */
#include "base/clock.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "store/conversation.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>

#define MESSAGES 10000
#define SAMPLES  200

static char line[1024]; /* of a message, about what people and models write */

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static void print_median(const char *name, double *samples, size_t count)
{
    qsort(samples, count, sizeof(*samples), compare);
    printf("%s\t%.1f\n", name, samples[count / 2]);
}

static int remove_one(const char *path, const struct stat *st UNUSED, int type UNUSED,
                      struct FTW *ftw UNUSED)
{
    return remove(path);
}

static double save_one(struct store *s, uint64_t n)
{
    struct conversation_message m = { .line = { line, sizeof(line) }, .at_ms = 1 };
    const struct conversation_totals totals = { .usage = "{\"input_tokens\":1}" };
    uint64_t began = clock_mono_ns();

    if (conversation_append(s, "01A", n, &m, 1, &totals, NULL) < 0)
        abort();
    return (double)(clock_mono_ns() - began);
}

static void save_many(const char *dir, struct arena *a)
{
    struct store *s = store_sqlite(path_join(a, dir, "hooke.db"));
    double first[SAMPLES], last[SAMPLES];

    if (conversation_create(s, &(struct conversation){ .id = "01A" }, NULL) < 0)
        abort();
    for (uint64_t n = 0; n < MESSAGES; n++) {
        double ns = save_one(s, n);

        if (n < SAMPLES)
            first[n] = ns;
        else if (n >= MESSAGES - SAMPLES)
            last[n - (MESSAGES - SAMPLES)] = ns;
    }
    print_median("save-first", first, SAMPLES);
    print_median("save-10000th", last, SAMPLES);
    store_free(s);
}

static sqlite3 *open_bare(const char *path)
{
    sqlite3 *db;

    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                     "CREATE TABLE m(n INTEGER PRIMARY KEY, line TEXT);"
                     "INSERT INTO m VALUES(0, '')",
                     NULL, NULL, NULL) != SQLITE_OK)
        abort();
    return db;
}

static double step(sqlite3_stmt *st, struct str text)
{
    uint64_t began = clock_mono_ns();

    sqlite3_bind_text64(st, 1, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
    if (sqlite3_step(st) != SQLITE_DONE)
        abort();
    sqlite3_reset(st);
    return (double)(clock_mono_ns() - began);
}

static void bare(const char *dir, struct arena *a)
{
    sqlite3 *db = open_bare(path_join(a, dir, "bare.db"));
    sqlite3_stmt *insert, *update;
    double rows[SAMPLES], blobs[20];
    struct strbuf all = { 0 };

    sqlite3_prepare_v2(db, "INSERT INTO m(line) VALUES(?1)", -1, &insert, NULL);
    sqlite3_prepare_v2(db, "UPDATE m SET line = ?1 WHERE n = 0", -1, &update, NULL);
    for (size_t i = 0; i < SAMPLES; i++)
        rows[i] = step(insert, (struct str){ line, sizeof(line) });
    for (size_t i = 0; i < MESSAGES; i++)
        strbuf_add(&all, line, sizeof(line));
    for (size_t i = 0; i < ARRAY_LEN(blobs); i++)
        blobs[i] = step(update, strbuf_str(&all));
    print_median("row-bare", rows, SAMPLES);
    print_median("blob-10000", blobs, ARRAY_LEN(blobs));
    sqlite3_finalize(insert);
    sqlite3_finalize(update);
    sqlite3_close(db);
    strbuf_release(&all);
}

int main(void)
{
    struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-bench-XXXXXX", base ? base : "/tmp");

    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    memset(line, 'x', sizeof(line));
    save_many(dir, &a);
    bare(dir, &a);
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    arena_release(&a);
    return 0;
}
