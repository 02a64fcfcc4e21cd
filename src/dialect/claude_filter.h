/*
 * claude_filter.h - which events a handler of Claude Code or Codex wants: its matcher and, in
 * Claude Code, its `if`.
 *
 *     r = claude_filter_new(a, TOOLS_CLAUDE, &(struct dialect_wants){ .match = "Edit|Write" }, &f,
 * e); if (claude_filter_test(f, a, ev)) … claude_filter_free(f);
 *
 * Matchers:   nothing, "" and "*" take all; a list of names is compared exactly; anything else is a
 *             regular expression that may match anywhere. At events with nothing to match on the
 *             matcher does not count.
 *
 * A bad matcher or rule is an error when the filter is made. The filter lives in the arena; freeing
 * it gives back the compiled expression.
 */
#pragma once

#include "dialect/dialect.h"
#include "hook/tools.h"

MUST_CHECK int claude_filter_new(struct arena *a, enum tools_system system,
                                 const struct dialect_wants *wants, struct dialect_filter **out,
                                 struct err *e);
bool claude_filter_test(const struct dialect_filter *f, struct arena *a,
                        const struct dialect_event *ev);
void claude_filter_free(struct dialect_filter *f);
