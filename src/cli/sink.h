/*
 * sink.h - where log lines go: standard error, or HOOKE_LOG_FILE with the time in front.
 *
 *     struct sink sink;
 *     sink_open(&sink, &cli.log);
 *
 * HOOKE_LOG=warn|info|debug says how much. Lines are written with one call each, so that several
 * processes can share a file.
 */
#pragma once

#include "base/log.h"

struct sink {
    int fd;
    bool is_file;
};

/* Makes `log` write to the sink. A file that can't be opened is warned about on standard error. */
void sink_open(struct sink *s, struct log *log);
void sink_close(struct sink *s, struct log *log);
