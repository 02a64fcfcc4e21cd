#include "proc/fault.h"

#include "base/mem.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

/* As much of a first line as the kernel looks at. */
#define FIRST_LINE 256

/* The word after "#!", NULL if the file does not begin so. A carriage return belongs to it. */
static char *read_interpreter(const char *file)
{
    CLEANUP(fd) int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char line[FIRST_LINE + 1] = "";
    char *word = line + 2;

    if (fd < 0 || read(fd, line, FIRST_LINE) < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    word += strspn(word, " \t");
    word[strcspn(word, " \t\n")] = '\0';
    return word[0] ? xstrdup(word) : NULL;
}

/* Whether this file is what exec stumbled over. */
static bool explains(const char *file, struct proc_result *r)
{
    struct stat st;

    if (stat(file, &st) < 0)
        return false;
    if (r->error == EACCES && S_ISDIR(st.st_mode)) {
        r->error = EISDIR;
        return true;
    }
    if (!S_ISREG(st.st_mode) || access(file, X_OK) < 0)
        return r->error == EACCES;
    r->step = PROC_STEP_INTERPRETER;
    r->interpreter = read_interpreter(file);
    return true;
}

void fault_refine(const struct spawn *s, struct proc_result *r)
{
    CLEANUP(arena) struct arena a = { 0 };
    bool found = false;

    if (r->step != PROC_STEP_EXEC || (r->error != ENOENT && r->error != EACCES))
        return;
    for (char *const *file = s->candidates; *file && !found; file++)
        if (**file)
            found = explains(path_join(&a, s->cwd ? s->cwd : "", *file), r);
}

static char *explain_exec(struct arena *a, const char *program, int error)
{
    char text[128];

    switch (error) {
    case ENOENT:
        return arena_printf(
            a, strchr(program, '/') ? "'%s' does not exist" : "'%s' is not in any folder of PATH",
            program);
    case EISDIR:
        return arena_printf(a, "'%s' is a folder, name a program in it", program);
    case EACCES:
        return arena_printf(a, "'%s' is not executable, run chmod +x on it", program);
    case ENOEXEC:
        return arena_printf(a, "'%s' is not a program, give it a first line such as #!/bin/sh",
                            program);
    case E2BIG:
        return arena_printf(a, "the arguments and environment of '%s' are too long, use its stdin",
                            program);
    default:
        return arena_printf(a, "'%s': %s", program, strerror_r(error, text, sizeof(text)));
    }
}

static char *explain_interpreter(struct arena *a, const char *program, const struct proc_result *r)
{
    size_t len = r->interpreter ? strlen(r->interpreter) : 0;

    if (len == 0)
        return arena_printf(a, "the loader that '%s' needs is not installed", program);
    if (r->interpreter[len - 1] == '\r')
        return arena_printf(a, "the first line of '%s' ends in a carriage return, remove it",
                            program);
    return arena_printf(a, "'%s' needs '%s', which %s", program, r->interpreter,
                        r->error == EACCES ? "is not executable" : "does not exist");
}

static char *explain_start(struct arena *a, const struct proc *p, const struct proc_result *r)
{
    const char *program = p->argv[0] ? p->argv[0] : "";
    char text[128];
    const char *said = strerror_r(r->error, text, sizeof(text));

    switch (r->step) {
    case PROC_STEP_PIPES:
        return arena_printf(a, "no pipes for '%s': %s", program, said);
    case PROC_STEP_SPAWN:
        return arena_printf(a, "no process for '%s': %s", program, said);
    case PROC_STEP_CHDIR:
        return arena_printf(a, "its folder '%s': %s", p->cwd, said);
    case PROC_STEP_EXEC:
        return explain_exec(a, program, r->error);
    case PROC_STEP_INTERPRETER:
        return explain_interpreter(a, program, r);
    default:
        return arena_printf(a, "'%s' was never run", program);
    }
}

/* To a tenth of a second: the deadline was computed a moment before the call. */
static char *explain_timeout(struct arena *a, uint64_t ns)
{
    unsigned long long tenths = (ns + 50000000) / 100000000;

    if (tenths < 10)
        return arena_printf(a, "timed out after %llu ms",
                            (unsigned long long)(ns + 999999) / 1000000);
    if (tenths % 10 == 0)
        return arena_printf(a, "timed out after %llu s", tenths / 10);
    return arena_printf(a, "timed out after %llu.%llu s", tenths / 10, tenths % 10);
}

char *proc_explain(struct arena *a, const struct proc *p, const struct proc_result *r)
{
    const char *name;

    switch (r->end) {
    case PROC_EXITED:
        return arena_printf(a, "exited with %d", r->exit_code);
    case PROC_SIGNALED:
        name = sigabbrev_np(r->signal);
        return name ? arena_printf(a, "was killed by SIG%s", name)
                    : arena_printf(a, "was killed by signal %d", r->signal);
    case PROC_TIMED_OUT:
        return explain_timeout(a, r->allowed_ns);
    case PROC_ABORTED:
        return arena_strdup(a, "was aborted");
    case PROC_LOST:
        return arena_strdup(a, "ended, but its exit status was taken by other code");
    default:
        return arena_printf(a, "could not be started: %s", explain_start(a, p, r));
    }
}
