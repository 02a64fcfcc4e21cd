/* Answering Gemini CLI: every event it tells of, every part of a verdict it can be told. */
#include "agents.h"

#define SHELL                                                                 \
    "'timestamp':'2026-01-02T03:04:05.678Z','tool_name':'run_shell_command'," \
    "'tool_input':{'command':'ls'}"
#define READ    "'tool_name':'read_file','tool_input':{'absolute_path':'/repo/a.c'}"
#define ASKED   "'llm_request':{'model':'m','messages':[{'role':'user','content':'hi'}]}"
#define OUT(ev) "'hookSpecificOutput':{'hookEventName':'" ev "',"

static const struct agents_read documents[] = {
    { "SessionStart", "'source':'startup'", "session.created", "{'source':'startup'}" },
    { "SessionEnd", "'reason':'exit'", "session.ended", "{'reason':'exit'}" },
    { "BeforeAgent", "'prompt':'hi'", "chat.message",
      "{'message':{'text':'hi','internal':false}}" },
    { "AfterAgent", "'prompt':'hi','prompt_response':'done','stop_hook_active':true", "agent.stop",
      "{'messages':[{'role':'user','content':'hi'},{'role':'assistant','content':'done'}],"
      "'continuations':1,'status':{'type':'idle'}}" },
    { "BeforeModel",
      "'llm_request':{'model':'m','messages':[{'role':'user','content':'hi'},"
      "{'role':'model','content':'ho'}],'config':{'topK':64}}",
      "experimental.chat.messages.transform",
      "{'messages':[{'role':'user','content':'hi'},{'role':'assistant','content':'ho'}],"
      "'model':'m','purpose':'main'}" },
    { "BeforeTool", SHELL, "tool.execute.before", "{'tool':'bash','args':{'command':'ls'}}" },
    { "BeforeTool", READ, "tool.execute.before", "{'tool':'read','args':{'path':'/repo/a.c'}}" },
    { "AfterTool", SHELL ",'tool_response':{'llmContent':'out','returnDisplay':'shown'}",
      "tool.execute.after",
      "{'tool':'bash','args':{'command':'ls'},'output':'out','title':'shown',"
      "'success':true}" },
    { "AfterTool",
      SHELL ",'tool_response':{'llmContent':[{'text':'a'},'b'],'error':{'message':'x'}}",
      "tool.execute.after",
      "{'tool':'bash','args':{'command':'ls'},'output':'ab','success':false}" },
    { "PreCompress", "'trigger':'auto'", "experimental.session.compacting", "{'trigger':'auto'}" },
    { "Notification",
      "'notification_type':'ToolPermission','message':'m','details':{'type':'exec'}",
      "notification", "{'kind':'ToolPermission','message':'m','details':{'type':'exec'}}" },
};

static void reads_every_event(void **state UNUSED)
{
    agents_read(&gemini_agent, documents, ARRAY_LEN(documents));
}

static const struct agents_write answers[] = {
    { "SessionStart", "", "{'inject':[{'id':'1','text':'t'}],'say':'s'}",
      "{" OUT("SessionStart") "'additionalContext':'t'},'systemMessage':'s'}", NULL },
    { "SessionStart", "", "{'stop':'no'}", "{}", "Gemini CLI has no 'stop' at SessionStart" },
    { "BeforeAgent", "", "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'deny','reason':'no','systemMessage':'s'}", NULL },
    { "BeforeAgent", "", "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "BeforeAgent", "", "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("BeforeAgent") "'additionalContext':'t'}}", NULL },
    { "BeforeAgent", "", "critical {'replace':{'message':{'text':'x'}}}",
      "{'decision':'deny','reason':'a safety-critical hook changed \\u0027message\\u0027,"
      " which Gemini CLI can\\u0027t take at BeforeAgent'}",
      "it is blocked" },
    { "BeforeModel", ASKED, "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'deny','reason':'no','systemMessage':'s'}", NULL },
    { "BeforeModel", ASKED, "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "BeforeModel", ASKED,
      "{'replace':{'messages':[{'role':'user','content':[{'type':'text','text':'a'},"
      "{'type':'text','text':'hi'}]},{'role':'assistant','content':'ho'}]}}",
      "{" OUT("BeforeModel") "'llm_request':{'messages':[{'role':'user',"
                             "'content':'a\\n\\nhi'},{'role':'model','content':'ho'}]}}}",
      NULL },
    { "BeforeModel", ASKED, "{'inject':[{'id':'1','text':'t'}]}", "{}", NULL },
    { "BeforeTool", SHELL, "{'decision':'block','reason':'no','say':'s'}",
      "{'decision':'deny','reason':'no','systemMessage':'s'}", NULL },
    { "BeforeTool", SHELL, "{'decision':'ask','reason':'sure?'}",
      "{'decision':'ask','reason':'sure?'}", NULL },
    { "BeforeTool", SHELL, "{'decision':'allow'}", "{}", "its own permissions decide" },
    { "BeforeTool", SHELL, "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "BeforeTool", READ, "{'replace':{'args':{'path':'/b.c'}}}",
      "{" OUT("BeforeTool") "'tool_input':{'absolute_path':'/b.c'}}}", NULL },
    { "BeforeTool", SHELL, "{'inject':[{'id':'1','text':'t'}]}", "{}", NULL },
    { "AfterTool", SHELL, "{'replace':{'output':'less'},'say':'s'}",
      "{'decision':'deny','reason':'less','systemMessage':'s'}", NULL },
    { "AfterTool", SHELL, "{'replace':{'output':'less'},'inject':[{'id':'1','text':'t'}]}",
      "{'decision':'deny','reason':'less\\n\\nt'}", NULL },
    { "AfterTool", SHELL, "{'decision':'block','reason':'no'}", "{'decision':'deny','reason':'no'}",
      NULL },
    { "AfterTool", SHELL, "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "AfterTool", SHELL, "{'inject':[{'id':'1','text':'t'}]}",
      "{" OUT("AfterTool") "'additionalContext':'t'}}", NULL },
    { "AfterTool", SHELL, "{'replace':{'title':'x'}}", "{}", "the change of 'title' is dropped" },
    { "AfterAgent", "", "{'result':'continue','follow_up_messages':['a'],'say':'s'}",
      "{'decision':'deny','reason':'a','systemMessage':'s'}", NULL },
    { "AfterAgent", "", "{'stop':'no'}", "{'continue':false,'stopReason':'no'}", NULL },
    { "PreCompress", "", "{'decision':'block','reason':'no','say':'s'}", "{'systemMessage':'s'}",
      "Gemini CLI has no 'block' at PreCompress: it goes on" },
    { "Notification", "", "{'say':'s'}", "{'systemMessage':'s'}", NULL },
    { "SessionEnd", "", "{'say':'s'}", "{'systemMessage':'s'}", NULL },
};

static void says_every_part(void **state UNUSED)
{
    agents_write(&gemini_agent, answers, ARRAY_LEN(answers));
}

static void keeps_what_only_gemini_knows(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = agents_event(&a, &gemini_agent,
                                   agents_document(&a, "BeforeTool",
                                                   "'tool_name':'mcp_s_t','tool_input':{},"
                                                   "'mcp_context':{'server_name':'s'}"));

    agents_same(&a, "native", event_data(&ev, STR("native")),
                "{'tool':'mcp_s_t','args':{},'mcp_context':{'server_name':'s'}}");
}

static void its_page_has_its_table(void **state UNUSED)
{
    agents_page(&gemini_agent, HOOKE_SOURCE_DIR "/docs/agents/gemini.md");
}

TESTS(cmocka_unit_test(reads_every_event), cmocka_unit_test(says_every_part),
      cmocka_unit_test(keeps_what_only_gemini_knows), cmocka_unit_test(its_page_has_its_table))
