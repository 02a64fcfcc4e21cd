/*
 * session_fixture.h - an agent on the script provider; what was shown is noted, a line each.
 *
 *     CLEANUP(session_bed) struct session_bed b = { 0 };
 *     session_bed_open(&b, "hooks: […]\n", "turns:\n- { text: Done. }\n");
 *     session_bed_run(&b, &(struct agent_task){ .text = "go" });
 *     session_bed_shows(&b, "text Done.\n");
 */
#pragma once

#include "agent/agent.h"
#include "base/clock.h"
#include "bed.h"
#include "store/conversation.h"

struct session_bed {
    struct bed bed;
    const struct hook_def *const *defs; /* built-ins; set before opening */
    struct strbuf shown;
    struct agent_screen screen;
    struct agent *agent;
    struct agent_outcome outcome;
    struct err e;
    int64_t window; /* of the model m1; 0: a large one */
    int abort_fd;
};

static inline void session_bed_show(void *context, const struct show *s)
{
    static const char *const kinds[] = { "session",   "text", "reasoning", "text-end", "tool",
                                         "tool-end",  "hook", "say",       "retry",    "fallback",
                                         "follow-up", "note", "compacted", "end" };
    struct strbuf *out = context;
    CLEANUP(arena) struct arena a = { 0 };

    if (s->kind == SHOW_SESSION || s->kind == SHOW_TEXT_END)
        return;
    strbuf_printf(out, "%s", kinds[s->kind]);
    if (s->tool)
        strbuf_printf(out, " %s", s->tool);
    if (s->hook)
        strbuf_printf(out, " %s", s->hook);
    if (s->kind == SHOW_TOOL_END)
        strbuf_printf(out, " %s %s", s->ok ? "ok" : "failed", json_text(&a, s->json));
    else if (s->text.len)
        strbuf_printf(out, " %.*s", STR_ARG(s->text));
    strbuf_addch(out, '\n');
}

static inline void session_bed_open(struct session_bed *b, const char *config, const char *turns)
{
    char *file;

    bed_open(&b->bed, b->defs, "");
    file = path_join(&b->bed.arena, b->bed.dir.path, "turns.yaml");
    assert_int_equal(file_write(file, str_of(turns), 0600, NULL), 0);
    bed_configure(&b->bed, b->defs,
                  arena_printf(&b->bed.arena,
                               "model: script/m1\n"
                               "providers: { script: { file: turns.yaml, models: "
                               "{ m1: { context_window: %lld } } } }\n%s",
                               (long long)(b->window ? b->window : 200000), config));
    b->screen = (struct agent_screen){ .context = &b->shown, .show = session_bed_show };
    b->agent = agent_new(&(struct agent_options){ .engine = b->bed.engine,
                                                  .store = b->bed.store,
                                                  .log = &b->bed.log,
                                                  .cwd = b->bed.dir.path,
                                                  .screen = &b->screen,
                                                  .abort_fd = b->abort_fd });
}

static inline void session_bed_run(struct session_bed *b, const struct agent_task *task)
{
    agent_outcome_release(&b->outcome);
    strbuf_reset(&b->shown);
    if (agent_run(b->agent, task, &b->outcome, &b->e) < 0)
        fail_msg("%s", b->e.msg);
}

static inline void session_bed_shows(const struct session_bed *b, const char *text)
{
    if (!strstr(strbuf_cstr(&b->shown), text))
        fail_msg("'%s' is not in:\n%s", text, strbuf_cstr(&b->shown));
}

/* Fails unless the text is in a receipt. */
static inline void session_bed_recorded(struct session_bed *b, const char *text)
{
    char *folder = path_join(&b->bed.arena, b->bed.dir.path, "receipts"), *day;
    char today[CLOCK_TEXT_SIZE];
    struct str all;

    clock_format(clock_wall_ms(), today);
    day = arena_printf(&b->bed.arena, "%s/%.10s.jsonl", folder, today);
    assert_int_equal(file_read(&b->bed.arena, day, (size_t)64 << 20, &all, NULL), 0);
    if (!strstr(arena_cstr(&b->bed.arena, all), text))
        fail_msg("'%s' is in no receipt:\n%.*s", text, STR_ARG(all));
}

/* The stored message at that place; fails where there is none. */
static inline const char *session_bed_message(struct session_bed *b, size_t index, size_t count)
{
    struct conversation_rows rows;

    assert_int_equal(
        conversation_load(b->bed.store, b->outcome.session, 0, &b->bed.arena, &rows, &b->e), 0);
    assert_int_equal(rows.count, count);
    return count ? rows.list[index].line.ptr : "";
}

static inline void session_bed_cleanup(struct session_bed *b)
{
    agent_free(b->agent);
    agent_outcome_release(&b->outcome);
    strbuf_release(&b->shown);
    bed_cleanup(&b->bed);
}
