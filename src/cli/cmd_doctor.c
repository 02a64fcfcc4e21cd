/* hooke doctor - check that everything hooke needs is in order, and say the way out. */
#include "base/clock.h"
#include "base/file.h"
#include "cli/agent_check.h"
#include "cli/config_view.h"
#include "cli/prefix_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define WAL_LARGE ((off_t)64 << 20)

static void check_config(struct doctor *d, const struct config *c, size_t files)
{
    struct arena *a = &d->cli->arena;
    const char *in_files = arena_printf(a, "in %zu file%s", files, files == 1 ? "" : "s");
    size_t warnings = 0, problems = c->problems.count;

    for (const struct problem *p = c->problems.first; p; p = p->next)
        warnings += p->warning;
    if (c->fallen_back)
        doctor_report(d, HEALTH_FAIL, "configuration", "broken, the last good one is in force",
                      "run 'hooke config check'");
    else if (c->broken)
        doctor_report(d, HEALTH_FAIL, "configuration", "broken, the defaults are in force",
                      "run 'hooke config check'");
    else if (problems > warnings)
        doctor_report(
            d, HEALTH_FAIL, "configuration",
            arena_printf(a, "%zu problem%s %s", problems, problems == 1 ? "" : "s", in_files),
            "run 'hooke config check'");
    else if (warnings)
        doctor_report(
            d, HEALTH_WARN, "configuration",
            arena_printf(a, "%zu warning%s %s", warnings, warnings == 1 ? "" : "s", in_files),
            "run 'hooke config check'");
    else
        doctor_report(d, HEALTH_OK, "configuration", arena_printf(a, "no problems %s", in_files),
                      NULL);
}

static void check_hooks(struct doctor *d, const struct registry *reg)
{
    size_t count, off = 0, broken = 0;
    const struct hook *const *hooks = registry_hooks(reg, &count);
    char *text;

    for (size_t i = 0; i < count; i++) {
        off += hooks[i]->off_because != NULL;
        broken += !hooks[i]->off_because && hooks[i]->broken;
    }
    text = arena_printf(&d->cli->arena, "%zu on, %zu off, %zu broken", count - off - broken, off,
                        broken);
    doctor_report(d, broken ? HEALTH_FAIL : HEALTH_OK, "hooks", text,
                  broken ? "run 'hooke list'" : NULL);
}

/* Hooks that nobody has configured, but whose files are where somebody keeps hooks. */
static void check_found(struct doctor *d, const struct config *c)
{
    size_t hooks = 0, files = 0, untrusted = 0;

    for (size_t i = 0; i < c->hook_count; i++)
        hooks += c->hooks[i].found;
    for (size_t i = 0; i < c->file_count; i++) {
        files += c->files[i].found;
        untrusted += c->files[i].found && !c->files[i].trusted;
    }
    doctor_report(d, untrusted ? HEALTH_WARN : HEALTH_OK, "found hooks",
                  arena_printf(&d->cli->arena, "%zu hooks in %zu files, %zu of them not trusted",
                               hooks, files, untrusted),
                  untrusted ? "run 'hooke trust'" : NULL);
}

static off_t file_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : 0;
}

static void check_store(struct doctor *d, struct runtime *rt)
{
    struct arena *a = &d->cli->arena;
    const char *path = store_default_path(a);
    struct store_key probe = { "@doctor", "@doctor", "@doctor" };
    struct err e = { 0 };
    struct str value;
    off_t wal;

    if (store_get(rt->store, &probe, a, &value, &e) < 0) {
        doctor_report(d, HEALTH_FAIL, "store", e.msg,
                      "make its folder writable, or name another file in HOOKE_STORE");
        return;
    }
    wal = file_size(arena_printf(a, "%s-wal", path));
    doctor_report(
        d, wal > WAL_LARGE ? HEALTH_WARN : HEALTH_OK, "store",
        arena_printf(a, "%s, schema %d, %s, log %s", path, store_schema_version(),
                     term_size(a, (uint64_t)file_size(path)), term_size(a, (uint64_t)wal)),
        wal > WAL_LARGE ? "the log is not being checkpointed: end processes that keep it open"
                        : NULL);
}

static size_t count_lines(const char *path)
{
    CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char piece[65536];
    size_t lines = 0;
    ssize_t n;

    while (fd >= 0 && (n = read(fd, piece, sizeof(piece))) > 0)
        for (ssize_t i = 0; i < n; i++)
            lines += piece[i] == '\n';
    return lines;
}

static void check_receipts(struct doctor *d, struct runtime *rt)
{
    struct arena *a = &d->cli->arena;
    char today[CLOCK_TEXT_SIZE];
    struct err e = { 0 };

    if (!rt->receipts || !rt->receipts[0]) {
        doctor_report(d, HEALTH_WARN, "receipts", "none are written", NULL);
        return;
    }
    if (file_mkdirs(rt->receipts, &e) < 0 || access(rt->receipts, W_OK | X_OK) < 0) {
        doctor_report(d, HEALTH_FAIL, "receipts",
                      e.code ? e.msg : arena_printf(a, "%s: %s", rt->receipts, strerror(errno)),
                      "make the folder writable");
        return;
    }
    clock_format(clock_wall_ms(), today);
    doctor_report(d, HEALTH_OK, "receipts",
                  arena_printf(a, "%s, %zu today", rt->receipts,
                               count_lines(arena_printf(a, "%s/%.10s.jsonl", rt->receipts, today))),
                  NULL);
}

static void check_workspace(struct doctor *d, const struct config *c)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (c->files[i].exists && !c->files[i].trusted) {
            doctor_report(
                d, HEALTH_WARN, "workspace",
                arena_printf(&d->cli->arena, "%s is not trusted and not used", c->files[i].path),
                "run 'hooke trust'");
            return;
        }
    doctor_report(d, HEALTH_OK, "workspace", c->workspace, NULL);
}

static void examine(struct doctor *d, struct runtime *rt)
{
    struct registry *reg = engine_look(rt->engine);
    const struct config *config = registry_config(reg);

    doctor_report(d, HEALTH_OK, "version", HOOKE_VERSION, NULL);
    check_config(d, config, config_view_count(config));
    check_workspace(d, config);
    check_hooks(d, reg);
    check_found(d, config);
    check_store(d, rt);
    check_receipts(d, rt);
    registry_unref(reg);
}

static void examine_agent(struct doctor *d, struct runtime *rt, const struct registration *agent)
{
    struct registry *reg = engine_look(rt->engine);
    const struct config *config = registry_config(reg);

    agent_check(d, agent, reg, rt->receipts);
    check_config(d, config, config_view_count(config));
    registry_unref(reg);
}

static const char *way_out_of(const struct prefix_fault *f)
{
    if (!f->hook)
        return "no hook does it alone: switch hooks off until it is gone";
    if (strcmp(f->broken.where, "the system prompt") == 0)
        return "let it say the same every time, or give it 'place: tail'";
    return "let it add to the newest message, and leave those before it as they were sent";
}

/* False: said why, `*rc` is the exit code. */
static bool check_prefix(struct doctor *d, const struct scope *scope, int *rc)
{
    struct prefix_check c = { .cli = d->cli, .scope = scope };
    struct arena *a = &d->cli->arena;

    if (!prefix_check(&c, rc))
        return false;
    for (size_t i = 0; i < c.count; i++) {
        const struct prefix_fault *f = &c.faults[i];

        doctor_report(d, HEALTH_FAIL, "prompt cache",
                      arena_printf(a, "%s%s%s changed %s at request %u, '%s' became '%s'",
                                   f->hook ? "hook '" : "", f->hook ? f->hook : "something",
                                   f->hook ? "'" : "", f->broken.where, f->broken.request,
                                   f->broken.before, f->broken.after),
                      way_out_of(f));
    }
    if (!c.count)
        doctor_report(
            d, HEALTH_OK, "prompt cache",
            arena_printf(a, "each of %u requests began with what was sent before it", c.requests),
            NULL);
    return true;
}

int cmd_doctor(struct cli *cli, int argc, char **argv)
{
    struct scope scope = { .lenient = true, .quiet = true, .recompile = true };
    bool json = false, verify = false;
    const struct arg flags[] = {
        ARG_SWITCH("verify", 0, &verify,
                   "also run the hooks on a made-up conversation: which break the prompt cache?"),
        ARG_SWITCH("json", 0, &json, "for programs"),
        SCOPE_ARGS(&scope),
        ARG_END,
    };
    const struct registration *agent = NULL;
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    struct doctor d;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count > 1 || (words.count && verify))
        return cli_usage(cli);
    if (words.count)
        agent = registration_find(words.word[0]);
    if (words.count && !agent)
        return cli_unknown(cli, words.word[0], registration_agents());
    d = doctor_open(cli, json);
    if (!cli_open(cli, &scope, &rt, &rc))
        return rc;
    if (agent)
        examine_agent(&d, &rt, agent);
    else
        examine(&d, &rt);
    if (verify && !check_prefix(&d, &scope, &rc))
        return rc;
    return doctor_close(&d);
}
