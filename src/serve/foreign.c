#include "serve/foreign.h"

bool foreign_find(struct str name, enum tools_system *out)
{
    static const char *const names[TOOLS_SYSTEMS] = {
        [TOOLS_KODELET] = "kodelet", [TOOLS_ACAI] = "acai",     [TOOLS_CLAUDE] = "claude",
        [TOOLS_CODEX] = "codex",     [TOOLS_GEMINI] = "gemini", [TOOLS_OPENCODE] = "opencode",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        *out = (enum tools_system)i;
        if (str_is(name, names[i]))
            return true;
    }
    return false;
}

void foreign_in(struct arena *a, enum tools_system system, struct event *ev)
{
    const struct json *tool = event_data(ev, STR("tool")), *args = event_data(ev, STR("args"));
    struct str name = json_str(a, tool);
    struct json *native;

    if (!name.len)
        return;
    native = json_object(a);
    json_add(a, native, STR("tool"), tool);
    json_add(a, native, STR("args"), args);
    json_add(a, native, STR("output"), event_data(ev, STR("output")));
    name = tools_name(system, TOOLS_OURS, name);
    ev->data = json_with(a, ev->data, STR("tool"), json_string(a, name));
    if (args)
        ev->data = json_with(a, ev->data, STR("args"), tools_to_ours(a, system, name, args, NULL));
    ev->data = json_with(a, ev->data, STR("native"), native);
}

const struct json *foreign_out(struct arena *a, enum tools_system system, const struct event *ev,
                               const struct json *verdict)
{
    const struct json *replace = json_get(verdict, STR("replace"));
    const struct json *args = json_get(replace, STR("args"));

    if (!args)
        return verdict;
    args = tools_to_theirs(a, system, event_tool(a, ev), args);
    replace = json_with(a, replace, STR("args"), args);
    return json_with(a, verdict, STR("replace"), replace);
}
