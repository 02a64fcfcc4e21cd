#include "cli/follow.h"

#include "base/file.h"
#include "cli/receipt_text.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#define WINDOW  2000 /* the newest receipts that are compared with the last look */
#define POLL_MS 1000 /* where the folder cannot be watched, or is on a network */

/* What one look at the store saw. A receipt the look before did not see is new. */
struct look {
    struct arena arena;
    struct map seen;
};

struct follow {
    struct cli *cli;
    struct runtime *rt;
    struct store_query query;
    size_t first; /* at the first look, print only this many */
    bool json;
    struct look *now, *before;
    size_t total, at;
};

static void look_release(struct look *l)
{
    map_release(&l->seen);
    arena_release(&l->arena);
    *l = (struct look){ 0 };
}

static void print_receipt(struct follow *f, const char *line)
{
    struct table t = receipt_text_table(&f->now->arena);

    if (f->json) {
        printf("%s\n", line);
        return;
    }
    t.no_titles = true;
    receipt_text_row(&t, line);
    if (t.count)
        table_print(&t, &f->cli->out);
}

static int see_receipt(void *context, const struct store_receipt *r)
{
    struct follow *f = context;
    struct str id = str_of(arena_strdup(&f->now->arena, r->id));
    bool is_old = f->before ? map_get(&f->before->seen, id) != NULL : f->at + f->first < f->total;

    f->at++;
    map_put(&f->now->seen, id, f);
    if (!is_old)
        print_receipt(f, r->line);
    return 0;
}

static int count_receipt(void *context, const struct store_receipt *r UNUSED)
{
    ++*(size_t *)context;
    return 0;
}

static int look(struct follow *f, struct err *e)
{
    size_t taken;
    int r = store_ingest(f->rt->store, f->rt->receipts, &taken, e);

    f->at = f->total = 0;
    if (r == 0 && !f->before)
        r = store_receipts(f->rt->store, &f->query, count_receipt, &f->total, e);
    if (r == 0)
        r = store_receipts(f->rt->store, &f->query, see_receipt, f, e);
    return r;
}

/* True when it is time to look again, false when it is over. */
static bool wait_for_more(int signals, int watch)
{
    struct pollfd fds[] = {
        { .fd = signals, .events = POLLIN },
        { .fd = STDOUT_FILENO }, /* the reader went away */
        { .fd = watch, .events = POLLIN },
    };
    char events[4096];

    if (poll(fds, ARRAY_LEN(fds), POLL_MS) < 0)
        return true;
    if (fds[0].revents || (fds[1].revents & (POLLERR | POLLHUP)))
        return false;
    if (fds[2].revents && read(watch, events, sizeof(events)) < 0)
        return true;
    return true;
}

static int watch_folder(const char *dir)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    /* Without a watch the bounded wait finds new receipts all the same. */
    if (fd >= 0 && inotify_add_watch(fd, dir, IN_MODIFY | IN_CREATE) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int follow(struct follow *f, int signals, int watch)
{
    struct look looks[2] = { 0 };
    struct err e = { 0 };
    int r;

    f->now = &looks[0];
    do {
        r = look(f, &e);
        if (fflush(stdout) != 0 || r < 0)
            break;
        f->before = f->now;
        f->now = f->now == &looks[0] ? &looks[1] : &looks[0];
        look_release(f->now);
    } while (wait_for_more(signals, watch));
    f->now = f->before = NULL;
    look_release(&looks[0]);
    look_release(&looks[1]);
    return r < 0 ? cli_fail(f->cli, "%s", e.msg) : EXIT_DONE;
}

int follow_receipts(struct cli *cli, struct runtime *rt, const struct store_query *q, bool json)
{
    struct follow f = { .cli = cli, .rt = rt, .query = *q, .first = q->limit, .json = json };
    CLEANUP(fd) int signals = -1;
    CLEANUP(fd) int watch = -1;
    struct err e = { 0 };
    sigset_t set;

    if (!rt->receipts || !rt->receipts[0])
        return cli_fail(cli, "no receipts are written here: there is nothing to follow");
    if (file_mkdirs(rt->receipts, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    f.query.limit = q->limit > WINDOW ? q->limit : WINDOW;
    if (q->limit == 0)
        f.first = WINDOW;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    watch = watch_folder(rt->receipts);
    return follow(&f, signals, watch);
}
