/*
 * skill.h - skills: texts that tell a model how something is done, each in a folder of its own.
 *
 *     .hooke/skills/NAME/SKILL.md          the workspace's
 *     ~/.config/hooke/skills/NAME/SKILL.md the user's
 *
 * A skill may begin with front matter, of which `description` is read. Where both have a name, the
 * workspace's counts: a skill is content, it can do nothing.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define SKILL_MAX ((size_t)256 << 10)

struct skill {
    const char *name, *path;
    const char *description; /* "" when it has none */
    struct str text;         /* without front matter */
};

/* All there are, by name, in the arena. */
struct skill *skill_list(struct arena *a, const char *workspace, size_t *count);

/* -ENOENT names those there are. */
MUST_CHECK int skill_find(struct arena *a, const char *workspace, const char *name,
                          struct skill *out, struct err *e);
