#include "agent/survival.h"
#include "value.h"

#define CALL(tool, args)                                                              \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"call_id\":\"1\"," \
    "\"tool\":\"" tool "\",\"args\":" args "}]}"
#define TODOS(last)                                                            \
    CALL("todo", "{\"todos\":[{\"content\":\"paint\",\"status\":\"pending\"}," \
                 "{\"content\":\"sleep\",\"status\":\"completed\"},"           \
                 "{\"content\":\"" last "\",\"status\":\"in_progress\"}]}")
#define SAID(text) "[{\"role\":\"user\",\"content\":\"" text "\"}]"

static void files_and_open_todos_are_looked_for_in_what_follows(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *before = value_of(
        &a,
        "[" CALL("read", "{\"path\":\"src/a.c\"}") "," CALL("edit", "{\"path\":\"b.c\"}") "," CALL(
            "read", "{\"path\":\"src/a.c\"}") "," TODOS("old") "," TODOS("feed") "]");
    struct survival v = survival_of(&a, before, value_of(&a, SAID("SRC/A.C, then Feed the cat")));

    assert_string_equal(json_text(&a, v.files.kept), "[\"src/a.c\"]");
    assert_string_equal(json_text(&a, v.files.lost), "[\"b.c\"]");
    assert_string_equal(json_text(&a, v.todos.kept), "[\"feed\"]");
    assert_string_equal(json_text(&a, v.todos.lost), "[\"paint\"]");
}

static void what_a_compaction_put_back_is_the_list(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *messages =
        value_of(&a, "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\","
                     "\"todos\":[{\"content\":\"paint\",\"status\":\"pending\"}]}]}]");

    assert_int_equal(json_count(survival_todos(messages)), 1);
    assert_null(survival_todos(value_of(&a, SAID("nothing"))));
    assert_null(survival_todos(NULL));
}

TESTS(cmocka_unit_test(files_and_open_todos_are_looked_for_in_what_follows),
      cmocka_unit_test(what_a_compaction_put_back_is_the_list))
