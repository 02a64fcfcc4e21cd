/* hooke trust - look at the workspace's configuration and let it be used from now on. */
#include "base/file.h"
#include "base/path.h"
#include "cli/cli.h"
#include "hook/registry.h"
#include "hook/trust.h"

#include <stdio.h>

#define FILE_MAX ((size_t)4 << 20)

struct trusting {
    struct cli *cli;
    const char *pins; /* the trust file */
    bool yes, json;
    struct json *report;
    bool refused;
};

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

/* A person reads it and answers; without one nothing is trusted by accident. */
static bool ask(struct cli *cli, const char *path, struct str text)
{
    char answer[16];
    struct str line;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return false;
    /* Cleaned: what hides from the eye must not be trusted by it. */
    while (str_cut(&text, '\n', &line))
        printf("%s\n", term_clean(&cli->arena, arena_cstr(&cli->arena, line)));
    printf("trust '%s' with this text? [y/N] ", term_clean(&cli->arena, path));
    fflush(stdout);
    return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static void report(struct trusting *t, const char *path, const char *state)
{
    struct arena *a = &t->cli->arena;
    struct json *j = json_object(a);

    if (!t->json) {
        printf("%-8s  %s\n", state, term_clean(a, path));
        return;
    }
    json_add(a, j, STR("path"), json_cstring(a, path));
    json_add(a, j, STR("state"), json_cstring(a, state));
    json_push(a, t->report, j);
}

static int trust_one(struct trusting *t, const char *path)
{
    struct err e = { 0 };
    enum trust state;
    struct str text;

    if (file_read(&t->cli->arena, path, FILE_MAX, &text, &e) < 0)
        return cli_fail(t->cli, "%s", e.msg);
    state = trust_check(t->pins, path, text);
    if (state != TRUST_PINNED && (t->yes || ask(t->cli, path, text))) {
        if (trust_pin(t->pins, path, text, &e) < 0)
            return cli_fail(t->cli, "%s", e.msg);
        state = TRUST_PINNED;
    }
    report(t, path, state_name(state));
    t->refused |= state != TRUST_PINNED;
    return EXIT_DONE;
}

static int trust_all(struct trusting *t, const struct config *config)
{
    size_t found = 0;

    for (size_t i = 0; i < config->file_count; i++) {
        const struct config_file *f = &config->files[i];
        int rc;

        if (f->source != SOURCE_WORKSPACE || !f->exists)
            continue;
        found++;
        rc = trust_one(t, f->path);
        if (rc != EXIT_DONE)
            return rc;
    }
    if (t->json)
        cli_json(t->cli, t->report);
    else if (!found)
        printf("there is nothing to trust in %s\n", term_clean(&t->cli->arena, config->workspace));
    return t->refused ? EXIT_FAILED : EXIT_DONE;
}

int cmd_trust(struct cli *cli, int argc, char **argv)
{
    struct trusting t = { .cli = cli };
    struct scope scope = { .quiet = true, .lenient = true };
    const struct arg flags[] = {
        ARG_SWITCH("yes", 'y', &t.yes, "trust every file without asking"),
        ARG_SWITCH("json", 0, &t.json, "for programs"),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count)
        return cli_usage(cli);
    if (!cli_open(cli, &scope, &rt, &rc))
        return rc;
    t.pins = trust_file(&cli->arena, path_xdg(&cli->arena, PATH_CONFIG));
    t.report = json_array(&cli->arena);
    reg = engine_look(rt.engine);
    rc = trust_all(&t, registry_config(reg));
    registry_unref(reg);
    return rc;
}
