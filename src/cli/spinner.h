/*
 * spinner.h - a line on standard error that says what is waited for, and how long already.
 *
 *     struct spinner *s = spinner_start(&term);
 *     spinner_wait(s, "bash make test");     shown once that has taken a second
 *     spinner_quiet(s);                      gone, before anything else is printed
 *     spinner_stop(s);
 *
 * For terminals only: anywhere else spinner_start() returns NULL, which all functions accept. The
 * line is drawn by a thread of its own and never while the caller prints, as long as the caller is
 * quiet first and waits again afterwards.
 */
#pragma once

#include "cli/term.h"

struct spinner;

struct spinner *spinner_start(const struct term *t);
void spinner_wait(struct spinner *s, const char *what);
void spinner_quiet(struct spinner *s);
void spinner_stop(struct spinner *s);
