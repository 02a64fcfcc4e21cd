/*
 * match.h - which tools or agents a hook is for: an exact name, a list of names, or a /regex/.
 * Immutable once parsed.
 */
#pragma once

#include "hook/setting.h"

struct regex;

struct match {
    const char *const *names;      /* ended by NULL; NULL: none */
    struct regex *const *patterns; /* ended by NULL; NULL: none */
    const char *text;              /* as the user wrote it */
};

/* NULL with a problem when the setting is no matcher. Patterns are freed by match_release(). */
struct match *match_parse(struct arena *a, const struct setting *s, struct problems *problems);
void match_release(struct match *m);

/* A NULL matcher takes everything; an unset text is taken only by that. */
bool match_test(const struct match *m, struct str text);

/* The same for a tool, under its own name or any that another system has for it. */
bool match_test_tool(const struct match *m, struct str tool);

/* As the user wrote it, for `hooke show` and `plan`. */
char *match_text(struct arena *a, const struct match *m);
