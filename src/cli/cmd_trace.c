/* hooke trace - receipts: what ran, what was held back, what it cost. */
#include "cli/follow.h"
#include "cli/gather.h"
#include "cli/receipt_text.h"

#include <stdio.h>
#include <strings.h>

#define TAIL_DEFAULT 20
#define NO_NUMBER    UINT64_MAX

struct trace {
    struct cli *cli;
    const char *session, *point, *capture;
    uint64_t limit;
    bool follow, json;
    struct scope scope;
};

static int take_in(struct cli *cli, struct runtime *rt)
{
    struct err e = { 0 };
    size_t taken;

    if (rt->receipts && rt->receipts[0] && store_ingest(rt->store, rt->receipts, &taken, &e) < 0)
        return cli_fail(cli, "taking in the receipts of '%s': %s", rt->receipts, e.msg);
    return EXIT_DONE;
}

/* tail ----------------------------------------------------------------------------------------- */

struct tail {
    struct table *table; /* NULL: raw lines */
    size_t count;
};

static int tail_receipt(void *context, const struct store_receipt *r)
{
    struct tail *t = context;

    t->count++;
    if (t->table)
        receipt_text_row(t->table, r->line);
    else
        printf("%s\n", r->line);
    return 0;
}

static int tail(struct trace *o, struct runtime *rt)
{
    struct table table = receipt_text_table(&o->cli->arena);
    struct tail t = { o->json ? NULL : &table, 0 };
    struct store_query q = { o->session, o->point, o->limit };
    struct err e = { 0 };

    if (o->follow)
        return follow_receipts(o->cli, rt, &q, o->json);
    if (take_in(o->cli, rt))
        return EXIT_FAILED;
    if (store_receipts(rt->store, &q, tail_receipt, &t, &e) < 0)
        return cli_fail(o->cli, "%s", e.msg);
    if (t.table && t.count)
        table_print(&table, &o->cli->out);
    else if (t.table)
        printf("no receipts%s\n", o->session || o->point ? " that match" : " yet");
    return EXIT_DONE;
}

/* show ----------------------------------------------------------------------------------------- */

struct search {
    struct cli *cli;
    const char *id;
    const char *line; /* of the newest that matches */
    size_t matches;
};

static int compare_id(void *context, const struct store_receipt *r)
{
    struct search *s = context;
    size_t len = strlen(s->id), id_len = strlen(r->id);

    if (len > id_len || strcasecmp(r->id + id_len - len, s->id) != 0)
        return 0;
    s->line = arena_strdup(&s->cli->arena, r->line);
    s->matches++;
    return 0;
}

static int show(struct trace *o, struct runtime *rt, const char *id)
{
    struct search s = { .cli = o->cli, .id = id ? id : "" };
    struct store_query q = { o->session, o->point, id ? 0 : 1 };
    struct err e = { 0 };

    if (take_in(o->cli, rt))
        return EXIT_FAILED;
    if (store_receipts(rt->store, &q, compare_id, &s, &e) < 0)
        return cli_fail(o->cli, "%s", e.msg);
    if (s.matches == 0)
        return id ? cli_fail(o->cli, "no receipt '%s'; 'hooke trace' lists the newest", id)
                  : cli_fail(o->cli, "no receipts yet");
    if (s.matches > 1)
        return cli_fail(
            o->cli, "%zu receipts end in '%s': write more of the id, 'hooke trace --json' has it",
            s.matches, id);
    if (o->json)
        printf("%s\n", s.line);
    else
        receipt_text_full(o->cli, s.line);
    return EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------- */

static bool point_of(struct trace *o, int *rc)
{
    struct subscription on;

    if (!o->point)
        return true;
    if (point_resolve(str_of(o->point), &on)) {
        o->point = point_info(on.point)->name;
        return true;
    }
    *rc = cli_unknown_point(o->cli, o->point);
    return false;
}

static int run(struct trace *o, const struct words *words)
{
    static const char *const known[] = { "tail", "show", NULL };
    const char *word = words->count ? words->word[0] : "tail";
    CLEANUP(runtime) struct runtime rt = { 0 };
    bool is_tail = strcmp(word, "tail") == 0;
    struct capture_request wanted = { .dir = o->capture };
    int rc;

    if (!is_tail && strcmp(word, "show") != 0)
        return cli_unknown(o->cli, word, known);
    if (words->count > (is_tail ? 1 : 2))
        return cli_usage(o->cli);
    if (!point_of(o, &rc))
        return rc;
    if (o->capture) {
        if (!is_tail || o->follow || o->json)
            return cli_misuse(o->cli,
                              "trace: '--capture' goes with -n, --session and --point only");
        wanted.session = o->session;
        wanted.point = o->point;
        return gather_events(o->cli, &wanted, o->limit == NO_NUMBER ? 0 : o->limit);
    }
    if (o->limit == NO_NUMBER)
        o->limit = TAIL_DEFAULT;
    o->scope.quiet = o->scope.lenient = true;
    if (!cli_open(o->cli, &o->scope, &rt, &rc))
        return rc;
    return is_tail ? tail(o, &rt) : show(o, &rt, words->word[1]);
}

int cmd_trace(struct cli *cli, int argc, char **argv)
{
    struct trace o = { .cli = cli, .limit = NO_NUMBER };
    const struct arg flags[] = {
        ARG_NUMBER("number", 'n', &o.limit, "N",
                   "the newest N receipts (default 20; 0: all); with --capture: N events"),
        ARG_TEXT("session", 's', &o.session, "ID", "only receipts of this session"),
        ARG_TEXT("point", 'p', &o.point, "POINT", "only receipts of this point"),
        ARG_SWITCH("follow", 'f', &o.follow, "wait for more until interrupted"),
        ARG_TEXT("capture", 0, &o.capture, "DIR",
                 "save events to DIR, without secrets, until interrupted"),
        ARG_SWITCH("json", 0, &o.json, "the receipts as they are, one a line"),
        ARG_END,
    };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    return run(&o, &words);
}
