/*
 * glob.h - file name patterns as .gitignore and editors know them.
 *
 *   *      any characters but a slash        ?      one character but a slash
 *   **     any characters, slashes too; as a whole component also nothing at all
 *   [a-z]  one of a set, [!a-z] none of it   {a,b}  either of the two
 *   \x     the character x itself
 *
 * Written by hand: fnmatch(3) knows neither ** nor {a,b}, and takes time that grows exponentially
 * with the number of stars. This one gives up at a fixed number of steps.
 */
#pragma once

#include "base/str.h"

/* 1: the whole of `path` matches; 0: it does not, or the pattern is none; -EOVERFLOW: gave up. */
int glob_match(struct str pattern, struct str path);
