/*
 * gemini.h - what reading one answer of a Gemini hook and adding several up have in common. Private
 * to the dialect.
 *
 * One answer is a verdict in which `reason` is also set beside no decision: then the hook said that
 * it allows, or gave a reason for nothing. Merging needs to know; the engine does not look at it.
 */
#pragma once

#include "dialect/dialect.h"

#define GEMINI_NO_REASON "No reason provided"

/* The model reads what a refusal says in place of a tool's result. */
#define GEMINI_REFUSED "Tool result blocked: "

#define GEMINI_CONTEXT_BEGIN "<hook_context>"
#define GEMINI_CONTEXT_END   "</hook_context>"

/* Whether hooks of the event can refuse anything. */
bool gemini_may_deny(enum point point);

/* What an object says; any other value says nothing. */
void gemini_answer_take(struct arena *a, const struct event *ev, const struct json *j,
                        const struct dialect_answer *to);

/* Refuse what the event is about, in the way the event knows. */
void gemini_deny(struct arena *a, const struct event *ev, struct verdict *v, const char *reason);

/* Inject a text that is escaped but not wrapped. */
void gemini_context(struct arena *a, struct verdict *v, struct str escaped);

/* The functions of the dialect's groups (dialect/dialect.h). */
int gemini_filter_new(struct arena *a, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e);
bool gemini_filter_test(const struct dialect_filter *f, struct arena *a,
                        const struct dialect_event *ev);
void gemini_filter_free(struct dialect_filter *f);
void gemini_merge(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                  size_t count, const struct dialect_answer *out);
