/*
 * found.h - finds on their way to the configuration: in order, and each with a name of its own.
 *
 *     struct found found = { .finding = f };
 *     found_add(&found, entry);
 *     found_hand_over(&found);
 *
 * Two finds of one name in the same place: the first has it. A find of a workspace never takes the
 * name of one of the user: both stay, and the workspace's is called NAME/workspace.
 */
#pragma once

#include "hook/config.h"

struct found {
    struct config_finding *finding;
    struct setting *first, *last;
};

/* "kodelet/lint-sh" for "lint.sh"; NULL when no name can be made of it, which is a problem. */
const char *found_name(struct config_finding *f, const struct origin *where, const char *prefix,
                       struct str file);

void found_add(struct found *found, struct setting *entry);
void found_hand_over(struct found *found);
