#include "cli/editor.h"

#include "base/dl.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <wchar.h>

#define TEXT_MAX     ((size_t)1 << 20)
#define HISTORY_SIZE 1000

struct edit_functions {
    EditLine *(*init)(const char *program, FILE *in, FILE *out, FILE *err);
    void (*end)(EditLine *el);
    int (*set)(EditLine *el, int what, ...);
    const char *(*gets)(EditLine *el, int *count);
    void (*resize)(EditLine *el);
    History *(*history_init)(void);
    void (*history_end)(History *h);
    int (*history)(History *h, HistEvent *event, int what, ...);
};

static const struct dl_symbol symbols[] = {
    { "el_init", offsetof(struct edit_functions, init) },
    { "el_end", offsetof(struct edit_functions, end) },
    { "el_set", offsetof(struct edit_functions, set) },
    { "el_gets", offsetof(struct edit_functions, gets) },
    { "el_resize", offsetof(struct edit_functions, resize) },
    { "history_init", offsetof(struct edit_functions, history_init) },
    { "history_end", offsetof(struct edit_functions, history_end) },
    { "history", offsetof(struct edit_functions, history) },
};

struct editor {
    struct edit_functions edit;
    EditLine *el;
    History *history;
    char *file;
    int abort_fd;
    bool goes_on; /* the prompt is that of a further line */
    bool dropped;
};

/* libedit tells its callbacks nothing of ours, and a process has one terminal. */
static struct editor *current;

/* Typing ----------------------------------------------------------------------------------------
 */

static char *prompt(EditLine *el UNUSED)
{
    static char first[] = "> ", further[] = ". ";

    return current->goes_on ? further : first;
}

/* False: something else is to be done than to read. */
static bool wait_for_key(const struct editor *ed)
{
    struct pollfd fds[] = {
        { .fd = STDIN_FILENO, .events = POLLIN },
        { .fd = ed->abort_fd > 0 ? ed->abort_fd : -1, .events = POLLIN },
    };

    while (poll(fds, ARRAY_LEN(fds), -1) < 0)
        ;
    return fds[1].revents == 0;
}

/* One character, of as many bytes as it has. 1: there it is, 0: the end, -1: never mind. */
static int read_key(EditLine *el UNUSED, wchar_t *c)
{
    mbstate_t state = { 0 };
    char byte;

    for (;;) {
        size_t n;

        if (!wait_for_key(current)) {
            current->dropped = true;
            return -1;
        }
        if (read(STDIN_FILENO, &byte, 1) != 1)
            return 0;
        n = mbrtowc(c, &byte, 1, &state);
        if (n == (size_t)-2)
            continue;
        if (n != (size_t)-1)
            return 1;
        memset(&state, 0, sizeof(state)); /* no character: forget these bytes */
    }
}

/* Lines -----------------------------------------------------------------------------------------
 */

/* Takes the line end and a backslash before it off. True: there is more to come. */
static bool add_line(struct strbuf *all, const char *line)
{
    struct str text = { line, strcspn(line, "\n") };
    bool more = text.len > 0 && text.ptr[text.len - 1] == '\\';

    strbuf_add(all, text.ptr, text.len - more);
    if (more)
        strbuf_addch(all, '\n');
    return more;
}

static void remember(struct editor *ed, const char *text)
{
    HistEvent event;

    ed->edit.history(ed->history, &event, H_ENTER, text);
    if (ed->file)
        ed->edit.history(ed->history, &event, H_SAVE, ed->file);
}

enum editor_result editor_read(struct editor *ed, struct arena *a, char **text)
{
    CLEANUP(strbuf) struct strbuf all = { .max = TEXT_MAX };

    ed->goes_on = ed->dropped = false;
    do {
        int count = 0;
        const char *line;

        ed->edit.resize(ed->el);
        /* Before the prompt is seen: a Ctrl-D that comes earlier would be lost. */
        ed->edit.set(ed->el, EL_PREP_TERM, 1);
        line = ed->edit.gets(ed->el, &count);
        if (ed->dropped)
            return EDITOR_DROPPED;
        if (!line || count <= 0)
            return EDITOR_END;
        ed->goes_on = add_line(&all, line);
    } while (ed->goes_on);
    *text = arena_cstr(a, strbuf_str(&all));
    if (str_trim(strbuf_str(&all)).len)
        remember(ed, *text);
    return EDITOR_TEXT;
}

/* Beginning and end -----------------------------------------------------------------------------
 */

/* Characters of more than a byte are only known where the locale says so. */
static void choose_locale(void)
{
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
        (void)setlocale(LC_CTYPE, "C.UTF-8");
}

static void load_history(struct editor *ed, const char *file)
{
    CLEANUP(arena) struct arena a = { 0 };
    HistEvent event;

    ed->edit.history(ed->history, &event, H_SETSIZE, HISTORY_SIZE);
    ed->edit.history(ed->history, &event, H_SETUNIQUE, 1);
    if (!file || file_mkdirs(path_dirname(&a, file), NULL) < 0)
        return;
    ed->file = xstrdup(file);
    ed->edit.history(ed->history, &event, H_LOAD, file);
}

int editor_open(struct editor **out, int abort_fd, const char *history, struct err *e)
{
    struct editor *ed = xcalloc(1, sizeof(*ed));
    int r = dl_load("libedit.so.2", symbols, ARRAY_LEN(symbols), &ed->edit, e);

    if (r < 0) {
        free(ed);
        return r;
    }
    choose_locale();
    current = ed;
    ed->abort_fd = abort_fd;
    ed->history = ed->edit.history_init();
    ed->el = ed->edit.init("hooke", stdin, stdout, stderr);
    if (!ed->el || !ed->history) {
        editor_close(ed);
        return err_set(e, -EIO, "the terminal cannot be used for typing: is TERM set?");
    }
    load_history(ed, history);
    ed->edit.set(ed->el, EL_EDITOR, "emacs");
    ed->edit.set(ed->el, EL_SIGNAL, 0);
    ed->edit.set(ed->el, EL_PROMPT, prompt);
    ed->edit.set(ed->el, EL_HIST, ed->edit.history, ed->history);
    ed->edit.set(ed->el, EL_GETCFN, read_key);
    *out = ed;
    return 0;
}

void editor_close(struct editor *ed)
{
    if (!ed)
        return;
    if (ed->el)
        ed->edit.end(ed->el);
    if (ed->history)
        ed->edit.history_end(ed->history);
    current = NULL;
    free(ed->file);
    free(ed);
}
