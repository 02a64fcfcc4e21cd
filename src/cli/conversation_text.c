#include "cli/conversation_text.h"

#include "agent/message.h"
#include "base/clock.h"
#include "cli/screen.h"

#include <stdio.h>

/* "2026-11-15 08:04" of RFC 3339. */
static const char *minute(struct arena *a, int64_t ms)
{
    char text[CLOCK_TEXT_SIZE];

    clock_format(ms, text);
    text[10] = ' ';
    return arena_printf(a, "%.16s", text);
}

/* Line by line: no conversation drives the reader's terminal. */
static void print_text(struct cli *cli, enum style style, const char *text)
{
    struct str rest = str_of(text), piece;

    if (!cli->out.tty) {
        printf("%s\n", text);
        return;
    }
    while (str_cut(&rest, '\n', &piece))
        term_put(&cli->out, style, "%s\n", term_clean(&cli->arena, arena_cstr(&cli->arena, piece)));
}

static const char *call_line(struct arena *a, const struct json *part)
{
    const char *tool = json_cstr(a, json_get(part, STR("tool")));

    return arena_printf(a, "%s %s", tool ? tool : "?",
                        term_clean(a, screen_gist(a, json_get(part, STR("args")))));
}

static const char *failure_line(struct arena *a, const struct json *part)
{
    const char *tool = json_cstr(a, json_get(part, STR("tool")));
    const char *output = json_cstr(a, json_get(part, STR("output")));

    return arena_printf(a, "%s: %s", tool ? tool : "?",
                        output && output[0] ? term_clean(a, output) : "failed");
}

static void print_cut(struct cli *cli, enum style style, const char *text)
{
    unsigned width = cli->out.width;

    term_put(&cli->out, style, "%s\n", width ? term_cut(&cli->arena, text, width) : text);
}

static void print_parts(struct cli *cli, const struct json *message)
{
    struct arena *a = &cli->arena;
    const struct json *part = json_first(message_parts(a, message));

    for (; part; part = json_next(part)) {
        if (message_part_is(part, "tool_call"))
            print_cut(cli, STYLE_BLUE, arena_printf(a, "• %s", call_line(a, part)));
        else if (message_part_is(part, "tool_result") &&
                 !json_is_true(json_get(part, STR("success"))))
            print_cut(cli, STYLE_DIM, arena_printf(a, "  %s", failure_line(a, part)));
    }
}

static void print_message(struct cli *cli, const struct json *message)
{
    struct arena *a = &cli->arena;
    const char *text = message_text(a, message);
    bool internal = json_is_true(json_get(message, STR("internal")));

    if (message_is(message, "user")) {
        putchar('\n');
        print_text(cli, internal ? STYLE_DIM : STYLE_BOLD, arena_printf(a, "> %s", text));
    } else if (text[0] && !message_is(message, "tool")) {
        putchar('\n');
        print_text(cli, STYLE_PLAIN, text);
    }
    print_parts(cli, message);
}

static const struct json *parse(struct cli *cli, const struct conversation_message *row)
{
    const struct json *message;

    return json_parse(&cli->arena, row->line, NULL, &message, NULL) == 0 ? message : NULL;
}

void conversation_print(struct cli *cli, const struct conversation *c, uint32_t generation,
                        const struct conversation_rows *rows)
{
    struct arena *a = &cli->arena;

    term_put(&cli->out, STYLE_BOLD, "%s\n", term_clean(a, c->title[0] ? c->title : "(no title)"));
    print_cut(cli, STYLE_DIM, arena_printf(a, "%s · %s · %s", c->id, c->agent, c->model));
    print_cut(cli, STYLE_DIM,
              arena_printf(a, "begun %s · %zu message%s · generation %u of %u%s%s",
                           minute(a, c->created_ms), rows->count, rows->count == 1 ? "" : "s",
                           generation, c->generation, c->origin[0] ? " · forked from " : "",
                           c->origin));
    for (size_t i = 0; i < rows->count; i++)
        print_message(cli, parse(cli, &rows->list[i]));
}

/* Markdown ------------------------------------------------------------------------------------ */

static void markdown_message(struct cli *cli, const struct json *message)
{
    struct arena *a = &cli->arena;
    const char *text = message_text(a, message);
    const struct json *part = json_first(message_parts(a, message));

    if (!message_is(message, "tool")) {
        printf("\n## %s\n", message_is(message, "user") ? "User" : "Assistant");
        if (text[0])
            putchar('\n');
        if (text[0])
            print_text(cli, STYLE_PLAIN, text);
    }
    for (bool first = true; part; part = json_next(part)) {
        if (!message_part_is(part, "tool_call"))
            continue;
        if (first)
            putchar('\n');
        first = false;
        printf("- `%s`\n", call_line(a, part));
    }
}

void conversation_markdown(struct cli *cli, const struct conversation *c,
                           const struct conversation_rows *rows)
{
    struct arena *a = &cli->arena;

    printf("# %s\n\n`%s`, %s, %s\n", term_clean(a, c->title[0] ? c->title : "Conversation"), c->id,
           c->model, minute(a, c->created_ms));
    for (size_t i = 0; i < rows->count; i++)
        markdown_message(cli, parse(cli, &rows->list[i]));
}
