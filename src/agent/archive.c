#include "agent/archive.h"

#include "agent/message.h"

#include <errno.h>

#define FORMAT          "hooke-conversation"
#define VERSION         1
#define ID_MAX          63
#define GENERATIONS_MAX 100000

/* Writing ------------------------------------------------------------------------------------- */

static void add_text(struct arena *a, struct json *j, struct str key, const char *text)
{
    if (text && text[0])
        json_add(a, j, key, json_cstring(a, text));
}

static void add_usage(struct arena *a, struct json *j, struct str usage, double cost)
{
    const struct json *value;

    if (usage.len && json_parse(a, usage, NULL, &value, NULL) == 0)
        json_add(a, j, STR("usage"), value);
    if (cost > 0)
        json_add(a, j, STR("cost"), json_double(a, cost));
}

const struct json *archive_about(struct arena *a, const struct conversation *c)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("id"), json_cstring(a, c->id));
    json_add(a, j, STR("title"), json_cstring(a, c->title ? c->title : ""));
    add_text(a, j, STR("workspace"), c->workspace);
    add_text(a, j, STR("cwd"), c->cwd);
    add_text(a, j, STR("agent"), c->agent);
    add_text(a, j, STR("model"), c->model);
    add_text(a, j, STR("recipe"), c->recipe);
    add_text(a, j, STR("parent"), c->parent);
    add_text(a, j, STR("origin"), c->origin);
    json_add(a, j, STR("created_ms"), json_int(a, c->created_ms));
    json_add(a, j, STR("updated_ms"), json_int(a, c->updated_ms));
    add_usage(a, j, str_of(c->usage), c->cost);
    return j;
}

static int row_to_json(struct arena *a, const struct conversation_message *row,
                       const struct json **out, struct err *e)
{
    struct json *j = json_object(a);
    const struct json *message;
    int r = json_parse(a, row->line, NULL, &message, e);

    if (r < 0)
        return r;
    json_add(a, j, STR("at_ms"), json_int(a, row->at_ms));
    add_usage(a, j, row->usage, row->cost);
    json_add(a, j, STR("message"), message);
    *out = j;
    return 0;
}

static int part_to_json(struct arena *a, const struct conversation_part *p, const struct json **out,
                        struct err *e)
{
    struct json *j = json_object(a), *messages = json_array(a);

    add_text(a, j, STR("trigger"), p->trigger);
    json_add(a, j, STR("at_ms"), json_int(a, p->at_ms));
    for (size_t i = 0; i < p->rows.count; i++) {
        const struct json *row = NULL;
        int r = row_to_json(a, &p->rows.list[i], &row, e);

        if (r < 0)
            return err_wrap(e, r, "message %zu", i + 1);
        json_push(a, messages, row);
    }
    json_add(a, j, STR("messages"), messages);
    *out = j;
    return 0;
}

int archive_write(struct arena *a, const struct archive *archive, struct strbuf *out, struct err *e)
{
    struct json *j = json_object(a), *generations = json_array(a);

    for (size_t i = 0; i < archive->count; i++) {
        const struct json *part = NULL;
        int r = part_to_json(a, &archive->parts[i], &part, e);

        if (r < 0)
            return err_wrap(e, r, "generation %zu of '%s'", i + 1, archive->about.id);
        json_push(a, generations, part);
    }
    json_add(a, j, STR("format"), json_cstring(a, FORMAT));
    json_add(a, j, STR("version"), json_int(a, VERSION));
    json_add(a, j, STR("conversation"), archive_about(a, &archive->about));
    json_add(a, j, STR("generations"), generations);
    json_write(out, j, JSON_AS_IS);
    if (out->truncated)
        return err_set(e, -EFBIG, "conversation '%s' is too long for one document",
                       archive->about.id);
    return 0;
}

int archive_load(struct store *s, const char *id, struct arena *a, struct archive *out,
                 struct err *e)
{
    struct conversation_generation *list;
    int r = conversation_get(s, id, a, &out->about, e);

    if (r == 0)
        r = conversation_generations(s, out->about.id, a, &list, &out->count, e);
    if (r < 0)
        return r;
    out->parts = arena_array(a, struct conversation_part, out->count + 1);
    for (size_t i = 0; i < out->count && r == 0; i++) {
        struct conversation_part *p = &out->parts[i];

        *p = (struct conversation_part){ .trigger = list[i].trigger, .at_ms = list[i].at_ms };
        r = conversation_load(s, out->about.id, list[i].generation, a, &p->rows, e);
    }
    return r;
}

/* Reading ------------------------------------------------------------------------------------- */

static const char *text_of(struct arena *a, const struct json *j, struct str key)
{
    const char *text = json_cstr(a, json_get(j, key));

    return text ? text : "";
}

static int64_t time_of(const struct json *j, struct str key)
{
    int64_t ms;

    return json_to_int64(json_get(j, key), &ms) == 0 && ms > 0 ? ms : 0;
}

static double cost_of(const struct json *j)
{
    double cost;

    return json_to_double(json_get(j, STR("cost")), &cost) == 0 && cost > 0 ? cost : 0;
}

/* The bytes of a value as they stand there. */
static struct str bytes_of(struct arena *a, const struct json *j)
{
    struct str bytes = json_source(j);

    return str_is_set(bytes) ? str_of(arena_cstr(a, bytes)) : str_of(json_text(a, j));
}

/* An id becomes the name of a file. */
static int check_id(const char *id, struct err *e)
{
    size_t len = strspn(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-");

    if (len == 0 || len > ID_MAX || id[len])
        return err_set(e, -EINVAL, "'conversation.id' must be 1 to %d letters, digits, '-' or '_'",
                       ID_MAX);
    return 0;
}

static int read_about(struct arena *a, const struct json *j, struct conversation *c, struct err *e)
{
    const struct json *usage = json_get(j, STR("usage"));

    *c = (struct conversation){
        .id = text_of(a, j, STR("id")),
        .workspace = text_of(a, j, STR("workspace")),
        .cwd = text_of(a, j, STR("cwd")),
        .agent = text_of(a, j, STR("agent")),
        .model = text_of(a, j, STR("model")),
        .recipe = text_of(a, j, STR("recipe")),
        .title = text_of(a, j, STR("title")),
        .parent = text_of(a, j, STR("parent")),
        .origin = text_of(a, j, STR("origin")),
        .created_ms = time_of(j, STR("created_ms")),
        .updated_ms = time_of(j, STR("updated_ms")),
        .usage = json_type(usage) == JSON_OBJECT ? bytes_of(a, usage).ptr : "",
        .cost = cost_of(j),
    };
    return check_id(c->id, e);
}

static int check_history(const struct json *messages, struct err *e)
{
    return json_count(messages) ? message_check_history(messages, e) : 0;
}

static int read_part(struct arena *a, const struct json *j, struct conversation_part *p,
                     struct err *e)
{
    const struct json *list = json_get(j, STR("messages"));
    struct conversation_message *rows =
        arena_array(a, struct conversation_message, json_count(list) + 1);
    struct json *messages = json_array(a);

    if (json_type(list) != JSON_ARRAY)
        return err_set(e, -EINVAL, "'messages' must be a list");
    for (const struct json *m = json_first(list); m; m = json_next(m)) {
        const struct json *message = json_get(m, STR("message"));
        const struct json *usage = json_get(m, STR("usage"));

        if (json_type(message) != JSON_OBJECT)
            return err_set(e, -EINVAL, "message %zu has no 'message'", p->rows.count + 1);
        rows[p->rows.count++] = (struct conversation_message){
            .line = bytes_of(a, message),
            .usage = json_type(usage) == JSON_OBJECT ? bytes_of(a, usage) : (struct str){ 0 },
            .cost = cost_of(m),
            .at_ms = time_of(m, STR("at_ms")),
        };
        json_push(a, messages, message);
    }
    p->rows.list = rows;
    p->trigger = text_of(a, j, STR("trigger"));
    p->at_ms = time_of(j, STR("at_ms"));
    return check_history(messages, e);
}

static int read_parts(struct arena *a, const struct json *list, struct archive *out, struct err *e)
{
    size_t count = json_count(list);

    if (json_type(list) != JSON_ARRAY || count == 0 || count > GENERATIONS_MAX)
        return err_set(e, -EINVAL, "'generations' must be a list of 1 to %d", GENERATIONS_MAX);
    out->parts = arena_array(a, struct conversation_part, count);
    for (const struct json *j = json_first(list); j; j = json_next(j)) {
        int r = read_part(a, j, &out->parts[out->count++], e);

        if (r < 0)
            return err_wrap(e, r, "generation %zu", out->count);
    }
    return 0;
}

int archive_read(struct arena *a, struct str text, struct archive *out, struct err *e)
{
    const struct json *j;
    int64_t version;
    int r = json_parse(a, text, NULL, &j, e);

    *out = (struct archive){ 0 };
    if (r < 0)
        return r;
    if (!str_is(json_str(a, json_get(j, STR("format"))), FORMAT))
        return err_set(e, -EINVAL, "it is no exported conversation: 'format' must be '%s'", FORMAT);
    if (json_to_int64(json_get(j, STR("version")), &version) < 0 || version != VERSION)
        return err_set(e, -EINVAL, "'version' must be %d: export it with this hooke", VERSION);
    r = read_about(a, json_get(j, STR("conversation")), &out->about, e);
    return r == 0 ? read_parts(a, json_get(j, STR("generations")), out, e) : r;
}
