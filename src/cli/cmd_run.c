/* hooke run - one user message to one session, to its end. */
#include "cli/cook.h"
#include "cli/interrupt.h"
#include "cli/screen_json.h"
#include "cli/talk.h"

#include <errno.h>
#include <stdio.h>

#define PROMPT_MAX ((size_t)8 << 20)

/* What `-r` and `--arg` say. */
struct order {
    const char *recipe; /* NULL: none */
    struct arg_list args;
    bool done; /* there is nothing left to send */
};

static void read_input(struct strbuf *text)
{
    char piece[4096];
    size_t n;

    while ((n = fread(piece, 1, sizeof(piece), stdin)) > 0)
        strbuf_add(text, piece, n);
}

/*
 * With a recipe there need be none, and standard input is read only where "-" asks for it. What
 * would not reach the model as it is, is refused: half a prompt is another one.
 */
static bool read_prompt(struct cli *cli, const struct words *words, bool recipe, const char **out,
                        int *rc)
{
    CLEANUP(strbuf) struct strbuf text = { .max = PROMPT_MAX };
    bool dash = words->count == 1 && strcmp(words->word[0], "-") == 0;

    for (size_t i = 0; i < words->count && !dash; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", words->word[i]);
    if ((dash || (words->count == 0 && !recipe)) && isatty(STDIN_FILENO) != 1)
        read_input(&text);
    if (str_trim(strbuf_str(&text)).len)
        *out = arena_cstr(&cli->arena, strbuf_str(&text));
    if (text.truncated)
        *rc = cli_misuse(cli, "the prompt is longer than %zu MiB", PROMPT_MAX >> 20);
    else if (text.len && memchr(text.buf, '\0', text.len))
        *rc = cli_misuse(cli, "the prompt holds a NUL character: it is no text");
    else if (!*out && !recipe)
        *rc = cli_misuse(cli, "say what to do: hooke run \"…\", or on standard input");
    else
        return true;
    return false;
}

static int exit_code(enum agent_end end)
{
    switch (end) {
    case AGENT_DONE:
        return EXIT_DONE;
    case AGENT_BLOCKED:
    case AGENT_STOPPED:
        return EXIT_BLOCKED;
    default:
        return EXIT_FAILED;
    }
}

static int conclude(struct cli *cli, struct screen *screen, struct agent_outcome *out)
{
    int rc = exit_code(out->end);

    screen_end(screen, out);
    if (rc != EXIT_DONE && !screen->options.json)
        cli_fail(cli, "%s", out->reason);
    return rc;
}

static int run_task(struct cli *cli, struct talk *o, const struct runtime *rt)
{
    struct screen screen;
    struct agent_outcome out = { 0 };
    struct agent *agent = talk_agent(cli, o, rt, &screen);
    struct err e = { 0 };
    int r = agent_run(agent, &o->task, &out, &e), rc;

    if (r < 0) {
        rc = talk_failed(cli, r, &e);
    } else {
        rc = conclude(cli, &screen, &out);
        agent_session_ended(agent, &out, screen_end_name(out.end));
    }
    screen_close(&screen);
    agent_outcome_release(&out);
    agent_free(agent);
    return rc;
}

/* What `hooke run` came to for hooks that hear of the end. */
static void end_compaction(struct agent *agent, const struct agent_compacted *done,
                           const char *recipe)
{
    struct agent_outcome out = { 0 };

    (void)snprintf(out.session, sizeof(out.session), "%s", done->session);
    (void)snprintf(out.agent, sizeof(out.agent), "%s", done->agent);
    (void)snprintf(out.recipe, sizeof(out.recipe), "%s", recipe);
    agent_session_ended(agent, &out, "done");
}

static int compact(struct cli *cli, struct talk *o, const struct runtime *rt,
                   const struct json *args)
{
    struct screen screen;
    struct agent_compacted done;
    struct agent *agent = talk_agent(cli, o, rt, &screen);
    struct err e = { 0 };
    int r = agent_compact(agent, &o->task, args, &done, &e), rc = EXIT_DONE;

    screen_close(&screen);
    if (r == -EPERM)
        cli_fail(cli, "%s", e.msg);
    if (r < 0)
        rc = r == -EPERM ? EXIT_BLOCKED : talk_failed(cli, r, &e);
    else if (o->show.json)
        screen_json_compacted(&done);
    else
        printf("%s\n", agent_compacted_text(&cli->arena, &done));
    if (done.session[0])
        end_compaction(agent, &done, o->task.recipe);
    agent_free(agent);
    return rc;
}

/*
 * A recipe that says `apply: replace` is no message: what comes of it takes the place of a
 * conversation's history, so there must be one.
 */
static int replace_history(struct cli *cli, struct talk *o, const struct runtime *rt,
                           const struct recipe *recipe, const struct json *args)
{
    int rc;

    if (!o->task.resume && !o->follow)
        return cli_misuse(cli,
                          "recipe '%s' replaces the history of a conversation: say which with "
                          "--follow or --resume ID",
                          recipe->name);
    if (o->task.no_save)
        return cli_misuse(cli, "recipe '%s' does nothing but store: it can't go with --no-save",
                          recipe->name);
    rc = talk_find(cli, o, rt);
    o->task.recipe = recipe->name;
    return rc == EXIT_DONE ? compact(cli, o, rt, args) : rc;
}

/* Let the task be what the recipe says. */
static int follow_recipe(struct cli *cli, struct order *order, struct talk *o,
                         const struct runtime *rt)
{
    const struct json *args;
    struct recipe recipe;
    struct err e = { 0 };
    int fd, r, rc;

    if (!cook_args(cli, &order->args, &args, &rc))
        return rc;
    r = cook_find(rt, &cli->arena, order->recipe, &recipe, &e);
    if (r < 0)
        return talk_failed(cli, r, &e);
    order->done = recipe.replaces;
    if (recipe.replaces)
        return replace_history(cli, o, rt, &recipe, args);
    fd = interrupt_open();
    r = cook_task(
        &cli->arena, &recipe,
        &(struct cooking){
            .args = args, .more = o->task.text, .cwd = o->scope.cwd, .abort_fd = fd > 0 ? fd : 0 },
        &o->task, &e);
    return r < 0 ? talk_failed(cli, r, &e) : EXIT_DONE;
}

int cmd_run(struct cli *cli, int argc, char **argv)
{
    struct talk o = { 0 };
    struct order order = { 0 };
    const struct arg flags[] = {
        ARG_TEXT("recipe", 'r', &order.recipe, "NAME", "send what this recipe says"),
        COOK_ARG(&order.args),
        TALK_ARGS(&o),
        ARG_SWITCH("no-save", 0, &o.task.no_save, "store nothing"),
        ARG_SWITCH("json", 0, &o.show.json, "one event a line, for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc) || !talk_check(cli, &o, &rc))
        return rc;
    if (order.args.count && !order.recipe)
        return cli_misuse(cli, "--arg is for a recipe: name it with -r NAME");
    if (!read_prompt(cli, &words, order.recipe != NULL, &o.task.text, &rc))
        return rc;
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    rc = order.recipe ? follow_recipe(cli, &order, &o, &rt) : EXIT_DONE;
    if (order.done)
        return rc;
    if (rc == EXIT_DONE)
        rc = talk_find(cli, &o, &rt);
    return rc == EXIT_DONE ? run_task(cli, &o, &rt) : rc;
}
