#include "cli/follow.h"

#include "base/file.h"
#include "cli/receipt_text.h"
#include "cli/watch.h"

#include <stdio.h>

#define WINDOW     256 /* how far back the last look's newest receipt is searched for, at first */
#define WINDOW_MAX ((size_t)WINDOW << 12)

struct follow {
    struct cli *cli;
    struct runtime *rt;
    struct store_query query;
    bool json;
    struct arena arena;       /* of one look */
    char last[ULID_SIZE * 2]; /* the newest receipt of the look before; "": there was none */
    bool past;                /* it has been met */
};

static void print_receipt(struct follow *f, const char *line)
{
    struct table t = receipt_text_table(&f->arena);

    if (f->json) {
        printf("%s\n", line);
        return;
    }
    t.no_titles = true;
    receipt_text_row(&t, line);
    if (t.count)
        table_print(&t, &f->cli->out);
}

static bool is_last(const struct follow *f, const struct store_receipt *r)
{
    return strncmp(r->id, f->last, sizeof(f->last) - 1) == 0;
}

static int find_last(void *context, const struct store_receipt *r)
{
    return is_last(context, r);
}

static int see_receipt(void *context, const struct store_receipt *r)
{
    struct follow *f = context;

    if (f->past) {
        print_receipt(f, r->line);
        snprintf(f->last, sizeof(f->last), "%s", r->id);
    } else {
        f->past = is_last(f, r);
    }
    return 0;
}

/* The store keeps the order it took receipts in: what is new stands behind the last one seen. */
static int reach_back(struct follow *f, struct store_query *q, struct err *e)
{
    int found = 0;

    for (q->limit = WINDOW;; q->limit = q->limit < WINDOW_MAX ? q->limit * 8 : 0) {
        found = store_receipts(f->rt->store, q, find_last, f, e);
        if (found != 0 || q->limit == 0)
            break;
    }
    f->past = found == 0; /* it is gone: another store, all of it new */
    return found < 0 ? found : 0;
}

static int look(struct follow *f, struct err *e)
{
    struct store_query q = f->query;
    size_t taken;
    int r = store_ingest(f->rt->store, f->rt->receipts, &taken, e);

    f->past = true;
    if (r == 0 && f->last[0])
        r = reach_back(f, &q, e);
    if (r == 0)
        r = store_receipts(f->rt->store, &q, see_receipt, f, e);
    f->query.limit = 0; /* was for the first look */
    arena_reset(&f->arena);
    return r;
}

int follow_receipts(struct cli *cli, struct runtime *rt, const struct store_query *q, bool json)
{
    struct follow f = { .cli = cli, .rt = rt, .query = *q, .json = json };
    CLEANUP(watch) struct watch watch = { -1, -1 };
    struct err e = { 0 };
    int r;

    if (!rt->receipts || !rt->receipts[0])
        return cli_fail(cli, "no receipts are written here: there is nothing to follow");
    if (file_mkdirs(rt->receipts, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    watch = watch_open(rt->receipts);
    do
        r = look(&f, &e);
    while (r == 0 && fflush(stdout) == 0 && watch_wait(&watch));
    arena_release(&f.arena);
    return r < 0 ? cli_fail(cli, "%s", e.msg) : EXIT_DONE;
}
