/*
 * directory-readme - after a file was read, the README.md files of the folders it lies in.
 *
 * Points:  tool.execute.after; session.created puts back what a compaction has lost
 * Options: tools, max_size
 * Tests:   tests/unit/builtin/test_directory_readme.c
 */
#include "hook/directory.h"

#define NAME "README.md"

static const struct option options[] = {
    DIRECTORY_OPTIONS,
    OPTION_END,
};

static int session_created(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return directory_put_back(c, NAME, v, e);
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return directory_inject(c, NAME, v, e);
}

const struct hook_def directory_readme_hook = {
    .name = "directory-readme",
    .summary = "tells what README.md files say of the folders a file was read from, once",
    .layer = LAYER_PRODUCE,
    .priority = 9, /* behind directory-agents */
    .off = true,
    .options = options,
    .options_size = sizeof(struct directory_options),
    .on = { [POINT_SESSION_CREATED] = session_created,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
