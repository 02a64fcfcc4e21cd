/* Rules and their patterns. command_guard.def says how they are written. */
#include "base/glob.h"
#include "base/regex.h"
#include "builtin/command_guard.h"

#include <ctype.h>

#define NEVER GUARD_NEVER
#define RISKY GUARD_RISKY

const struct guard_rule guard_rules[] = {
#define OPTIONS(program, options)
#define WRAPPER(program, options, operands)
#define SHELL(program)
#define FETCHER(program)
#define DECODER(program)
#define RULE(name, programs, pattern, severity, reason) \
    { name, programs, pattern, severity, reason },
#include "builtin/command_guard.def"
#undef OPTIONS
#undef WRAPPER
#undef RULE
    { 0 },
};

static const struct {
    const char *program, *options;
} value_options[] = {
#define OPTIONS(program, options)           { program, options },
#define WRAPPER(program, options, operands) { program, options },
#define RULE(name, programs, pattern, severity, reason)
#include "builtin/command_guard.def"
#undef OPTIONS
#undef WRAPPER
#undef SHELL
#undef FETCHER
#undef DECODER
#undef RULE
};

const char *guard_value_options(const char *program)
{
    for (size_t i = 0; i < ARRAY_LEN(value_options); i++)
        if (strcmp(value_options[i].program, program) == 0)
            return value_options[i].options;
    return "";
}

bool guard_in_list(const char *list, const char *word)
{
    struct str rest = str_of(list), piece;

    if (!strstr(list, word)) /* nearly always, and told at once */
        return false;
    while (str_cut(&rest, ' ', &piece))
        if (piece.len && str_is(piece, word))
            return true;
    return false;
}

bool guard_is_option(const struct shell_word *args, size_t count, size_t i, const char *values,
                     size_t *words)
{
    const char *word = i < count ? args[i].seen : "";

    *words = 1;
    if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
        return false;
    if (guard_in_list(values, word) && i + 1 < count)
        *words = 2;
    return true;
}

/* Words of a pattern --------------------------------------------------------------------------- */

/* One pattern against one run; operands are used up from left to right. */
struct fitting {
    const struct guard_runs *runs;
    const struct guard_run *run;
    size_t next; /* the operand that a plain word of the pattern is compared with */
};

/* The first operand at or after `i`; `count` when there is none. */
static size_t operand_from(const struct guard_run *r, size_t i)
{
    const char *values = guard_value_options(r->program);
    bool ended = false;
    size_t words, at = 0;

    while (at < r->count) {
        if (!ended && strcmp(r->args[at].seen, "--") == 0) {
            ended = true;
            at++;
        } else if (!ended && guard_is_option(r->args, r->count, at, values, &words)) {
            at += words;
        } else if (at >= i) {
            return at;
        } else {
            at++;
        }
    }
    return r->count;
}

/* "-f" is in "-xfd", "--force" is "--forc"; "--force-with-lease" is something else. */
static bool option_fits(const char *word, struct str option)
{
    size_t len = strcspn(word, "=");

    if (str_is(option, word) || str_eq(option, (struct str){ word, len }))
        return true;
    if (word[0] != '-' || option.len < 2)
        return false;
    if (word[1] == '-')
        return option.ptr[1] == '-' && len > 4 && str_starts(option, (struct str){ word, len });
    return option.len == 2 && (isalpha((unsigned char)word[1]) || word[1] == option.ptr[1]) &&
           memchr(word, option.ptr[1], len) != NULL;
}

static bool has_option(const struct guard_run *r, struct str options)
{
    struct str one;

    while (str_cut(&options, '|', &one))
        for (size_t i = 0; i < r->count && strcmp(r->args[i].seen, "--") != 0; i++)
            if (option_fits(r->args[i].seen, one))
                return true;
    return false;
}

static bool word_fits(const char *word, struct str patterns)
{
    struct str one;

    while (str_cut(&patterns, '|', &one))
        if (glob_match(one, str_of(word)) == 1)
            return true;
    return false;
}

static bool any_operand(const struct fitting *f, struct str pattern)
{
    const struct guard_run *r = f->run;

    for (size_t i = operand_from(r, f->next); i < r->count; i = operand_from(r, i + 1))
        if (word_fits(r->args[i].seen, pattern))
            return true;
    return false;
}

/* A pattern that can't be matched within its limits is taken to match. */
static bool text_fits(const struct guard_run *r, struct arena *a, struct str pattern)
{
    struct regex *re = NULL;
    struct err e = { 0 };
    bool found = false;

    if (regex_new(str_of(arena_printf(a, "(?i)%.*s", STR_ARG(pattern))), &re, &e) < 0)
        return true;
    for (size_t i = 0; i < r->count && !found; i++)
        found = regex_match(re, str_of(r->args[i].seen), &e) != 0;
    if (!found && r->input.len)
        found = regex_match(re, r->input, &e) != 0;
    regex_free(re);
    return found;
}

static bool class_fits(const struct fitting *f, const char *class)
{
    const struct guard_run *r = f->run;

    if (strcmp(class, "more") == 0)
        return r->more;
    for (size_t i = operand_from(r, f->next); i < r->count; i = operand_from(r, i + 1))
        if (guard_is_of_class(f->runs, r, i, class))
            return true;
    return false;
}

/* "of=@device" */
static bool named_fits(const struct fitting *f, struct str name, const char *class)
{
    const struct guard_run *r = f->run;

    for (size_t i = 0; i < r->count; i++)
        if (str_starts(str_of(r->args[i].seen), name) &&
            guard_path_is(f->runs, r, &r->args[i], r->args[i].seen + name.len, class))
            return true;
    return false;
}

static bool piece_fits(struct fitting *f, struct str piece)
{
    struct arena *a = f->runs->arena;
    const char *at = memmem(piece.ptr, piece.len, "=@", 2);
    struct str rest = { piece.ptr + 1, piece.len - 1 };
    size_t i;

    switch (piece.ptr[0]) {
    case '!':
        return !piece_fits(f, rest);
    case '-':
        return has_option(f->run, piece);
    case '~':
        return any_operand(f, rest);
    case '@':
        return class_fits(f, arena_cstr(a, rest));
    default:
        break;
    }
    if (piece.len > 2 && piece.ptr[0] == '/' && piece.ptr[piece.len - 1] == '/')
        return text_fits(f->run, a, (struct str){ piece.ptr + 1, piece.len - 2 });
    if (at) {
        struct str name = { piece.ptr, (size_t)(at - piece.ptr) + 1 };

        return named_fits(f, name, arena_cstr(a, (struct str){ at + 2, piece.len - name.len - 1 }));
    }
    i = operand_from(f->run, f->next);
    f->next = i + 1;
    return i < f->run->count && word_fits(f->run->args[i].seen, piece);
}

/* Rules ---------------------------------------------------------------------------------------- */

static bool is_named(struct str pattern, const char *program)
{
    if (!pattern.len || (pattern.ptr[0] != program[0] && !str_has_char("*?[{\\", pattern.ptr[0])))
        return false; /* nearly always, and told at once */
    return str_is(pattern, program) || (strcmp(program, "?") != 0 && !str_is(pattern, "?") &&
                                        glob_match(pattern, str_of(program)) == 1);
}

bool guard_rule_knows(const struct guard_rule *rule, const char *program)
{
    struct str rest = str_of(rule->programs), pattern;

    while (str_cut(&rest, ' ', &pattern))
        if (is_named(pattern, program))
            return true;
    return false;
}

bool guard_rule_fits(const struct guard_runs *runs, const struct guard_rule *rule,
                     const struct guard_run *r)
{
    struct str rest = str_of(rule->pattern), piece;
    struct fitting f = { .runs = runs, .run = r };

    if (!guard_rule_knows(rule, r->program))
        return false;
    while (str_cut(&rest, ' ', &piece))
        if (piece.len && !piece_fits(&f, piece))
            return false;
    return true;
}

struct guard_rule guard_rule_parse(struct arena *a, const char *text)
{
    const char *arrow = strstr(text, "->");
    struct str all = { text, arrow ? (size_t)(arrow - text) : strlen(text) }, program;
    struct guard_rule rule = { .severity = GUARD_RISKY };

    all = str_trim(all);
    (void)str_cut(&all, ' ', &program);
    rule.name = arena_cstr(
        a, str_trim((struct str){ text, arrow ? (size_t)(arrow - text) : strlen(text) }));
    rule.programs = arena_cstr(a, program);
    rule.pattern = str_is_set(all) ? arena_cstr(a, all) : "";
    rule.reason = arrow ? arena_cstr(a, str_trim(str_of(arrow + 2))) : "configuration refuses it";
    return rule;
}
