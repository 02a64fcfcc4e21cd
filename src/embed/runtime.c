#include "embed/runtime.h"

#include "base/file.h"
#include "base/path.h"
#include "base/vars.h"
#include "builtin/builtin.h"
#include "find/find.h"
#include "hook/capture.h"
#include "hook/child.h"
#include "hook/registry.h"
#include "runner/command.h"
#include "runner/resident.h"
#include "runner/rule.h"
#include "runner/script.h"

#include <errno.h>
#include <stdlib.h>

#define FILES_TO_SPARE 8

static const struct runner *const runners[] = { &rule_runner, &script_runner, &command_runner,
                                                &resident_runner, NULL };

static const char *const *builtin_names(struct arena *a)
{
    size_t count = 0;
    const char **names;

    while (builtin_hooks[count])
        count++;
    names = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = builtin_hooks[i]->name;
    return names;
}

/* Say every problem once; returns the first that is more than a warning, or NULL. */
static const struct problem *report(struct log *log, const struct config *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct problem *first = NULL;

    for (const struct problem *p = c->problems.first; p; p = p->next) {
        if (!p->warning && !first)
            first = p;
        log_warn_once(log, "%s: %s", origin_text(&a, &p->origin), p->message);
    }
    return first;
}

/* A file that cannot be opened for want of descriptors must not take its hooks with it. */
static int check_room(const struct runtime_options *o, struct err *e)
{
    if (!o->crowded || file_spare(FILES_TO_SPARE))
        return 0;
    return err_set(e, -EMFILE, "the configuration cannot be read: %s", strerror(EMFILE));
}

int runtime_configure(struct runtime *rt, const struct runtime_options *o, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct config_where where = {
        .cwd = o->cwd,
        .user_file = o->config,
        .answering = o->answering,
        .find = find_hooks,
        .trust = o->trust,
        .builtins = builtin_names(&a),
        .flags = o->flags,
        .recompile = o->recompile,
    };
    struct registry *reg;
    const struct config *config;
    bool bad;
    int r = check_room(o, e);

    if (r < 0)
        return r;
    reg = engine_build(rt->engine, config_load(&where));
    config = registry_config(reg);
    bad = report(o->log, config) != NULL;
    r = check_room(o, e); /* it may have been short of them in between */
    if (r == 0 && !o->lenient)
        r = config_trust_ready(config, e);
    if (r < 0) {
        registry_unref(reg);
        return r;
    }
    if (bad && config->strict && !o->lenient) {
        registry_unref(reg);
        return err_set(
            e, -EBADMSG,
            "'strict' is on and the configuration has problems, see 'hooke config check'");
    }
    log_info(o->log, "configuration of '%s' comes into force, %zu entries, %s", config->workspace,
             config->hook_count,
             config->problems.known ? "as it was compiled" : "read from its files");
    engine_install(rt->engine, reg); /* with it the configuration is somebody else's */
    return 0;
}

int runtime_open(struct runtime *rt, const struct runtime_options *o, struct err *e)
{
    struct engine_options engine = {
        .log = o->log,
        .builtins = builtin_hooks,
        .runners = runners,
        .use_builtins = !o->only_used,
        .no_hooks = o->no_hooks,
        .depth = child_depth_here(),
        .abort_fd = o->abort_fd,
    };
    const char *store = o->store ? o->store : store_default_path(&rt->arena);
    const char *receipts = o->receipts ? o->receipts : receipt_default_dir(&rt->arena);

    rt->receipts = arena_strdup(&rt->arena, receipts);
    rt->store = store_at(store);
    engine.store = rt->store;
    engine.receipts = receipts[0] ? receipts : NULL;
    if (receipts[0]) { /* who wants no traces wants none of these either */
        engine.captures = capture_default_folder(&rt->arena);
        engine.capture = vars_get("HOOKE_CAPTURE");
    }
    rt->engine = engine_new(&engine);
    return o->no_config ? 0 : runtime_configure(rt, o, e);
}

void runtime_close(struct runtime *rt)
{
    engine_free(rt->engine);
    store_free(rt->store);
    arena_release(&rt->arena);
    *rt = (struct runtime){ 0 };
}
