#include "hook/event.h"

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
