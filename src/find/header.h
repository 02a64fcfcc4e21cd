/*
 * header.h - the comment line by which a file in hooke's own folder says what it is for:
 *
 *     # hooke: { on: tool.execute.before, tool: bash, layer: guard }
 *
 * A comment begins with '#', "//" or "--"; what follows "hooke:" is a YAML map in one line, of the
 * keys of a hook but those that say its name or what runs.
 */
#pragma once

#include "hook/setting.h"

bool header_is_there(struct str head);

/*
 * The first such line in `head`, a map with the places it has in `file`; NULL without one. What is
 * wrong with it is a problem, and a negative return. Keys that it may not have are problems and not
 * in `out`.
 */
MUST_CHECK int header_read(struct arena *a, const struct origin *file, struct str head,
                           struct setting **out, struct problems *problems);
