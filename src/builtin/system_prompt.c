/*
 * system-prompt - the standing system text, and a hint of where the session stands.
 *
 * Point:   experimental.chat.system.transform
 * Options: text, hint, status_exec, status_timeout
 * Tests:   tests/unit/builtin/test_system_prompt.c
 *
 * At cadence 1 the text is in the system prompt of every request, the same bytes. Where a cadence
 * may hold it back the engine sends it to the end of the request from the first turn on, where
 * coming and going costs no cache. The hint changes as the session goes on, so it is always at the
 * end.
 */
#include "base/clock.h"
#include "hook/child.h"
#include "hook/slots.h"
#include "hook/trust_words.h"
#include "proc/proc.h"

#define STATUS_MAX ((size_t)4000) /* bytes of what the command says */

struct options {
    const char *text;
    bool hint;
    const char *status_exec;
    int64_t status_timeout;
};

static const struct option options[] = {
    OPTION_TEXT("text", struct options, text, NULL, "what the model is always told"),
    OPTION_BOOL("hint", struct options, hint, "true",
                "also say which recipe runs and how many todos are done"),
    OPTION_TEXT("status_exec", struct options, status_exec, NULL,
                "a shell command whose output is the hint instead"),
    OPTION_TIME("status_timeout", struct options, status_timeout, "2s",
                "how long that command may take"),
    OPTION_END,
};

/* What the session itself knows ---------------------------------------------------------------- */

static bool has_status(struct arena *a, const struct json *todo, const char *one, const char *other)
{
    struct str status = json_str(a, json_get(todo, STR("status")));

    return str_is(status, one) || str_is(status, other);
}

static const char *session_hint(const struct hook_call *c)
{
    const struct json *todos = event_data(c->event, STR("todos"));
    const char *recipe = c->event->session.recipe;
    CLEANUP(strbuf) struct strbuf hint = { 0 };
    size_t done = 0, total = 0;

    if (json_type(todos) != JSON_ARRAY)
        todos = NULL;
    for (const struct json *t = json_first(todos); t; t = json_next(t)) {
        if (json_type(t) != JSON_OBJECT)
            continue;
        done += has_status(c->arena, t, "completed", "done");
        total += !has_status(c->arena, t, "cancelled", "canceled");
    }
    if (recipe && recipe[0])
        strbuf_printf(&hint, "Active recipe: %s.", recipe);
    if (total)
        strbuf_printf(&hint, "%sTodos: %zu of %zu done.", hint.len ? " " : "", done, total);
    return hint.len ? arena_cstr(c->arena, strbuf_str(&hint)) : NULL;
}

/* What a command says -------------------------------------------------------------------------- */

static void complain(const struct hook_call *c, const char *why)
{
    c->io->warnings = arena_printf(c->arena, "status_exec %s\n", why);
}

/* Where it was configured: a workspace's command runs only what somebody has trusted. */
static const struct setting *command_setting(const struct hook_call *c, const char *text)
{
    const struct setting *found = NULL;

    for (size_t i = 0; c->config && i < c->config->hook_count; i++) {
        const struct hook_entry *entry = &c->config->hooks[i];
        const struct setting *said = setting_get(entry->spec, "status_exec");

        if (strcmp(entry->name, c->hook->name) == 0 && said && str_is(said->text, text))
            found = said;
    }
    return found;
}

static const char *const *command_env(const struct hook_call *c, const char *file)
{
    const struct child_needs needs = { .root = c->config ? c->config->root : NULL };
    size_t count;
    const char **env = child_env(c->arena, &needs, 4, &count);

    env[count++] = arena_printf(c->arena, "HOOKE_SESSION=%s", c->event->session.id);
    env[count++] = arena_printf(c->arena, "HOOKE_HOOK=%s", c->hook->name);
    env[count++] = child_depth(c->arena);
    env[count++] = file ? file : "HOOKE_FILE";
    env[count] = NULL;
    return env;
}

/* A character that the limit cut through is left out. */
static struct str whole_characters(struct str text)
{
    size_t len = text.len;

    while (len > 0 && text.len - len < 3 && ((unsigned char)text.ptr[len - 1] & 0xc0) == 0x80)
        len--;
    if (len > 0 && (unsigned char)text.ptr[len - 1] >= 0xc0)
        len--;
    return (struct str){ text.ptr, json_is_utf8(text) ? text.len : len };
}

static const char *run_status(const struct hook_call *c, const struct proc *p)
{
    CLEANUP(proc_result) struct proc_result r = { 0 };
    struct str said;

    proc_run(p, &r);
    if (r.end != PROC_EXITED) {
        complain(c, proc_explain(c->arena, p, &r));
        return NULL;
    }
    if (r.exit_code != 0) {
        complain(c, arena_printf(c->arena, "ended with exit code %d", r.exit_code));
        return NULL;
    }
    said = str_trim(whole_characters(strbuf_str(&r.out.text)));
    return said.len ? arena_cstr(c->arena, said) : NULL;
}

/* Its failure is no reason to go without the rest: it is a warning in the receipt. */
static const char *status_hint(const struct hook_call *c)
{
    const struct options *o = c->options;
    struct trust_request rq = { .config = c->config, .cwd = c->event->session.cwd };
    uint64_t until = clock_mono_ns() + (uint64_t)o->status_timeout * 1000000u;
    struct proc p = { .cwd = c->event->session.cwd,
                      .out_max = STATUS_MAX,
                      .abort_fd = c->abort_fd };
    struct trust_command run;
    struct err e = { 0 };
    const char *hint;
    size_t got;

    rq.command = command_setting(c, o->status_exec);
    if (!rq.command || child_depth_here() > 0)
        return NULL;
    p.deadline_ns = until < c->deadline_ns ? until : c->deadline_ns;
    if (trust_command(c->arena, &rq, &run, &e) < 0 ||
        slots_take(c, 1, p.deadline_ns, &got, &e) < 0) {
        complain(c, e.msg);
        return NULL;
    }
    p.argv = run.argv;
    p.env = command_env(c, run.file);
    hint = run_status(c, &p);
    slots_give(c, got);
    return hint;
}

/* The point ------------------------------------------------------------------------------------ */

static const char *hint_of(const struct hook_call *c)
{
    const struct options *o = c->options;

    if (!o->hint)
        return NULL;
    return o->status_exec && o->status_exec[0] ? status_hint(c) : session_hint(c);
}

static int system_transform(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    struct str purpose = json_str(c->arena, event_data(c->event, STR("purpose")));
    const char *hint;

    if (str_is_set(purpose) && !str_is(purpose, "main"))
        return 0;
    if (o->text && o->text[0])
        verdict_inject(c->arena, v, "text", o->text)->priority = PRIORITY_CRITICAL;
    hint = hint_of(c);
    if (hint) {
        struct injection *i = verdict_inject(c->arena, v, "hint", hint);

        i->class = INJECT_VOLATILE;
        i->place = PLACE_TAIL;
    }
    return 0;
}

const struct hook_def system_prompt_hook = {
    .name = "system-prompt",
    .summary = "the standing system text, and a hint of where the session stands",
    .layer = LAYER_PRODUCE,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_SYSTEM_TRANSFORM] = system_transform },
};
