#include "embed/verify.h"

#include "base/ulid.h"
#include "hook/collector.h"
#include "hook/usage.h"

#define REQUEST_TOKENS 25000        /* by which each fills the window */
#define EXCERPT        ((size_t)24) /* bytes on each side of the first difference */

/* What is said does not matter much, but words that make hooks speak make a better test. */
static const char *const asked[] = {
    "Find where the limit is checked.",      "Why does the second test fail? Analyze it.",
    "Rename the option, and run the tests.", "ultrawork: make the parser faster.",
    "Thanks. What is left to do?",
};

static const struct {
    const char *tool, *args, *output;
} calls[] = {
    { "read", "{\"path\":\"src/lib/limit.c\"}", "int limit = 3;\n" },
    { "bash", "{\"command\":\"make test\"}", "2 tests, 1 failed\n" },
    { "edit", "{\"path\":\"src/lib/limit.c\",\"old\":\"3\",\"new\":\"4\"}", "1 change\n" },
    { "grep", "{\"pattern\":\"limit\"}", "src/lib/limit.c:1: int limit = 3;\n" },
    { "task", "{\"prompt\":\"Look.\"}", "[ERROR] Must provide either category or subagent_type" },
    { "query", "{\"text\":\"{\"}", "Unexpected end of JSON input" },
};

struct conversation {
    const struct verify *v;
    struct arena *arena;
    const struct json *messages; /* as stored */
    const struct json *last;     /* {system, messages} as last sent; NULL: nothing was */
    unsigned turn, request;
    uint64_t random;
    bool broken;
    bool over; /* a hook has ended it, which is no break */
    struct err *e;
};

static uint64_t roll(struct conversation *k, uint64_t below)
{
    k->random = k->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (k->random >> 33) % below;
}

/* Events --------------------------------------------------------------------------------------- */

static const struct json *parsed(struct arena *a, const char *text)
{
    const struct json *j = NULL;

    (void)!json_parse(a, str_of(text), NULL, &j, NULL); /* ours, and well formed */
    return j;
}

/* The data when all hooks are through, with what is to be appended in place; NULL: it failed. */
static const struct json *emit(struct conversation *k, enum point point, const struct json *data)
{
    const struct verify *v = k->v;
    const struct usage full = { .context = REQUEST_TOKENS * (int64_t)k->request, .window = 200000 };
    struct event ev = { .point = point,
                        .turn = k->turn,
                        .session = { .id = v->session,
                                     .agent = v->agent,
                                     .cwd = v->cwd,
                                     .usage = usage_to_json(k->arena, &full) },
                        .data = data ? data : json_object(k->arena),
                        .abort_fd = v->abort_fd };
    CLEANUP(receipt) struct receipt r = { 0 };

    if (engine_emit(v->engine, &ev, k->arena, &r, k->e) < 0)
        return NULL;
    if (v->seen)
        v->seen(v->context, &r);
    k->over |= r.verdict.stop != NULL;
    return inject_apply(k->arena, point, r.data, r.verdict.injections);
}

static const struct json *field(struct arena *a, const char *name, const struct json *value)
{
    return json_with(a, NULL, str_of(name), value);
}

/* Messages ------------------------------------------------------------------------------------- */

static const struct json *message(struct conversation *k, const char *role, const char *id,
                                  const struct json *content)
{
    struct arena *a = k->arena;
    struct json *m = json_object(a);

    json_add(a, m, STR("id"), json_cstring(a, id));
    json_add(a, m, STR("role"), json_cstring(a, role));
    json_add(a, m, STR("content"), content);
    return m;
}

static void store(struct conversation *k, const struct json *m)
{
    k->messages = json_append(k->arena, k->messages, m);
}

static const struct json *one_part(struct arena *a, const char *type, const char *name,
                                   const struct json *value)
{
    struct json *part = json_object(a), *list = json_array(a);

    json_add(a, part, STR("type"), json_cstring(a, type));
    json_add(a, part, str_of(name), value);
    json_push(a, list, part);
    return list;
}

static bool speak(struct conversation *k)
{
    struct arena *a = k->arena;
    const char *id = ulid_new(a), *text = asked[roll(k, ARRAY_LEN(asked))];
    bool internal = roll(k, 5) == 0;
    struct json *m = json_object(a);
    const struct json *data, *stored;

    json_add(a, m, STR("id"), json_cstring(a, id));
    json_add(a, m, STR("text"), json_cstring(a, text));
    json_add(a, m, STR("parts"), one_part(a, "text", "text", json_cstring(a, text)));
    json_add(a, m, STR("internal"), json_bool(a, internal));
    data = emit(k, POINT_CHAT_MESSAGE, field(a, "message", m));
    if (!data)
        return false;
    stored = message(k, "user", id, json_get(json_get(data, STR("message")), STR("parts")));
    if (internal)
        stored = json_with(a, stored, STR("internal"), json_bool(a, true));
    store(k, stored);
    return true;
}

static bool use_tool(struct conversation *k)
{
    struct arena *a = k->arena;
    size_t n = roll(k, ARRAY_LEN(calls));
    const struct json *data = NULL, *part;

    store(k, message(k, "assistant", ulid_new(a),
                     one_part(a, "tool_call", "tool", json_cstring(a, calls[n].tool))));
    data = json_with(a, data, STR("tool"), json_cstring(a, calls[n].tool));
    data = json_with(a, data, STR("call_id"), json_cstring(a, ulid_new(a)));
    data = json_with(a, data, STR("args"), parsed(a, calls[n].args));
    if (!emit(k, POINT_TOOL_EXECUTE_BEFORE, data))
        return false;
    data = json_with(a, data, STR("output"), json_cstring(a, calls[n].output));
    data =
        emit(k, POINT_TOOL_EXECUTE_AFTER, json_with(a, data, STR("success"), json_bool(a, true)));
    if (!data)
        return false;
    part = one_part(a, "tool_result", "output", json_get(data, STR("output")));
    store(k, message(k, "user", ulid_new(a), part));
    return emit(k, POINT_TURN_AFTER, field(a, "messages", k->messages)) != NULL;
}

/* Requests ------------------------------------------------------------------------------------- */

/* They are done one after the other, so what a hook says of them changes from request to request.
 */
static const struct json *todos(struct conversation *k)
{
    struct arena *a = k->arena;
    struct json *list = json_array(a);

    for (unsigned i = 0; i < 2 * k->v->turns; i++)
        json_push(a, list,
                  field(a, "status", json_cstring(a, i < k->request ? "completed" : "pending")));
    return list;
}

static const struct json *ask(struct conversation *k)
{
    struct arena *a = k->arena;
    const struct json *data = field(a, "system", parsed(a, "[\"You are a coding agent.\"]"));
    const struct json *request = NULL;

    data = json_with(a, data, STR("purpose"), json_cstring(a, "main"));
    data = emit(k, POINT_SYSTEM_TRANSFORM, json_with(a, data, STR("todos"), todos(k)));
    if (!data)
        return NULL;
    request = json_with(a, request, STR("system"), json_get(data, STR("system")));
    data = field(a, "messages", k->messages);
    data = emit(k, POINT_MESSAGES_TRANSFORM,
                json_with(a, data, STR("purpose"), json_cstring(a, "main")));
    if (!data)
        return NULL;
    request = json_with(a, request, STR("messages"),
                        inject_strip(a, json_get(data, STR("messages")), COLLECTOR_TAIL_TAG));
    k->request++;
    if (k->v->sent)
        k->v->sent(k->v->context, request);
    return request;
}

static const char *excerpt(struct arena *a, const char *text, size_t at)
{
    size_t begin = at > EXCERPT ? at - EXCERPT : 0;
    size_t len = strlen(text + begin);

    while (begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80)
        begin--;
    len = len > 2 * EXCERPT ? 2 * EXCERPT : len;
    while (((unsigned char)text[begin + len] & 0xc0) == 0x80)
        len++;
    return arena_printf(a, "%s%.*s%s", begin ? "…" : "", (int)len, text + begin,
                        text[begin + len] ? "…" : "");
}

/* True: they are the same. */
static bool compare(struct conversation *k, const char *where, const struct json *before,
                    const struct json *after, struct verify_break *out)
{
    struct arena *a = k->arena;
    const char *x = json_text(a, before), *y = after ? json_text(a, after) : "";
    size_t at = 0;

    while (x[at] && x[at] == y[at])
        at++;
    if (x[at] == y[at])
        return true;
    *out = (struct verify_break){ k->request, where, excerpt(a, x, at), excerpt(a, y, at) };
    return false;
}

static bool keeps(struct conversation *k, const struct json *now, struct verify_break *out)
{
    const struct json *m = json_first(json_get(k->last, STR("messages")));
    const struct json *n = json_first(json_get(now, STR("messages")));

    if (!k->last)
        return true;
    if (!compare(k, "the system prompt", json_get(k->last, STR("system")),
                 json_get(now, STR("system")), out))
        return false;
    for (unsigned i = 1; m; m = json_next(m), n = json_next(n), i++)
        if (!compare(k, arena_printf(k->arena, "message %u", i), m, n, out))
            return false;
    return true;
}

/* The first break is kept, and the conversation goes on: others may have something to say. */
static int request(struct conversation *k, struct verify_break *out)
{
    const struct json *now;

    if (k->v->shift)
        k->v->shift(k->v->context);
    now = ask(k);
    if (!now)
        return -1;
    if (!k->broken)
        k->broken = !keeps(k, now, out);
    k->last = now;
    return 0;
}

/* A person says something, the model uses a tool, and then answers. */
static int take_turn(struct conversation *k, struct verify_break *out)
{
    struct arena *a = k->arena;
    int r;

    k->turn++;
    if (!speak(k))
        return -1;
    r = request(k, out);
    if (r || k->over)
        return r;
    if (!use_tool(k))
        return -1;
    r = request(k, out);
    if (r || k->over)
        return r;
    store(k, message(k, "assistant", ulid_new(a), json_cstring(a, "Done.")));
    return emit(k, POINT_AGENT_STOP, field(a, "messages", k->messages)) ? 0 : -1;
}

int verify_run(const struct verify *v, struct arena *a, struct verify_break *out, struct err *e)
{
    struct err own = { 0 };
    struct conversation k = { .v = v, .arena = a, .random = v->seed, .e = e ? e : &own };
    int r = 0;

    k.messages = json_array(a);
    if (!emit(&k, POINT_SESSION_CREATED, field(a, "source", json_cstring(a, "startup"))))
        return k.e->code;
    for (unsigned i = 0; r == 0 && !k.over && i < v->turns; i++)
        r = take_turn(&k, out);
    if (r < 0)
        return k.e->code;
    (void)emit(&k, POINT_SESSION_DELETED,
               NULL); /* what it could not forget, a new session has not */
    return k.broken;
}
