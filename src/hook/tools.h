/*
 * tools.h - what other systems call the tools and arguments that have a name of ours.
 *
 *     name = tools_name(TOOLS_KODELET, TOOLS_THEIRS, STR("read"));                  "file_read"
 *     args = tools_to_theirs(a, TOOLS_KODELET, STR("read"), {"path":"a"});     {"file_path":"a"}
 *     args = tools_to_ours(a, TOOLS_KODELET, STR("read"), {"file_path":"b"}, args);
 *
 * One table of rows, a column per system. A tool or argument without a row keeps its name.
 */
#pragma once

#include "json/json.h"

enum tools_system { TOOLS_KODELET, TOOLS_GEMINI, TOOLS_ACAI, TOOLS_SYSTEMS };
enum tools_side { TOOLS_OURS, TOOLS_THEIRS };

/* What the tool is called on that side; `name` itself when the table does not know it. */
struct str tools_name(enum tools_system system, enum tools_side side, struct str name);

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
