/*
 * rule.h - hooks that are a verdict written down in configuration: no process, no file.
 */
#pragma once

#include "hook/hook.h"

extern const struct runner rule_runner;
