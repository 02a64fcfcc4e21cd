#include "cli/gather.h"

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "cli/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

struct gather {
    struct cli *cli;
    const char *dir;
    size_t most, count;
    struct map seen; /* names of files that were there before, or are counted */
};

/* "<ulid>.json": other files of the folder are not ours. */
static int is_capture(const struct dirent *d)
{
    size_t len = strlen(d->d_name);

    return len == ULID_SIZE - 1 + 5 && strcmp(d->d_name + ULID_SIZE - 1, ".json") == 0;
}

static void show_progress(const struct gather *g, const char *name)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct captured c;
    struct str text;

    if (!g->cli->out.tty ||
        file_read(&a, path_join(&a, g->dir, name), JSON_MAX_BYTES, &text, NULL) < 0 ||
        capture_read(&a, text, &c, NULL) < 0)
        return;
    printf("\r\x1b[K%zu  %s  %s", g->count, point_info(c.event.point)->name,
           term_clean(&a, c.outcome ? c.outcome : ""));
}

/* Engines notice a moment late that it is enough: what came too many goes again. */
static void take(struct gather *g, const char *name)
{
    CLEANUP(arena) struct arena a = { 0 };

    if (g->most && g->count == g->most) {
        unlink(path_join(&a, g->dir, name));
        return;
    }
    g->count++;
    show_progress(g, name);
}

/* Names of captures sort by time. */
static int look(struct gather *g, bool count)
{
    struct dirent **names;
    int n = scandir(g->dir, &names, is_capture, alphasort);

    for (int i = 0; i < n; i++) {
        struct str name = str_of(arena_strdup(&g->cli->arena, names[i]->d_name));

        if (!map_get(&g->seen, name)) {
            map_put(&g->seen, name, g);
            if (count)
                take(g, name.ptr);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return n < 0 ? -errno : 0;
}

static int gather(struct gather *g, struct capture_ticket *ticket)
{
    CLEANUP(watch) struct watch watch = watch_open(g->dir);
    int r;

    printf("saving events to '%s'%s\n", term_clean(&g->cli->arena, g->dir),
           g->most ? "" : ", Ctrl-C ends it");
    do
        r = look(g, true);
    while (r == 0 && fflush(stdout) == 0 && !(g->most && g->count >= g->most) &&
           watch_wait(&watch));
    capture_withdraw(ticket);
    if (r == 0)
        r = look(g, true);
    if (g->cli->out.tty)
        printf("\r\x1b[K");
    if (r < 0)
        return cli_fail(g->cli, "reading '%s': %s", g->dir, strerror(-r));
    printf("%zu event%s saved\n", g->count, g->count == 1 ? "" : "s");
    return EXIT_DONE;
}

int gather_events(struct cli *cli, const struct capture_request *q, size_t most)
{
    CLEANUP(capture_ticket) struct capture_ticket ticket = { .fd = -1 };
    struct capture_request asked = *q;
    struct gather g = { .cli = cli, .most = most };
    CLEANUP(mem) char *real = NULL;
    struct err e = { 0 };
    int rc;

    if (file_mkdirs(q->dir, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    real = realpath(q->dir, NULL);
    if (!real || access(real, R_OK | W_OK | X_OK) < 0)
        return cli_fail(cli, "--capture '%s': %s", q->dir, strerror(errno));
    g.dir = asked.dir = real;
    rc = look(&g, false);
    if (rc == 0 && capture_ask(capture_default_folder(&cli->arena), &asked, &ticket, &e) < 0)
        rc = cli_fail(cli, "%s", e.msg);
    else
        rc = rc < 0 ? cli_fail(cli, "reading '%s': %s", real, strerror(-rc)) : gather(&g, &ticket);
    map_release(&g.seen);
    return rc;
}
