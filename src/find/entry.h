/*
 * entry.h - an entry of `hooks` made by a program instead of a parser.
 *
 *     struct setting *entry = entry_new(a, &origin, "kodelet/lint");
 *     entry_text(a, entry, "on", "after_turn");
 *
 * Everything in it has the origin of the map or list it is put in, so that problems name the file.
 * Texts are borrowed: they live as long as the arena.
 */
#pragma once

#include "hook/setting.h"

/* A map with a name. */
struct setting *entry_new(struct arena *a, const struct origin *file, const char *name);

/* Add a member to a map or, with a NULL key, an item to a list. */
struct setting *entry_text(struct arena *a, struct setting *to, const char *key, const char *text);
struct setting *entry_list(struct arena *a, struct setting *to, const char *key);

/* A copy of a value, which keeps its origin. */
struct setting *entry_copy(struct arena *a, struct setting *to, const char *key,
                           const struct setting *value);
