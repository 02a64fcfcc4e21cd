/*
 * todo-continuation - go on while the todo list has open items.
 *
 * Points:  agent.stop decides; tool.execute.after remembers the list, chat.message that the user
 *          spoke, agent.error and session.error that the run was aborted
 * Options: limit, patience, questions
 * Tests:   tests/unit/builtin/test_todo_continuation.c
 *
 * Only a session that is idle is kept going, and only as long as the list changes: what it says
 * twice without effect is not worth saying a third time.
 */
#include "base/map.h"
#include "hook/state.h"

#include <inttypes.h>

#define LISTED 10 /* open items that are named */

struct options {
    int64_t limit, patience;
    bool questions;
};

static const struct option options[] = {
    OPTION_INT("limit", struct options, limit, "8", 1, 1000,
               "continuations between two messages of the user"),
    OPTION_INT("patience", struct options, patience, "2", 1, 100,
               "continuations in a row that may leave the list as it was"),
    OPTION_BOOL("questions", struct options, questions, "true",
                "let the agent stop when its last words are a question"),
    OPTION_END,
};

/* The list --------------------------------------------------------------------------------------
 */

/* A status nobody knows is not open: better to stop than to insist. */
static bool is_open(struct arena *a, const struct json *todo)
{
    struct str status = json_str(a, json_get(todo, STR("status")));

    return str_is(status, "pending") || str_is(status, "in_progress") || str_is(status, "open");
}

static const struct json *todos_of(const struct hook_call *c, struct err *e)
{
    const struct json *todos = event_data(c->event, STR("todos"));
    struct str kept = { 0 };

    if (json_type(todos) == JSON_ARRAY)
        return todos;
    if (state_get(c, "todos", &kept, e) < 0 || !str_is_set(kept) ||
        json_parse(c->arena, kept, NULL, &todos, NULL) < 0)
        return NULL;
    return todos;
}

/* Agents that do not tell their list at the end tell it when it changes. */
static int tool_execute_after(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    const struct json *todos = json_get(event_data(c->event, STR("args")), STR("todos"));

    if (!str_is(event_tool(c->arena, c->event), "todo") || json_type(todos) != JSON_ARRAY)
        return 0;
    return state_set(c, "todos", str_of(json_text(c->arena, todos)), e);
}

/* What was said so far ---------------------------------------------------------------------------
 */

/* {"paused":…, "count":…, "same":…, "list":"hash"} */
struct choice {
    const struct hook_call *call;
    const char *list;
    bool goes_on;
};

static int64_t number(const struct json *memory, struct str name)
{
    int64_t n;

    return json_to_int64(json_get(memory, name), &n) == 0 ? n : 0;
}

static int decide(void *context, struct arena *a, struct str before, struct str *after,
                  struct err *e UNUSED)
{
    struct choice *d = context;
    const struct options *o = d->call->options;
    const struct json *memory = NULL;
    int64_t count, same;

    d->goes_on = false;
    if (str_is_set(before) && json_parse(a, before, NULL, &memory, NULL) < 0)
        memory = NULL;
    count = number(memory, STR("count"));
    same = str_is(json_str(a, json_get(memory, STR("list"))), d->list)
               ? number(memory, STR("same")) + 1
               : 0;
    if (json_is_true(json_get(memory, STR("paused"))) || count >= o->limit || same >= o->patience)
        return 0;
    d->goes_on = true;
    memory = json_with(a, memory, STR("count"), json_int(a, count + 1));
    memory = json_with(a, memory, STR("same"), json_int(a, same));
    memory = json_with(a, memory, STR("list"), json_cstring(a, d->list));
    *after = str_of(json_text(a, memory));
    return 0;
}

static int chat_message(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    const struct json *message = event_data(c->event, STR("message"));

    if (json_is_true(json_get(message, STR("internal"))))
        return 0;
    return state_set(c, "memory", (struct str){ 0 }, e);
}

static int on_error(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    const struct json *error = event_data(c->event, STR("error"));
    struct str class = json_str(c->arena, json_get(error, STR("class")));
    struct str name = json_str(c->arena, json_get(error, STR("name")));

    if (!str_is(class, "aborted") && !str_is(name, "MessageAbortedError") &&
        !str_is(name, "AbortError"))
        return 0;
    return state_set(c, "memory", STR("{\"paused\":true}"), e);
}

/* Stopping ---------------------------------------------------------------------------------------
 */

static bool is_idle(const struct hook_call *c)
{
    const struct json *status = event_data(c->event, STR("status"));
    const struct json *type =
        json_type(status) == JSON_STRING ? status : json_get(status, STR("type"));

    return !type || str_is(json_str(c->arena, type), "idle");
}

static const struct json *last_of(const struct json *messages)
{
    const struct json *last = NULL;

    for (const struct json *m = json_first(messages); m; m = json_next(m))
        last = m;
    return last;
}

/* Somebody has the word: the user who has just spoken, or is asked something. */
static bool is_users_turn(const struct hook_call *c)
{
    const struct options *o = c->options;
    const struct json *last = last_of(event_data(c->event, STR("messages")));

    if (inject_is_typed(c->arena, last))
        return !json_is_true(json_get(last, STR("internal")));
    return o->questions && str_ends(str_trim(inject_last_text(c->arena, last)), STR("?"));
}

/* Every system has a word of its own for what is to be done. */
static struct str words_of(struct arena *a, const struct json *todo)
{
    static const struct str names[] = { { "content", 7 }, { "description", 11 }, { "step", 4 } };
    struct str words = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(names) && !words.len; i++)
        words = str_trim(json_str(a, json_get(todo, names[i])));
    return words.len ? words : STR("(without words)");
}

static const char *follow_up(struct arena *a, const struct json *todos, size_t open)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    size_t listed = 0;

    strbuf_printf(&text, "%zu of %zu todos are still open:\n", open, json_count(todos));
    for (const struct json *t = json_first(todos); t && listed < LISTED; t = json_next(t))
        if (is_open(a, t)) {
            strbuf_printf(&text, "- %.*s\n", STR_ARG(words_of(a, t)));
            listed++;
        }
    if (listed < open)
        strbuf_printf(&text, "- and %zu more\n", open - listed);
    strbuf_addstr(&text, "Go on with the first of them and keep the list up to date. What is done "
                         "already, mark as completed. If you can't go on without an answer, ask "
                         "for it and stop.");
    return arena_cstr(a, strbuf_str(&text));
}

static int agent_stop(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct err ignored = { 0 };
    struct arena *a = c->arena;
    const struct json *todos;
    struct choice d = { .call = c };
    struct json *texts;
    size_t open = 0;
    int r;

    if (!is_idle(c) || is_users_turn(c))
        return 0;
    todos = todos_of(c, &ignored);
    for (const struct json *t = json_first(todos); t; t = json_next(t))
        open += is_open(a, t);
    if (open == 0)
        return 0;
    d.list = arena_printf(a, "%016" PRIx64, map_hash(0, str_of(json_text(a, todos))));
    r = state_update(c, "memory", decide, &d, e);
    if (r < 0 || !d.goes_on)
        return r;
    texts = json_array(a);
    json_push(a, texts, json_cstring(a, follow_up(a, todos, open)));
    v->result = VERDICT_CONTINUE;
    v->follow_ups = texts;
    return 0;
}

const struct hook_def todo_continuation_hook = {
    .name = "todo-continuation",
    .summary = "goes on while the todo list has open items and something changes",
    .layer = LAYER_TRANSFORM,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_CHAT_MESSAGE] = chat_message,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after,
            [POINT_SESSION_ERROR] = on_error,
            [POINT_AGENT_STOP] = agent_stop,
            [POINT_AGENT_ERROR] = on_error },
};
