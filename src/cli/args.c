#include "cli/args.h"

#include "base/suggest.h"
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

struct parser {
    struct cli *cli;
    const struct arg *flags;
    char **argv;
    int argc, at;
    struct words *words;
    bool help;
    int rc;
};

static bool misuse(struct parser *p, int rc)
{
    p->rc = rc;
    return false;
}

static bool unknown_flag(struct parser *p, const char *name)
{
    struct arena *a = &p->cli->arena;
    const char *verb = p->cli->verb->name, *known[64], *nearest;
    size_t count = 0;

    known[count++] = "help";
    for (const struct arg *f = p->flags; f->name && count < ARRAY_LEN(known); f++)
        known[count++] = f->name;
    nearest = str_nearest(name, known, count);
    if (nearest)
        nearest = arena_printf(a, "--%s", nearest);
    return misuse(p, cli_misuse(p->cli, "%s: unknown flag '--%s'%s", verb, name,
                                suggest(a, nearest,
                                        arena_printf(a, "; 'hooke %s --help' lists them", verb))));
}

static bool read_number(struct parser *p, const struct arg *f, const char *text)
{
    char *end;

    errno = 0;
    *(uint64_t *)f->out = strtoull(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && text[0] != '-' && text[0] != ' ')
        return true;
    return misuse(p, cli_misuse(p->cli, "%s: '--%s' takes a whole number, not '%s'",
                                p->cli->verb->name, f->name, text));
}

static void add_to_list(struct parser *p, struct arg_list *list, const char *text)
{
    if (!list->values)
        list->values = arena_array(&p->cli->arena, const char *, (size_t)p->argc);
    list->values[list->count++] = text;
}

static bool set_flag(struct parser *p, const struct arg *f, const char *text)
{
    switch (f->kind) {
    case ARG_IS_SWITCH:
        *(bool *)f->out = true;
        return true;
    case ARG_IS_TEXT:
        *(const char **)f->out = text;
        return true;
    case ARG_IS_NUMBER:
        return read_number(p, f, text);
    case ARG_IS_LIST:
        add_to_list(p, f->out, text);
        return true;
    }
    return true;
}

/* A following "--flag" is taken for a flag and not for the value. */
static bool take_value(struct parser *p, const struct arg *f, const char *attached)
{
    const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;

    if (attached)
        return set_flag(p, f, attached);
    if (!next || (next[0] == '-' && next[1] == '-'))
        return misuse(p, cli_misuse(p->cli, "%s: '--%s' needs a value: --%s=%s", p->cli->verb->name,
                                    f->name, f->name, f->value));
    p->at++;
    return set_flag(p, f, next);
}

static bool long_flag(struct parser *p, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *name =
        equals ? arena_printf(&p->cli->arena, "%.*s", (int)(equals - text), text) : text;

    if (strcmp(name, "help") == 0) {
        p->help = true;
        return true;
    }
    for (const struct arg *f = p->flags; f->name; f++) {
        if (strcmp(f->name, name) != 0)
            continue;
        if (f->kind != ARG_IS_SWITCH)
            return take_value(p, f, equals ? equals + 1 : NULL);
        if (equals)
            return misuse(
                p, cli_misuse(p->cli, "%s: '--%s' takes no value", p->cli->verb->name, name));
        return set_flag(p, f, NULL);
    }
    return unknown_flag(p, name);
}

static const struct arg *find_letter(const struct parser *p, char letter)
{
    for (const struct arg *f = p->flags; f->name; f++)
        if (f->letter == letter)
            return f;
    return NULL;
}

static bool short_flags(struct parser *p, const char *letters)
{
    for (; *letters; letters++) {
        const struct arg *f = find_letter(p, *letters);

        if (*letters == 'h') {
            p->help = true;
            continue;
        }
        if (!f)
            return misuse(p,
                          cli_misuse(p->cli, "%s: unknown flag '-%c'; 'hooke %s --help' lists them",
                                     p->cli->verb->name, *letters, p->cli->verb->name));
        if (f->kind != ARG_IS_SWITCH)
            return take_value(p, f, letters[1] ? letters + 1 : NULL);
        set_flag(p, f, NULL);
    }
    return true;
}

/* "-" is standard input and "-1" a number. */
static bool is_word(const char *text)
{
    return text[0] != '-' || text[1] == '\0' || isdigit((unsigned char)text[1]);
}

static bool read_words(struct parser *p)
{
    bool flags_over = false;

    for (p->at = 1; p->at < p->argc; p->at++) {
        const char *text = p->argv[p->at];

        if (flags_over || is_word(text))
            p->words->word[p->words->count++] = text;
        else if (strcmp(text, "--") == 0)
            flags_over = true;
        else if (!(text[1] == '-' ? long_flag(p, text + 2) : short_flags(p, text + 1)))
            return false;
    }
    return true;
}

static void help_row(struct table *t, const struct arg *f)
{
    char letter[] = { '-', f->letter, ',', ' ', '\0' };

    table_cell(t, STYLE_PLAIN, "%s--%s%s%s", f->letter ? letter : "    ", f->name,
               f->value ? " " : "", f->value ? f->value : "");
    table_cell(t, STYLE_PLAIN, "%s", f->help);
}

static void print_help(struct cli *cli, const struct arg *flags)
{
    static const struct column columns[2] = { 0 };
    static const struct arg help = { "help", 'h', ARG_IS_SWITCH, NULL, NULL, "this text" };
    struct table t = {
        .arena = &cli->arena, .columns = columns, .column_count = 2, .indent = 2, .no_titles = true
    };
    const struct verb *v = cli->verb;

    term_put(&cli->out, STYLE_BOLD, "hooke %s", v->name);
    printf(" - %s\n\nusage:\n", v->summary);
    for (struct str rest = str_of(v->usage), line; str_cut(&rest, '\n', &line);)
        printf("  hooke %.*s\n", STR_ARG(line));
    printf("\nflags:\n");
    for (const struct arg *f = flags; f->name; f++)
        help_row(&t, f);
    help_row(&t, &help);
    table_print(&t, &cli->out);
    if (v->more)
        printf("\n%s\n", v->more);
}

bool args_parse(struct cli *cli, const struct arg *flags, int argc, char **argv,
                struct words *words, int *rc)
{
    struct parser p = { .cli = cli, .flags = flags, .argv = argv, .argc = argc, .words = words };

    *words = (struct words){ .word = arena_array(&cli->arena, const char *, (size_t)argc + 1) };
    if (!read_words(&p)) {
        *rc = p.rc;
        return false;
    }
    if (!p.help)
        return true;
    print_help(cli, flags);
    *rc = EXIT_DONE;
    return false;
}
