#include "base/ulid.h"

#include "base/clock.h"

#include <sys/random.h>

void ulid_init(struct ulid_source *s)
{
    uint64_t random[2] = { (uintptr_t)s, clock_mono_ns() };

    (void)!getrandom(random, sizeof(random), GRND_NONBLOCK); /* the clock stays on failure */
    s->high = (uint16_t)random[0];
    atomic_init(&s->low, random[1]);
}

void ulid_next(struct ulid_source *s, int64_t wall_ms, char text[ULID_SIZE])
{
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    /* An odd stride visits all 2^64 values before any comes again. */
    uint64_t low = atomic_fetch_add_explicit(&s->low, 0x9e3779b97f4a7c15u, memory_order_relaxed);
    uint64_t ms = (uint64_t)wall_ms;
    unsigned __int128 tail = ((unsigned __int128)s->high << 64) | low;

    for (int i = 9; i >= 0; i--, ms >>= 5)
        text[i] = alphabet[ms & 31];
    for (int i = 25; i >= 10; i--, tail >>= 5)
        text[i] = alphabet[(unsigned)tail & 31];
    text[26] = '\0';
}

char *ulid_new(struct arena *a)
{
    struct ulid_source source = { 0 };
    char text[ULID_SIZE];

    ulid_init(&source);
    ulid_next(&source, clock_wall_ms(), text);
    return arena_strdup(a, text);
}
