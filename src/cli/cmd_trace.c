/* hooke trace - receipts: what ran, what was held back, what it cost. */
#include "cli/follow.h"
#include "cli/gather.h"
#include "cli/ledger.h"
#include "cli/receipt_text.h"

#include <stdio.h>
#include <strings.h>

#define TAIL_DEFAULT 20
#define NO_NUMBER    UINT64_MAX

struct trace {
    struct cli *cli;
    const char *session, *point, *capture, *sort;
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

/* why ------------------------------------------------------------------------------------------ */

struct call_search {
    struct trace *trace;
    const char *call;
    size_t matches;
};

static int show_call(void *context, const struct store_receipt *r)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct call_search *s = context;
    const struct json *j;

    if (!strstr(r->line, "\"call_id\"") || json_parse(&a, str_of(r->line), NULL, &j, NULL) < 0 ||
        !str_is(json_str(&a, json_get(j, STR("call_id"))), s->call))
        return 0;
    if (s->trace->json)
        printf("%s\n", r->line);
    else {
        if (s->matches)
            putchar('\n');
        receipt_text_full(s->trace->cli, r->line);
    }
    s->matches++;
    return 0;
}

static int find_call(void *context, const struct store_receipt *r)
{
    struct call_search *s = context;
    struct arena *a = &s->trace->cli->arena;
    const struct json *j;
    const char *call;

    if (!strstr(r->line, "\"call_id\"") ||
        json_parse(a, str_of(arena_strdup(a, r->line)), NULL, &j, NULL) < 0)
        return 0;
    call = json_cstr(a, json_get(j, STR("call_id")));
    s->call = call ? call : s->call;
    return 0;
}

/* Every event of one tool call, of the newest without an id, and what each hook did about it. */
static int why(struct trace *o, struct runtime *rt, const char *call)
{
    struct call_search s = { o, call, 0 };
    struct store_query q = { o->session, o->point, 0 };
    struct err e = { 0 };

    if (take_in(o->cli, rt))
        return EXIT_FAILED;
    if (!call && store_receipts(rt->store, &q, find_call, &s, &e) < 0)
        return cli_fail(o->cli, "%s", e.msg);
    if (!s.call)
        return cli_fail(o->cli, "no receipt of a tool call yet");
    if (store_receipts(rt->store, &q, show_call, &s, &e) < 0)
        return cli_fail(o->cli, "%s", e.msg);
    if (s.matches == 0)
        return cli_fail(o->cli,
                        "no receipt has the call '%s'; 'hooke trace show' prints the call of one",
                        call);
    return EXIT_DONE;
}

/* top ------------------------------------------------------------------------------------------ */

static int add_to_ledger(void *context, const struct store_receipt *r)
{
    ledger_add(context, r->line);
    return 0;
}

static void print_ledger_json(struct cli *cli, const struct ledger *l)
{
    struct arena *a = &cli->arena;
    struct json *list = json_array(a);

    for (size_t i = 0; i < l->count; i++) {
        const struct ledger_line *h = l->hooks[i];
        struct json *j = json_object(a);

        json_add(a, j, STR("hook"), json_cstring(a, h->hook));
        json_add(a, j, STR("runs"), json_int(a, (int64_t)h->runs));
        json_add(a, j, STR("failed"), json_int(a, (int64_t)h->failed));
        json_add(a, j, STR("held"), json_int(a, (int64_t)h->held));
        json_add(a, j, STR("us"), json_int(a, (int64_t)h->us));
        json_add(a, j, STR("tokens"), json_int(a, (int64_t)h->tokens));
        json_add(a, j, STR("saved_tokens"), json_int(a, (int64_t)h->saved));
        json_add(a, j, STR("blocks"), json_int(a, (int64_t)h->blocks));
        json_add(a, j, STR("cache_breaks"), json_int(a, (int64_t)h->breaks));
        json_push(a, list, j);
    }
    cli_json(cli, list);
}

static void ledger_cell(struct table *t, uint64_t n, enum style style)
{
    if (n)
        table_cell(t, style, "%llu", (unsigned long long)n);
    else
        table_cell(t, STYLE_DIM, "-");
}

static void print_ledger(struct cli *cli, const struct ledger *l)
{
    static const struct column columns[] = {
        { "HOOK", false, 0 },  { "RUNS", true, 5 },   { "TIME", true, 8 },
        { "TOKENS", true, 7 }, { "SAVED", true, 6 },  { "HELD", true, 5 },
        { "BLOCKS", true, 6 }, { "BREAKS", true, 6 }, { "FAILED", true, 6 },
    };
    struct table t = { .arena = &cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns) };

    for (size_t i = 0; i < l->count; i++) {
        const struct ledger_line *h = l->hooks[i];

        table_cell(&t, STYLE_PLAIN, "%s", term_clean(&cli->arena, h->hook));
        ledger_cell(&t, h->runs, STYLE_PLAIN);
        table_cell(&t, STYLE_PLAIN, "%s", term_duration(&cli->arena, h->us * 1000));
        ledger_cell(&t, h->tokens, STYLE_PLAIN);
        ledger_cell(&t, h->saved, STYLE_GREEN);
        ledger_cell(&t, h->held, STYLE_PLAIN);
        ledger_cell(&t, h->blocks, STYLE_YELLOW);
        ledger_cell(&t, h->breaks, STYLE_RED);
        ledger_cell(&t, h->failed, STYLE_RED);
    }
    table_print(&t, &cli->out);
}

static int top(struct trace *o, struct runtime *rt)
{
    CLEANUP(ledger) struct ledger l = { 0 };
    struct store_query q = { o->session, o->point, o->limit };
    struct err e = { 0 };

    if (!ledger_sort(&l, o->sort)) /* before anything is read */
        return cli_misuse(
            o->cli, "trace: '--sort' takes time, runs, tokens, saved, blocks, breaks or name");
    if (take_in(o->cli, rt))
        return EXIT_FAILED;
    if (store_receipts(rt->store, &q, add_to_ledger, &l, &e) < 0)
        return cli_fail(o->cli, "%s", e.msg);
    (void)ledger_sort(&l, o->sort);
    if (o->json)
        print_ledger_json(o->cli, &l);
    else if (l.count)
        print_ledger(o->cli, &l);
    else
        printf("no receipts%s\n", o->session || o->point ? " that match" : " yet");
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

static int capture(struct trace *o, bool is_tail)
{
    struct capture_request wanted = { .dir = o->capture, .session = o->session, .point = o->point };

    if (!is_tail || o->follow || o->json)
        return cli_misuse(o->cli, "trace: '--capture' goes with -n, --session and --point only");
    return gather_events(o->cli, &wanted, o->limit == NO_NUMBER ? 0 : o->limit);
}

static int run(struct trace *o, const struct words *words)
{
    static const char *const known[] = { "tail", "show", "top", "why", NULL };
    static const size_t least[] = { 0, 1, 1, 1 }, most[] = { 1, 2, 1, 2 };
    const char *word = words->count ? words->word[0] : "tail";
    CLEANUP(runtime) struct runtime rt = { 0 };
    size_t verb = 0;
    int rc;

    while (known[verb] && strcmp(word, known[verb]) != 0)
        verb++;
    if (!known[verb])
        return cli_unknown(o->cli, word, known);
    if (words->count < least[verb] || words->count > most[verb])
        return cli_usage(o->cli);
    if (!point_of(o, &rc))
        return rc;
    if (o->capture)
        return capture(o, verb == 0);
    if (o->limit == NO_NUMBER)
        o->limit = verb == 0 ? TAIL_DEFAULT : 0;
    o->scope.quiet = o->scope.lenient = true;
    if (!cli_open(o->cli, &o->scope, &rt, &rc))
        return rc;
    switch (verb) {
    case 0:
        return tail(o, &rt);
    case 1:
        return show(o, &rt, words->word[1]);
    case 2:
        return top(o, &rt);
    default:
        return why(o, &rt, words->word[1]);
    }
}

int cmd_trace(struct cli *cli, int argc, char **argv)
{
    struct trace o = { .cli = cli, .limit = NO_NUMBER, .sort = "time" };
    const struct arg flags[] = {
        ARG_NUMBER("number", 'n', &o.limit, "N",
                   "the newest N receipts (default 20; top: all); with --capture: N events"),
        ARG_TEXT("session", 's', &o.session, "ID", "only receipts of this session"),
        ARG_TEXT("point", 'p', &o.point, "POINT", "only receipts of this point"),
        ARG_SWITCH("follow", 'f', &o.follow, "wait for more until interrupted"),
        ARG_TEXT("capture", 0, &o.capture, "DIR",
                 "save events to DIR, without secrets, until interrupted"),
        ARG_TEXT("sort", 0, &o.sort, "BY",
                 "top: time (default), runs, tokens, saved, blocks, breaks, name"),
        ARG_SWITCH("json", 0, &o.json, "the receipts as they are, one a line; top: a list"),
        ARG_END,
    };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    return run(&o, &words);
}
