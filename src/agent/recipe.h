/*
 * recipe.h - recipes: prompts in files, with front matter, run by name.
 *
 *     r = recipe_find(&place, a, "compact", &recipe, e);
 *     r = recipe_render(&recipe, args, &kitchen, a, &text, e);
 *
 * Looked up in .hooke/recipes, ~/.config/hooke/recipes, .kodelet/recipes, ~/.kodelet/recipes and
 * among those that are built in; the first that has the name counts. A recipe of the workspace is
 * used only where its bytes are trusted.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "hook/config.h"
#include "json/json.h"

struct recipe_argument {
    const char *name, *description;
    const char *fallback; /* its default; NULL: it must be given, unless the body has one */
};

struct recipe {
    const char *name, *description; /* "" when it has none */
    const char *path;               /* NULL: built in */
    const char *model, *agent;      /* NULL: those of the session */
    const char *const *tools;       /* `allowed_tools`, ended by NULL; NULL: all; empty: none */
    const char *const *commands;    /* `allowed_commands`, the same way: patterns for `bash` */
    const struct recipe_argument *arguments;
    size_t argument_count;
    bool replaces; /* `apply: replace`: its text takes the place of the history */
    struct str body;
    size_t line;           /* of the file on which the body begins */
    const char *untrusted; /* why it must not be used; NULL: it may */
};

/* Where to look. */
struct recipe_place {
    const struct config *config; /* its workspace, trust and finding */
    const char *home;
};

MUST_CHECK int recipe_find(const struct recipe_place *place, struct arena *a, const char *name,
                           struct recipe *out, struct err *e);

/* All there are, by name; those that cannot be read are `problems`. */
struct recipe *recipe_list(const struct recipe_place *place, struct arena *a, size_t *count,
                           struct problems *problems);

/* How bodies are rendered. */
struct recipe_kitchen {
    const char *cwd;
    bool run;             /* run {{bash …}}; else show the words in their place */
    uint64_t deadline_ns; /* of all commands; 0: 30 s */
    int abort_fd;
};

/* `args`: an object of texts, or NULL. A missing or unknown argument is named. */
MUST_CHECK int recipe_render(const struct recipe *recipe, const struct json *args,
                             const struct recipe_kitchen *kitchen, struct arena *a, char **text,
                             struct err *e);
