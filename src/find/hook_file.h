/*
 * hook_file.h - what one file of a hooks folder becomes: none, one or two entries.
 *
 * Files of hooke say in a comment what they are for; the others have to be asked. A question is
 * made first, so that all can be asked at once, and the answer becomes the entries.
 */
#pragma once

#include "find/ask.h"
#include "find/found.h"

/* A file of hooke's own folders. */
void hook_file_read(struct found *found, const struct folder_file *file);

/* False: there is nobody to ask, and a problem says so. */
bool hook_file_question(struct config_finding *f, const struct folder *folder,
                        const struct folder_file *file, struct ask *out);

void hook_file_answer(struct found *found, enum folder_kind kind, const struct ask *ask);
