/*
 * secret_variables.h - variables that hold keys of providers: nobody's business but hooke's, so
 * they are taken out of the environment of whatever it starts.
 */
#pragma once

#include <stddef.h>

/* Their names; `*count` of them. */
const char *const *secret_variables(size_t *count);
