#include "find/ask.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "find/cache.h"
#include "hook/child.h"
#include "proc/proc.h"

#define LIMIT_NS   UINT64_C(2000000000)
#define GRACE_NS   UINT64_C(200000000)
#define ANSWER_MAX ((size_t)64 << 10)
#define AT_ONCE    16

static struct cache_key key_of(const struct ask *a)
{
    return (struct cache_key){ a->file->path, a->question, &a->file->asked };
}

/* A failure is worth asking again for somebody who looks at the configuration. */
static bool is_known(struct config_finding *f, struct cache *c, struct ask *a)
{
    const struct cache_key key = key_of(a);
    struct cache_answer known;

    if (!cache_get(c, &key, &known) || (f->afresh && !known.text))
        return false;
    a->answer = known.text ? arena_strdup(f->arena, known.text) : NULL;
    a->failure = known.failure ? arena_strdup(f->arena, known.failure) : NULL;
    return true;
}

static const char *const *environment(struct arena *a, const struct setting *root,
                                      const char *const *own)
{
    size_t more = 0, count;
    const char **env;

    while (own && own[more])
        more++;
    env = child_env(a, &(struct child_needs){ .root = root }, more + 1, &count);
    for (size_t i = 0; i < more; i++)
        env[count++] = own[i];
    env[count] = child_depth(a);
    return env;
}

static void take_answer(struct config_finding *f, struct ask *a, const struct proc *p,
                        const struct proc_result *r)
{
    struct str out = str_trim(strbuf_str(&r->out.text)), line;
    struct str err = str_trim(strbuf_str(&r->err.text));

    if (r->end != PROC_EXITED)
        a->failure = arena_strdup(f->arena, proc_explain(f->arena, p, r));
    else if (r->exit_code != 0 && str_cut(&err, '\n', &line) && line.len)
        a->failure =
            arena_printf(f->arena, "exited with code %d: %.*s", r->exit_code, STR_ARG(line));
    else if (r->exit_code != 0)
        a->failure = arena_printf(f->arena, "exited with code %d", r->exit_code);
    else if (r->out.text.truncated)
        a->failure = "wrote too much";
    else if (memchr(out.ptr, '\0', out.len))
        a->failure = "wrote a NUL character";
    else
        a->answer = arena_cstr(f->arena, out);
}

static void ask_some(struct config_finding *f, struct cache *c, struct ask **asks, size_t count)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct proc procs[AT_ONCE] = { 0 };
    struct proc_result results[AT_ONCE] = { 0 };

    for (size_t i = 0; i < count; i++)
        procs[i] = (struct proc){
            .argv = asks[i]->argv,
            .env = environment(&a, f->root, asks[i]->env),
            .cwd = path_dirname(&a, asks[i]->file->path),
            .out_max = ANSWER_MAX,
            .deadline_ns = clock_mono_ns() + LIMIT_NS,
            .grace_ns = GRACE_NS,
        };
    proc_run_many(procs, results, count);
    for (size_t i = 0; i < count; i++) {
        const struct cache_key key = key_of(asks[i]);

        take_answer(f, asks[i], &procs[i], &results[i]);
        cache_put(c, &key, &(struct cache_answer){ asks[i]->answer, asks[i]->failure });
        proc_result_release(&results[i]);
    }
}

void ask_all(struct config_finding *f, struct ask *asks, size_t count)
{
    CLEANUP(cache) struct cache *c = NULL;
    struct ask *open[AT_ONCE];
    size_t open_count = 0;

    if (count == 0)
        return;
    c = cache_open(f->state_dir);
    for (size_t i = 0; i < count; i++) {
        if (is_known(f, c, &asks[i]) || child_depth_here() > 0 || asks[i].file->changed)
            continue;
        open[open_count++] = &asks[i];
        if (open_count == AT_ONCE) {
            ask_some(f, c, open, open_count);
            open_count = 0;
        }
    }
    if (open_count)
        ask_some(f, c, open, open_count);
    cache_save(c);
}
