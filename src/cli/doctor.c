#include "cli/doctor.h"

static const char *const health_names[] = {
    [HEALTH_OK] = "ok",
    [HEALTH_WARN] = "warn",
    [HEALTH_FAIL] = "fail",
};

static enum style health_style(enum health h)
{
    switch (h) {
    case HEALTH_OK:
        return STYLE_GREEN;
    case HEALTH_WARN:
        return STYLE_YELLOW;
    case HEALTH_FAIL:
        return STYLE_RED;
    }
    return STYLE_PLAIN;
}

void doctor_report(struct doctor *d, enum health health, const char *what, const char *text,
                   const char *way_out)
{
    struct arena *a = &d->cli->arena;
    struct json *j;

    d->failed = d->failed || health == HEALTH_FAIL;
    if (!d->list) {
        table_cell(&d->table, health_style(health), "%s", health_names[health]);
        table_cell(&d->table, STYLE_BOLD, "%s", what);
        table_cell(&d->table, STYLE_PLAIN, "%s%s%s", text, way_out ? ": " : "",
                   way_out ? way_out : "");
        return;
    }
    j = json_object(a);
    json_add(a, j, STR("check"), json_cstring(a, what));
    json_add(a, j, STR("health"), json_cstring(a, health_names[health]));
    json_add(a, j, STR("text"), json_cstring(a, arena_strdup(a, text)));
    json_add(a, j, STR("way_out"), way_out ? json_cstring(a, way_out) : NULL);
    json_push(a, d->list, j);
}

struct doctor doctor_open(struct cli *cli, bool json)
{
    static const struct column columns[3] = { 0 };
    struct doctor d = { .cli = cli };

    d.table = (struct table){
        .arena = &cli->arena, .columns = columns, .column_count = 3, .no_titles = true
    };
    d.list = json ? json_array(&cli->arena) : NULL;
    return d;
}

int doctor_close(struct doctor *d)
{
    if (d->list)
        cli_json(d->cli, d->list);
    else
        table_print(&d->table, &d->cli->out);
    return d->failed ? EXIT_FAILED : EXIT_DONE;
}
