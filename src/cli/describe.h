/*
 * describe.h - hooks, points and cadences in words and as JSON, for list, show and plan.
 *
 * Texts are made in the arena.
 */
#pragma once

#include "cli/cli.h"
#include "hook/registry.h"

/* "on", "off", "broken" or "untrusted", and how to colour it. */
const char *describe_state(const struct hook *h);
enum style describe_state_style(const struct hook *h);

/* Why it is off, broken or untrusted; of a built-in also why it is on; NULL: somebody wrote it so.
 */
const char *describe_why(const struct hook *h);

/* The points it subscribes to: "tool.execute.after (success), agent.stop (sub)". */
char *describe_points(struct arena *a, const struct hook *h);

/* Which tools or agents it is for: as the user wrote it, or the names of a built-in's. */
char *describe_match(struct arena *a, const struct match *m);

/* "guard, priority 5" */
char *describe_layer(struct arena *a, const struct hook *h);

/* What a cadence says, without where it comes from: "1 time in 3, for orchestrator every time". */
char *describe_cadence(struct arena *a, const struct cadence *c);

/* The cadence in force for a hook at a point, with where it comes from; NULL: it always fires. */
char *describe_gate(struct arena *a, const struct registry *reg, const struct hook *h,
                    enum point point);

/* Names of the powers in a set: "block, ask"; "none" for none. */
char *describe_powers(struct arena *a, unsigned powers);

const struct json *describe_json(struct arena *a, const struct hook *h);

/* Why a hook does not match, as chain_mismatch() says, with what it is for instead. */
const char *describe_mismatch(struct arena *a, const struct hook *h, const char *why);
