/*
 * script.h - hooks that are a Lua file: functions registered for points (docs/scripts.md).
 *
 * The file is read and run once when its entry is loaded, to learn what it registers; that box
 * (script_box.h) then waits for the first event. Further boxes are made when threads need them.
 */
#pragma once

#include "hook/hook.h"

extern const struct runner script_runner;
