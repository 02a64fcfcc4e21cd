/*
 * recipe.h - recipes: prompts in files, with front matter, run by name.
 *
 *     r = recipe_find(&place, a, "compact", &recipe, e);
 *     r = recipe_render(&recipe, args, &kitchen, a, &text, e);
 *
 * Looked up in .hooke/recipes, ~/.config/hooke/recipes, .kodelet/recipes, ~/.kodelet/recipes and
 * among those that are built in; the first that has the name counts. The name is that of the file:
 * "github/pr" is github/pr.md. A recipe of the workspace is used only while its bytes are the
 * pinned ones (hook/trust.h); one that is not trusted is refused, and no other of that name is
 * taken in its place.
 *
 * Everything is in the arena that is passed; nothing here keeps state, so any thread may ask.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "hook/config.h"
#include "json/json.h"

struct recipe_argument {
    const char *name, *description; /* "" when it has none */
    const char *fallback; /* its default; NULL: it must be given, unless the body has one */
};

struct recipe {
    const char *name, *description; /* "" when it has none */
    const char *title;              /* `name` of the front matter; NULL: none */
    const char *path;               /* NULL: built in */
    const char *model, *agent;      /* NULL: those of the session */
    const char *const *tools;       /* `allowed_tools`, ended by NULL; NULL: all; empty: none */
    const char *const *commands;    /* `allowed_commands`, the same way: patterns for `bash` */
    const struct recipe_argument *arguments;
    size_t argument_count;
    bool replaces;     /* `apply: replace`: its text takes the place of the history */
    struct str source; /* all of the file */
    struct str body;
    size_t line;             /* of the file on which the body begins */
    const char *untrusted;   /* why it must not be used; NULL: it may */
    const char *const *keys; /* variables its commands do not see, ended by NULL; NULL: the usual */
};

/* Where to look. */
struct recipe_place {
    const struct config *config; /* its workspace and trust; NULL: no recipes of a workspace */
    const char *home;            /* NULL: what the environment says */
};

/*
 * -ENOENT: there is none, and the nearest is named. -EBADMSG: its file is wrong; the message begins
 * with file:line:column. TRUST_REFUSED: it is there but not trusted; name, path and `untrusted` of
 * `out` are set.
 */
MUST_CHECK int recipe_find(const struct recipe_place *place, struct arena *a, const char *name,
                           struct recipe *out, struct err *e);

/*
 * All there are, by name, untrusted ones with little more than their names; those that cannot be
 * read are `problems`.
 */
struct recipe *recipe_list(const struct recipe_place *place, struct arena *a, size_t *count,
                           struct problems *problems);

/* The files of recipes in the workspace, which need trust. */
const char *const *recipe_files(const struct recipe_place *place, struct arena *a, size_t *count);

/* How bodies are rendered. */
struct recipe_kitchen {
    const char *cwd;      /* of commands; NULL: the process's */
    bool run;             /* run {{bash …}}; else show the words in their place */
    uint64_t deadline_ns; /* of all commands, on clock_mono_ns(); 0: 30 s from now */
    int abort_fd;         /* readable or hung up: give up now; 0: none */
};

/*
 * `args`: an object of texts or lists of texts, or NULL. A missing or unknown argument is named.
 * What comes from arguments and commands is never interpreted. `kitchen` NULL: nothing is run.
 * -EINVAL: an argument; -EBADMSG: the body; -ETIMEDOUT, -ECANCELED: a command.
 */
MUST_CHECK int recipe_render(const struct recipe *recipe, const struct json *args,
                             const struct recipe_kitchen *kitchen, struct arena *a, char **text,
                             struct err *e);

/* Whether it has an argument of that name, declared or only used. */
bool recipe_takes(const struct recipe *recipe, const char *name);
