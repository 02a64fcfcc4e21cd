#include "cli/screen_json.h"

#include "cli/screen.h"

#include <stdio.h>

static const char *const names[] = {
    [SHOW_SESSION] = "session",     [SHOW_TEXT] = "text",
    [SHOW_REASONING] = "reasoning", [SHOW_TEXT_END] = "message",
    [SHOW_TOOL_BEGIN] = "tool",     [SHOW_TOOL_END] = "tool_result",
    [SHOW_HOOK] = "hook",           [SHOW_SAY] = "say",
    [SHOW_RETRY] = "retry",         [SHOW_FALLBACK] = "fallback",
    [SHOW_FOLLOW_UP] = "follow_up", [SHOW_NOTE] = "note",
    [SHOW_COMPACTED] = "compacted", [SHOW_END] = "end",
};

static void print_line(const struct json *j)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };

    json_write(&line, j, JSON_COMPACT);
    strbuf_addch(&line, '\n');
    fwrite(strbuf_cstr(&line), 1, line.len, stdout);
    fflush(stdout);
}

void screen_json_show(const struct show *w)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *j = json_object(&a);

    json_add(&a, j, STR("type"), json_cstring(&a, names[w->kind]));
    json_add(&a, j, STR("session"), json_cstring(&a, w->session));
    if (w->depth)
        json_add(&a, j, STR("depth"), json_int(&a, w->depth));
    if (w->hook)
        json_add(&a, j, STR("hook"), json_cstring(&a, w->hook));
    if (w->tool)
        json_add(&a, j, w->hook ? STR("did") : STR("tool"), json_cstring(&a, w->tool));
    if (w->call_id)
        json_add(&a, j, STR("call_id"), json_cstring(&a, w->call_id));
    if (str_is_set(w->text))
        json_add(&a, j,
                 w->kind == SHOW_SESSION || w->kind == SHOW_FALLBACK ? STR("model") : STR("text"),
                 json_string(&a, w->text));
    if (w->kind == SHOW_TOOL_END)
        json_add(&a, j, STR("ok"), json_bool(&a, w->ok));
    if (w->json)
        json_add(&a, j,
                 w->kind == SHOW_TOOL_BEGIN  ? STR("args")
                 : w->kind == SHOW_TOOL_END  ? STR("output")
                 : w->kind == SHOW_COMPACTED ? STR("compaction")
                                             : STR("message"),
                 w->json);
    print_line(j);
}

void screen_json_end(const struct agent_outcome *o)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *j = json_object(&a);

    json_add(&a, j, STR("type"), json_cstring(&a, "end"));
    json_add(&a, j, STR("session"), json_cstring(&a, o->session));
    json_add(&a, j, STR("end"), json_cstring(&a, screen_end_name(o->end)));
    if (o->reason[0])
        json_add(&a, j, STR("reason"), json_cstring(&a, o->reason));
    json_add(&a, j, STR("turns"), json_int(&a, o->turns));
    json_add(&a, j, STR("usage"), usage_to_json(&a, &o->usage));
    if (o->cost > 0)
        json_add(&a, j, STR("cost"), json_double(&a, o->cost));
    json_add(&a, j, STR("hook_us"), json_int(&a, (int64_t)(o->hook_ns / 1000)));
    print_line(j);
}

void screen_json_compacted(const struct agent_compacted *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *j = json_object(&a);

    json_add(&a, j, STR("type"), json_cstring(&a, names[SHOW_COMPACTED]));
    json_add(&a, j, STR("session"), json_cstring(&a, c->session));
    json_add(&a, j, STR("text"), json_cstring(&a, agent_compacted_text(&a, c)));
    json_add(&a, j, STR("compaction"), agent_compacted_json(&a, c, "manual"));
    print_line(j);
}
