/* The `hooks` of Claude's settings: one entry per event, and nothing that is wrong spoils the rest.
 */
#include "find/claude_handler.h"
#include "find_fixture.h"

#define COMMAND(text) "{\"type\":\"command\",\"command\":\"" text "\"}"
#define PRE(handlers) "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[" handlers "]}]}}"

struct reading {
    struct arena arena;
    struct problems problems;
    struct claude_settings c;
};

static int set_up(void **state)
{
    struct reading *r = calloc(1, sizeof(*r));

    r->problems.arena = &r->arena;
    r->c = (struct claude_settings){ &r->arena, &r->problems, .project = "/repo" };
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    struct reading *r = *state;

    arena_release(&r->arena);
    free(r);
    return 0;
}

#define READING_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void read_as(struct reading *r, enum source source, const char *text)
{
    const struct origin file = { .source = source,
                                 .file = source == SOURCE_USER ? "/h/settings.json"
                                                               : "/w/settings.json" };

    claude_settings_read(&r->c, &file, str_of(text));
}

/* All entries as JSON, one a line. */
static const char *entries(struct reading *r)
{
    const char *all = "";

    for (const struct setting *e = r->c.first; e; e = e->next)
        all = arena_printf(&r->arena, "%s%s\n", all,
                           json_text(&r->arena, setting_to_json(&r->arena, e)));
    return all;
}

static size_t handlers(struct reading *r, const char *name)
{
    size_t count = 0;

    for (const struct setting *e = r->c.first; e; e = e->next)
        if (str_is(setting_get(e, "name")->text, name))
            for (const struct setting *h = setting_get(e, "group")->first; h; h = h->next)
                count++;
    return count;
}

static const char *problem(struct reading *r)
{
    const struct problem *p = r->problems.first;

    return p ? arena_printf(&r->arena, "%s: %s", origin_text(&r->arena, &p->origin), p->message)
             : "";
}

static void an_event_is_one_entry_with_all_handlers(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            "{\"model\":\"x\",\"hooks\":{\"PreToolUse\":[\n"
            "{\"matcher\":\"Edit|Write\",\"hooks\":[{\"type\":\"command\",\"command\":\"a\","
            "\"timeout\":2.5,\"if\":\"Edit(*.ts)\",\"async\":true,\"statusMessage\":\"…\"}]},\n"
            "{\"matcher\":\"*\",\"hooks\":[" COMMAND("b") "]}],\n"
                                                          "\"Stop\":[{\"hooks\":[" COMMAND(
                                                              "c") "]}]}}");
    assert_string_equal(problem(r), "");
    assert_string_equal(
        entries(r),
        "{\"name\":\"claude/PreToolUse\",\"on\":\"PreToolUse\",\"dialect\":\"claude\",\"group\":["
        "{\"exec\":\"a\",\"if\":\"Edit(*.ts)\",\"timeout\":\"2500ms\",\"async\":true,"
        "\"match\":\"Edit|Write\"},{\"exec\":\"b\"}]}\n"
        "{\"name\":\"claude/Stop\",\"on\":\"Stop\",\"dialect\":\"claude\","
        "\"group\":[{\"exec\":\"c\"}]}\n");
    assert_int_equal(r->c.first->origin.line, 1);
    assert_int_equal(setting_get(r->c.first, "group")->first->next->origin.line, 3);
}

/* CL-4 */
static void the_same_handler_in_several_files_runs_once(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER, PRE(COMMAND("a") "," COMMAND("b")));
    read_as(r, SOURCE_WORKSPACE, PRE(COMMAND("a") "," COMMAND("c")));
    read_as(r, SOURCE_WORKSPACE,
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[" COMMAND("a") "]}]}}");
    assert_int_equal(handlers(r, "claude/PreToolUse"), 4);
    assert_int_equal(setting_get(r->c.first, "group")->first->origin.source, SOURCE_USER);
    assert_null(r->c.first->next);
}

/* CL-18 */
static void what_is_malformed_drops_only_itself(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            "{\"hooks\":{\"PreToolUse\":[5,{\"matcher\":7,\"hooks\":[" COMMAND(
                "x") "]},{},"
                     "{\"hooks\":{}},{\"hooks\":[3,{},{\"type\":\"command\"},{\"type\":\"command\","
                     "\"command\":\"\"},{\"type\":\"command\",\"command\":\"y\",\"args\":[1]},"
                     "{\"type\":\"command\",\"command\":\"z\",\"if\":1}," COMMAND(
                         "good") "]}],"
                                 "\"PreTolUse\":[{\"hooks\":[" COMMAND(
                                     "x") "]}],\"Stop\":{},"
                                          "\"FileChanged\":[{\"hooks\":[" COMMAND(
                                              "x") "]}],\"SessionEnd\":[]}}");
    assert_string_equal(entries(r), "{\"name\":\"claude/PreToolUse\",\"on\":\"PreToolUse\","
                                    "\"dialect\":\"claude\",\"group\":[{\"exec\":\"good\"}]}\n");
    assert_int_equal(r->problems.count, 13);
    for (const struct problem *p = r->problems.first; p; p = p->next)
        assert_true(p->warning);
}

static void unknown_events_and_those_without_a_point_are_told_apart(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER, "{\"hooks\":{\"PreTolUse\":[{}]}}");
    assert_string_equal(problem(r), "/h/settings.json:1:11: unknown event 'PreTolUse', did you "
                                    "mean 'PreToolUse'?: its hooks are left out");
    r->problems = (struct problems){ .arena = &r->arena };
    read_as(r, SOURCE_USER, "{\"hooks\":{\"FileChanged\":[{}]}}");
    assert_string_equal(problem(r), "/h/settings.json:1:11: hooke has no point for 'FileChanged': "
                                    "its hooks are left out");
}

static void what_hooke_itself_has_written_is_not_missed(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            "{\"hooks\":{\"PostToolBatch\":[{\"hooks\":[" COMMAND("hooke-answer claude") "]}]}}");
    assert_int_equal(r->problems.count, 0);
    read_as(r, SOURCE_USER,
            "{\"hooks\":{\"PostToolBatch\":[{\"hooks\":[" COMMAND(
                "hooke-answer claude") "," COMMAND("x") "]}]}}");
    assert_int_equal(r->problems.count, 1);
}

static void other_kinds_of_handlers_are_not_run(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            PRE("{\"type\":\"http\",\"url\":\"u\"},{\"type\":\"prompt\",\"prompt\":\"p\"},"
                "{\"type\":\"agent\"},{\"type\":\"mcp_tool\"}," COMMAND("a")));
    assert_int_equal(handlers(r, "claude/PreToolUse"), 1);
    assert_int_equal(r->problems.count, 4);
    assert_non_null(strstr(problem(r), "no handlers of type 'http'"));
}

static void arguments_mean_no_shell(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            PRE("{\"type\":\"command\",\"command\":\"${CLAUDE_PROJECT_DIR}/x\",\"args\":[\"-d\","
                "\"${CLAUDE_PROJECT_DIR}/y\"]},{\"type\":\"command\",\"command\":\"node\","
                "\"args\":[]},{\"type\":\"command\",\"command\":\"./z\",\"args\":[]},"
                "{\"type\":\"command\",\"command\":\"[[ a ]]\",\"shell\":\"bash\"},"
                "{\"type\":\"command\",\"command\":\"$CLAUDE_PROJECT_DIR/x\"}"));
    assert_non_null(strstr(entries(r),
                           "[{\"exec\":[\"/repo/x\",\"-d\",\"/repo/y\"]},{\"exec\":[\"node\"]},"
                           "{\"exec\":[\"/repo/./z\"]},{\"exec\":[\"bash\",\"-c\",\"[[ a ]]\"]},"
                           "{\"exec\":\"$CLAUDE_PROJECT_DIR/x\"}]"));
}

static void odd_timeouts_leave_the_default(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            PRE("{\"type\":\"command\",\"command\":\"a\",\"timeout\":0},"
                "{\"type\":\"command\",\"command\":\"b\",\"timeout\":\"5\"},"
                "{\"type\":\"command\",\"command\":\"c\",\"timeout\":1e1}"));
    assert_int_equal(r->problems.count, 2);
    assert_non_null(strstr(entries(r), "[{\"exec\":\"a\"},{\"exec\":\"b\"},"
                                       "{\"exec\":\"c\",\"timeout\":\"10000ms\"}]"));
}

/* CL-21: it reaches no further than the settings it stands in may reach. */
static void disable_all_hooks_of_the_user_is_all_of_claude(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER,
            "{\"disableAllHooks\":true,\"hooks\":{\"Stop\":[{\"hooks\":[" COMMAND("a") "]}]}}");
    read_as(r, SOURCE_WORKSPACE, PRE(COMMAND("b")));
    assert_string_equal(entries(r), "");
}

static void disable_all_hooks_of_a_workspace_is_its_own(void **state)
{
    struct reading *r = *state;

    read_as(r, SOURCE_USER, PRE(COMMAND("a")));
    read_as(r, SOURCE_WORKSPACE,
            "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[" COMMAND(
                "b") "]}],\"Stop\":[{\"hooks\":[" COMMAND("c") "]}]}}");
    assert_int_equal(handlers(r, "claude/PreToolUse"), 2);
    read_as(r, SOURCE_WORKSPACE, "{\"disableAllHooks\":true}");
    assert_int_equal(handlers(r, "claude/PreToolUse"), 1);
    assert_int_equal(handlers(r, "claude/Stop"), 0);
}

static void handlers_that_run_hooke_are_left_out_in_silence(void **state)
{
    struct reading *r = *state;

    read_as(
        r, SOURCE_USER,
        PRE(COMMAND("hooke answer claude") "," COMMAND("/usr/bin/hooke-answer claude") "," COMMAND("'/opt/my hooke/bin/hooke' answer claude PreToolUse") "," COMMAND("HOOKE_LOG=debug exec hooke answer claude") "," COMMAND(
            "cd /x && hooke emit PreToolUse") "," COMMAND("test -x /a/hooke && /a/hooke answer claude") "," COMMAND("hooke")));
    assert_string_equal(entries(r), "");
    assert_string_equal(problem(r), "");
}

static void commands_that_only_mention_hooke_stay(void **state UNUSED)
{
    static const char *const commands[] = {
        "echo hooke is here", "./hooked answer",
        "cat hooke.log",      "n=$(hooke state incr n); echo $n",
        "grep hooke",         "",
        "hooke-answers",      "echo 'hooke",
    };

    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (claude_handler_runs_hooke(str_of(commands[i])))
            fail_msg("'%s' does not run hooke", commands[i]);
}

/* Files ---------------------------------------------------------------------------------------- */

/* The entries by their names, whatever becomes of them. */
static const char *found_names(struct fixture *f, const struct config *c)
{
    const struct setting *hooks = config_get(c, "hooks", NULL);
    const char *all = "";

    for (const struct setting *h = hooks ? hooks->first : NULL; h; h = h->next)
        all = arena_printf(&f->arena, "%s%s=%s ", all, setting_get(h, "name")->text.ptr,
                           source_name(h->origin.source));
    return all;
}

static void a_workspace_file_needs_trust(void **state)
{
    struct fixture *f = *state;

    put(f, "home/.claude/settings.json", PRE(COMMAND("a")));
    put(f, "ws/.claude/settings.json", "{\"hooks\":{\"Stop\":[{\"hooks\":[" COMMAND("b") "]}]}}");
    put(f, "ws/.claude/settings.local.json", "{\"permissions\":{}}");
    {
        CLEANUP(config) struct config *c = find(f);
        assert_string_equal(found_names(f, c), "claude/PreToolUse=user ");
        assert_non_null(strstr(problems_of(f, c), ".claude/settings.json' is not trusted"));
        assert_false(file_of(f, c, "ws/.claude/settings.json")->trusted);
        assert_null(file_of(f, c, "ws/.claude/settings.local.json")); /* has nothing to trust */
    }
    pin(f, "ws/.claude/settings.json");
    {
        CLEANUP(config) struct config *c = find(f);
        assert_string_equal(found_names(f, c), "claude/PreToolUse=user claude/Stop=workspace ");
        assert_null(strstr(problems_of(f, c), "is not trusted"));
    }
}

static void settings_that_are_no_json_are_a_problem_with_its_place(void **state)
{
    struct fixture *f = *state;

    put(f, "home/.claude/settings.json", "{\"hooks\":\n  oops}");
    CLEANUP(config) struct config *c = find(f);
    assert_non_null(strstr(problems_of(f, c), "home/.claude/settings.json:2:3: the hooks of '"));
    assert_false(c->problems.first->warning);
}

static void an_agent_that_runs_its_own_hooks_is_left_to_it(void **state)
{
    struct fixture *f = *state;

    put(f, "home/.claude/settings.json", PRE(COMMAND("a")));
    f->where.answering = "claude";
    {
        CLEANUP(config) struct config *c = find(f);
        assert_string_equal(found_names(f, c), "");
    }
    f->where.answering = "codex";
    {
        CLEANUP(config) struct config *c = find(f);
        assert_string_equal(found_names(f, c), "claude/PreToolUse=user ");
    }
}

TESTS(READING_TEST(an_event_is_one_entry_with_all_handlers),
      READING_TEST(the_same_handler_in_several_files_runs_once),
      READING_TEST(what_is_malformed_drops_only_itself),
      READING_TEST(unknown_events_and_those_without_a_point_are_told_apart),
      READING_TEST(what_hooke_itself_has_written_is_not_missed),
      READING_TEST(other_kinds_of_handlers_are_not_run), READING_TEST(arguments_mean_no_shell),
      READING_TEST(odd_timeouts_leave_the_default),
      READING_TEST(disable_all_hooks_of_the_user_is_all_of_claude),
      READING_TEST(disable_all_hooks_of_a_workspace_is_its_own),
      READING_TEST(handlers_that_run_hooke_are_left_out_in_silence),
      READING_TEST(commands_that_only_mention_hooke_stay),
      CONFIG_TEST(a_workspace_file_needs_trust),
      CONFIG_TEST(settings_that_are_no_json_are_a_problem_with_its_place),
      CONFIG_TEST(an_agent_that_runs_its_own_hooks_is_left_to_it))
