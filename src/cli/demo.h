/*
 * demo.h - the world of `hooke demo`: a home and a workspace with hooks of every kind, and what the
 * model says in it.
 */
#pragma once

#include "base/err.h"

/* What the user types. */
extern const char demo_prompt[];

/* Write all of it below `dir`: home/ and workspace/. */
MUST_CHECK int demo_write(const char *dir, struct err *e);

/* What there is to learn from a hook that acted; NULL: nothing to add. */
const char *demo_lesson(const char *hook);
