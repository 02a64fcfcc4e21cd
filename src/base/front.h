/*
 * front.h - front matter: what stands between two lines "---" at the very beginning of a text.
 *
 *     struct str front = front_cut(&text);    "description: x\n", and `text` is what follows
 */
#pragma once

#include "base/str.h"

/* Cut it off the text. Unset: there is none, and the text stays whole. */
struct str front_cut(struct str *text);
