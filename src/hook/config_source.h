/*
 * config_source.h - the files a configuration is made of: where they are, whether they are there
 * and trusted, and what each says. Internal to hook/config*.c.
 *
 * A source is looked up (which costs a few stat() calls), then either read or taken over from the
 * compiled configuration.
 */
#pragma once

#include "base/file.h"
#include "hook/config.h"

#define CONFIG_SOURCES 5

enum source_state {
    STATE_MISSING,
    STATE_READ,
    STATE_UNTRUSTED,
    STATE_CHANGED, /* not the bytes that were trusted */
    STATE_BROKEN,
};

struct config_source {
    enum source source;
    enum source_state state;
    const char *name;  /* the .yaml that was looked for */
    const char *path;  /* the file in use */
    const char *other; /* the one of .yaml and .json that is not; NULL: there can be none */
    struct file_identity id, other_id;
    bool emptied;         /* it may be about to be written */
    struct setting *tree; /* when read */
    struct origin bad;    /* when broken: where, and */
    const char *message;  /* what is wrong */
};

struct config_sources {
    const char *workspace, *user_dir, *state_dir;
    const char *trust;
    bool trust_named; /* not the usual file */
    struct file_identity trust_id;
    struct config_source list[CONFIG_SOURCES];
    size_t count;
};

/* Find out what there is to read. */
void config_sources_find(struct arena *a, const struct config_where *where,
                         struct config_sources *out);

/* Read and parse one file; what comes of it is in its state. */
void config_source_read(struct arena *a, const struct config_sources *sources,
                        struct config_source *s);

/* Part of config_load(): the configuration depends on what is there. NULL: on nothing. */
void config_watch(struct config *c, const char *path);

/* Part of config_load(): add what where->find finds to what is configured, in m->root. */
struct config_merge;
void config_find_hooks(struct config *c, const struct config_where *where,
                       const struct config_sources *sources, struct config_merge *m);

/* Compiled form ------------------------------------------------------------------------------- */

/*
 * Take over from the compiled configuration: everything when it is fresh (true), which is when no
 * file has changed since.
 */
bool config_compiled_load(struct arena *a, struct config_sources *sources);

/* The last good tree of one source, or NULL. */
struct setting *config_compiled_last_good(struct arena *a, const struct config_sources *sources,
                                          const struct config_source *s);

/* Keep what was read: each good tree and, when nothing was broken, the whole. That it cannot be
 * kept (a home that is read-only) is no failure. */
void config_compiled_save(const struct config_sources *sources, bool whole);
