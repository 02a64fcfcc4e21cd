/*
 * plugin_file.h - the one file that makes hooke a plugin of OpenCode.
 *
 *     text = plugin_file_text(a, "hooke");
 *     if (plugin_file_state(text) == PLUGIN_OURS) …
 *
 * Its first line names the version and the hash of all that follows, so that a file nobody has
 * touched is known without a record, whichever version wrote it.
 */
#pragma once

#include "base/arena.h"

/* The modules of adapters/opencode behind each other; cmake/embed_plugin.cmake makes it. */
extern const struct str plugin_module;

enum plugin_state {
    PLUGIN_OTHER,   /* somebody else's */
    PLUGIN_OURS,    /* as some hooke wrote it */
    PLUGIN_CHANGED, /* written by hooke, and changed since */
};

enum plugin_state plugin_file_state(struct str text);

/* The whole file; `program` is what it starts where no daemon listens. */
struct str plugin_file_text(struct arena *a, const char *program);
