#include "cli/interrupt.h"
#include "cli/screen.h"
#include "hook/registry.h"
#include "store/conversation.h"

#include <errno.h>
#include <stdio.h>

#define PROMPT_MAX ((size_t)8 << 20)

struct run {
    struct scope scope;
    struct agent_task task;
    struct arg_list allow;
    uint64_t max_turns;
    bool follow;
    struct screen_options show;
};

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

/* The newest conversation of this workspace; where it has none, the newest of all. */
static int find_newest(struct cli *cli, struct run *o, const struct runtime *rt)
{
    struct registry *reg = engine_look(rt->engine);
    const char *workspace = registry_config(reg)->workspace;
    struct conversation *list;
    struct err e = { 0 };
    size_t count;
    int r = conversation_list(rt->store,
                              &(struct conversation_query){ .workspace = workspace, .limit = 1 },
                              &cli->arena, &list, &count, &e);

    if (r == 0 && count == 0) {
        r = conversation_list(rt->store, &(struct conversation_query){ .limit = 1 }, &cli->arena,
                              &list, &count, &e);
        if (r == 0 && count)
            fprintf(stderr, "hooke: no conversation here yet, going on with '%s' of '%s'\n",
                    list[0].id, list[0].workspace);
    }
    registry_unref(reg);
    if (r < 0)
        return cli_fail(cli, "%s", e.msg);
    if (count == 0)
        return cli_misuse(cli, "--follow: there is no conversation to go on with");
    o->task.resume = list[0].id;
    return EXIT_DONE;
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

static int run_task(struct cli *cli, struct run *o, const struct runtime *rt, int abort_fd)
{
    struct screen screen;
    struct agent_outcome out = { 0 };
    const char **allowed = arena_array(&cli->arena, const char *, o->allow.count + 1);
    struct agent *agent;
    struct err e = { 0 };
    int r, rc;

    memcpy(allowed, o->allow.values, o->allow.count * sizeof(const void *));
    o->show.abort_fd = abort_fd > 0 ? abort_fd : 0;
    screen_open(&screen, cli, &o->show);
    agent = agent_new(&(struct agent_options){ .engine = rt->engine,
                                               .store = rt->store,
                                               .log = &cli->log,
                                               .cwd = o->scope.cwd,
                                               .screen = &screen.agent,
                                               .allowed = allowed,
                                               .abort_fd = o->show.abort_fd });
    r = agent_run(agent, &o->task, &out, &e);
    if (r < 0)
        rc = r == -ENOENT || r == -EINVAL || r == -ENOTUNIQ ? cli_misuse(cli, "%s", e.msg)
                                                            : cli_fail(cli, "%s", e.msg);
    else
        rc = conclude(cli, &screen, &out);
    if (r == 0)
        agent_session_ended(agent, &out, screen_end_name(out.end));
    screen_close(&screen);
    agent_outcome_release(&out);
    agent_free(agent);
    return rc;
}

static bool parse(struct cli *cli, struct run *o, int argc, char **argv, struct words *words,
                  int *rc)
{
    const struct arg flags[] = {
        ARG_SWITCH("follow", 'f', &o->follow, "go on with the newest conversation"),
        ARG_TEXT("resume", 0, &o->task.resume, "ID", "go on with this conversation"),
        ARG_TEXT("agent", 0, &o->task.agent, "AGENT", "who works"),
        ARG_TEXT("model", 'm', &o->task.model, "PROVIDER/MODEL", "which model answers"),
        ARG_TEXT("variant", 0, &o->task.variant, "VARIANT", "how hard it thinks"),
        ARG_NUMBER("max-turns", 0, &o->max_turns, "N", "give up after so many requests"),
        ARG_LIST("allow", 0, &o->allow, "TOOL",
                 "consent to a tool beforehand, or to 'all'; may be repeated"),
        ARG_SWITCH("thinking", 0, &o->show.thinking, "show what the model thinks, too"),
        ARG_SWITCH("no-save", 0, &o->task.no_save, "store nothing"),
        ARG_TEXT("cwd", 0, &o->scope.cwd, "DIR", "work there (default: here)"),
        ARG_SWITCH("json", 0, &o->show.json, "one event a line, for programs"),
        SCOPE_ARGS(&o->scope),
        ARG_END,
    };

    if (!args_parse(cli, flags, argc, argv, words, rc))
        return false;
    if (o->follow && o->task.resume) {
        *rc = cli_misuse(cli, "--follow and --resume name two conversations: choose one");
        return false;
    }
    o->task.max_turns = o->max_turns > UINT32_MAX ? UINT32_MAX : (unsigned)o->max_turns;
    return true;
}

int cmd_run(struct cli *cli, int argc, char **argv)
{
    struct run o = { 0 };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    int rc;

    if (!parse(cli, &o, argc, argv, &words, &rc))
        return rc;
    o.task.text = read_prompt(cli, &words);
    if (!o.task.text)
        return cli_misuse(cli, "say what to do: hooke run \"…\", or on standard input");
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    rc = o.follow ? find_newest(cli, &o, &rt) : EXIT_DONE;
    if (rc != EXIT_DONE)
        return rc;
    return run_task(cli, &o, &rt, interrupt_open());
}
