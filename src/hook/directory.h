/*
 * directory.h - texts that lie in folders and hold for what is in them, such as AGENTS.md: from the
 * workspace's root down to the folder of the file a tool has read, each once per session.
 *
 *     static const struct option options[] = { DIRECTORY_OPTIONS, OPTION_END };
 *     …
 *     return directory_inject(c, "AGENTS.md", v, e);
 */
#pragma once

#include "hook/hook.h"

struct directory_options {
    const char *const *tools; /* after which it looks */
    int64_t max_size;         /* bytes of one file */
};

/* The options of a built-in that uses this; its options struct is the above. */
#define DIRECTORY_OPTIONS                                                                          \
    OPTION_LIST("tools", struct directory_options, tools, "[read]", "tools after which it looks"), \
        OPTION_SIZE("max_size", struct directory_options, max_size, "16k", 256, 1048576,           \
                    "bytes of one file; the rest is left to be read")

/* `tool.execute.after`: what is new goes into one block, the root's first. */
MUST_CHECK int directory_inject(const struct hook_call *c, const char *name, struct verdict *v,
                                struct err *e);

/* `session.created`: what was said and a compaction has lost, in one block. */
MUST_CHECK int directory_put_back(const struct hook_call *c, const char *name, struct verdict *v,
                                  struct err *e);

/*
 * `experimental.chat.system.transform`: whether the system prompt has the root's already. It is
 * then left out for as long as the session lasts.
 */
MUST_CHECK int directory_note_system(const struct hook_call *c, const char *name, struct err *e);
