/* hooke answer - be a command hook of another agent: its JSON in, its JSON out. */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "serve/answering.h"

/*
 * A configuration that is refused must not stop the agent's tools: what can be used of it is, and
 * the answer says so.
 */
static bool open_runtime(struct cli *cli, const char *agent, struct runtime *rt,
                         struct answer_request *q)
{
    struct runtime_options options = { .log = &cli->log,
                                       .answering = agent,
                                       .abort_fd = q->abort_fd };
    struct err e = { 0 };

    if (runtime_open(rt, &options, &e) == 0)
        return true;
    q->broken = arena_strdup(&cli->arena, e.msg);
    log_warn(&cli->log, "%s", e.msg);
    runtime_close(rt);
    options.log = NULL;
    options.lenient = true;
    return runtime_open(rt, &options, &e) == 0;
}

int cmd_answer(struct cli *cli, int argc, char **argv)
{
    static const struct arg flags[] = { ARG_END };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct answer_request q = {
        .in = STDIN_FILENO, .out = STDOUT_FILENO, .err = STDERR_FILENO, .from = getpid()
    };
    const char *const *agents = answer_agents();
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count < 1 || words.count > 2)
        return cli_usage(cli);
    while (*agents && strcmp(*agents, words.word[0]) != 0)
        agents++;
    if (!*agents)
        return cli_unknown(cli, words.word[0], answer_agents());
    q.agent = words.word[0];
    q.event = words.count > 1 ? words.word[1] : NULL;
    q.abort_fd = interrupt_fd();
    if (!open_runtime(cli, q.agent, &rt, &q))
        return cli_fail(cli, "%s", q.broken);
    return answer_serve(&rt, &q);
}
