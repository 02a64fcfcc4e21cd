/* hooke run - one user message to one session, to its end. */
#include "cli/talk.h"

#include <stdio.h>

#define PROMPT_MAX ((size_t)8 << 20)

static const char *read_prompt(struct cli *cli, const struct words *words)
{
    CLEANUP(strbuf) struct strbuf text = { .max = PROMPT_MAX };
    char piece[4096];
    size_t n;

    for (size_t i = 0; i < words->count; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", words->word[i]);
    if (words->count == 0 || (words->count == 1 && strcmp(words->word[0], "-") == 0)) {
        strbuf_reset(&text);
        if (isatty(STDIN_FILENO) == 1)
            return NULL;
        while ((n = fread(piece, 1, sizeof(piece), stdin)) > 0)
            strbuf_add(&text, piece, n);
    }
    return str_trim(strbuf_str(&text)).len ? arena_cstr(&cli->arena, strbuf_str(&text)) : NULL;
}

static int exit_code(enum agent_end end)
{
    switch (end) {
    case AGENT_DONE:
        return EXIT_DONE;
    case AGENT_BLOCKED:
    case AGENT_STOPPED:
        return EXIT_BLOCKED;
    default:
        return EXIT_FAILED;
    }
}

static int conclude(struct cli *cli, struct screen *screen, struct agent_outcome *out)
{
    int rc = exit_code(out->end);

    screen_end(screen, out);
    if (rc != EXIT_DONE && !screen->options.json)
        cli_fail(cli, "%s", out->reason);
    return rc;
}

static int run_task(struct cli *cli, struct talk *o, const struct runtime *rt)
{
    struct screen screen;
    struct agent_outcome out = { 0 };
    struct agent *agent = talk_agent(cli, o, rt, &screen);
    struct err e = { 0 };
    int r = agent_run(agent, &o->task, &out, &e), rc;

    if (r < 0) {
        rc = talk_failed(cli, r, &e);
    } else {
        rc = conclude(cli, &screen, &out);
        agent_session_ended(agent, &out, screen_end_name(out.end));
    }
    screen_close(&screen);
    agent_outcome_release(&out);
    agent_free(agent);
    return rc;
}

int cmd_run(struct cli *cli, int argc, char **argv)
{
    struct talk o = { 0 };
    const struct arg flags[] = {
        TALK_ARGS(&o),
        ARG_SWITCH("no-save", 0, &o.task.no_save, "store nothing"),
        ARG_SWITCH("json", 0, &o.show.json, "one event a line, for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc) || !talk_check(cli, &o, &rc))
        return rc;
    o.task.text = read_prompt(cli, &words);
    if (!o.task.text)
        return cli_misuse(cli, "say what to do: hooke run \"…\", or on standard input");
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    rc = talk_find(cli, &o, &rt);
    return rc == EXIT_DONE ? run_task(cli, &o, &rt) : rc;
}
