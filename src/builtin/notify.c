/*
 * notify - tell a person, outside the terminal, that the agent is done or waits for them.
 *
 * Points:  notification, agent.stop
 * Options: command, kinds
 * Tests:   tests/unit/builtin/test_notify.c
 *
 * It observes: a stop after which a hook keeps the agent going is none. Words of the command are
 * passed to the program as they are, no shell reads them. What a subagent does is its parent's
 * matter.
 */
#include "base/clock.h"
#include "base/path.h"
#include "hook/child.h"
#include "hook/hook.h"
#include "proc/proc.h"

#include <errno.h>

#define TEXT_MAX   200 /* bytes of the message */
#define TIMEOUT_NS UINT64_C(5000000000)
#define WORDS_MAX  64

struct options {
    const char *const *command, *const *kinds;
};

static const struct option options[] = {
    OPTION_LIST("command", struct options, command,
                "[notify-send, --app-name=hooke, --, \"{title}\", \"{text}\"]",
                "program and words; {title}, {text}, {kind}, {session} and {cwd} are filled in"),
    OPTION_WORDS("kinds", struct options, kinds, "[done, waiting]", "done waiting",
                 "what it tells: done, waiting (for consent or an answer)"),
    OPTION_END,
};

struct notice {
    const char *kind; /* "done", "waiting" */
    const char *title, *text;
};

/* Words ------------------------------------------------------------------------------------------
 */

static const char *value_of(const struct hook_call *c, const struct notice *n, struct str name)
{
    const struct session *s = &c->event->session;

    if (str_is(name, "title"))
        return n->title;
    if (str_is(name, "text"))
        return n->text;
    if (str_is(name, "kind"))
        return n->kind;
    if (str_is(name, "session"))
        return s->id;
    if (str_is(name, "cwd"))
        return s->cwd ? s->cwd : "";
    return NULL;
}

/* What is in no braces, or in braces that mean nothing here, stays as it is. */
static const char *fill_in(const struct hook_call *c, const struct notice *n, const char *word)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    while (*word) {
        const char *end = *word == '{' ? strchr(word, '}') : NULL;
        const char *value =
            end ? value_of(c, n, (struct str){ word + 1, (size_t)(end - word - 1) }) : NULL;

        if (value)
            strbuf_addstr(&out, value);
        else
            strbuf_addch(&out, *word);
        word = value ? end + 1 : word + 1;
    }
    return arena_cstr(c->arena, strbuf_str(&out));
}

/* One line, not too long, cut between two characters. */
static const char *one_line(struct arena *a, struct str text)
{
    size_t len;
    char *line;

    text = str_trim(text);
    len = str_fit(text, TEXT_MAX);
    line = arena_printf(a, "%.*s%s", (int)len, text.ptr ? text.ptr : "", len < text.len ? "…" : "");
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    return line;
}

/* Telling ----------------------------------------------------------------------------------------
 */

static bool is_wanted(const struct hook_call *c, const char *kind)
{
    const struct options *o = c->options;

    for (const char *const *w = o->kinds; *w; w++)
        if (strcmp(*w, kind) == 0)
            return true;
    return false;
}

static int tell(const struct hook_call *c, const struct notice *n, struct err *e)
{
    const struct options *o = c->options;
    const char *argv[WORDS_MAX + 1] = { 0 };
    CLEANUP(proc_result) struct proc_result result = { 0 };
    uint64_t soon = clock_mono_ns() + TIMEOUT_NS;
    struct proc p = {
        .argv = argv,
        .deadline_ns = soon < c->deadline_ns || !c->deadline_ns ? soon : c->deadline_ns,
        .out_max = 4096,
        .err_max = 4096,
        .abort_fd = c->abort_fd,
    };
    const struct child_needs needs = { .root = c->config ? c->config->root : NULL };
    size_t count = 0, names;
    const char **env = child_env(c->arena, &needs, 1, &names);

    if (child_depth_here() > 0) /* whoever runs this hook tells of it */
        return 0;
    while (count < WORDS_MAX && o->command[count]) {
        argv[count] = fill_in(c, n, o->command[count]);
        count++;
    }
    if (count == 0)
        return err_set(e, -EINVAL, "has an empty 'command': name a program, or switch it off");
    env[names++] = child_depth(c->arena);
    p.env = env;
    proc_run(&p, &result);
    if (result.end == PROC_EXITED && result.exit_code == 0)
        return 0;
    return err_set(e, result.end == PROC_TIMED_OUT ? -ETIMEDOUT : -EIO, "could not tell: '%s' %s",
                   argv[0], proc_explain(c->arena, &p, &result));
}

static const char *place_of(const struct hook_call *c)
{
    const char *cwd = c->event->session.cwd;

    return cwd && cwd[0] ? path_basename(cwd) : "hooke";
}

static int notification(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    struct str message = json_str(c->arena, event_data(c->event, STR("message")));
    struct str why = json_str(c->arena, event_data(c->event, STR("kind")));
    struct notice n = { .kind = "waiting" };

    if (!is_wanted(c, n.kind))
        return 0;
    n.title = arena_printf(c->arena, "%s waits for you", place_of(c));
    n.text = one_line(c->arena, message.len ? message : why);
    return tell(c, &n, e);
}

/* The last text of the conversation. */
static struct str last_words(const struct hook_call *c)
{
    struct str text = { 0 };
    const struct json *m = json_first(event_data(c->event, STR("messages")));

    for (; m; m = json_next(m)) {
        struct str said = inject_last_text(c->arena, m);

        if (said.len && str_is(json_str(c->arena, json_get(m, STR("role"))), "assistant"))
            text = said;
    }
    return text;
}

static int agent_stop(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    struct notice n = { .kind = "done" };

    if (!is_wanted(c, n.kind) ||
        (c->final && (c->final->result != VERDICT_NO_RESULT || json_count(c->final->follow_ups))))
        return 0;
    n.title = arena_printf(c->arena, "%s is done", place_of(c));
    n.text = one_line(c->arena, last_words(c));
    return tell(c, &n, e);
}

const struct hook_def notify_hook = {
    .name = "notify",
    .summary = "tells a person outside the terminal that the agent is done or waits",
    .layer = LAYER_OBSERVE,
    .off = true,
    .session = SESSION_MAIN,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_AGENT_STOP] = agent_stop, [POINT_NOTIFICATION] = notification },
};
