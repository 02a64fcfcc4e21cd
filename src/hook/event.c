#include "hook/event.h"

#include <errno.h>
#include <poll.h>

static const struct json *text_or_null(struct arena *a, const char *text)
{
    return text ? json_cstring(a, text) : json_null(a);
}

static const struct json *session_to_json(struct arena *a, const struct session *s)
{
    struct json *j = json_object(a);
    const char *invoked_by = s->invoked_by ? s->invoked_by : s->parent ? "subagent" : "main";

    json_add(a, j, STR("id"), text_or_null(a, s->id));
    json_add(a, j, STR("parent"), text_or_null(a, s->parent));
    json_add(a, j, STR("agent"), text_or_null(a, s->agent));
    json_add(a, j, STR("invoked_by"), json_cstring(a, invoked_by));
    json_add(a, j, STR("recipe"), json_cstring(a, s->recipe ? s->recipe : ""));
    json_add(a, j, STR("cwd"), text_or_null(a, s->cwd));
    json_add(a, j, STR("depth"), json_int(a, s->depth));
    json_add(a, j, STR("usage"), s->usage);
    return j;
}

const struct json *event_to_json(struct arena *a, const struct event *ev)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("hooke"), json_int(a, 1));
    json_add(a, j, STR("point"), json_cstring(a, point_info(ev->point)->name));
    json_add(a, j, STR("id"), text_or_null(a, ev->id));
    json_add(a, j, STR("turn"), json_int(a, ev->turn));
    json_add(a, j, STR("session"), session_to_json(a, &ev->session));
    json_add(a, j, STR("data"), ev->data ? ev->data : json_object(a));
    return j;
}

/* Reading -------------------------------------------------------------------------------------- */

static int wrong_type(struct err *e, const char *name, const char *wanted, const struct json *j)
{
    return err_set(e, -EBADMSG, "'%s' of an event must be %s, not %s", name, wanted,
                   json_type_name(json_type(j)));
}

/* Absent and null are the same; so is an empty text, which no id or name is. */
static int read_text(struct arena *a, const struct json *object, const char *name, const char **out,
                     struct err *e)
{
    const struct json *j = json_get(object, str_of(name));
    const char *text = json_cstr(a, j);

    if (j && !text && json_type(j) != JSON_NULL)
        return wrong_type(e, name, "a string", j);
    *out = text && text[0] ? text : NULL;
    return 0;
}

static int read_count(const struct json *object, const char *name, unsigned *out, struct err *e)
{
    const struct json *j = json_get(object, str_of(name));
    int64_t n = 0;

    if (j && json_type(j) != JSON_NULL &&
        (json_to_int64(j, &n) < 0 || n < 0 || n > (int64_t)UINT32_MAX))
        return err_set(e, -EBADMSG, "'%s' of an event must be a whole number, from 0", name);
    *out = (unsigned)n;
    return 0;
}

static int read_object(const struct json *object, const char *name, const struct json **out,
                       struct err *e)
{
    const struct json *j = json_get(object, str_of(name));

    *out = json_type(j) == JSON_OBJECT ? j : NULL;
    return *out || !j || json_type(j) == JSON_NULL ? 0 : wrong_type(e, name, "an object", j);
}

static int read_session(struct arena *a, const struct json *j, struct session *s, struct err *e)
{
    const struct {
        const char *name, **out;
    } texts[] = {
        { "id", &s->id },         { "parent", &s->parent },
        { "agent", &s->agent },   { "invoked_by", &s->invoked_by },
        { "recipe", &s->recipe }, { "cwd", &s->cwd },
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_LEN(texts); i++)
        r = read_text(a, j, texts[i].name, texts[i].out, e);
    if (r == 0 && !s->id)
        r = err_set(e, -EBADMSG, "an event needs the id of its session: session.id");
    if (r == 0)
        r = read_count(j, "depth", &s->depth, e);
    return r < 0 ? r : read_object(j, "usage", &s->usage, e);
}

int event_from_json(struct arena *a, const struct json *j, struct event *ev, struct err *e)
{
    struct str point = json_str(a, json_get(j, STR("point")));
    const struct json *session;
    struct subscription on;
    int r;

    *ev = (struct event){ 0 };
    if (json_type(j) != JSON_OBJECT)
        return err_set(e, -EBADMSG, "an event must be an object, not %s",
                       json_type_name(json_type(j)));
    if (!str_is_set(point) || !point_resolve(point, &on))
        return err_set(e, -EBADMSG, "unknown point '%.*s' of an event", STR_ARG(point));
    r = read_text(a, j, "id", &ev->id, e);
    if (r == 0)
        r = read_count(j, "turn", &ev->turn, e);
    if (r == 0)
        r = read_object(j, "data", &ev->data, e);
    if (r == 0)
        r = read_object(j, "session", &session, e);
    if (r == 0)
        r = read_session(a, session, &ev->session, e);
    if (r == 0 && !event_fit(a, ev, &on, "unknown"))
        r = err_set(e, -EBADMSG, "'%.*s' is an event of a main session, but has a parent",
                    STR_ARG(point));
    return r;
}

bool event_fit(struct arena *a, struct event *ev, const struct subscription *on, const char *parent)
{
    ev->point = on->point;
    if (on->session == SESSION_SUB && !ev->session.parent)
        ev->session.parent = parent;
    if (on->session == SESSION_MAIN && ev->session.parent)
        return false;
    if (on->result != RESULT_ANY && !event_data(ev, STR("success")))
        ev->data = json_with(a, ev->data ? ev->data : json_object(a), STR("success"),
                             json_bool(a, on->result == RESULT_SUCCESS));
    return true;
}

struct str event_tool(struct arena *a, const struct event *ev)
{
    return json_str(a, event_data(ev, STR("tool")));
}

bool event_ask_abort(int abort_fd)
{
    struct pollfd fd = { .fd = abort_fd, .events = POLLIN };

    return poll(&fd, 1, 0) > 0;
}
