/*
 * rule_text.h - rule texts: files that tell a model what holds for certain files of a project, as
 * editors and agents keep them in `.cursor/rules`, `.claude/rules` or `.github/instructions`.
 *
 *     ---
 *     description: how C is written here
 *     globs: *.c, *.{h,def}
 *     alwaysApply: false
 *     ---
 *     Run the formatter.
 *
 * `paths` and `applyTo` are other names for `globs`; values are a text with commas, a list in
 * brackets or lines that begin with a dash. This is read line by line and not as YAML: people write
 * `globs: *.c`, which is none. What is not understood is passed over.
 */
#pragma once

#include "base/arena.h"

#define RULE_TEXT_GLOBS 64 /* of one rule text */

struct rule_text {
    bool always;
    const char *globs[RULE_TEXT_GLOBS];
    size_t count;
    struct str body; /* without front matter, trimmed */
};

/* `text` is borrowed by the body. */
void rule_text_parse(struct arena *a, struct str text, struct rule_text *out);

/*
 * Why it holds for a file: "alwaysApply", or the glob that matches; NULL: it does not. A glob
 * without a slash is about the file's name, another one about its path from the workspace's root
 * or from the folder the rules belong to. One that begins with "!" is an exception.
 */
const char *rule_text_match(const struct rule_text *r, const char *from_root,
                            const char *from_folder);
