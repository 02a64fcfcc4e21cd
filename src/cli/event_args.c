#include "cli/event_args.h"

#include "base/ulid.h"
#include "cli/input.h"

#include <errno.h>
#include <sys/stat.h>

static bool find_cwd(struct cli *cli, struct event_args *o, int *rc)
{
    CLEANUP(mem) char *real = realpath(o->cwd ? o->cwd : ".", NULL);
    struct stat st;

    if (!real || stat(real, &st) < 0) {
        *rc = cli_misuse(cli, "--cwd '%s': %s", o->cwd ? o->cwd : ".", strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        *rc = cli_misuse(cli, "--cwd '%s' is no folder", o->cwd);
        return false;
    }
    o->cwd = arena_strdup(&cli->arena, real);
    return true;
}

/* Receipts and hooks are JSON: a name it cannot hold would come out as another one. */
static bool check_names(struct cli *cli, const struct event_args *o, int *rc)
{
    const struct {
        const char *flag, *value;
    } names[] = {
        { "session", o->session },
        { "agent", o->agent },
        { "parent", o->parent },
        { "recipe", o->recipe },
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].value && !json_is_utf8(str_of(names[i].value))) {
            *rc = cli_misuse(cli, "--%s is not valid UTF-8: write it in that encoding",
                             names[i].flag);
            return false;
        }
    return true;
}

bool event_args_check(struct cli *cli, struct event_args *o, int *rc)
{
    if (o->turn > UINT32_MAX)
        *rc = cli_misuse(cli, "--turn is too large");
    else if (o->session && !o->session[0])
        *rc = cli_misuse(cli, "--session is empty: leave it out for a fresh session");
    else
        return check_names(cli, o, rc) && find_cwd(cli, o, rc);
    return false;
}

bool event_args_apply(struct cli *cli, const struct event_args *o, struct event *ev, int *rc)
{
    struct session *s = &ev->session;

    if (o->session)
        s->id = o->session;
    if (!s->id)
        s->id = ulid_new(&cli->arena);
    if (o->agent)
        s->agent = o->agent;
    if (o->parent)
        s->parent = o->parent;
    if (o->recipe)
        s->recipe = o->recipe;
    if (o->cwd)
        s->cwd = o->cwd;
    if (o->turn)
        ev->turn = (unsigned)o->turn;
    if (o->data && !(ev->data = input_object(cli, "--data", o->data, rc)))
        return false;
    return !o->usage || (s->usage = input_object(cli, "--usage", o->usage, rc));
}
