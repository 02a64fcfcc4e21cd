/* The comment line by which a file says what it is for. */
#include "find/header.h"
#include "test.h"

struct fixture {
    struct arena arena;
    struct problems problems;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->problems.arena = &f->arena;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    arena_release(&f->arena);
    free(f);
    return 0;
}

/* What the head says, as JSON; "-" for nothing, else the first problem. */
static const char *said(struct fixture *f, const char *head)
{
    const struct origin file = { .source = SOURCE_USER, .file = "/h/x" };
    struct setting *map;

    f->problems = (struct problems){ .arena = &f->arena };
    if (header_read(&f->arena, &file, str_of(head), &map, &f->problems) < 0)
        return arena_printf(&f->arena, "%s: %s", origin_text(&f->arena, &f->problems.first->origin),
                            f->problems.first->message);
    return map ? json_text(&f->arena, setting_to_json(&f->arena, map)) : "-";
}

static void every_comment_of_a_language_will_do(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(said(f, "#!/bin/sh\n# hooke: { on: Stop }\n"), "{\"on\":\"Stop\"}");
    assert_string_equal(said(f, "#hooke:{on: Stop}"), "{\"on\":\"Stop\"}");
    assert_string_equal(said(f, "\n  // hooke: {on: Stop, timeout: 5}\r\n"),
                        "{\"on\":\"Stop\",\"timeout\":5}");
    assert_string_equal(said(f, "-- hooke: {}\n"), "{}");
}

static void other_lines_say_nothing(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(said(f, ""), "-");
    assert_string_equal(said(f, "hooke: { on: Stop }\n"), "-");
    assert_string_equal(said(f, "# see hooke: { on: Stop }\n"), "-");
    assert_string_equal(said(f, "#\n//\n--\n# hook: {}\n"), "-");
}

static void the_first_line_counts(void **state)
{
    assert_string_equal(said(*state, "# hooke: {on: a}\n# hooke: {on: b}\n"), "{\"on\":\"a\"}");
}

static void mistakes_have_their_place_in_the_file(void **state)
{
    struct fixture *f = *state;

    assert_non_null(strstr(said(f, "#!/bin/sh\n# hooke: [Stop]\n"),
                           "/h/x:2:10: after 'hooke:' there must be a map of keys, not a list"));
    assert_non_null(strstr(said(f, "# hooke:\n"), "must be a map of keys, not nothing"));
    assert_non_null(strstr(said(f, "\n\n# hooke: { on: Stop\n"), "is no YAML map: "));
    assert_non_null(strstr(said(f, "# hooke: { on: a, on: b }\n"), "/h/x:1:"));
}

static void a_file_cannot_say_who_it_is_or_what_runs(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(said(f, "# hooke: { name: a, on: Stop, exec: b, layer: guard }\n"),
                        "{\"on\":\"Stop\",\"layer\":\"guard\"}");
    assert_int_equal(f->problems.count, 2);
    assert_string_equal(f->problems.first->message, "a hook file cannot set its own 'name'");
    assert_int_equal(f->problems.first->origin.column, 12);
}

static void names_of_json_files_are_no_reason_for_json(void **state)
{
    struct fixture *f = *state;
    const struct origin file = { .source = SOURCE_USER, .file = "/h/x.json" };
    struct setting *map;

    assert_int_equal(
        header_read(&f->arena, &file, STR("# hooke: {on: Stop}\n"), &map, &f->problems), 0);
    assert_string_equal(setting_get(map, "on")->origin.file, "/h/x.json");
}

#define HEADER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TESTS(HEADER_TEST(every_comment_of_a_language_will_do), HEADER_TEST(other_lines_say_nothing),
      HEADER_TEST(the_first_line_counts), HEADER_TEST(mistakes_have_their_place_in_the_file),
      HEADER_TEST(a_file_cannot_say_who_it_is_or_what_runs),
      HEADER_TEST(names_of_json_files_are_no_reason_for_json))
