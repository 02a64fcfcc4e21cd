/*
 * allowed.h - which shell commands a list of patterns allows.
 *
 *     static const char *const patterns[] = { "git *", "make", NULL };
 *     allowed_command(patterns, STR("git log | make"));            true
 *     allowed_command(patterns, STR("git log; rm -rf ."));         false
 *     allowed_command(patterns, STR("git log $(rm -rf .)"));       false
 *
 * A pattern is a glob over the whole of a simple command, and `*` stands for any characters. Of
 * several commands behind each other (&&, ||, ;, |) every one must match. What makes it unknowable
 * what runs is refused, however wide the patterns are: substitutions, newlines, comments,
 * subshells, background jobs, and redirections but "2>&1" and those to /dev/null. A command that is
 * word for word one of the patterns is allowed whatever it holds.
 */
#pragma once

#include "base/arena.h"

/* `patterns` is ended by NULL. */
bool allowed_command(const char *const *patterns, struct str command);

/* For a model whose command was refused: what it may run. */
char *allowed_words(struct arena *a, const char *const *patterns);
