#include "base/clock.h"

#include <stdbool.h>
#include <time.h>

uint64_t clock_mono_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns)
{
    struct timespec until = { (time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000) };

    pthread_cond_timedwait(cond, lock, &until);
}

int64_t clock_wall_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void put_digits(char *at, int width, unsigned value)
{
    for (int i = width - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* Written out because strftime and gmtime_r cost more than a whole chain of built-in hooks. */
void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_SIZE])
{
    static const char shape[CLOCK_TEXT_SIZE] = "0000-00-00T00:00:00.000Z";
    int64_t days = wall_ms / 86400000 - (wall_ms % 86400000 < 0 ? 1 : 0); /* rounded down */
    unsigned ms = (unsigned)(wall_ms - days * 86400000);
    /* Civil date from days since 1970, by counting years from 1 March of the year 0. */
    int64_t shifted = days + 719468;
    int64_t era = shifted / 146097;
    unsigned day_of_era = (unsigned)(shifted - era * 146097);
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month_from_march = (5 * day_of_year + 2) / 153;
    bool after_december = month_from_march >= 10;
    unsigned month = after_december ? month_from_march - 9 : month_from_march + 3;

    for (unsigned i = 0; i < CLOCK_TEXT_SIZE; i++)
        text[i] = shape[i];
    put_digits(text, 4, (unsigned)(era * 400) + year_of_era + (after_december ? 1 : 0));
    put_digits(text + 5, 2, month);
    put_digits(text + 8, 2, day_of_year - (153 * month_from_march + 2) / 5 + 1);
    put_digits(text + 11, 2, ms / 3600000);
    put_digits(text + 14, 2, ms / 60000 % 60);
    put_digits(text + 17, 2, ms / 1000 % 60);
    put_digits(text + 20, 3, ms % 1000);
}
