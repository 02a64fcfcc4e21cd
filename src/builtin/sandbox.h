/*
 * sandbox.h - between the files of sandbox: what a sandbox is to be like, and the words that make
 * one.
 *
 *     struct sandbox box = { .arena = a, .program = "bwrap", .path = "/usr/bin/bwrap", … };
 *
 *     r = sandbox_words(&box, &words, e);            bwrap … --, to be put before a command
 *
 * All memory is the arena's.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct sandbox {
    struct arena *arena;
    const char *program; /* bwrap, docker, podman */
    const char *path;    /* of that program */
    const char *cwd, *workspace, *home;
    const char *image; /* NULL: as the files of the project say */
    bool network;
    const char *const *writable, *const *hidden, *const *readonly; /* ended by NULL */
};

/* The words that stand before a command, ended by NULL. */
MUST_CHECK int sandbox_words(const struct sandbox *box, const char *const **words, struct err *e);

/* The words that tell whether it works: they succeed if it does. */
MUST_CHECK int sandbox_probe_words(const struct sandbox *box, const char *const **words,
                                   struct err *e);

/* A program in PATH by its absolute name, never one in the workspace; NULL: there is none. */
const char *sandbox_find_program(struct arena *a, const char *name, const char *workspace);

/* The image of a container: what is configured, else what the files of the project say. */
MUST_CHECK int sandbox_image(const struct sandbox *box, const char **image, struct err *e);

/* A growing list of words, ended by NULL. */
struct sandbox_list {
    struct arena *arena;
    const char **words;
    size_t count, room;
};

void sandbox_add(struct sandbox_list *l, const char *word);
#define sandbox_add_all(l, ...) sandbox_add_words((l), (const char *const[]){ __VA_ARGS__, NULL })
void sandbox_add_words(struct sandbox_list *l, const char *const *words);
