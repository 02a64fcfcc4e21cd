#include "store/conversation.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "store/db.h"
#include "store/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

#define PLACES (INT64_C(1) << 32) /* a conversation has */

enum statement {
    CREATE = 16,
    FIND,
    FIND_PREFIX,
    END,
    CHOOSE,
    ADD_MESSAGE,
    ADD_GENERATION,
    SPAN,
    LOAD,
    SET_GENERATION,
    GENERATIONS,
    RENAME,
    DELETE_MESSAGES,
    DELETE_GENERATIONS,
    DELETE_CONVERSATION,
    LIST,
    STATEMENTS,
};

_Static_assert(STATEMENTS <= DB_STATEMENTS, "db.h caches too few statements");

/* `last` is the newest message of all generations. */
#define COLUMNS                                                                          \
    "number, id, workspace, cwd, agent, model, recipe, title, parent, origin, created, " \
    "generation, first, last.place, last.at, last.totals, last.total_cost"
#define TABLES                                                          \
    "conversations c LEFT JOIN messages last ON last.place ="           \
    " (SELECT max(place) FROM messages WHERE place >= (c.number << 32)" \
    "   AND place < (c.number + 1 << 32))"

static const char *const sql[] = {
    [CREATE] = "INSERT INTO conversations(id, workspace, cwd, agent, model, recipe, title, parent,"
               " origin, created, generation, first)"
               " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, 0)",
    [FIND] = "SELECT " COLUMNS " FROM " TABLES " WHERE id = ?1",
    [FIND_PREFIX] = "SELECT " COLUMNS " FROM " TABLES " WHERE substr(id, 1, length(?1)) = ?1"
                    " LIMIT 2",
    [END] = "SELECT number, first, (SELECT max(place) FROM messages WHERE place >= (number << 32)"
            "   AND place < (number + 1 << 32)) FROM conversations WHERE id = ?1",
    [CHOOSE] = "UPDATE conversations SET agent = coalesce(?2, agent), model = coalesce(?3, model)"
               " WHERE number = ?1 AND (agent <> ?2 OR model <> ?3)",
    [ADD_MESSAGE] = "INSERT INTO messages(place, line, usage, cost, totals, total_cost, at)"
                    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [ADD_GENERATION] = "INSERT INTO generations(conversation, generation, trigger, first, at)"
                       " VALUES(?1, ?2, ?3, ?4, ?5)",
    [SPAN] =
        "SELECT first, (SELECT min(g.first) FROM generations g WHERE g.conversation = ?1"
        "   AND g.generation > ?2) FROM generations WHERE conversation = ?1 AND generation = ?2",
    [LOAD] = "SELECT line, usage, cost, at FROM messages WHERE place >= ?1 AND place < ?2"
             " ORDER BY place",
    [SET_GENERATION] = "UPDATE conversations SET generation = ?2, first = ?3 WHERE number = ?1",
    [GENERATIONS] = "SELECT generation, trigger, first, at FROM generations WHERE conversation = ?1"
                    " ORDER BY generation",
    [RENAME] = "UPDATE conversations SET title = ?2 WHERE number = ?1",
    [DELETE_MESSAGES] = "DELETE FROM messages WHERE place >= ?1 AND place < ?2",
    [DELETE_GENERATIONS] = "DELETE FROM generations WHERE conversation = ?1",
    [DELETE_CONVERSATION] = "DELETE FROM conversations WHERE number = ?1",
    [LIST] =
        "SELECT " COLUMNS " FROM " TABLES " WHERE (?1 IS NULL OR workspace = ?1)"
        " AND (?2 OR parent = '')"
        " AND (?3 IS NULL OR instr(lower(title), lower(?3)) > 0 OR EXISTS(SELECT 1 FROM messages"
        "   WHERE place >= (c.number << 32) + c.first AND place < (c.number + 1 << 32)"
        "   AND instr(lower(line), lower(?3)) > 0))"
        " ORDER BY max(created, coalesce(last.at, 0)) DESC, number DESC LIMIT ?4",
};

struct row {
    int64_t number, first, next;
    struct conversation about;
};

static struct str or_empty(const char *text)
{
    return str_of(text ? text : "");
}

static int prepare(struct db *db, enum statement which, sqlite3_stmt **st, struct err *e)
{
    return db_statement(db, which, sql[which], st, e);
}

static const char *text_at(struct arena *a, sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);

    return arena_strdup(a, text ? text : "");
}

/* Where the next message goes; a generation that was just begun may be empty. */
static int64_t next_place(int64_t number, int64_t first, sqlite3_stmt *st, int column)
{
    int64_t after = sqlite3_column_int64(st, column) - number * PLACES + 1;

    return sqlite3_column_type(st, column) == SQLITE_NULL || after < first ? first : after;
}

static void read_row(struct arena *a, sqlite3_stmt *st, struct row *row)
{
    struct conversation *c = &row->about;
    bool any = sqlite3_column_type(st, 13) != SQLITE_NULL;

    *row = (struct row){ .number = sqlite3_column_int64(st, 0),
                         .first = sqlite3_column_int64(st, 12) };
    row->next = next_place(row->number, row->first, st, 13);
    c->id = text_at(a, st, 1);
    c->workspace = text_at(a, st, 2);
    c->cwd = text_at(a, st, 3);
    c->agent = text_at(a, st, 4);
    c->model = text_at(a, st, 5);
    c->recipe = text_at(a, st, 6);
    c->title = text_at(a, st, 7);
    c->parent = text_at(a, st, 8);
    c->origin = text_at(a, st, 9);
    c->created_ms = sqlite3_column_int64(st, 10);
    c->generation = (uint32_t)sqlite3_column_int64(st, 11);
    c->messages = (uint64_t)(row->next - row->first);
    c->updated_ms = any ? sqlite3_column_int64(st, 14) : 0;
    if (c->updated_ms < c->created_ms) /* a fork is newer than what it took over */
        c->updated_ms = c->created_ms;
    c->usage = text_at(a, st, 15);
    c->cost = sqlite3_column_double(st, 16);
}

static int unknown(const char *id, struct err *e)
{
    return err_set(e, -ENOENT, "there is no conversation '%s', see 'hooke conversation list'", id);
}

/* By its id, or by the beginning of it where only one begins so. */
static int find(struct db *db, const char *id, struct arena *a, struct row *row, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, FIND, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(id));
    r = db_step(db, st, e);
    if (r == 0 && id[0]) {
        r = prepare(db, FIND_PREFIX, &st, e);
        if (r < 0)
            return r;
        db_bind(st, 1, str_of(id));
        r = db_step(db, st, e);
    }
    if (r <= 0)
        return r < 0 ? r : unknown(id, e);
    read_row(a, st, row);
    r = db_step(db, st, e);
    sqlite3_reset(st);
    if (r > 0)
        return err_set(e, -ENOTUNIQ, "several conversations begin with '%s': write more of the id",
                       id);
    return r;
}

/* What every function does around its work: the lock, the file, and for writers a transaction. */
static int enter(struct store *s, struct db **db, bool writes, struct err *e)
{
    int r = store_lock(s, e);

    if (r < 0)
        return r;
    *db = s->ops->db(s);
    r = db_ready(*db, e);
    if (r == 0 && writes)
        r = db_begin(*db, e);
    return r < 0 ? store_unlock(s, r) : 0;
}

static int leave(struct store *s, struct db *db, int r, struct err *e)
{
    return store_unlock(s, db_end(db, r, e));
}

/* Writing ------------------------------------------------------------------------------------- */

static int add_generation(struct db *db, const struct row *row, const char *trigger, int64_t at,
                          struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, ADD_GENERATION, &st, e);

    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    sqlite3_bind_int64(st, 2, row->about.generation);
    db_bind(st, 3, or_empty(trigger));
    sqlite3_bind_int64(st, 4, row->first);
    sqlite3_bind_int64(st, 5, at);
    return db_run(db, st, e);
}

static int insert(struct db *db, const struct conversation *c, struct err *e)
{
    const char *const texts[] = { c->id,     c->workspace, c->cwd,    c->agent, c->model,
                                  c->recipe, c->title,     c->parent, c->origin };
    sqlite3_stmt *st;
    int r = prepare(db, CREATE, &st, e);

    if (r < 0)
        return r;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        db_bind(st, (int)i + 1, or_empty(texts[i]));
    sqlite3_bind_int64(st, 10, c->created_ms);
    return db_run(db, st, e);
}

int conversation_create(struct store *s, const struct conversation *c, struct err *e)
{
    struct row row = { .about = { .generation = 1 } };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = insert(db, c, e);
    row.number = sqlite3_last_insert_rowid(db->handle);
    if (r == 0)
        r = add_generation(db, &row, "", clock_wall_ms(), e);
    return leave(s, db, r, e);
}

static int add_messages(struct db *db, const struct row *row, const struct conversation_rows *rows,
                        const struct conversation_totals *t, struct err *e)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct conversation_message *m = &rows->list[i];
        bool last = i + 1 == rows->count;
        sqlite3_stmt *st;
        int r = prepare(db, ADD_MESSAGE, &st, e);

        if (r < 0)
            return r;
        sqlite3_bind_int64(st, 1, row->number * PLACES + row->next + (int64_t)i);
        db_bind(st, 2, m->line);
        db_bind(st, 3, m->usage);
        sqlite3_bind_double(st, 4, m->cost);
        db_bind(st, 5, str_of(t && last ? t->usage : NULL));
        sqlite3_bind_double(st, 6, t ? t->cost : 0);
        sqlite3_bind_int64(st, 7, m->at_ms);
        r = db_run(db, st, e);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Only when they are not what they were: this is a second row to write. */
static int choose(struct db *db, const struct row *row, const struct conversation_totals *t,
                  struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, CHOOSE, &st, e);

    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    db_bind(st, 2, str_of(t->agent));
    db_bind(st, 3, str_of(t->model));
    return db_run(db, st, e);
}

/* Only what adding needs: that is asked more often than anything else. */
static int find_end(struct db *db, const char *id, struct row *row, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, END, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(id));
    r = db_step(db, st, e);
    if (r <= 0)
        return r < 0 ? r : unknown(id, e);
    *row = (struct row){ .number = sqlite3_column_int64(st, 0),
                         .first = sqlite3_column_int64(st, 1),
                         .about = { .id = id } };
    row->next = next_place(row->number, row->first, st, 2);
    row->about.messages = (uint64_t)(row->next - row->first);
    sqlite3_reset(st);
    return 0;
}

static int check_count(const struct row *row, uint64_t expected, size_t count, struct err *e)
{
    if (row->about.messages != expected)
        return err_set(e, -ESTALE,
                       "another process has added to conversation '%s': open it again, or fork it",
                       row->about.id);
    if (row->next + (int64_t)count >= PLACES)
        return err_set(e, -EOVERFLOW, "conversation '%s' is full: fork it", row->about.id);
    return 0;
}

int conversation_append(struct store *s, const char *id, uint64_t expected,
                        const struct conversation_rows *rows,
                        const struct conversation_totals *totals, struct err *e)
{
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = find_end(db, id, &row, e);
    if (r == 0)
        r = check_count(&row, expected, rows->count, e);
    if (r == 0)
        r = add_messages(db, &row, rows, totals, e);
    if (r == 0 && totals && totals->agent && totals->model)
        r = choose(db, &row, totals, e);
    return leave(s, db, r, e);
}

static int set_generation(struct db *db, const struct row *row, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, SET_GENERATION, &st, e);

    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    sqlite3_bind_int64(st, 2, row->about.generation);
    sqlite3_bind_int64(st, 3, row->first);
    return db_run(db, st, e);
}

int conversation_replace(struct store *s, const char *id, const struct conversation_part *part,
                         const struct conversation_totals *totals, uint32_t *generation,
                         struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct conversation_totals kept = { 0 };
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = find(db, id, &a, &row, e);
    if (r == 0)
        r = check_count(&row, part->known ? part->known : row.about.messages, part->rows.count, e);
    if (r == 0) {
        kept = (struct conversation_totals){ .usage = row.about.usage, .cost = row.about.cost };
        row.first = row.next;
        row.about.generation++;
        *generation = row.about.generation;
        r = add_generation(db, &row, part->trigger, part->at_ms ? part->at_ms : clock_wall_ms(), e);
    }
    if (r == 0)
        r = add_messages(db, &row, &part->rows, totals ? totals : &kept, e);
    if (r == 0)
        r = set_generation(db, &row, e);
    return leave(s, db, r, e);
}

static int rename_row(struct db *db, const struct row *row, const char *title, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, RENAME, &st, e);

    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    db_bind(st, 2, or_empty(title));
    return db_run(db, st, e);
}

int conversation_rename(struct store *s, const char *id, const char *title, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = find(db, id, &a, &row, e);
    if (r == 0)
        r = rename_row(db, &row, title, e);
    return leave(s, db, r, e);
}

static int run_with(struct db *db, enum statement which, int64_t one, int64_t two, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, which, &st, e);

    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, one);
    if (two)
        sqlite3_bind_int64(st, 2, two);
    return db_run(db, st, e);
}

static int delete_rows(struct db *db, int64_t number, struct err *e)
{
    int r = run_with(db, DELETE_MESSAGES, number * PLACES, (number + 1) * PLACES, e);

    if (r == 0)
        r = run_with(db, DELETE_GENERATIONS, number, 0, e);
    return r == 0 ? run_with(db, DELETE_CONVERSATION, number, 0, e) : r;
}

static char *claim_path(struct arena *a, const struct db *db, const char *id)
{
    return arena_printf(a, "%s.claims/%s", db->path, id);
}

int conversation_delete(struct store *s, const char *id, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = find(db, id, &a, &row, e);
    if (r == 0)
        r = delete_rows(db, row.number, e);
    r = leave(s, db, r, e);
    if (r == 0 && strcmp(db->path, ":memory:") != 0)
        (void)unlink(claim_path(&a, db, row.about.id)); /* there may be none */
    return r;
}

/* Exactly this id, not the beginning of one. */
static int make_room(struct db *db, const char *id, bool replace, struct err *e)
{
    sqlite3_stmt *st;
    int64_t number;
    int r = prepare(db, FIND, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(id));
    r = db_step(db, st, e);
    if (r <= 0)
        return r;
    number = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    if (!replace)
        return err_set(e, -EEXIST, "there is a conversation '%s' already", id);
    return delete_rows(db, number, e);
}

static int put_part(struct db *db, struct row *row, const struct conversation_part *p,
                    const struct conversation_totals *totals, struct err *e)
{
    int r = check_count(row, row->about.messages, p->rows.count, e);

    row->first = row->next;
    row->about.generation++;
    if (r == 0)
        r = add_generation(db, row, p->trigger, p->at_ms, e);
    if (r == 0)
        r = add_messages(db, row, &p->rows, totals, e);
    row->next += (int64_t)p->rows.count;
    return r;
}

int conversation_put(struct store *s, const struct conversation *about,
                     const struct conversation_part *parts, size_t count, bool replace,
                     struct err *e)
{
    struct row row = { .about = { .id = about->id } };
    const struct conversation_totals totals = { .usage = about->usage, .cost = about->cost };
    struct db *db;
    int r = enter(s, &db, true, e);

    if (r < 0)
        return r;
    r = make_room(db, about->id, replace, e);
    if (r == 0)
        r = insert(db, about, e);
    row.number = sqlite3_last_insert_rowid(db->handle);
    for (size_t i = 0; i < count && r == 0; i++)
        r = put_part(db, &row, &parts[i], &totals, e);
    if (r == 0)
        r = set_generation(db, &row, e);
    return leave(s, db, r, e);
}

/* Reading -------------------------------------------------------------------------------------- */

int conversation_get(struct store *s, const char *id, struct arena *a, struct conversation *out,
                     struct err *e)
{
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, false, e);

    if (r < 0)
        return r;
    r = find(db, id, a, &row, e);
    if (r == 0)
        *out = row.about;
    return store_unlock(s, r);
}

/* Where a generation begins and ends. */
static int span_of(struct db *db, struct row *row, uint32_t generation, struct err *e)
{
    sqlite3_stmt *st;
    int r;

    if (generation == 0 || generation == row->about.generation)
        return 0;
    r = prepare(db, SPAN, &st, e);
    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    sqlite3_bind_int64(st, 2, generation);
    r = db_step(db, st, e);
    if (r == 0)
        return err_set(e, -ENOENT, "conversation '%s' has no generation %u, but 1 to %u",
                       row->about.id, generation, row->about.generation);
    if (r < 0)
        return r;
    row->first = sqlite3_column_int64(st, 0);
    row->next = sqlite3_column_int64(st, 1);
    sqlite3_reset(st);
    return 0;
}

static int load(struct db *db, const struct row *row, struct arena *a,
                struct conversation_rows *rows, struct err *e)
{
    size_t most = (size_t)(row->next - row->first);
    struct conversation_message *list = arena_array(a, struct conversation_message, most + 1);
    sqlite3_stmt *st;
    int r = prepare(db, LOAD, &st, e);

    *rows = (struct conversation_rows){ .list = list };
    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number * PLACES + row->first);
    sqlite3_bind_int64(st, 2, row->number * PLACES + row->next);
    while ((r = db_step(db, st, e)) > 0) {
        const char *line = text_at(a, st, 0);
        struct conversation_message *m = &list[rows->count++];

        *m = (struct conversation_message){ .line = str_of(line),
                                            .cost = sqlite3_column_double(st, 2),
                                            .at_ms = sqlite3_column_int64(st, 3) };
        if (sqlite3_column_type(st, 1) != SQLITE_NULL)
            m->usage = str_of(text_at(a, st, 1));
    }
    return r;
}

int conversation_load(struct store *s, const char *id, uint32_t generation, struct arena *a,
                      struct conversation_rows *rows, struct err *e)
{
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, false, e);

    if (r < 0)
        return r;
    r = find(db, id, a, &row, e);
    if (r == 0)
        r = span_of(db, &row, generation, e);
    if (r == 0)
        r = load(db, &row, a, rows, e);
    return store_unlock(s, r);
}

static int list_generations(struct db *db, const struct row *row, struct arena *a,
                            struct conversation_generation **out, size_t *count, struct err *e)
{
    struct conversation_generation *list =
        arena_array(a, struct conversation_generation, row->about.generation + 1);
    int64_t *first = arena_array(a, int64_t, row->about.generation + 2);
    sqlite3_stmt *st;
    int r = prepare(db, GENERATIONS, &st, e);

    *out = list;
    *count = 0;
    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, row->number);
    while ((r = db_step(db, st, e)) > 0 && *count <= row->about.generation) {
        first[*count] = sqlite3_column_int64(st, 2);
        list[(*count)++] = (struct conversation_generation){
            .generation = (uint32_t)sqlite3_column_int64(st, 0),
            .trigger = text_at(a, st, 1),
            .at_ms = sqlite3_column_int64(st, 3),
        };
    }
    first[*count] = row->next;
    for (size_t i = 0; i < *count; i++)
        list[i].messages = (uint64_t)(first[i + 1] - first[i]);
    return r;
}

int conversation_generations(struct store *s, const char *id, struct arena *a,
                             struct conversation_generation **out, size_t *count, struct err *e)
{
    struct row row = { 0 };
    struct db *db;
    int r = enter(s, &db, false, e);

    if (r < 0)
        return r;
    r = find(db, id, a, &row, e);
    if (r == 0)
        r = list_generations(db, &row, a, out, count, e);
    return store_unlock(s, r);
}

static int list(struct db *db, const struct conversation_query *q, struct arena *a,
                struct conversation **out, size_t *count, struct err *e)
{
    size_t room = 0;
    sqlite3_stmt *st;
    int r = prepare(db, LIST, &st, e);

    *out = NULL;
    *count = 0;
    if (r < 0)
        return r;
    db_bind(st, 1, str_of(q->workspace));
    sqlite3_bind_int(st, 2, q->subagents);
    db_bind(st, 3, str_of(q->search));
    sqlite3_bind_int64(st, 4, q->limit ? (int64_t)q->limit : -1);
    while ((r = db_step(db, st, e)) > 0) {
        struct row row;

        if (*count == room) {
            struct conversation *more = arena_array(a, struct conversation, room ? room * 2 : 16);

            if (room)
                memcpy(more, *out, room * sizeof(*more));
            *out = more;
            room = room ? room * 2 : 16;
        }
        read_row(a, st, &row);
        (*out)[(*count)++] = row.about;
    }
    return r;
}

int conversation_list(struct store *s, const struct conversation_query *q, struct arena *a,
                      struct conversation **out, size_t *count, struct err *e)
{
    struct db *db;
    int r = enter(s, &db, false, e);

    if (r < 0)
        return r;
    return store_unlock(s, list(db, q, a, out, count, e));
}

/* Claiming ------------------------------------------------------------------------------------ */

static int busy(int fd, const char *id, struct err *e)
{
    char pid[16] = "";
    ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

    pid[n > 0 ? n : 0] = '\0';
    pid[strcspn(pid, "\n")] = '\0';
    return err_set(e, -EBUSY, "conversation '%s' is in use by process %s: wait for it, or fork it",
                   id, pid[0] ? pid : "unknown");
}

static int take_lock(const char *path, const char *id, int *out, struct err *e)
{
    CLEANUP(fd) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    char pid[16];
    int len;

    if (fd < 0)
        return err_errno(e, "opening '%s'", path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? busy(fd, id, e) : err_errno(e, "locking '%s'", path);
    len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, (size_t)len, 0) != len)
        return err_errno(e, "writing '%s'", path);
    *out = take_fd(&fd);
    return 0;
}

int conversation_claim(struct store *s, const char *id, int *fd, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct db *db = s->ops->db(s);
    const char *path = claim_path(&a, db, id);
    int r;

    *fd = -1;
    if (strcmp(db->path, ":memory:") == 0)
        return 0;
    r = file_mkdirs(path_dirname(&a, path), e);
    return r < 0 ? r : take_lock(path, id, fd, e);
}
