/* hooke recipe - prompts in files: which there are, and what one says. */
#include "cli/cook.h"
#include "cli/interrupt.h"
#include "hook/registry.h"
#include "hook/trust.h"

#include <errno.h>
#include <stdio.h>

struct work {
    struct cli *cli;
    struct scope scope;
    const struct runtime *rt;
    struct arg_list args;
    bool run, json;
};

/* As JSON -------------------------------------------------------------------------------------- */

static const struct json *names_json(struct arena *a, const char *const *names)
{
    struct json *list = json_array(a);

    if (!names)
        return NULL;
    for (; *names; names++)
        json_push(a, list, json_cstring(a, *names));
    return list;
}

static void add_text(struct arena *a, struct json *j, struct str key, const char *text)
{
    if (text && text[0])
        json_add(a, j, key, json_cstring(a, text));
}

static const struct json *arguments_json(struct arena *a, const struct recipe *r)
{
    struct json *all = json_object(a);

    for (size_t i = 0; i < r->argument_count; i++) {
        const struct recipe_argument *arg = &r->arguments[i];
        struct json *j = json_object(a);

        add_text(a, j, STR("description"), arg->description);
        if (arg->fallback)
            json_add(a, j, STR("default"), json_cstring(a, arg->fallback));
        json_add(a, all, str_of(arg->name), j);
    }
    return all;
}

/* Keys as in the front matter; of one that is not trusted nothing else is known. */
static struct json *recipe_json(struct arena *a, const struct recipe *r)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("name"), json_cstring(a, r->name));
    add_text(a, j, STR("title"), r->title);
    json_add(a, j, STR("path"), json_cstring(a, r->path));
    json_add(a, j, STR("trusted"), json_bool(a, !r->untrusted));
    add_text(a, j, STR("problem"), r->untrusted);
    if (r->untrusted)
        return j;
    json_add(a, j, STR("description"), json_cstring(a, r->description));
    json_add(a, j, STR("arguments"), arguments_json(a, r));
    json_add(a, j, STR("allowed_tools"), names_json(a, r->tools));
    json_add(a, j, STR("allowed_commands"), names_json(a, r->commands));
    add_text(a, j, STR("model"), r->model);
    add_text(a, j, STR("agent"), r->agent);
    add_text(a, j, STR("apply"), r->replaces ? "replace" : NULL);
    return j;
}

/* list ----------------------------------------------------------------------------------------- */

static void print_list(const struct work *w, const struct recipe *list, size_t count)
{
    static const struct column columns[] = { { .title = "NAME" },
                                             { .title = "FROM" },
                                             { .title = "DESCRIPTION" } };
    struct arena *a = &w->cli->arena;
    struct table t = { .arena = a, .columns = columns, .column_count = 3 };

    for (size_t i = 0; i < count; i++) {
        const struct recipe *r = &list[i];

        table_cell(&t, STYLE_BOLD, "%s", term_clean(a, r->name));
        table_cell(&t, STYLE_DIM, "%s", r->path ? term_clean(a, r->path) : "built in");
        if (r->untrusted)
            table_cell(&t, STYLE_YELLOW, "untrusted: %s", term_clean(a, r->untrusted));
        else
            table_cell(&t, STYLE_PLAIN, "%s", term_clean(a, r->description));
    }
    table_print(&t, &w->cli->out);
}

static int list_them(struct work *w, const char *name UNUSED)
{
    struct arena *a = &w->cli->arena;
    struct registry *reg = engine_look(w->rt->engine);
    const struct recipe_place place = { .config = registry_config(reg) };
    struct problems problems = { .arena = a };
    struct json *all = json_array(a);
    const struct recipe *list;
    size_t count;

    problems.end = &problems.first;
    list = recipe_list(&place, a, &count, &problems);
    registry_unref(reg);
    for (size_t i = 0; i < count; i++)
        json_push(a, all, recipe_json(a, &list[i]));
    if (w->json)
        cli_json(w->cli, all);
    else
        print_list(w, list, count);
    cook_complain(w->cli, &problems);
    return EXIT_DONE;
}

/* show ----------------------------------------------------------------------------------------- */

static int failed(const struct work *w, int r, const struct err *e)
{
    return r == -ENOENT || r == -EINVAL ? cli_misuse(w->cli, "%s", e->msg)
                                        : cli_fail(w->cli, "%s", e->msg);
}

/* As it is written, unless there are arguments to put in or commands to run. */
static int text_of(struct work *w, const struct recipe *recipe, const char **text)
{
    const struct recipe_kitchen kitchen = {
        .cwd = w->scope.cwd,
        .run = w->run,
        .abort_fd = w->scope.abort_fd,
    };
    const struct json *args;
    struct err e = { 0 };
    char *rendered;
    int r, rc;

    if (!cook_args(w->cli, &w->args, &args, &rc))
        return rc;
    if (!args && !w->run) {
        *text = arena_cstr(&w->cli->arena, recipe->source);
        return EXIT_DONE;
    }
    r = recipe_render(recipe, args, &kitchen, &w->cli->arena, &rendered, &e);
    if (r < 0)
        return failed(w, r, &e);
    *text = rendered;
    return EXIT_DONE;
}

static int show_one(struct work *w, const char *name)
{
    struct arena *a = &w->cli->arena;
    struct recipe recipe;
    struct err e = { 0 };
    const char *text;
    struct json *j;
    int r = cook_find(w->rt, a, name, &recipe, &e), rc;

    if (r < 0)
        return failed(w, r, &e);
    rc = text_of(w, &recipe, &text);
    if (rc != EXIT_DONE)
        return rc;
    if (!w->json) {
        printf("%s%s", text, str_ends(str_of(text), STR("\n")) ? "" : "\n");
        return EXIT_DONE;
    }
    j = recipe_json(a, &recipe);
    json_add(a, j, STR("text"), json_cstring(a, text));
    cli_json(w->cli, j);
    return EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------- */

static const struct action {
    const char *name;
    size_t words; /* behind it */
    int (*run)(struct work *w, const char *name);
} actions[] = {
    { "list", 0, list_them },
    { "show", 1, show_one },
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

int cmd_recipe(struct cli *cli, int argc, char **argv)
{
    static const char *const known[] = { "list", "show", NULL };
    struct work w = { .cli = cli };
    const struct arg flags[] = {
        COOK_ARG(&w.args),
        ARG_SWITCH("run", 0, &w.run, "show: run its commands, and show what they say"),
        ARG_TEXT("cwd", 0, &w.scope.cwd, "DIR", "look from there (default: here)"),
        ARG_SWITCH("json", 0, &w.json, "for programs"),
        SCOPE_ARGS(&w.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    const struct action *action;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count == 0)
        return cli_usage(cli);
    action = find_action(words.word[0]);
    if (!action)
        return cli_unknown(cli, words.word[0], known);
    if (words.count != action->words + 1 || (action->words == 0 && (w.args.count || w.run)))
        return cli_usage(cli);
    w.scope.abort_fd = interrupt_fd();
    if (!cli_open(cli, &w.scope, &rt, &rc))
        return rc;
    w.rt = &rt;
    return action->run(&w, words.word[1]);
}
