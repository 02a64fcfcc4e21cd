/* From a shell text to the programs it runs: wrappers come off, texts inside are read in turn. */
#include "base/path.h"
#include "base/strbuf.h"
#include "builtin/command_guard.h"

#define RUNS_MAX  4096
#define DEPTH_MAX 8

#define OPTIONS(program, options)
#define WRAPPER(program, options, operands)
#define SHELL(program)
#define RULE(name, programs, pattern, severity, reason)
#define FETCHER(program) program " "
#define DECODER(program)
static const char fetchers[] =
#include "builtin/command_guard.def"
    ;
#undef FETCHER
#undef DECODER
#define FETCHER(program)
#define DECODER(program) program " "
static const char decoders[] =
#include "builtin/command_guard.def"
    ;
#undef OPTIONS
#undef WRAPPER
#undef SHELL
#undef FETCHER
#undef DECODER
#undef RULE

/* The words of one command on their way to a run. */
struct words {
    const struct shell_command *from;
    const struct shell_commands *all;
    const struct shell_word *list;
    size_t count;
    bool more;
    const struct guard_special *program; /* what the first of them is; NULL: nothing special */
};

/* A program that runs what its words say. */
struct guard_special {
    const char *name;
    void (*read)(struct guard_runs *runs, const struct words *w);
    const char *options; /* of one that is taken off: those with a value */
    size_t operands;     /* and how many there are before the command */
};

static void read_words(struct guard_runs *runs, struct words w);

static void give_up(struct guard_runs *runs, const char *why)
{
    if (!runs->unreadable)
        runs->unreadable = arena_strdup(runs->arena, why);
}

static struct guard_run *add_run(struct guard_runs *runs, const char *program,
                                 const struct shell_word *args, size_t count, struct str raw)
{
    struct guard_run *r = arena_new(runs->arena, struct guard_run);

    if (runs->count++ >= RUNS_MAX) {
        give_up(runs, "it has too many commands");
        return r;
    }
    *r = (struct guard_run){
        .program = program, .args = args, .count = count, .cwd = runs->place.cwd, .raw = raw
    };
    *runs->end = r;
    runs->end = &r->next;
    return r;
}

/* Texts inside --------------------------------------------------------------------------------- */

static void read_text(struct guard_runs *runs, struct str text)
{
    const char *cwd = runs->place.cwd;

    if (runs->depth >= DEPTH_MAX) {
        give_up(runs, "it has too many texts inside each other");
        return;
    }
    runs->depth++;
    guard_runs_read(runs, text);
    runs->depth--;
    runs->place.cwd = cwd;
}

static struct str joined(struct guard_runs *runs, const struct shell_word *list, size_t count)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    for (size_t i = 0; i < count; i++)
        strbuf_printf(&out, "%s%s", i ? " " : "", list[i].seen);
    return (struct str){ arena_cstr(runs->arena, strbuf_str(&out)), out.len };
}

static const char *name_of(const struct shell_word *word)
{
    const char *name = path_basename(word->seen);

    return word->expands && !name[0] ? "?" : name;
}

/* What a command is known to write: echo and printf, and documents that cat passes on. */
static struct str output_of(struct guard_runs *runs, const struct shell_command *c)
{
    const char *name = c->count ? name_of(&c->words[0]) : "";

    if (strcmp(name, "echo") == 0 || strcmp(name, "printf") == 0) {
        size_t from = 1;

        while (from < c->count && c->words[from].seen[0] == '-')
            from++;
        return joined(runs, c->words + from, c->count - from);
    }
    for (const struct shell_redirect *r = c->redirects; r; r = r->next)
        if (str_is_set(r->text))
            return r->text;
    return (struct str){ 0 };
}

static struct str input_of(struct guard_runs *runs, const struct shell_command *c)
{
    for (const struct shell_redirect *r = c->redirects; r; r = r->next)
        if (str_is_set(r->text))
            return r->text;
    return c->piped_from ? output_of(runs, c->piped_from) : (struct str){ 0 };
}

/* Whether what a shell runs comes from one of these programs: by a pipe, or in a substitution. */
static bool comes_from(const struct words *w, const char *programs)
{
    for (const struct shell_command *c = w->from->piped_from; c; c = c->piped_from)
        if (c->count && guard_in_list(programs, name_of(&c->words[0])))
            return true;
    for (const struct shell_command *c = w->all->first; c; c = c->next)
        if (c->within == w->from && c->count && guard_in_list(programs, name_of(&c->words[0])))
            return true;
    return false;
}

static void read_foreign(struct guard_runs *runs, const struct words *w)
{
    if (comes_from(w, fetchers))
        add_run(runs, "remote-script", NULL, 0, w->from->raw);
    else if (comes_from(w, decoders))
        add_run(runs, "decoded-script", NULL, 0, w->from->raw);
}

/* A shell: the text of its -c, or what it reads when it gets no script. */
static void read_shell(struct guard_runs *runs, const struct words *w)
{
    bool text = false, input = true;

    for (size_t i = 1; i < w->count && input; i++) {
        const char *word = w->list[i].seen;

        if (text) {
            read_text(runs, str_of(word));
            input = false;
        } else if (word[0] == '-' || word[0] == '+') {
            text = text || (word[0] == '-' && word[1] != '-' && strchr(word, 'c'));
            i += !text && (strcmp(word, "-o") == 0 || strcmp(word, "-O") == 0);
        } else if (!w->list[i].expands || word[0]) {
            input = false; /* a script */
        }
    }
    read_foreign(runs, w);
    if (input && str_is_set(input_of(runs, w->from)))
        read_text(runs, input_of(runs, w->from));
}

/* "eval" and "watch" put their words together. */
static void read_joined(struct guard_runs *runs, const struct words *w)
{
    size_t from = 1;

    while (from < w->count && w->list[from].seen[0] == '-')
        from++;
    read_text(runs, joined(runs, w->list + from, w->count - from));
    read_foreign(runs, w);
}

static void read_aliases(struct guard_runs *runs, const struct words *w)
{
    for (size_t i = 1; i < w->count; i++) {
        const char *sign = strchr(w->list[i].seen, '=');

        if (sign)
            read_text(runs, str_of(sign + 1));
    }
}

/* The word behind "-c". */
static void read_option(struct guard_runs *runs, const struct words *w)
{
    for (size_t i = 1; i + 1 < w->count; i++)
        if (guard_in_list("-c --command", w->list[i].seen))
            read_text(runs, str_of(w->list[i + 1].seen));
}

/* What follows the host. */
static void read_remote(struct guard_runs *runs, const struct words *w)
{
    size_t i = 0, words;

    while (i + 1 < w->count &&
           guard_is_option(w->list + 1, w->count - 1, i, guard_value_options("ssh"), &words))
        i += words;
    if (i + 2 < w->count)
        read_text(runs, joined(runs, w->list + i + 2, w->count - i - 2));
}

static void read_trap(struct guard_runs *runs, const struct words *w)
{
    if (w->count > 1)
        read_text(runs, str_of(w->list[1].seen));
}

/* find ----------------------------------------------------------------------------------------- */

static bool is_filter(const char *word)
{
    static const char filters[] =
        "-name -iname -path -ipath -wholename -regex -iregex -newer -newermt -mtime -mmin -atime "
        "-amin -ctime -cmin -size -empty -user -group -perm -inum -links -lname -samefile -xtype";

    return guard_in_list(filters, word);
}

/* What -exec runs; without a filter it gets every place where the search starts. */
static void read_exec(struct guard_runs *runs, const struct words *w, size_t at, size_t starts)
{
    struct shell_word *list = arena_array(runs->arena, struct shell_word, w->count + starts);
    size_t count = 0;

    for (; at < w->count && strcmp(w->list[at].seen, ";") != 0; at++) {
        if (strcmp(w->list[at].seen, "+") == 0)
            break;
        if (strcmp(w->list[at].seen, "{}") != 0 || count == 0) {
            list[count++] = w->list[at];
            continue;
        }
        for (size_t i = 0; i < starts; i++)
            list[count++] = w->list[1 + i];
    }
    read_words(runs, (struct words){ w->from, w->all, list, count, false, NULL });
}

static void read_find(struct guard_runs *runs, const struct words *w)
{
    static const struct shell_word rm = { .text = "rm", .seen = "rm" };
    static const struct shell_word recursive = { .text = "-r", .seen = "-r" };
    static const struct shell_word here = { .text = ".", .seen = "." };
    struct shell_word *list = arena_array(runs->arena, struct shell_word, w->count + 3);
    size_t starts = 0, count = 0;
    bool filtered = false;

    while (1 + starts < w->count && !strchr("-(!", w->list[1 + starts].seen[0]))
        starts++;
    for (size_t i = 1 + starts; i < w->count; i++)
        filtered = filtered || is_filter(w->list[i].seen);
    list[count++] = rm;
    list[count++] = recursive;
    for (size_t i = 0; i < starts; i++)
        list[count++] = w->list[1 + i];
    if (starts == 0)
        list[count++] = here;
    for (size_t i = 1 + starts; i < w->count; i++) {
        if (guard_in_list("-exec -execdir -ok -okdir", w->list[i].seen))
            read_exec(runs, w, i + 1, filtered ? 0 : starts);
        else if (strcmp(w->list[i].seen, "-delete") == 0 && !filtered)
            read_words(runs, (struct words){ w->from, w->all, list, count, false, NULL });
    }
}

/* Programs ------------------------------------------------------------------------------------- */

static bool is_assignment(const char *word)
{
    size_t len = strcspn(word, "=");

    return len > 0 && word[len] == '=' && !memchr(word, '/', len);
}

/* "env -S" has its command as one text. */
static void read_split(struct guard_runs *runs, const char *word, const struct shell_word *next)
{
    if (strcmp(word, "-S") == 0 || strcmp(word, "--split-string") == 0) {
        if (next)
            read_text(runs, str_of(next->seen));
    } else if (strncmp(word, "-S", 2) == 0) {
        read_text(runs, str_of(word + 2));
    } else if (strncmp(word, "--split-string=", 15) == 0) {
        read_text(runs, str_of(word + 15));
    }
}

/* Past the wrapper, its options and operands. */
static void unwrap(struct guard_runs *runs, const struct words *whole)
{
    struct words w = *whole;
    const struct guard_special *wrap = w.program;
    bool env = strcmp(wrap->name, "env") == 0;
    size_t operands = wrap->operands, i = 0, words;

    if (strcmp(wrap->name, "flock") == 0) /* it takes a text as well as words */
        read_option(runs, whole);
    w.more = w.more || guard_in_list("xargs parallel", wrap->name);
    w.list++;
    w.count--;
    while (i < w.count) {
        const char *word = w.list[i].seen;

        if (guard_is_option(w.list, w.count, i, wrap->options, &words)) {
            if (strcmp(wrap->name, "command") == 0 && strchr("vV", word[1]) && word[1])
                return; /* it only says where a program is */
            if (env)
                read_split(runs, word, i + 1 < w.count ? &w.list[i + 1] : NULL);
            i += words;
        } else if (strcmp(word, "--") == 0 ||
                   ((env || strcmp(wrap->name, "sudo") == 0) && is_assignment(word))) {
            i++;
        } else if (operands > 0) {
            operands--;
            i++;
        } else {
            break;
        }
    }
    w.list += i;
    w.count -= i;
    read_words(runs, w);
}

static void change_folder(struct guard_runs *runs, const struct words *w)
{
    size_t i = 1;

    while (i < w->count &&
           (strcmp(w->list[i].seen, "--") == 0 || strcmp(w->list[i].seen, "-P") == 0 ||
            strcmp(w->list[i].seen, "-L") == 0))
        i++;
    if (i >= w->count)
        runs->place.cwd = runs->place.home;
    else if (!w->list[i].text || strcmp(w->list[i].text, "-") == 0)
        runs->place.cwd = NULL;
    else if (runs->place.cwd || w->list[i].text[0] == '/')
        runs->place.cwd = path_normalize(
            runs->arena,
            path_join(runs->arena, runs->place.cwd ? runs->place.cwd : "/", w->list[i].text));
}

static const struct guard_special specials[] = {
#define OPTIONS(program, options)
#define WRAPPER(program, options, operands) { program, unwrap, options, operands },
#define SHELL(program)                      { program, read_shell, NULL, 0 },
#define FETCHER(program)
#define DECODER(program)
#define RULE(name, programs, pattern, severity, reason)
#include "builtin/command_guard.def"
#undef OPTIONS
#undef WRAPPER
#undef SHELL
#undef FETCHER
#undef DECODER
#undef RULE
    { .name = ".", .read = read_foreign },     { .name = "alias", .read = read_aliases },
    { .name = "cd", .read = change_folder },   { .name = "eval", .read = read_joined },
    { .name = "find", .read = read_find },     { .name = "pushd", .read = change_folder },
    { .name = "script", .read = read_option }, { .name = "source", .read = read_foreign },
    { .name = "ssh", .read = read_remote },    { .name = "su", .read = read_option },
    { .name = "trap", .read = read_trap },     { .name = "watch", .read = read_joined },
};

static const struct guard_special *special_of(struct guard_runs *runs, const char *name)
{
    if (runs->known_name && strcmp(runs->known_name, name) == 0)
        return runs->known;
    runs->known_name = name;
    runs->known = NULL;
    for (size_t i = 0; i < ARRAY_LEN(specials) && !runs->known; i++)
        if (specials[i].name[0] == name[0] && strcmp(specials[i].name, name) == 0)
            runs->known = &specials[i];
    return runs->known;
}

static void read_words(struct guard_runs *runs, struct words w)
{
    struct guard_run *r;
    const char *name;

    if (w.count == 0 || runs->unreadable)
        return;
    name = name_of(&w.list[0]);
    r = add_run(runs, name, w.list + 1, w.count - 1, w.from->raw);
    r->more = w.more;
    r->input = input_of(runs, w.from);
    w.program = special_of(runs, name);
    if (w.program) {
        w.program->read(runs, &w);
    } else if (strcmp(name, "?") == 0) { /* if it is empty, the next word is the program */
        w.list++;
        w.count--;
        read_words(runs, w);
    }
}

/* Texts ---------------------------------------------------------------------------------------- */

static void read_redirects(struct guard_runs *runs, const struct shell_command *c)
{
    for (const struct shell_redirect *r = c->redirects; r; r = r->next)
        if (r->kind == SHELL_WRITE || r->kind == SHELL_APPEND)
            add_run(runs, r->kind == SHELL_WRITE ? ">" : ">>", &r->word, 1, c->raw);
}

/* f() { f | f & }: a function that pipes into itself. */
static bool is_bomb(const struct shell_command *c)
{
    const struct shell_command *from = c->piped_from;

    return c->function && from && c->count && from->count && c->function == from->function &&
           strcmp(c->words[0].seen, c->function) == 0 &&
           strcmp(from->words[0].seen, c->function) == 0;
}

/* A folder that was changed to inside of ( ) or $( ) counts there only. */
struct folders {
    const char *outside[32]; /* by how many ( ) are open */
    const struct shell_command *within;
    const char *before; /* the folder outside of the substitution */
    unsigned parens, subshell;
};

static void enter(struct guard_runs *runs, struct folders *f, const struct shell_command *c)
{
    unsigned last = ARRAY_LEN(f->outside) - 1, level = c->parens < last ? c->parens : last;

    if (c->within != f->within) {
        if (!f->within)
            f->before = runs->place.cwd;
        else
            runs->place.cwd = f->before;
        f->within = c->within;
    }
    if (level < f->parens)
        runs->place.cwd = f->outside[level];
    else if (level == f->parens && c->subshell != f->subshell && level > 0)
        runs->place.cwd = f->outside[level - 1];
    for (unsigned i = f->parens; i < level; i++)
        f->outside[i] = runs->place.cwd;
    f->parens = level;
    f->subshell = c->subshell;
}

void guard_runs_read(struct guard_runs *runs, struct str text)
{
    const struct shell_variable variables[] = {
        { "HOME", runs->place.home },
        { "IFS", " " },
        { runs->place.cwd ? "PWD" : NULL, runs->place.cwd },
        { NULL, NULL },
    };
    struct folders folders = { 0 };
    struct shell_commands all;
    struct err e = { 0 };

    if (!runs->end)
        runs->end = &runs->first;
    if (shell_commands_read(runs->arena, text, variables, &all, &e) < 0)
        give_up(runs, e.msg);
    for (const struct shell_command *c = all.first; c; c = c->next) {
        const char *unreadable = runs->unreadable;

        runs->unreadable = NULL; /* what was read before it counts */
        enter(runs, &folders, c);
        if (is_bomb(c))
            add_run(runs, "fork-bomb", NULL, 0, c->raw);
        read_redirects(runs, c);
        read_words(runs, (struct words){ c, &all, c->words, c->count, false, NULL });
        runs->unreadable = unreadable ? unreadable : runs->unreadable;
    }
}
