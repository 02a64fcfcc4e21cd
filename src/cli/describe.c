#include "cli/describe.h"

#include "hook/gate.h"

const char *describe_state(const struct hook *h)
{
    if (h->off_because)
        return "off";
    if (h->broken)
        return "broken";
    return h->untrusted ? "untrusted" : "on";
}

enum style describe_state_style(const struct hook *h)
{
    if (h->off_because)
        return STYLE_DIM;
    if (h->broken)
        return STYLE_RED;
    return h->untrusted ? STYLE_YELLOW : STYLE_GREEN;
}

const char *describe_why(const struct hook *h)
{
    if (h->off_because)
        return h->off_because;
    if (h->broken || h->untrusted)
        return h->broken ? h->broken : h->untrusted;
    if (!h->def)
        return NULL; /* somebody has written it, and its origin is said */
    return h->traits.said & KEY_ENABLED ? "by 'enabled: true'" : "by default";
}

static const char *subscription_note(const struct subscription *on)
{
    if (on->session == SESSION_SUB)
        return " (sub)";
    if (on->session == SESSION_MAIN)
        return " (main)";
    if (on->result == RESULT_SUCCESS)
        return " (success)";
    return on->result == RESULT_FAILURE ? " (failure)" : "";
}

char *describe_points(struct arena *a, const struct hook *h)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (size_t i = 0; i < h->traits.on_count; i++)
        strbuf_printf(&b, "%s%s%s", i ? ", " : "", point_info(h->traits.on[i].point)->name,
                      subscription_note(&h->traits.on[i]));
    return arena_strdup(a, strbuf_cstr(&b));
}

char *describe_match(struct arena *a, const struct match *m)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (m->text || !m->names)
        return match_text(a, m);
    for (const char *const *name = m->names; *name; name++)
        strbuf_printf(&b, "%s%s", b.len ? ", " : "", *name);
    return arena_strdup(a, strbuf_cstr(&b));
}

char *describe_layer(struct arena *a, const struct hook *h)
{
    if (h->traits.priority == 0)
        return arena_strdup(a, layer_name(h->traits.layer));
    return arena_printf(a, "%s, priority %d", layer_name(h->traits.layer), h->traits.priority);
}

static void add_every(struct strbuf *b, uint32_t every)
{
    if (every > 1)
        strbuf_printf(b, "1 time in %u", every);
    else
        strbuf_addstr(b, "every time");
}

char *describe_cadence(struct arena *a, const struct cadence *c)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    add_every(&b, c->every);
    for (const struct cadence_agent *g = c->agents; g && g->agent; g++) {
        strbuf_printf(&b, ", for %s ", g->agent);
        add_every(&b, g->every);
    }
    if (c->then && c->when_context_over > 0) {
        strbuf_printf(&b, ", over %.0f %% of the context window ", c->when_context_over * 100);
        add_every(&b, c->then);
    }
    if (c->then && c->when_tokens_over) {
        strbuf_printf(&b, ", over %llu tokens ", (unsigned long long)c->when_tokens_over);
        add_every(&b, c->then);
    }
    return arena_strdup(a, strbuf_cstr(&b));
}

static void add_gate(struct strbuf *b, struct arena *a, const struct cadence *c)
{
    if (!c || !cadence_gates(c))
        return;
    strbuf_printf(b, "%s%s (%s)", b->len ? "; and " : "", describe_cadence(a, c),
                  origin_text(a, &c->origin));
}

char *describe_gate(struct arena *a, const struct registry *reg, const struct hook *h,
                    enum point point)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (!gate_applies(reg, h, point))
        return NULL;
    add_gate(&b, a, registry_cadence(reg, h, point));
    add_gate(&b, a, h->cadence);
    return arena_strdup(a, strbuf_cstr(&b));
}

char *describe_powers(struct arena *a, unsigned powers)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (unsigned bit = POWER_BLOCK; bit <= POWER_FALLBACK; bit <<= 1)
        if (powers & bit)
            strbuf_printf(&b, "%s%s", b.len ? ", " : "", power_name((enum power)bit));
    return arena_strdup(a, b.len ? strbuf_cstr(&b) : "none");
}

static const struct json *points_json(struct arena *a, const struct hook *h)
{
    struct json *points = json_array(a);

    for (size_t i = 0; i < h->traits.on_count; i++)
        json_push(a, points, json_cstring(a, point_info(h->traits.on[i].point)->name));
    return points;
}

const struct json *describe_json(struct arena *a, const struct hook *h)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("name"), json_cstring(a, h->name));
    json_add(a, j, STR("summary"), json_cstring(a, h->summary));
    json_add(a, j, STR("state"), json_cstring(a, describe_state(h)));
    json_add(a, j, STR("why"), describe_why(h) ? json_cstring(a, describe_why(h)) : NULL);
    json_add(a, j, STR("points"), points_json(a, h));
    json_add(a, j, STR("layer"), json_cstring(a, layer_name(h->traits.layer)));
    json_add(a, j, STR("priority"), json_int(a, h->traits.priority));
    json_add(a, j, STR("runner"), json_cstring(a, runner_kind_name(h->runner)));
    json_add(a, j, STR("origin"), json_cstring(a, origin_text(a, &h->origin)));
    return j;
}

const char *describe_mismatch(struct arena *a, const struct hook *h, const char *why)
{
    if (strcmp(why, "other tools only") == 0)
        return arena_printf(a, "only for the tool %s", describe_match(a, h->traits.tool));
    if (strcmp(why, "other agents only") == 0)
        return arena_printf(a, "only for the agent %s", describe_match(a, h->traits.agent));
    return why;
}
