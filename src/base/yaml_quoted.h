/*
 * yaml_quoted.h - the text of YAML scalars in quotes. Internal to base/yaml.c.
 *
 * libfyaml 0.7 finds where they start and end, but decodes some of them wrongly: two escaped quotes
 * in a row ('a''''b') and white space before a folded line lose bytes at the end of the text.
 *
 * `start` is the offset of the first byte behind the opening quote. The text is known to be well
 * formed and UTF-8; the result is terminated.
 */
#pragma once

#include "base/arena.h"

struct str yaml_quoted_single(struct arena *a, struct str text, size_t start);
struct str yaml_quoted_double(struct arena *a, struct str text, size_t start);
