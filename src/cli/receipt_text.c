#include "cli/receipt_text.h"

#include <stdio.h>
#include <time.h>

#define SHORT_ID 8

/* "15:04:05" of today, "11-30 15:04:05" of another day; where the reader is. */
static const char *local_time(struct arena *a, const char *at)
{
    time_t when, now = time(NULL);
    struct tm utc = { 0 }, there, here;
    char out[32];

    if (!at || !strptime(at, "%Y-%m-%dT%H:%M:%S", &utc))
        return "";
    when = timegm(&utc);
    if (!localtime_r(&when, &there) || !localtime_r(&now, &here))
        return "";
    if (there.tm_year == here.tm_year && there.tm_yday == here.tm_yday)
        strftime(out, sizeof(out), "%H:%M:%S", &there);
    else
        strftime(out, sizeof(out), "%m-%d %H:%M:%S", &there);
    return arena_strdup(a, out);
}

static const char *text(struct arena *a, const struct json *j, struct str name)
{
    const char *s = json_cstr(a, json_get(j, name));

    return s ? s : "";
}

/* Ids of one process differ at their end. */
static const char *short_id(const char *id)
{
    size_t len = strlen(id);

    return len > SHORT_ID ? id + len - SHORT_ID : id;
}

static uint64_t nanoseconds(const struct json *j)
{
    int64_t us;

    return json_to_int64(json_get(j, STR("us")), &us) < 0 || us < 0 ? 0 : (uint64_t)us * 1000;
}

/* Those that did something, failed or were held back; the others are only counted, in few letters.
 */
static const char *active_hooks(struct arena *a, const struct run_lines *runs)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    size_t quiet = 0;

    for (size_t i = 0; i < runs->count; i++) {
        const struct run_line *l = &runs->lines[i];

        if (strcmp(l->outcome, "none") == 0)
            quiet++;
        else
            strbuf_printf(&b, "%s%s (%s)", b.len ? ", " : "", l->hook, l->outcome);
    }
    if (quiet && b.len)
        strbuf_printf(&b, ", %zu without opinion", quiet);
    else if (quiet)
        strbuf_printf(&b, "%zu", quiet);
    return arena_strdup(a, b.len ? strbuf_cstr(&b) : "-");
}

/* A note on what became of a verdict has no runs, but something to say. */
static const char *gist(struct arena *a, const struct json *j, const struct run_lines *runs)
{
    const char *note = json_cstr(a, json_first(json_get(j, STR("warnings"))));

    return runs->count == 0 && note && json_get(j, STR("after")) ? note : active_hooks(a, runs);
}

struct table receipt_text_table(struct arena *a)
{
    static const struct column columns[] = {
        { "WHEN", false, 8 },    { "ID", false, SHORT_ID }, { "POINT", false, 26 },
        { "OUTCOME", false, 7 }, { "TIME", true, 8 },       { "RAN", false, 0 },
    };

    return (struct table){
        .arena = a, .columns = columns, .column_count = ARRAY_LEN(columns), .below = true
    };
}

void receipt_text_row(struct table *t, const char *line)
{
    struct arena *a = t->arena;
    const struct json *j;
    struct run_lines runs;
    const char *tool, *outcome;

    if (json_parse(a, str_of(arena_strdup(a, line)), NULL, &j, NULL) < 0)
        return;
    runs = runs_of_json(a, j);
    tool = text(a, j, STR("tool"));
    outcome = text(a, j, STR("outcome"));
    table_cell(t, STYLE_DIM, "%s", local_time(a, text(a, j, STR("at"))));
    table_cell(t, STYLE_DIM, "%s", short_id(text(a, j, STR("id"))));
    table_cell(t, STYLE_PLAIN, "%s%s%s", text(a, j, STR("point")), tool[0] ? " " : "", tool);
    table_cell(t, outcome_style(outcome), "%s", outcome);
    table_cell(t, STYLE_PLAIN, "%s", term_duration(a, nanoseconds(j)));
    table_cell(t, STYLE_PLAIN, "%s", term_clean(a, gist(a, j, &runs)));
}

static void print_field(struct cli *cli, const struct json *j, const char *label, struct str name)
{
    const struct json *value = json_get(j, name);
    const char *s = json_type(value) == JSON_STRING ? json_cstr(&cli->arena, value)
                    : value                         ? json_text(&cli->arena, value)
                                                    : NULL;

    if (!s)
        return;
    term_put(&cli->out, STYLE_DIM, "  %-9s", label);
    term_wrap(&cli->out, STYLE_PLAIN, 11, cli->out.width, term_clean(&cli->arena, s));
}

/* "allow, by person" */
static void print_answer(struct cli *cli, const struct json *answer)
{
    struct arena *a = &cli->arena;

    if (!answer)
        return;
    term_put(&cli->out, STYLE_DIM, "  %-9s", "answer");
    term_wrap(
        &cli->out, STYLE_PLAIN, 11, cli->out.width,
        arena_printf(a, "%s, by %s", text(a, answer, STR("decision")), text(a, answer, STR("by"))));
}

void receipt_text_full(struct cli *cli, const char *line)
{
    static const struct {
        const char *label;
        struct str name;
    } fields[] = {
        { "at", { "at", 2 } },
        { "after", { "after", 5 } },
        { "session", { "session", 7 } },
        { "parent", { "parent", 6 } },
        { "agent", { "agent", 5 } },
        { "turn", { "turn", 4 } },
        { "tool", { "tool", 4 } },
        { "call", { "call_id", 7 } },
        { "outcome", { "outcome", 7 } },
        { "reason", { "reason", 6 } },
        { "cache", { "prefix_broken_by", 16 } },
    };
    struct arena *a = &cli->arena;
    const struct json *j;
    struct run_lines runs;

    if (json_parse(a, str_of(line), NULL, &j, NULL) < 0)
        return;
    term_put(&cli->out, STYLE_BOLD, "%s", text(a, j, STR("point")));
    printf("  %s  %s\n", text(a, j, STR("id")), term_duration(a, nanoseconds(j)));
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        print_field(cli, j, fields[i].label, fields[i].name);
    print_answer(cli, json_get(j, STR("answer")));
    runs = runs_of_json(a, j);
    putchar('\n');
    if (runs.count)
        runs_print(cli, &runs, 2);
    else
        printf("  no hook matched\n");
    for (const struct json *w = json_first(json_get(j, STR("warnings"))); w; w = json_next(w))
        term_put(&cli->out, STYLE_YELLOW, "  warning: %s\n", term_clean(a, json_cstr(a, w)));
}
