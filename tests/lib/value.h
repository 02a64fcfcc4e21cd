/*
 * value.h - JSON values in tests.
 */
#pragma once

#include "json/json.h"
#include "test.h"

/* The value of `text`, which must be JSON and outlive it. */
static inline const struct json *value_of(struct arena *a, const char *text)
{
    const struct json *value;
    struct err e = { 0 };

    if (json_parse(a, str_of(text), NULL, &value, &e) < 0)
        fail_msg("%s: %s", text, e.msg);
    return value;
}
