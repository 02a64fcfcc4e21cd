#include "cli/cli.h"

#include "base/suggest.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

bool cli_reader_has_gone(void)
{
    struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Standard output goes first, so that the two keep their order on a terminal. */
PRINTF_LIKE(1, 0) static void say(const char *fmt, va_list ap)
{
    CLEANUP(arena) struct arena a = { 0 };

    fflush(stdout);
    fprintf(stderr, "hooke: %s\n", term_clean(&a, term_vformat(&a, fmt, ap)));
}

int cli_fail(struct cli *cli UNUSED, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    return EXIT_FAILED;
}

int cli_misuse(struct cli *cli UNUSED, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(fmt, ap);
    va_end(ap);
    return EXIT_USAGE;
}

int cli_usage(struct cli *cli)
{
    struct str rest = str_of(cli->verb->usage), line;
    struct strbuf forms = { 0 };

    while (str_cut(&rest, '\n', &line))
        strbuf_printf(&forms, "%shooke %.*s", forms.len ? " | " : "", STR_ARG(line));
    cli_misuse(cli, "usage: %s", strbuf_cstr(&forms));
    strbuf_release(&forms);
    return EXIT_USAGE;
}

int cli_unknown(struct cli *cli, const char *word, const char *const *known)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    const char *otherwise;
    size_t count = 0;

    for (; known[count]; count++)
        strbuf_printf(&all, "%s%s", count ? ", " : "", known[count]);
    otherwise = arena_printf(&cli->arena, ": it can be %s", strbuf_cstr(&all));
    return cli_misuse(cli, "%s: unknown word '%s'%s", cli->verb->name, word,
                      suggest(&cli->arena, str_nearest(word, known, count), otherwise));
}

int cli_unknown_point(struct cli *cli, const char *name)
{
    return cli_misuse(
        cli, "unknown point '%s'%s", name,
        suggest(&cli->arena, point_nearest(name), "; 'hooke help points' lists them"));
}

void cli_json(struct cli *cli, const struct json *j)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    json_write(&text, j, cli->out.tty ? JSON_PRETTY : JSON_COMPACT);
    strbuf_addch(&text, '\n');
    fwrite(strbuf_cstr(&text), 1, text.len, stdout);
}

/* The flags of `--set`, ended by one without a key. */
static struct config_flag *scope_flags(struct cli *cli, const struct scope *scope, int *rc)
{
    struct config_flag *flags = arena_array(&cli->arena, struct config_flag, scope->set.count + 1);

    for (size_t i = 0; i < scope->set.count; i++) {
        const char *text = scope->set.values[i], *equals = strchr(text, '=');

        if (!equals || equals == text) {
            *rc = cli_misuse(cli, "%s: '--set %s' is not KEY=VALUE", cli->verb->name, text);
            return NULL;
        }
        flags[i].key = arena_printf(&cli->arena, "%.*s", (int)(equals - text), text);
        flags[i].value = equals + 1;
    }
    return flags;
}

bool cli_open(struct cli *cli, const struct scope *scope, struct runtime *rt, int *rc)
{
    struct err e = { 0 };
    int r;
    struct config_flag *flags = scope_flags(cli, scope, rc);
    struct runtime_options options = {
        .log = scope->quiet ? NULL : &cli->log,
        .cwd = scope->cwd,
        .config = scope->config,
        .trust = scope->trust,
        .receipts = scope->receipts,
        .lenient = scope->lenient,
        .no_hooks = scope->no_hooks,
        .recompile = scope->recompile,
        .flags = flags,
        .abort_fd = scope->abort_fd,
    };

    if (!flags)
        return false;
    if (scope->config && access(scope->config, R_OK) < 0) {
        *rc = cli_fail(cli, "--config '%s': %s", scope->config, strerror(errno));
        return false;
    }
    r = runtime_open(rt, &options, &e);
    if (r == 0)
        return true;
    cli_fail(cli, "%s", e.msg);
    *rc = r == -EBADMSG ? EXIT_CONFIG : EXIT_FAILED;
    return false;
}

struct store *cli_store(struct cli *cli)
{
    return store_at(store_default_path(&cli->arena));
}
