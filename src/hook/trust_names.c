/* Which files a command of the workspace names. */
#include "base/path.h"
#include "base/strbuf.h"
#include "hook/trust.h"
#include "hook/trust_where.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASES_MAX  8
#define PIECES_MAX 4096

struct naming {
    struct arena *arena;
    const struct trust_request *rq;
    struct trust_names *out;
    struct trust_where where;
    const struct trust_pinned *pins; /* ended by one without a path */
    const char *bases[BASES_MAX];    /* where a relative name is looked for, in this order */
    size_t base_count;
    bool lost;       /* the text changes to a folder that only the shell knows */
    unsigned pieces; /* looked at so far */
};

static bool is_kind(const char *path, mode_t kind)
{
    struct stat st;

    return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static char *absolute(const struct naming *n, size_t base, const char *word)
{
    return path_normalize(n->arena, path_join(n->arena, n->bases[base], word));
}

/* The first of the folders that has it, or NULL. */
static char *find(const struct naming *n, const char *word, mode_t kind)
{
    if (!word[0] || strlen(word) >= 4096)
        return NULL;
    for (size_t i = 0; i < n->base_count; i++) {
        char *path = absolute(n, i, word);

        if (is_kind(path, kind))
            return path;
    }
    return NULL;
}

/*
 * Where a pinned file is expected that is none now: a folder or a pipe in its place, or nothing,
 * must not be what the word means.
 */
static char *find_pinned(const struct naming *n, const char *word)
{
    if (!word[0] || strlen(word) >= 4096 || !n->pins)
        return NULL;
    for (size_t i = 0; i < n->base_count; i++) {
        char *path = absolute(n, i, word);
        const char *name = trust_name(n->arena, path);

        for (const struct trust_pinned *p = n->pins; p->path; p++)
            if (strcmp(p->path, name) == 0)
                return path;
    }
    return NULL;
}

static char *find_file(const struct naming *n, const char *word)
{
    char *path = find(n, word, S_IFREG);

    return path ? path : find_pinned(n, word);
}

static bool is_odd(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A pipe, a socket or a device of the workspace has no bytes to pin. */
static bool is_odd_word(const struct naming *n, const char *word)
{
    for (size_t i = 0; i < n->base_count && word[0] && strlen(word) < 4096; i++) {
        const char *path = absolute(n, i, word);

        if (is_odd(path) && trust_is_inside(&n->where, path))
            return true;
    }
    return false;
}

static bool may_stay(const struct naming *n, struct str word)
{
    const struct setting *list = n->rq->unpinned;

    for (const struct setting *s = list ? list->first : NULL; s; s = s->next)
        if (word.ptr && str_eq(s->text, word))
            return true;
    return false;
}

static void add_named(struct naming *n, const struct trust_named *named)
{
    struct trust_names *out = n->out;

    out->list = arena_grow(n->arena, out->list, out->count, &out->room, sizeof(*out->list));
    out->list[out->count++] = *named;
}

static void add_note(struct naming *n, const char *note)
{
    struct trust_names *out = n->out;

    out->notes =
        arena_grow(n->arena, out->notes, out->note_count, &out->note_room, sizeof(*out->notes));
    out->notes[out->note_count++] = note;
}

/* Where programs are looked for ---------------------------------------------------------------- */

/* What "PATH=…" sets it to, or NULL. */
static const char *search_path_of(const char *word)
{
    if (strncmp(word, "PATH=", 5) == 0)
        return word + 5;
    return strncmp(word, "PATH+=:", 7) == 0 ? word + 7 : NULL;
}

static int check_search_path(const struct naming *n, struct str list, struct err *e)
{
    struct str folder;

    while (str_cut(&list, ':', &folder))
        if (folder.len == 0 || folder.ptr[0] != '/' ||
            trust_is_inside(&n->where, arena_cstr(n->arena, folder)))
            return err_set(e, TRUST_REFUSED, "its PATH has '%.*s', where programs can't be pinned",
                           STR_ARG(folder));
    return 0;
}

/* Inside longer texts -------------------------------------------------------------------------- */

static int refuse_inside(const char *file, struct err *e)
{
    return err_set(
        e, TRUST_REFUSED,
        "it names '%s' inside a longer text, where it can't be pinned: make it a word of "
        "its own or put the text in a script file",
        file);
}

static bool is_path_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80 || str_has_char("._/@%+~-", c);
}

static bool is_workspace_file(const struct naming *n, const char *word)
{
    const char *path = find(n, word, S_IFREG);

    return path && trust_is_inside(&n->where, path) && trust_needs_pin(&n->where, path);
}

/* Whatever looks like a path, in any language. */
static int check_pieces(struct naming *n, const char *text, struct err *e)
{
    while (*text) {
        size_t len = 0;
        const char *piece;

        while (is_path_char(text[len]))
            len++;
        if (len == 0) {
            text++;
            continue;
        }
        if (++n->pieces > PIECES_MAX)
            return err_set(e, TRUST_REFUSED,
                           "it is too long to be checked: put it in a script file");
        piece = arena_cstr(n->arena, (struct str){ text, len });
        if (is_workspace_file(n, piece))
            return refuse_inside(piece, e);
        text += len;
    }
    return 0;
}

/* A text that another shell may be given: names with blanks in quotes. */
static int check_inner_words(const struct naming *n, const char *text, struct err *e)
{
    struct shell_words words;
    int r = 0;

    if (shell_words_parse(n->arena, str_of(text), NULL, &words, NULL) < 0)
        return 0; /* no text for a shell, or one that can't be one word here */
    for (size_t i = 0; r == 0 && i < words.count; i++) {
        const char *path = search_path_of(words.list[i].seen);

        if (words.list[i].text && is_workspace_file(n, words.list[i].text))
            return refuse_inside(words.list[i].text, e);
        if (path)
            r = check_search_path(n, str_of(path), e);
    }
    return r;
}

static int check_text(struct naming *n, const char *text, struct err *e)
{
    int r = check_pieces(n, text, e);

    return r < 0 ? r : check_inner_words(n, text, e);
}

/* Words ---------------------------------------------------------------------------------------- */

/* Where in a word a name may begin: behind '=', or behind the letter of an option, "-ffile". */
static size_t front_of(const char *word)
{
    const char *equals = strchr(word, '=');

    if (equals)
        return (size_t)(equals - word) + 1;
    return word[0] == '-' && word[1] && word[1] != '-' && word[2] ? 2 : 0;
}

static void note_folder(struct naming *n, const char *word, const char *path)
{
    if (path && trust_is_inside(&n->where, path) && !str_is(str_of(path), n->where.root))
        add_note(n, arena_printf(n->arena, "what it uses of the folder '%s'", word));
}

/* `word` is what is known of the word; where it names a file that needs a pin the file is added. */
static int look_at_word(struct naming *n, const char *word, size_t index, struct err *e)
{
    const char *programs = search_path_of(word), *path = find_file(n, word);
    struct trust_named named = { .path = path, .word = index };
    size_t front = front_of(word);

    if (programs)
        return check_search_path(n, str_of(programs), e);
    if (!path && front) {
        path = find_file(n, word + front);
        named = (struct trust_named){ path, index, front, false };
    }
    if (path) {
        if (trust_needs_pin(&n->where, path))
            add_named(n, &named);
        return 0;
    }
    if (is_odd_word(n, word) || (front && is_odd_word(n, word + front)))
        return err_set(e, TRUST_REFUSED, "'%s' is no regular file and can't be pinned", word);
    path = find(n, word, S_IFDIR);
    if (!path && front)
        path = find(n, word + front, S_IFDIR);
    note_folder(n, word, path);
    return path ? 0 : check_text(n, word, e);
}

/* What is executed: it must be one known file, even if it is not there now. */
static void look_at_program(struct naming *n, const char *word, size_t index)
{
    const char *path =
        strchr(word, '/') ? find_file(n, word) : trust_find_in_path(n->arena, &n->where, word);

    if (!path && strchr(word, '/'))
        path = absolute(n, 0, word);
    if (path && trust_needs_pin(&n->where, path))
        add_named(n, &(struct trust_named){ .path = path, .word = index, .program = true });
}

static void add_base(struct naming *n, const char *dir)
{
    for (size_t i = 0; i < n->base_count; i++)
        if (strcmp(n->bases[i], dir) == 0)
            return;
    if (n->base_count < BASES_MAX)
        n->bases[n->base_count++] = dir;
}

static int name_list(struct naming *n, struct err *e)
{
    const struct setting *command = n->rq->command;
    const char *beside = path_dirname(n->arena, command->origin.file);
    bool script = str_is(command->key, "script");
    int r = 0;

    n->bases[n->base_count++] = beside;
    if (script || strchr(n->out->argv[0], '/'))
        look_at_program(n, path_join(n->arena, beside, n->out->argv[0]), 0);
    else
        look_at_program(n, n->out->argv[0], 0);
    if (script && n->out->count)
        n->out->list[0].program = false;
    add_base(n, n->where.root);
    if (n->rq->cwd)
        add_base(n, n->rq->cwd);
    for (size_t i = 1; r == 0 && n->out->argv[i]; i++)
        if (!may_stay(n, str_of(n->out->argv[i])))
            r = look_at_word(n, n->out->argv[i], i, e);
    return r;
}

/* Texts for the shell -------------------------------------------------------------------------- */

/* `cd` somewhere: names are looked for there first from now on. */
static void change_folder(struct naming *n, const struct shell_words *words, size_t i)
{
    const struct shell_word *to = ++i < words->count ? &words->list[i] : NULL;
    const char *dir;

    if (!to || to->command || to->written)
        return;
    dir = to->text ? find(n, to->text, S_IFDIR) : NULL;
    n->lost = n->lost || !dir || n->base_count == BASES_MAX;
    if (n->lost)
        return;
    memmove(n->bases + 1, n->bases, n->base_count * sizeof(n->bases[0]));
    n->bases[0] = dir;
    n->base_count++;
}

static int refuse_unknown(struct str raw, const char *what, struct err *e)
{
    return err_set(e, TRUST_REFUSED,
                   "%s '%.*s' is known only to the shell and can't be pinned: write its path out, "
                   "from \"$HOOKE_WORKSPACE\" on",
                   what, STR_ARG(raw));
}

static int look_at_unknown(struct naming *n, const struct shell_word *w, struct str raw,
                           struct err *e)
{
    if (w->command)
        return refuse_unknown(raw, "the program", e);
    if (strchr(w->seen, '/'))
        return refuse_unknown(raw, "the path", e);
    add_note(n, arena_printf(n->arena, "what '%.*s' stands for when it runs", STR_ARG(raw)));
    return check_text(n, w->seen, e);
}

static int look_at_shell_word(struct naming *n, size_t i, struct err *e)
{
    const struct shell_word *w = &n->out->shell.list[i];
    const struct str raw = { n->rq->command->text.ptr + w->at, w->len };
    bool relative = w->text && w->text[0] != '/' && strchr(w->text, '/');

    if (w->written)
        return 0;
    if (!w->command && (may_stay(n, raw) || (w->text && may_stay(n, str_of(w->text)))))
        return 0;
    if (!w->text && search_path_of(w->seen))
        return refuse_unknown(raw, "the search path", e);
    if (!w->text)
        return look_at_unknown(n, w, raw, e);
    if (w->command && search_path_of(w->text)) /* "PATH+=…", which is no program to every shell */
        return check_search_path(n, str_of(search_path_of(w->text)), e);
    if (relative && n->lost && (w->command || !find(n, w->text, S_IFREG)))
        return refuse_unknown(raw, "after 'cd' the path", e);
    if (w->command)
        look_at_program(n, w->text, i);
    if (w->command && (strcmp(w->text, "cd") == 0 || strcmp(w->text, "pushd") == 0))
        change_folder(n, &n->out->shell, i);
    return w->command ? 0 : look_at_word(n, w->text, i, e);
}

static int name_text(struct naming *n, struct err *e)
{
    const struct shell_variable variables[] = {
        { "HOOKE_WORKSPACE", n->where.root },
        { "CLAUDE_PROJECT_DIR", n->where.root },
        { "GEMINI_PROJECT_DIR", n->where.root },
        { "HOME", path_home() },
        { NULL, NULL },
    };
    int r = shell_words_parse(n->arena, n->rq->command->text, variables, &n->out->shell, e);

    if (r < 0)
        return err_set(e, TRUST_REFUSED, "%s", arena_strdup(n->arena, e ? e->msg : ""));
    n->bases[n->base_count++] = n->where.root;
    if (n->rq->cwd)
        add_base(n, n->rq->cwd);
    for (size_t i = 0; r == 0 && i < n->out->shell.count; i++)
        r = look_at_shell_word(n, i, e);
    return r;
}

/* Variables ------------------------------------------------------------------------------------ */

static int check_env(struct naming *n, const struct setting *env, struct err *e)
{
    int r = 0;

    if (!env || env->kind != SETTING_MAP)
        return 0;
    for (const struct setting *s = env->first; r == 0 && s; s = s->next) {
        const char *folder = find(n, s->text.ptr, S_IFDIR);

        if (s->origin.source != SOURCE_WORKSPACE)
            continue; /* the user may add to a hook of the workspace */
        if (str_starts(s->key, STR("HOOKE_")))
            return err_set(e, TRUST_REFUSED, "a workspace file may not set '%s'", s->key.ptr);
        if (may_stay(n, s->text))
            continue;
        note_folder(n, s->text.ptr, folder);
        r = str_is(s->key, "PATH") ? check_search_path(n, s->text, e)
                                   : check_text(n, s->text.ptr, e);
    }
    return r;
}

/* ---------------------------------------------------------------------------------------------- */

static const char **read_argv(struct arena *a, const struct setting *command)
{
    const char **argv = arena_array(a, const char *, setting_count(command) + 4);
    size_t count = 0;

    for (const struct setting *word = command->first; word; word = word->next)
        argv[count++] = word->text.ptr;
    if (command->kind == SETTING_LIST)
        return argv;
    if (!str_is(command->key, "script")) {
        argv[count++] = "/bin/sh";
        argv[count++] = "-c";
    }
    argv[count] = command->text.ptr;
    return argv;
}

static const struct trust_pinned *read_pins(struct arena *a, const char *trust_file)
{
    struct trust_pinned *pins;

    return trust_pins(a, trust_file, &pins, NULL) == 0 ? pins : NULL;
}

int trust_names(struct arena *a, const struct trust_request *rq, struct trust_names *out,
                struct err *e)
{
    struct naming n = { .arena = a, .rq = rq, .out = out };
    bool text = rq->command->kind != SETTING_LIST && !str_is(rq->command->key, "script");
    int r;

    *out = (struct trust_names){ .argv = read_argv(a, rq->command) };
    if (rq->command->origin.source != SOURCE_WORKSPACE)
        return 0;
    n.where = trust_where(a, rq);
    n.pins = read_pins(a, rq->config->trust);
    r = text ? name_text(&n, e) : name_list(&n, e);
    if (r == 0)
        r = check_env(&n, rq->env, e);
    return r < 0 ? r : check_env(&n, rq->own_env, e);
}
