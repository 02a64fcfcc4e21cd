/*
 * No built-in breaks the provider's prompt cache: conversations of all kinds grow, request by
 * request, under a clock that jumps and with ids that are random, and every request begins with
 * what the one before it sent. A built-in that takes part in a request has to be seen at work here:
 * see `parts`.
 */
#include "base/map.h"
#include "bed.h"
#include "builtin/builtin.h"
#include "embed/verify.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define SEEDS 24

/* A clock that jumps --------------------------------------------------------------------------- */

static int64_t jump_seconds;

/* Stands for the C library's in this program. Durations and deadlines stay what they are. */
int jumping_clock(clockid_t id, struct timespec *ts) __asm__("clock_gettime");

int jumping_clock(clockid_t id, struct timespec *ts)
{
    static int (*real)(clockid_t, struct timespec *);
    int r;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    r = real(id, ts);
    if (id == CLOCK_REALTIME)
        ts->tv_sec += jump_seconds;
    return r;
}

static void jump(void *context UNUSED)
{
    jump_seconds += 3600 * 25 + 61;
}

/* Who takes part ------------------------------------------------------------------------------- */

/*
 * Every built-in is in one of these lists. One that injects, or changes the system prompt or the
 * messages of a request, is in the first, and the conversations below have to make it do so: give
 * `asked` and `calls` of src/embed/verify.c, or the files and configurations below, what it needs.
 */
static const char *const parts[] = {
    "context-injector", "context-monitor",     "delegate-task-retry", "directory-agents",
    "directory-readme", "json-error-recovery", "keyword-detector",    "phase-reminder",
    "post-read-nudge",  "rules-injector",      "skills-injector",     "system-prompt",
};
static const char *const others[] = {
    "cache-monitor",
    "chat-headers",
    "command-guard",
    "compact-trigger",
    "first-message-variant",
    "foreground-fallback",
    "loop-guard",
    "notify",
    "output-truncator",
    "sandbox",
    "secret-guard",
    "todo-continuation",
};

static const char *const configs[] = {
    "agents: { orchestrator: { skills: [review] }, builder: { skills: [review] } }\n"
    "hooks: [{ name: system-prompt, text: Be kind. }]\n",
    "hook_cadence: { system-prompt: 3, phase-reminder: 2, skills-injector: 2, post-read-nudge: 2 }\n"
    "agents: { orchestrator: { skills: [review] } }\n"
    "hooks: [{ name: system-prompt, text: Be kind., status_exec: date +%s%N }]\n",
    "hook_cadence: { experimental.chat.system.transform: 2, experimental.chat.messages.transform: 3 }\n"
    "hooks:\n"
    "  - { name: system-prompt, text: Be kind. }\n"
    "  - { name: note, on: turn.after, inject: Run the tests. }\n"
    "  - { name: directory-readme, enabled: true }\n"
    "  - { name: post-read-nudge, place: output }\n",
};

static const char *const agents[] = { "orchestrator", "builder", NULL };

struct watch {
    struct bed bed;
    bool injected[64]; /* by index into builtin_hooks */
    struct strbuf sent;
};

static void watch_cleanup(struct watch *w)
{
    strbuf_release(&w->sent);
    bed_cleanup(&w->bed);
}

static size_t index_of(const struct hook *h)
{
    size_t i = 0;

    while (builtin_hooks[i] && builtin_hooks[i] != h->def)
        i++;
    return i;
}

static bool is_of_request(enum point point)
{
    return point == POINT_SYSTEM_TRANSFORM || point == POINT_MESSAGES_TRANSFORM;
}

static void note_runs(void *context, const struct receipt *r)
{
    struct watch *w = context;
    unsigned powers = POWER_INJECT | (is_of_request(r->event->point) ? POWER_CHANGE : 0u);

    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].hook->def && r->runs[i].effects & powers)
            w->injected[index_of(r->runs[i].hook)] = true;
}

/* Roles and contents: ids are random. */
static void note_request(void *context, const struct json *request)
{
    struct watch *w = context;
    const struct json *messages = json_get(request, STR("messages"));

    json_write(&w->sent, json_get(request, STR("system")), JSON_COMPACT);
    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        json_write(&w->sent, json_get(m, STR("role")), JSON_COMPACT);
        json_write(&w->sent, json_get(m, STR("content")), JSON_COMPACT);
    }
    strbuf_addch(&w->sent, '\n');
}

static void write_files(struct bed *bed)
{
    static const char *const files[][2] = {
        { ".hooke/skills/review/SKILL.md", "Read every change twice.\n" },
        { "src/lib/limit.c", "int limit = 3;\n" },
        { "src/AGENTS.md", "Limits are inclusive.\n" },
        { "AGENTS.md", "Run make test.\n" },
        { "README.md", "Limits.\n" },
        { ".hooke/rules/c.md", "---\nglobs: '**/*.c'\n---\nNo globals.\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        assert_int_equal(file_write(path_join(&bed->arena, bed->dir.path, files[i][0]),
                                    str_of(files[i][1]), 0600, NULL),
                         0);
}

static void open_watch(struct watch *w, const struct hook_def *const *defs, const char *yaml)
{
    bed_open(&w->bed, defs, NULL);
    write_files(&w->bed);
    bed_configure(&w->bed, defs, yaml);
}

static int converse(struct watch *w, const char *agent, uint64_t seed, struct verify_break *broken)
{
    struct arena *a = &w->bed.arena;
    struct verify v = {
        .engine = w->bed.engine,
        .session = arena_printf(a, "%s-%u", agent ? agent : "nobody", (unsigned)seed),
        .agent = agent,
        .cwd = w->bed.dir.path,
        .turns = 2 + (unsigned)(seed % 6),
        .seed = seed,
        .context = w,
        .shift = jump,
        .seen = note_runs,
        .sent = note_request,
    };
    struct err e = { 0 };
    int r = verify_run(&v, a, broken, &e);

    if (r < 0)
        fail_msg("%s", e.msg);
    return r;
}

/* Tests ---------------------------------------------------------------------------------------- */

static void converse_well(struct watch *w, const char *agent, uint64_t seed)
{
    struct verify_break b;

    if (converse(w, agent, seed, &b))
        fail_msg("seed %u: request %u changes %s: '%s' became '%s'", (unsigned)seed, b.request,
                 b.where, b.before, b.after);
}

static void every_request_begins_with_the_one_before_it(void **state UNUSED)
{
    for (size_t c = 0; c < ARRAY_LEN(configs); c++) {
        CLEANUP(watch) struct watch w = { 0 };

        open_watch(&w, builtin_hooks, configs[c]);
        for (size_t i = 0; i < ARRAY_LEN(agents) * SEEDS; i++)
            converse_well(&w, agents[i % ARRAY_LEN(agents)], i);
    }
}

static void neither_clock_nor_ids_change_what_is_sent(void **state UNUSED)
{
    for (size_t c = 0; c < ARRAY_LEN(configs); c++) {
        CLEANUP(watch) struct watch w = { 0 }, later = { 0 };

        open_watch(&w, builtin_hooks, configs[c]);
        converse_well(&w, "orchestrator", 7);
        jump_seconds += (int64_t)86400 * 400;
        open_watch(&later, builtin_hooks, configs[c]);
        converse_well(&later, "orchestrator", 7);
        assert_string_equal(strbuf_cstr(&w.sent), strbuf_cstr(&later.sent));
    }
}

static bool is_listed(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static void every_builtin_is_covered_or_takes_no_part(void **state UNUSED)
{
    bool seen[64] = { 0 };
    size_t listed = 0;

    for (size_t c = 0; c < ARRAY_LEN(configs); c++) {
        CLEANUP(watch) struct watch w = { 0 };

        open_watch(&w, builtin_hooks, configs[c]);
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            converse_well(&w, "orchestrator", seed);
        for (size_t i = 0; i < ARRAY_LEN(seen); i++)
            seen[i] |= w.injected[i];
    }
    for (size_t i = 0; builtin_hooks[i]; i++) {
        const char *name = builtin_hooks[i]->name;
        bool part = is_listed(parts, ARRAY_LEN(parts), name);

        listed++;
        if (part == is_listed(others, ARRAY_LEN(others), name))
            fail_msg("'%s' must be in one of the lists of this file", name);
        if (part && !seen[i])
            fail_msg("'%s' is said to take part, and no conversation here makes it", name);
        if (!part && (seen[i] || builtin_hooks[i]->on[POINT_SYSTEM_TRANSFORM] ||
                      builtin_hooks[i]->on[POINT_MESSAGES_TRANSFORM]))
            fail_msg("'%s' takes part in requests: list it so", name);
    }
    assert_int_equal(listed, ARRAY_LEN(parts) + ARRAY_LEN(others));
}

/* What must be found --------------------------------------------------------------------------- */

static int tell_time(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    verdict_inject(c->arena, v, "time", arena_printf(c->arena, "It is %ld.", (long)now.tv_sec));
    return 0;
}

static int drop_oldest(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct json *messages = event_data(c->event, STR("messages"));

    if (json_count(messages) > 4)
        verdict_replace(c->arena, v, STR("messages"), json_splice(c->arena, messages, 0, 1, NULL));
    return 0;
}

static const struct hook_def clock_def = { .name = "clock",
                                           .summary = "says the time",
                                           .on = { [POINT_SYSTEM_TRANSFORM] = tell_time } };
static const struct hook_def drop_def = { .name = "drop",
                                          .summary = "drops the oldest message",
                                          .on = { [POINT_MESSAGES_TRANSFORM] = drop_oldest } };

static void a_clock_in_the_system_prompt_is_found(void **state UNUSED)
{
    static const struct hook_def *const defs[] = { &clock_def, NULL };
    CLEANUP(watch) struct watch w = { 0 };
    struct verify_break b;

    open_watch(&w, defs, "{}");
    assert_int_equal(converse(&w, NULL, 1, &b), 1);
    assert_int_equal(b.request, 2);
    assert_string_equal(b.where, "the system prompt");
    assert_string_not_equal(b.before, b.after);
}

static void messages_that_are_dropped_are_found(void **state UNUSED)
{
    static const struct hook_def *const defs[] = { &drop_def, NULL };
    CLEANUP(watch) struct watch w = { 0 };
    struct verify_break b;

    open_watch(&w, defs, "{}");
    assert_int_equal(converse(&w, NULL, 3, &b), 1);
    assert_string_equal(b.where, "message 1");
}

static void the_form_that_comes_and_goes_is_found(void **state UNUSED)
{
    CLEANUP(watch) struct watch w = { 0 };
    struct verify_break b;

    open_watch(&w, builtin_hooks,
               "hook_cadence: { system-prompt: 3 }\n"
               "hooks: [{ name: system-prompt, text: Be kind., place: system }]\n");
    assert_int_equal(converse(&w, NULL, 1, &b), 1);
    assert_string_equal(b.where, "the system prompt");
}

/* Sources that may not ask --------------------------------------------------------------------- */

/* Which built-ins may know the time of day, and what for. */
static const char *const may_ask[][2] = {
    { "foreground_fallback.c", "clock_wall_ms(" }, /* how long a provider is passed over */
};

static bool may(const char *file, const char *call, bool used[])
{
    for (size_t i = 0; i < ARRAY_LEN(may_ask); i++)
        if (strcmp(may_ask[i][0], file) == 0 && strcmp(may_ask[i][1], call) == 0) {
            used[i] = true;
            return true;
        }
    return false;
}

static void no_source_asks_for_time_or_chance(void **state UNUSED)
{
    static const char *const banned[] = { "clock_wall_ms(", "clock_gettime(", "gettimeofday(",
                                          "time(NULL",      " rand(",         "random(",
                                          "getrandom(",     "ulid_n",         "getpid(" };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(dir) DIR *dir = opendir(HOOKE_SOURCE_DIR "/src/builtin");
    bool used[ARRAY_LEN(may_ask)] = { 0 };
    size_t files = 0;

    assert_non_null(dir);
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct str text;

        if (!str_ends(str_of(d->d_name), STR(".c")))
            continue;
        files++;
        assert_int_equal(file_read(&a,
                                   arena_printf(&a, HOOKE_SOURCE_DIR "/src/builtin/%s", d->d_name),
                                   1 << 20, &text, NULL),
                         0);
        for (size_t i = 0; i < ARRAY_LEN(banned); i++)
            if (strstr(text.ptr, banned[i]) && !may(d->d_name, banned[i], used))
                fail_msg("%s uses %s…): what is sent must not depend on it", d->d_name, banned[i]);
    }
    assert_true(files > 10);
    for (size_t i = 0; i < ARRAY_LEN(used); i++)
        if (!used[i])
            fail_msg("%s does not use %s…) any more", may_ask[i][0], may_ask[i][1]);
}

TESTS(cmocka_unit_test(every_request_begins_with_the_one_before_it),
      cmocka_unit_test(neither_clock_nor_ids_change_what_is_sent),
      cmocka_unit_test(every_builtin_is_covered_or_takes_no_part),
      cmocka_unit_test(a_clock_in_the_system_prompt_is_found),
      cmocka_unit_test(messages_that_are_dropped_are_found),
      cmocka_unit_test(the_form_that_comes_and_goes_is_found),
      cmocka_unit_test(no_source_asks_for_time_or_chance))
