/*
 * handover.h - how hooke-answer hands its work to the daemon. Both sides include this and nothing
 * else of each other.
 *
 * The client sends one message: the head, then as many bytes as it says, all of them texts that end
 * with a NUL: the version of hooke, the folder it is in, its words and its variables. Descriptors 0
 * to 2 go with the first byte. The daemon answers HANDOVER_TAKEN, HANDOVER_GUARDED or
 * HANDOVER_REFUSED, a byte each, before any hook runs, and after the first two one more byte: the
 * exit code. HANDOVER_GUARDED says that safety-critical hooks are in force: should the exit code
 * never come, the event must not happen.
 *
 * So a client that has seen one of those two must not do the work itself, and a daemon that could
 * not write it must not either.
 */
#pragma once

#include <stdint.h>

#define HANDOVER_MAGIC "hooke/1\n" /* a JSON message begins otherwise */
#define HANDOVER_MAX   (16u << 20)
#define HANDOVER_FDS   3

#define HANDOVER_TAKEN   'y'
#define HANDOVER_GUARDED 'Y'
#define HANDOVER_REFUSED 'n'

/* How long a client waits for the first byte, and the daemon for the whole message or a hello. */
#define HANDOVER_WAIT_MS 5000

/* On one machine: in its own byte order. */
struct handover_head {
    char magic[8];
    uint32_t size; /* of what follows */
    uint32_t argc; /* without the name of the program */
    uint32_t envc;
    uint32_t mask; /* as in umask() */
};
