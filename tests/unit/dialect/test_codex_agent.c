/* Answering Codex: every event it tells of, and answers that its strict reader takes. */
#include "agents.h"

#define BASH "'tool_name':'Bash','tool_input':{'command':'ls'},'tool_use_id':'c1','turn_id':'t1'"
#define PATCH \
    "'tool_name':'apply_patch','tool_input':{'command':'*** Begin Patch'},'tool_use_id':'c1'"
#define SHELL   BASH ",'tool_response':'out\\n'"
#define OUT(ev) "'hookSpecificOutput':{'hookEventName':'" ev "',"

static const struct agents_read documents[] = {
    { "SessionStart", "'source':'startup','model':'m','permission_mode':'default'",
      "session.created", "{'source':'startup','model':'m'}" },
    { "SubagentStart", "'agent_id':'a1','agent_type':'worker'", "session.created",
      "{'source':'subagent'}" },
    { "UserPromptSubmit", "'prompt':'hi'", "chat.message",
      "{'message':{'text':'hi','internal':false}}" },
    { "PreToolUse", BASH, "tool.execute.before",
      "{'tool':'bash','call_id':'c1','args':{'command':'ls'}}" },
    { "PreToolUse", PATCH, "tool.execute.before",
      "{'tool':'apply_patch','call_id':'c1','args':{'patch':'*** Begin Patch'}}" },
    { "PermissionRequest", "'tool_name':'Bash','tool_input':{'command':'ls'}", "permission.ask",
      "{'tool':'bash','args':{'command':'ls'},'why':'Codex asks'}" },
    { "PostToolUse", SHELL, "tool.execute.after",
      "{'tool':'bash','call_id':'c1','args':{'command':'ls'},'output':'out\\n',"
      "'metadata':{},'success':true}" },
    { "Stop", "'stop_hook_active':false,'last_assistant_message':null", "agent.stop",
      "{'messages':[],'continuations':0,'status':{'type':'idle'}}" },
    { "SubagentStop", "'agent_id':'a1','last_assistant_message':'done'", "agent.stop",
      "{'messages':[{'role':'assistant','content':'done'}],'continuations':0,"
      "'status':{'type':'idle'}}" },
    { "PreCompact", "'trigger':'auto'", "experimental.session.compacting", "{'trigger':'auto'}" },
    { "PostCompact", "'trigger':'auto'", "session.compacted", "{'trigger':'auto'}" },
    { "SessionEnd", "'reason':'other'", "session.ended", "{'reason':'other'}" },
};

static void reads_every_event(void **state UNUSED)
{
    agents_read(&codex_agent, documents, ARRAY_LEN(documents));
}

static const struct agents_write answers[] = {
    { "SessionStart", "", "{'inject':[{'id':'1','text':'t'}],'say':'s'}",
      "{" OUT("SessionStart") "'additionalContext':'t'},'systemMessage':'s'}", NULL },
    { "SessionStart", "", "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "SubagentStart", "", "{'inject':[{'id':'1','text':'t'}],'say':'s'}",
      "{" OUT("SubagentStart") "'additionalContext':'t'},'systemMessage':'s'}", NULL },
    { "SubagentStart", "", "{'stop':'no'}", "{}", "Codex has no 'stop' at SubagentStart" },
    { "UserPromptSubmit", "", "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'block','reason':'no','systemMessage':'s'}", NULL },
    { "UserPromptSubmit", "", "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "UserPromptSubmit", "", "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("UserPromptSubmit") "'additionalContext':'t'}}", NULL },
    { "UserPromptSubmit", "", "{'replace':{'message':{'text':'x'}}}", "{}",
      "the change of 'message' is dropped" },
    { "PreToolUse", BASH, "{'decision':'block','reason':' '}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'a hook of hooke refused it without a reason'}}",
      NULL },
    { "PreToolUse", BASH, "{'decision':'ask','reason':'sure?'}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'sure? (Codex can\\u0027t be made to ask)'}}",
      "Codex has no 'ask' at PreToolUse: it is blocked" },
    { "PreToolUse", BASH, "{'decision':'allow'}", "{}", "its own permissions decide" },
    { "PreToolUse", BASH, "{'stop':'enough'}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'enough'}}",
      "Codex has no 'stop' at PreToolUse: it is blocked" },
    { "PreToolUse", BASH,
      "{'decision':'allow','replace':{'args':{'command':'b'}},'say':'s',"
      "'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("PreToolUse") "'permissionDecision':'allow','updatedInput':{'command':'b'},"
                            "'additionalContext':'t'},'systemMessage':'s'}",
      "its own permissions decide" },
    { "PreToolUse", PATCH, "{'replace':{'args':{'patch':'p'}}}",
      "{" OUT("PreToolUse") "'permissionDecision':'allow','updatedInput':{'command':'p'}}}", NULL },
    { "PreToolUse", BASH, "{'decision':'ask','reason':'r','replace':{'args':{'command':'b'}}}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'r (Codex can\\u0027t be made to ask)'}}",
      "it is blocked" },
    { "PreToolUse", BASH,
      "critical {'replace':{'args':{'command':'b'},'argv_prefix':['nice']},"
      "'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'a safety-critical hook changed \\u0027argv_prefix\\u0027,"
                            " which Codex can\\u0027t take at PreToolUse',"
                            "'additionalContext':'t'}}",
      "it is blocked" },
    { "PermissionRequest", BASH, "{'decision':'block','reason':'no'}",
      "{" OUT("PermissionRequest") "'decision':{'behavior':'deny','message':'no'}}}", NULL },
    { "PermissionRequest", BASH, "{'decision':'allow','say':'s'}",
      "{" OUT("PermissionRequest") "'decision':{'behavior':'allow'}},'systemMessage':'s'}", NULL },
    { "PermissionRequest", BASH, "{'decision':'ask'}", "{}", NULL },
    { "PostToolUse", SHELL, "{'replace':{'output':'less'},'say':'s'}",
      "{'decision':'block','reason':'less','systemMessage':'s'}", NULL },
    { "PostToolUse", SHELL, "critical {'replace':{'output':'less'}}",
      "{'decision':'block','reason':'less'}", NULL },
    { "PostToolUse", SHELL, "{'decision':'block','reason':'no'}",
      "{'decision':'block','reason':'no'}", NULL },
    { "PostToolUse", SHELL, "{'stop':'enough'}", "{'decision':'block','reason':'enough'}",
      "Codex has no 'stop' at PostToolUse: it is blocked" },
    { "PostToolUse", SHELL, "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("PostToolUse") "'additionalContext':'t'}}", NULL },
    { "Stop", "", "{'result':'continue','follow_up_messages':['a'],'say':'s'}",
      "{'decision':'block','reason':'a','systemMessage':'s'}", NULL },
    { "Stop", "", "{'stop':'x'}", "{'continue':false,'stopReason':'x'}", NULL },
    { "SubagentStop", "", "{'result':'continue','follow_up_messages':['a'],'say':'s'}",
      "{'decision':'block','reason':'a','systemMessage':'s'}", NULL },
    { "SubagentStop", "", "{'stop':'x'}", "{'continue':false,'stopReason':'x'}", NULL },
    { "PreCompact", "", "{'decision':'block','reason':'no','say':'s'}",
      "{'continue':false,'stopReason':'no','systemMessage':'s'}", NULL },
    { "PostCompact", "", "{'say':'s'}", "{'systemMessage':'s'}", NULL },
    { "SessionEnd", "", "{'say':'s'}", "{}", "nobody reads it" },
};

static void says_every_part(void **state UNUSED)
{
    agents_write(&codex_agent, answers, ARRAY_LEN(answers));
}

static void an_alarm_blocks_without_an_event(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct verdict v = { .decision = DECISION_BLOCK, .reason = "why" };
    const struct agent_saying s = { .agent = &codex_agent, .verdict = &v };

    agents_same(&a, "alarm", agent_write(&a, &s), "{'decision':'block','reason':'why'}");
}

static void its_page_has_its_table(void **state UNUSED)
{
    agents_page(&codex_agent, HOOKE_SOURCE_DIR "/docs/agents/codex.md");
}

TESTS(cmocka_unit_test(reads_every_event), cmocka_unit_test(says_every_part),
      cmocka_unit_test(an_alarm_blocks_without_an_event), cmocka_unit_test(its_page_has_its_table))
