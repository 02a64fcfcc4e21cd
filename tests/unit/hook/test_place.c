/* Context in messages: placed once, replayed with the same bytes for ever. */
#include "collector_fixture.h"

static void leave(struct fixture *f, const char *id, const char *text, enum inject_class class)
{
    struct injection i = { .source = "hook",
                           .id = id,
                           .text = text,
                           .class = class,
                           .place = class == INJECT_VOLATILE ? PLACE_TAIL : PLACE_MESSAGE };

    assert_int_equal(collector_add(&f->c, &i, NULL), 1);
}

static const struct json *place(struct fixture *f, const char *messages)
{
    const struct json *j, *placed;
    struct err e = { 0 };

    assert_int_equal(json_parse(&f->arena, str_of(messages), NULL, &j, NULL), 0);
    if (collector_place(&f->c, &f->arena, j, &placed, &e) < 0)
        fail_msg("%s", e.msg);
    return placed;
}

static const char *text(struct fixture *f, const struct json *j)
{
    return json_text(&f->arena, j);
}

#define U1 "{\"id\":\"u1\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"
#define A1 "{\"id\":\"a1\",\"role\":\"assistant\",\"content\":\"ok\"}"
#define T1 \
    "{\"id\":\"t1\",\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"output\":\"x\"}]}"
#define PART(t) "{\"type\":\"text\",\"text\":\"" t "\",\"synthetic\":true,\"tag\":\"context\"}"
#define TAIL(t) "{\"type\":\"text\",\"text\":\"" t "\",\"synthetic\":true,\"tag\":\"volatile\"}"

static void nothing_pending_changes_nothing(void **state)
{
    struct fixture *f = *state;
    const struct json *j, *placed;

    assert_int_equal(json_parse(&f->arena, STR("[" U1 "]"), NULL, &j, NULL), 0);
    assert_int_equal(collector_place(&f->c, &f->arena, j, &placed, NULL), 0);
    assert_ptr_equal(placed, j);
}

static void an_unsent_user_message_gets_it_before_its_text(void **state)
{
    struct fixture *f = *state;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    assert_string_equal(text(f, place(f, "[" U1 "]")),
                        "[{\"id\":\"u1\",\"role\":\"user\",\"content\":[" PART(
                            "ctx") ","
                                   "{\"type\":\"text\",\"text\":\"hi\"}]}]");
}

static void what_is_apart_is_a_part_of_its_own_after_the_text(void **state)
{
    static const char want[] = "[{\"id\":\"u1\",\"role\":\"user\",\"content\":[" PART(
        "ctx") ",{\"type\":\"text\",\"text\":\"hi\"},"
               "{\"type\":\"text\",\"text\":\"mind\",\"synthetic\":true,\"tag\":\"hook\"}]}]";
    struct fixture *f = *state;
    struct injection i = { .source = "hook",
                           .id = "own",
                           .text = "mind",
                           .class = INJECT_DETERMINISTIC,
                           .place = PLACE_MESSAGE,
                           .apart = true };

    assert_int_equal(collector_add(&f->c, &i, NULL), 1);
    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    assert_string_equal(text(f, place(f, "[" U1 "]")), want);
    assert_string_equal(text(f, place(f, "[" U1 "]")), want);
    assert_int_equal(collector_add(&f->c, &i, NULL), 1); /* said: consumed, and not said again */
    assert_string_equal(text(f, place(f, "[" U1 "]")), want);
}

static void a_message_that_was_sent_gets_it_at_its_end(void **state)
{
    struct fixture *f = *state;

    place(f, "[" U1 "]");
    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    assert_string_equal(text(f, place(f, "[" U1 "]")),
                        "[{\"id\":\"u1\",\"role\":\"user\",\"content\":["
                        "{\"type\":\"text\",\"text\":\"hi\"}," PART("ctx") "]}]");
}

static void a_message_without_text_gets_it_and_nothing_is_lost(void **state)
{
    struct fixture *f = *state;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    assert_non_null(strstr(text(f, place(f, "[" T1 "]")), PART("ctx")));
}

static void later_renders_repeat_the_very_bytes(void **state)
{
    struct fixture *f = *state;
    const char *first, *again;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    first = text(f, json_at(place(f, "[" U1 "]"), 0));
    leave(f, "2", "more", INJECT_DETERMINISTIC);
    again = text(f, json_at(place(f, "[" U1 "," A1 "," T1 "]"), 0));
    assert_string_equal(again, first);
    assert_string_equal(text(f, json_at(place(f, "[" U1 "," A1 "," T1 "," A1 "]"), 0)), first);
    assert_non_null(strstr(text(f, json_at(place(f, "[" U1 "," A1 "," T1 "]"), 2)), PART("more")));
}

static void without_a_message_it_stays_pending(void **state)
{
    struct injection *list;
    struct fixture *f = *state;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    place(f, "[]");
    place(f, "[" A1 "]");
    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    assert_non_null(list);
    assert_non_null(strstr(text(f, place(f, "[" A1 "," U1 "]")), PART("ctx")));
    assert_int_equal(collector_peek(&f->c, &f->arena, &list, NULL), 0);
    assert_null(list);
}

/* The shape of OpenCode's messages: calls and results are parts of what the model said. */
#define R1                                                                                            \
    "{\"id\":\"r1\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_result\",\"output\":\"x\"}," \
    "{\"type\":\"step-finish\"}]}"
#define BEHIND(parts) "{\"role\":\"user\",\"content\":[" parts "],\"internal\":true}"

static void results_in_a_message_of_the_model_get_a_message_behind_them(void **state)
{
    struct fixture *f = *state;
    bool says;
    const struct json *j;
    const struct injection said = { .source = "hook", .id = "1", .text = "ctx" };

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    leave(f, "2", "now", INJECT_VOLATILE);
    assert_string_equal(text(f, place(f, "[" U1 "," R1 "]")),
                        "[" U1 "," R1 "," BEHIND(PART("ctx") "," TAIL("now")) "]");
    assert_string_equal(text(f, place(f, "[" U1 "," R1 "," A1 "]")),
                        "[" U1 "," R1 "," BEHIND(PART("ctx")) "," A1 "]");
    assert_int_equal(json_parse(&f->arena, STR("[" U1 "," R1 "]"), NULL, &j, NULL), 0);
    assert_int_equal(collector_says(&f->c, j, &said, &says, NULL), 0);
    assert_true(says);
}

static void volatile_text_is_the_very_last_part_and_is_not_repeated(void **state)
{
    struct fixture *f = *state;
    const char *out;

    leave(f, "v", "now", INJECT_VOLATILE);
    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    out = text(f, place(f, "[" U1 "]"));
    assert_non_null(strstr(out, TAIL("now") "]}]"));
    assert_non_null(strstr(out, PART("ctx")));
    out = text(f, place(f, "[" U1 "]"));
    assert_null(strstr(out, "now"));
    assert_non_null(strstr(out, PART("ctx")));
}

static void a_message_without_an_id_is_known_by_its_place(void **state)
{
    struct fixture *f = *state;
    const char *first;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    first = text(f, json_at(place(f, "[{\"role\":\"user\",\"content\":\"a\"}]"), 0));
    assert_string_equal(text(f, json_at(place(f, "[{\"role\":\"user\",\"content\":\"a\"}," A1
                                                 ",{\"role\":\"user\",\"content\":\"b\"}]"),
                                        0)),
                        first);
}

static void forgotten_anchors_are_gone(void **state)
{
    struct fixture *f = *state;

    leave(f, "1", "ctx", INJECT_DETERMINISTIC);
    place(f, "[" U1 "]");
    assert_int_equal(collector_forget_anchors(&f->c, NULL), 0);
    assert_null(strstr(text(f, place(f, "[" U1 "]")), "ctx"));
}

static void what_was_said_is_not_repeated_and_what_is_new_is_not_lost(void **state)
{
    struct fixture *f = *state;
    const char *out, *one;

    leave(f, "1", "one", INJECT_DETERMINISTIC);
    place(f, "[" U1 "]");
    leave(f, "1", "one", INJECT_DETERMINISTIC);
    leave(f, "2", "two", INJECT_DETERMINISTIC);
    out = text(f, place(f, "[" U1 "]"));
    one = strstr(out, PART("one"));
    assert_non_null(one);
    assert_null(strstr(one + strlen(PART("one")), PART("one")));
    assert_non_null(strstr(out, PART("two")));
}

/* Whatever is left between them, each render begins with the bytes of the one before. */
static void every_render_is_a_prefix_of_the_next(void **state)
{
    struct fixture *f = *state;
    CLEANUP(strbuf) struct strbuf conversation = { 0 };
    const char *before = NULL;

    for (int turn = 0; turn < 40; turn++) {
        const struct json *placed;
        CLEANUP(strbuf) struct strbuf whole = { 0 };

        strbuf_printf(&conversation, "%s{\"id\":\"u%d\",\"role\":\"user\",\"content\":\"say %d\"}",
                      turn ? "," : "", turn, turn);
        for (int i = 0; i < turn % 3; i++)
            leave(f, arena_printf(&f->arena, "%d-%d", turn, i),
                  arena_printf(&f->arena, "context %d of turn %d", i, turn), INJECT_DETERMINISTIC);
        strbuf_printf(&whole, "[%s]", conversation.buf);
        placed = place(f, whole.buf);
        if (before)
            assert_string_equal(text(f, json_splice(&f->arena, placed, (size_t)turn, 1, NULL)),
                                before);
        before = text(f, placed);
    }
}

TESTS(COLLECTOR_TEST(nothing_pending_changes_nothing),
      COLLECTOR_TEST(an_unsent_user_message_gets_it_before_its_text),
      COLLECTOR_TEST(what_is_apart_is_a_part_of_its_own_after_the_text),
      COLLECTOR_TEST(a_message_that_was_sent_gets_it_at_its_end),
      COLLECTOR_TEST(a_message_without_text_gets_it_and_nothing_is_lost),
      COLLECTOR_TEST(later_renders_repeat_the_very_bytes),
      COLLECTOR_TEST(without_a_message_it_stays_pending),
      COLLECTOR_TEST(results_in_a_message_of_the_model_get_a_message_behind_them),
      COLLECTOR_TEST(volatile_text_is_the_very_last_part_and_is_not_repeated),
      COLLECTOR_TEST(a_message_without_an_id_is_known_by_its_place),
      COLLECTOR_TEST(forgotten_anchors_are_gone),
      COLLECTOR_TEST(what_was_said_is_not_repeated_and_what_is_new_is_not_lost),
      COLLECTOR_TEST(every_render_is_a_prefix_of_the_next))
