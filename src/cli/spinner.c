#include "cli/spinner.h"

#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define PATIENCE_NS UINT64_C(1000000000)
#define FRAME_NS    UINT64_C(120000000)

struct spinner {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct term term;
    struct arena arena;
    const char *what; /* NULL: nothing is waited for */
    uint64_t since;
    bool drawn, over;
};

static void draw(struct spinner *s, uint64_t now)
{
    static const char *const frames[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" };
    CLEANUP(arena) struct arena a = { 0 };
    uint64_t waited = now - s->since;
    const char *frame = frames[waited / FRAME_NS % ARRAY_LEN(frames)];
    const char *line = arena_printf(&a, "%s %llu s  %s", frame,
                                    (unsigned long long)(waited / 1000000000), s->what);

    fprintf(stderr, "\r\033[K%s%s%s", s->term.colour ? "\033[2m" : "",
            term_cut(&a, line, s->term.width - 1), s->term.colour ? "\033[0m" : "");
    fflush(stderr);
    s->drawn = true;
}

static void wait_until(struct spinner *s, uint64_t ns)
{
    struct timespec at = { .tv_sec = (time_t)(ns / 1000000000),
                           .tv_nsec = (long)(ns % 1000000000) };

    pthread_cond_timedwait(&s->changed, &s->lock, &at);
}

static void *spin(void *context)
{
    struct spinner *s = context;

    pthread_mutex_lock(&s->lock);
    while (!s->over) {
        uint64_t now = clock_mono_ns();

        if (!s->what) {
            pthread_cond_wait(&s->changed, &s->lock);
        } else if (now - s->since < PATIENCE_NS) {
            wait_until(s, s->since + PATIENCE_NS);
        } else {
            draw(s, now);
            wait_until(s, now + FRAME_NS);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void init(struct spinner *s, const struct term *t)
{
    pthread_condattr_t monotonic;

    s->term = *t;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void release(struct spinner *s)
{
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    arena_release(&s->arena);
    free(s);
}

struct spinner *spinner_start(const struct term *t)
{
    struct spinner *s;

    if (!t->tty || t->dumb || t->width < 20)
        return NULL;
    s = xcalloc(1, sizeof(*s));
    init(s, t);
    if (pthread_create(&s->thread, NULL, spin, s) == 0)
        return s;
    release(s);
    return NULL;
}

void spinner_wait(struct spinner *s, const char *what)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    arena_release(&s->arena);
    s->what = term_clean(&s->arena, what);
    s->since = clock_mono_ns();
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void spinner_quiet(struct spinner *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    if (s->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    s->drawn = false;
    s->what = NULL;
    pthread_mutex_unlock(&s->lock);
}

void spinner_stop(struct spinner *s)
{
    if (!s)
        return;
    spinner_quiet(s);
    pthread_mutex_lock(&s->lock);
    s->over = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    release(s);
}
