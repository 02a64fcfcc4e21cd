/*
 * What running a command hook costs: start a static child, feed it 4 KB, read its answer, reap it.
 *
 *     bench_proc     prints "row<TAB>nanoseconds" lines
 *
 * The floor is the least that can do the same work: three pipes, clone, one write, reading to the
 * end, one wait; no session, no signals reset, no deadline, no limits. Both are measured from a
 * small process and from one with 500 MB in use, in turns.
 */
#include "base/clock.h"
#include "proc/proc.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define ROUNDS  15
#define RUNS    40
#define WARM_UP 5
#define INPUT   4096
#define BALLAST ((size_t)500 << 20)

static const char child_path[] = BENCH_CHILD;

struct job {
    const char *argv[2];
    char input[INPUT];
};

/* The child of the floor shares our memory until it executes. */
struct start {
    const struct job *job;
    int stdio[3];
};

static int become_child(void *arg)
{
    const struct start *s = arg;
    char *argv[2];

    for (int fd = 0; fd < 3; fd++)
        dup2(s->stdio[fd], fd);
    memcpy(argv, s->job->argv, sizeof(argv));
    execve(child_path, argv, environ);
    return 127;
}

static size_t read_all(int fd, char *text, size_t size)
{
    size_t len = 0;
    ssize_t n;

    do {
        n = read(fd, text + len, size - len);
        len += n > 0 ? (size_t)n : 0;
    } while (n > 0 && len < size);
    close(fd);
    return len;
}

static bool run_floor(const struct job *job)
{
    char stack[16384] __attribute__((aligned(16)));
    int in[2], out[2], err[2], pidfd;
    char text[64], said[64];
    siginfo_t info = { 0 };
    struct start s;
    size_t len;

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
        return false;
    s = (struct start){ job, { in[0], out[1], err[1] } };
    if (clone(become_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
              &s, &pidfd) < 0)
        return false;
    close(in[0]);
    close(out[1]);
    close(err[1]);
    if (write(in[1], job->input, INPUT) != INPUT)
        return false;
    close(in[1]);
    len = read_all(out[0], text, sizeof(text));
    read_all(err[0], said, sizeof(said));
    waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED);
    close(pidfd);
    return len == 2 && info.si_status == 0;
}

static bool run_proc(const struct job *job)
{
    struct proc p = { .argv = job->argv, .input = { job->input, INPUT } };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    proc_run(&p, &r);
    return r.end == PROC_EXITED && r.exit_code == 0 && r.out.bytes == 2;
}

struct row {
    const char *name;
    bool (*run)(const struct job *job);
    bool big;
    uint64_t samples[ROUNDS * RUNS];
    size_t count;
};

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return (a > b) - (a < b);
}

static bool sample(struct row *row, const struct job *job, bool keep)
{
    uint64_t began = clock_mono_ns();

    if (!row->run(job))
        return false;
    if (keep)
        row->samples[row->count++] = clock_mono_ns() - began;
    return true;
}

static bool measure(struct row *rows, size_t count, const struct job *job, bool big)
{
    char *ballast = NULL;
    bool ok = true;

    if (big) {
        ballast = mmap(NULL, BALLAST, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (ballast == MAP_FAILED)
            return false;
    }
    for (size_t i = 0; i < WARM_UP + RUNS && ok; i++)
        for (size_t r = 0; r < count && ok; r++)
            if (rows[r].big == big)
                ok = sample(&rows[r], job, i >= WARM_UP);
    if (big)
        munmap(ballast, BALLAST);
    return ok;
}

int main(void)
{
    static struct row rows[] = { { .name = "proc-spawn", .run = run_proc },
                                 { .name = "proc-floor", .run = run_floor },
                                 { .name = "proc-spawn-500m", .run = run_proc, .big = true },
                                 { .name = "proc-floor-500m", .run = run_floor, .big = true } };
    static struct job job = { .argv = { child_path } };

    memset(job.input, ' ', INPUT);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (!measure(rows, ARRAY_LEN(rows), &job, i % 2)) {
            fprintf(stderr, "bench_proc: '%s' gave no answer\n", child_path);
            return 1;
        }
    }
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        qsort(rows[r].samples, rows[r].count, sizeof(uint64_t), ascending);
        printf("%s\t%llu\n", rows[r].name, (unsigned long long)rows[r].samples[rows[r].count / 2]);
    }
    return 0;
}
