#include "cli/sample.h"

#include <stdlib.h>

#define USAGE                                                              \
    "{\"input_tokens\":1200,\"output_tokens\":340,\"reasoning_tokens\":0," \
    "\"cache_read_tokens\":86000,\"cache_write_tokens\":900,"              \
    "\"current_context_window\":88440,\"max_context_window\":200000}"
#define MODEL "\"anthropic/claude-opus-4-5\""
#define MESSAGES                                                                                  \
    "[{\"id\":\"m1\",\"role\":\"user\",\"content\":\"Make the parser accept trailing commas.\"}," \
    "{\"id\":\"m2\",\"role\":\"assistant\",\"content\":\"Done: src/parser.c accepts them now.\"}]"
#define TODOS   "[{\"text\":\"accept trailing commas\",\"status\":\"pending\"}]"
#define COMPACT "{\"enabled\":true,\"threshold\":0.8}"
#define FAILURE                                                                            \
    "{\"class\":\"overloaded\",\"message\":\"the provider is overloaded\",\"status\":529," \
    "\"provider\":\"anthropic\",\"model\":" MODEL "}"

/* Points about a tool say "tool" only: name, arguments and output are those of one it matches. */
static const char *const samples[POINT_COUNT] = {
    [POINT_SESSION_CREATED] = "{\"source\":\"startup\"}",
    [POINT_SESSION_STATUS] = "{\"status\":{\"type\":\"retry\",\"attempt\":2,"
                             "\"message\":\"the provider is overloaded\"}}",
    [POINT_CHAT_MESSAGE] = "{\"message\":{\"id\":\"m1\","
                           "\"text\":\"Make the parser accept trailing commas.\","
                           "\"parts\":[{\"type\":\"text\","
                           "\"text\":\"Make the parser accept trailing commas.\"}],"
                           "\"internal\":false}}",
    [POINT_AGENT_START] = "{\"model\":" MODEL "}",
    [POINT_STEP_START] = "{\"model\":" MODEL "}",
    [POINT_TOOL_DEFINITION] = "{\"tool\":\"bash\",\"description\":\"Run a shell command.\","
                              "\"parameters\":{\"type\":\"object\",\"properties\":"
                              "{\"command\":{\"type\":\"string\"}},\"required\":[\"command\"]}}",
    [POINT_SYSTEM_TRANSFORM] = "{\"system\":[\"You are a careful engineer.\"],\"model\":" MODEL
                               ",\"purpose\":\"main\",\"todos\":" TODOS "}",
    [POINT_MESSAGES_TRANSFORM] = "{\"messages\":" MESSAGES ",\"purpose\":\"main\"}",
    [POINT_CHAT_PARAMS] = "{\"model\":" MODEL ",\"params\":{\"temperature\":1,\"top_p\":1,"
                          "\"top_k\":0,\"max_output_tokens\":32000}}",
    [POINT_CHAT_HEADERS] = "{\"provider\":\"anthropic\",\"model\":" MODEL
                           ",\"message\":{\"id\":\"m1\",\"internal\":false},"
                           "\"headers\":{\"accept\":\"text/event-stream\"}}",
    [POINT_MESSAGE_UPDATED] = "{\"message\":{\"id\":\"m2\",\"role\":\"assistant\","
                              "\"content\":\"Done: src/parser.c accepts them now.\"},"
                              "\"usage\":" USAGE ",\"provider\":\"anthropic\",\"model\":" MODEL "}",
    [POINT_TEXT_COMPLETE] = "{\"text\":\"Done: src/parser.c accepts them now.\"}",
    [POINT_TOOL_EXECUTE_BEFORE] = "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{}}",
    [POINT_PERMISSION_ASK] = "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{},"
                             "\"why\":\"the tool asks for consent\"}",
    [POINT_SHELL_ENV] = "{\"cwd\":\".\",\"env\":{\"PATH\":\"/usr/bin:/bin\",\"LANG\":\"C.UTF-8\"}}",
    [POINT_TOOL_EXECUTE_AFTER] = "{\"tool\":\"bash\",\"call_id\":\"c1\",\"args\":{},"
                                 "\"title\":\"a tool has run\",\"output\":\"\",\"metadata\":{},"
                                 "\"success\":true}",
    [POINT_TURN_AFTER] = "{\"turn\":1,\"tools_used\":[\"read\",\"edit\"],"
                         "\"response\":\"Done: src/parser.c accepts them now.\",\"usage\":" USAGE
                         ",\"auto_compact\":" COMPACT ",\"messages\":" MESSAGES "}",
    [POINT_SESSION_COMPACTING] = "{\"context\":[],\"prompt\":\"Summarise the conversation.\","
                                 "\"trigger\":\"auto\"}",
    [POINT_SESSION_COMPACTED] =
        "{\"before\":168000,\"after\":9000,\"generation\":2,"
        "\"trigger\":\"auto\",\"summary\":\"The parser is in src/parser.c.\"}",
    [POINT_AGENT_STOP] = "{\"messages\":" MESSAGES ",\"usage\":" USAGE ",\"auto_compact\":" COMPACT
                         ",\"continuations\":0,\"todos\":" TODOS ",\"status\":{\"type\":\"idle\"}}",
    [POINT_AGENT_ERROR] = "{\"error\":" FAILURE "}",
    [POINT_SUBAGENT_SESSION_CREATED] = "{\"agent\":\"explorer\",\"parent\":\"main-session\"}",
    [POINT_NOTIFICATION] = "{\"kind\":\"permission\",\"message\":\"bash needs your consent\"}",
    [POINT_SESSION_IDLE] = "{}",
    [POINT_SESSION_ERROR] = "{\"error\":" FAILURE "}",
    [POINT_SESSION_ENDED] = "{\"reason\":\"exit\"}",
    [POINT_SESSION_DELETED] = "{}",
};

static const struct tool {
    const char *name, *args, *output;
} tools[] = {
    { "bash", "{\"command\":\"ls -la\"}", "total 8\n-rw-r--r-- 1 me me 512 parser.c" },
    { "read", "{\"path\":\"src/parser.c\"}", "static int parse_list(struct parser *p)" },
    { "write", "{\"path\":\"notes.md\",\"content\":\"# Notes\\n\"}", "8 bytes written" },
    { "edit",
      "{\"path\":\"src/parser.c\",\"old_string\":\"return 0;\",\"new_string\":\"return 1;\"}",
      "1 place changed" },
    { "apply_patch", "{\"patch\":\"*** Begin Patch\\n*** End Patch\\n\"}", "done" },
    { "glob", "{\"pattern\":\"src/**/*.c\"}", "src/parser.c" },
    { "grep", "{\"pattern\":\"parse_list\",\"path\":\"src\"}", "src/parser.c:12:parse_list" },
    { "task", "{\"agent\":\"explorer\",\"prompt\":\"Find the parser.\"}", "It is src/parser.c." },
    { "todo", "{\"todos\":" TODOS "}", "1 todo" },
    { "web_fetch", "{\"url\":\"https://example.org/\"}", "<h1>Example</h1>" },
};

static const struct json *parsed(struct arena *a, const char *text)
{
    const struct json *j;

    if (json_parse(a, str_of(text), NULL, &j, NULL) < 0)
        abort(); /* a table of ours that is no JSON: every test would see it */
    return j;
}

static const char *first_name(const struct match *m)
{
    return m && m->names ? m->names[0] : NULL;
}

/* A tool that the matcher takes: one we know the arguments of, else the one it names. */
static struct tool tool_for(const struct match *m)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (match_test_tool(m, str_of(tools[i].name)))
            return tools[i];
    return (struct tool){ first_name(m) ? first_name(m) : "bash", "{}", "" };
}

static const struct json *with_tool(struct arena *a, const struct json *data, const struct match *m)
{
    struct tool t = tool_for(m);

    data = json_with(a, data, STR("tool"), json_cstring(a, t.name));
    if (json_get(data, STR("args")))
        data = json_with(a, data, STR("args"), parsed(a, t.args));
    if (json_get(data, STR("output")))
        data = json_with(a, data, STR("output"), json_cstring(a, t.output));
    return data;
}

struct event sample_event(struct arena *a, const struct hook *h, const struct subscription *on)
{
    const struct hook_traits *t = &h->traits;
    struct event ev = { .point = on->point, .turn = 1, .data = parsed(a, samples[on->point]) };

    if (json_get(ev.data, STR("tool")))
        ev.data = with_tool(a, ev.data, t->tool);
    if (on->result != RESULT_ANY)
        ev.data = json_with(a, ev.data, STR("success"), json_bool(a, on->result == RESULT_SUCCESS));
    ev.session.agent = first_name(t->agent);
    if (t->session == SESSION_SUB || on->session == SESSION_SUB)
        ev.session.parent = "main-session";
    return ev;
}
