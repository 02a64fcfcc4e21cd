/*
 * greeting.h - what resident programs said of themselves, kept so that who is not needed need not
 * be started to be known.
 *
 * One small file a program under the state folder. It counts as long as the program is the same
 * (program_identity()); that it cannot be written is no failure.
 */
#pragma once

#include "base/arena.h"

enum greeting { GREETING_UNKNOWN, GREETING_OLD, GREETING_KNOWN };

/* `key` says whose it is. An old one is what the program said before it changed. */
enum greeting greeting_recall(struct arena *a, const char *key, const char *identity,
                              struct str *answer);
void greeting_keep(const char *key, const char *identity, struct str answer);
