/*
 * tools.h - what other systems call the tools and arguments that have a name of ours.
 *
 *     name = tools_name(TOOLS_KODELET, TOOLS_THEIRS, STR("read"));                  "file_read"
 *     args = tools_to_theirs(a, TOOLS_KODELET, STR("read"), {"path":"a"});     {"file_path":"a"}
 *     args = tools_to_ours(a, TOOLS_KODELET, STR("read"), {"file_path":"b"}, args);
 *
 * src/hook/tools.def is the table. Several names of a system may stand for one tool of ours: all
 * are understood, the first is said. A tool or argument without a line keeps its name.
 */
#pragma once

#include "json/json.h"

enum tools_system {
    TOOLS_KODELET,
    TOOLS_ACAI,
    TOOLS_CLAUDE,
    TOOLS_CODEX,
    TOOLS_GEMINI,
    TOOLS_OPENCODE,
    TOOLS_SYSTEMS,
};
enum tools_side { TOOLS_OURS, TOOLS_THEIRS };

/* What the tool is called on that side; `name` itself when the table does not know it. */
struct str tools_name(enum tools_system system, enum tools_side side, struct str name);

/*
 * The names a tool of ours has there, one per call; NULL after the last. Start with `*at` 0. Of
 * TOOLS_SYSTEMS: everywhere, some of them more than once.
 */
const char *tools_other_name(enum tools_system system, struct str tool, size_t *at);

/*
 * The arguments of a tool of ours under their names; where both names are used, ours counts. What
 * is no object stays as it is.
 */
const struct json *tools_to_theirs(struct arena *a, enum tools_system system, struct str tool,
                                   const struct json *args);

/*
 * The way back. An event may use their names already: where `was`, the arguments before, has their
 * name and not ours, it stays.
 */
const struct json *tools_to_ours(struct arena *a, enum tools_system system, struct str tool,
                                 const struct json *args, const struct json *was);
