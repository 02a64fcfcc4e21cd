/* hooke conversation - what was said in sessions: look at it, fork it, move it, bring it back. */
#include "agent/archive.h"
#include "agent/message.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/ulid.h"
#include "cli/conversation_text.h"
#include "cli/generations.h"
#include "hook/usage.h"

#include <errno.h>
#include <stdio.h>

#define LIST_LIMIT 50

struct work {
    struct cli *cli;
    struct scope scope;
    struct store *store;
    const char *const *words; /* after the sub-verb */
    size_t count;
    const char *search;
    uint64_t limit, generation;
    bool json, all, markdown, generations, yes, force, new_id;
};

static int failed(const struct work *w, int r, const struct err *e)
{
    return r == -ENOENT || r == -ENOTUNIQ ? cli_misuse(w->cli, "%s", e->msg)
                                          : cli_fail(w->cli, "%s", e->msg);
}

static const char *here(const struct work *w)
{
    CLEANUP(mem) char *cwd = realpath(w->scope.cwd ? w->scope.cwd : ".", NULL);

    return path_workspace(&w->cli->arena, cwd ? cwd : "/");
}

/* What a change came to: the id, so that it can be used. */
static int changed(const struct work *w, const char *what, const char *id)
{
    struct arena *a = &w->cli->arena;
    struct json *j = json_object(a);

    json_add(a, j, str_of(what), json_cstring(a, id));
    if (w->json)
        cli_json(w->cli, j);
    else
        printf("%s\n", id);
    return EXIT_DONE;
}

/* list ------------------------------------------------------------------------------------------
 */

static const struct json *summary(struct arena *a, const struct conversation *c)
{
    const struct json *j = archive_about(a, c);

    j = json_with(a, j, STR("generation"), json_int(a, c->generation));
    return json_with(a, j, STR("messages"), json_int(a, (int64_t)c->messages));
}

static void print_list(const struct work *w, const struct conversation *list, size_t count)
{
    static const struct column columns[] = {
        { .title = "ID" },
        { .title = "CHANGED" },
        { .title = "MESSAGES", .right = true },
        { .title = "TITLE" },
    };
    struct arena *a = &w->cli->arena;
    struct table t = { .arena = a, .columns = columns, .column_count = 4, .cut = true };

    for (size_t i = 0; i < count; i++) {
        char changed_at[CLOCK_TEXT_SIZE];

        clock_format(list[i].updated_ms, changed_at);
        table_cell(&t, STYLE_BOLD, "%s", list[i].id);
        table_cell(&t, STYLE_PLAIN, "%.10s %.5s", changed_at, changed_at + 11);
        table_cell(&t, STYLE_PLAIN, "%llu", (unsigned long long)list[i].messages);
        table_cell(&t, STYLE_PLAIN, "%s", term_clean(a, list[i].title));
        if (w->all)
            table_note(&t, "%s", term_clean(a, list[i].workspace));
    }
    table_print(&t, &w->cli->out);
}

static int list_them(struct work *w)
{
    struct arena *a = &w->cli->arena;
    const struct conversation_query q = {
        .workspace = w->all ? NULL : here(w),
        .search = w->search,
        .limit = w->limit,
    };
    struct json *out = json_array(a);
    struct conversation *list;
    struct err e = { 0 };
    size_t count;
    int r = conversation_list(w->store, &q, a, &list, &count, &e);

    if (r < 0)
        return failed(w, r, &e);
    for (size_t i = 0; i < count; i++)
        json_push(a, out, summary(a, &list[i]));
    if (w->json)
        cli_json(w->cli, out);
    else if (count)
        print_list(w, list, count);
    else
        fprintf(stderr, "hooke: no conversation%s%s\n", w->search ? " with that text" : "",
                w->all ? "" : " in this workspace; --all looks everywhere");
    return EXIT_DONE;
}

/* show ------------------------------------------------------------------------------------------
 */

static int show_json(const struct work *w, const struct conversation *c, uint32_t generation,
                     const struct conversation_rows *rows)
{
    struct arena *a = &w->cli->arena;
    struct json *messages = json_array(a);
    const struct json *j = summary(a, c);

    for (size_t i = 0; i < rows->count; i++) {
        const struct json *message;

        if (json_parse(a, rows->list[i].line, NULL, &message, NULL) == 0)
            json_push(a, messages, message);
    }
    j = json_with(a, j, STR("shown_generation"), json_int(a, generation));
    cli_json(w->cli, json_with(a, j, STR("messages"), messages));
    return EXIT_DONE;
}

static int show_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    uint32_t generation = (uint32_t)w->generation;
    struct conversation_rows rows = { 0 };
    struct conversation c = { 0 };
    struct err e = { 0 };
    int r = conversation_get(w->store, w->words[0], a, &c, &e);

    if (r == 0 && w->generations)
        return generations_show(w->cli, w->store, &c, w->json);
    if (r == 0)
        r = conversation_load(w->store, c.id, generation, a, &rows, &e);
    if (r < 0)
        return failed(w, r, &e);
    if (!generation)
        generation = c.generation;
    if (w->json)
        return show_json(w, &c, generation, &rows);
    if (w->markdown)
        conversation_markdown(w->cli, &c, &rows);
    else
        conversation_print(w->cli, &c, generation, &rows);
    return EXIT_DONE;
}

/* fork, restore, rename -------------------------------------------------------------------------
 */

static int find_newest(const struct work *w, const char **id, struct err *e)
{
    struct conversation *list;
    size_t count;
    int r = conversation_list(w->store,
                              &(struct conversation_query){ .workspace = here(w), .limit = 1 },
                              &w->cli->arena, &list, &count, e);

    if (r == 0 && count == 0)
        return err_set(e, -ENOENT, "there is no conversation in this workspace: name one");
    if (r == 0)
        *id = list[0].id;
    return r;
}

/* What was spent belongs to the one it was spent in; how full the context is, to both. */
static const char *usage_of_fork(struct arena *a, const char *usage)
{
    const struct json *j;
    struct usage u, kept;

    if (!usage || !usage[0] || json_parse(a, str_of(usage), NULL, &j, NULL) < 0)
        return "";
    u = usage_from_json(j);
    kept = (struct usage){ .context = u.context, .window = u.window };
    return json_text(a, usage_to_json(a, &kept));
}

static int fork_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    const char *id = w->count ? w->words[0] : NULL;
    struct conversation_part part = { .trigger = "fork", .at_ms = clock_wall_ms() };
    struct conversation c = { 0 };
    struct err e = { 0 };
    int r = id ? 0 : find_newest(w, &id, &e);

    if (r == 0)
        r = conversation_get(w->store, id, a, &c, &e);
    if (r == 0)
        r = conversation_load(w->store, c.id, 0, a, &part.rows, &e);
    if (r < 0)
        return failed(w, r, &e);
    c.origin = c.id;
    c.id = ulid_new(a);
    c.parent = "";
    c.usage = usage_of_fork(a, c.usage);
    c.cost = 0;
    c.created_ms = c.updated_ms = part.at_ms;
    r = conversation_put(w->store, &c, &part, 1, false, &e);
    return r < 0 ? failed(w, r, &e) : changed(w, "forked", c.id);
}

/* What was spent stays spent; how full the context is, is that of the messages that come back. */
static int replace(const struct work *w, const struct conversation *c,
                   const struct conversation_part *part, uint32_t *generation, struct err *e)
{
    struct arena *a = &w->cli->arena;
    struct conversation_totals totals = { .cost = c->cost };
    struct usage u = { 0 };
    const struct json *j;

    if (c->usage && c->usage[0] && json_parse(a, str_of(c->usage), NULL, &j, NULL) == 0)
        u = usage_from_json(j);
    u.context = 0;
    for (size_t i = 0; i < part->rows.count; i++)
        if (json_parse(a, part->rows.list[i].line, NULL, &j, NULL) == 0)
            u.context += message_tokens(j);
    totals.usage = json_text(a, usage_to_json(a, &u));
    return conversation_replace(w->store, c->id, part, &totals, generation, e);
}

static int restore_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    const char *text = w->words[1];
    CLEANUP(fd) int claim = -1;
    char *end;
    unsigned long wanted = strtoul(text, &end, 10);
    struct conversation_part part = { .trigger = "restore" };
    struct conversation c = { 0 };
    struct err e = { 0 };
    uint32_t generation;
    int r;

    if (end == text || *end || wanted == 0 || wanted > UINT32_MAX)
        return cli_misuse(w->cli, "conversation restore: '%s' is no generation", text);
    r = conversation_get(w->store, w->words[0], a, &c, &e);
    if (r == 0)
        r = conversation_claim(w->store, c.id, &claim, &e);
    if (r == 0)
        r = conversation_load(w->store, c.id, (uint32_t)wanted, a, &part.rows, &e);
    if (r == 0)
        r = replace(w, &c, &part, &generation, &e);
    return r < 0 ? failed(w, r, &e) : changed(w, "restored", c.id);
}

static int rename_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    CLEANUP(strbuf) struct strbuf title = { .max = 1000 };
    struct conversation c = { 0 };
    struct err e = { 0 };
    int r = conversation_get(w->store, w->words[0], a, &c, &e);

    for (size_t i = 1; i < w->count; i++)
        strbuf_printf(&title, "%s%s", i > 1 ? " " : "", w->words[i]);
    if (r == 0)
        r = conversation_rename(w->store, c.id, term_clean(a, strbuf_cstr(&title)), &e);
    return r < 0 ? failed(w, r, &e) : changed(w, "renamed", c.id);
}

/* delete ----------------------------------------------------------------------------------------
 */

static bool agree(const struct work *w, const struct conversation *c)
{
    char answer[16];

    printf("delete %s '%s', %llu messages? [y/N] ", c->id, term_clean(&w->cli->arena, c->title),
           (unsigned long long)c->messages);
    fflush(stdout);
    return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/* Hooks hear of it, and what they remember of the session goes. */
static int emit_deleted(const struct work *w, struct engine *engine, const struct conversation *c,
                        struct err *e)
{
    const struct event ev = {
        .point = POINT_SESSION_DELETED,
        .session = { .id = c->id,
                     .agent = c->agent[0] ? c->agent : NULL,
                     .parent = c->parent[0] ? c->parent : NULL,
                     .cwd = c->cwd },
    };
    CLEANUP(receipt) struct receipt receipt = { 0 };

    return engine_emit(engine, &ev, &w->cli->arena, &receipt, e);
}

/* With the conversations of its subagents, which nobody could reach any more. */
static int delete_all(const struct work *w, struct runtime *rt, const struct conversation *c,
                      struct err *e)
{
    CLEANUP(fd) int claim = -1;
    struct conversation *list;
    size_t count;
    int r = conversation_claim(rt->store, c->id, &claim, e);

    if (r == 0)
        r = conversation_list(rt->store, &(struct conversation_query){ .subagents = true },
                              &w->cli->arena, &list, &count, e);
    for (size_t i = 0; r == 0 && i < count; i++)
        if (strcmp(list[i].parent, c->id) == 0)
            r = delete_all(w, rt, &list[i], e);
    if (r == 0)
        r = conversation_delete(rt->store, c->id, e);
    return r == 0 ? emit_deleted(w, rt->engine, c, e) : r;
}

static int delete_one(struct work *w)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct conversation c = { 0 };
    struct err e = { 0 };
    int r, rc;

    if (!cli_open(w->cli, &w->scope, &rt, &rc))
        return rc;
    r = conversation_get(rt.store, w->words[0], &w->cli->arena, &c, &e);
    if (r < 0)
        return failed(w, r, &e);
    if (!w->yes && (isatty(STDIN_FILENO) != 1 || !w->cli->out.tty))
        return cli_misuse(w->cli, "conversation delete: nobody can be asked, say --yes");
    if (!w->yes && !agree(w, &c))
        return EXIT_FAILED;
    r = delete_all(w, &rt, &c, &e);
    if (r < 0)
        return failed(w, r, &e);
    return w->json ? changed(w, "deleted", c.id) : EXIT_DONE;
}

/* export, import --------------------------------------------------------------------------------
 */

static int export_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    CLEANUP(strbuf) struct strbuf text = { .max = JSON_MAX_BYTES };
    struct archive archive = { 0 };
    struct err e = { 0 };
    int r = archive_load(w->store, w->words[0], a, &archive, &e);

    if (r == 0)
        r = archive_write(a, &archive, &text, &e);
    if (r < 0)
        return failed(w, r, &e);
    strbuf_addch(&text, '\n');
    if (w->count < 2 || strcmp(w->words[1], "-") == 0) {
        fwrite(text.buf, 1, text.len, stdout);
        return EXIT_DONE;
    }
    r = file_write(w->words[1], strbuf_str(&text), 0600, &e);
    return r < 0 ? cli_fail(w->cli, "%s", e.msg) : changed(w, "exported", archive.about.id);
}

static int read_input(const struct work *w, const char *file, struct str *text, struct err *e)
{
    CLEANUP(strbuf) struct strbuf all = { .max = JSON_MAX_BYTES };
    char piece[65536];
    size_t n;

    if (strcmp(file, "-") != 0)
        return file_read(&w->cli->arena, file, JSON_MAX_BYTES, text, e);
    while ((n = fread(piece, 1, sizeof(piece), stdin)) > 0)
        strbuf_add(&all, piece, n);
    if (all.truncated)
        return err_set(e, -EFBIG, "standard input is too long");
    *text = (struct str){ arena_cstr(&w->cli->arena, strbuf_str(&all)), all.len };
    return 0;
}

static int import_one(struct work *w)
{
    struct arena *a = &w->cli->arena;
    CLEANUP(fd) int claim = -1;
    struct archive archive = { 0 };
    struct err e = { 0 };
    struct str text = { 0 };

    if (read_input(w, w->words[0], &text, &e) < 0)
        return cli_fail(w->cli, "%s", e.msg);
    if (archive_read(a, text, &archive, &e) < 0)
        return cli_fail(w->cli, "%s: %s", w->words[0], e.msg);
    if (w->new_id) {
        archive.about.origin = archive.about.id;
        archive.about.id = ulid_new(a);
    }
    if (w->force && conversation_claim(w->store, archive.about.id, &claim, &e) < 0)
        return cli_fail(w->cli, "%s", e.msg);
    if (conversation_put(w->store, &archive.about, archive.parts, archive.count, w->force, &e) < 0)
        return cli_fail(w->cli, "%s%s", e.msg,
                        w->force ? "" : ": --force replaces it, --new-id adds another");
    return changed(w, "imported", archive.about.id);
}

/* The verb ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int (*run)(struct work *w);
    size_t least, most; /* words after it */
} verbs[] = {
    { "list", list_them, 0, 0 },      { "show", show_one, 1, 1 },
    { "fork", fork_one, 0, 1 },       { "delete", delete_one, 1, 1 },
    { "export", export_one, 1, 2 },   { "import", import_one, 1, 1 },
    { "restore", restore_one, 2, 2 }, { "rename", rename_one, 2, SIZE_MAX },
};

static int unknown(struct cli *cli, const char *word)
{
    const char *known[ARRAY_LEN(verbs) + 1] = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        known[i] = verbs[i].name;
    return cli_unknown(cli, word, known);
}

static int run(struct work *w, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        int rc;

        if (strcmp(verbs[i].name, name) != 0)
            continue;
        if (w->count < verbs[i].least || w->count > verbs[i].most)
            return cli_usage(w->cli);
        w->store = cli_store(w->cli);
        rc = verbs[i].run(w);
        store_free(w->store);
        return rc;
    }
    return unknown(w->cli, name);
}

int cmd_conversation(struct cli *cli, int argc, char **argv)
{
    struct work w = { .cli = cli, .limit = LIST_LIMIT };
    const struct arg flags[] = {
        ARG_TEXT("search", 's', &w.search, "TEXT", "list: with this text in title or messages"),
        ARG_SWITCH("all", 'a', &w.all, "list: of every workspace"),
        ARG_NUMBER("limit", 'n', &w.limit, "N", "list: the newest N, 0 for all (default 50)"),
        ARG_SWITCH("markdown", 0, &w.markdown, "show: as Markdown"),
        ARG_NUMBER("generation", 'g', &w.generation, "N", "show: this one, not the newest"),
        ARG_SWITCH("generations", 0, &w.generations,
                   "show: all of them, and what of each the next still names"),
        ARG_SWITCH("yes", 'y', &w.yes, "delete: without asking"),
        ARG_SWITCH("force", 0, &w.force, "import: replace the one that is there"),
        ARG_SWITCH("new-id", 0, &w.new_id, "import: as another conversation"),
        ARG_SWITCH("json", 0, &w.json, "for programs"),
        SCOPE_ARGS(&w.scope),
        ARG_END,
    };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count == 0)
        return cli_usage(cli);
    if (w.generation > UINT32_MAX)
        return cli_misuse(cli, "conversation show: there is no such generation");
    w.words = words.word + 1;
    w.count = words.count - 1;
    return run(&w, words.word[0]);
}
