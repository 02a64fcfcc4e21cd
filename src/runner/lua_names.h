/*
 * lua_names.h - the free names of a Lua expression, found in its text.
 *
 * Lua itself resolves names only while it runs; a configuration should be told before. Fields
 * (`x.name`, `x:name`), keys of table constructors, keywords, texts and comments are no names. The
 * search ends at the word `function`: behind it there are names of its own.
 */
#pragma once

#include "base/str.h"

struct lua_names {
    struct str rest;
    char before; /* the last character that is no white space; 0 at the beginning */
};

bool lua_names_next(struct lua_names *n, struct str *name);
