/* hooke serve - the daemon, and two questions to it. */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "hook/option.h"
#include "serve/answering.h"
#include "serve/ask.h"
#include "serve/serve.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#define FILES_MAX 16384 /* three descriptors for each client */

struct serve {
    const char *socket, *idle;
    bool status, stop, json;
};

static void allow_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= FILES_MAX)
        return;
    limit.rlim_cur = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int ask(struct cli *cli, const struct serve *o, const char *path)
{
    const struct json *result;
    struct err e = { 0 };

    if (ask_daemon(&cli->arena, path, o->stop ? "stop" : "status", &result, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    if (o->json) {
        cli_json(cli, result);
        return EXIT_DONE;
    }
    if (o->stop) {
        printf("the daemon on '%s' stops\n", path);
        return EXIT_DONE;
    }
    for (const struct json *m = json_first(result); m; m = json_next(m)) {
        struct str name = json_key(&cli->arena, m);
        const char *text = json_cstr(&cli->arena, m);

        printf("%-12.*s %s\n", STR_ARG(name), text ? text : json_text(&cli->arena, m));
    }
    return EXIT_DONE;
}

static int serve(struct cli *cli, const char *path, int64_t idle_ms)
{
    struct serve_options o = {
        .log = &cli->log,
        .answer = answer_serve,
        .idle_ms = (uint64_t)idle_ms,
    };
    struct socket_place place;
    struct err e = { 0 };
    int fd, r;

    allow_files();
    fd = interrupt_open();
    o.stop_fd = fd > 0 ? fd : 0;
    o.place = &place;
    if (socket_open(&place, path, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    fprintf(stderr, "hooke: serving on '%s'\n", place.path);
    r = serve_run(&o, &e);
    if (r < 0)
        return cli_fail(cli, "%s", e.msg);
    if (r == 0)
        return EXIT_DONE;
    cli_fail(cli, "stopped while something still ran");
    _exit(EXIT_FAILED); /* it uses what a usual end would free */
}

int cmd_serve(struct cli *cli, int argc, char **argv)
{
    struct serve o = { 0 };
    const struct arg flags[] = {
        ARG_TEXT("socket", 0, &o.socket, "PATH", "where to listen (default: HOOKE_SOCKET)"),
        ARG_TEXT("idle", 0, &o.idle, "TIME", "stop when nobody was connected for so long"),
        ARG_SWITCH("status", 0, &o.status, "ask the daemon how it is"),
        ARG_SWITCH("stop", 0, &o.stop, "ask the daemon to stop"),
        ARG_SWITCH("json", 0, &o.json, "with --status: for programs"),
        ARG_END,
    };
    const char *path;
    int64_t idle_ms = 0;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count || (o.status && o.stop))
        return cli_usage(cli);
    if (o.idle && (!option_parse_time(str_of(o.idle), &idle_ms) || idle_ms <= 0))
        return cli_misuse(cli, "serve: '--idle %s' is no time such as 30s, 10m or 2h", o.idle);
    path = o.socket ? o.socket : socket_path(&cli->arena);
    return o.status || o.stop ? ask(cli, &o, path) : serve(cli, path, idle_ms);
}
