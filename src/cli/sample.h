/*
 * sample.h - a small, realistic event of each point, for trying hooks.
 */
#pragma once

#include "hook/hook.h"

/*
 * An event that the hook matches at this subscription, as far as its matchers can be met: its tool,
 * its agent, main session or subagent, success. Without a session's id.
 */
struct event sample_event(struct arena *a, const struct hook *h, const struct subscription *on);
