/*
 * What only the SQLite store has: other processes, a file that can be in any condition, a log that
 * must not grow. Called with "--work" this program is one of the other processes.
 */
#include "base/clock.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "file_put.h"
#include "store/db.h"
#include "store/store.h"
#include "tmpdir.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/fsuid.h>
#include <sys/wait.h>

#define WAL_BOUND ((off_t)8 << 20)

struct fixture {
    struct arena a;
    struct err e;
    struct tmpdir tmp;
    char *folder, *path;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    tmpdir_make(&f->tmp);
    f->folder = f->tmp.path;
    f->path = path_join(&f->a, f->folder, "deep/er/hooke.db");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    tmpdir_cleanup(&f->tmp);
    arena_release(&f->a);
    free(f);
    return 0;
}

static const struct store_key counter = { "session", "hook", "counter" };

static int64_t count(struct fixture *f, int64_t by)
{
    CLEANUP(store) struct store *s = store_sqlite(f->path);
    int64_t now = -1;
    int r = store_incr(s, &counter, by, &now, &f->e);

    if (r < 0)
        fail_msg("counting failed: %s", f->e.msg);
    return now;
}

static int use(struct fixture *f, const char *path)
{
    CLEANUP(store) struct store *s = store_sqlite(path);
    int64_t now;

    f->e = (struct err){ 0 };
    return store_incr(s, &counter, 1, &now, &f->e);
}

static off_t size_of(struct fixture *f, const char *suffix)
{
    struct stat st;

    if (stat(arena_printf(&f->a, "%s%s", f->path, suffix), &st) < 0)
        return -1;
    return st.st_size;
}

static void change_with_sql(struct fixture *f, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

/* Other processes ------------------------------------------------------------------------------ */

/* --work PATH TIMES DIR HOW: wait for the start, count, take receipts in, leave. */
static int work(char **args)
{
    struct store *s = store_sqlite(args[0]);
    struct err e = { 0 };
    size_t taken;
    int64_t now;
    char start;
    int r = 0;

    while (read(STDIN_FILENO, &start, 1) > 0)
        continue;
    for (long i = strtol(args[1], NULL, 10); r == 0 && i > 0; i--)
        r = store_incr(s, &counter, 1, &now, &e);
    if (r == 0 && args[2][0])
        r = store_ingest(s, args[2], &taken, &e);
    if (r < 0)
        fprintf(stderr, "worker: %s\n", e.msg);
    if (strcmp(args[3], "dies") == 0)
        _exit(r < 0);
    store_free(s);
    return r < 0;
}

struct crowd {
    pid_t pids[200];
    size_t count;
    int start; /* closing it lets everybody begin at once */
};

static void spawn(struct fixture *f, pid_t *pid, int input, int times, const char *dir,
                  const char *how)
{
    char *argv[] = {
        arena_strdup(&f->a, "test_store_sqlite"),
        arena_strdup(&f->a, "--work"),
        f->path,
        arena_printf(&f->a, "%d", times),
        arena_strdup(&f->a, dir),
        arena_strdup(&f->a, how),
        NULL,
    };
    posix_spawn_file_actions_t actions;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    assert_int_equal(posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
}

static void gather(struct fixture *f, struct crowd *c, size_t n, int times, const char *dir)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    for (c->count = 0; c->count < n; c->count++)
        spawn(f, &c->pids[c->count], ends[0], times, dir, "leaves");
    close(ends[0]);
    c->start = ends[1];
}

static void run(struct crowd *c)
{
    int bad = 0;

    close(c->start);
    for (size_t i = 0; i < c->count; i++) {
        int status = -1;

        waitpid(c->pids[i], &status, 0);
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
}

static void two_hundred_processes_lose_no_update(void **state)
{
    struct fixture *f = *state;
    struct crowd c;

    gather(f, &c, 200, 5, "");
    run(&c);
    assert_int_equal(count(f, 0), 1000);
    assert_in_range(size_of(f, "-wal"), 0, WAL_BOUND);
}

static void many_may_be_the_first(void **state)
{
    struct fixture *f = *state;

    for (int round = 0; round < 6; round++) {
        struct crowd c;

        f->path = arena_printf(&f->a, "%s/round%d/hooke.db", f->folder, round);
        gather(f, &c, 30, 1, "");
        run(&c);
        assert_int_equal(count(f, 0), 30);
    }
}

static int add_one(void *context, const struct store_receipt *r UNUSED)
{
    ++*(int *)context;
    return 0;
}

static void processes_take_each_receipt_once(void **state)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct fixture *f = *state;
    CLEANUP(store) struct store *s = store_sqlite(f->path);
    struct store_query q = { 0 };
    struct crowd c;
    uint64_t passed_over;
    int seen = 0;

    for (unsigned i = 0; i < 5000; i++)
        strbuf_printf(&text, "{\"id\":\"%u\",\"point\":\"p\",\"pad\":\"%0600u\"}\nno receipt\n", i,
                      i);
    file_put(path_join(&f->a, f->folder, "day.jsonl"), 0, strbuf_str(&text));
    gather(f, &c, 10, 0, f->folder);
    run(&c);
    assert_int_equal(store_receipts(s, &q, add_one, &seen, &f->e), 0);
    assert_int_equal(seen, 5000);
    assert_int_equal(store_passed_over(s, &passed_over, &f->e), 0);
    assert_int_equal(passed_over, 5000);
}

/* The log -------------------------------------------------------------------------------------- */

/* Bytes this process has read so far, or -1 where the system does not tell. */
static long bytes_read(void)
{
    char text[256] = "";
    CLEANUP(fd) int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        return -1;
    return strncmp(text, "rchar: ", 7) == 0 ? strtol(text + 7, NULL, 10) : -1;
}

static void short_lived_writers_keep_the_log_short(void **state)
{
    struct fixture *f = *state;
    off_t largest = 0;
    long most = 0;

    for (int i = 1; i <= 1500; i++) {
        long before = bytes_read();

        assert_int_equal(count(f, 1), i);
        if (bytes_read() - before > most)
            most = bytes_read() - before;
        if (size_of(f, "-wal") > largest)
            largest = size_of(f, "-wal");
    }
    print_message("log: at most %ld KiB; one writer read at most %ld KiB\n", (long)largest >> 10,
                  most >> 10);
    assert_in_range(largest, 1, WAL_BOUND);
    assert_true(most < 1500 << 10);
}

/* The shared memory of the log is lost with the last process, and some never say goodbye. */
static void processes_that_die_keep_the_log_short(void **state)
{
    CLEANUP(fd) int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct fixture *f = *state;

    for (int i = 1; i <= 60; i++) {
        int status = -1;
        pid_t pid;

        spawn(f, &pid, nothing, 5, "", i % 2 ? "dies" : "leaves");
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
        assert_in_range(size_of(f, "-wal"), 0, (off_t)1 << 20);
    }
    assert_int_equal(count(f, 0), 300);
}

/* One page is written when the file becomes a WAL one; the tables are still in the log. */
static void closing_does_not_checkpoint(void **state)
{
    struct fixture *f = *state;

    count(f, 1);
    count(f, 1);
    assert_int_equal(size_of(f, ""), 4096);
    assert_true(size_of(f, "-wal") > 4096);
}

static void a_reader_in_the_way_only_delays_the_checkpoint(void **state)
{
    struct fixture *f = *state;
    sqlite3 *reader;

    count(f, 1);
    assert_int_equal(sqlite3_open(f->path, &reader), SQLITE_OK);
    sqlite3_db_config(reader, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM state", NULL, NULL, NULL),
                     SQLITE_OK);
    for (int i = 0; i < 300; i++)
        count(f, 1);
    assert_true(size_of(f, "-wal") > 1 << 20);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_equal(count(f, 1), 302);
    assert_int_equal(size_of(f, "-wal"), 0);
}

/* One file, several stores of one process ------------------------------------------------------ */

static void *count_hundred(void *context)
{
    struct fixture f = { .path = context };
    CLEANUP(store) struct store *s = store_sqlite(f.path);
    int64_t now, bad = 0;

    for (int i = 0; i < 100; i++)
        bad |= store_incr(s, &counter, 1, &now, &f.e);
    return bad ? context : NULL;
}

static void several_stores_of_one_process_share_the_file(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[4];

    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_hundred, f->path), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(count(f, 0), 400);
}

static void patience_has_an_end(void **state)
{
    struct fixture *f = *state;
    struct db waiting = { .path = f->path }, holding = { .path = f->path };

    assert_int_equal(db_ready(&holding, &f->e), 0);
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_int_equal(db_begin(&holding, &f->e), 0);
    waiting.deadline = 0;
    assert_int_equal(db_begin(&waiting, &f->e), -EBUSY);
    assert_non_null(strstr(f->e.msg, "locked by another process"));
    assert_int_equal(db_end(&holding, 0, &f->e), 0);
    assert_int_equal(db_begin(&waiting, &f->e), 0);
    assert_int_equal(db_end(&waiting, -ECANCELED, &f->e), -ECANCELED);
    db_close(&waiting);
    db_close(&holding);
}

static void who_waited_in_vain_does_not_wait_as_long_again(void **state)
{
    struct fixture *f = *state;
    struct db waiting = { .path = f->path }, holding = { .path = f->path };
    uint64_t full = (uint64_t)STORE_PATIENCE_MS * 1000000u, now;

    assert_int_equal(db_ready(&holding, &f->e), 0);
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_int_equal(db_begin(&holding, &f->e), 0);
    waiting.deadline = 0;
    assert_int_equal(db_begin(&waiting, &f->e), -EBUSY);
    now = clock_mono_ns();
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_true(waiting.deadline < now + full / 2);
    assert_int_equal(db_end(&holding, 0, &f->e), 0);
    assert_int_equal(db_begin(&waiting, &f->e), 0);
    assert_int_equal(db_end(&waiting, 0, &f->e), 0);
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_true(waiting.deadline >= now + full);
    db_close(&waiting);
    db_close(&holding);
}

/* Threads queue for one store: else the last would wait once for each of them. */
static void patience_begins_when_the_store_is_asked_for(void **state)
{
    struct fixture *f = *state;
    struct db waiting = { .path = f->path }, holding = { .path = f->path };
    uint64_t began = clock_mono_ns();

    assert_int_equal(db_ready(&holding, &f->e), 0);
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_int_equal(db_begin(&holding, &f->e), 0);
    waiting.asked_ns = began - (uint64_t)STORE_PATIENCE_MS * 1000000u;
    assert_int_equal(db_ready(&waiting, &f->e), 0);
    assert_int_equal(db_begin(&waiting, &f->e), -EBUSY);
    assert_true(clock_mono_ns() - began < (uint64_t)STORE_PATIENCE_MS * 1000000u);
    assert_int_equal(db_end(&holding, 0, &f->e), 0);
    db_close(&waiting);
    db_close(&holding);
}

/* The file ------------------------------------------------------------------------------------- */

static void an_unused_store_leaves_no_trace(void **state)
{
    struct fixture *f = *state;

    store_free(store_sqlite(f->path));
    assert_int_equal(access(path_join(&f->a, f->folder, "deep"), F_OK), -1);
}

static void values_outlive_the_store(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(count(f, 4), 4);
    assert_int_equal(count(f, 1), 5);
}

static void only_its_owner_may_read_the_file(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    count(f, 1);
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(arena_printf(&f->a, "%s-wal", f->path), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void refuses_a_file_of_a_newer_version(void **state)
{
    struct fixture *f = *state;

    count(f, 1);
    change_with_sql(f, "PRAGMA user_version = 99");
    assert_int_equal(use(f, f->path), -EPROTO);
    assert_non_null(strstr(f->e.msg, f->path));
    assert_non_null(strstr(f->e.msg, "newer hooke"));
    assert_non_null(strstr(f->e.msg, "HOOKE_STORE"));
    change_with_sql(f, arena_printf(&f->a, "PRAGMA user_version = %d", store_schema_version()));
    assert_int_equal(count(f, 0), 1);
}

static void refuses_a_database_of_another_program(void **state)
{
    struct fixture *f = *state;

    f->path = path_join(&f->a, f->folder, "other.db");
    change_with_sql(f, "CREATE TABLE theirs(x)");
    assert_int_equal(use(f, f->path), -EPROTO);
    assert_int_equal(size_of(f, "-wal"), -1);
    assert_non_null(strstr(f->e.msg, "another program"));
    change_with_sql(f, "DROP TABLE theirs; PRAGMA user_version = 1");
    assert_int_equal(use(f, f->path), -EPROTO);
}

static void names_a_damaged_file(void **state)
{
    struct fixture *f = *state;
    char noise[8192];

    memset(noise, 'n', sizeof(noise));
    f->path = path_join(&f->a, f->folder, "damaged.db");
    file_put(f->path, 0, (struct str){ noise, sizeof(noise) });
    assert_int_equal(use(f, f->path), -EUCLEAN);
    assert_non_null(strstr(f->e.msg, f->path));
    assert_non_null(strstr(f->e.msg, "move it"));
    assert_int_equal(size_of(f, ""), sizeof(noise));
}

static void names_a_file_with_damaged_pages(void **state)
{
    struct fixture *f = *state;
    char noise[8192];

    count(f, 1);
    change_with_sql(f, "PRAGMA wal_checkpoint(TRUNCATE)");
    memset(noise, 'n', sizeof(noise));
    CLEANUP(fd) int fd = open(f->path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, noise, sizeof(noise), 4096), sizeof(noise));
    assert_int_equal(use(f, f->path), -EUCLEAN);
    assert_non_null(strstr(f->e.msg, f->path));
}

/* Root may write anywhere; with another identity for files it may not. */
static void as_nobody(bool yes)
{
    if (geteuid() == 0)
        setfsuid(yes ? 65534 : 0);
}

static void says_what_to_do_about_an_unwritable_place(void **state)
{
    struct fixture *f = *state;
    CLEANUP(store) struct store *s = store_sqlite(f->path);
    int64_t now;
    int in_folder, beside, existing;

    assert_int_equal(chmod(f->folder, 0555), 0);
    as_nobody(true);
    in_folder = use(f, f->path);
    beside = use(f, path_join(&f->a, f->folder, "hooke.db"));
    as_nobody(false);
    assert_int_equal(in_folder, -EACCES);
    assert_int_equal(beside, -EACCES);
    assert_non_null(strstr(f->e.msg, "HOOKE_STORE"));
    assert_non_null(strstr(f->e.msg, f->folder));

    assert_int_equal(chmod(f->folder, 0755), 0);
    assert_int_equal(store_incr(s, &counter, 1, &now, &f->e), 0);
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(chmod(path_dirname(&f->a, f->path), 0755), 0);
    assert_int_equal(chmod(path_join(&f->a, f->folder, "deep"), 0755), 0);
    as_nobody(true);
    existing = use(f, f->path);
    as_nobody(false);
    assert_int_equal(existing, -EACCES);
    assert_non_null(strstr(f->e.msg, "writable"));
}

static void a_file_in_place_of_the_folder_is_named(void **state)
{
    struct fixture *f = *state;
    char *file = path_join(&f->a, f->folder, "file");

    file_put(file, 0, STR(""));
    assert_int_equal(use(f, path_join(&f->a, file, "hooke.db")), -ENOTDIR);
    assert_non_null(strstr(f->e.msg, file));
    assert_true(use(f, f->folder) < 0);
    assert_non_null(strstr(f->e.msg, f->folder));
}

static void a_store_that_failed_can_be_used_later(void **state)
{
    struct fixture *f = *state;
    CLEANUP(store) struct store *s = store_sqlite(f->path);
    char *obstacle = path_join(&f->a, f->folder, "deep");
    int64_t now;

    file_put(obstacle, 0, STR(""));
    assert_true(store_incr(s, &counter, 1, &now, &f->e) < 0);
    assert_int_equal(unlink(obstacle), 0);
    assert_int_equal(store_incr(s, &counter, 1, &now, &f->e), 0);
}

static void names_that_mean_something_to_sqlite_are_files(void **state)
{
    static const char *const names[] = { ":memory:", "file:x?mode=memory" };
    struct fixture *f = *state;
    char *before = getcwd(NULL, 0);

    assert_int_equal(chdir(f->folder), 0);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        assert_int_equal(use(f, names[i]), 0);
        assert_int_equal(access(path_join(&f->a, f->folder, names[i]), F_OK), 0);
    }
    assert_int_equal(chdir(before), 0);
    free(before);
}

static void the_environment_moves_the_file(void **state)
{
    struct fixture *f = *state;

    setenv("XDG_DATA_HOME", "/data", 1);
    unsetenv("HOOKE_STORE");
    assert_string_equal(store_default_path(&f->a), "/data/hooke/hooke.db");
    setenv("HOOKE_STORE", "", 1);
    assert_string_equal(store_default_path(&f->a), "/data/hooke/hooke.db");
    setenv("HOOKE_STORE", f->path, 1);
    assert_string_equal(store_default_path(&f->a), f->path);
    unsetenv("HOOKE_STORE");
    unsetenv("XDG_DATA_HOME");
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(two_hundred_processes_lose_no_update),
        WITH_FOLDER(many_may_be_the_first),
        WITH_FOLDER(processes_take_each_receipt_once),
        WITH_FOLDER(short_lived_writers_keep_the_log_short),
        WITH_FOLDER(processes_that_die_keep_the_log_short),
        WITH_FOLDER(closing_does_not_checkpoint),
        WITH_FOLDER(a_reader_in_the_way_only_delays_the_checkpoint),
        WITH_FOLDER(several_stores_of_one_process_share_the_file),
        WITH_FOLDER(patience_has_an_end),
        WITH_FOLDER(who_waited_in_vain_does_not_wait_as_long_again),
        WITH_FOLDER(patience_begins_when_the_store_is_asked_for),
        WITH_FOLDER(an_unused_store_leaves_no_trace),
        WITH_FOLDER(values_outlive_the_store),
        WITH_FOLDER(only_its_owner_may_read_the_file),
        WITH_FOLDER(refuses_a_file_of_a_newer_version),
        WITH_FOLDER(refuses_a_database_of_another_program),
        WITH_FOLDER(names_a_damaged_file),
        WITH_FOLDER(names_a_file_with_damaged_pages),
        WITH_FOLDER(says_what_to_do_about_an_unwritable_place),
        WITH_FOLDER(a_file_in_place_of_the_folder_is_named),
        WITH_FOLDER(a_store_that_failed_can_be_used_later),
        WITH_FOLDER(names_that_mean_something_to_sqlite_are_files),
        WITH_FOLDER(the_environment_moves_the_file),
    };

    if (argc == 6 && strcmp(argv[1], "--work") == 0)
        return work(argv + 2);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
