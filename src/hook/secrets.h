/*
 * secrets.h - what credentials look like, wherever they stand in a text.
 *
 *     struct secret found;
 *     for (size_t from = 0; secrets_find(text, from, &found); from = found.at + found.len)
 *         …
 */
#pragma once

#include "base/str.h"

struct secret {
    const char *what; /* "a GitHub token" */
    size_t at, len;
};

/* The first credential at or after `from`. A key inside a longer word is none. */
bool secrets_find(struct str text, size_t from, struct secret *found);
