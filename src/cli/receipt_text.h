/*
 * receipt_text.h - a receipt from disk, as one row or in full.
 */
#pragma once

#include "cli/runs.h"

/* Columns: when, the end of the id, point and tool, outcome, time, hooks. */
struct table receipt_text_table(struct arena *a);

/* A line that is no receipt gives no row. */
void receipt_text_row(struct table *t, const char *line);

void receipt_text_full(struct cli *cli, const char *line);
