#include "cli/talk.h"

#include "cli/interrupt.h"
#include "hook/registry.h"
#include "store/conversation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_ratio(const char *text, double *ratio)
{
    char *end;

    *ratio = strtod(text, &end);
    return end != text && !*end && *ratio > 0 && *ratio <= 1;
}

bool talk_check(struct cli *cli, struct talk *o, int *rc)
{
    if (o->follow && o->task.resume) {
        *rc = cli_misuse(cli, "--follow and --resume name two conversations: choose one");
        return false;
    }
    if (o->compact_ratio && !read_ratio(o->compact_ratio, &o->task.compact_ratio)) {
        *rc = cli_misuse(cli, "--compact-ratio: '%s' is not above 0 and up to 1", o->compact_ratio);
        return false;
    }
    o->task.max_turns = o->max_turns > UINT32_MAX ? UINT32_MAX : (unsigned)o->max_turns;
    return true;
}

/* The newest conversation of this workspace; where it has none, the newest of all. */
int talk_find(struct cli *cli, struct talk *o, const struct runtime *rt)
{
    struct registry *reg = engine_look(rt->engine);
    const char *workspace = registry_config(reg)->workspace;
    struct conversation *list;
    struct err e = { 0 };
    size_t count = 0;
    int r = 0;

    if (o->follow)
        r = conversation_list(rt->store,
                              &(struct conversation_query){ .workspace = workspace, .limit = 1 },
                              &cli->arena, &list, &count, &e);
    if (o->follow && r == 0 && count == 0) {
        r = conversation_list(rt->store, &(struct conversation_query){ .limit = 1 }, &cli->arena,
                              &list, &count, &e);
        if (r == 0 && count)
            fprintf(stderr, "hooke: no conversation here yet, going on with '%s' of '%s'\n",
                    list[0].id, list[0].workspace);
    }
    registry_unref(reg);
    if (r < 0)
        return cli_fail(cli, "%s", e.msg);
    if (o->follow && count == 0)
        return cli_misuse(cli, "--follow: there is no conversation to go on with");
    if (o->follow)
        o->task.resume = list[0].id;
    return EXIT_DONE;
}

struct agent *talk_agent(struct cli *cli, struct talk *o, const struct runtime *rt,
                         struct screen *screen)
{
    const char **allowed = arena_array(&cli->arena, const char *, o->allow.count + 1);
    int fd = interrupt_open();

    if (o->allow.count)
        memcpy(allowed, o->allow.values, o->allow.count * sizeof(const void *));
    o->show.abort_fd = fd > 0 ? fd : 0;
    screen_open(screen, cli, &o->show);
    return agent_new(&(struct agent_options){ .engine = rt->engine,
                                              .store = rt->store,
                                              .log = &cli->log,
                                              .cwd = o->scope.cwd,
                                              .screen = &screen->agent,
                                              .allowed = allowed,
                                              .abort_fd = o->show.abort_fd });
}

int talk_failed(struct cli *cli, int r, const struct err *e)
{
    return r == -ENOENT || r == -EINVAL || r == -ENOTUNIQ ? cli_misuse(cli, "%s", e->msg)
                                                          : cli_fail(cli, "%s", e->msg);
}
