/* hooke config - check the configuration, show what is in force, and where it comes from. */
#include "agent/agent.h"
#include "cli/cli.h"
#include "cli/config_view.h"

#include <stdio.h>

struct config_flags {
    bool origin, json;
    struct scope scope;
};

/* check ---------------------------------------------------------------------------------------- */

static const struct json *problem_json(struct arena *a, const struct problem *p)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("file"), json_cstring(a, p->origin.file));
    json_add(a, j, STR("line"), json_int(a, p->origin.line));
    json_add(a, j, STR("column"), json_int(a, p->origin.column));
    json_add(a, j, STR("message"), json_cstring(a, p->message));
    json_add(a, j, STR("warning"), json_bool(a, p->warning));
    return j;
}

static void check_json(struct cli *cli, const struct problems *problems, size_t files)
{
    struct arena *a = &cli->arena;
    struct json *list = json_array(a), *j = json_object(a);

    for (const struct problem *p = problems->first; p; p = p->next)
        json_push(a, list, problem_json(a, p));
    json_add(a, j, STR("files"), json_int(a, (int64_t)files));
    json_add(a, j, STR("problems"), list);
    cli_json(cli, j);
}

static void check_text(struct cli *cli, const struct problems *problems, size_t files)
{
    struct arena *a = &cli->arena;

    for (const struct problem *p = problems->first; p; p = p->next) {
        printf("%s: ", term_clean(a, origin_text(a, &p->origin)));
        if (p->warning)
            term_put(&cli->out, STYLE_YELLOW, "warning: ");
        printf("%s\n", term_clean(a, p->message));
    }
    if (problems->count)
        printf("%zu problem%s in %zu file%s\n", problems->count, problems->count == 1 ? "" : "s",
               files, files == 1 ? "" : "s");
    else
        printf("no problems in %zu file%s\n", files, files == 1 ? "" : "s");
}

static void gather(struct cli *cli, const struct config *config, struct problems *all)
{
    *all = (struct problems){ .arena = &cli->arena };
    for (const struct problem *p = config->problems.first; p; p = p->next)
        if (p->warning)
            problem_warn(all, &p->origin, "%s", p->message);
        else
            problem_add(all, &p->origin, "%s", p->message);
    agents_check(config, all);
}

static int check(struct cli *cli, struct config_flags *o)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    const struct config *config;
    struct problems problems;
    size_t files;
    int rc;

    o->scope.recompile = o->scope.lenient = o->scope.quiet = true;
    if (!cli_open(cli, &o->scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    config = registry_config(reg);
    files = config_view_count(config);
    gather(cli, config, &problems);
    if (o->json)
        check_json(cli, &problems, files);
    else
        check_text(cli, &problems, files);
    registry_unref(reg);
    return problems.count ? EXIT_FAILED : EXIT_DONE;
}

/* show ----------------------------------------------------------------------------------------- */

static int show(struct cli *cli, struct config_flags *o, const char *key)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    int rc;

    o->scope.lenient = true;
    if (!cli_open(cli, &o->scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    rc = config_view_show(cli, config_effective(&cli->arena, registry_config(reg)), key, o->origin,
                          o->json);
    registry_unref(reg);
    return rc;
}

/* path ----------------------------------------------------------------------------------------- */

static int path(struct cli *cli, struct config_flags *o)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    int rc;

    o->scope.lenient = o->scope.quiet = true;
    if (!cli_open(cli, &o->scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    config_view_paths(cli, registry_config(reg), o->json);
    registry_unref(reg);
    return EXIT_DONE;
}

int cmd_config(struct cli *cli, int argc, char **argv)
{
    static const char *const known[] = { "check", "show", "path", NULL };
    struct config_flags o = { 0 };
    const struct arg flags[] = {
        ARG_SWITCH("origin", 0, &o.origin, "show: also where each value comes from"),
        ARG_SWITCH("json", 0, &o.json, "for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count == 0)
        return cli_usage(cli);
    if (strcmp(words.word[0], "check") == 0)
        return words.count == 1 ? check(cli, &o) : cli_usage(cli);
    if (strcmp(words.word[0], "show") == 0)
        return words.count <= 2 ? show(cli, &o, words.word[1]) : cli_usage(cli);
    if (strcmp(words.word[0], "path") == 0)
        return words.count == 1 ? path(cli, &o) : cli_usage(cli);
    return cli_unknown(cli, words.word[0], known);
}
