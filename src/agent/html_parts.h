/*
 * html_parts.h - tags and entities of HTML, as html.c takes them from a page. Private to html*.c.
 */
#pragma once

#include "base/str.h"

struct html_tag {
    struct str name, attributes;
    bool closing;
};

/* The tag that `html` begins with, to its '>', one inside quotes being none: how long it is. */
size_t html_tag(struct str html, struct html_tag *t);

/* The value of an attribute; unset: it has none. */
struct str html_attribute(struct str text, const char *wanted);

/*
 * &amp; &#38; &#x26; at the front of the text: how long it is and what it means; 0: it is none, or
 * one that is not known.
 */
size_t html_entity(struct str text, unsigned long *code);

bool html_is_space(char c);
bool html_name_is(struct str name, const char *word); /* whatever the case */
