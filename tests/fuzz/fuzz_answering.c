/*
 * What other agents write is anything at all. Every event of every agent reads any document or says
 * why not; what it becomes can be written, and any verdict has an answer that is JSON again.
 *
 * Input: agent and event in two bytes, then the document, a NUL, a verdict in our JSON.
 */
#include "dialect/agent.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect_agent *const agents[] = { &claude_agent, &codex_agent, &gemini_agent };

static void answer(struct arena *a, const struct agent_saying *asked, struct str text)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    CLEANUP(strbuf) struct strbuf lost = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *j, *again;
    struct agent_saying s = *asked;
    struct verdict v = { 0 };

    if (json_parse(a, text, NULL, &j, NULL) < 0 || verdict_from_json(a, j, &v, &warnings, NULL) < 0)
        return;
    for (struct injection *i = v.injections; i; i = i->next)
        inject_settle(i, s.event->point);
    s.verdict = &v;
    s.lost = &lost;
    json_write(&out, agent_write(a, &s), JSON_COMPACT);
    if (json_parse(a, strbuf_str(&out), NULL, &again, NULL) < 0 ||
        json_type(again) != JSON_OBJECT || memchr(out.buf, '\n', out.len))
        abort();
    if (lost.len && lost.buf[lost.len - 1] != '\n')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct agent_saying s = { 0 };
    struct str rest, document;
    struct event ev;
    struct err e = { 0 };
    int r;

    if (size < 3 || size > 65536)
        return 0;
    s.agent = agents[data[0] % ARRAY_LEN(agents)];
    s.event = &s.agent->events[data[1] % s.agent->event_count];
    s.critical = data[1] & 0x80;
    rest = (struct str){ (const char *)data + 2, size - 2 };
    if (!str_cut(&rest, '\0', &document) || json_parse(&a, document, NULL, &s.in, NULL) < 0)
        return 0;
    r = agent_read(&a, s.agent, s.event, s.in, &ev, &e);
    if (r > 0 || (r < 0) != (e.msg[0] != '\0'))
        abort();
    if (r == 0 && json_type(event_to_json(&a, &ev)) != JSON_OBJECT)
        abort();
    if (r == 0 && str_is_set(rest))
        answer(&a, &s, rest);
    return 0;
}
