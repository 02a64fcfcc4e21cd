/*
 * resident.h - hooks that are programs which stay: one process for all events, spoken to in
 * JSON-RPC 2.0, a message a line (docs/resident.md).
 *
 * `resident` is written as `exec` is. The process is started by the first event that needs it,
 * works in the workspace, and ends with the registry. An entry without `on` takes the subscriptions
 * from the program's answer to `initialize`; for that it is started while configuration is loaded,
 * unless its answer is known from an earlier time and its files have not changed.
 */
#pragma once

#include "hook/hook.h"

extern const struct runner resident_runner;
