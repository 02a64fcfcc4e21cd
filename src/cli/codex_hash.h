/*
 * codex_hash.h - what Codex keeps of a hook that it was told to trust.
 *
 *     if (str_is(trusted, codex_hash(a, &entry))) ...
 *
 * It is the SHA-256 of the entry in a form of its own: names sorted, what is not said filled in, so
 * that layout and order do not count. As of version 0.166.0, where `hooks/list` of its app server
 * shows the same.
 */
#pragma once

#include "cli/registration.h"

/* "PreToolUse" in Codex's words: "pre_tool_use". */
char *codex_event(struct arena *a, const char *event);

/* "sha256:…" of an entry as it is now. */
char *codex_hash(struct arena *a, const struct registration_entry *n);
