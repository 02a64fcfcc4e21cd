/*
 * workspace.h - what a workspace may make hooke run.
 */
#pragma once

#include "hook/hook.h"

/* Fails for an entry of a workspace: what `what` ("programs") of it are made of, no pin covers. */
MUST_CHECK int workspace_refuse(const struct hook_entry *entry, const char *what, struct err *e);
