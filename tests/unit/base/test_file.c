#include "base/file.h"
#include "base/path.h"
#include "tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct fixture {
    struct arena arena;
    struct tmpdir dir;
    struct err e;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    tmpdir_make(&f->dir);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    tmpdir_cleanup(&f->dir);
    arena_release(&f->arena);
    free(f);
    return 0;
}

static char *at(struct fixture *f, const char *name)
{
    return path_join(&f->arena, f->dir.path, name);
}

static unsigned entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned count = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void reads_back_what_was_written(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(file_write(at(f, "f"), STR("a\0b\n"), 0600, &f->e), 0);
    assert_int_equal(file_read(&f->arena, at(f, "f"), 4, &text, &f->e), 0);
    assert_true(str_eq(text, STR("a\0b\n")));
    assert_int_equal(text.ptr[text.len], '\0');
}

static void reads_an_empty_file(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(file_write(at(f, "f"), (struct str){ 0 }, 0600, &f->e), 0);
    assert_int_equal(file_read(&f->arena, at(f, "f"), 0, &text, &f->e), 0);
    assert_true(str_is_set(text));
    assert_int_equal(text.len, 0);
}

static void refuses_more_than_the_limit(void **state)
{
    struct fixture *f = *state;
    struct str text = STR("before");

    assert_int_equal(file_write(at(f, "f"), STR("12345"), 0600, &f->e), 0);
    assert_int_equal(file_read(&f->arena, at(f, "f"), 5, &text, &f->e), 0);
    text = STR("before");
    assert_int_equal(file_read(&f->arena, at(f, "f"), 4, &text, &f->e), -EFBIG);
    assert_true(str_is(text, "before"));
    assert_non_null(strstr(f->e.msg, "larger than 4 bytes"));
}

static void names_what_is_missing(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(file_read(&f->arena, at(f, "absent"), 9, &text, &f->e), -ENOENT);
    assert_non_null(strstr(f->e.msg, "absent'"));
    assert_int_equal(file_read(&f->arena, f->dir.path, 9, &text, &f->e), -EISDIR);
    assert_non_null(strstr(f->e.msg, "folder"));
}

static void reads_files_that_have_no_size(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(file_read(&f->arena, "/proc/self/stat", 4096, &text, &f->e), 0);
    assert_true(text.len > 10);
    assert_int_equal(file_read(&f->arena, "/proc/self/stat", text.len / 2, &text, &f->e), -EFBIG);
    assert_null(strstr(f->e.msg, "grew"));
    assert_non_null(strstr(f->e.msg, "larger than"));
}

static void refuses_what_is_no_regular_file_without_waiting(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(mkfifo(at(f, "pipe"), 0600), 0);
    assert_int_equal(file_read(&f->arena, at(f, "pipe"), 100, &text, &f->e), -EINVAL);
    assert_non_null(strstr(f->e.msg, "it is no regular file"));
}

static void takes_any_limit(void **state)
{
    struct fixture *f = *state;
    struct str text;

    assert_int_equal(file_write(at(f, "f"), STR("12345"), 0600, &f->e), 0);
    assert_int_equal(file_read(&f->arena, at(f, "f"), SIZE_MAX, &text, &f->e), 0);
    assert_true(str_is(text, "12345"));
}

struct appender {
    int fd;
    atomic_bool stop;
};

static void *append_lines(void *argument)
{
    struct appender *p = argument;

    for (unsigned i = 0; i < 20000 && !atomic_load(&p->stop); i++)
        if (write(p->fd, "0123456789abcde\n", 16) != 16)
            break;
    return NULL;
}

/* A receipt file is read while other processes append to it. */
static void reads_a_file_that_grows(void **state)
{
    struct fixture *f = *state;
    struct appender p = { .fd = open(at(f, "f"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) };
    pthread_t thread;
    int failed = 0;

    assert_int_equal(write(p.fd, "0123456789abcde\n", 16), 16);
    assert_int_equal(pthread_create(&thread, NULL, append_lines, &p), 0);
    for (unsigned i = 0; i < 2000 && !failed; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct str text;

        failed = file_read(&a, at(f, "f"), (size_t)1 << 20, &text, &f->e);
    }
    atomic_store(&p.stop, true);
    pthread_join(thread, NULL);
    close(p.fd);
    assert_int_equal(failed, 0);
}

static void writes_with_the_mode_asked_for(void **state)
{
    struct fixture *f = *state;
    mode_t before = umask(077);
    struct stat st;

    assert_int_equal(file_write(at(f, "f"), STR("x"), 0644, &f->e), 0);
    assert_int_equal(stat(at(f, "f"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(file_write(at(f, "f"), STR("x"), 0600, &f->e), 0);
    assert_int_equal(stat(at(f, "f"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    umask(before);
}

static void makes_missing_folders(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    assert_int_equal(file_write(at(f, "a/b/c/f"), STR("x"), 0600, &f->e), 0);
    assert_int_equal(stat(at(f, "a/b"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(file_mkdirs(at(f, "a/b/c/"), &f->e), 0);
    assert_int_equal(file_mkdirs(at(f, "d/e//g/"), &f->e), 0);
    assert_int_equal(stat(at(f, "d/e/g"), &st), 0);
    assert_int_equal(file_mkdirs("/", &f->e), 0);
}

static void a_file_is_not_a_folder(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(file_write(at(f, "f"), STR("x"), 0600, &f->e), 0);
    assert_int_equal(file_mkdirs(at(f, "f"), &f->e), -ENOTDIR);
    assert_non_null(strstr(f->e.msg, "/f'"));
    assert_int_equal(file_mkdirs(at(f, "f/g"), &f->e), -ENOTDIR);
    assert_int_equal(file_write(at(f, "f/g"), STR("x"), 0600, &f->e), -ENOTDIR);
}

static void leaves_nothing_behind_on_failure(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(file_mkdirs(at(f, "taken/sub"), &f->e), 0);
    assert_true(file_write(at(f, "taken"), STR("x"), 0600, &f->e) < 0);
    assert_non_null(strstr(f->e.msg, "taken'"));
    assert_int_equal(entries(f->dir.path), 1);
}

static void keeps_an_open_reader_on_the_old_bytes(void **state)
{
    struct fixture *f = *state;
    char buf[8] = "";
    int fd;

    assert_int_equal(file_write(at(f, "f"), STR("old"), 0600, &f->e), 0);
    fd = open(at(f, "f"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(file_write(at(f, "f"), STR("newer"), 0600, &f->e), 0);
    assert_int_equal(read(fd, buf, sizeof(buf)), 3);
    assert_string_equal(buf, "old");
    close(fd);
    assert_int_equal(entries(f->dir.path), 1);
}

static void *rewrite(void *argument)
{
    const char *path = argument;
    char text[4097];

    for (unsigned i = 0; i < 300; i++) {
        struct err e = { 0 };
        size_t len = i % 2 ? 4096 : 100;

        memset(text, i % 2 ? 'b' : 'a', len);
        if (file_write(path, (struct str){ text, len }, 0600, &e) < 0)
            return argument;
    }
    return NULL;
}

static void readers_never_see_a_part(void **state)
{
    struct fixture *f = *state;
    char *path = at(f, "f");
    pthread_t threads[2];
    void *failed;

    assert_int_equal(file_write(path, STR("a"), 0600, &f->e), 0);
    assert_null(rewrite(path));
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, rewrite, path), 0);
    for (unsigned i = 0; i < 300; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct str text;

        assert_int_equal(file_read(&a, path, 8192, &text, &f->e), 0);
        assert_int_equal(text.len, text.ptr[0] == 'b' ? 4096 : 100);
        assert_int_equal(text.ptr[text.len - 1], text.ptr[0]);
    }
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(entries(f->dir.path), 1);
}

/* Locks belong to open files: a second one of the same process has to wait as any other. */
static void one_at_a_time_has_a_lock(void **state)
{
    struct fixture *f = *state;
    const char *path = path_join(&f->arena, f->dir.path, "new/file");
    int lock = file_lock(path, true, &f->e);

    assert_true(lock >= 0);
    assert_int_equal(file_lock(path, false, &f->e), -EWOULDBLOCK);
    assert_non_null(strstr(f->e.msg, "/new/file.lock'"));
    close(lock);
    lock = file_lock(path, false, &f->e);
    assert_true(lock >= 0);
    close(lock);
}

static void another_version_has_another_identity(void **state)
{
    struct fixture *f = *state;
    const char *path = path_join(&f->arena, f->dir.path, "file");
    struct file_identity first, second;

    assert_false(file_identify(path).exists);
    assert_int_equal(file_write(path, STR("one"), 0600, &f->e), 0);
    first = file_identify(path);
    assert_true(first.exists && S_ISREG(first.mode) && first.size == 3);
    assert_true(file_is_young(&first));
    assert_int_equal(file_write(path, STR("two"), 0700, &f->e), 0);
    second = file_identify(path);
    assert_true(first.inode != second.inode || first.ctime_ns != second.ctime_ns);
    assert_int_not_equal(first.mode, second.mode);
    first.ctime_ns -= 1000000000;
    assert_false(file_is_young(&first));
}

static void names_of_one_file_are_the_same(void **state)
{
    struct fixture *f = *state;
    const char *path = path_join(&f->arena, f->dir.path, "file");
    const char *link = path_join(&f->arena, f->dir.path, "link");

    assert_false(file_is_same(path, path));
    assert_int_equal(file_write(path, STR("one"), 0600, &f->e), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_true(file_is_same(path, link));
    assert_false(file_is_same(path, f->dir.path));
}

static void knows_when_descriptors_run_out(void **state UNUSED)
{
    struct rlimit before, few;
    bool enough, more;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)dup(0) + 3; /* the lowest that is free, and two behind it */
    close((int)few.rlim_cur - 3);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    enough = file_spare(1);
    more = file_spare(16);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(enough);
    assert_false(more);
    assert_true(file_spare(16));
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

TESTS(WITH_FOLDER(reads_back_what_was_written), WITH_FOLDER(reads_an_empty_file),
      WITH_FOLDER(refuses_more_than_the_limit), WITH_FOLDER(names_what_is_missing),
      WITH_FOLDER(reads_files_that_have_no_size),
      WITH_FOLDER(refuses_what_is_no_regular_file_without_waiting), WITH_FOLDER(takes_any_limit),
      WITH_FOLDER(reads_a_file_that_grows), WITH_FOLDER(writes_with_the_mode_asked_for),
      WITH_FOLDER(makes_missing_folders), WITH_FOLDER(a_file_is_not_a_folder),
      WITH_FOLDER(leaves_nothing_behind_on_failure),
      WITH_FOLDER(keeps_an_open_reader_on_the_old_bytes), WITH_FOLDER(readers_never_see_a_part),
      WITH_FOLDER(one_at_a_time_has_a_lock), WITH_FOLDER(another_version_has_another_identity),
      WITH_FOLDER(names_of_one_file_are_the_same), cmocka_unit_test(knows_when_descriptors_run_out))
