#include "base/glob.h"

#include <errno.h>

#define STEPS_MAX 1000000 /* some milliseconds; no honest pattern needs them */
#define DEPTH_MAX 64      /* of stars and braces */

struct matching {
    unsigned steps, depth;
};

static bool match_here(struct matching *m, struct str p, struct str s);

static struct str from(struct str s, size_t at)
{
    return (struct str){ s.ptr + at, s.len - at };
}

/* The length of the set that begins at `p`, brackets included; 0 when it is not closed. */
static size_t set_length(struct str p)
{
    size_t i = 1;

    if (i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^'))
        i++;
    if (i < p.len && p.ptr[i] == ']') /* first in the set it is itself */
        i++;
    while (i < p.len && p.ptr[i] != ']')
        i++;
    return i < p.len ? i + 1 : 0;
}

static bool set_has(struct str set, char c)
{
    bool negated = set.ptr[1] == '!' || set.ptr[1] == '^';
    bool found = false;

    for (size_t i = negated ? 2 : 1; i + 1 < set.len; i++) {
        char low = set.ptr[i], high = low;

        if (i + 3 < set.len && set.ptr[i + 1] == '-') {
            high = set.ptr[i + 2];
            i += 2;
        }
        found |= (unsigned char)low <= (unsigned char)c && (unsigned char)c <= (unsigned char)high;
    }
    return found != negated && c != '/';
}

/* After a star: the rest of the pattern at every place the star can reach. */
static bool match_star(struct matching *m, struct str rest, struct str s, bool slashes)
{
    for (size_t i = 0;; i++) {
        if (++m->steps > STEPS_MAX)
            return false;
        if (match_here(m, rest, from(s, i)))
            return true;
        if (i == s.len || (!slashes && s.ptr[i] == '/'))
            return false;
    }
}

static bool match_double_star(struct matching *m, struct str p, struct str s)
{
    struct str rest = from(p, 2);

    /* "**" and the slash behind it may stand for nothing: a/ ** /b matches a/b. */
    if (rest.len && rest.ptr[0] == '/' && match_here(m, from(rest, 1), s))
        return true;
    return match_star(m, rest, s, true);
}

/* Where the brace that begins at `p` ends; 0 when it is not closed. */
static size_t brace_length(struct str p)
{
    size_t depth = 0;

    for (size_t i = 0; i < p.len; i++) {
        if (p.ptr[i] == '\\')
            i++;
        else if (p.ptr[i] == '{')
            depth++;
        else if (p.ptr[i] == '}' && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* One alternative of a brace, and then the rest. */
static bool match_alternative(struct matching *m, struct str choice, struct str rest, struct str s)
{
    char joined[512];

    if (choice.len + rest.len > sizeof(joined))
        return false;
    memcpy(joined, choice.ptr, choice.len);
    memcpy(joined + choice.len, rest.ptr, rest.len);
    return match_here(m, (struct str){ joined, choice.len + rest.len }, s);
}

static bool match_brace(struct matching *m, struct str p, size_t length, struct str s)
{
    struct str rest = from(p, length);
    size_t began = 1, depth = 0;

    for (size_t i = 1; i < length; i++) {
        bool last = i == length - 1;

        if (p.ptr[i] == '\\')
            i++;
        else if (p.ptr[i] == '{')
            depth++;
        else if (p.ptr[i] == '}' && !last)
            depth--;
        else if (last || (p.ptr[i] == ',' && depth == 0)) {
            if (match_alternative(m, (struct str){ p.ptr + began, i - began }, rest, s))
                return true;
            began = i + 1;
        }
    }
    return false;
}

/* A star or a brace: the only places with more than one way on. */
static bool match_branch(struct matching *m, struct str p, struct str s)
{
    size_t length;

    if (p.ptr[0] == '{') {
        length = brace_length(p);
        return length > 0 && match_brace(m, p, length, s);
    }
    if (p.len > 1 && p.ptr[1] == '*')
        return match_double_star(m, p, s);
    return match_star(m, from(p, 1), s, false);
}

/* How much of the pattern the first character of `s` uses up; 0: it does not match. */
static size_t match_one(struct str p, struct str s)
{
    size_t length;

    if (s.len == 0)
        return 0;
    switch (p.ptr[0]) {
    case '?':
        return s.ptr[0] != '/';
    case '[':
        length = set_length(p);
        return length > 0 && set_has((struct str){ p.ptr, length }, s.ptr[0]) ? length : 0;
    case '\\':
        if (p.len > 1)
            return p.ptr[1] == s.ptr[0] ? 2 : 0;
        break;
    default:
        break;
    }
    return p.ptr[0] == s.ptr[0];
}

static bool match_here(struct matching *m, struct str p, struct str s)
{
    bool matched;

    while (p.len > 0 && p.ptr[0] != '*' && p.ptr[0] != '{') {
        size_t used = match_one(p, s);

        if (used == 0)
            return false;
        p = from(p, used);
        s = from(s, 1);
    }
    if (p.len == 0)
        return s.len == 0;
    if (m->depth >= DEPTH_MAX)
        m->steps = STEPS_MAX;
    if (++m->steps > STEPS_MAX)
        return false;
    m->depth++;
    matched = match_branch(m, p, s);
    m->depth--;
    return matched;
}

int glob_match(struct str pattern, struct str path)
{
    struct matching m = { 0 };
    bool matched = pattern.len > 0 && match_here(&m, pattern, path);

    return m.steps > STEPS_MAX ? -EOVERFLOW : matched;
}
