#include "hook/rule_text.h"

#include "base/front.h"
#include "base/glob.h"
#include "base/path.h"

#include <strings.h>

/* Reading ---------------------------------------------------------------------------------------
 */

static struct str unquoted(struct str s)
{
    s = str_trim(s);
    if (s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
        return str_trim((struct str){ s.ptr + 1, s.len - 2 });
    return s;
}

static void add_glob(struct arena *a, struct rule_text *r, struct str glob)
{
    glob = unquoted(glob);
    if (str_starts(glob, STR("./")))
        glob = (struct str){ glob.ptr + 2, glob.len - 2 };
    if (glob.len && r->count < RULE_TEXT_GLOBS)
        r->globs[r->count++] = arena_cstr(a, glob);
}

/* Where the next glob of a list ends: at a comma that is in no braces. */
static size_t glob_length(struct str list)
{
    unsigned depth = 0;
    size_t i = 0;

    for (; i < list.len && (list.ptr[i] != ',' || depth > 0); i++) {
        depth += list.ptr[i] == '{';
        depth -= depth > 0 && list.ptr[i] == '}';
    }
    return i;
}

static void add_globs(struct arena *a, struct rule_text *r, struct str list)
{
    list = unquoted(list);
    if (list.len >= 2 && list.ptr[0] == '[' && list.ptr[list.len - 1] == ']')
        list = (struct str){ list.ptr + 1, list.len - 2 };
    while (list.len) {
        size_t len = glob_length(list), used = len < list.len ? len + 1 : len;

        add_glob(a, r, (struct str){ list.ptr, len });
        list = (struct str){ list.ptr + used, list.len - used };
    }
}

static bool names_globs(struct str key)
{
    return str_is(key, "globs") || str_is(key, "paths") || str_is(key, "applyTo");
}

static void read_front(struct arena *a, struct rule_text *r, struct str front)
{
    struct str line, key;
    bool in_list = false;

    while (str_is_set(front) && str_cut(&front, '\n', &line)) {
        struct str rest = str_trim(line);

        if (in_list && rest.len && rest.ptr[0] == '-') {
            add_glob(a, r, (struct str){ rest.ptr + 1, rest.len - 1 });
            continue;
        }
        in_list = false;
        if (!str_cut(&rest, ':', &key) || !str_is_set(rest))
            continue;
        key = str_trim(key);
        rest = str_trim(rest);
        if (names_globs(key)) {
            in_list = rest.len == 0;
            add_globs(a, r, rest);
        } else if (str_is(key, "alwaysApply")) {
            r->always = str_is(unquoted(rest), "true");
        }
    }
}

void rule_text_parse(struct arena *a, struct str text, struct rule_text *out)
{
    struct str front;

    *out = (struct rule_text){ 0 };
    front = front_cut(&text);
    if (str_is_set(front))
        read_front(a, out, front);
    out->body = str_trim(text);
}

/* Matching --------------------------------------------------------------------------------------
 */

static bool matches(const char *glob, const char *path)
{
    if (!strchr(glob, '/'))
        path = path_basename(path);
    else if (glob[0] == '/')
        glob++;
    return glob_match(str_of(glob), str_of(path)) == 1;
}

const char *rule_text_match(const struct rule_text *r, const char *from_root,
                            const char *from_folder)
{
    const char *why = r->always ? "alwaysApply" : NULL;

    for (size_t i = 0; i < r->count; i++) {
        const char *glob = r->globs[i];
        bool exception = glob[0] == '!';

        glob += exception;
        if (!matches(glob, from_root) && !matches(glob, from_folder))
            continue;
        if (exception && !r->always)
            return NULL;
        if (!exception && !why)
            why = glob;
    }
    return why;
}
