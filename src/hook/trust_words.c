#include "hook/trust_words.h"

#include "base/path.h"
#include "base/strbuf.h"
#include "hook/trust.h"
#include "hook/trust_where.h"

#include <unistd.h>

/* The copy that runs for a file, after all checks. */
static int copy_of(struct arena *a, const struct trust_request *rq, const struct trust_where *where,
                   const struct trust_named *named, const char **copy, struct err *e)
{
    struct err why = { 0 };
    struct str text;
    int r;

    if (access(named->path, F_OK) == 0 && trust_owner_check(named->path, &why) < 0)
        return err_set(e, TRUST_REFUSED, "%s", why.msg);
    if (named->program && access(named->path, F_OK) == 0 && access(named->path, X_OK) < 0)
        return err_set(e, TRUST_REFUSED, "'%s' is not executable, run chmod +x on it", named->path);
    r = trust_text(a, rq->config->trust, named->path, &text, e);
    if (r == 0 && named->program)
        r = trust_check_interpreter(where, text, e);
    return r < 0 ? r : trust_keep(a, named->path, text, copy, e);
}

static char *keep_front(struct arena *a, const char *word, size_t keep, const char *path)
{
    return arena_printf(a, "%.*s%s", (int)keep, word, path);
}

/* "NAME=" or "--option=" in front of a word, which must stay outside quotes to mean what it does.
 */
static size_t plain_front(struct str raw, const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

    return text[len] == '=' && raw.len > len && strncmp(raw.ptr, text, len + 1) == 0 ? len + 1 : 0;
}

static void put_word(struct arena *a, struct strbuf *out, struct str raw, const char *text)
{
    size_t front = plain_front(raw, text);

    strbuf_add(out, text, front);
    strbuf_addstr(out, shell_quote(a, text + front));
}

/*
 * The text with copies, and with words that variables were put in as they were understood, so that
 * neither a file nor the environment can make them other words.
 */
static const char *rewrite_text(struct arena *a, struct str text, const struct trust_names *names,
                                const char *const *copies)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    size_t at = 0, next = 0;

    for (size_t i = 0; i < names->shell.count; i++) {
        const struct shell_word *w = &names->shell.list[i];
        bool named = next < names->count && names->list[next].word == i;
        const char *word = w->text;

        if (!named && (!word || !w->filled))
            continue;
        if (named)
            word = keep_front(a, word, names->list[next].keep, copies[next]);
        next += named;
        strbuf_add(&out, text.ptr + at, w->at - at);
        put_word(a, &out, (struct str){ text.ptr + w->at, w->len }, word);
        at = w->at + w->len;
    }
    strbuf_add(&out, text.ptr + at, text.len - at);
    return arena_cstr(a, strbuf_str(&out));
}

/* Users name their own programs; only that nobody else can write them is looked at. */
static int check_own(struct arena *a, const struct trust_request *rq, const char **argv,
                     struct err *e)
{
    const struct setting *command = rq->command;
    bool script = str_is(command->key, "script");
    struct err why = { 0 };

    if (command->kind != SETTING_LIST && !script)
        return 0;
    if (script || strchr(argv[0], '/'))
        argv[0] = path_normalize(a, path_join(a, path_dirname(a, command->origin.file), argv[0]));
    if (argv[0][0] != '/')
        return 0;
    if (trust_owner_check(argv[0], &why) != -EPERM)
        return 0; /* if it is not there, starting it will say so */
    return err_set(e, TRUST_REFUSED, "%s", why.msg);
}

static int put_copies(struct arena *a, const struct trust_request *rq, struct trust_names *names,
                      struct err *e)
{
    const char **copies = arena_array(a, const char *, names->count + 1);
    bool text = rq->command->kind != SETTING_LIST && !str_is(rq->command->key, "script");
    const struct trust_where where = trust_where(a, rq);
    int r = 0;

    for (size_t i = 0; r == 0 && i < names->count; i++)
        r = copy_of(a, rq, &where, &names->list[i], &copies[i], e);
    if (r < 0)
        return r;
    if (text) {
        names->argv[2] = rewrite_text(a, rq->command->text, names, copies);
        return 0;
    }
    for (size_t i = 0; i < names->count; i++) {
        const struct trust_named *named = &names->list[i];

        names->argv[named->word] = keep_front(a, names->argv[named->word], named->keep, copies[i]);
    }
    return 0;
}

int trust_look(struct arena *a, const struct trust_request *rq, struct trust_command *out,
               struct err *e)
{
    struct trust_names names;
    int r = trust_names(a, rq, &names, e);

    *out = (struct trust_command){ .argv = names.argv };
    if (rq->command->origin.source != SOURCE_WORKSPACE)
        return check_own(a, rq, names.argv, e);
    if (r == 0)
        r = put_copies(a, rq, &names, e);
    if (r == 0 && names.count)
        out->file = arena_printf(a, "HOOKE_FILE=%s", names.list[0].path);
    return r;
}

int trust_command(struct arena *a, const struct trust_request *rq, struct trust_command *out,
                  struct err *e)
{
    int r = trust_look(a, rq, out, e);

    return r < 0 ? err_wrap(e, r, "did not run") : 0;
}
