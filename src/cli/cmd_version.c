/* hooke version - which program this is. */
#include "cli/cli.h"

#include <stdio.h>

int cmd_version(struct cli *cli, int argc, char **argv)
{
    bool json = false;
    const struct arg flags[] = {
        ARG_SWITCH("json", 0, &json, "for programs"),
        ARG_END,
    };
    struct words words;
    struct json *j;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count)
        return cli_usage(cli);
    if (!json) {
        printf("hooke %s\n", HOOKE_VERSION);
        return EXIT_DONE;
    }
    j = json_object(&cli->arena);
    json_add(&cli->arena, j, STR("version"), json_cstring(&cli->arena, HOOKE_VERSION));
    json_add(&cli->arena, j, STR("compiler"), json_cstring(&cli->arena, __VERSION__));
    cli_json(cli, j);
    return EXIT_DONE;
}
