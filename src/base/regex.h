/*
 * regex.h - regular expressions (PCRE2, JIT-compiled) that cannot hang: every match has a limit,
 * some seconds at worst, and passing it counts as an error, not as "no match".
 *
 * Patterns and text are UTF-8. Bytes that are not match nothing, and what stands around them is
 * searched as ever. A compiled expression is immutable and may be used by several threads.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct regex;

MUST_CHECK int regex_new(struct str pattern, struct regex **out, struct err *e);

/* 1: matches somewhere in `text`; 0: does not; negative: gave up. */
MUST_CHECK int regex_match(const struct regex *re, struct str text, struct err *e);

void regex_free(struct regex *re);
