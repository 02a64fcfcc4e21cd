/*
 * shorten.h - a long text without its middle: whole lines of its head and its tail.
 *
 *     struct shortened s = shorten(text, 4000);
 *     if (s.cut)
 *         … s.head, then a line that says that `s.lines` are left out, then s.tail …
 */
#pragma once

#include "base/str.h"

struct shortened {
    struct str head, tail; /* pieces of the text; the head has all of it when nothing was cut */
    bool cut;
    size_t bytes, lines; /* that are left out; a line that was begun counts */
};

/*
 * At most `max` bytes are kept, three fifths of them at the head. A line that alone is longer than
 * its end's share is cut between two characters.
 */
struct shortened shorten(struct str text, size_t max);
