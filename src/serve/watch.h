/*
 * watch.h - whether the files a configuration was made of are still the same.
 *
 *     int64_t before = clock_wall_ms();
 *     … load …
 *     watch_set(&w, config, before);
 *     if (watch_changed(&w)) …
 *
 * A look is one stat() for each. What was written while the configuration was being loaded may have
 * been read or not: it counts as changed, once.
 */
#pragma once

#include "base/file.h"
#include "hook/config.h"

struct watch {
    struct watched {
        char *path;
        struct file_identity id;
        bool unsure;
    } * list;
    size_t count;
};

void watch_set(struct watch *w, const struct config *config, int64_t before_ms);
bool watch_changed(const struct watch *w);
void watch_release(struct watch *w);
