/*
 * script - plays replies from a YAML file, in-process: for demos, tests and trying hooks without a
 * key. The file is named by `providers.script.file` or HOOKE_SCRIPT; the model may be called
 * anything.
 *
 *     turns:
 *       - reasoning: They want the tests to pass.
 *         text: I will look first.
 *         calls: [{ tool: bash, args: { command: make test } }]
 *         usage: { input_tokens: 1200, output_tokens: 80 }
 *       - error: { class: rate_limit, status: 429, message: slow down, retry_after: 1s }
 *       - { model: small, text: Done. }
 *       - { expects: "some text", text: … , delay: 20ms }
 *
 * A request takes the first turn that was not taken and fits: `model` is the model asked, `expects`
 * a text in the newest message. Past the end a request fails.
 *
 * Tests: tests/unit/agent/test_provider_script.c
 */
#include "agent/message.h"
#include "agent/reply.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vars.h"
#include "base/yaml.h"
#include "hook/option.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>

struct turn {
    const struct setting *spec;
    bool taken;
};

struct script {
    pthread_mutex_t lock;
    const char *file;
    struct turn *turns;
    size_t count;
};

/* Reading ------------------------------------------------------------------------------------- */

static const char *const keys[] = {
    "text", "reasoning", "calls", "usage", "delay", "error", "model", "expects", "stop", NULL,
};

static int check_turn(struct arena *a, const struct setting *spec, struct err *e)
{
    if (spec->kind != SETTING_MAP)
        return err_set(e, -EINVAL, "%s: a turn must be a map, not %s",
                       origin_text(a, &spec->origin), setting_kind_name(spec->kind));
    for (const struct setting *s = spec->first; s; s = s->next) {
        const struct origin where = setting_key_origin(s);
        const char *const *k = keys;

        while (*k && !str_is(s->key, *k))
            k++;
        if (!*k)
            return err_set(e, -EINVAL, "%s: a turn has no key '%s'", origin_text(a, &where),
                           s->key.ptr);
    }
    return 0;
}

static int read_turns(struct script *script, struct arena *a, const struct setting *root,
                      struct err *e)
{
    const struct setting *list = setting_get(root, "turns");
    int r = 0;

    if (!list || list->kind != SETTING_LIST)
        return err_set(e, -EINVAL, "%s: expected 'turns', a list", script->file);
    for (const struct setting *s = list->first; s; s = s->next)
        script->count++;
    script->turns = arena_array(a, struct turn, script->count + 1);
    script->count = 0;
    for (const struct setting *s = list->first; s && r == 0; s = s->next) {
        r = check_turn(a, s, e);
        script->turns[script->count++].spec = s;
    }
    return r;
}

static const char *find_file(struct arena *a, const struct provider *p)
{
    const struct setting *file = setting_get(p->settings, "file");

    if (file && file->kind == SETTING_STRING)
        return path_join(a, path_dirname(a, file->origin.file), file->text.ptr);
    return vars_get("HOOKE_SCRIPT");
}

static int load(struct script *script, struct arena *a, struct err *e)
{
    const struct origin file = { .source = SOURCE_USER, .file = script->file };
    struct setting *root;
    struct origin bad;
    struct str text;
    int r = file_read(a, script->file, YAML_MAX_BYTES, &text, e);

    if (r < 0)
        return err_wrap(e, r, "the script of the provider 'script'");
    r = setting_parse(a, &file, text, &root, &bad, e);
    if (r < 0)
        return err_wrap(e, r, "%s", origin_text(a, &bad));
    return read_turns(script, a, root, e);
}

static int open_script(struct provider *p, struct arena *a, struct err *e)
{
    struct script *script = xcalloc(1, sizeof(*script));
    int r;

    pthread_mutex_init(&script->lock, NULL);
    p->own = script;
    script->file = find_file(a, p);
    r = script->file ? load(script, a, e)
                     : err_set(e, -ENOENT,
                               "provider 'script' needs a file of turns: set "
                               "'providers.script.file' or HOOKE_SCRIPT");
    return r;
}

static void close_script(struct provider *p)
{
    struct script *script = p->own;

    if (!script)
        return;
    pthread_mutex_destroy(&script->lock);
    free(script);
}

/* Playing ------------------------------------------------------------------------------------- */

static const char *word(const struct setting *turn, const char *key)
{
    const struct setting *s = setting_get(turn, key);

    return s && s->kind != SETTING_NULL && s->text.ptr ? s->text.ptr : NULL;
}

static const struct json *newest(const struct json *messages)
{
    size_t count = json_count(messages);

    return count ? json_at(messages, count - 1) : NULL;
}

static bool fits(struct arena *a, const struct setting *turn, const struct model_request *q)
{
    const char *model = word(turn, "model"), *expects = word(turn, "expects");
    const struct json *last = newest(q->messages);

    return (!model || strcmp(model, q->model) == 0) &&
           (!expects || (last && strstr(json_text(a, last), expects)));
}

static const struct setting *take_turn(struct script *script, struct arena *a,
                                       const struct model_request *q)
{
    const struct setting *found = NULL;

    pthread_mutex_lock(&script->lock);
    for (size_t i = 0; i < script->count && !found; i++) {
        struct turn *t = &script->turns[i];

        if (t->taken || !fits(a, t->spec, q))
            continue;
        t->taken = true;
        found = t->spec;
    }
    pthread_mutex_unlock(&script->lock);
    return found;
}

/* False: aborted meanwhile. */
static bool wait_for(const struct setting *delay, int abort_fd)
{
    struct pollfd fd = { .fd = abort_fd > 0 ? abort_fd : -1, .events = POLLIN };
    int64_t ms = 0;

    if (delay && (!option_parse_time(delay->text, &ms) || ms > 600000))
        ms = 0;
    return poll(&fd, 1, (int)ms) == 0;
}

static enum failure_class class_of(struct str name)
{
    for (int c = MODEL_OTHER; c <= MODEL_ABORTED; c++)
        if (str_is(name, failure_class_name((enum failure_class)c)))
            return (enum failure_class)c;
    return MODEL_OTHER;
}

static int play_error(struct arena *a, const struct setting *error, struct model_failure *f)
{
    const struct setting *class = setting_get(error, "class"), *after;
    const struct setting *status = setting_get(error, "status");
    const char *message = word(error, "message");
    int64_t n;

    after = setting_get(error, "retry_after");
    if (status && setting_to_int64(status, &n))
        f->status = (int)n;
    failure_of_error(a, f->status, setting_to_json(a, error), f);
    if (class)
        f->class = class_of(class->text);
    if (message)
        f->message = message;
    if (after && option_parse_time(after->text, &n))
        f->retry_after_ms = n;
    return -EIO;
}

static void play_calls(struct reply *r, const struct setting *calls)
{
    struct arena *a = r->arena;
    unsigned number = 2; /* after reasoning and text */

    for (const struct setting *c = calls ? calls->first : NULL; c; c = c->next) {
        const struct setting *args = setting_get(c, "args"), *tool = setting_get(c, "tool");
        const struct setting *id = setting_get(c, "call_id");

        reply_tool(r, number, id ? id->text : STR(""), tool ? tool->text : STR(""));
        if (args)
            reply_args(r, number, str_of(json_text(a, setting_to_json(a, args))));
        number++;
    }
}

static enum model_stop stop_of(const struct setting *turn)
{
    const char *stop = word(turn, "stop");

    if (stop && strcmp(stop, "length") == 0)
        return MODEL_LENGTH;
    if (stop && strcmp(stop, "refused") == 0)
        return MODEL_REFUSED;
    return setting_get(turn, "calls") ? MODEL_TOOLS : MODEL_DONE;
}

static void play(struct arena *a, const struct setting *turn, const struct model_stream *stream,
                 struct model_reply *out)
{
    CLEANUP(reply) struct reply r;
    const char *text = word(turn, "text"), *reasoning = word(turn, "reasoning");
    const struct setting *usage = setting_get(turn, "usage");

    reply_init(&r, a, stream);
    if (reasoning)
        reply_reasoning(&r, 0, str_of(reasoning));
    if (text)
        reply_text(&r, 1, str_of(text));
    play_calls(&r, setting_get(turn, "calls"));
    out->message = reply_message(&r);
    out->stop = stop_of(turn);
    out->usage = usage_from_json(usage ? setting_to_json(a, usage) : NULL);
}

static int send(const struct model_exchange *x)
{
    struct script *script = x->provider->own;
    const struct setting *turn = take_turn(script, x->arena, x->request);
    struct model_failure *f = x->failure;

    if (!turn) {
        f->class = MODEL_BAD_REQUEST;
        f->message = arena_printf(x->arena, "'%s' has no turn left for this request", script->file);
        return -EIO;
    }
    if (!wait_for(setting_get(turn, "delay"), x->request->abort_fd)) {
        f->class = MODEL_ABORTED;
        f->message = "aborted";
        return -EIO;
    }
    if (setting_get(turn, "error"))
        return play_error(x->arena, setting_get(turn, "error"), f);
    play(x->arena, turn, x->stream, x->reply);
    return 0;
}

const struct provider_kind script_provider = {
    .name = "script",
    .base_url = "",
    .open = open_script,
    .close = close_script,
    .send = send,
};
