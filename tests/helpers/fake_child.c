/*
 * A child that behaves as it is told: fake_child BEHAVIOUR [ARGUMENT]. One function and one line in
 * the table for each. Whatever it does, it is gone after half a minute.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *text)
{
    size_t len = strlen(text);

    if (write(STDOUT_FILENO, text, len) != (ssize_t)len)
        _exit(99);
}

static int hang(const char *arg)
{
    (void)arg;
    while (pause())
        continue;
    return 0;
}

static int end(const char *arg)
{
    return (int)strtol(arg, NULL, 10);
}

static int die(const char *arg)
{
    raise((int)strtol(arg, NULL, 10));
    return 98;
}

static int echo(const char *arg)
{
    char text[65536];
    ssize_t n;

    (void)arg;
    while ((n = read(STDIN_FILENO, text, sizeof(text))) > 0)
        for (ssize_t at = 0, w; at < n; at += w)
            if ((w = write(STDOUT_FILENO, text + at, (size_t)(n - at))) < 0)
                return 97;
    return n < 0;
}

/* Writes to the descriptor it is given until it is stopped. */
static int flood(const char *arg)
{
    static char text[65536];
    int fd = arg[0] ? (int)strtol(arg, NULL, 10) : STDOUT_FILENO;

    memset(text, 'x', sizeof(text));
    while (write(fd, text, sizeof(text)) > 0)
        continue;
    return 96;
}

/* As many bytes as it is told to stdout, and a few to stderr. */
static int fill(const char *arg)
{
    static char text[65536];
    long left = strtol(arg, NULL, 10);

    memset(text, 'y', sizeof(text));
    while (left > 0) {
        ssize_t n = write(STDOUT_FILENO, text, left < 65536 ? (size_t)left : sizeof(text));

        if (n < 0)
            return 95;
        left -= n;
    }
    return write(STDERR_FILENO, "done", 4) != 4;
}

static int close_stdin(const char *arg)
{
    (void)arg;
    close(STDIN_FILENO);
    say("closed");
    return 0;
}

static int say_then_hang(const char *arg)
{
    say(arg);
    return hang(NULL);
}

static int say_only(const char *arg)
{
    say(arg);
    return 0;
}

static int say_binary(const char *arg)
{
    (void)arg;
    return write(STDOUT_FILENO, "a\0b\xff\xfe\xc3", 6) != 6;
}

static int stubborn(const char *arg)
{
    signal(SIGTERM, SIG_IGN);
    return say_then_hang(arg);
}

static void on_term(int sig)
{
    (void)sig;
    say("bye");
    _exit(7);
}

static int polite(const char *arg)
{
    signal(SIGTERM, on_term);
    return say_then_hang(arg);
}

/* Starts itself with another behaviour, in its own or a new session, and says its number. */
static int start(const char *behaviour, bool session)
{
    char *argv[] = { strdup("fake_child"), strdup(behaviour), strdup(""), NULL };
    posix_spawnattr_t attr;
    char text[32];
    pid_t pid;

    posix_spawnattr_init(&attr);
    if (session)
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
    if (posix_spawn(&pid, "/proc/self/exe", NULL, &attr, argv, environ) != 0)
        return 94;
    snprintf(text, sizeof(text), "%d\n", (int)pid);
    say(text);
    return 0;
}

static int leave_behind(const char *arg)
{
    return start(arg, false);
}

static int start_and_hang(const char *arg)
{
    return start(arg, false) ? 94 : hang(NULL);
}

static int middle_of_daemon(const char *arg)
{
    (void)arg;
    return start("hang", false);
}

static int leave_daemon(const char *arg)
{
    (void)arg;
    return start("middle-of-daemon", true) || wait(NULL) < 0;
}

static int show_variable(const char *arg)
{
    const char *value = getenv(arg);

    say(value ? value : "(unset)");
    return 0;
}

static int show_cwd(const char *arg)
{
    char text[4096];

    (void)arg;
    say(getcwd(text, sizeof(text)) ? text : "(none)");
    return 0;
}

static int show_descriptors(const char *arg)
{
    char text[16];

    (void)arg;
    for (int fd = 0; fd < 4096; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            continue;
        snprintf(text, sizeof(text), "%d ", fd);
        say(text);
    }
    return 0;
}

static int show_signals(const char *arg)
{
    char line[256];
    FILE *f = fopen("/proc/self/status", "re");

    (void)arg;
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, "SigIgn", 6) == 0 || strncmp(line, "SigBlk", 6) == 0)
            say(line);
    return 0;
}

static int show_session(const char *arg)
{
    (void)arg;
    say(getsid(0) == getpid() && getpgid(0) == getpid() ? "leader" : "follower");
    return 0;
}

static const struct {
    const char *name;
    int (*run)(const char *arg);
} behaviours[] = {
    { "hang", hang },
    { "exit", end },
    { "die", die },
    { "echo", echo },
    { "flood", flood },
    { "fill", fill },
    { "close-stdin", close_stdin },
    { "say", say_only },
    { "say-binary", say_binary },
    { "say-then-hang", say_then_hang },
    { "stubborn", stubborn },
    { "polite", polite },
    { "leave-behind", leave_behind },
    { "start-and-hang", start_and_hang },
    { "leave-daemon", leave_daemon },
    { "middle-of-daemon", middle_of_daemon },
    { "show-variable", show_variable },
    { "show-cwd", show_cwd },
    { "show-descriptors", show_descriptors },
    { "show-signals", show_signals },
    { "show-session", show_session },
};

int main(int argc, char **argv)
{
    const struct rlimit no_core = { 0 };

    setrlimit(RLIMIT_CORE, &no_core);
    alarm(30);
    for (size_t i = 0; argc > 1 && i < sizeof(behaviours) / sizeof(behaviours[0]); i++)
        if (strcmp(argv[1], behaviours[i].name) == 0)
            return behaviours[i].run(argc > 2 ? argv[2] : "");
    fprintf(stderr, "fake_child: no such behaviour\n");
    return 64;
}
