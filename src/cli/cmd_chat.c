/* hooke chat - a session with a person at the terminal: message after message, until Ctrl-D. */
#include "base/path.h"
#include "cli/cook.h"
#include "cli/editor.h"
#include "cli/interrupt.h"
#include "cli/talk.h"
#include "hook/registry.h"
#include "store/conversation.h"

#include <errno.h>
#include <stdio.h>

struct chat {
    struct cli *cli;
    struct talk talk;
    const struct runtime *rt;
    struct agent *agent;
    struct screen screen;
    struct editor *editor;
    struct agent_outcome last;           /* of the session; `session` is "" where none has begun */
    const char *good_model, *good_agent; /* those that worked */
    bool over;
};

static void say(struct chat *c, enum style style, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void say(struct chat *c, enum style style, const char *fmt, ...)
{
    CLEANUP(arena) struct arena a = { 0 };
    va_list ap;

    va_start(ap, fmt);
    screen_say(&c->screen, style, term_vformat(&a, fmt, ap));
    va_end(ap);
}

/* Messages --------------------------------------------------------------------------------------
 */

static void end_session(struct chat *c, const char *reason)
{
    if (c->last.session[0])
        agent_session_ended(c->agent, &c->last, reason);
    agent_outcome_release(&c->last);
    c->talk.task.resume = NULL;
    c->talk.task.goes_on = false;
}

/* From now on its messages are further ones of this session. */
static void go_on(struct chat *c)
{
    c->talk.task.resume = arena_strdup(&c->cli->arena, c->last.session);
    c->talk.task.goes_on = true;
    c->last.recipe[0] = '\0'; /* that was of the message, not of the session */
    c->good_model = c->talk.task.model;
    c->good_agent = c->talk.task.agent;
}

static void send(struct chat *c, const struct agent_task *task)
{
    struct agent_outcome out = { 0 };
    struct err e = { 0 };

    screen_begin(&c->screen);
    if (agent_run(c->agent, task, &out, &e) < 0) {
        screen_say(&c->screen, STYLE_RED, e.msg);
        c->talk.task.model = c->good_model;
        c->talk.task.agent = c->good_agent;
        agent_outcome_release(&out);
        interrupt_clear();
        return;
    }
    screen_end(&c->screen, &out);
    if (out.end != AGENT_DONE)
        screen_say(&c->screen, STYLE_RED, out.reason);
    agent_outcome_release(&c->last);
    c->last = out;
    go_on(c);
    interrupt_clear();
}

/* Commands --------------------------------------------------------------------------------------
 */

static void do_help(struct chat *c, const char *word);

static void do_model(struct chat *c, const char *word)
{
    const char *chosen = c->talk.task.model ? c->talk.task.model : c->last.model;
    struct model_name name;
    struct err e = { 0 };

    if (!word[0])
        say(c, STYLE_DIM, "%s", chosen[0] ? chosen : "the agent's own model");
    else if (model_name_parse(&c->cli->arena, word, &name, &e) < 0)
        screen_say(&c->screen, STYLE_RED, e.msg);
    else
        c->talk.task.model = arena_strdup(&c->cli->arena, word);
}

static void do_agent(struct chat *c, const char *word)
{
    if (word[0])
        c->talk.task.agent = arena_strdup(&c->cli->arena, word);
    else
        say(c, STYLE_DIM, "%s", c->last.agent[0] ? c->last.agent : "the default agent");
}

static void do_hooks(struct chat *c, const char *word UNUSED)
{
    struct registry *reg = engine_look(c->rt->engine);
    size_t count;
    const struct hook *const *hooks = registry_hooks(reg, &count);

    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->off_because)
            say(c, STYLE_DIM, "%s: %s", hooks[i]->name, hooks[i]->summary);
    registry_unref(reg);
}

static void do_new(struct chat *c, const char *word UNUSED)
{
    end_session(c, "new");
    screen_say(&c->screen, STYLE_DIM, "a new session begins with the next message");
}

static void do_resume(struct chat *c, const char *word)
{
    struct conversation found = { 0 };
    struct err e = { 0 };

    if (!word[0]) {
        screen_say(&c->screen, STYLE_RED, "say which: /resume ID");
        return;
    }
    if (conversation_get(c->rt->store, word, &c->cli->arena, &found, &e) < 0) {
        screen_say(&c->screen, STYLE_RED, e.msg);
        return;
    }
    end_session(c, "resume");
    c->talk.task.resume = found.id;
    say(c, STYLE_DIM, "going on with '%s', %llu messages", found.title,
        (unsigned long long)found.messages);
}

static void do_recipes(struct chat *c, const char *word UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct registry *reg = engine_look(c->rt->engine);
    struct problems problems = { .arena = &a };
    const struct recipe *list;
    size_t count;

    problems.end = &problems.first;
    list = recipe_list(&(struct recipe_place){ .config = registry_config(reg) }, &a, &count,
                       &problems);
    registry_unref(reg);
    for (size_t i = 0; i < count; i++)
        say(c, STYLE_DIM, "/%s: %s", list[i].name,
            list[i].untrusted ? list[i].untrusted : list[i].description);
    for (const struct problem *p = problems.first; p; p = p->next)
        if (!p->warning)
            screen_say(&c->screen, STYLE_RED, p->message);
}

static void do_quit(struct chat *c, const char *word UNUSED)
{
    c->over = true;
}

static const struct {
    const char *name, *value, *help;
    void (*run)(struct chat *c, const char *word);
} commands[] = {
    { "help", "", "print this", do_help },
    { "model", " PROVIDER/MODEL", "which model answers from now on", do_model },
    { "agent", " AGENT", "who works from now on", do_agent },
    { "hooks", "", "list the hooks that are on", do_hooks },
    { "new", "", "begin another session", do_new },
    { "resume", " ID", "go on with another conversation", do_resume },
    { "recipes", "", "list the recipes: /NAME [KEY=VALUE...] [text] runs one", do_recipes },
    { "quit", "", "leave, as Ctrl-D does", do_quit },
};

static void do_help(struct chat *c, const char *word UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const char *form = arena_printf(&a, "/%s%s", commands[i].name, commands[i].value);

        say(c, STYLE_PLAIN, "%-22s %s", form, commands[i].help);
    }
    screen_say(&c->screen, STYLE_DIM,
               "a line that ends in a backslash goes on; Ctrl-C ends what runs");
}

/* Recipes ---------------------------------------------------------------------------------------
 */

/* Cut KEY=VALUE or KEY="VALUE" off the front, when KEY is an argument of the recipe. */
static bool cut_argument(struct arena *a, const struct recipe *recipe, struct str *rest,
                         const struct json **args)
{
    const char *equals = rest->len ? memchr(rest->ptr, '=', rest->len) : NULL;
    struct str text = str_trim(*rest), key, value;
    const char *end;
    bool quoted;

    if (!equals)
        return false;
    key = (struct str){ text.ptr, (size_t)(equals - text.ptr) };
    if (memchr(key.ptr, ' ', key.len) || !recipe_takes(recipe, arena_cstr(a, key)))
        return false;
    value = (struct str){ equals + 1, (size_t)(text.ptr + text.len - equals) - 1 };
    quoted = str_starts(value, STR("\""));
    end = memchr(value.ptr + quoted, quoted ? '"' : ' ', value.len - quoted);
    if (quoted && !end)
        return false;
    *rest = end ? (struct str){ end + quoted, (size_t)(value.ptr + value.len - end) - quoted }
                : STR("");
    value = (struct str){ value.ptr + quoted,
                          (size_t)((end ? end : value.ptr + value.len) - value.ptr) - quoted };
    *args = json_with(a, *args, key, json_string(a, value));
    return true;
}

/* What a recipe chose is of its own message only: the conversation goes on as before. */
static void keep_choice(struct chat *c, const struct recipe *recipe)
{
    struct conversation was = { 0 };
    struct talk *o = &c->talk;

    if (!o->task.resume ||
        conversation_get(c->rt->store, o->task.resume, &c->cli->arena, &was, NULL) < 0)
        return;
    if (recipe->model && !o->task.model)
        o->task.model = was.model;
    if (recipe->agent && !o->task.agent)
        o->task.agent = was.agent;
}

/* What comes of the recipe takes the place of what was said so far. */
static int replace_history(struct chat *c, const struct recipe *recipe, const struct cooking *how,
                           struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct agent_task task = c->talk.task;
    struct agent_compacted done;
    int r;

    if (!task.resume)
        return err_set(e, -ENODATA, "nothing was said yet that could be compacted");
    task.recipe = recipe->name;
    task.text = how->more;
    screen_begin(&c->screen);
    r = agent_compact(c->agent, &task, how->args, &done, e);
    if (r < 0)
        return r;
    screen_say(&c->screen, STYLE_DIM, agent_compacted_text(&a, &done));
    interrupt_clear();
    return 0;
}

/* False: there is no recipe of that name. */
static bool run_recipe(struct chat *c, struct arena *a, const char *name, const char *words)
{
    struct str rest = str_of(words);
    struct cooking how = { .cwd = c->talk.scope.cwd, .abort_fd = c->talk.show.abort_fd };
    struct agent_task task = c->talk.task;
    struct recipe recipe;
    struct err e = { 0 };
    int r = cook_find(c->rt, a, name, &recipe, &e);

    if (r == -ENOENT || r == -EINVAL)
        return false;
    while (r == 0 && cut_argument(a, &recipe, &rest, &how.args))
        ;
    how.more = arena_cstr(a, str_trim(rest));
    if (r == 0 && recipe.replaces)
        r = replace_history(c, &recipe, &how, &e);
    else if (r == 0)
        r = cook_task(a, &recipe, &how, &task, &e);
    if (r < 0) {
        screen_say(&c->screen, STYLE_RED, e.msg);
        interrupt_clear();
        return true;
    }
    if (recipe.replaces)
        return true;
    keep_choice(c, &recipe);
    send(c, &task);
    return true;
}

static void unknown(struct chat *c, const char *name)
{
    const char *known[ARRAY_LEN(commands)], *nearest;

    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        known[i] = commands[i].name;
    nearest = str_nearest(name, known, ARRAY_LEN(commands));
    say(c, STYLE_RED, "unknown command '/%s'%s%s%s", name, nearest ? ", did you mean '/" : "",
        nearest ? nearest : "; /help lists them", nearest ? "'?" : "");
}

static bool is_word(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < 'a' || name.ptr[i] > 'z')
            return false;
    return name.len > 0;
}

/*
 * "/word" or "/word rest": a command, else a recipe. False: neither; what is no plain word, such
 * as "/etc/hosts", may just be how a message begins.
 */
static bool obey(struct chat *c, struct arena *a, const char *text)
{
    struct str rest = str_of(text + 1), name;
    const char *word;

    if (text[0] != '/' || !str_cut(&rest, ' ', &name))
        return false;
    word = arena_cstr(a, str_trim(str_is_set(rest) ? rest : STR("")));
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (str_is(name, commands[i].name)) {
            commands[i].run(c, word);
            return true;
        }
    if (run_recipe(c, a, arena_cstr(a, name), word))
        return true;
    if (is_word(name))
        unknown(c, arena_cstr(a, name));
    return is_word(name);
}

/* The verb --------------------------------------------------------------------------------------
 */

static void take_text(struct chat *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *text = NULL;
    struct str trimmed;

    switch (editor_read(c->editor, &a, &text)) {
    case EDITOR_DROPPED:
        putchar('\n');
        interrupt_clear();
        return;
    case EDITOR_END:
        putchar('\n');
        c->over = true;
        return;
    case EDITOR_TEXT:
        break;
    }
    trimmed = str_trim(str_of(text));
    if (!trimmed.len || obey(c, &a, arena_cstr(&a, trimmed)))
        return;
    c->talk.task.text = text;
    send(c, &c->talk.task);
}

static int converse(struct chat *c)
{
    const char *history =
        path_join(&c->cli->arena, path_xdg(&c->cli->arena, PATH_STATE), "chat-history");
    struct err e = { 0 };

    c->agent = talk_agent(c->cli, &c->talk, c->rt, &c->screen);
    if (editor_open(&c->editor, c->talk.show.abort_fd, history, &e) < 0) {
        screen_close(&c->screen);
        agent_free(c->agent);
        return cli_fail(c->cli, "%s", e.msg);
    }
    c->good_model = c->talk.task.model;
    c->good_agent = c->talk.task.agent;
    screen_say(&c->screen, STYLE_DIM, "/help lists the commands, Ctrl-D ends");
    while (!c->over && !interrupt_ends())
        take_text(c);
    end_session(c, interrupt_ends() ? "signal" : "quit");
    editor_close(c->editor);
    screen_close(&c->screen);
    agent_free(c->agent);
    return interrupt_ends() ? EXIT_FAILED : EXIT_DONE;
}

int cmd_chat(struct cli *cli, int argc, char **argv)
{
    struct chat c = { .cli = cli, .talk = { .show = { .no_id = true } } };
    const struct arg flags[] = {
        TALK_ARGS(&c.talk),
        SCOPE_ARGS(&c.talk.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc) || !talk_check(cli, &c.talk, &rc))
        return rc;
    if (words.count)
        return cli_usage(cli);
    if (isatty(STDIN_FILENO) != 1 || !cli->out.tty)
        return cli_misuse(cli, "chat needs a terminal: elsewhere use 'hooke run'");
    if (!cli_open(cli, &c.talk.scope, &rt, &rc))
        return rc;
    c.rt = &rt;
    rc = talk_find(cli, &c.talk, &rt);
    return rc == EXIT_DONE ? converse(&c) : rc;
}
