/*
 * ask.h - put one question to a daemon, as a host would.
 *
 *     r = ask_daemon(&a, path, "status", &result, e);
 */
#pragma once

#include "json/json.h"

#define ASK_WAIT_MS 5000

/* -ECONNREFUSED: nobody listens there. */
MUST_CHECK int ask_daemon(struct arena *a, const char *path, const char *method,
                          const struct json **result, struct err *e);
