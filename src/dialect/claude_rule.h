/*
 * claude_rule.h - Claude Code's permission rules, as the `if` of a handler has one.
 *
 *     Bash(git push *)    some command in it is like that; also when that can't be told
 *     Edit(*.ts)          a file of that name at any depth of the session's folder; with a slash
 * from that folder on, with / in front from the workspace, ~/ home, // the root
 *     WebFetch(domain:example.com)    Agent(Explore)    mcp__server    mcp__server__*    Write
 *
 * Best effort, as there: what is not understood counts as a match, since the hook may be a guard.
 */
#pragma once

#include "base/err.h"
#include "hook/event.h"

struct claude_rule {
    struct str tool;
    struct str what; /* between the brackets; unset: everything */
};

/* The rule borrows `text`. */
MUST_CHECK int claude_rule_parse(struct str text, struct claude_rule *rule, struct err *e);

/* Whether the tool call of the event is one the rule is about. */
bool claude_rule_test(const struct claude_rule *rule, struct arena *a, const struct event *ev);
