#include "bed.h"
#include "builtin/builtin.h"

#define HELLO "{\"message\":{\"text\":\"hi\"}}"

static void start(struct bed *bed, const char *agent, const char *yaml)
{
    bed_open(bed, builtin_hooks, yaml);
    bed->session.agent = agent;
    bed_emit(bed, "session.created", "{\"source\":\"startup\"}");
    bed_emit(bed, "chat.message", HELLO);
}

static void a_known_agent_gets_its_default_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    start(&bed, "orchestrator", NULL);
    assert_string_equal(bed_verdict(&bed),
                        "{\"replace\":{\"message\":{\"text\":\"hi\",\"variant\":\"high\"}}}");
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void configuration_wins_over_the_default(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    start(&bed, "orchestrator", "agents: { orchestrator: { variant: low } }");
    assert_non_null(strstr(bed_verdict(&bed), "\"variant\":\"low\""));
}

static void a_variant_the_user_chose_stays_and_uses_it_up(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed.session.agent = "architect";
    bed_emit(&bed, "session.created", "{\"source\":\"startup\"}");
    bed_emit(&bed, "chat.message", "{\"message\":{\"text\":\"hi\",\"variant\":\"max\"}}");
    assert_string_equal(bed_verdict(&bed), "{}");
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void an_agent_without_a_variant_uses_it_up_too(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    start(&bed, "somebody", NULL);
    assert_string_equal(bed_verdict(&bed), "{}");
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void a_subagent_or_a_resumed_session_is_not_armed(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "session.created", "{\"source\":\"resume\"}");
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
    bed.session.parent = "s0";
    bed_emit(&bed, "session.created", "{\"source\":\"startup\"}");
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
}

static void a_deleted_session_is_forgotten(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    bed.session.agent = "orchestrator";
    bed_emit(&bed, "session.created", "{\"source\":\"startup\"}");
    bed_emit(&bed, "session.deleted", NULL);
    bed_emit(&bed, "chat.message", HELLO);
    assert_string_equal(bed_verdict(&bed), "{}");
}

TESTS(cmocka_unit_test(a_known_agent_gets_its_default_once),
      cmocka_unit_test(configuration_wins_over_the_default),
      cmocka_unit_test(a_variant_the_user_chose_stays_and_uses_it_up),
      cmocka_unit_test(an_agent_without_a_variant_uses_it_up_too),
      cmocka_unit_test(a_subagent_or_a_resumed_session_is_not_armed),
      cmocka_unit_test(a_deleted_session_is_forgotten))
