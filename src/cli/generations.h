/*
 * generations.h - the generations of a conversation: what started each, how long it is, and what of
 * the one before it still names.
 */
#pragma once

#include "cli/cli.h"
#include "store/conversation.h"

/* EXIT_DONE, or what to exit with. */
int generations_show(struct cli *cli, struct store *store, const struct conversation *c, bool json);
