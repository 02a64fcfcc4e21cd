#include "runner/rpc.h"

/* How far into a line its id is looked for, and how long a method's name may be. */
#define ID_WITHIN  256
#define METHOD_MAX 128

static void junk(struct rpc_message *m, const char *why)
{
    m->kind = RPC_JUNK;
    m->why = why;
}

static void read_call(struct arena *a, const struct json *j, struct rpc_message *m)
{
    struct str method = json_str(a, json_get(j, STR("method")));

    m->id = json_get(j, STR("id"));
    if (json_type(m->id) == JSON_OBJECT || json_type(m->id) == JSON_ARRAY) {
        m->id = NULL;
        junk(m, "its 'id' is neither a number nor a text");
        return;
    }
    if (method.len == 0 || method.len > METHOD_MAX) {
        junk(m, "its 'method' is no name");
        return;
    }
    m->method = arena_cstr(a, method);
    m->params = json_get(j, STR("params"));
    m->kind = m->id ? RPC_REQUEST : RPC_NOTIFICATION;
}

static void read_answer(struct arena *a, const struct json *j, struct rpc_message *m)
{
    const struct json *error = json_get(j, STR("error"));

    if (json_to_int64(json_get(j, STR("id")), &m->answers) < 0 || m->answers < 0)
        m->answers = -1;
    if (error && json_type(error) != JSON_NULL) {
        m->kind = RPC_ERROR;
        m->text = json_cstr(a, json_get(error, STR("message")));
        if (json_to_int64(json_get(error, STR("code")), &m->code) < 0)
            m->code = 0;
        if (!m->text)
            m->text = json_type(error) == JSON_STRING ? json_cstr(a, error) : "no message";
    } else {
        m->kind = RPC_RESULT;
        m->result = json_get(j, STR("result"));
        if (!m->result)
            junk(m, "it has neither 'method' nor 'result' nor 'error'");
    }
}

void rpc_read(struct arena *a, struct str line, struct rpc_message *m)
{
    const struct json *j;

    *m = (struct rpc_message){ .answers = -1 };
    if (json_parse(a, line, NULL, &j, NULL) < 0)
        junk(m, "it is no JSON");
    else if (json_type(j) != JSON_OBJECT)
        junk(m, "it is no JSON object");
    else if (json_get(j, STR("method")))
        read_call(a, j, m);
    else
        read_answer(a, j, m);
}

int64_t rpc_find_id(struct str head)
{
    static const struct str key = { "\"id\"", 4 };
    size_t within = head.len < ID_WITHIN ? head.len : ID_WITHIN, at;
    const char *found = memmem(head.ptr, within, key.ptr, key.len);
    int64_t id = 0;

    if (!found)
        return -1;
    at = (size_t)(found - head.ptr) + key.len;
    while (at < within && (head.ptr[at] == ' ' || head.ptr[at] == ':'))
        at++;
    if (at >= within || head.ptr[at] < '0' || head.ptr[at] > '9')
        return -1;
    for (; at < within && head.ptr[at] >= '0' && head.ptr[at] <= '9'; at++) {
        if (id > INT64_MAX / 10 - 1)
            return -1;
        id = id * 10 + (head.ptr[at] - '0');
    }
    return at < within ? id : -1;
}

/* Writing -------------------------------------------------------------------------------------- */

void rpc_begin_request(struct strbuf *out, int64_t id, const char *method)
{
    strbuf_addstr(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    strbuf_addint(out, id);
    strbuf_addstr(out, ",\"method\":");
    json_write_string(out, str_of(method));
    strbuf_addstr(out, ",\"params\":");
}

void rpc_end_request(struct strbuf *out)
{
    strbuf_addstr(out, "}\n");
}

void rpc_notify(struct strbuf *out, const char *method, const struct json *params)
{
    strbuf_addstr(out, "{\"jsonrpc\":\"2.0\",\"method\":");
    json_write_string(out, str_of(method));
    if (params) {
        strbuf_addstr(out, ",\"params\":");
        json_write(out, params, JSON_COMPACT);
    }
    strbuf_addstr(out, "}\n");
}

static void begin_answer(struct strbuf *out, const struct json *id)
{
    strbuf_addstr(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_write(out, id, JSON_COMPACT);
}

void rpc_answer(struct strbuf *out, const struct json *id, const struct json *result)
{
    begin_answer(out, id);
    strbuf_addstr(out, ",\"result\":");
    json_write(out, result, JSON_COMPACT);
    strbuf_addstr(out, "}\n");
}

void rpc_refuse(struct strbuf *out, const struct json *id, enum rpc_code code, const char *text)
{
    begin_answer(out, id);
    strbuf_addstr(out, ",\"error\":{\"code\":");
    strbuf_addint(out, code);
    strbuf_addstr(out, ",\"message\":");
    json_write_string(out, str_of(text));
    strbuf_addstr(out, "}}\n");
}
