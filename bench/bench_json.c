/*
 * What JSON costs us: parse, read three fields, write.
 *
 *     bench_json --make DIR     write conversation-4k.json and conversation-1m.json
 *     bench_json FILE...        print "row<TAB>nanoseconds" lines; bench/json.mjs prints the same
 *
 * Rows: json-SIZE as above; json-edit-SIZE with one field set before writing; json-pass-SIZE only
 * writes an untouched value, beside memcpy-SIZE of the same bytes.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>

#define SAMPLES   31
#define SAMPLE_NS 5000000u
#define FILE_MAX  ((size_t)64 << 20)

/* The payload -------------------------------------------------------------------------------- */

struct maker {
    struct arena arena;
    uint64_t seed;
};

static unsigned pick(struct maker *m, unsigned below)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->seed >> 33) % below;
}

/* Sentences as people and models write them; about one in eight has something beyond ASCII. */
static const struct json *prose(struct maker *m, unsigned sentences)
{
    static const char *const lines[] = {
        "The parser keeps a pointer into the source, so nothing is decoded twice. ",
        "I ran the \"quick\" suite first and it passes; the slow one is still running.\n",
        "Look at src/store/sqlite.c:214, where the handle is closed before the last read. ",
        "That explains the report: the second writer waits, times out and gives up.\n\n",
        "- rename `open_store` to `store_open`\n- move the retry into one place\n",
        "Could you also check what happens when the folder is read-only? ",
        "No change is needed there. It returns -EROFS and the message names the file. ",
        "Größe und Reihenfolge bleiben gleich — das Ergebnis ist ‘unverändert’. ",
        "```c\nif (r < 0)\n\treturn err_wrap(e, r, \"opening '%s'\", path);\n```\n",
        "Three of the forty cases differ, all of them in how a trailing slash is treated. ",
    };
    char *text = arena_strdup(&m->arena, "");

    while (sentences-- > 0)
        text = arena_printf(&m->arena, "%s%s", text, lines[pick(m, ARRAY_LEN(lines))]);
    return json_cstring(&m->arena, text);
}

static const struct json *listing(struct maker *m, unsigned lines)
{
    char *text = arena_strdup(&m->arena, "");

    for (unsigned i = 1; i <= lines; i++)
        text = arena_printf(&m->arena, "%s%u\tstatic int handle_%u(struct item *it, \"%x\");\n",
                            text, i, pick(m, 900), pick(m, 1u << 30));
    return json_cstring(&m->arena, text);
}

static const struct json *usage(struct maker *m)
{
    struct json *u = json_object(&m->arena);

    json_add(&m->arena, u, STR("input_tokens"), json_int(&m->arena, 900 + pick(m, 90000)));
    json_add(&m->arena, u, STR("output_tokens"), json_int(&m->arena, pick(m, 4000)));
    json_add(&m->arena, u, STR("cache_read_tokens"), json_int(&m->arena, pick(m, 80000)));
    json_add(&m->arena, u, STR("cost"), json_double(&m->arena, pick(m, 1000000) / 1e6));
    return u;
}

static struct json *message(struct maker *m, const char *role)
{
    struct json *msg = json_object(&m->arena);
    char *id = arena_printf(&m->arena, "msg_%08x%08x", pick(m, 1u << 31), pick(m, 1u << 31));

    json_add(&m->arena, msg, STR("id"), json_cstring(&m->arena, id));
    json_add(&m->arena, msg, STR("role"), json_cstring(&m->arena, role));
    return msg;
}

static struct json *part(struct maker *m, const char *type, struct str key,
                         const struct json *value)
{
    struct json *p = json_object(&m->arena);

    json_add(&m->arena, p, STR("type"), json_cstring(&m->arena, type));
    json_add(&m->arena, p, key, value);
    return p;
}

static const struct json *tool_args(struct maker *m)
{
    struct json *args = json_object(&m->arena);
    char *path = arena_printf(&m->arena, "src/module_%u/part_%u.c", pick(m, 40), pick(m, 40));

    json_add(&m->arena, args, STR("path"), json_cstring(&m->arena, path));
    json_add(&m->arena, args, STR("offset"), json_int(&m->arena, pick(m, 500)));
    json_add(&m->arena, args, STR("limit"), json_int(&m->arena, 40));
    json_add(&m->arena, args, STR("recursive"), json_bool(&m->arena, pick(m, 2)));
    json_add(&m->arena, args, STR("filter"), json_null(&m->arena));
    return args;
}

/* A question, an answer with a tool call, the tool's output. */
static void push_turn(struct maker *m, struct json *messages)
{
    struct arena *a = &m->arena;
    char *call_id = arena_printf(a, "call_%08x", pick(m, 1u << 31));
    struct json *user = message(m, "user"), *assistant = message(m, "assistant");
    struct json *tool = message(m, "tool"), *parts = json_array(a), *output = json_array(a), *call;

    json_add(a, user, STR("content"), prose(m, 1 + pick(m, 4)));
    json_push(a, messages, user);

    json_push(a, parts, part(m, "text", STR("text"), prose(m, 2 + pick(m, 6))));
    call = part(m, "tool_call", STR("call_id"), json_cstring(a, call_id));
    json_add(a, call, STR("tool"), json_cstring(a, "read"));
    json_add(a, call, STR("args"), tool_args(m));
    json_push(a, parts, call);
    json_add(a, assistant, STR("content"), parts);
    json_add(a, assistant, STR("usage"), usage(m));
    json_push(a, messages, assistant);

    call = part(m, "tool_result", STR("call_id"), json_cstring(a, call_id));
    json_add(a, call, STR("output"), listing(m, 3 + pick(m, 20)));
    json_push(a, output, call);
    json_add(a, tool, STR("content"), output);
    json_push(a, messages, tool);
}

static int make_file(const char *path, size_t bytes, struct err *e)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct maker m = { .seed = 42 };
    struct json *messages = json_array(&m.arena), *doc = json_object(&m.arena);
    size_t used = 0;
    int r;

    while (used < bytes) {
        struct json *turn = json_array(&m.arena);

        push_turn(&m, turn);
        used += strlen(json_text(&m.arena, turn));
        for (const struct json *c = json_first(turn); c; c = json_next(c))
            json_push(&m.arena, messages, c);
    }
    json_add(&m.arena, doc, STR("model"), json_cstring(&m.arena, "provider/large-model"));
    json_add(&m.arena, doc, STR("temperature"), json_double(&m.arena, 0.7));
    json_add(&m.arena, doc, STR("messages"), messages);
    json_add(&m.arena, doc, STR("usage"), usage(&m));
    json_write(&text, doc, JSON_COMPACT);
    r = file_write(path, strbuf_str(&text), 0644, e);
    arena_release(&m.arena);
    return r;
}

static int make(const char *dir, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    int r = make_file(path_join(&a, dir, "conversation-4k.json"), 3200, e);

    return r < 0 ? r : make_file(path_join(&a, dir, "conversation-1m.json"), 1 << 20, e);
}

/* The measurement ---------------------------------------------------------------------------- */

struct work {
    struct str text;
    struct arena arena;       /* reset before every parse */
    struct strbuf out;        /* reused by every write */
    const struct json *value; /* parsed once, for json-pass */
    int64_t sink;             /* keeps the compiler from leaving work out */
    bool failed;
};

static const struct json *parse_and_read(struct work *w)
{
    const struct json *doc, *messages;
    int64_t tokens = 0;

    arena_reset(&w->arena);
    strbuf_reset(&w->out);
    if (json_parse(&w->arena, w->text, NULL, &doc, NULL) < 0) {
        w->failed = true;
        return NULL;
    }
    messages = json_get(doc, STR("messages"));
    w->sink += (int64_t)json_str(&w->arena, json_get(doc, STR("model"))).len;
    w->sink += (int64_t)json_str(&w->arena,
                                 json_get(json_at(messages, json_count(messages) - 1), STR("role")))
                   .len;
    if (json_to_int64(json_pointer(doc, "/usage/input_tokens"), &tokens) < 0)
        w->failed = true;
    w->sink += tokens;
    return doc;
}

static void run_plain(struct work *w)
{
    json_write(&w->out, parse_and_read(w), JSON_COMPACT);
}

static void run_edit(struct work *w)
{
    const struct json *doc = parse_and_read(w);

    doc = json_with(&w->arena, doc, STR("temperature"), json_int(&w->arena, 1));
    json_write(&w->out, doc, JSON_COMPACT);
}

static void run_pass(struct work *w)
{
    strbuf_reset(&w->out);
    json_write(&w->out, w->value, JSON_AS_IS);
}

static void run_memcpy(struct work *w)
{
    memcpy(w->out.buf, w->text.ptr, w->text.len);
    __asm__ volatile("" ::"r"(w->out.buf) : "memory");
}

static uint64_t sample(struct work *w, void (*run)(struct work *), unsigned rounds)
{
    uint64_t start = clock_mono_ns();

    for (unsigned i = 0; i < rounds; i++)
        run(w);
    return clock_mono_ns() - start;
}

static int ascending(const void *x, const void *y)
{
    double dx = *(const double *)x, dy = *(const double *)y;

    return (dx > dy) - (dx < dy);
}

static double measure(struct work *w, void (*run)(struct work *))
{
    double times[SAMPLES];
    unsigned rounds = 1;

    while (sample(w, run, rounds) < SAMPLE_NS)
        rounds *= 2;
    for (unsigned i = 0; i < SAMPLES; i++)
        times[i] = (double)sample(w, run, rounds) / rounds;
    qsort(times, SAMPLES, sizeof(times[0]), ascending);
    return times[SAMPLES / 2];
}

/* "…/conversation-4k.json" is measured as "4k". */
static char *size_name(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct str s = str_of(name);

    if (str_starts(s, STR("conversation-")))
        s = (struct str){ s.ptr + 13, s.len - 13 };
    if (s.len > 5 && strcmp(s.ptr + s.len - 5, ".json") == 0)
        s.len -= 5;
    return arena_cstr(a, s);
}

static int bench(const char *path, struct err *e)
{
    static const struct {
        const char *row;
        void (*run)(struct work *);
    } rows[] = {
        { "json", run_plain },
        { "json-edit", run_edit },
        { "json-pass", run_pass },
        { "memcpy", run_memcpy },
    };
    CLEANUP(arena) struct arena a = { 0 };
    struct work w = { 0 };
    const char *size = size_name(&a, path);
    int r = file_read(&a, path, FILE_MAX, &w.text, e);

    if (r == 0)
        r = json_parse(&a, w.text, NULL, &w.value, e);
    if (r < 0)
        return r;
    json_write(&w.out, w.value, JSON_AS_IS); /* makes the buffer large enough for memcpy */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        printf("%s-%s\t%.0f\n", rows[i].row, size, measure(&w, rows[i].run));
    arena_release(&w.arena);
    strbuf_release(&w.out);
    return w.failed || w.sink == 0 ? err_set(e, -1, "'%s' is not one of our payloads", path) : 0;
}

int main(int argc, char **argv)
{
    struct err e = { 0 };

    if (argc < 2) {
        fprintf(stderr, "usage: %s --make DIR | FILE...\n", argv[0]);
        return 2;
    }
    if (argc == 3 && strcmp(argv[1], "--make") == 0) {
        if (make(argv[2], &e) < 0)
            fprintf(stderr, "%s\n", e.msg);
        return e.code ? 1 : 0;
    }
    for (int i = 1; i < argc; i++) {
        if (bench(argv[i], &e) < 0) {
            fprintf(stderr, "%s\n", e.msg);
            return 1;
        }
    }
    return 0;
}
