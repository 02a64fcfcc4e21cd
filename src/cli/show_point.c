#include "cli/show_point.h"

#include "cli/describe.h"

#include <stdarg.h>
#include <stdio.h>

#define LABEL_COLUMNS 17

void show_title(struct cli *cli, const char *name, const char *summary)
{
    term_put(&cli->out, STYLE_BOLD, "%s", name);
    if (summary && summary[0])
        printf(" - %s", term_clean(&cli->arena, summary));
    putchar('\n');
}

void show_field(struct cli *cli, const char *label, const char *fmt, ...)
{
    va_list ap;
    char *line;

    va_start(ap, fmt);
    line = term_vformat(&cli->arena, fmt, ap);
    va_end(ap);
    printf("  ");
    term_put(&cli->out, STYLE_DIM, "%-*s", LABEL_COLUMNS - 2, label);
    printf(" ");
    term_wrap(&cli->out, STYLE_PLAIN, LABEL_COLUMNS + 1, cli->out.width,
              term_clean(&cli->arena, line));
}

static const char *alias_match(const struct subscription *on)
{
    if (on->session == SESSION_SUB)
        return ", of a subagent";
    if (on->session == SESSION_MAIN)
        return ", of a main session";
    if (on->result == RESULT_SUCCESS)
        return ", when the tool worked";
    return on->result == RESULT_FAILURE ? ", when the tool failed" : "";
}

static void print_names(struct cli *cli, enum point point)
{
    size_t count;
    const struct point_alias *aliases = point_aliases(&count);
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        if (aliases[i].on.point != point)
            continue;
        show_field(cli, first ? "foreign names" : "", "%s (%s%s)", aliases[i].name,
                   aliases[i].systems, alias_match(&aliases[i].on));
        first = false;
    }
}

static void print_fields(struct cli *cli, enum point point)
{
    static const struct column columns[] = { { .title = "FIELD OF DATA" },
                                             { .title = "CHANGES" },
                                             { .title = "WHAT" } };
    struct table t = {
        .arena = &cli->arena, .columns = columns, .column_count = ARRAY_LEN(columns), .indent = 2
    };
    size_t count;
    const struct point_field *fields = point_fields(point, &count);

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        table_cell(&t, STYLE_BOLD, "%s", fields[i].name);
        table_cell(&t, STYLE_PLAIN, "%s", fields[i].changes ? "yes" : "no");
        table_cell(&t, STYLE_PLAIN, "%s", fields[i].summary);
    }
    putchar('\n');
    table_print(&t, &cli->out);
}

static const char *cadence_text(struct cli *cli, const struct point_info *p,
                                const struct cadence *cadence)
{
    if (p->ungated)
        return "never gated";
    if (p->kind == POINT_NOTICE)
        return "never gated: it is a notice";
    if (!cadence || !cadence_gates(cadence))
        return "every time";
    return arena_printf(&cli->arena, "%s (%s)", describe_cadence(&cli->arena, cadence),
                        origin_text(&cli->arena, &cadence->origin));
}

static const struct json *fields_json(struct arena *a, enum point point)
{
    struct json *list = json_array(a);
    size_t count;
    const struct point_field *fields = point_fields(point, &count);

    for (size_t i = 0; i < count; i++) {
        struct json *j = json_object(a);

        json_add(a, j, STR("name"), json_cstring(a, fields[i].name));
        json_add(a, j, STR("changes"), json_bool(a, fields[i].changes));
        json_add(a, j, STR("summary"), json_cstring(a, fields[i].summary));
        json_push(a, list, j);
    }
    return list;
}

static const struct json *names_json(struct arena *a, enum point point)
{
    struct json *list = json_array(a);
    size_t count;
    const struct point_alias *aliases = point_aliases(&count);

    for (size_t i = 0; i < count; i++)
        if (aliases[i].on.point == point)
            json_push(a, list, json_cstring(a, aliases[i].name));
    return list;
}

static const struct json *powers_json(struct arena *a, unsigned powers)
{
    struct json *list = json_array(a);

    for (unsigned bit = POWER_BLOCK; bit <= POWER_FALLBACK; bit <<= 1)
        if (powers & bit)
            json_push(a, list, json_cstring(a, power_name((enum power)bit)));
    return list;
}

static void point_json(struct cli *cli, enum point point, const char *cadence)
{
    const struct point_info *p = point_info(point);
    struct arena *a = &cli->arena;
    struct json *j = json_object(a);

    json_add(a, j, STR("name"), json_cstring(a, p->name));
    json_add(a, j, STR("summary"), json_cstring(a, p->summary));
    json_add(a, j, STR("kind"), json_cstring(a, point_kind_name(p->kind)));
    json_add(a, j, STR("powers"), powers_json(a, p->powers));
    json_add(a, j, STR("cadence"), json_cstring(a, cadence));
    json_add(a, j, STR("fields"), fields_json(a, point));
    json_add(a, j, STR("foreign_names"), names_json(a, point));
    cli_json(cli, j);
}

void show_point(struct cli *cli, enum point point, const struct cadence *cadence, bool json)
{
    const struct point_info *p = point_info(point);
    const char *gate = cadence_text(cli, p, cadence);

    if (json) {
        point_json(cli, point, gate);
        return;
    }
    show_title(cli, p->name, p->summary);
    show_field(cli, "kind", "%s", point_kind_name(p->kind));
    show_field(cli, "powers", "%s", describe_powers(&cli->arena, p->powers));
    show_field(cli, "cadence", "%s", gate);
    print_names(cli, point);
    print_fields(cli, point);
}
