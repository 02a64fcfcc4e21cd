/*
 * toml.h - a TOML document as JSON, to look at another agent's configuration; nothing is written.
 *
 *     r = toml_parse(a, text, &j, e);
 *     level = json_get(json_get(json_get(j, STR("projects")), STR("/repo")), STR("trust_level"));
 *
 * Texts and truth values become themselves, arrays and tables too; numbers and dates are kept as
 * texts. Of tables that come several times (`[[name]]`) all members are put into one: whoever looks
 * here asks for none of those. `text` is borrowed.
 */
#pragma once

#include "json/json.h"

#define TOML_MAX_DEPTH 32

/* On failure `e` says at which line. */
MUST_CHECK int toml_parse(struct arena *a, struct str text, const struct json **out, struct err *e);
