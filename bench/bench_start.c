/*
 * What it costs to start a program and wait for its end.
 *
 *     bench_start [-n RUNS] [-i FILE] ROW COMMAND [ARG…] [-- ROW COMMAND [ARG…]]…
 *
 * Prints "ROW<TAB>median nanoseconds" for each command. The commands take turns, so that a slow
 * moment of the machine falls on all of them. Their input is FILE, or /dev/null as is their output.
 * One that cannot be started or does not exit with 0 is reported on stderr and ends the measurement
 * with 1.
 */
#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#define RUNS_DEFAULT 200
#define RUNS_MAX     100000
#define WARM_UP      5

struct command {
    const char *row, *program;
    char **argv; /* of the program, itself first */
    uint64_t *times;
};

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [-n RUNS] [-i FILE] ROW COMMAND [ARG…] [-- ROW COMMAND [ARG…]]…\n",
            program);
    return 64;
}

static int start(const struct command *c, const posix_spawn_file_actions_t *files, pid_t *pid)
{
    int r = posix_spawnp(pid, c->program, files, NULL, c->argv, environ);

    if (r)
        fprintf(stderr, "cannot start '%s': %s\n", c->program, strerror(r));
    return r ? -1 : 0;
}

static int reap(const struct command *c, pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status))
        fprintf(stderr, "'%s' exited with %d\n", c->program, WEXITSTATUS(status));
    else
        fprintf(stderr, "'%s' was killed by signal %d\n", c->program, WTERMSIG(status));
    return -1;
}

static int run_once(const struct command *c, const posix_spawn_file_actions_t *files,
                    uint64_t *taken)
{
    uint64_t before = clock_mono_ns();
    pid_t pid;

    if (start(c, files, &pid) < 0 || reap(c, pid) < 0)
        return -1;
    *taken = clock_mono_ns() - before;
    return 0;
}

static int measure(struct command *commands, size_t count, size_t runs, const char *input)
{
    posix_spawn_file_actions_t files;
    int r = 0;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; i < WARM_UP + runs && r == 0; i++)
        for (size_t j = 0; j < count && r == 0; j++)
            r = run_once(&commands[j], &files, &commands[j].times[i < WARM_UP ? 0 : i - WARM_UP]);
    posix_spawn_file_actions_destroy(&files);
    return r;
}

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return (a > b) - (a < b);
}

/* Cut the arguments at "--" into commands. Returns how many, or 0 if one is not complete. */
static size_t split(char **args, struct command *commands)
{
    size_t count = 0;

    while (*args) {
        if (!args[1] || strcmp(args[0], "--") == 0 || strcmp(args[1], "--") == 0)
            return 0;
        commands[count].row = args[0];
        commands[count].program = args[1];
        commands[count++].argv = args + 1;
        while (*args && strcmp(*args, "--") != 0)
            args++;
        if (*args)
            *args++ = NULL;
    }
    return count;
}

int main(int argc, char **argv)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct command *commands = arena_array(&a, struct command, (size_t)argc);
    char **args = argv + 1;
    const char *input = "/dev/null";
    size_t runs = RUNS_DEFAULT, count;

    if (argc > 2 && strcmp(args[0], "-n") == 0) {
        runs = strtoul(args[1], NULL, 10);
        args += 2;
    }
    if (args[0] && args[1] && strcmp(args[0], "-i") == 0) {
        input = args[1];
        args += 2;
    }
    count = split(args, commands);
    if (count == 0 || runs == 0 || runs > RUNS_MAX)
        return usage(argv[0]);
    for (size_t i = 0; i < count; i++)
        commands[i].times = arena_array(&a, uint64_t, runs);
    if (measure(commands, count, runs, input) < 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        qsort(commands[i].times, runs, sizeof(uint64_t), ascending);
        printf("%s\t%llu\n", commands[i].row, (unsigned long long)commands[i].times[runs / 2]);
    }
    return 0;
}
