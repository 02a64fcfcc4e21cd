/*
 * redact.h - take secrets out of what is kept or shown: they become REDACTED.
 *
 *     struct redactor r = { .arena = &a };
 *     redact_learn(&r, environ);
 *     clean = redact_json(&r, event);
 *
 * Secrets are values under names that say so (password, api_key, GITHUB_TOKEN, …), credentials by
 * their shape (hook/secrets.h), what stands behind such a name inside a text (API_KEY=…, "token":
 * "…", Authorization: …, https://user:…@host), and values that were learnt from the environment.
 * Nothing else changes, not by a byte, and redacting a second time changes nothing at all.
 */
#pragma once

#include "json/json.h"

#define REDACTED "[removed]"

struct redactor {
    struct arena *arena;
    struct str *values; /* that are secrets wherever they stand */
    size_t value_count;
    size_t removed; /* how many secrets were taken out so far */
};

/* Values of variables whose names say that they are secrets; `env` is like `environ`. */
void redact_learn(struct redactor *r, char *const *env);

/* Whether what is called `name` is a secret: "password", "apiKey", "X-Auth-Token". */
bool redact_is_secret_name(struct str name);

/* The text without secrets, in the arena; unset when there is none in it. */
struct str redact_text(struct redactor *r, struct str text);

/* The value without secrets, in the arena; `j` itself when there is none in it. */
const struct json *redact_json(struct redactor *r, const struct json *j);
