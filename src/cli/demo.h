/*
 * demo.h - the script of `hooke demo`: a small coding session, moment by moment.
 */
#pragma once

#include "hook/engine.h"

struct moment {
    const char *title; /* what happens, in plain words */
    const char *data;  /* of the event, JSON */
    enum point point;
    unsigned turn;
    unsigned times;   /* the same event again and again; 0: once */
    const char *note; /* what there is to learn; NULL: nothing */
};

/* Ended by one without a title. */
extern const struct moment demo_moments[];

/* The configuration the session runs with. */
extern const char demo_config[];

/* Two hooks that fail, to show what a failure means. */
MUST_CHECK int demo_register(struct engine *en, struct err *e);
