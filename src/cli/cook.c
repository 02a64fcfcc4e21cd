#include "cli/cook.h"

#include "hook/registry.h"

#include <errno.h>
#include <stdio.h>

int cook_find(const struct runtime *rt, struct arena *a, const char *name, struct recipe *out,
              struct err *e)
{
    struct registry *reg = engine_look(rt->engine);
    int r = recipe_find(&(struct recipe_place){ .config = registry_config(reg) }, a, name, out, e);

    registry_unref(reg);
    return r;
}

/* The second value of a key makes a list of it. */
static const struct json *add(struct arena *a, const struct json *args, struct str key,
                              const char *value)
{
    const struct json *was = json_get(args, key), *now = json_cstring(a, value);

    if (was && json_type(was) != JSON_ARRAY)
        was = json_append(a, NULL, was);
    return json_with(a, args, key, was ? json_append(a, was, now) : now);
}

bool cook_args(struct cli *cli, const struct arg_list *list, const struct json **out, int *rc)
{
    *out = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->values[i], *equals = strchr(text, '=');

        if (!equals || equals == text) {
            *rc = cli_misuse(cli, "%s: '--arg %s' is not KEY=VALUE", cli->verb->name, text);
            return false;
        }
        *out = add(&cli->arena, *out, (struct str){ text, (size_t)(equals - text) }, equals + 1);
    }
    return true;
}

int cook_task(struct arena *a, const struct recipe *recipe, const struct cooking *how,
              struct agent_task *task, struct err *e)
{
    const struct recipe_kitchen kitchen = {
        .cwd = how->cwd,
        .run = true,
        .abort_fd = how->abort_fd,
    };
    const char *more = how->more ? how->more : "";
    struct str text;
    char *rendered;
    int r = recipe_render(recipe, how->args, &kitchen, a, &rendered, e);

    if (r < 0)
        return r;
    text = str_trim(str_of(rendered));
    if (!text.len && !more[0])
        return err_set(e, -EINVAL, "recipe '%s' makes no text: say more", recipe->name);
    task->text = arena_printf(a, "%.*s%s%s", STR_ARG(text), text.len && more[0] ? "\n" : "", more);
    task->recipe = recipe->name;
    task->tools = recipe->tools;
    task->commands = recipe->commands;
    if (!task->model)
        task->model = recipe->model;
    if (!task->agent)
        task->agent = recipe->agent;
    return 0;
}

void cook_complain(struct cli *cli, const struct problems *problems)
{
    struct arena *a = &cli->arena;

    for (const struct problem *p = problems->first; p; p = p->next)
        fprintf(stderr, "hooke: %s%s%s\n", p->origin.file ? origin_text(a, &p->origin) : "",
                p->origin.file ? ": " : "", term_clean(a, p->message));
}
