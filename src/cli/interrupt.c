#include "cli/interrupt.h"

#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PATIENCE 3

/* A handler has nothing but globals. */
static int wake = -1;
static volatile sig_atomic_t asked, ends;

static void on_signal(int number)
{
    const uint64_t one = 1;

    asked = asked + 1;
    if (number != SIGINT)
        ends = 1;
    if (asked >= PATIENCE)
        _exit(128 + number);
    if (write(wake, &one, sizeof(one)) < 0)
        _exit(128 + number);
}

int interrupt_open(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

    if (wake < 0)
        wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0)
        return -1;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaction(numbers[i], &action, NULL);
    return wake;
}

void interrupt_clear(void)
{
    uint64_t count;

    asked = 0;
    if (!ends && read(wake, &count, sizeof(count)) < 0)
        return; /* there was none */
}

bool interrupt_ends(void)
{
    return ends != 0;
}
