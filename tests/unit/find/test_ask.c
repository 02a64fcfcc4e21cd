/* Answers are kept: a file is asked once, and again when it has changed. */
#include "find_fixture.h"

#define COUNTING "#!/bin/sh\necho asked >>\"$0.log\"\n"
#define HOOK     "home/.kodelet/hooks/a"

static size_t times_asked(struct fixture *f)
{
    struct str log;

    if (file_read(&f->arena, at(f, HOOK ".log"), 1 << 20, &log, NULL) < 0)
        return 0;
    return log.len / strlen("asked\n");
}

static void look(struct fixture *f, size_t hooks, size_t problems)
{
    CLEANUP(config) struct config *c = find(f);

    assert_int_equal(c->hook_count, hooks);
    assert_int_equal(c->problems.count, problems);
}

static void a_file_is_asked_once_until_it_changes(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "echo after_turn\n");
    let_settle(f, HOOK);
    look(f, 1, 0);
    look(f, 1, 0);
    look(f, 1, 0);
    assert_int_equal(times_asked(f), 1);
    put_program(f, HOOK, COUNTING "echo agent_stop\n");
    let_settle(f, HOOK);
    {
        CLEANUP(config) struct config *c = find(f);
        assert_int_equal(hook_of(c, "kodelet/a")->traits.on[0].point, POINT_AGENT_STOP);
    }
    look(f, 1, 0);
    assert_int_equal(times_asked(f), 2);
}

static void a_file_that_changed_just_now_is_asked_again(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "echo after_turn\n");
    look(f, 1, 0);
    let_settle(f, HOOK);
    look(f, 1, 0);
    look(f, 1, 0);
    assert_in_range(times_asked(f), 1, 2);
}

static void a_broken_file_is_not_asked_at_every_event(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "exit 1\n");
    let_settle(f, HOOK);
    look(f, 0, 1);
    look(f, 0, 1);
    assert_int_equal(times_asked(f), 1);
    f->where.recompile = true; /* somebody looks at the configuration */
    look(f, 0, 1);
    assert_int_equal(times_asked(f), 2);
    f->where.recompile = false;
    put_program(f, HOOK, COUNTING "echo after_turn\n");
    look(f, 1, 0);
}

static void a_mode_is_part_of_a_file(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "echo after_turn\n");
    let_settle(f, HOOK);
    look(f, 1, 0);
    assert_int_equal(chmod(at(f, HOOK), 0700), 0);
    let_settle(f, HOOK);
    look(f, 1, 0);
    assert_int_equal(times_asked(f), 2);
}

static void files_that_are_gone_are_forgotten(void **state)
{
    struct fixture *f = *state;
    struct str text;

    put_program(f, HOOK, COUNTING "echo after_turn\n");
    put_program(f, "home/.kodelet/hooks/gone", "#!/bin/sh\necho after_turn\n");
    let_settle(f, "home/.kodelet/hooks/gone");
    look(f, 2, 0);
    assert_int_equal(file_read(&f->arena, at(f, "state/answers.json"), 1 << 20, &text, NULL), 0);
    assert_non_null(strstr(text.ptr, "hooks/gone"));
    assert_int_equal(unlink(at(f, "home/.kodelet/hooks/gone")), 0);
    put_program(f, HOOK, COUNTING "echo agent_stop\n");
    let_settle(f, HOOK);
    look(f, 1, 0);
    assert_int_equal(file_read(&f->arena, at(f, "state/answers.json"), 1 << 20, &text, NULL), 0);
    assert_null(strstr(text.ptr, "hooks/gone"));
}

static void a_cache_that_cannot_be_read_or_kept_is_no_problem(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "echo after_turn\n");
    let_settle(f, HOOK);
    put(f, "state/answers.json", "{\"format\":1,\"answers\":{\"hook:");
    look(f, 1, 0);
    look(f, 1, 0);
    assert_int_equal(times_asked(f), 1);
    f->where.state_dir = at(f, "home/.kodelet/hooks/a/state"); /* not a folder */
    look(f, 1, 0);
    assert_int_equal(times_asked(f), 2);
}

static void questions_are_bounded_and_side_by_side(void **state)
{
    struct fixture *f = *state;
    uint64_t begin = clock_mono_ns();

    for (unsigned i = 0; i < 5; i++)
        put_program(f, arena_printf(&f->arena, "home/.kodelet/hooks/slow%u", i),
                    "#!/bin/sh\ntrap '' TERM\nexec sleep 600\n");
    put_program(f, HOOK, "#!/bin/sh\necho after_turn\n");
    {
        CLEANUP(config) struct config *c = find(f);
        assert_string_equal(hooks_of(f, c), "kodelet/a");
        assert_int_equal(c->problems.count, 5);
        assert_non_null(strstr(problems_of(f, c), "slow4: it is not used: asked with 'hook' it "
                                                  "timed out after 2 s\n"));
    }
    assert_true(clock_mono_ns() - begin < UINT64_C(8000000000));
}

static void inside_a_hook_nobody_is_asked(void **state)
{
    struct fixture *f = *state;

    put_program(f, HOOK, COUNTING "echo \"depth=$HOOKE_DEPTH\" >\"$0.depth\"\necho after_turn\n");
    setenv("HOOKE_DEPTH", "1", 1);
    look(f, 0, 0);
    unsetenv("HOOKE_DEPTH");
    assert_int_equal(times_asked(f), 0);
    look(f, 1, 0);
    {
        struct str depth;

        assert_int_equal(file_read(&f->arena, at(f, HOOK ".depth"), 99, &depth, NULL), 0);
        assert_string_equal(depth.ptr, "depth=1\n");
    }
}

static void keys_of_providers_are_not_shown(void **state)
{
    struct fixture *f = *state;

    setenv("OPENAI_API_KEY", "secret", 1);
    put_program(f, HOOK, "#!/bin/sh\n[ -z \"$OPENAI_API_KEY\" ] && echo after_turn\n");
    look(f, 1, 0);
    unsetenv("OPENAI_API_KEY");
}

TESTS(CONFIG_TEST(a_file_is_asked_once_until_it_changes),
      CONFIG_TEST(a_file_that_changed_just_now_is_asked_again),
      CONFIG_TEST(a_broken_file_is_not_asked_at_every_event), CONFIG_TEST(a_mode_is_part_of_a_file),
      CONFIG_TEST(files_that_are_gone_are_forgotten),
      CONFIG_TEST(a_cache_that_cannot_be_read_or_kept_is_no_problem),
      CONFIG_TEST(questions_are_bounded_and_side_by_side),
      CONFIG_TEST(inside_a_hook_nobody_is_asked), CONFIG_TEST(keys_of_providers_are_not_shown))
