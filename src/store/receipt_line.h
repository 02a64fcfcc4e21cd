/*
 * receipt_line.h - what the store needs to know of one line of a receipt file.
 */
#pragma once

#include "store/store.h"

/* False when `line` is no receipt. Everything in `r` is allocated in the arena. */
bool receipt_fields(struct arena *a, struct str line, struct store_receipt *r);
