#include "hook/match.h"

#include "base/regex.h"
#include "base/strbuf.h"
#include "hook/tools.h"

static bool is_pattern(struct str text)
{
    return text.len > 2 && text.ptr[0] == '/' && text.ptr[text.len - 1] == '/';
}

static bool add_pattern(const struct setting *s, struct regex **patterns, size_t *count,
                        struct problems *problems)
{
    struct err e = { 0 };
    struct str inner = { s->text.ptr + 1, s->text.len - 2 };

    if (regex_new(inner, &patterns[*count], &e) < 0) {
        problem_add(problems, &s->origin, "%s", e.msg);
        return false;
    }
    (*count)++;
    return true;
}

static bool is_usable(const struct setting *item, struct problems *problems)
{
    if (item->kind == SETTING_STRING && item->text.len > 0)
        return true;
    problem_add(problems, &item->origin, "expected a name or a /regex/, not %s",
                item->kind == SETTING_STRING ? "an empty text" : setting_kind_name(item->kind));
    return false;
}

struct match *match_parse(struct arena *a, const struct setting *s, struct problems *problems)
{
    const struct setting *item = s->kind == SETTING_LIST ? s->first : s;
    struct match *m = arena_new(a, struct match);
    size_t count = s->kind == SETTING_LIST ? setting_count(s) : 1;
    size_t name_count = 0, pattern_count = 0;
    const char **names = arena_array(a, const char *, count + 1);
    struct regex **patterns = arena_array(a, struct regex *, count + 1);

    if (count == 0) {
        problem_add(problems, &s->origin, "an empty list would never match: leave the key out");
        return NULL;
    }
    m->patterns = patterns;
    for (; item; item = s->kind == SETTING_LIST ? item->next : NULL) {
        bool good = is_usable(item, problems);

        if (good && is_pattern(item->text))
            good = add_pattern(item, patterns, &pattern_count, problems);
        else if (good)
            names[name_count++] = item->text.ptr;
        if (!good) {
            match_release(m);
            return NULL;
        }
    }
    m->names = name_count ? names : NULL;
    m->patterns = pattern_count ? patterns : NULL;
    m->text = setting_text(a, s);
    return m;
}

void match_release(struct match *m)
{
    if (!m || !m->patterns)
        return;
    for (struct regex *const *p = m->patterns; *p; p++)
        regex_free(*p);
    m->patterns = NULL;
}

bool match_test(const struct match *m, struct str text)
{
    if (!m)
        return true;
    if (!str_is_set(text))
        return false;
    for (const char *const *name = m->names; name && *name; name++)
        if (str_is(text, *name))
            return true;
    /* A pattern that gives up counts as a match: no text may be made to slip past a guard. */
    for (struct regex *const *p = m->patterns; p && *p; p++)
        if (regex_match(*p, text, NULL) != 0)
            return true;
    return false;
}

bool match_test_tool(const struct match *m, struct str tool)
{
    const char *name;
    size_t at = 0;

    if (match_test(m, tool))
        return true;
    while ((name = tools_other_name(TOOLS_SYSTEMS, tool, &at)))
        if (match_test(m, str_of(name)))
            return true;
    return false;
}

char *match_text(struct arena *a, const struct match *m)
{
    return arena_strdup(a, m && m->text ? m->text : "any");
}
