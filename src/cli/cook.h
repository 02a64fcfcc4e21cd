/*
 * cook.h - recipes at the command line: the flags that name one, and the task that comes of it.
 *
 *     r = cook_find(rt, a, "commit", &recipe, e);
 *     r = cook_task(a, &recipe, &(struct cooking){ .args = args, .more = "…" }, &task, e);
 */
#pragma once

#include "agent/agent.h"
#include "agent/recipe.h"
#include "cli/cli.h"

#define COOK_ARG(list)                      \
    ARG_LIST("arg", 'a', list, "KEY=VALUE", \
             "an argument of the recipe; repeated, its values are a list")

/* The recipe of that name, as the configuration of `rt` sees it. */
MUST_CHECK int cook_find(const struct runtime *rt, struct arena *a, const char *name,
                         struct recipe *out, struct err *e);

/* KEY=VALUE… as an object; a key that is there twice has a list. False: `*rc` is the exit code. */
MUST_CHECK bool cook_args(struct cli *cli, const struct arg_list *list, const struct json **out,
                          int *rc);

struct cooking {
    const struct json *args;
    const char *more; /* put behind the recipe's text; NULL or "": nothing */
    const char *cwd;  /* of its commands; NULL: here */
    int abort_fd;
};

/* Render it, and let `task` be it; what `task` says of model and agent already stays. */
MUST_CHECK int cook_task(struct arena *a, const struct recipe *recipe, const struct cooking *how,
                         struct agent_task *task, struct err *e);

/* For a person: what is wrong with recipes, on standard error. */
void cook_complain(struct cli *cli, const struct problems *problems);
