/* Folders: what in them is a hook, what it is called, whose it is. */
#include "find_fixture.h"

#define AFTER_TURN "#!/bin/sh\n[ \"$1\" = hook ] && echo after_turn\n"
#define HEADER     "#!/bin/sh\n# hooke: { on: Stop, tool: bash, layer: guard }\n"

static void no_folder_is_no_problem(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config) struct config *c = find(f);

    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 0);
    assert_int_equal(c->file_count, 5);
}

static void kodelet_files_become_entries_in_the_order_of_their_names(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/b_turn", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/a.sh", "#!/bin/sh\necho ' before_tool_call '\n");
    put_program(f, "home/.kodelet/hooks/Z", AFTER_TURN);
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_string_equal(hooks_of(f, c), "kodelet/Z kodelet/a-sh kodelet/b_turn");
    assert_string_equal(entry_of(f, c, "kodelet/a-sh"),
                        "{\"name\":\"kodelet/a-sh\",\"on\":\"before_tool_call\",\"dialect\":"
                        "\"kodelet\",\"exec\":[\"home/.kodelet/hooks/a.sh\",\"run\"]}");
    assert_string_equal(hook_of(c, "kodelet/Z")->origin.file, at(f, "home/.kodelet/hooks/Z"));
    assert_true(hook_of(c, "kodelet/Z")->found);
}

static void what_is_no_hook_is_passed_over_in_silence(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/off.disable", AFTER_TURN);
    put(f, "home/.kodelet/hooks/plain", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/folder/inside", AFTER_TURN);
    put_program(f, "home/elsewhere", AFTER_TURN);
    assert_int_equal(symlink(at(f, "home/elsewhere"), at(f, "home/.kodelet/hooks/link")), 0);
    assert_int_equal(symlink(at(f, "home"), at(f, "home/.kodelet/hooks/linked-folder")), 0);
    put(f, "user/hooks/README.md", "Hooks of mine.\n");
    put(f, "home/.acai/hooks/notes.txt", "no\n");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_string_equal(hooks_of(f, c), "kodelet/link");
}

static void a_broken_kodelet_file_is_named_with_the_reason(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/a", "#!/bin/sh\necho lost >&2\nexit 3\n");
    put_program(f, "home/.kodelet/hooks/b", "#!/bin/sh\necho after_trun\n");
    put_program(f, "home/.kodelet/hooks/c", "#!/no/such/interpreter\n");
    put_program(f, "home/.kodelet/hooks/d", AFTER_TURN);
    assert_int_equal(symlink("nowhere", at(f, "home/.kodelet/hooks/e")), 0);
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "kodelet/d");
    assert_int_equal(c->problems.count, 4);
    assert_non_null(strstr(problems_of(f, c), "hooks/a: it is not used: asked with 'hook' it "
                                              "exited with code 3: lost\n"));
    assert_non_null(strstr(problems_of(f, c), "hooks/b: it is not used: asked with 'hook' it named "
                                              "no event of Kodelet but 'after_trun', did you mean "
                                              "'after_turn'?\n"));
    assert_non_null(strstr(problems_of(f, c), "'/no/such/interpreter'"));
    assert_non_null(strstr(problems_of(f, c), "hooks/e: it is not used: No such file"));
}

static void only_the_first_by_name_up_to_max_hooks(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 2\n");
    put_program(f, "home/.kodelet/hooks/c", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/a", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/b", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/d", AFTER_TURN);
    put_program(f, "user/hooks/e", HEADER);
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "hooke/e kodelet/a kodelet/b");
    assert_problems(f, c,
                    "home/.kodelet/hooks: it has 2 hooks more than the 2 of 'max_hooks': only the "
                    "first by name are used\n");
}

static void an_unreadable_folder_leaves_the_others(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.acai/hooks/x", "#!/bin/sh\n");
    put_program(f, "home/.kodelet/hooks/a", AFTER_TURN);
    assert_int_equal(chmod(at(f, "home/.acai/hooks"), 0), 0);
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(chmod(at(f, "home/.acai/hooks"), 0700), 0);
    assert_non_null(strstr(hooks_of(f, c), "kodelet/a"));
    if (geteuid() != 0)
        assert_problems(f, c, "home/.acai/hooks: its hooks are not used: Permission denied\n");
}

static void what_others_could_have_written_is_refused(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/a", "#!/bin/sh\ntouch ran\necho after_turn\n");
    put_program(f, "home/.kodelet/hooks/b", AFTER_TURN);
    put_program(f, "user/hooks/c", HEADER);
    assert_int_equal(chmod(at(f, "home/.kodelet/hooks/a"), 0777), 0);
    assert_int_equal(chmod(at(f, "user/hooks"), 0777), 0);
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "kodelet/b");
    assert_int_equal(c->problems.count, 2);
    assert_non_null(strstr(problems_of(f, c), "kodelet/hooks/a' can be written by everybody"));
    assert_non_null(strstr(problems_of(f, c), "user/hooks' can be written by everybody"));
    assert_int_equal(access(at(f, "home/.kodelet/hooks/ran"), F_OK), -1);
}

static void acai_before_and_after_are_two_hooks(void **state)
{
    struct fixture *f = *state;

    put(f, "home/.acai/hooks/guard.sh",
        "[ \"$HOOK_ACTION$TOOL_ACTION\" = describedescribe ] && echo '{\"name\":\"wall\","
        "\"description\":\"d\",\"hooks\":[{\"event\":\"tool-call-start\",\"timing\":\"before\"},"
        "{\"event\":\"agent-stop\",\"timing\":\"after\"}]}'\n");
    put_program(f, "home/.acai/hooks/watch",
                "#!/usr/bin/env sh\necho '{\"name\":\"watch\",\"description\":\"d\",\"hooks\":"
                "[{\"event\":\"agent-start\",\"timing\":\"after\"}]}'\n");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_string_equal(hooks_of(f, c), "acai/wall acai/wall/after acai/watch");
    assert_string_equal(entry_of(f, c, "acai/wall"),
                        "{\"name\":\"acai/wall\",\"on\":[\"tool-call-start\"],\"dialect\":\"acai\","
                        "\"exec\":[\"/bin/bash\",\"home/.acai/hooks/guard.sh\"]}");
    assert_false(hook_of(c, "acai/wall")->traits.observe);
    assert_true(hook_of(c, "acai/wall/after")->traits.observe);
    assert_true(hook_of(c, "acai/watch")->traits.observe);
}

/* S4-X2 */
static void invalid_metadata_skips_that_file_only(void **state)
{
    struct fixture *f = *state;

    put(f, "home/.acai/hooks/a.sh", "echo '{\"name\":\"a\"}'\n");
    put(f, "home/.acai/hooks/b.sh", "exit 1\n");
    put(f, "home/.acai/hooks/c.sh",
        "echo '{\"name\":\"c\",\"description\":\"d\",\"hooks\":[{\"event\":\"step-stop\","
        "\"timing\":\"before\"}]}'\n");
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "acai/c");
    assert_int_equal(c->problems.count, 2);
    assert_non_null(strstr(problems_of(f, c), "a.sh: it is not used: asked to describe itself it "
                                              "gave a bad answer: "));
    assert_non_null(strstr(problems_of(f, c), "b.sh: it is not used: asked to describe itself it "
                                              "exited with code 1\n"));
}

static void our_files_say_what_they_are_for(void **state)
{
    struct fixture *f = *state;

    put_program(f, "user/hooks/guard.sh", HEADER);
    put_program(f, "user/hooks/late.mjs", "// hooke: {on: [turn.after], timeout: 2s}\n");
    put(f, "user/hooks/rules.lua", "-- hooke: { priority: 5 }\n");
    put(f, "user/hooks/silent.lua", "return {}\n");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_string_equal(hooks_of(f, c), "hooke/guard hooke/late hooke/rules hooke/silent");
    assert_string_equal(entry_of(f, c, "hooke/guard"),
                        "{\"name\":\"hooke/guard\",\"on\":\"Stop\",\"tool\":\"bash\",\"layer\":"
                        "\"guard\",\"exec\":[\"user/hooks/guard.sh\"]}");
    assert_int_equal(hook_of(c, "hooke/late")->traits.timeout_ms, 2000);
    assert_int_equal(hook_of(c, "hooke/rules")->runner, RUNNER_SCRIPT);
    assert_int_equal(hook_of(c, "hooke/rules")->traits.priority, 5);
}

static void our_file_without_its_line_is_a_problem(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{ name: hooke/binary, on: Stop }]\n");
    put_program(f, "user/hooks/binary",
                "\x7f"
                "ELF\n");
    put_program(f, "user/hooks/lost", "#!/bin/sh\n");
    put(f, "user/hooks/plain.sh", HEADER);
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "hooke/binary");
    assert_problems(f, c,
                    "user/hooks/plain.sh: it is not executable and not used: run chmod +x on it\n"
                    "user/hooks/lost: it is not used, for it does not say what it is for: put a "
                    "line such as '# hooke: { on: tool.execute.before }' into its first 4096 "
                    "bytes\n");
}

static void two_files_of_one_name_are_one_hook(void **state)
{
    struct fixture *f = *state;

    put_program(f, "user/hooks/guard.py", HEADER);
    put_program(f, "user/hooks/guard.sh", HEADER);
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "hooke/guard");
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c), "user/hooks/guard.sh: it is not used, because"));
}

/* Workspaces ----------------------------------------------------------------------------------- */

static void untrusted_files_are_not_asked_but_offered(void **state)
{
    struct fixture *f = *state;

    put_program(f, "ws/.kodelet/hooks/a", "#!/bin/sh\ntouch ran\necho after_turn\n");
    put_program(f, "ws/.kodelet/hooks/b", AFTER_TURN);
    put_program(f, "ws/.hooke/hooks/c", HEADER);
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(c->hook_count, 0);
    assert_int_equal(c->problems.count, 2);
    assert_non_null(strstr(problems_of(f, c), ".hooke/hooks/c' is not trusted and is not used"));
    assert_non_null(strstr(problems_of(f, c), "ws/.kodelet/hooks: 2 files are not trusted and are "
                                              "not used: run 'hooke trust'\n"));
    for (const struct problem *p = c->problems.first; p; p = p->next)
        assert_true(p->warning);
    assert_non_null(file_of(f, c, "ws/.kodelet/hooks/a"));
    assert_false(file_of(f, c, "ws/.kodelet/hooks/a")->trusted);
    assert_int_equal(access(at(f, "ws/.kodelet/hooks/ran"), F_OK), -1);
}

static void trusted_bytes_are_used_until_they_change(void **state)
{
    struct fixture *f = *state;

    put_program(f, "ws/.kodelet/hooks/a", AFTER_TURN);
    pin(f, "ws/.kodelet/hooks/a");
    {
        CLEANUP(config) struct config *c = find(f);
        assert_problems(f, c, "");
        assert_string_equal(hooks_of(f, c), "kodelet/a");
        assert_int_equal(hook_of(c, "kodelet/a")->origin.source, SOURCE_WORKSPACE);
        assert_true(file_of(f, c, "ws/.kodelet/hooks/a")->trusted);
    }
    put_program(f, "ws/.kodelet/hooks/a", AFTER_TURN "touch ran\n");
    {
        CLEANUP(config) struct config *c = find(f);
        assert_int_equal(c->hook_count, 0);
        assert_non_null(strstr(problems_of(f, c), "has changed since it was trusted"));
    }
}

static void a_workspace_does_not_hide_a_hook_of_the_user(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/a", AFTER_TURN);
    put_program(f, "home/.kodelet/hooks/b", AFTER_TURN);
    put_program(f, "ws/.kodelet/hooks/a", "#!/bin/sh\necho agent_stop\n");
    put_program(f, "ws/.kodelet/hooks/b", "#!/bin/sh\nexit 1\n");
    put_program(f, "ws/.kodelet/hooks/b.disable", AFTER_TURN);
    pin(f, "ws/.kodelet/hooks/a");
    pin(f, "ws/.kodelet/hooks/b");
    CLEANUP(config) struct config *c = find(f);
    assert_string_equal(hooks_of(f, c), "kodelet/a/workspace kodelet/a kodelet/b");
    assert_int_equal(hook_of(c, "kodelet/a")->origin.source, SOURCE_USER);
    assert_int_equal(c->problems.count, 2);
    assert_non_null(strstr(problems_of(f, c), "ws/.kodelet/hooks/a: it does not replace the user's "
                                              "hook 'kodelet/a' at "));
}

static void in_ones_home_the_folders_are_ones_own(void **state)
{
    struct fixture *f = *state;

    put_program(f, "home/.kodelet/hooks/a", AFTER_TURN);
    put(f, "home/.hooke/keep", "");
    f->where.cwd = at(f, "home");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_string_equal(hooks_of(f, c), "kodelet/a");
    assert_int_equal(hook_of(c, "kodelet/a")->origin.source, SOURCE_USER);
}

TESTS(CONFIG_TEST(no_folder_is_no_problem),
      CONFIG_TEST(kodelet_files_become_entries_in_the_order_of_their_names),
      CONFIG_TEST(what_is_no_hook_is_passed_over_in_silence),
      CONFIG_TEST(a_broken_kodelet_file_is_named_with_the_reason),
      CONFIG_TEST(only_the_first_by_name_up_to_max_hooks),
      CONFIG_TEST(an_unreadable_folder_leaves_the_others),
      CONFIG_TEST(what_others_could_have_written_is_refused),
      CONFIG_TEST(acai_before_and_after_are_two_hooks),
      CONFIG_TEST(invalid_metadata_skips_that_file_only),
      CONFIG_TEST(our_files_say_what_they_are_for),
      CONFIG_TEST(our_file_without_its_line_is_a_problem),
      CONFIG_TEST(two_files_of_one_name_are_one_hook),
      CONFIG_TEST(untrusted_files_are_not_asked_but_offered),
      CONFIG_TEST(trusted_bytes_are_used_until_they_change),
      CONFIG_TEST(a_workspace_does_not_hide_a_hook_of_the_user),
      CONFIG_TEST(in_ones_home_the_folders_are_ones_own))
