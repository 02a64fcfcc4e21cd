/*
 * receipt_file.h - reads receipt files piece by piece: which are there, and the lines of one that
 * follow a mark. Knows nothing of where receipts go.
 */
#pragma once

#include "store/ops.h"

#define RECEIPT_LINE_MAX ((size_t)4 << 20) /* a longer line is passed over */

/* Paths of the receipt files of `dir`, by name. No such folder: none. */
MUST_CHECK int receipt_file_list(struct arena *a, const char *dir, char ***paths, size_t *count,
                                 struct err *e);

/*
 * Fill the batch with complete lines that follow `b->before`, some of them, not necessarily all:
 * when `after` equals `before` there are no more. A file that is not the one the mark was made in
 * (shorter, or no line ends at the mark) is read from its start. Everything is in the arena.
 */
MUST_CHECK int receipt_file_read(struct arena *a, struct receipt_batch *b, struct err *e);
