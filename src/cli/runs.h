/*
 * runs.h - what each hook did about one event, as lines to read; from a receipt in memory or from
 * the JSON of one on disk.
 */
#pragma once

#include "cli/cli.h"

struct run_line {
    const char *hook;
    const char *outcome; /* "block", "inject", "none", "failed", "held back" … */
    const char *detail;  /* "" for none */
    uint64_t ns;
    uint64_t tokens;
    bool ran; /* false: held back */
    enum style style;
};

struct run_lines {
    struct run_line *lines;
    size_t count;
};

struct run_lines runs_of_receipt(struct arena *a, const struct receipt *r);
struct run_lines runs_of_json(struct arena *a, const struct json *receipt);

/* A table: hook, outcome, time, detail. */
void runs_print(struct cli *cli, const struct run_lines *runs, unsigned indent);

/* How an outcome or a decision is coloured. */
enum style outcome_style(const char *outcome);
