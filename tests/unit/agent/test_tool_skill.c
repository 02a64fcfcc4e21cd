#include "tool_fixture.h"

static void a_skill_is_read_without_its_front_matter(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, ".hooke/skills/review/SKILL.md",
                  "---\ndescription: how we review\n---\nLook twice.\n");
    tool_bed_file(&b, "../state/.config/hooke/skills/review/SKILL.md", "The user's.\n");
    tool_bed_file(&b, "../state/.config/hooke/skills/deploy/SKILL.md", "Carefully.\n");
    tool_works(&b, "skill", "{\"name\":\"review\"}",
               "<skill name=\"review\">\nLook twice.\n</skill>");
    tool_works(&b, "skill", "{\"name\":\"deploy\"}",
               "<skill name=\"deploy\">\nCarefully.\n</skill>");
    tool_fails(&b, "skill", "{\"name\":\"fly\"}",
               "there is no skill 'fly': there are deploy, review");
    tool_fails(&b, "skill", "{\"name\":\"../skills/review\"}", "there is no skill");
    tool_fails(&b, "skill", "{}", "'name' of the tool 'skill' is missing");
}

static void without_any_skill_that_is_said(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_fails(&b, "skill", "{\"name\":\"fly\"}", "there is no skill 'fly': there are none at all");
}

TESTS(cmocka_unit_test(a_skill_is_read_without_its_front_matter),
      cmocka_unit_test(without_any_skill_that_is_said))
