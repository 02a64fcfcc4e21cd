#include "hook/option.h"

#include "base/strbuf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit time_units[] = {
    { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 }, { "", 1000 },
};

static const struct unit size_units[] = {
    { "G", (int64_t)1 << 30 }, { "M", 1 << 20 }, { "k", 1 << 10 }, { "", 1 },
    { "g", (int64_t)1 << 30 }, { "m", 1 << 20 }, { "K", 1 << 10 },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, perhaps a fraction, and one of the units. */
static bool parse_amount(struct str text, const struct unit *units, size_t count, int64_t *out)
{
    char number[32];
    size_t len = 0;
    int64_t whole;
    struct str unit;

    while (len < text.len && (is_digit(text.ptr[len]) || text.ptr[len] == '.'))
        len++;
    if (len == 0 || len >= sizeof(number) || !is_digit(text.ptr[0]) || text.ptr[len - 1] == '.')
        return false;
    if (memchr(text.ptr, '.', len) != memrchr(text.ptr, '.', len))
        return false;
    memcpy(number, text.ptr, len);
    number[len] = '\0';
    unit = (struct str){ text.ptr + len, text.len - len };
    for (size_t i = 0; i < count; i++) {
        double amount;

        if (!str_is(unit, units[i].name))
            continue;
        amount = str_to_whole((struct str){ number, len }, &whole) ? (double)whole
                                                                   : strtod(number, NULL);
        amount *= (double)units[i].factor;
        if (amount >= 9007199254740992.0) /* beyond that the result would be rounded */
            return false;
        *out = (int64_t)(amount + 0.5); /* not llround(): see src/cli/late_math.c */
        return true;
    }
    return false;
}

bool option_parse_time(struct str text, int64_t *ms)
{
    return parse_amount(text, time_units, ARRAY_LEN(time_units), ms);
}

bool option_parse_size(struct str text, int64_t *size)
{
    return parse_amount(text, size_units, ARRAY_LEN(size_units), size);
}

const char *option_type_name(enum option_type type)
{
    static const char *const names[] = {
        [OPTION_TYPE_BOOL] = "true or false",
        [OPTION_TYPE_INT] = "a whole number",
        [OPTION_TYPE_SIZE] = "a size such as 64k or 10M",
        [OPTION_TYPE_NUMBER] = "a number",
        [OPTION_TYPE_TIME] = "a time such as 500ms, 5s or 2m",
        [OPTION_TYPE_TEXT] = "a text",
        [OPTION_TYPE_CHOICE] = "a word of a list",
        [OPTION_TYPE_LIST] = "a list of texts",
    };

    return names[type];
}

static bool is_scalar(const struct setting *s)
{
    return s->kind == SETTING_STRING || s->kind == SETTING_NUMBER || s->kind == SETTING_BOOL;
}

static bool refuse(struct arena *a, const struct option *o, const struct setting *s,
                   struct problems *problems)
{
    problem_add(problems, &s->origin, "'%s' must be %s, not '%s'", o->name,
                option_type_name(o->type), setting_text(a, s));
    return false;
}

static bool set_whole(struct arena *a, const struct option *o, const struct setting *s,
                      int64_t *out, struct problems *problems)
{
    int64_t value;
    bool good = false;

    if (o->type == OPTION_TYPE_INT)
        good = setting_to_int64(s, &value);
    else if (s->kind == SETTING_STRING || s->kind == SETTING_NUMBER)
        good = o->type == OPTION_TYPE_TIME ? option_parse_time(s->text, &value)
                                           : option_parse_size(s->text, &value);
    if (!good)
        return refuse(a, o, s, problems);
    if (value < o->min || value > o->max) {
        problem_add(problems, &s->origin, "'%s' must be from %" PRId64 " to %" PRId64 ", not '%s'",
                    o->name, o->min, o->max, setting_text(a, s));
        return false;
    }
    *out = value;
    return true;
}

static bool set_number(struct arena *a, const struct option *o, const struct setting *s,
                       double *out, struct problems *problems)
{
    double value;

    if (!setting_to_double(s, &value))
        return refuse(a, o, s, problems);
    if (value < (double)o->min || value > (double)o->max) {
        problem_add(problems, &s->origin, "'%s' must be from %" PRId64 " to %" PRId64 ", not '%s'",
                    o->name, o->min, o->max, setting_text(a, s));
        return false;
    }
    *out = value;
    return true;
}

static bool is_choice(const struct option *o, const struct setting *s)
{
    struct str rest = str_of(o->choices), word;

    while (is_scalar(s) && str_cut(&rest, ' ', &word))
        if (str_eq(s->text, word))
            return true;
    return false;
}

static char *choices_text(struct arena *a, const struct option *o)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct str rest = str_of(o->choices), word;

    while (str_cut(&rest, ' ', &word))
        strbuf_printf(&out, "%s%.*s", out.len ? ", " : "", STR_ARG(word));
    return arena_cstr(a, strbuf_str(&out));
}

static bool set_choice(struct arena *a, const struct option *o, const struct setting *s,
                       const char **out, struct problems *problems)
{
    if (is_choice(o, s)) {
        *out = s->text.ptr;
        return true;
    }
    problem_add(problems, &s->origin, "'%s' must be one of %s, not '%s'", o->name,
                choices_text(a, o), setting_text(a, s));
    return false;
}

static bool fits_list(struct arena *a, const struct option *o, const struct setting *item,
                      struct problems *problems)
{
    if (!is_scalar(item))
        return refuse(a, o, item, problems);
    if (!o->choices || is_choice(o, item))
        return true;
    problem_add(problems, &item->origin, "'%s' takes %s, not '%s'", o->name, choices_text(a, o),
                setting_text(a, item));
    return false;
}

static bool set_list(struct arena *a, const struct option *o, const struct setting *s,
                     const char *const **out, struct problems *problems)
{
    const struct setting *first = s->kind == SETTING_LIST ? s->first : s;
    const char **list;
    size_t count = 0;

    for (const struct setting *item = first; item;
         item = s->kind == SETTING_LIST ? item->next : NULL) {
        if (!fits_list(a, o, item, problems))
            return false;
        count++;
    }
    list = arena_array(a, const char *, count + 1);
    count = 0;
    for (const struct setting *item = first; item;
         item = s->kind == SETTING_LIST ? item->next : NULL)
        list[count++] = item->text.ptr;
    *out = list;
    return true;
}

bool option_set(struct arena *a, const struct option *o, const struct setting *value, void *out,
                struct problems *problems)
{
    void *field = (char *)out + o->offset;

    switch (o->type) {
    case OPTION_TYPE_BOOL:
        if (value->kind != SETTING_BOOL)
            return refuse(a, o, value, problems);
        *(bool *)field = setting_is_true(value);
        return true;
    case OPTION_TYPE_INT:
    case OPTION_TYPE_SIZE:
    case OPTION_TYPE_TIME:
        return set_whole(a, o, value, field, problems);
    case OPTION_TYPE_NUMBER:
        return set_number(a, o, value, field, problems);
    case OPTION_TYPE_TEXT:
        if (!is_scalar(value))
            return refuse(a, o, value, problems);
        *(const char **)field = value->text.ptr;
        return true;
    case OPTION_TYPE_CHOICE:
        return set_choice(a, o, value, field, problems);
    case OPTION_TYPE_LIST:
        return set_list(a, o, value, field, problems);
    }
    return false;
}

/* Fallbacks --------------------------------------------------------------------------------------
 *
 * They are read at every start, and nearly all are words, numbers and flat lists of them: for those
 * a parser of YAML would cost more than all the rest of making a hook.
 */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(struct str s)
{
    bool number = s.len && is_digit(s.ptr[0]);

    if (!s.len || (!number && !is_letter(s.ptr[0])) || str_is(s, "null"))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (number && str_has_char("eExo", c)) /* may be another way to write a number */
            return false;
        if (!is_digit(c) && !is_letter(c) && !str_has_char("-./", c))
            return false;
    }
    return true;
}

static struct setting *plain_scalar(struct arena *a, struct str text)
{
    struct setting *s;
    bool number = true;

    if (!is_plain(text))
        return NULL;
    for (size_t i = 0; i < text.len; i++)
        number = number && (is_digit(text.ptr[i]) || text.ptr[i] == '.');
    s = arena_new(a, struct setting);
    s->text = str_of(arena_cstr(a, text));
    s->origin.source = SOURCE_BUILTIN;
    s->kind = number                                          ? SETTING_NUMBER
              : str_is(text, "true") || str_is(text, "false") ? SETTING_BOOL
                                                              : SETTING_STRING;
    return s;
}

/* A list is one of texts: what else they might be in YAML is all the same. */
static const char *plain_item(struct arena *a, struct str text)
{
    bool quoted = text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"';

    if (quoted)
        text = (struct str){ text.ptr + 1, text.len - 2 };
    else if (!text.len || str_is(text, "-") || str_is(text, "null"))
        return NULL;
    for (size_t i = !quoted && str_starts(text, STR("~/")) ? 2 : 0; i < text.len; i++)
        if (quoted ? str_has_char("\"\\", text.ptr[i])
                   : !is_letter(text.ptr[i]) && !is_digit(text.ptr[i]) &&
                         !str_has_char("-./=", text.ptr[i]))
            return NULL;
    return arena_cstr(a, text);
}

/* NULL: it takes more than this to read it. */
static const char **plain_list(struct arena *a, struct str text)
{
    const char **list;
    size_t count = 0;
    struct str item;

    if (text.len < 2 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return NULL;
    text = str_trim((struct str){ text.ptr + 1, text.len - 2 });
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ',';
    list = arena_array(a, const char *, count + 2);
    count = 0;
    while (text.len && str_cut(&text, ',', &item)) {
        list[count] = plain_item(a, str_trim(item));
        if (!list[count++])
            return NULL;
    }
    return list;
}

static const char **fallback_list(struct arena *a, const struct option *o)
{
    return o->fallback ? plain_list(a, str_of(o->fallback)) : arena_array(a, const char *, 1);
}

/* A fallback is our own text: that it does not fit is a mistake in the table. */
static void set_fallback(struct arena *a, const struct option *o, void *out)
{
    const struct origin builtin = { .source = SOURCE_BUILTIN };
    const char *const *list = o->type == OPTION_TYPE_LIST ? fallback_list(a, o) : NULL;
    struct problems problems = { .arena = a };
    struct setting *value;
    bool good;

    if (list)
        *(const char *const **)((char *)out + o->offset) = list;
    if (list || !o->fallback)
        return;
    if (o->type == OPTION_TYPE_TEXT || o->type == OPTION_TYPE_CHOICE) {
        /* as it is: a text such as "a: b" would need quotes in YAML */
        value = arena_new(a, struct setting);
        value->kind = SETTING_STRING;
        value->text = str_of(o->fallback);
        good = true;
    } else {
        value = plain_scalar(a, str_of(o->fallback));
        good = value || setting_parse(a, &builtin, str_of(o->fallback), &value, NULL, NULL) == 0;
    }
    good = good && option_set(a, o, value, out, &problems);
    assert(good);
    (void)good;
}

void option_defaults(struct arena *a, const struct option *table, void *out)
{
    for (const struct option *o = table; o && o->name; o++)
        set_fallback(a, o, out);
}

const struct option *option_find(const struct option *table, struct str name)
{
    for (const struct option *o = table; o && o->name; o++)
        if (str_is(name, o->name))
            return o;
    return NULL;
}

/* In the largest unit that leaves a whole number; a bare number means no unit at all. */
static char *amount_text(struct arena *a, int64_t amount, const struct unit *units, size_t count)
{
    for (size_t i = 0; amount != 0 && i < count; i++)
        if (amount % units[i].factor == 0)
            return arena_printf(a, "%" PRId64 "%s", amount / units[i].factor, units[i].name);
    return arena_printf(a, "%" PRId64, amount);
}

static char *list_text(struct arena *a, const char *const *list)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    strbuf_addch(&b, '[');
    for (const char *const *item = list; item && *item; item++)
        strbuf_printf(&b, "%s%s", item == list ? "" : ", ", *item);
    strbuf_addch(&b, ']');
    return arena_cstr(a, strbuf_str(&b));
}

char *option_text(struct arena *a, const struct option *o, const void *out)
{
    const void *field = (const char *)out + o->offset;
    const char *text;

    switch (o->type) {
    case OPTION_TYPE_BOOL:
        return arena_strdup(a, *(const bool *)field ? "true" : "false");
    case OPTION_TYPE_INT:
        return arena_printf(a, "%" PRId64, *(const int64_t *)field);
    case OPTION_TYPE_SIZE:
        return amount_text(a, *(const int64_t *)field, size_units, 4);
    case OPTION_TYPE_TIME:
        return amount_text(a, *(const int64_t *)field, time_units, 4);
    case OPTION_TYPE_NUMBER:
        return arena_printf(a, "%g", *(const double *)field);
    case OPTION_TYPE_TEXT:
    case OPTION_TYPE_CHOICE:
        text = *(const char *const *)field;
        return arena_strdup(a, text ? text : "");
    case OPTION_TYPE_LIST:
        return list_text(a, *(const char *const *const *)field);
    }
    return NULL;
}
