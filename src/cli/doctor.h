/*
 * doctor.h - one line for each thing that was looked at: ok, warn or fail, and the way out.
 *
 *     struct doctor d = doctor_open(cli, json);
 *     doctor_report(&d, HEALTH_WARN, "receipts", "none are written", NULL);
 *     return doctor_close(&d);
 */
#pragma once

#include "cli/cli.h"

enum health { HEALTH_OK, HEALTH_WARN, HEALTH_FAIL };

struct doctor {
    struct cli *cli;
    struct table table;
    struct json *list; /* with --json */
    bool failed;
};

struct doctor doctor_open(struct cli *cli, bool json);

/* `way_out` says what to do; NULL when there is nothing to do. */
void doctor_report(struct doctor *d, enum health health, const char *what, const char *text,
                   const char *way_out);

/* Print it all; the exit code. */
int doctor_close(struct doctor *d);
