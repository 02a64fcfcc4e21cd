/* Which verbs there are, and what happens around every one of them. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static verb_fn cmd_help;

static const struct verb verbs[] = {
    { "run", cmd_run,
      "run [PROMPT...] [--model PROVIDER/MODEL] [flags]\n"
      "run -r RECIPE [--arg KEY=VALUE]... [PROMPT...] [flags]",
      "let an agent do something, every moment of it open to hooks",
      "The model's text goes to standard output, all else to standard error.\n"
      "Exit code: 0 done, 1 failed, 2 ended by a hook." },
    { "chat", cmd_chat, "chat [--model PROVIDER/MODEL] [flags]",
      "the same, message after message, at the terminal",
      "Ctrl-C ends what runs, Ctrl-D the chat; /help lists the commands in it." },
    { "recipe", cmd_recipe,
      "recipe list [--json]\nrecipe show NAME [--arg KEY=VALUE]... [--run] [--json]",
      "list the prompts that can be run by name, and show one",
      "'show' prints a recipe as it is written; with --arg its arguments are put in, with --run\n"
      "its commands are run, too." },
    { "conversation", cmd_conversation,
      "conversation list [--search TEXT] [--all] [--limit N] [--json]\n"
      "conversation show ID [--markdown] [--generation N] [--json]\n"
      "conversation fork [ID]\nconversation delete ID [--yes]\n"
      "conversation export ID [FILE]\nconversation import FILE [--force|--new-id]\n"
      "conversation restore ID GENERATION\nconversation rename ID TITLE...",
      "look at what was said in sessions, fork, move and restore it",
      "An id may be cut short where that is unambiguous." },
    { "emit", cmd_emit, "emit POINT [--data JSON|@FILE|-] [--session ID] [flags]",
      "run one event through its chain and print the verdict",
      "Exit code: 2 when a hook blocked or stopped, 0 otherwise." },
    { "answer", cmd_answer, "answer AGENT [EVENT]",
      "answer as a hook of claude, codex or gemini, in their JSON",
      "Reads one event on standard input and acts as soon as it is complete. What hooks decide is\n"
      "in the answer: the exit code is 0 whatever they say. Only where it can't be written a refusal\n"
      "is 2, with the reason on standard error." },
    { "list", cmd_list, "list [--point POINT] [--all] [--names] [--json]",
      "list the hooks in the order they run", NULL },
    { "show", cmd_show, "show NAME [--session ID] [--json]",
      "show all there is to know about one hook or point", NULL },
    { "plan", cmd_plan, "plan POINT [--tool TOOL] [--agent AGENT] [--sub] [--json]",
      "explain which hooks would run at a point, and why", NULL },
    { "test", cmd_test,
      "test NAME [--point POINT] [--data JSON|@FILE|-] [--event FILE] [flags]\n"
      "test NAME --print-event",
      "run one hook against an event and show all of what it did",
      "Exit code: 0 it ran, 1 the run failed or it would not run, 2 it blocked or stopped.\n"
      "No receipt is written, and no cadence is asked or counted." },
    { "replay", cmd_replay,
      "replay DIR [--session ID] [--point POINT] [--all] [--no-commands] [--json]",
      "run captured events again and show which decisions changed",
      "Commands really run. Exit code: 1 when a decision changed or a file is no capture." },
    { "config", cmd_config,
      "config check [--json]\nconfig show [KEY] [--origin] [--json]\nconfig path [--json]",
      "check and show the configuration", "Exit code of 'check': 1 on any problem." },
    { "trace", cmd_trace,
      "trace [tail] [-n N] [--session ID] [--point POINT] [--follow] [--json]\n"
      "trace show [ID] [--json]\n"
      "trace why [CALL_ID] [--session ID] [--json]\n"
      "trace top [-n N] [--session ID] [--point POINT] [--sort BY] [--json]\n"
      "trace --capture DIR [-n N] [--session ID] [--point POINT]",
      "look at receipts: what ran, what was held back, what it cost", NULL },
    { "state", cmd_state,
      "state get KEY\nstate set KEY VALUE\nstate incr KEY [BY]\nstate list [PREFIX]\n"
      "state clear [KEY]",
      "read and write what a hook remembers of a session",
      "HOOKE_SESSION and HOOKE_HOOK stand for --session and --hook; a hook's process has them." },
    { "trust", cmd_trust,
      "trust [FILE…] [--yes] [--full] [--trust FILE] [--json]\n"
      "trust --revoke [FILE…]\ntrust --list [--json]",
      "let the workspace's hooks and programs be used, after a look",
      "Bytes are pinned and copied: the copy is what runs, and a file that changes does not run\n"
      "until it is trusted again. Exit code: 1 when something stays untrusted." },
    { "install", cmd_install, "install AGENT [--project] [--yes] [--dry-run] [--json]",
      "let another agent ask hooke: claude, codex, gemini or opencode",
      "Shows what would change in that agent's configuration, and asks. No other entry is touched.\n"
      "OpenCode gets one file, its plugin." },
    { "uninstall", cmd_uninstall, "uninstall AGENT [--project] [--yes] [--dry-run] [--json]",
      "take hooke out of that agent's configuration again",
      "Where nothing else has changed since, the file is what it was, byte for byte." },
    { "serve", cmd_serve,
      "serve [--socket PATH] [--idle TIME]\nserve --status [--json]\nserve --stop",
      "answer agents and other programs from one process that stays",
      "In the foreground; SIGTERM lets what runs finish. Everything works without it, slower." },
    { "doctor", cmd_doctor, "doctor [--verify] [--json]\ndoctor AGENT [--json]",
      "check that everything hooke needs is in order",
      "--verify runs all hooks, commands included, on a conversation that is made up, with a store\n"
      "that is gone afterwards, and names each hook that changes what was sent before: the provider\n"
      "then reads everything behind it again at full price. With the name of an agent: is hooke\n"
      "installed in it, loaded and trusted, which events came, and which tool calls were missed?\n"
      "Exit code: 1 when something fails." },
    { "version", cmd_version, "version [--json]", "print the version", NULL },
    { "demo", cmd_demo, "demo", "watch a small session pass through hooks, explained as it goes",
      NULL },
    { "help", cmd_help, "help [VERB|points]", "print this, the help of a verb, or the points",
      NULL },
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static int unknown_verb(struct cli *cli, const char *name)
{
    const char *known[ARRAY_LEN(verbs)];

    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        known[i] = verbs[i].name;
    return cli_misuse(cli, "unknown verb '%s'%s", name,
                      suggest(&cli->arena, str_nearest(name, known, ARRAY_LEN(verbs)),
                              "; 'hooke help' lists them"));
}

static void print_verbs(struct cli *cli)
{
    static const struct column columns[2] = { 0 };
    struct table t = {
        .arena = &cli->arena, .columns = columns, .column_count = 2, .indent = 2, .no_titles = true
    };

    term_put(&cli->out, STYLE_BOLD, "hooke");
    printf(" - lifecycle hooks for AI coding agents\n\nusage: hooke VERB [words and flags]\n\n");
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        table_cell(&t, STYLE_BOLD, "%s", verbs[i].name);
        table_cell(&t, STYLE_PLAIN, "%s", verbs[i].summary);
    }
    table_print(&t, &cli->out);
    printf("\n'hooke help VERB' explains one, 'hooke help points' lists the points.\n"
           "Start with 'hooke demo'.\n");
}

static void print_points(struct cli *cli)
{
    static const struct column columns[] = { { .title = "POINT" },
                                             { .title = "KIND" },
                                             { .title = "WHEN" } };
    struct table t = { .arena = &cli->arena, .columns = columns, .column_count = 3 };

    for (int i = 0; i < POINT_COUNT; i++) {
        const struct point_info *p = point_info((enum point)i);

        table_cell(&t, STYLE_BOLD, "%s", p->name);
        table_cell(&t, STYLE_PLAIN, "%s", point_kind_name(p->kind));
        table_cell(&t, STYLE_PLAIN, "%s", p->summary);
    }
    table_print(&t, &cli->out);
}

static int run_verb(struct cli *cli, const struct verb *verb, int argc, char **argv)
{
    cli->verb = verb;
    return verb->run(cli, argc, argv);
}

static int cmd_help(struct cli *cli, int argc, char **argv)
{
    static const struct arg flags[] = { ARG_END };
    static char help_flag[] = "--help";
    const struct verb *verb;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count > 1)
        return cli_usage(cli);
    if (words.count == 0) {
        print_verbs(cli);
        return EXIT_DONE;
    }
    if (strcmp(words.word[0], "points") == 0) {
        print_points(cli);
        return EXIT_DONE;
    }
    verb = find_verb(words.word[0]);
    if (!verb)
        return unknown_verb(cli, words.word[0]);
    return run_verb(cli, verb, 2, (char *[]){ argv[0], help_flag, NULL });
}

static int run(struct cli *cli, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    const struct verb *verb;

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    verb = find_verb(name);
    if (verb)
        return argc > 1 ? run_verb(cli, verb, argc - 1, argv + 1) : run_verb(cli, verb, argc, argv);
    if (name[0] == '-')
        return cli_misuse(cli, "unknown flag '%s'; flags follow a verb, 'hooke help' lists them",
                          name);
    return unknown_verb(cli, name);
}

static int finish_output(struct cli *cli, int rc)
{
    bool broken = ferror(stdout);

    errno = 0;
    if (fflush(stdout) == 0 && !broken)
        return rc;
    if (errno != EPIPE && !cli_reader_has_gone())
        cli_fail(cli, "writing the output: %s", errno ? strerror(errno) : "it was cut short");
    return rc ? rc : EXIT_FAILED;
}

/* No file of ours may get the number that is written to. What was closed stays of no use. */
static void reserve_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* Without HOME nobody's configuration would be in force, and nobody would notice. */
static void find_home(void)
{
    const char *home = getenv("HOME");
    const struct passwd *user;

    if (home && home[0] == '/')
        return;
    user = getpwuid(geteuid());
    if (user && user->pw_dir && user->pw_dir[0] == '/')
        setenv("HOME", user->pw_dir, 1);
}

int main(int argc, char **argv)
{
    struct cli cli = { .out = term_stdout() };
    struct sink sink;
    int rc;

    reserve_standard();
    find_home();
    /* Writing to a hook that has gone must fail, not kill; so must a pipe to `head`. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a full file is an error of the write, not the end of us */
    sink_open(&sink, &cli.log);
    rc = finish_output(&cli, run(&cli, argc, argv));
    sink_close(&sink, &cli.log);
    arena_release(&cli.arena);
    interrupt_finish();
    return rc;
}
