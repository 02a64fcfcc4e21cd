/*
 * error_class.h - what an error is about, for errors of agents that give them no class.
 *
 *     struct str class = error_class(a, error);    "rate_limit"; unset: cannot tell
 *
 * A class that is given counts, whatever the words say. Else the status decides, and only then the
 * words, which anybody may reword: they must stand where an error has them, so that "generate
 * limitless", "line 429:" and "operator overloaded" mean nothing.
 */
#pragma once

#include "json/json.h"

/*
 * `error` is an object {class?, message?, status?, code?, data?{message?, statusCode?,
 * responseBody?}} or a text. Classes are those of the agent's own errors: rate_limit, quota,
 * overloaded, auth, network; and unavailable, for a model that is not there.
 */
struct str error_class(struct arena *a, const struct json *error);
