/*
 * folder.h - the files of a folder that may be hooks.
 *
 * Left out are folders, names that end in ".disable", files that the folder's system would not run,
 * those that somebody else could have written, those of a workspace that nobody has trusted, and
 * what is more than `max_hooks`. What a person would miss is said as a problem.
 */
#pragma once

#include "hook/config.h"

#include <sys/stat.h>

enum folder_kind { FOLDER_HOOKE, FOLDER_KODELET, FOLDER_ACAI };

struct folder {
    enum folder_kind kind;
    enum source source;
    const char *path;
};

struct folder_file {
    const char *path;
    const char *name;    /* the last part of it */
    const char *program; /* what to start to ask it: the file, or its copy */
    struct stat asked;   /* of the program: an answer counts as long as that is the same */
    bool changed;  /* since it was trusted: `program` and `head` are as they were, not to run */
    bool vanished; /* it is changed in that way */
    struct origin origin;
    struct stat st;
    struct str head; /* how it begins */
    struct folder_file *next;
};

/* How much of a file may say what it is. */
#define FOLDER_HEAD 4096

/* In bytewise order of names; NULL: none. */
struct folder_file *folder_files(struct config_finding *f, const struct folder *folder);

/* Whether anybody may execute it. */
static inline bool folder_may_execute(const struct folder_file *file)
{
    return (file->st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

/* A script: nothing has to execute it. */
static inline bool folder_is_lua(const struct folder_file *file)
{
    return str_ends(str_of(file->name), STR(".lua"));
}
