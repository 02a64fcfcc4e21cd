#include "cli/runs.h"

enum style outcome_style(const char *outcome)
{
    static const struct {
        const char *outcome;
        enum style style;
    } styles[] = {
        { "block", STYLE_RED },  { "stop", STYLE_RED },      { "failed", STYLE_RED },
        { "ask", STYLE_YELLOW }, { "allow", STYLE_GREEN },   { "held back", STYLE_DIM },
        { "none", STYLE_DIM },   { "timed out", STYLE_RED }, { "error", STYLE_RED },
    };
    size_t len = strcspn(outcome, " +");

    for (size_t i = 0; i < ARRAY_LEN(styles); i++)
        if (strcmp(outcome, styles[i].outcome) == 0 ||
            (strlen(styles[i].outcome) == len && strncmp(outcome, styles[i].outcome, len) == 0))
            return styles[i].style;
    return STYLE_BLUE;
}

static const char *effects_text(struct arena *a, unsigned effects)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (unsigned bit = 1; bit <= effects && bit; bit <<= 1)
        if ((effects & bit) && power_name((enum power)bit))
            strbuf_printf(&b, "%s%s", b.len ? "+" : "", power_name((enum power)bit));
    return b.len ? arena_strdup(a, strbuf_cstr(&b)) : "none";
}

static const char *run_detail(struct arena *a, const char *detail, uint64_t tokens, bool again)
{
    static const char said[] = "failed: "; /* the outcome says it already */
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (detail && strncmp(detail, said, sizeof(said) - 1) == 0)
        detail += sizeof(said) - 1;
    if (again)
        strbuf_addstr(&b, "once more, on the changed args");
    if (tokens)
        strbuf_printf(&b, "%s%llu tokens", b.len ? "; " : "", (unsigned long long)tokens);
    if (detail && detail[0])
        strbuf_printf(&b, "%s%s", b.len ? "; " : "", detail);
    return arena_strdup(a, strbuf_cstr(&b));
}

static const char *held_detail(struct arena *a, const char *why, const char *detail, uint64_t every,
                               uint64_t time)
{
    if (every && time)
        return arena_printf(a, "%s: time %llu, fires every %llu", why, (unsigned long long)time,
                            (unsigned long long)every);
    return detail && detail[0] ? arena_printf(a, "%s: %s", why, detail) : why;
}

struct run_lines runs_of_receipt(struct arena *a, const struct receipt *r)
{
    struct run_lines out = { arena_array(a, struct run_line, r->run_count + r->held_count), 0 };

    for (size_t i = 0; i < r->run_count; i++) {
        const struct hook_run *run = &r->runs[i];
        struct run_line *line = &out.lines[out.count++];

        line->hook = run->hook->name;
        line->ran = true;
        line->ns = run->ns;
        line->tokens = run->tokens;
        line->outcome =
            run->end == RUN_DONE ? effects_text(a, run->effects) : run_end_name(run->end);
        line->detail = run_detail(a, run->detail, run->tokens, run->again);
        line->style = run->end == RUN_DONE ? outcome_style(line->outcome) : STYLE_RED;
    }
    for (size_t i = 0; i < r->held_count; i++) {
        const struct hook_held *held = &r->held[i];

        out.lines[out.count++] = (struct run_line){
            .hook = held->hook->name,
            .outcome = "held back",
            .detail =
                held_detail(a, held_why_name(held->why), held->detail, held->every, held->time),
            .style = STYLE_DIM,
        };
    }
    return out;
}

static uint64_t number(const struct json *object, struct str name)
{
    int64_t n;

    return json_to_int64(json_get(object, name), &n) < 0 || n < 0 ? 0 : (uint64_t)n;
}

static const char *text(struct arena *a, const struct json *object, struct str name)
{
    const char *s = json_cstr(a, json_get(object, name));

    return s ? s : "";
}

static const char *did_text(struct arena *a, const struct json *run)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    const struct json *did = json_get(run, STR("did"));

    for (const struct json *d = json_first(did); d; d = json_next(d))
        strbuf_printf(&b, "%s%.*s", b.len ? "+" : "", STR_ARG(json_str(a, d)));
    return b.len ? arena_strdup(a, strbuf_cstr(&b)) : "none";
}

static struct run_line json_run(struct arena *a, const struct json *run)
{
    const char *end = text(a, run, STR("end"));
    struct run_line line = {
        .hook = text(a, run, STR("hook")),
        .outcome = end[0] ? end : did_text(a, run),
        .ran = true,
        .ns = number(run, STR("us")) * 1000,
        .tokens = number(run, STR("tokens")),
    };

    line.detail = run_detail(a, text(a, run, STR("detail")), line.tokens,
                             json_is_true(json_get(run, STR("again"))));
    line.style = end[0] ? STYLE_RED : outcome_style(line.outcome);
    return line;
}

struct run_lines runs_of_json(struct arena *a, const struct json *receipt)
{
    const struct json *runs = json_get(receipt, STR("runs")),
                      *held = json_get(receipt, STR("held"));
    struct run_lines out = {
        arena_array(a, struct run_line, json_count(runs) + json_count(held) + 1), 0
    };

    for (const struct json *r = json_first(runs); r; r = json_next(r))
        out.lines[out.count++] = json_run(a, r);
    for (const struct json *h = json_first(held); h; h = json_next(h))
        out.lines[out.count++] = (struct run_line){
            .hook = text(a, h, STR("hook")),
            .outcome = "held back",
            .detail = held_detail(a, text(a, h, STR("why")), text(a, h, STR("detail")),
                                  number(h, STR("every")), number(h, STR("time"))),
            .style = STYLE_DIM,
        };
    return out;
}

void runs_print(struct cli *cli, const struct run_lines *runs, unsigned indent)
{
    static const struct column columns[] = { { .title = "HOOK" },
                                             { .title = "OUTCOME" },
                                             { .title = "TIME", .right = true },
                                             { .title = "DETAIL" } };
    struct table t = { .arena = &cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns),
                       .indent = indent };

    for (size_t i = 0; i < runs->count; i++) {
        const struct run_line *l = &runs->lines[i];

        table_cell(&t, STYLE_PLAIN, "%s", l->hook);
        table_cell(&t, l->style, "%s", l->outcome);
        table_cell(&t, STYLE_PLAIN, "%s", l->ran ? term_duration(&cli->arena, l->ns) : "");
        table_cell(&t, STYLE_PLAIN, "%s", l->detail);
    }
    table_print(&t, &cli->out);
}
