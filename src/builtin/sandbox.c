/*
 * sandbox - shell commands run where they can't harm what is outside of the workspace.
 *
 * Where the host puts words before a command it says so by `argv_prefix` in the event (hooke's own
 * agent does); elsewhere the command itself is written anew, quoted as a whole. Whether a sandbox
 * works here is tried once a session, with the very words that will be used.
 *
 * Point:   tool.execute.before
 * Options: program, elsewhere, network, writable, hidden, readonly, image
 * Tests:   tests/unit/builtin/test_sandbox.c, tests/e2e/test_sandbox.py
 */
#include "builtin/sandbox.h"

#include "base/map.h"
#include "base/path.h"
#include "hook/shell_words.h"
#include "hook/state.h"
#include "proc/proc.h"

#include <errno.h>
#include <inttypes.h>

#define LAST (-1000000) /* of the priorities: nothing may change the command behind it */

struct options {
    const char *program, *image;
    bool elsewhere, network;
    const char *const *writable, *const *hidden, *const *readonly;
};

static const struct option options[] = {
    OPTION_CHOICE("program", struct options, program, "auto", "auto bwrap docker podman",
                  "what makes the sandbox; `auto` is bwrap where it works, and none where not; one "
                  "that is named must work, else no command runs"),
    OPTION_BOOL("elsewhere", struct options, elsewhere, "false",
                "also inside other agents, by changing the command"),
    OPTION_BOOL("network", struct options, network, "true", "commands may use the network"),
    OPTION_LIST("writable", struct options, writable,
                "[~/.cache, ~/.npm, ~/.cargo/registry, ~/.cargo/git, ~/go/pkg, ~/.gradle/caches, "
                "~/.m2/repository, ~/.local/share/pnpm]",
                "what commands may write besides the workspace"),
    OPTION_LIST("hidden", struct options, hidden,
                "[~/.ssh, ~/.aws, ~/.gnupg, ~/.azure, ~/.kube, ~/.config/gcloud, ~/.config/gh, "
                "~/.docker/config.json, ~/.netrc, ~/.git-credentials, ~/.pypirc, "
                "~/.password-store, ~/.local/share/keyrings, ~/.mozilla, ~/.config/google-chrome, "
                "~/.config/chromium, ~/.bash_history, ~/.zsh_history]",
                "what commands don't see"),
    OPTION_LIST("readonly", struct options, readonly, "[.git/hooks]",
                "what commands may not write inside the workspace"),
    OPTION_TEXT("image", struct options, image, NULL,
                "of containers; unless said what the files of the project say"),
    OPTION_END,
};

static const char *const tools[] = { "bash", NULL };

/* Probing -------------------------------------------------------------------------------------- */

/* NULL: it works; else why not, in one line. */
static const char *try_it(const struct hook_call *c, const struct sandbox *box,
                          const char *const *words)
{
    CLEANUP(proc_result) struct proc_result done = { 0 };
    struct proc p = {
        .argv = words,
        .cwd = box->cwd,
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->abort_fd,
    };
    struct str said, line;

    proc_run(&p, &done);
    if (done.end == PROC_EXITED && done.exit_code == 0)
        return NULL;
    said = str_trim(strbuf_str(&done.err.text));
    if (done.end != PROC_EXITED || said.len == 0 || !str_cut(&said, '\n', &line))
        return arena_printf(c->arena, "%s %s", box->program, proc_explain(c->arena, &p, &done));
    return arena_cstr(c->arena, line);
}

/* Once a session for the same words. "HASH ", and why it does not work. A store that fails costs no
 * more than trying again. */
static int ask_probe(const struct hook_call *c, const struct sandbox *box, const char **fault,
                     bool *first, struct err *e)
{
    const char *const *words;
    struct str known = { 0 };
    struct err ignored = { 0 };
    uint64_t hash = 0;
    const char *head;
    int r = sandbox_probe_words(box, &words, e);

    if (r < 0)
        return r;
    for (size_t i = 0; words[i]; i++)
        hash = map_hash(hash, str_of(words[i]));
    head = arena_printf(c->arena, "%016" PRIx64 " ", hash);
    if (state_get(c, "probe", &known, &ignored) == 0 && str_starts(known, str_of(head))) {
        *fault = known.len > strlen(head) ? arena_cstr(c->arena, known) + strlen(head) : NULL;
        *first = false;
        return 0;
    }
    *fault = try_it(c, box, words);
    *first = true;
    known = str_of(arena_printf(c->arena, "%s%s", head, *fault ? *fault : ""));
    if (state_set(c, "probe", known, &ignored) < 0)
        log_warn_once(engine_log(c->engine), "sandbox: it is tried at every command: %s",
                      ignored.msg);
    return 0;
}

/* Answering ------------------------------------------------------------------------------------ */

static const struct json *words_json(struct arena *a, const char *const *words,
                                     const struct json *after)
{
    struct json *list = json_array(a);

    for (; *words; words++)
        json_push(a, list, json_cstring(a, *words));
    for (const struct json *w = json_first(after); w; w = json_next(w))
        json_push(a, list, w);
    return list;
}

/* The whole command is one word of the new one: nothing in it can end up outside. */
static const struct json *new_args(struct arena *a, const char *const *words,
                                   const struct json *args, const char *command)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    for (; *words; words++)
        strbuf_printf(&text, "%s ", shell_quote(a, *words));
    strbuf_printf(&text, "/bin/bash -c %s", shell_quote(a, command));
    return json_with(a, args, STR("command"),
                     json_string(a, (struct str){ arena_cstr(a, strbuf_str(&text)), text.len }));
}

static struct sandbox describe(const struct hook_call *c, const struct options *o)
{
    const struct session *s = &c->event->session;
    const char *workspace = c->config ? c->config->workspace : NULL;

    return (struct sandbox){
        .arena = c->arena,
        .program = strcmp(o->program, "auto") == 0 ? "bwrap" : o->program,
        .workspace = workspace,
        .cwd = s->cwd ? s->cwd : workspace,
        .home = path_home(),
        .image = o->image,
        .network = o->network,
        .writable = o->writable,
        .hidden = o->hidden,
        .readonly = o->readonly,
    };
}

/* Nothing makes a sandbox here. What was only hoped for is left out, and that is said. */
static int do_without(const struct hook_call *c, const struct options *o, const char *fault,
                      bool first, struct verdict *v)
{
    if (strcmp(o->program, "auto") != 0)
        verdict_block(v, arena_printf(c->arena,
                                      "the sandbox that 'program: %s' of hook 'sandbox' asks for "
                                      "does not work here: %s",
                                      o->program, fault));
    else if (first && !event_is_sub(c->event))
        v->say = arena_printf(c->arena,
                              "shell commands run without a sandbox: %s (install bubblewrap, set "
                              "'program' of hook 'sandbox', or disable it)",
                              fault);
    return 0;
}

static int enclose(const struct hook_call *c, const struct options *o, const struct json *prefix,
                   struct verdict *v, struct err *e)
{
    struct sandbox box = describe(c, o);
    const struct json *args = event_data(c->event, STR("args"));
    const char *fault = NULL, *const * words;
    bool first = true;
    int r;

    box.path = sandbox_find_program(c->arena, box.program, box.workspace);
    if (!box.path) {
        struct err ignored = { 0 };
        int64_t times = 1;

        if (state_incr(c, "missing", 1, &times, &ignored) < 0)
            times = 1;
        fault = arena_printf(c->arena, "there is no %s here", box.program);
        return do_without(c, o, fault, times == 1, v);
    }
    r = ask_probe(c, &box, &fault, &first, e);
    if (r < 0)
        return r;
    if (fault)
        return do_without(c, o, fault, first, v);
    r = sandbox_words(&box, &words, e);
    if (r < 0)
        return r;
    if (prefix)
        verdict_replace(c->arena, v, STR("argv_prefix"), words_json(c->arena, words, prefix));
    else
        verdict_replace(
            c->arena, v, STR("args"),
            new_args(c->arena, words, args, json_cstr(c->arena, json_get(args, STR("command")))));
    return 0;
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct options *o = c->options;
    const struct json *prefix = event_data(c->event, STR("argv_prefix"));
    struct str command =
        json_str(c->arena, json_get(event_data(c->event, STR("args")), STR("command")));

    if (json_type(prefix) != JSON_ARRAY)
        prefix = NULL;
    if (!str_is_set(command) || (!prefix && !o->elsewhere))
        return 0;
    if (memchr(command.ptr, '\0', command.len)) {
        verdict_block(v, "the command has a zero byte");
        return 0;
    }
    return enclose(c, o, prefix, v, e);
}

const struct hook_def sandbox_hook = {
    .name = "sandbox",
    .summary = "runs shell commands where they can't harm what is outside of the workspace",
    .layer = LAYER_VALIDATE,
    .priority = LAST,
    .safety_critical = true,
    .no_rerun = true,
    .tools = tools,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before },
};
