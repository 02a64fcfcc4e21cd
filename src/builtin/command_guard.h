/*
 * command_guard.h - between the files of command-guard: a shell text becomes runs, and a run is
 * held against rules.
 *
 *     struct guard_runs runs = { .arena = a, .place = { cwd, workspace, home } };
 *
 *     guard_runs_read(&runs, text);
 *     for (const struct guard_run *r = runs.first; r; r = r->next)
 *         if (guard_rule_fits(&runs, rule, r)) …
 *
 * A run is one program with its words, once what merely runs it (sudo, env, xargs, sh -c, …) has
 * been taken off. All memory is the arena's.
 */
#pragma once

#include "hook/shell_commands.h"

/* Where a command runs. */
struct guard_place {
    const char *cwd; /* NULL: nobody can tell */
    const char *workspace, *home;
};

struct guard_run {
    struct guard_run *next;
    const char *program;           /* without its folder; "?": only the shell knows */
    const struct shell_word *args; /* without the program */
    size_t count;
    const char *cwd;  /* NULL: nobody can tell */
    bool more;        /* further operands come from its input */
    struct str input; /* that is known; unset: none is */
    struct str raw;   /* as it was written */
};

struct guard_runs {
    struct arena *arena;
    struct guard_place place;
    struct guard_run *first, **end;
    size_t count;
    unsigned depth;
    const char *unreadable; /* why not all of it could be read; NULL: it was */
    const char *known_name; /* the last program that was looked up: scripts repeat themselves */
    const struct guard_special *known;
};

void guard_runs_read(struct guard_runs *runs, struct str text);

/* Rules ---------------------------------------------------------------------------------------- */

enum guard_severity { GUARD_RISKY, GUARD_NEVER };

struct guard_rule {
    const char *name, *programs, *pattern;
    enum guard_severity severity;
    const char *reason;
};

extern const struct guard_rule guard_rules[]; /* ended by a NULL name */

/* Whether the rule is about the program at all, and whether it is about this run of it. */
bool guard_rule_knows(const struct guard_rule *rule, const char *program);
bool guard_rule_fits(const struct guard_runs *runs, const struct guard_rule *rule,
                     const struct guard_run *r);

/* A rule as people write one: "PROGRAM PATTERN -> REASON". The reason may be missing. */
struct guard_rule guard_rule_parse(struct arena *a, const char *text);

/* Options of a program whose value is the next word; "": none is known. */
const char *guard_value_options(const char *program);

/* Whether `word` is one of the words of `list`, which are separated by blanks. */
bool guard_in_list(const char *list, const char *word);

/* Whether the word at `i` is an option; with its value it is `*words` long. */
bool guard_is_option(const struct shell_word *args, size_t count, size_t i, const char *values,
                     size_t *words);

/* Whether the operand is of the class of a pattern: "vital", "device", … */
bool guard_is_of_class(const struct guard_runs *runs, const struct guard_run *r, size_t arg,
                       const char *class);

/* The same for a path that is part of a word. */
bool guard_path_is(const struct guard_runs *runs, const struct guard_run *r,
                   const struct shell_word *word, const char *path, const char *class);
