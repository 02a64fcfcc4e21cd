#include "runner/script.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "hook/registry.h"
#include "hook/trust.h"
#include "hook/trust_words.h"
#include "runner/pool.h"
#include "runner/script_box.h"
#include "runner/script_traits.h"
#include "runner/when.h"

#include <errno.h>

#define FILE_MAX    ((size_t)1 << 20)
#define LOAD_NS     5000000000u
#define SUMMARY_MAX 100
#define POINTS_MAX  ((size_t)4 * POINT_COUNT)

struct script {
    struct script_source source;
    struct pool boxes;
    struct when *when;
    struct script_traits traits; /* of the parts, to be released */
    struct trust_request request;
    bool of_workspace;
};

/* Running -------------------------------------------------------------------------------------- */

static int take_box(struct script *s, uint64_t deadline_ns, struct script_box **box, struct err *e)
{
    int r;

    *box = pool_take(&s->boxes);
    if (*box)
        return 0;
    *box = script_box_new();
    r = script_box_load(*box, &s->source, deadline_ns, NULL, e);
    if (r < 0)
        script_box_free(*box);
    return r;
}

static int fire(struct script *s, const struct hook_call *c, const struct json **answer,
                struct err *e)
{
    struct script_box *box;
    int r = take_box(s, c->deadline_ns, &box, e);

    if (r == 0) {
        r = script_box_fire(box, c, answer, e);
        pool_put(&s->boxes, box);
    }
    return r < 0 ? err_wrap(e, r, r == -ETIMEDOUT ? "timed out" : "failed") : 0;
}

/* What was loaded are the pinned bytes; while the file has others they do not run either. */
static int check_trust(const struct script *s, const struct hook_call *c, struct err *e)
{
    struct trust_command unused;

    return s->of_workspace ? trust_command(c->arena, &s->request, &unused, e) : 0;
}

static int script_run(const struct hook_call *c, struct verdict *v, struct err *e)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct script *s = c->context;
    const struct json *answer = NULL;
    bool applies;
    int r = when_test(s->when, c, &applies, e);

    if (r == 0 && applies)
        r = check_trust(s, c, e);
    if (r < 0 || !applies)
        return r;
    r = fire(s, c, &answer, e);
    if (r < 0 || !answer)
        return r;
    r = verdict_from_json(c->arena, answer, v, &warnings, e);
    if (warnings.len)
        c->io->warnings = arena_cstr(c->arena, strbuf_str(&warnings));
    return r < 0 ? err_wrap(e, r, "gave a bad answer") : 0;
}

/* What it offered by name. It may use what a run may; only its answer is another one. */
static int script_answer(const struct callback_call *callback, char **text, struct err *e)
{
    struct script *s = callback->hook->context;
    const struct event ev = {
        .session = *callback->session,
        .data = json_with(callback->arena, NULL, STR("messages"), callback->messages),
    };
    const struct hook_call c = {
        .engine = callback->engine,
        .registry = callback->registry,
        .hook = callback->hook,
        .event = &ev,
        .config = registry_config(callback->registry),
        .arena = callback->arena,
        .io = callback->io,
        .deadline_ns = callback->deadline_ns,
        .abort_fd = callback->abort_fd,
    };
    struct script_box *box = NULL;
    int r = check_trust(s, &c, e);

    if (r == 0)
        r = take_box(s, c.deadline_ns, &box, e);
    if (r < 0)
        return r;
    r = script_box_answer(box, &c, callback, text, e);
    pool_put(&s->boxes, box);
    return r;
}

/* Loading -------------------------------------------------------------------------------------- */

static void drop_box(void *box)
{
    script_box_free(box);
}

static void script_release(struct script *s)
{
    pool_release(&s->boxes);
    when_free(s->when);
    script_traits_release(&s->traits);
}

/* Of a workspace the pinned bytes are read, from their copy. */
static int read_source(struct arena *a, const struct hook_entry *entry, struct script *s,
                       struct err *e)
{
    struct trust_command file;
    int r;

    s->request = (struct trust_request){
        .config = entry->config,
        .command = setting_get(entry->spec, "script"),
    };
    s->of_workspace = s->request.command->origin.source == SOURCE_WORKSPACE;
    s->source.name = s->request.command->text.ptr;
    r = trust_look(a, &s->request, &file, e);
    return r < 0 ? r : file_read(a, file.argv[0], FILE_MAX, &s->source.text, e);
}

/*
 * Of a file that has changed nothing is run, not even what was trusted. But where that speaks of
 * failure, its functions may be some that must not be missing.
 */
static void fear_the_worst(struct arena *a, const struct hook_entry *entry, const struct script *s,
                           struct hook *h)
{
    const char *folder = path_dirname(a, s->request.command->origin.file);
    const char *path = path_normalize(a, path_join(a, folder, s->source.name));
    const char *copy = trust_kept_of(a, entry->config->trust, path);
    struct str text;

    if ((entry->traits.said & (KEY_ON_FAILURE | KEY_SAFETY_CRITICAL)) || !copy ||
        file_read(a, copy, FILE_MAX, &text, NULL) < 0)
        return;
    if (memmem(text.ptr, text.len, "safety_critical", strlen("safety_critical")) ||
        memmem(text.ptr, text.len, "on_failure", strlen("on_failure")))
        h->traits.on_failure = FAILURE_BLOCK;
}

/* The comment the file begins with says what it does. */
static const char *summary_of(struct arena *a, struct str text)
{
    struct str line;

    if (!str_cut(&text, '\n', &line) || !str_starts(line, STR("--")))
        return "";
    while (line.len > 0 && line.ptr[0] == '-') {
        line.ptr++;
        line.len--;
    }
    line = str_trim(line);
    if (line.len > 0 && line.ptr[line.len - 1] == '.')
        line.len--;
    return line.len <= SUMMARY_MAX ? arena_cstr(a, line) : "";
}

static int learn(struct script *s, struct script_learned *learned, struct err *e)
{
    struct script_box *box = script_box_new();
    int r = script_box_load(box, &s->source, clock_mono_ns() + LOAD_NS, learned, e);

    if (r < 0) {
        script_box_free(box);
        return r;
    }
    pool_put(&s->boxes, box);
    if (learned->count == 0 && learned->callback_count == 0)
        return err_set(e, -EINVAL, "%s registers nothing: call hooke.on(point, function)",
                       s->source.name);
    return 0;
}

/* A condition may use the fields of every point the script is for. */
static int load_when(struct arena *a, const struct hook_entry *entry, const struct hook *h,
                     struct problems *problems, struct script *s, struct err *e)
{
    struct hook_entry all = *entry;
    struct subscription *on = arena_array(a, struct subscription, POINTS_MAX);

    all.traits.on = on;
    all.traits.on_count = 0;
    for (; h; h = h->next_part)
        for (size_t i = 0; i < h->traits.on_count && all.traits.on_count < POINTS_MAX; i++)
            on[all.traits.on_count++] = h->traits.on[i];
    return when_load(&all, problems, &s->when, e);
}

static const struct hook_callback *callbacks_of(const struct script_learned *learned)
{
    struct hook_callback *list =
        arena_array(learned->arena, struct hook_callback, learned->callback_count + 1);

    for (size_t i = 0; i < learned->callback_count; i++)
        list[i] = (struct hook_callback){ learned->callbacks[i], script_answer };
    return learned->callback_count ? list : NULL;
}

static int script_load(struct arena *a, const struct hook_entry *entry, struct hook *h,
                       struct problems *problems, struct err *e)
{
    struct script *s = arena_new(a, struct script);
    struct script_learned learned = { .arena = a };
    struct script_parts parts = { a, entry, &s->traits, problems };
    int r, r_traits;

    pool_init(&s->boxes, drop_box);
    h->run = script_run;
    h->context = s;
    r = read_source(a, entry, s, e);
    if (r == 0) {
        h->summary = summary_of(a, s->source.text);
        r = learn(s, &learned, e);
        h->callbacks = r == 0 ? callbacks_of(&learned) : NULL;
    } else if (r == TRUST_REFUSED && s->of_workspace) {
        fear_the_worst(a, entry, s, h);
    }
    /* Even of a broken one: at the points it got to register it fails, and is not missing. */
    r_traits = script_traits_apply(&parts, s->source.name, &learned, h, r < 0 ? NULL : e);
    if (r == 0)
        r = r_traits;
    if (r == 0)
        r = load_when(a, entry, h, problems, s, e);
    if (r < 0) {
        script_traits_forget(&s->traits, h);
        script_release(s);
    }
    return r;
}

static void script_unload(struct hook *h)
{
    script_release(h->context);
}

const struct runner script_runner = {
    .kind = RUNNER_SCRIPT,
    .in_process = true,
    .load = script_load,
    .unload = script_unload,
};
