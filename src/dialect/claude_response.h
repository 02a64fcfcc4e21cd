/*
 * claude_response.h - the text of a tool's structured answer, as Claude Code and Codex give it to
 * hooks, and the answer with another text in its place.
 *
 *     text = claude_response_text(a, response);
 *     … a hook changes it …
 *     changed = claude_response_with(a, response, text);
 *
 * Everything is in the arena or borrowed.
 */
#pragma once

#include "json/json.h"

const struct json *claude_response_text(struct arena *a, const struct json *response);

/* NULL: it has no place for a text. */
const struct json *claude_response_with(struct arena *a, const struct json *response,
                                        const struct json *text);
