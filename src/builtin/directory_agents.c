/*
 * directory-agents - after a file was read, the AGENTS.md files of the folders it lies in.
 *
 * Points:  tool.execute.after; session.created puts back what a compaction has lost;
 *          experimental.chat.system.transform tells whether the root's is known
 * Options: tools, max_size
 * Tests:   tests/unit/builtin/test_directory_agents.c
 */
#include "hook/directory.h"

#define NAME "AGENTS.md"

static const struct option options[] = {
    DIRECTORY_OPTIONS,
    OPTION_END,
};

static int session_created(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return directory_put_back(c, NAME, v, e);
}

static int system_transform(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    return directory_note_system(c, NAME, e);
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return directory_inject(c, NAME, v, e);
}

const struct hook_def directory_agents_hook = {
    .name = "directory-agents",
    .summary = "tells what AGENTS.md files say of the folders a file was read from, once",
    .layer = LAYER_PRODUCE,
    .priority = 10, /* what holds for a folder comes before what holds for a kind of file */
    .options = options,
    .options_size = sizeof(struct directory_options),
    .on = { [POINT_SESSION_CREATED] = session_created,
            [POINT_SYSTEM_TRANSFORM] = system_transform,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
