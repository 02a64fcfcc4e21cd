/*
 * suggest.h - what to say after "unknown thing 'x'".
 *
 *     err_set(e, -EINVAL, "unknown point '%s'%s", name, suggest(&a, point_nearest(name), ""));
 */
#pragma once

#include "base/arena.h"

/* ", did you mean 'x'?" where there is a nearest one, else `otherwise`. */
const char *suggest(struct arena *a, const char *nearest, const char *otherwise);
