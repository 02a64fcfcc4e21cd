/*
 * bed.h - a test bed for the engine: built-ins of the test's own, configuration as text, a store in
 * memory, receipts in a temporary folder, and what was logged.
 *
 *     CLEANUP(bed) struct bed bed = { 0 };
 *     bed_open(&bed, defs, "disabled_hooks: [noisy]");
 *     bed_emit(&bed, "tool.execute.before", "{\"tool\":\"bash\"}");
 *     assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
 */
#pragma once

#include "base/file.h"
#include "base/path.h"
#include "hook/engine.h"
#include "hook/registry.h"
#include "runner/command.h"
#include "runner/resident.h"
#include "runner/rule.h"
#include "runner/script.h"
#include "tmpdir.h"

struct bed {
    struct tmpdir dir;
    struct arena arena;
    struct log log;
    struct strbuf logged; /* a line a message */
    pthread_mutex_t logging;
    struct store *store;
    struct engine *engine;
    struct session session; /* of the events emitted; "s1" unless set */
    unsigned turn;
    unsigned depth;         /* of the process; set before bed_open() */
    int abort_fd;           /* the same; of the events, too */
    struct receipt receipt; /* of the last emit */
};

static inline void bed_log(void *context, enum log_level level UNUSED, const char *line)
{
    struct bed *bed = context;

    pthread_mutex_lock(&bed->logging);
    strbuf_addstr(&bed->logged, line);
    strbuf_addch(&bed->logged, '\n');
    pthread_mutex_unlock(&bed->logging);
}

/* Load the configuration that is there. */
static inline void bed_reload(struct bed *bed, const struct hook_def *const *defs)
{
    const char *names[64] = { 0 };
    struct config_where where = {
        .cwd = bed->dir.path,
        .managed = path_join(&bed->arena, bed->dir.path, "managed.yaml"),
        .hive = path_join(&bed->arena, bed->dir.path, "none"),
        .state_dir = path_join(&bed->arena, bed->dir.path, "state"),
        .user_dir = bed->dir.path,
        .builtins = names,
    };

    for (size_t i = 0; defs && defs[i]; i++)
        names[i] = defs[i]->name;
    engine_configure(bed->engine, config_load(&where));
}

static inline void bed_configure(struct bed *bed, const struct hook_def *const *defs,
                                 const char *yaml)
{
    char *file = path_join(&bed->arena, bed->dir.path, "config.yaml");

    assert_int_equal(file_write(file, str_of(yaml), 0600, NULL), 0);
    bed_reload(bed, defs);
}

static inline void bed_open(struct bed *bed, const struct hook_def *const *defs, const char *yaml)
{
    static const struct runner *const runners[] = { &rule_runner, &script_runner, &command_runner,
                                                    &resident_runner, NULL };
    struct engine_options o = {
        .log = &bed->log,
        .builtins = defs,
        .runners = runners,
        .use_builtins = true,
        .depth = bed->depth,
        .abort_fd = bed->abort_fd,
    };

    tmpdir_make(&bed->dir);
    pthread_mutex_init(&bed->logging, NULL);
    setenv("XDG_DATA_HOME", path_join(&bed->arena, bed->dir.path, "data"), 1);
    log_init(&bed->log, LOG_WARN, bed_log, bed);
    if (!bed->store)
        bed->store = store_memory();
    o.store = bed->store;
    o.receipts = path_join(&bed->arena, bed->dir.path, "receipts");
    bed->engine = engine_new(&o);
    bed->session.id = "s1";
    if (yaml)
        bed_configure(bed, defs, yaml);
}

static inline int bed_try_emit(struct bed *bed, const char *point, const char *data, struct err *e)
{
    struct event *ev = arena_new(&bed->arena, struct event);
    struct subscription on;

    receipt_release(&bed->receipt);
    assert_true(point_resolve(str_of(point), &on));
    ev->point = on.point;
    ev->turn = bed->turn;
    ev->session = bed->session;
    ev->abort_fd = bed->abort_fd;
    if (data)
        assert_int_equal(json_parse(&bed->arena, str_of(data), NULL, &ev->data, NULL), 0);
    return engine_emit(bed->engine, ev, &bed->arena, &bed->receipt, e);
}

static inline void bed_emit(struct bed *bed, const char *point, const char *data)
{
    struct err e = { 0 };

    if (bed_try_emit(bed, point, data, &e) < 0)
        fail_msg("%s", e.msg);
}

/* The merged verdict as compact JSON. */
static inline const char *bed_verdict(struct bed *bed)
{
    return json_text(&bed->arena, verdict_to_json(&bed->arena, &bed->receipt.verdict));
}

/* Whether a hook ran in the last emit. */
static inline bool bed_ran(const struct bed *bed, const char *hook)
{
    for (size_t i = 0; i < bed->receipt.run_count; i++)
        if (strcmp(bed->receipt.runs[i].hook->name, hook) == 0)
            return true;
    return false;
}

/* The names of the hooks that ran, in order, separated by spaces. */
static inline const char *bed_order(struct bed *bed)
{
    CLEANUP(strbuf) struct strbuf names = { 0 };

    for (size_t i = 0; i < bed->receipt.run_count; i++)
        strbuf_printf(&names, "%s%s", i ? " " : "", bed->receipt.runs[i].hook->name);
    return arena_cstr(&bed->arena, strbuf_str(&names));
}

static inline void bed_cleanup(struct bed *bed)
{
    receipt_release(&bed->receipt);
    engine_free(bed->engine);
    store_free(bed->store);
    strbuf_release(&bed->logged);
    log_release(&bed->log);
    arena_release(&bed->arena);
    tmpdir_cleanup(&bed->dir);
}
