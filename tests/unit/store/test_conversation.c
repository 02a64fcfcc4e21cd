#include "base/clock.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "fixture.h"
#include "store/conversation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

static struct conversation_message message(const char *line)
{
    return (struct conversation_message){ .line = str_of(line), .at_ms = clock_wall_ms() };
}

static void create(struct fixture *f, const char *id, const char *workspace)
{
    struct conversation c = { .id = id,
                              .workspace = workspace,
                              .title = "fix the tests",
                              .agent = "builder",
                              .model = "script/m",
                              .created_ms = 7 };

    assert_int_equal(conversation_create(f->s, &c, &f->e), 0);
}

static int append(struct fixture *f, const char *id, uint64_t expected, const char *line)
{
    struct conversation_message m = message(line);

    return conversation_append(f->s, id, expected, &(struct conversation_rows){ &m, 1 }, NULL,
                               &f->e);
}

/* Lines of a generation, joined by spaces. */
static const char *lines(struct fixture *f, const char *id, uint32_t generation)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    struct conversation_rows rows;

    assert_int_equal(conversation_load(f->s, id, generation, &f->a, &rows, &f->e), 0);
    for (size_t i = 0; i < rows.count; i++)
        strbuf_printf(&all, "%s%.*s", i ? " " : "", STR_ARG(rows.list[i].line));
    return arena_cstr(&f->a, strbuf_str(&all));
}

static void messages_are_added_and_read_in_order(void **state)
{
    struct fixture *f = *state;
    struct conversation c;
    const struct conversation_totals totals = { .usage = "{\"input_tokens\":3}", .cost = 0.5 };
    struct conversation_message two[] = { message("{\"n\":2}"), message("{\"n\":3}") };

    create(f, "01A", "/w");
    assert_int_equal(append(f, "01A", 0, "{\"n\":1}"), 0);
    assert_int_equal(
        conversation_append(f->s, "01A", 1, &(struct conversation_rows){ two, 2 }, &totals, &f->e),
        0);
    assert_string_equal(lines(f, "01A", 0), "{\"n\":1} {\"n\":2} {\"n\":3}");
    assert_int_equal(conversation_get(f->s, "01A", &f->a, &c, &f->e), 0);
    assert_int_equal(c.messages, 3);
    assert_int_equal(c.generation, 1);
    assert_string_equal(c.usage, "{\"input_tokens\":3}");
    assert_string_equal(c.title, "fix the tests");
    assert_string_equal(c.model, "script/m");
    assert_true(c.cost > 0.4);
    assert_true(c.updated_ms > c.created_ms);
}

static void who_knows_an_older_state_is_told(void **state)
{
    struct fixture *f = *state;

    create(f, "01A", "/w");
    assert_int_equal(append(f, "01A", 0, "1"), 0);
    assert_int_equal(append(f, "01A", 0, "2"), -ESTALE);
    assert_non_null(strstr(f->e.msg, "another process has added to conversation '01A'"));
    assert_string_equal(lines(f, "01A", 0), "1");
}

static void a_replaced_history_stays_as_an_older_generation(void **state)
{
    struct fixture *f = *state;
    struct conversation_message summary = message("summary");
    struct conversation_generation *list;
    uint32_t generation;
    size_t count;

    create(f, "01A", "/w");
    assert_int_equal(append(f, "01A", 0, "1"), 0);
    assert_int_equal(append(f, "01A", 1, "2"), 0);
    assert_int_equal(conversation_replace(f->s, "01A",
                                          &(struct conversation_part){ .trigger = "compaction",
                                                                       .rows = { &summary, 1 } },
                                          NULL, &generation, &f->e),
                     0);
    assert_int_equal(generation, 2);
    assert_int_equal(conversation_replace(f->s, "01A",
                                          &(struct conversation_part){ .trigger = "compaction",
                                                                       .known = 2,
                                                                       .rows = { &summary, 1 } },
                                          NULL, &generation, &f->e),
                     -ESTALE); /* what others have said meanwhile is not lost */
    assert_string_equal(lines(f, "01A", 0), "summary");
    assert_int_equal(append(f, "01A", 1, "3"), 0);
    assert_string_equal(lines(f, "01A", 0), "summary 3");
    assert_string_equal(lines(f, "01A", 1), "1 2");
    assert_string_equal(lines(f, "01A", 2), "summary 3");
    assert_int_equal(conversation_generations(f->s, "01A", &f->a, &list, &count, &f->e), 0);
    assert_int_equal(count, 2);
    assert_int_equal(list[0].messages, 2);
    assert_int_equal(list[1].messages, 2);
    assert_string_equal(list[1].trigger, "compaction");
    struct conversation_rows rows;
    assert_int_equal(conversation_load(f->s, "01A", 9, &f->a, &rows, &f->e), -ENOENT);
    assert_string_equal(f->e.msg, "conversation '01A' has no generation 9, but 1 to 2");
}

static void an_id_may_be_cut_short(void **state)
{
    struct fixture *f = *state;
    struct conversation c;

    create(f, "01ABC", "/w");
    create(f, "01ABD", "/w");
    assert_int_equal(conversation_get(f->s, "01ABD", &f->a, &c, &f->e), 0);
    assert_int_equal(conversation_get(f->s, "01ABC", &f->a, &c, &f->e), 0);
    assert_int_equal(conversation_get(f->s, "01AB", &f->a, &c, &f->e), -ENOTUNIQ);
    assert_int_equal(conversation_get(f->s, "9", &f->a, &c, &f->e), -ENOENT);
    assert_non_null(strstr(f->e.msg, "there is no conversation '9'"));
    assert_int_equal(conversation_get(f->s, "", &f->a, &c, &f->e), -ENOENT);
}

static void lists_are_newest_first_and_can_be_narrowed(void **state)
{
    struct fixture *f = *state;
    struct conversation sub = { .id = "01S", .workspace = "/w", .parent = "01A" }, *out;
    size_t count;

    create(f, "01A", "/w");
    create(f, "01B", "/other");
    assert_int_equal(conversation_create(f->s, &sub, &f->e), 0);
    assert_int_equal(append(f, "01A", 0, "{\"text\":\"a Needle in it\"}"), 0);
    assert_int_equal(
        conversation_list(f->s, &(struct conversation_query){ 0 }, &f->a, &out, &count, &f->e), 0);
    assert_int_equal(count, 2);
    assert_string_equal(out[0].id, "01A");
    assert_int_equal(conversation_list(
                         f->s, &(struct conversation_query){ .workspace = "/w", .subagents = true },
                         &f->a, &out, &count, &f->e),
                     0);
    assert_int_equal(count, 2);
    assert_int_equal(conversation_list(f->s, &(struct conversation_query){ .search = "needle" },
                                       &f->a, &out, &count, &f->e),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(conversation_list(f->s, &(struct conversation_query){ .limit = 1 }, &f->a,
                                       &out, &count, &f->e),
                     0);
    assert_int_equal(count, 1);
}

static void what_is_deleted_is_gone_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    struct conversation c;

    create(f, "01A", "/w");
    create(f, "01B", "/w");
    assert_int_equal(append(f, "01A", 0, "a"), 0);
    assert_int_equal(append(f, "01B", 0, "b"), 0);
    assert_int_equal(conversation_delete(f->s, "01A", &f->e), 0);
    assert_int_equal(conversation_get(f->s, "01A", &f->a, &c, &f->e), -ENOENT);
    assert_string_equal(lines(f, "01B", 0), "b");
    assert_int_equal(conversation_delete(f->s, "01A", &f->e), -ENOENT);
    assert_int_equal(conversation_rename(f->s, "01B", "another", &f->e), 0);
    assert_int_equal(conversation_get(f->s, "01B", &f->a, &c, &f->e), 0);
    assert_string_equal(c.title, "another");
}

static void a_conversation_is_worked_on_by_one_process(void **state)
{
    struct fixture *f = *state;
    int first, second;

    create(f, "01A", "/w");
    assert_int_equal(conversation_claim(f->s, "01A", &first, &f->e), 0);
    assert_true(first >= 0);
    assert_int_equal(conversation_claim(f->s, "01A", &second, &f->e), -EBUSY);
    assert_non_null(strstr(f->e.msg, "is in use by process"));
    close(first);
    assert_int_equal(conversation_claim(f->s, "01A", &second, &f->e), 0);
    close(second);
}

/* --append PATH: add messages and say so for each, until killed. */
static int append_for_ever(const char *path)
{
    struct store *s = store_sqlite(path);

    for (uint64_t n = 0;; n++) {
        struct conversation_message m = message("{}");
        const struct conversation_rows rows = { &m, 1 };

        if (conversation_append(s, "01A", n, &rows, NULL, NULL) < 0 ||
            write(STDOUT_FILENO, "x", 1) != 1)
            return 1;
    }
}

static pid_t start_appending(const char *path, int output)
{
    static char name[] = "conversation", flag[] = "--append";
    char *argv[] = { name, flag, xstrdup(path), NULL };
    posix_spawn_file_actions_t actions;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    free(argv[2]);
    return pid;
}

/* What the child said before it was killed must be there. */
static void what_was_acknowledged_survives_a_kill(void **state)
{
    struct fixture *f = *state;
    int fds[2], said = 0;
    struct conversation c;
    pid_t child;

    create(f, "01A", "/w");
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    child = start_appending(path_join(&f->a, f->folder.path, "hooke.db"), fds[1]);
    close(fds[1]);
    for (char x; said < 200 && read(fds[0], &x, 1) == 1;)
        said++;
    kill(child, SIGKILL);
    for (char x; read(fds[0], &x, 1) == 1;)
        said++;
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(fds[0]);
    assert_int_equal(conversation_get(f->s, "01A", &f->a, &c, &f->e), 0);
    assert_true(said >= 200);
    assert_true(c.messages >= (uint64_t)said);
    assert_true(c.messages <= (uint64_t)said + 1);
}

static void a_whole_conversation_is_put_with_its_generations(void **state)
{
    struct fixture *f = *state;
    struct conversation_message one = message("1"), more[] = { message("2"), message("3") };
    const struct conversation_part parts[] = {
        { .at_ms = 5, .rows = { &one, 1 } },
        { .trigger = "compaction", .at_ms = 6, .rows = { more, 2 } },
    };
    const struct conversation about = {
        .id = "01A", .title = "t", .created_ms = 5, .updated_ms = 9
    };
    struct conversation_generation *list;
    struct conversation c;
    size_t count;

    more[1].at_ms = 9;
    assert_int_equal(conversation_put(f->s, &about, parts, 2, false, &f->e), 0);
    assert_string_equal(lines(f, "01A", 1), "1");
    assert_string_equal(lines(f, "01A", 0), "2 3");
    assert_int_equal(conversation_get(f->s, "01A", &f->a, &c, &f->e), 0);
    assert_int_equal(c.updated_ms, 9);
    assert_int_equal(c.messages, 2);
    assert_int_equal(conversation_generations(f->s, "01A", &f->a, &list, &count, &f->e), 0);
    assert_int_equal(count, 2);
    assert_string_equal(list[1].trigger, "compaction");
    assert_int_equal(list[1].at_ms, 6);
    assert_int_equal(append(f, "01A", 2, "4"), 0);
    assert_int_equal(conversation_put(f->s, &about, parts, 1, false, &f->e), -EEXIST);
    assert_string_equal(lines(f, "01A", 0), "2 3 4");
    assert_int_equal(conversation_put(f->s, &about, parts, 1, true, &f->e), 0);
    assert_string_equal(lines(f, "01A", 0), "1");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { BOTH(messages_are_added_and_read_in_order),
                                        BOTH(who_knows_an_older_state_is_told),
                                        BOTH(a_replaced_history_stays_as_an_older_generation),
                                        BOTH(an_id_may_be_cut_short),
                                        BOTH(a_whole_conversation_is_put_with_its_generations),
                                        BOTH(lists_are_newest_first_and_can_be_narrowed),
                                        BOTH(what_is_deleted_is_gone_and_nothing_else),
                                        WITH(sqlite, a_conversation_is_worked_on_by_one_process),
                                        WITH(sqlite, what_was_acknowledged_survives_a_kill) };

    if (argc == 3 && strcmp(argv[1], "--append") == 0)
        return append_for_ever(argv[2]);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
