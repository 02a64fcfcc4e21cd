/* What every request of a session begins with: the system texts and the tools. */
#include "agent/session.h"
#include "base/file.h"
#include "base/path.h"

#include <sys/utsname.h>

#define AGENTS_MAX ((size_t)64 << 10)

static const char *const manner =
    "You are a coding agent working in a person's workspace through tools. Look before you change: "
    "read the files you are about to edit. Make the smallest change that does what was asked, in "
    "the style of the code around it, and check it by running what can be run. Say plainly what you "
    "did, what you did not do, and what you could not verify. Answer in as few words as the matter "
    "needs.";

static const struct json *surroundings(struct agent_session *s, struct arena *a)
{
    struct utsname system;

    if (uname(&system) < 0)
        system.sysname[0] = '\0';
    return json_cstring(a, arena_printf(a, "Workspace: %s\nWorking folder: %s\nSystem: %s",
                                        agent_workspace(s->agent), agent_cwd(s->agent),
                                        system.sysname));
}

/* What the project tells every agent. It is content, not configuration: it needs no trust. */
static const struct json *project_notes(struct agent_session *s, struct arena *a)
{
    const char *path = path_join(a, agent_workspace(s->agent), "AGENTS.md");
    struct str text;

    if (file_read(a, path, AGENTS_MAX, &text, NULL) < 0 || !str_trim(text).len)
        return NULL;
    return json_cstring(
        a, arena_printf(a, "<project-notes file=\"AGENTS.md\">\n%.*s\n</project-notes>",
                        STR_ARG(str_trim(text))));
}

/* The same bytes for every request of a session, or the provider's cache is of no use. */
const struct json *session_system(struct agent_session *s, struct arena *a)
{
    if (!s->system) {
        struct json *list = json_array(&s->arena);
        const struct json *notes = project_notes(s, &s->arena);

        json_push(&s->arena, list, json_cstring(&s->arena, manner));
        if (s->def->prompt)
            json_push(&s->arena, list, json_cstring(&s->arena, s->def->prompt));
        json_push(&s->arena, list, surroundings(s, &s->arena));
        if (notes)
            json_push(&s->arena, list, notes);
        s->system = list;
    }
    return json_copy(a, s->system);
}

/* NULL: it has every name. */
static bool has_name(const char *const *names, const char *name)
{
    if (!names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

bool session_may_call(const struct agent_session *s, const char *tool)
{
    return has_name(s->only_tools, tool);
}

bool session_may_call_none(const struct agent_session *s)
{
    return s->only_tools && !s->only_tools[0];
}

static bool has_calls(const struct agent_session *s)
{
    for (size_t i = 0; i < s->history.count; i++)
        if (message_is(s->history.items[i], "tool"))
            return true;
    return false;
}

/* Providers refuse a history with calls to a model that has no tools: it is told of them then. */
static bool may_offer(const struct agent_session *s, const char *tool)
{
    return has_name(s->def->tools, tool) &&
           (session_may_call(s, tool) || (session_may_call_none(s) && has_calls(s)));
}

static const struct json *define(struct agent_session *s, const struct tool *t)
{
    struct arena *a = &s->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *parameters, *d;
    const struct json *data = json_with(a, NULL, STR("tool"), json_cstring(a, t->name));

    if (json_parse(a, str_of(t->parameters), NULL, &parameters, NULL) < 0)
        parameters = json_object(a);
    data = json_with(a, data, STR("description"), json_cstring(a, t->description));
    session_emit(s, POINT_TOOL_DEFINITION, json_with(a, data, STR("parameters"), parameters), a,
                 &r);
    d = json_with(a, NULL, STR("name"), json_cstring(a, t->name));
    d = json_with(a, d, STR("description"), json_get(r.data, STR("description")));
    return json_with(a, d, STR("parameters"), json_get(r.data, STR("parameters")));
}

const struct json *session_tools(struct agent_session *s)
{
    const struct tool *const *all;
    struct json *list;
    size_t count;

    if (s->tools)
        return s->tools;
    list = json_array(&s->arena);
    all = tool_list(&count);
    for (size_t i = 0; i < count; i++)
        if (may_offer(s, all[i]->name))
            json_push(&s->arena, list, define(s, all[i]));
    s->tools = list;
    return list;
}
