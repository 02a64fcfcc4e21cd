/*
 * known.h - which AGENTS.md files an agent that runs us as its hook tells its model by itself.
 *
 *     if (known_to_agent(a, "codex", cwd, folder)) … it need not be told again …
 *
 * Codex reads those of the folder it was started in and of the folders above. Claude Code, from
 * version 2.1.277 on, reads them like its own CLAUDE.md, at its start and with a file that is read,
 * but only in a project that has no CLAUDE.md; one that its CLAUDE.md imports or is a link to it
 * has read in any case. What can't be found out is taken for unknown: told twice is better than
 * never.
 */
#pragma once

#include "base/arena.h"

/* `folder` is real; `cwd` is the session's, NULL: not known. */
bool known_to_agent(struct arena *a, const char *agent, const char *cwd, const char *folder);
