#include "agent/prefix.h"
#include "builtin/builtin.h"
#include "session_fixture.h"

#define SYSTEM   "experimental.chat.system.transform"
#define MESSAGES "experimental.chat.messages.transform"
#define U1       "{\"id\":\"u1\",\"role\":\"user\",\"content\":\"hi\"}"
#define A1       "{\"id\":\"a1\",\"role\":\"assistant\",\"content\":\"ho\"}"
#define U2       "{\"id\":\"u2\",\"role\":\"user\",\"content\":\"more\"}"

struct prefix_bed {
    struct bed bed;
    struct prefix prefix;
};

static void prefix_bed_cleanup(struct prefix_bed *b)
{
    prefix_release(&b->prefix);
    bed_cleanup(&b->bed);
}

/* One request; who is blamed, or NULL. */
static const char *request(struct prefix_bed *b, const char *todo, const char *messages)
{
    struct arena *a = &b->bed.arena;
    const struct json *system;

    assert_null(bed_problem(&b->bed));
    prefix_begin(&b->prefix);
    bed_emit(&b->bed, SYSTEM, arena_printf(a, "{\"system\":[\"base\"],\"todos\":[\"%s\"]}", todo));
    prefix_note(&b->prefix, &b->bed.receipt);
    system = json_get(inject_apply(a, POINT_SYSTEM_TRANSFORM, b->bed.receipt.data,
                                   b->bed.receipt.verdict.injections),
                      STR("system"));
    bed_emit(&b->bed, MESSAGES, arena_printf(a, "{\"messages\":[%s]}", messages));
    prefix_note(&b->prefix, &b->bed.receipt);
    return prefix_sent(&b->prefix, a, system, json_get(b->bed.receipt.data, STR("messages")));
}

static void nobody_is_blamed_for_a_request_that_only_grew(void **state UNUSED)
{
    CLEANUP(prefix_bed) struct prefix_bed b = { 0 };

    bed_open(&b.bed, builtin_hooks,
             "hooks: [{ name: note, on: " MESSAGES ", inject: look here },"
             " { name: system-prompt, text: be kind }]");
    assert_null(request(&b, "x", U1));
    assert_null(request(&b, "x", U1));
    assert_null(request(&b, "y", U1 "," A1 "," U2));
}

static void a_text_that_changes_is_blamed_on_who_says_it(void **state UNUSED)
{
    CLEANUP(prefix_bed) struct prefix_bed b = { 0 };

    bed_open(&b.bed, NULL,
             "hooks: [{ name: first, on: " SYSTEM ", inject: always },"
             " { name: fickle, on: " SYSTEM ", when: \"todos[1] == 'x'\", inject: sometimes },"
             " { name: last, on: " SYSTEM ", inject: always }]");
    assert_null(request(&b, "x", U1));
    assert_string_equal(request(&b, "y", U1), "fickle");
    assert_null(request(&b, "y", U1));
    assert_string_equal(request(&b, "x", U1), "fickle");
}

static void a_change_of_messages_is_blamed_on_who_made_it(void **state UNUSED)
{
    CLEANUP(prefix_bed) struct prefix_bed b = { 0 };

    bed_open(&b.bed, builtin_hooks,
             "hooks: [{ name: note, on: " MESSAGES ", inject: look here },"
             " { name: cutter, on: " MESSAGES ", when: 'messages[2]', replace: { messages: ["
             "{ role: user, content: short }] } }]");
    assert_null(request(&b, "x", U1));
    assert_string_equal(request(&b, "x", U1 "," A1 "," U2), "cutter");
}

static void a_new_generation_is_nobodys_fault(void **state UNUSED)
{
    CLEANUP(prefix_bed) struct prefix_bed b = { 0 };

    bed_open(&b.bed, builtin_hooks, "hooks: [{ name: note, on: " MESSAGES ", inject: look }]");
    assert_null(request(&b, "x", U1 "," A1 "," U2));
    prefix_release(&b.prefix);
    assert_null(request(&b, "x", U2));
}

static void the_session_says_which_hook_broke_it(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b,
        "hooks: [{ name: fickle, on: " SYSTEM ", when: 'todos', inject: busy },"
        " { name: tell, on: message.updated, when: prefix_broken_by == 'fickle',"
        " say: it was fickle }]\n",
        "turns:\n"
        "- calls: [{ tool: todo, args: { todos: [{ content: a, status: pending }] } }]\n"
        "- { text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "say it was fickle");
}

TESTS(cmocka_unit_test(nobody_is_blamed_for_a_request_that_only_grew),
      cmocka_unit_test(a_text_that_changes_is_blamed_on_who_says_it),
      cmocka_unit_test(a_change_of_messages_is_blamed_on_who_made_it),
      cmocka_unit_test(a_new_generation_is_nobodys_fault),
      cmocka_unit_test(the_session_says_which_hook_broke_it))
