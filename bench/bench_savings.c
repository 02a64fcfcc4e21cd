/*
 * What a cadence saves: ten turns with a standing text of 2 KB, in the system prompt and at the end
 * of the request, every turn, every third and every fifth. Nothing is timed: bytes and tokens are
 * counted, so that the figures are the same everywhere.
 *
 *     bench_savings     prints "PLACE<TAB>CADENCE<TAB>times<TAB>bytes<TAB>billed<TAB>billed
 * uncached"
 *
 * Billed are the tokens that the text costs, at the price of a plain input token: what the ten
 * requests cost with it, less what they cost without it. The provider's cache holds the beginning
 * of the last request, whole messages, without the volatile part; it reads for a tenth of the
 * price and writes for a quarter more. Uncached: each token at full price.
 */
#include "base/file.h"
#include "base/map.h"
#include "builtin/builtin.h"
#include "hook/collector.h"
#include "hook/engine.h"

#include <ftw.h>
#include <stdio.h>

#define TURNS        10
#define TEXT_BYTES   2048
#define BLOCKS       (2 * TURNS + 1) /* the system prompt and all messages */
#define READ_PRICE   0.1
#define WRITE_PRICE  1.25
#define BYTES_TOKENS 4

/* A conversation of some size: what a lost cache costs depends on it. */
#define SYSTEM_BYTES 8000
#define ASKED_BYTES  400
#define REPLY_BYTES  4000

struct block {
    uint64_t hash;
    size_t bytes;
};

struct bill {
    double cached, uncached; /* tokens at the price of one */
    size_t times, bytes;     /* the text itself */
};

struct bench {
    struct arena arena;
    const char *dir;
    struct engine *engine;
    struct block last[BLOCKS];
    size_t last_count;
    const struct json *messages;
    struct bill bill;
};

static char *filler(struct arena *a, char c, size_t len)
{
    char *text = arena_alloc(a, len + 1);

    memset(text, c, len);
    text[len] = '\0';
    return text;
}

static void open_engine(struct bench *b, const char *yaml)
{
    char *file = arena_printf(&b->arena, "%s/config.yaml", b->dir);
    char *none = arena_printf(&b->arena, "%s/none", b->dir);
    const char *names[64] = { 0 };
    struct config_where where = {
        .cwd = b->dir,
        .managed = none,
        .hive = none,
        .user_file = file,
        .user_dir = b->dir,
        .state_dir = b->dir,
        .builtins = names,
    };

    if (file_write(file, str_of(yaml), 0600, NULL) < 0)
        abort();
    for (size_t i = 0; builtin_hooks[i]; i++)
        names[i] = builtin_hooks[i]->name;
    b->engine = engine_new(&(struct engine_options){
        .store = store_memory(), .builtins = builtin_hooks, .use_builtins = true });
    engine_configure(b->engine, config_load(&where));
}

static const struct json *emit(struct bench *b, enum point point, const struct json *data)
{
    struct event ev = { .point = point, .session = { .id = "s1" }, .data = data };
    struct receipt r = { 0 };

    if (engine_emit(b->engine, &ev, &b->arena, &r, NULL) < 0)
        abort();
    for (const struct injection *i = r.verdict.injections; i; i = i->next) {
        b->bill.times++;
        b->bill.bytes += strlen(i->text);
    }
    data = inject_apply(&b->arena, point, r.data, r.verdict.injections);
    receipt_release(&r);
    return data;
}

static struct block block_of(struct arena *a, const struct json *j)
{
    struct str text = str_of(json_text(a, j));

    return (struct block){ map_hash(0, text), text.len };
}

static double tokens(size_t bytes)
{
    return (double)bytes / BYTES_TOKENS;
}

/* What is sent, but for the volatile part, and how much that was. */
static size_t send(struct bench *b, const struct json *system, const struct json *messages,
                   struct block *blocks)
{
    struct arena *a = &b->arena;
    size_t count = 0, tail = 0;

    blocks[count++] = block_of(a, system);
    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        struct json *one = json_array(a);

        json_push(a, one, m);
        blocks[count] = block_of(a, json_first(inject_strip(a, one, COLLECTOR_TAIL_TAG)));
        tail += block_of(a, m).bytes - blocks[count].bytes;
        count++;
    }
    b->bill.cached += tokens(tail);
    b->bill.uncached += tokens(tail);
    return count;
}

static void charge(struct bench *b, const struct json *system, const struct json *messages)
{
    struct block now[BLOCKS];
    size_t count = send(b, system, messages, now);
    bool hit = true;

    for (size_t i = 0; i < count; i++) {
        hit = hit && i < b->last_count && b->last[i].hash == now[i].hash;
        b->bill.cached += tokens(now[i].bytes) * (hit ? READ_PRICE : WRITE_PRICE);
        b->bill.uncached += tokens(now[i].bytes);
    }
    memcpy(b->last, now, count * sizeof(*now));
    b->last_count = count;
}

static void say(struct bench *b, const char *role, unsigned turn, size_t bytes)
{
    struct arena *a = &b->arena;
    struct json *m = json_object(a), *part = json_object(a), *parts = json_array(a);

    json_add(a, part, STR("type"), json_cstring(a, "text"));
    json_add(a, part, STR("text"), json_cstring(a, filler(a, (char)('a' + turn), bytes)));
    json_push(a, parts, part);
    json_add(a, m, STR("id"), json_cstring(a, arena_printf(a, "%s%u", role, turn)));
    json_add(a, m, STR("role"), json_cstring(a, role));
    json_add(a, m, STR("content"), parts);
    b->messages = json_append(a, b->messages, m);
}

static void take_turn(struct bench *b, unsigned turn)
{
    struct arena *a = &b->arena;
    struct json *base = json_array(a);
    const struct json *system, *messages;

    say(b, "user", turn, ASKED_BYTES);
    json_push(a, base, json_cstring(a, filler(a, 's', SYSTEM_BYTES)));
    system = emit(b, POINT_SYSTEM_TRANSFORM, json_with(a, NULL, STR("system"), base));
    messages = emit(b, POINT_MESSAGES_TRANSFORM, json_with(a, NULL, STR("messages"), b->messages));
    charge(b, json_get(system, STR("system")), json_get(messages, STR("messages")));
    say(b, "assistant", turn, REPLY_BYTES);
}

static struct bill run(const char *dir, const char *yaml)
{
    struct bench b = { .dir = dir };
    struct store *store;

    open_engine(&b, yaml);
    store = engine_store(b.engine);
    for (unsigned turn = 0; turn < TURNS; turn++)
        take_turn(&b, turn);
    engine_free(b.engine);
    store_free(store);
    arena_release(&b.arena);
    return b.bill;
}

static int remove_one(const char *path, const struct stat *st UNUSED, int type UNUSED,
                      struct FTW *at UNUSED)
{
    return remove(path);
}

int main(void)
{
    static const char *const places[] = { "system", "tail" };
    static const unsigned cadences[] = { 1, 3, 5 };
    CLEANUP(arena) struct arena a = { 0 };
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/hooke-savings-XXXXXX", base ? base : "/tmp");
    struct bill without;

    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    without = run(dir, "{}");
    for (size_t i = 0; i < ARRAY_LEN(places) * ARRAY_LEN(cadences); i++) {
        const char *place = places[i / ARRAY_LEN(cadences)];
        unsigned cadence = cadences[i % ARRAY_LEN(cadences)];
        struct bill with =
            run(dir, arena_printf(&a,
                                  "hook_cadence: { system-prompt: %u }\n"
                                  "hooks: [{ name: system-prompt, place: %s, text: %s }]\n",
                                  cadence, place, filler(&a, 't', TEXT_BYTES)));

        printf("%s\t%u\t%zu\t%zu\t%.0f\t%.0f\n", place, cadence, with.times, with.bytes,
               with.cached - without.cached, with.uncached - without.uncached);
    }
    nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
