/* hooke trust - look at what the workspace configures and runs, and let it be used from now on. */
#include "agent/recipe.h"
#include "base/file.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/trust_view.h"
#include "hook/registry.h"
#include "hook/trust.h"

#include <stdio.h>

#define PASSES_MAX 8

struct item {
    const char *path, *name; /* as named, and as pinned */
    const char *hook;        /* that runs it; NULL: it configures */
    const char *state;
    char hash[TRUST_HEX_LEN + 1]; /* "": there is no file */
    struct item *next;
};

struct trusting {
    struct cli *cli;
    struct scope scope;
    const char *pins; /* the trust file */
    bool yes, json, full, revoke, list;
    bool all;      /* the person said: all the rest */
    bool quit;     /* the person said: no more */
    bool refused;  /* something stays untrusted */
    bool failed;   /* and was said to */
    size_t pinned; /* in this pass */
    unsigned passes;
    struct words words;
    struct item *first, **end;
};

/* Reports -------------------------------------------------------------------------------------- */

static void print_items(struct trusting *t)
{
    struct arena *a = &t->cli->arena;
    struct json *list = json_array(a);

    for (const struct item *i = t->first; i; i = i->next) {
        struct json *j = json_object(a);

        if (!t->json) {
            printf("%-8s  %s\n", i->state, term_clean(a, i->path));
            continue;
        }
        json_add(a, j, STR("path"), json_cstring(a, i->path));
        json_add(a, j, STR("state"), json_cstring(a, i->state));
        if (i->hash[0])
            json_add(a, j, STR("hash"), json_cstring(a, i->hash));
        if (i->hook)
            json_add(a, j, STR("hook"), json_cstring(a, i->hook));
        json_push(a, list, j);
    }
    if (t->json)
        cli_json(t->cli, list);
}

/* What a pin cannot promise must not be a surprise; what is refused for good neither. */
static void print_rest(struct trusting *t, const struct config *config)
{
    struct arena *a = &t->cli->arena;

    for (size_t i = 0; i < config->unpinned_count && !t->json; i++)
        printf("unpinned  %s\n", term_clean(a, config->unpinned[i]));
    for (size_t i = 0; i < config->hook_count; i++) {
        const struct hook_entry *entry = &config->hooks[i];

        if (!entry->untrusted)
            continue;
        t->refused = true;
        if (!t->json)
            printf("held      hook '%s': %s\n", entry->name, term_clean(a, entry->untrusted));
    }
}

/* Pinning -------------------------------------------------------------------------------------- */

static bool is_named(const struct trusting *t, const char *name)
{
    struct arena *a = &t->cli->arena;

    for (size_t i = 0; i < t->words.count; i++)
        if (strcmp(trust_name(a, path_join(a, t->scope.cwd, t->words.word[i])), name) == 0)
            return true;
    return t->words.count == 0;
}

static const struct item *find_item(const struct trusting *t, const char *name)
{
    for (const struct item *i = t->first; i; i = i->next)
        if (strcmp(i->name, name) == 0)
            return i;
    return NULL;
}

static struct item *add_item(struct trusting *t, const char *path, const char *hook)
{
    struct item *i = arena_new(&t->cli->arena, struct item);

    i->path = arena_strdup(&t->cli->arena, path);
    i->name = trust_name(&t->cli->arena, path);
    i->hook = arena_strdup(&t->cli->arena, hook);
    *t->end = i;
    t->end = &i->next;
    return i;
}

static const struct trust_pinned *find_pin(struct trusting *t, const char *name)
{
    struct trust_pinned *pins;

    if (trust_pins(&t->cli->arena, t->pins, &pins, NULL) < 0)
        return NULL;
    for (; pins->path; pins++)
        if (strcmp(pins->path, name) == 0)
            return pins;
    return NULL;
}

static const char *state_name(enum trust state)
{
    switch (state) {
    case TRUST_UNKNOWN:
        return "new";
    case TRUST_PINNED:
        return "trusted";
    case TRUST_CHANGED:
        return "changed";
    }
    return "";
}

static void show(struct trusting *t, const struct item *i, enum trust state, struct str text)
{
    const struct trust_pinned *pin = state == TRUST_CHANGED ? find_pin(t, i->name) : NULL;
    struct arena *a = &t->cli->arena;

    term_put(&t->cli->out, STYLE_BOLD, "%s: %s", state_name(state),
             trust_view_line(a, str_of(i->path)));
    if (i->hook)
        printf(", run by the hook '%s'", i->hook);
    printf("\n");
    if (pin)
        trust_view_change(t->cli, trust_kept(a, pin), text, t->full);
    else
        trust_view_text(t->cli, text, t->full);
}

/* A person reads it and answers; without one nothing is trusted by accident. */
static bool ask(struct trusting *t, const struct item *i, enum trust state, struct str text)
{
    CLEANUP(mem) char *answer = NULL;
    size_t room = 0;

    if (t->yes || t->quit)
        return t->yes;
    if (t->json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return false;
    show(t, i, state, text);
    if (t->all) /* said before this text was known, but it is on the screen now */
        return true;
    printf("trust '%s'? [y]es, [n]o, [a]ll that follow, [q]uit: ",
           trust_view_line(&t->cli->arena, str_of(i->path)));
    fflush(stdout);
    /* all of the line: what is left of it must not answer for the next file */
    if (getline(&answer, &room, stdin) < 0 || strchr("qQ", answer[0])) {
        t->quit = true;
        return false;
    }
    t->all = strchr("aA", answer[0]) != NULL;
    return t->all || strchr("yY", answer[0]);
}

/* False: something that was said. */
static bool trust_one(struct trusting *t, const struct config_file *f)
{
    struct item *i = add_item(t, f->path, f->hook);
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };
    enum trust state;
    struct str text;

    if (!f->exists) {
        i->state = find_pin(t, i->name) ? "vanished" : "missing";
        return true;
    }
    if (file_read(&a, f->path, TRUST_FILE_MAX, &text, &e) < 0) {
        i->state = "unreadable";
        t->refused = true;
        cli_fail(t->cli, "%s", e.msg);
        return false;
    }
    trust_hash(text, i->hash);
    state = trust_check(t->pins, f->path, text);
    i->state = state_name(state); /* should it not be pinned below */
    if (state != TRUST_PINNED && ask(t, i, state, text)) {
        if (trust_pin(t->pins, f->path, text, &e) < 0) {
            cli_fail(t->cli, "%s", e.msg);
            return false;
        }
        t->pinned++;
        state = TRUST_PINNED;
    }
    i->state = state_name(state);
    t->refused |= state != TRUST_PINNED;
    return true;
}

static void trust_files(struct trusting *t, const struct config *config)
{
    for (size_t i = 0; i < config->file_count; i++) {
        const struct config_file *f = &config->files[i];
        const char *name = trust_name(&t->cli->arena, f->path);

        if (f->source != SOURCE_WORKSPACE || (!f->exists && !f->hook) || find_item(t, name) ||
            !is_named(t, name))
            continue;
        if (!trust_one(t, f))
            t->failed = true;
    }
}

static void trust_recipes(struct trusting *t, const struct config *config)
{
    size_t count;
    const char *const *files =
        recipe_files(&(struct recipe_place){ .config = config }, &t->cli->arena, &count);

    for (size_t i = 0; i < count; i++) {
        const struct config_file f = { .path = files[i], .exists = true };
        const char *name = trust_name(&t->cli->arena, f.path);

        if (!find_item(t, name) && is_named(t, name) && !trust_one(t, &f))
            t->failed = true;
    }
}

/* Pins of the workspace whose file is gone. */
static void add_vanished(struct trusting *t, const struct config *config)
{
    struct arena *a = &t->cli->arena;
    const char *root = path_dirname(a, trust_name(a, path_join(a, config->workspace, "x")));
    struct trust_pinned *pins;

    if (trust_pins(a, t->pins, &pins, NULL) < 0)
        return;
    for (; pins->path; pins++)
        if (path_within(root, pins->path) && !find_item(t, pins->path) && is_named(t, pins->path) &&
            access(pins->path, F_OK) < 0)
            add_item(t, pins->path, NULL)->state = "vanished";
}

static int check_words(struct trusting *t)
{
    struct arena *a = &t->cli->arena;

    for (size_t i = 0; i < t->words.count; i++)
        if (!find_item(t, trust_name(a, path_join(a, t->scope.cwd, t->words.word[i]))))
            return cli_fail(t->cli,
                            "'%s' needs no trust: no trusted configuration of this "
                            "workspace runs it",
                            t->words.word[i]);
    return EXIT_DONE;
}

static int finish(struct trusting *t, const struct config *config)
{
    if (check_words(t) != EXIT_DONE)
        return EXIT_FAILED;
    add_vanished(t, config);
    print_items(t);
    if (!t->first && !t->json)
        printf("there is nothing to trust in %s\n", term_clean(&t->cli->arena, config->workspace));
    print_rest(t, config);
    return t->refused || t->failed ? EXIT_FAILED : EXIT_DONE;
}

/* Revoking and listing ------------------------------------------------------------------------- */

/* The pins that the words name, or all of this workspace. Ended by NULL. */
static const char **pins_to_revoke(struct trusting *t, const struct config *config,
                                   struct trust_pinned *pins)
{
    struct arena *a = &t->cli->arena;
    const char *root = path_dirname(a, trust_name(a, path_join(a, config->workspace, "x")));
    const char **paths;
    size_t count = 0;

    while (pins[count].path)
        count++;
    paths = arena_array(a, const char *, count + 1);
    count = 0;
    for (; pins->path; pins++) {
        bool ours = t->words.count || path_within(root, pins->path);

        for (size_t i = 0; i < config->file_count && !ours; i++)
            ours = config->files[i].source == SOURCE_WORKSPACE &&
                   strcmp(trust_name(a, config->files[i].path), pins->path) == 0;
        if (ours && is_named(t, pins->path))
            paths[count++] = pins->path;
    }
    return paths;
}

static int revoke_pins(struct trusting *t, const struct config *config)
{
    struct trust_pinned *pins;
    struct err e = { 0 };
    const char **paths;
    size_t count;

    if (trust_pins(&t->cli->arena, t->pins, &pins, &e) < 0)
        return cli_fail(t->cli, "%s", e.msg);
    paths = pins_to_revoke(t, config, pins);
    if (trust_revoke(t->pins, paths, &count, &e) < 0)
        return cli_fail(t->cli, "%s", e.msg);
    for (; *paths; paths++)
        add_item(t, *paths, NULL)->state = "revoked";
    if (check_words(t) != EXIT_DONE)
        return EXIT_FAILED;
    print_items(t);
    if (!t->first && !t->json)
        printf("nothing of %s was trusted\n", term_clean(&t->cli->arena, config->workspace));
    return EXIT_DONE;
}

static int list_all(struct trusting *t)
{
    struct trust_pinned *pins;
    struct err e = { 0 };

    if (trust_pins(&t->cli->arena, t->pins, &pins, &e) < 0)
        return cli_fail(t->cli, "%s", e.msg);
    for (; pins->path; pins++) {
        struct item *i = add_item(t, pins->path, NULL);
        struct str text;

        memcpy(i->hash, pins->hash, sizeof(i->hash));
        if (file_read(&t->cli->arena, pins->path, TRUST_FILE_MAX, &text, NULL) < 0)
            i->state = "vanished";
        else
            i->state = state_name(trust_check(t->pins, pins->path, text));
    }
    print_items(t);
    if (!t->first && !t->json)
        printf("nothing is trusted\n");
    return EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------------- */

/* One look at the workspace. What a file configures is known once it is trusted: then again. */
static int pass(struct trusting *t, bool *again)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    const struct config *config;
    struct registry *reg;
    int rc;

    *again = false;
    if (!cli_open(t->cli, &t->scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    config = registry_config(reg);
    t->pins = arena_strdup(&t->cli->arena, config->trust);
    t->pinned = 0;
    if (!t->pins[0])
        rc = cli_fail(t->cli, "%s", config->trust_bad);
    else if (t->list)
        rc = list_all(t);
    else if (t->revoke)
        rc = revoke_pins(t, config);
    else {
        trust_files(t, config);
        trust_recipes(t, config);
        *again = t->pinned > 0 && ++t->passes < PASSES_MAX;
        rc = *again ? EXIT_DONE : finish(t, config);
    }
    registry_unref(reg);
    return rc;
}

int cmd_trust(struct cli *cli, int argc, char **argv)
{
    struct trusting t = {
        .cli = cli,
        .scope = { .quiet = true, .lenient = true, .recompile = true },
    };
    const struct arg flags[] = {
        ARG_SWITCH("yes", 'y', &t.yes, "trust every file without asking"),
        ARG_SWITCH("full", 0, &t.full, "show all of long files"),
        ARG_SWITCH("revoke", 0, &t.revoke, "trust them no more"),
        ARG_SWITCH("list", 0, &t.list, "list all that is trusted, of every workspace"),
        ARG_TEXT("trust", 0, &t.scope.trust, "FILE", "keep the pins in FILE"),
        ARG_SWITCH("json", 0, &t.json, "for programs"),
        ARG_END,
    };
    CLEANUP(mem) char *cwd = getcwd(NULL, 0);
    bool again = true;
    int rc;

    t.end = &t.first;
    if (!args_parse(cli, flags, argc, argv, &t.words, &rc))
        return rc;
    if ((t.list && (t.words.count || t.revoke || t.yes)) || (t.revoke && t.yes))
        return cli_usage(cli);
    t.scope.cwd = arena_strdup(&cli->arena, cwd ? cwd : "/");
    while (again)
        rc = pass(&t, &again);
    return rc;
}
