/*
 * A resident hook that behaves as it is told: fake_resident BEHAVIOUR. It understands just enough
 * of its input to find a request's number. Whatever it does, it is gone after half a minute.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *behaviour;
static char line[1 << 20];
static int events;

static bool is(const char *name)
{
    return strcmp(behaviour, name) == 0;
}

static bool asks(const char *method)
{
    char text[64];

    snprintf(text, sizeof(text), "\"method\":\"%s\"", method);
    return strstr(line, text) != NULL;
}

static long id_of(void)
{
    const char *at = strstr(line, "\"id\":");

    return at ? strtol(at + 5, NULL, 10) : -1;
}

static void answer(long id, const char *result)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}\n", id, result);
    fflush(stdout);
}

static void hang(void)
{
    for (;;)
        pause();
}

static void write_much(bool lines)
{
    for (int i = 0; i < 10 << 20; i++)
        putchar(lines && i % 100 == 99 ? '\n' : 'x');
    putchar('\n');
    fflush(stdout);
}

/* Ask for something and give the whole answer back as what is said. */
static void ask(const char *method, const char *params)
{
    static char said[1 << 16];
    size_t len = 0;
    long id = id_of();

    printf("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"%s\",\"params\":%s}\n", method, params);
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        exit(3);
    for (const char *c = line; *c && *c != '\n' && len < sizeof(said) - 3; c++) {
        if (*c == '"' || *c == '\\')
            said[len++] = '\\';
        said[len++] = *c;
    }
    said[len] = '\0';
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"say\":\"%s\"}}\n", id, said);
    fflush(stdout);
}

/* The event carries what to ask for: {"ask":"METHOD PARAMS"}, with ' for ". */
static void ask_as_told(void)
{
    char *method = strstr(line, "\"ask\":\""), *params, *end;
    char copy[1024];

    if (!method) {
        answer(id_of(), "{}");
        return;
    }
    snprintf(copy, sizeof(copy), "%s", method + 7);
    end = strchr(copy, '"');
    params = strchr(copy, ' ');
    if (!end || !params)
        exit(4);
    *end = *params++ = '\0';
    for (char *c = params; *c; c++)
        if (*c == '\'')
            *c = '"';
    ask(copy, params);
}

/* Ask a model about the event and go on; it is answered when the model has answered. */
static void ask_meanwhile(void)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"q%ld\",\"method\":\"llm.complete\",\"params\":{"
           "\"prompt\":\"hm\",\"session\":\"%s\"}}\n",
           id_of(), strstr(line, "\"id\":\"s2\"") ? "s2" : "s1");
    fflush(stdout);
}

static void hear_answer(void)
{
    long id = strtol(strstr(line, "\"id\":\"q") + 7, NULL, 10);

    answer(id, strstr(line, "\"error\"") ? "{\"say\":\"refused\"}" : "{\"say\":\"thought\"}");
}

static void call_back(void)
{
    if (strstr(line, "\"name\":\"hang\""))
        return;
    if (strstr(line, "\"name\":\"wrong\""))
        answer(id_of(), "{\"text\":3}");
    else if (strstr(line, "\"name\":\"asks\""))
        ask("recipe.run", "{\"name\":\"x\"}");
    else
        answer(id_of(), strstr(line, "{\"focus\":\"tests\"}") ? "{\"text\":\"all about tests\"}"
                                                              : "{\"text\":\"\"}");
}

static void leave_descendant(bool session)
{
    char *argv[] = { strdup("fake_resident"), strdup("just-hang"), NULL };
    posix_spawnattr_t attr;
    pid_t pid;

    posix_spawnattr_init(&attr);
    if (session)
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
    if (posix_spawn(&pid, "/proc/self/exe", NULL, &attr, argv, environ) != 0)
        exit(9);
}

static void misbehave(void)
{
    if (is("dies"))
        exit(7);
    if (is("dies-second") && events == 2)
        raise(SIGSEGV);
    if (is("hangs") || (is("hangs-sometimes") && strstr(line, "\"stall\":true")))
        return;
    if (is("closes-stdout")) {
        close(STDOUT_FILENO);
        hang();
    }
    if (is("garbage"))
        printf("debug: here I am\n\n[1,2]\n{\"id\":{}}\n{\"half");
    if (is("garbage"))
        printf("\n");
    if (is("wrong-id"))
        answer(999999, "{\"say\":\"wrong\"}");
    if (is("long-line") || is("many-lines"))
        write_much(is("many-lines"));
    if (is("long-answer")) {
        printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":\"", id_of());
        write_much(false);
        return;
    }
    if (is("floods-log"))
        for (int i = 0; i < 5000; i++)
            printf("{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"message\":\"m%d\"}}\n",
                   i);
    if (is("stderr"))
        fprintf(stderr, "careful %d\n", events);
    if (is("asks")) {
        ask_as_told();
        return;
    }
    if (is("thinks") && strstr(line, "\"think\":true")) {
        ask_meanwhile();
        return;
    }
    if (is("error")) {
        printf(
            "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":1,\"message\":\"no such table\"}}\n",
            id_of());
        fflush(stdout);
        return;
    }
    answer(id_of(), "{\"say\":\"hello\"}");
    if (is("twice"))
        answer(id_of(), "{\"say\":\"again\"}");
    if (is("leaves"))
        exit(0);
}

static void initialize(void)
{
    if (is("dies-first")) {
        fprintf(stderr, "Traceback\nNameError: x\n");
        exit(1);
    }
    if (is("hangs-first"))
        hang();
    if (is("refuses")) {
        printf(
            "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":1,\"message\":\"not today\"}}\n",
            id_of());
        fflush(stdout);
        return;
    }
    if (is("forks"))
        leave_descendant(false);
    if (is("daemon"))
        leave_descendant(true);
    if (is("offers")) {
        answer(id_of(), "{\"name\":\"x\",\"callbacks\":[\"sum\",\"hang\",\"wrong\",\"asks\",7]}");
        return;
    }
    answer(
        id_of(),
        is("subscribes")
            ? "{\"name\":\"x\",\"subscriptions\":["
              "{\"point\":\"PreToolUse\",\"tool\":\"/^ba/\",\"layer\":\"guard\",\"priority\":7},"
              "{\"point\":\"turn.after\",\"timeout\":\"2s\"},{\"point\":\"Stop\",\"mode\":\"observe\"},"
              "{\"point\":\"turn.after\"},{\"point\":\"no.such\"}]}"
            : "{\"name\":\"x\"}");
}

/* One line for each start, so that tests can count them. */
static void note_start(void)
{
    const char *file = getenv("FAKE_STARTS");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

    if (fd >= 0 && write(fd, "start\n", 6) == 6)
        close(fd);
}

int main(int argc, char **argv)
{
    const struct rlimit no_core = { 0 };

    setrlimit(RLIMIT_CORE, &no_core);
    alarm(30);
    behaviour = argc > 1 ? argv[1] : "";
    if (is("just-hang"))
        hang();
    note_start();
    if (is("stubborn"))
        signal(SIGTERM, SIG_IGN);
    while (fgets(line, sizeof(line), stdin)) {
        if (asks("initialize"))
            initialize();
        else if (asks("event"))
            events++, misbehave();
        else if (asks("callback"))
            call_back();
        else if (is("thinks") && strstr(line, "\"id\":\"q"))
            hear_answer();
        else if (asks("shutdown") && is("stubborn"))
            hang();
        else if (asks("shutdown"))
            answer(id_of(), "null");
        else if (asks("exit"))
            return 0;
    }
    return 0;
}
