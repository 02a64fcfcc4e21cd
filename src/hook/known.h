/*
 * known.h - which AGENTS.md files an agent that runs us as its hook tells its model by itself.
 *
 *     if (known_to_agent(a, "codex", &place)) … it need not be told again …
 *
 * Codex reads those of the folder it was started in and of the folders above. Claude Code, from
 * version 2.1.277 on, reads them like its own CLAUDE.md, at its start and with a file that is read,
 * not with one that is written, and only in a project that has no CLAUDE.md; one that its CLAUDE.md
 * imports or is a link to it has read in any case. What can't be found out is taken for unknown:
 * told twice is better than never.
 */
#pragma once

#include "base/arena.h"

struct known_place {
    const char *cwd;    /* of the session; NULL: not known */
    const char *folder; /* real, with the file */
    bool read;          /* a file of it has just been read, not written */
};

bool known_to_agent(struct arena *a, const char *agent, const struct known_place *p);
