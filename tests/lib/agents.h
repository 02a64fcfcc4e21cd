/*
 * agents.h - tables of what an agent writes and what it is answered. JSON is written with single
 * quotes.
 *
 *     { "PreToolUse", "'tool_name':'Bash','tool_input':{}", "tool.execute.before", "{…}" },
 *     agents_read(&claude_agent, rows, ARRAY_LEN(rows));
 */
#pragma once

#include "base/file.h"
#include "dialect/agent.h"
#include "value.h"

/* The members every document has; rows add those of their events. */
#define AGENTS_HEAD "'session_id':'s1','cwd':'/repo','transcript_path':null,"

struct agents_read {
    const char *event, *members; /* of the document */
    const char *point, *data;    /* what it becomes, without `native` */
};

struct agents_write {
    const char *event, *members;
    const char *verdict; /* merged, in our JSON; "critical" before it: of a safety-critical hook */
    const char *answer;
    const char *lost; /* a part of what is said to be lost; NULL: nothing is */
};

static inline char *agents_quoted(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);

    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

static inline const struct json *agents_document(struct arena *a, const char *event,
                                                 const char *members)
{
    const char *text = arena_printf(a, "{" AGENTS_HEAD "'hook_event_name':'%s'%s%s}", event,
                                    members[0] ? "," : "", members);

    return value_of(a, agents_quoted(a, text));
}

static inline void agents_same(struct arena *a, const char *row, const struct json *is,
                               const char *expected)
{
    if (!json_equal(is, value_of(a, agents_quoted(a, expected))))
        fail_msg("%s: expected %s\n    got %s", row, expected, json_text(a, is));
}

static inline struct event agents_event(struct arena *a, const struct dialect_agent *ag,
                                        const struct json *in)
{
    const struct agent_event *kind =
        agent_event_find(ag, json_str(a, json_get(in, STR("hook_event_name"))));
    struct event ev;
    struct err e = { 0 };

    assert_non_null(kind);
    if (agent_read(a, ag, kind, in, &ev, &e) < 0)
        fail_msg("%s: %s", kind->name, e.msg);
    return ev;
}

/* Every event of the agent must have a row. */
static inline void agents_read(const struct dialect_agent *ag, const struct agents_read *rows,
                               size_t count)
{
    for (size_t i = 0; i < ag->event_count; i++) {
        size_t row = 0;

        while (row < count && strcmp(rows[row].event, ag->events[i].name) != 0)
            row++;
        if (row == count)
            fail_msg("no row reads %s", ag->events[i].name);
    }
    for (size_t i = 0; i < count; i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = agents_event(&a, ag, agents_document(&a, rows[i].event, rows[i].members));

        assert_string_equal(point_info(ev.point)->name, rows[i].point);
        agents_same(&a, rows[i].event, json_with(&a, ev.data, STR("native"), NULL), rows[i].data);
    }
}

static inline void agents_write_row(const struct dialect_agent *ag, const struct agents_write *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf lost = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    bool critical = strncmp(row->verdict, "critical ", 9) == 0;
    const char *text = agents_quoted(&a, critical ? row->verdict + 9 : row->verdict);
    struct verdict v = { 0 };
    struct agent_saying s = { .agent = ag,
                              .event = agent_event_find(ag, str_of(row->event)),
                              .in = agents_document(&a, row->event, row->members),
                              .verdict = &v,
                              .critical = critical,
                              .lost = &lost };

    assert_non_null(s.event);
    assert_int_equal(verdict_from_json(&a, value_of(&a, text), &v, &warnings, NULL), 0);
    assert_string_equal(strbuf_cstr(&warnings), "");
    for (struct injection *i = v.injections; i; i = i->next)
        inject_settle(i, s.event->point);
    agents_same(&a, arena_printf(&a, "%s %s", row->event, row->verdict), agent_write(&a, &s),
                row->answer);
    if (!row->lost)
        assert_string_equal(strbuf_cstr(&lost), "");
    else if (!strstr(strbuf_cstr(&lost), row->lost))
        fail_msg("%s %s: lost '%s'", row->event, row->verdict, strbuf_cstr(&lost));
}

/*
 * Every part that an event has means for must have a row, which is told by the members the means
 * sets being in an answer.
 */
static inline void agents_write(const struct dialect_agent *ag, const struct agents_write *rows,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        agents_write_row(ag, &rows[i]);
    for (size_t i = 0; i < ag->event_count; i++)
        for (int p = 0; p < AGENT_PARTS; p++) {
            const struct agent_means *m = ag->events[i].says[p];
            const char *path = m && !m->as_block ? m->members[0].path : NULL;
            const char *name = path && strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
            size_t row = 0;

            while (path && row < count &&
                   (strcmp(rows[row].event, ag->events[i].name) != 0 ||
                    !strstr(rows[row].answer, name)))
                row++;
            if (path && row == count)
                fail_msg("no row says '%s' at %s", path, ag->events[i].name);
        }
}

/* The page of the agent has the table that its data make. */
static inline void agents_page(const struct dialect_agent *ag, const char *path)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf table = { 0 };
    struct str page, rest, line;

    assert_int_equal(file_read(&a, path, 1 << 20, &page, NULL), 0);
    agent_table(&table, ag);
    rest = strbuf_str(&table);
    if (!strstr(page.ptr, strbuf_cstr(&table))) {
        while (rest.len && str_cut(&rest, '\n', &line)) /* a message of cmocka has its limits */
            print_message("%.*s\n", STR_ARG(line));
        fail_msg("%s must have the table above", path);
    }
    for (const char *const *o = ag->others; *o; o++)
        if (!strstr(page.ptr, arena_printf(&a, "`%s`", *o)))
            fail_msg("%s does not name the event `%s`", path, *o);
}
