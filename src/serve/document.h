/*
 * document.h - one JSON document from a stream that may stay open after it.
 *
 *     r = document_read(a, fd, 10000, &text, e);
 *
 * Returns as soon as the document is complete; what follows it is left alone or lost. The text is
 * in the arena. -ETIMEDOUT, -EFBIG and -EBADMSG say in words what is wrong with it; what there was
 * is in `text` even then.
 */
#pragma once

#include "json/json.h"

#define DOCUMENT_MAX ((size_t)64 << 20)

MUST_CHECK int document_read(struct arena *a, int fd, uint32_t ms, struct str *text, struct err *e);
