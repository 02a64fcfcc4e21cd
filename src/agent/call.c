/*
 * The tool calls of a reply. Each passes its gate, runs, and passes its transform; its result goes
 * into the history whatever happened, so that no call is ever without one. Neighbouring calls of
 * tools that only read run side by side; their events stay in order.
 */
#include "agent/allowed.h"
#include "agent/permission.h"
#include "agent/session.h"
#include "agent/shell_env.h"
#include "base/ulid.h"

#include <errno.h>
#include <pthread.h>

#define SIDE_BY_SIDE 8

struct call {
    struct agent_session *s;
    struct arena arena; /* of the tool: it may run in a thread of its own */
    struct arena *shared;
    const struct json *part;
    struct str name;
    const char *call_id;
    const struct tool *tool;
    const struct json *args;
    const char *const *env, *const *argv_prefix;
    struct tool_result result;
    const struct json *output; /* set: decided, the tool does not run */
    pthread_t thread;
    bool ok, started;
    bool unread; /* nobody could read the arguments: it fails without having run */
};

/* Before -------------------------------------------------------------------------------------- */

static void refuse(struct call *c, const char *what, const char *why)
{
    c->output = json_cstring(c->shared, arena_printf(c->shared, "%s: %s", what, why));
    c->ok = false;
}

static char *known_tools(struct arena *a, const struct json *tools)
{
    CLEANUP(strbuf) struct strbuf names = { 0 };

    for (const struct json *t = json_first(tools); t; t = json_next(t))
        strbuf_printf(&names, "%s%.*s", names.len ? ", " : "",
                      STR_ARG(json_str(a, json_get(t, STR("name")))));
    return arena_cstr(a, strbuf_str(&names));
}

static bool is_offered(struct arena *a, const struct json *tools, struct str name)
{
    for (const struct json *t = json_first(tools); t; t = json_next(t))
        if (str_eq(json_str(a, json_get(t, STR("name"))), name))
            return true;
    return false;
}

/* A call like any other that failed: hooks see what became of it and may say what to do. */
static void fail_unread(struct call *c)
{
    struct arena *a = c->shared;
    const struct json *parsed;
    struct err e = { 0 };
    const char *why;

    if (json_parse(a, json_str(a, json_get(c->part, STR("args_text"))), NULL, &parsed, &e) < 0)
        why = e.msg;
    else
        why = arena_printf(a, "they are %s", json_type_name(json_type(parsed)));
    c->unread = c->result.failed = true;
    c->result.output = str_of(arena_printf(
        a, "%s: the arguments are no JSON object, send them again: %s", c->tool->name, why));
}

static bool find_tool(struct call *c)
{
    const struct json *tools = session_tools(c->s);

    c->tool = is_offered(c->shared, tools, c->name) ? tool_find(c->name) : NULL;
    if (!c->tool)
        refuse(c, "there is no such tool, use one of these", known_tools(c->shared, tools));
    else if (!session_may_call(c->s, c->tool->name))
        refuse(c, "not allowed", "this tool may not be called here");
    else if (json_get(c->part, STR("args_text")))
        fail_unread(c);
    return !c->output && !c->unread;
}

/* What a hook has made of a command is held to the same. */
static bool check_command(struct call *c)
{
    struct str command = json_str(c->shared, json_get(c->args, STR("command")));

    if (c->s->only_commands && str_is(c->name, "bash") &&
        !allowed_command(c->s->only_commands, command))
        refuse(c, "not allowed", allowed_words(c->shared, c->s->only_commands));
    return !c->output;
}

static const struct json *call_data(struct call *c)
{
    struct arena *a = c->shared;
    const struct json *data = json_with(a, NULL, STR("tool"), json_string(a, c->name));

    data = json_with(a, data, STR("call_id"), json_cstring(a, c->call_id));
    return json_with(a, data, STR("args"), c->args);
}

static const char *const *words_of(struct arena *a, const struct json *list)
{
    const char **words = arena_array(a, const char *, json_count(list) + 1);
    size_t count = 0;

    for (const struct json *w = json_first(list); w; w = json_next(w))
        if (json_type(w) == JSON_STRING)
            words[count++] = json_cstr(a, w);
    return count ? words : NULL;
}

/* An empty prefix says that this agent takes one. */
static const struct json *before_data(struct call *c)
{
    const struct json *data = call_data(c);

    if (!str_is(c->name, "bash"))
        return data;
    return json_with(c->shared, data, STR("argv_prefix"), json_array(c->shared));
}

static void pass_gate(struct call *c)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct arena *a = c->shared;
    struct permission_gate gate = { c->s->agent, arena_cstr(a, c->name) };
    const struct event_settle settle = { permission_settle, &gate };
    const struct event ev = {
        .point = POINT_TOOL_EXECUTE_BEFORE,
        .data = before_data(c),
        .settle = &settle,
    };

    session_emit_event(c->s, &ev, a, &r);
    c->args = json_get(r.data, STR("args"));
    c->argv_prefix = words_of(a, json_get(r.data, STR("argv_prefix")));
    if (r.verdict.decision == DECISION_BLOCK)
        refuse(c, r.answer.by ? "not allowed" : "blocked",
               r.verdict.reason ? r.verdict.reason : "no reason was given");
    else if (r.verdict.decision != DECISION_ALLOW && !c->s->over) {
        const char *why = r.verdict.decision == DECISION_ASK ? r.verdict.reason : NULL;
        const char *no = permission_refuses(c->s, a, call_data(c), why);

        if (no)
            refuse(c, "not allowed", no);
    }
    if (c->s->over && !c->output)
        refuse(c, "not run", c->s->reason);
}

/* What hooks put into the environment of a command. */
static void find_env(struct call *c)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct arena *a = c->shared;
    const struct json *data =
        json_with(a, NULL, STR("cwd"), json_cstring(a, agent_cwd(c->s->agent)));

    session_emit(c->s, POINT_SHELL_ENV, json_with(a, data, STR("env"), json_object(a)), a, &r);
    c->env = shell_env(a, agent_config(c->s->agent), c->s->about.id, json_get(r.data, STR("env")));
}

static void show_begin(const struct call *c)
{
    agent_show(c->s->agent, &(struct show){ .kind = SHOW_TOOL_BEGIN,
                                            .session = c->s->about.id,
                                            .depth = c->s->about.depth,
                                            .tool = arena_cstr(c->shared, c->name),
                                            .call_id = c->call_id,
                                            .json = c->args });
}

static void prepare(struct call *c, struct agent_session *s, struct arena *a,
                    const struct json *part)
{
    const struct json *args = json_get(part, STR("args"));

    *c = (struct call){ .s = s, .shared = a, .part = part };
    c->name = json_str(a, json_get(part, STR("tool")));
    c->call_id = json_cstr(a, json_get(part, STR("call_id")));
    c->args = args ? args : json_object(a);
    if (s->over) {
        refuse(c, "not run", s->reason);
        return;
    }
    show_begin(c);
    if (!find_tool(c) || !check_command(c))
        return;
    pass_gate(c);
    if (!c->output && check_command(c) && str_is(c->name, "bash"))
        find_env(c);
}

/* Running ------------------------------------------------------------------------------------- */

static void *run(void *context)
{
    struct call *c = context;
    struct err e = { 0 };
    const struct tool_call t = {
        .arena = &c->arena,
        .workspace = agent_workspace(c->s->agent),
        .cwd = agent_cwd(c->s->agent),
        .session = c->s->about.id,
        .args = c->args,
        .seen = c->s->seen,
        .env = c->env,
        .argv_prefix = c->argv_prefix,
        .abort_fd = agent_options(c->s->agent)->abort_fd,
        .http = agent_http(c->s->agent),
        .allow_private = agent_config(c->s->agent)->fetch_private,
        .owner = c->s,
    };

    if (tool_run(c->tool, &t, &c->result, &e) < 0) {
        c->result.failed = true;
        c->result.output = str_of(arena_strdup(&c->arena, e.msg));
    }
    c->ok = !c->result.failed;
    return NULL;
}

static void run_all(struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (calls[i].output || calls[i].unread)
            continue;
        if (i + 1 < count && pthread_create(&calls[i].thread, NULL, run, &calls[i]) == 0)
            calls[i].started = true;
        else
            run(&calls[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (calls[i].started)
            pthread_join(calls[i].thread, NULL);
}

/* After --------------------------------------------------------------------------------------- */

static const struct json *after_data(struct call *c)
{
    struct arena *a = c->shared;
    const struct json *data = call_data(c);
    struct str output = { arena_cstr(a, c->result.output), c->result.output.len };

    data = json_with(a, data, STR("title"),
                     json_cstring(a, c->result.title ? c->result.title : c->tool->name));
    data = json_with(a, data, STR("output"), json_string(a, output));
    data = json_with(a, data, STR("metadata"),
                     c->result.metadata ? json_copy(a, c->result.metadata) : json_object(a));
    return json_with(a, data, STR("success"), json_bool(a, c->ok));
}

static const char *transform(struct call *c)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct arena *a = c->shared;
    const struct json *data;

    if (!c->unread)
        loop_tool_ran(&c->s->loop);
    session_emit(c->s, POINT_TOOL_EXECUTE_AFTER, after_data(c), a, &r);
    data = inject_apply(a, POINT_TOOL_EXECUTE_AFTER, r.data, r.verdict.injections);
    c->output = json_get(data, STR("output"));
    if (verdict_refuses(&r.verdict)) { /* hooks further on never saw what it was */
        c->output = json_cstring(a, r.verdict.stop ? r.verdict.stop : r.verdict.reason);
        c->result.file = NULL;
    }
    return json_cstr(a, json_get(data, STR("title")));
}

/* Files come behind all results: that is where every provider can take them. */
static void finish(struct call *c, struct json *results, struct json *files)
{
    const char *title = c->output ? NULL : transform(c);

    agent_show(c->s->agent, &(struct show){ .kind = SHOW_TOOL_END,
                                            .session = c->s->about.id,
                                            .depth = c->s->about.depth,
                                            .tool = arena_cstr(c->shared, c->name),
                                            .call_id = c->call_id,
                                            .text = str_of(title),
                                            .json = c->output,
                                            .ok = c->ok });
    json_push(c->shared, results, message_result_part(c->shared, c->part, c->output, c->ok));
    if (c->result.file)
        json_push(c->shared, files, json_copy(c->shared, c->result.file));
    arena_release(&c->arena);
}

static bool only_reads(struct arena *a, const struct json *part)
{
    const struct tool *t = tool_find(json_str(a, json_get(part, STR("tool"))));

    return t && t->read_only;
}

static const struct json *next_call(const struct json *part)
{
    while (part && !message_part_is(part, "tool_call"))
        part = json_next(part);
    return part;
}

/* One call, or as many neighbours as only read. Returns what comes after them. */
static const struct json *run_batch(struct agent_session *s, struct arena *a,
                                    const struct json *part, struct json *results,
                                    struct json *files)
{
    struct call calls[SIDE_BY_SIDE];
    size_t count = 0;
    bool reads = only_reads(a, part);

    do {
        prepare(&calls[count++], s, a, part);
        part = next_call(json_next(part));
    } while (reads && part && only_reads(a, part) && count < SIDE_BY_SIDE);
    run_all(calls, count);
    for (size_t i = 0; i < count; i++)
        finish(&calls[i], results, files);
    return part;
}

void session_call_tools(struct agent_session *s, struct arena *a, const struct json *message)
{
    struct json *results = json_array(a), *files = json_array(a);
    const struct json *part = next_call(json_first(json_get(message, STR("content"))));

    while (part)
        part = run_batch(s, a, part, results, files);
    for (const struct json *f = json_first(files); f; f = json_next(f))
        json_push(a, results, f);
    if (json_count(results))
        session_add(s, message_new(a, "tool", ulid_new(a), results));
    if (agent_is_aborted(s->agent))
        session_end(s, AGENT_ABORTED, "aborted");
}
