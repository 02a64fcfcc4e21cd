/*
 * claude_decode.h - what the end of a hook written for Claude Code or Codex means.
 *
 * The machine is the same for both; what differs is data, a struct claude_rules per system:
 *
 *     outcome    exit code and kind of output decide what to do
 *     at         what a block, exit code 2, `continue: false` or plain text does at an event
 *     refusals   answers that fit the schema and fail the run all the same
 */
#pragma once

#include "dialect/claude_answer.h"
#include "dialect/dialect.h"

#define CLAUDE_TEXT_MAX \
    10000 /* characters of a text for the model or the person; the rest is cut */

enum claude_exit { EXIT_IS_0, EXIT_IS_2, EXIT_IS_OTHER, CLAUDE_EXITS };

enum claude_output {
    OUTPUT_EMPTY,
    OUTPUT_ANSWER, /* a JSON object that fits the schema and is not refused */
    OUTPUT_BAD,    /* one that does not; for Codex also what only looks like JSON */
    OUTPUT_TEXT,
    CLAUDE_OUTPUTS,
};

enum claude_action {
    ACTION_NOTHING,
    ACTION_OBEY,  /* do what the JSON says */
    ACTION_TEXT,  /* what plain text does at the event */
    ACTION_FORCE, /* what exit code 2 does at the event, with stderr */
    ACTION_BOTH,  /* obey, and force whatever it says */
    ACTION_BAD,   /* a failed run: a bad answer */
    ACTION_FAIL,  /* a failed run: its exit code and first line of stderr */
};

/* What a text does to the verdict. */
enum claude_effect {
    EFFECT_NONE,   /* nothing can be done with it: a warning */
    EFFECT_IGNORE, /* nothing, as in their system */
    EFFECT_FAIL,
    EFFECT_SAY,
    EFFECT_INJECT,
    EFFECT_BLOCK,
    EFFECT_CONTINUE, /* a follow-up message */
    EFFECT_STOP,
};

struct claude_effects {
    enum claude_effect exit_2, block, stop, text, context;
};

#define CLAUDE_EFFECTS(exit_2, block, stop, text, context)                              \
    {                                                                                   \
        EFFECT_##exit_2, EFFECT_##block, EFFECT_##stop, EFFECT_##text, EFFECT_##context \
    }

/* Refused when all of `all` and none of `none` is said. */
struct claude_refusal {
    uint32_t events;
    uint32_t all, none;
    const char *words;
};

struct claude_rules {
    enum tools_system system;
    enum claude_action outcome[CLAUDE_EXITS][CLAUDE_OUTPUTS];
    struct claude_effects at[CLAUDE_EVENTS];
    uint32_t deaf;                         /* events at which output is not looked at */
    const struct claude_refusal *refusals; /* ended by one without events; NULL: none */
    bool strict; /* what begins like JSON must be an answer, and exit code 2 needs words */
    enum decision allowed;         /* what permissionDecision allow is */
    const char *no_reason_to_stop; /* at PostToolUse */
};

int claude_decode(struct arena *a, const struct claude_rules *rules, const struct dialect_event *ev,
                  const struct proc_result *run, const struct dialect_answer *to, struct err *e);
