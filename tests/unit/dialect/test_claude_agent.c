/* Answering Claude Code: every event it tells of, every part of a verdict it can be told. */
#include "agents.h"
#include "dialect/claude_response.h"

#define BASH                                                        \
    "'tool_name':'Bash','tool_input':{'command':'ls','timeout':5}," \
    "'tool_use_id':'c1','permission_mode':'default'"
#define READ    "'tool_name':'Read','tool_input':{'file_path':'/repo/a.c'},'tool_use_id':'c1'"
#define SHELL   BASH ",'tool_response':{'stdout':'out','stderr':'','interrupted':false}"
#define OUT(ev) "'hookSpecificOutput':{'hookEventName':'" ev "',"

static const struct agents_read documents[] = {
    { "SessionStart", "'source':'resume','model':'m'", "session.created",
      "{'source':'resume','model':'m'}" },
    { "SessionStart", "'source':'fork'", "session.created", "{'source':'resume'}" },
    { "SubagentStart", "'agent_id':'a1','agent_type':'Explore'", "session.created",
      "{'source':'subagent'}" },
    { "UserPromptSubmit", "'prompt':'hi'", "chat.message",
      "{'message':{'text':'hi','internal':false}}" },
    { "UserPromptSubmit", "'prompt':'<task-notification>done'", "chat.message",
      "{'message':{'text':'<task-notification>done','internal':true}}" },
    { "PreToolUse", BASH, "tool.execute.before",
      "{'tool':'bash','call_id':'c1','args':{'command':'ls','timeout':5}}" },
    { "PreToolUse", READ, "tool.execute.before",
      "{'tool':'read','call_id':'c1','args':{'path':'/repo/a.c'}}" },
    { "PreToolUse", "'tool_name':'mcp__db__query','tool_input':{'sql':'x'}", "tool.execute.before",
      "{'tool':'mcp__db__query','args':{'sql':'x'}}" },
    { "PermissionRequest", "'tool_name':'Bash','tool_input':{'command':'ls'}", "permission.ask",
      "{'tool':'bash','args':{'command':'ls'},'why':'Claude Code asks'}" },
    { "PostToolUse", SHELL ",'duration_ms':7", "tool.execute.after",
      "{'tool':'bash','call_id':'c1','args':{'command':'ls','timeout':5},'output':'out',"
      "'metadata':{'duration_ms':7},'success':true}" },
    { "PostToolUseFailure", READ ",'error':'no such file'", "tool.execute.after",
      "{'tool':'read','call_id':'c1','args':{'path':'/repo/a.c'},'output':'no such file',"
      "'success':false}" },
    { "Stop", "'stop_hook_active':true,'last_assistant_message':'done'", "agent.stop",
      "{'messages':[{'role':'assistant','content':'done'}],'continuations':1,"
      "'status':{'type':'idle'}}" },
    { "SubagentStop", "'agent_id':'a1','stop_hook_active':false", "agent.stop",
      "{'messages':[],'continuations':0,'status':{'type':'idle'}}" },
    { "StopFailure", "'error':'rate_limit','error_details':'429'", "agent.error",
      "{'error':{'class':'rate_limit','message':'429'}}" },
    { "StopFailure", "'error':'unknown','last_assistant_message':'API Error: 400'", "agent.error",
      "{'error':{'class':'unknown','message':'API Error: 400'}}" },
    { "PreCompact", "'trigger':'manual','custom_instructions':'keep names'",
      "experimental.session.compacting", "{'trigger':'manual','prompt':'keep names'}" },
    { "PostCompact", "'trigger':'auto','compact_summary':'s'", "session.compacted",
      "{'trigger':'auto','summary':'s'}" },
    { "Notification", "'message':'m','title':'t','notification_type':'idle_prompt'", "notification",
      "{'kind':'idle_prompt','message':'m','title':'t'}" },
    { "SessionEnd", "'reason':'clear'", "session.ended", "{'reason':'clear'}" },
};

static void reads_every_event(void **state UNUSED)
{
    agents_read(&claude_agent, documents, ARRAY_LEN(documents));
}

static const struct agents_write answers[] = {
    { "SessionStart", "", "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("SessionStart") "'additionalContext':'t'}}", NULL },
    { "SessionStart", "", "{'stop':'no','say':'s'}",
      "{'continue':false,'stopReason':'no','systemMessage':'s'}", NULL },
    { "SubagentStart", "", "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("SubagentStart") "'additionalContext':'t'}}", NULL },
    { "SubagentStart", "", "{'stop':'no','say':'s'}",
      "{'continue':false,'stopReason':'no','systemMessage':'s'}", NULL },
    { "UserPromptSubmit", "", "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'block','reason':'no','systemMessage':'s'}", NULL },
    { "UserPromptSubmit", "", "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "UserPromptSubmit", "",
      "{'inject':[{'id':'1','text':'low','priority':'low'},"
      "{'id':'2','text':'high','priority':'high'}]}",
      "{" OUT("UserPromptSubmit") "'additionalContext':'high\\n\\nlow'}}", NULL },
    { "UserPromptSubmit", "", "{'replace':{'message':{'text':'x'}}}", "{}",
      "the change of 'message' is dropped" },
    { "UserPromptSubmit", "", "critical {'replace':{'message':{'text':'x'}}}",
      "{'decision':'block','reason':'a safety-critical hook changed \\u0027message\\u0027,"
      " which Claude Code can\\u0027t take at UserPromptSubmit'}",
      "it is blocked" },
    { "PreToolUse", BASH, "{'decision':'block'}",
      "{" OUT("PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':"
                            "'a hook of hooke refused it without a reason'}}",
      NULL },
    { "PreToolUse", BASH, "{'decision':'ask','reason':'sure?'}",
      "{" OUT("PreToolUse") "'permissionDecision':'ask','permissionDecisionReason':"
                            "'sure?'}}",
      NULL },
    { "PreToolUse", BASH, "{'decision':'allow','reason':'fine'}",
      "{" OUT("PreToolUse") "'permissionDecision':'allow','permissionDecisionReason':"
                            "'fine'}}",
      NULL },
    { "PreToolUse", BASH, "{'stop':'enough'}",
      "{'continue':false,'stopReason':'enough'," OUT(
          "PreToolUse") "'permissionDecision':'deny','permissionDecisionReason':'enough'}}",
      NULL },
    { "PreToolUse", READ, "{'replace':{'args':{'path':'/b.c','limit':1}}}",
      "{" OUT("PreToolUse") "'updatedInput':{'file_path':'/b.c','limit':1}}}", NULL },
    { "PreToolUse", BASH,
      "{'decision':'ask','reason':'r','say':'s','replace':{'args':{'command':'b'}},"
      "'inject':[{'id':'1','text':'t'}]}",
      "{" OUT(
          "PreToolUse") "'permissionDecision':'ask','permissionDecisionReason':'r',"
                        "'updatedInput':{'command':'b'},'additionalContext':'t'},'systemMessage':'s'}",
      NULL },
    { "PreToolUse", BASH, "{'inject':[{'id':'1','text':'t','class':'volatile'}]}", "{}",
      "what is volatile is dropped" },
    { "PreToolUse", BASH, "{'replace':{'argv_prefix':['nice']}}", "{}",
      "the change of 'argv_prefix' is dropped" },
    { "PermissionRequest", BASH, "{'decision':'block','reason':'no'}",
      "{" OUT("PermissionRequest") "'decision':{'behavior':'deny','message':'no'}}}", NULL },
    { "PermissionRequest", BASH, "{'decision':'allow','say':'s'}",
      "{" OUT("PermissionRequest") "'decision':{'behavior':'allow'}},'systemMessage':'s'}", NULL },
    { "PermissionRequest", BASH, "{'decision':'ask'}", "{}", NULL },
    { "PostToolUse", SHELL, "{'replace':{'output':'less'}}",
      "{" OUT("PostToolUse") "'updatedToolOutput':{'stdout':'less','stderr':'',"
                             "'interrupted':false}}}",
      NULL },
    { "PostToolUse", SHELL, "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'block','reason':'no'," OUT(
          "PostToolUse") "'updatedToolOutput':{'stdout':'no','stderr':'','interrupted':false}},"
                         "'systemMessage':'s'}",
      NULL },
    { "PostToolUse", SHELL, "{'stop':'enough'}", "{'continue':false,'stopReason':'enough'}", NULL },
    { "PostToolUse", SHELL, "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("PostToolUse") "'additionalContext':'t'}}", NULL },
    { "PostToolUse", SHELL, "{'stop':'x','inject':[{'id':'1','text':'t'}]}",
      "{'continue':false,'stopReason':'x'}", NULL },
    { "PostToolUse", BASH ",'tool_response':{'filenames':['a']}", "{'replace':{'output':'x'}}",
      "{}", "the change of 'output' is dropped" },
    { "PostToolUse", BASH ",'tool_response':{'filenames':['a']}",
      "critical {'replace':{'output':'x'}}",
      "{'continue':false,'stopReason':'a safety-critical hook changed"
      " \\u0027output\\u0027, which Claude Code can\\u0027t take at PostToolUse'}",
      "it is stopped" },
    { "PostToolUse", "'tool_name':'mcp__x__y','tool_response':[{'type':'text','text':'a'}]",
      "{'replace':{'output':'x'}}",
      "{" OUT("PostToolUse") "'updatedToolOutput':[{'type':'text','text':'x'}],"
                             "'updatedMCPToolOutput':[{'type':'text','text':'x'}]}}",
      NULL },
    { "PostToolUse", BASH ",'tool_response':{'filenames':['a']}",
      "{'decision':'block','reason':'no'}", "{'decision':'block','reason':'no'}",
      "Claude Code has no 'block' at PostToolUse: the output stays" },
    { "PostToolUse", BASH ",'tool_response':{'filenames':['a']}",
      "critical {'decision':'block','reason':'no'}",
      "{'decision':'block','reason':'no','continue':false,'stopReason':'no'}",
      "Claude Code has no 'block' at PostToolUse: it is stopped" },
    { "PostToolUse", SHELL, "critical {'decision':'block','reason':'no'}",
      "{'decision':'block','reason':'no'," OUT(
          "PostToolUse") "'updatedToolOutput':{'stdout':'no','stderr':'','interrupted':false}}}",
      NULL },
    { "PostToolUseFailure", READ, "{'decision':'block','reason':'no'}",
      "{'decision':'block','reason':'no'}", "the output stays" },
    { "PostToolUseFailure", READ, "critical {'decision':'block','reason':'no'}",
      "{'decision':'block','reason':'no','continue':false,'stopReason':'no'}", "it is stopped" },
    { "PostToolUseFailure", READ, "{'stop':'x','say':'s'}",
      "{'continue':false,'stopReason':'x','systemMessage':'s'}", NULL },
    { "PostToolUseFailure", READ, "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("PostToolUseFailure") "'additionalContext':'t'}}", NULL },
    { "PostToolUseFailure", READ, "{'replace':{'output':'x'}}", "{}", "is dropped" },
    { "Stop", "", "{'result':'continue','follow_up_messages':['a','b']}",
      "{'decision':'block','reason':'a\\n\\nb'}", NULL },
    { "Stop", "", "{'stop':'x','say':'s'}",
      "{'continue':false,'stopReason':'x','systemMessage':'s'}", NULL },
    { "Stop", "", "{'result':'callback','callback':'compact'}", "{}",
      "Claude Code runs no callbacks: 'compact' is dropped" },
    { "Stop", "", "{'result':'mutate','messages':[{'role':'user','content':'x'}]}", "{}",
      "Claude Code lets no hook rewrite its history" },
    { "SubagentStop", "", "{'result':'continue','follow_up_messages':['a']}",
      "{'decision':'block','reason':'a'}", NULL },
    { "SubagentStop", "", "{'stop':'x','say':'s'}",
      "{'continue':false,'stopReason':'x','systemMessage':'s'}", NULL },
    { "StopFailure", "", "{'say':'s'}", "{}", "nobody reads it" },
    { "PreCompact", "", "{'decision':'block','reason':'no'}", "{'decision':'block','reason':'no'}",
      NULL },
    { "PreCompact", "", "{'say':'s'}", "{}", "Claude Code has no 'say' at PreCompact" },
    { "PreCompact", "", "{'replace':{'context':['a','b']}}", "{'printed':'a\\n\\nb'}", NULL },
    { "PreCompact", "", "{'replace':{'prompt':'x'}}", "{}", "is dropped" },
    { "PostCompact", "", "{'say':'s'}", "{'systemMessage':'s'}", NULL },
    { "Notification", "", "{}", "{}", NULL },
    { "SessionEnd", "", "{'say':'s'}", "{}", "Claude Code has no 'say' at SessionEnd" },
};

static void says_every_part(void **state UNUSED)
{
    agents_write(&claude_agent, answers, ARRAY_LEN(answers));
}

static void a_subagent_has_a_session_of_its_own(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = agents_event(
        &a, &claude_agent,
        agents_document(&a, "PreToolUse", BASH ",'agent_id':'a1','agent_type':'Explore'"));

    assert_string_equal(ev.session.id, "s1/a1");
    assert_string_equal(ev.session.parent, "s1");
    assert_string_equal(ev.session.agent, "Explore");
    assert_string_equal(ev.session.cwd, "/repo");
    ev = agents_event(&a, &claude_agent, agents_document(&a, "PreToolUse", BASH));
    assert_string_equal(ev.session.id, "s1");
    assert_null(ev.session.parent);
    ev = agents_event(&a, &claude_agent, agents_document(&a, "SubagentStop", ""));
    assert_string_equal(ev.session.parent, "s1");
}

static void keeps_what_the_agent_called_it(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = agents_event(
        &a, &claude_agent, agents_document(&a, "PostToolUse", READ ",'tool_response':'text'"));

    agents_same(&a, "native", event_data(&ev, STR("native")),
                "{'tool':'Read','args':{'file_path':'/repo/a.c'},'output':'text'}");
}

static void finds_the_text_in_what_tools_answer(void **state UNUSED)
{
    static const struct {
        const char *response, *text, *changed; /* with "x" in its place; NULL: can't be */
    } rows[] = {
        { "'plain'", "plain", "'x'" },
        { "{'stdout':'a','stderr':'b'}", "a\nb", "{'stdout':'x','stderr':''}" },
        { "{'stdout':'','stderr':'b'}", "b", "{'stdout':'x','stderr':''}" },
        { "{'type':'text','file':{'filePath':'f','content':'a','numLines':1}}", "a",
          "{'type':'text','file':{'filePath':'f','content':'x','numLines':1}}" },
        { "{'mode':'content','content':'a'}", "a", "{'mode':'content','content':'x'}" },
        { "{'code':200,'result':'a'}", "a", "{'code':200,'result':'x'}" },
        { "{'content':[{'type':'text','text':'a'},{'type':'image'}]}", "a",
          "{'content':[{'type':'text','text':'x'},{'type':'image'}]}" },
        { "[{'type':'text','text':'a'}]", "a", "[{'type':'text','text':'x'}]" },
        { "{'content':[{'type':'text','text':'a'},{'type':'image'},{'type':'text','text':'b'}],'n':1}",
          "a\nb", "{'content':[{'type':'text','text':'x'},{'type':'image'}],'n':1}" },
        { "[{'type':'image'},{'type':'resource','resource':{'uri':'u','text':'a'}},'b']", "a\nb",
          "[{'type':'image'},{'type':'resource','resource':{'uri':'u','text':'x'}}]" },
        { "{'content':[{'type':'text','text':'a'}],'structuredContent':{'k':'v'}}",
          "a\n{\"k\":\"v\"}", "{'content':[{'type':'text','text':'x'}]}" },
        { "{'content':[{'type':'text','text':'{ \\u0022k\\u0022: 1 }'}],'structuredContent':{'k':1}}",
          "{ \"k\": 1 }", "{'content':[{'type':'text','text':'x'}]}" },
        { "{'content':[{'type':'text','text':'a'}],'structuredContent':null}", "a",
          "{'content':[{'type':'text','text':'x'}]}" },
        { "{'content':[],'numFiles':1}", "{\"content\":[],\"numFiles\":1}", NULL },
        { "{'numFiles':1}", "{\"numFiles\":1}", NULL },
        { "null", "null", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const struct json *response = value_of(&a, agents_quoted(&a, rows[i].response)), *changed;

        assert_string_equal(json_cstr(&a, claude_response_text(&a, response)), rows[i].text);
        changed = claude_response_with(&a, response, json_cstring(&a, "x"));
        if (rows[i].changed)
            agents_same(&a, rows[i].response, changed, rows[i].changed);
        else
            assert_null(changed);
    }
}

static void a_zero_byte_hides_nothing(void **state UNUSED)
{
    static const char *const responses[] = {
        "{'stdout':'a\\u0000b','stderr':'c'}",
        "{'content':[{'text':'a\\u0000b'},{'text':'c'}]}",
    };

    for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const struct json *response = value_of(&a, agents_quoted(&a, responses[i]));

        assert_true(str_eq(json_str(&a, claude_response_text(&a, response)), STR("a\0b\nc")));
    }
}

static void json_that_is_changed_stays_json(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *response = value_of(&a, "{\"n\":1}");

    agents_same(&a, "object", claude_response_with(&a, response, json_cstring(&a, "{\"n\":2}")),
                "{'n':2}");
    assert_null(claude_response_with(&a, response, json_cstring(&a, "[2]")));
}

static void what_is_no_event_is_said(void **state UNUSED)
{
    static const char *const bad[] = { "[]", "{}", "{\"session_id\":\"\"}", "{\"session_id\":7}" };
    const struct agent_event *kind = agent_event_find(&claude_agent, STR("Stop"));

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev;
        struct err e = { 0 };

        assert_true(agent_read(&a, &claude_agent, kind, value_of(&a, bad[i]), &ev, &e) < 0);
        assert_true(e.msg[0]);
    }
}

static void knows_its_other_events(void **state UNUSED)
{
    assert_true(agent_event_is_other(&claude_agent, STR("Setup")));
    assert_false(agent_event_is_other(&claude_agent, STR("Stop")));
    assert_null(agent_event_find(&claude_agent, STR("Setup")));
}

static void its_page_has_its_table(void **state UNUSED)
{
    agents_page(&claude_agent, HOOKE_SOURCE_DIR "/docs/agents/claude.md");
}

TESTS(cmocka_unit_test(reads_every_event), cmocka_unit_test(says_every_part),
      cmocka_unit_test(a_subagent_has_a_session_of_its_own),
      cmocka_unit_test(keeps_what_the_agent_called_it),
      cmocka_unit_test(finds_the_text_in_what_tools_answer),
      cmocka_unit_test(a_zero_byte_hides_nothing),
      cmocka_unit_test(json_that_is_changed_stays_json), cmocka_unit_test(what_is_no_event_is_said),
      cmocka_unit_test(knows_its_other_events), cmocka_unit_test(its_page_has_its_table))
