/*
 * html.h - a page as text a model can read: no tags, no scripts and styles, links as text (url),
 * headings and lists as in Markdown, entities decoded.
 *
 * By hand: a model needs the words in their order, not a document tree, and a parser for HTML would
 * be a library larger than the rest of the program.
 */
#pragma once

#include "base/strbuf.h"

/* Any bytes will do. Takes time in proportion to their number. */
void html_to_text(struct str html, struct strbuf *out);
