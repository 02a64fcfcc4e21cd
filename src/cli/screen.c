#include "cli/screen.h"

#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/screen_json.h"

#include <poll.h>
#include <stdio.h>

/* Pieces -------------------------------------------------------------------------------------- */

static void end_text(struct screen *s)
{
    if (s->in_text)
        putchar('\n');
    fflush(stdout);
    if (s->in_thought)
        fputs(s->err.colour ? "\033[0m\n" : "\n", stderr);
    s->in_text = s->in_thought = s->half = false;
}

static void put(const struct screen *s, enum style style, const char *text)
{
    if (s->err.colour && style != STYLE_PLAIN)
        fprintf(stderr, "%s%s\033[0m\n", term_style(style), text);
    else
        fprintf(stderr, "%s\n", text);
}

/* One line, cut where the terminal ends. */
static void line(struct screen *s, unsigned depth, enum style style, const char *text)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *whole = arena_printf(&a, "%*s%s", (int)depth * 2, "", term_clean(&a, text));

    end_text(s);
    put(s, style, s->err.width ? term_cut(&a, whole, s->err.width - 1) : whole);
}

/* Where to break a text that is too wide: after `*next` bytes the rest goes on. */
static size_t fit(const char *text, unsigned columns, size_t *next)
{
    size_t space = 0, i = 0;
    unsigned used = 0;

    for (; text[i] && used <= columns; i++) {
        if (text[i] == ' ' && i)
            space = i;
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            used++;
    }
    if (!text[i] && used <= columns) {
        *next = i;
        return i;
    }
    if (space) {
        *next = space + 1;
        return space;
    }
    do /* a word wider than the terminal: before its last character */
        i--;
    while (i && ((unsigned char)text[i] & 0xc0) == 0x80);
    *next = i;
    return i;
}

/* As many lines as it takes, those after the first further in. */
static void wrapped(struct screen *s, unsigned depth, enum style style, const char *text)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *rest = term_clean(&a, text);
    unsigned indent = depth * 2 + 2, width = s->err.width > indent + 22 ? s->err.width - 1 : 0;

    end_text(s);
    do {
        size_t next = strlen(rest), len = width ? fit(rest, width - indent, &next) : next;

        put(s, style, arena_printf(&a, "%*s%.*s", (int)indent, "", (int)len, rest));
        rest += next;
        indent = depth * 2 + 4;
    } while (*rest);
}

void screen_say(struct screen *s, enum style style, const char *text)
{
    spinner_quiet(s->spinner);
    line(s, 0, style, text);
}

const char *screen_gist(struct arena *a, const struct json *args)
{
    static const char *const keys[] = { "command",     "path",   "pattern", "url",
                                        "description", "prompt", "name" };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *text = json_cstr(a, json_get(args, str_of(keys[i])));

        if (text)
            return text;
    }
    return "";
}

/* Text ---------------------------------------------------------------------------------------- */

/* No model drives the reader's terminal: control characters of either kind are left out. */
static void put_safely(struct screen *s, FILE *to, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (s->half && (c < 0x80 || c >= 0xa0))
            putc(0xc2, to);
        else if (s->half)
            c = 0; /* U+0080 to U+009F */
        s->half = c == 0xc2;
        if (!s->half && ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t'))
            putc(c, to);
    }
}

static void show_text(struct screen *s, struct str text)
{
    if (s->in_thought)
        end_text(s);
    if (s->cli->out.tty)
        put_safely(s, stdout, text);
    else
        fwrite(text.ptr, 1, text.len, stdout);
    fflush(stdout);
    if (text.len)
        s->in_text = text.ptr[text.len - 1] != '\n';
}

static void show_thought(struct screen *s, struct str text)
{
    if (s->in_text)
        end_text(s);
    if (!s->in_thought && s->err.colour)
        fputs(term_style(STYLE_DIM), stderr);
    put_safely(s, stderr, text);
    fflush(stderr);
    s->in_thought = true;
}

/* Lines --------------------------------------------------------------------------------------- */

static void show_failed_tool(struct screen *s, struct arena *a, const struct show *w)
{
    const char *output = json_cstr(a, w->json);

    if (!w->ok)
        line(s, w->depth, STYLE_DIM,
             arena_printf(a, "  %s: %s", w->tool, output && output[0] ? output : "failed"));
}

/* How a run failed says so itself. */
static const char *hook_line(struct arena *a, const struct show *w, const char *text)
{
    if (strcmp(w->tool, "failed") == 0 && text[0])
        return arena_printf(a, "hook '%s' %s", w->hook, text);
    return arena_printf(a, "hook '%s' %s%s%s", w->hook, w->tool, text[0] ? ": " : "", text);
}

static void show_line(struct screen *s, const struct show *w)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = arena_cstr(&a, str_is_set(w->text) ? w->text : STR(""));

    switch (w->kind) {
    case SHOW_TOOL_BEGIN:
        line(s, w->depth, STYLE_BLUE,
             arena_printf(&a, "• %s %s", w->tool, screen_gist(&a, w->json)));
        break;
    case SHOW_TOOL_END:
        show_failed_tool(s, &a, w);
        break;
    case SHOW_HOOK:
        if (!w->routine)
            wrapped(s, w->depth, STYLE_YELLOW, hook_line(&a, w, text));
        break;
    case SHOW_FALLBACK:
        wrapped(s, w->depth, STYLE_YELLOW, arena_printf(&a, "from here on '%s' answers", text));
        break;
    case SHOW_FOLLOW_UP:
        line(s, w->depth, STYLE_DIM, arena_printf(&a, "> %s", text));
        break;
    case SHOW_SAY:
    case SHOW_RETRY:
    case SHOW_NOTE:
    case SHOW_COMPACTED:
        wrapped(s, w->depth, STYLE_YELLOW, text);
        break;
    default:
        break;
    }
}

/* Waiting ------------------------------------------------------------------------------------- */

static void wait_for_more(struct screen *s, const struct show *w)
{
    CLEANUP(arena) struct arena a = { 0 };

    if (w->depth == 0 && (w->kind == SHOW_SESSION || w->kind == SHOW_FALLBACK))
        (void)snprintf(s->waits_for, sizeof(s->waits_for), "%.*s", STR_ARG(w->text));
    if ((s->in_text && s->cli->out.tty) || s->in_thought)
        return; /* the line is not ours */
    if (w->kind == SHOW_TOOL_BEGIN)
        spinner_wait(s->spinner, arena_printf(&a, "%s %s", w->tool, screen_gist(&a, w->json)));
    else
        spinner_wait(s->spinner, s->waits_for);
}

/* `hooke run … | head -1`: work that nobody follows is not paid for. */
static void stop_unread(struct screen *s)
{
    if (s->unread || !ferror(stdout) || !cli_reader_has_gone())
        return;
    s->unread = true;
    interrupt_raise();
}

static void show(void *context, const struct show *w)
{
    struct screen *s = context;

    if (s->options.json) {
        screen_json_show(w);
        stop_unread(s);
        return;
    }
    spinner_quiet(s->spinner);
    if (w->kind == SHOW_TEXT && w->depth == 0)
        show_text(s, w->text);
    else if (w->kind == SHOW_REASONING && w->depth == 0 && s->options.thinking)
        show_thought(s, w->text);
    else if (w->kind == SHOW_TEXT_END && w->depth == 0)
        end_text(s);
    else
        show_line(s, w);
    stop_unread(s);
    wait_for_more(s, w);
}

/* Asking -------------------------------------------------------------------------------------- */

/* A line from the terminal, unless something ends the waiting first. */
static bool read_answer(const struct screen *s, char *answer, size_t size)
{
    struct pollfd fds[] = {
        { .fd = STDIN_FILENO, .events = POLLIN },
        { .fd = s->options.abort_fd > 0 ? s->options.abort_fd : -1, .events = POLLIN },
    };
    ssize_t n;

    while (poll(fds, 2, -1) < 0)
        ;
    if (fds[1].revents)
        return false;
    n = read(STDIN_FILENO, answer, size - 1);
    answer[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool consent(void *context, const char *tool, const struct json *args, const char *why)
{
    struct screen *s = context;
    CLEANUP(arena) struct arena a = { 0 };
    char answer[256];

    spinner_quiet(s->spinner);
    wrapped(s, 0, STYLE_YELLOW, why);
    fprintf(stderr, "  allow %s %s? [y/N] ", tool, term_clean(&a, screen_gist(&a, args)));
    fflush(stderr);
    if (!read_answer(s, answer, sizeof(answer))) {
        fputc('\n', stderr);
        return false;
    }
    return answer[0] == 'y' || answer[0] == 'Y';
}

/* Beginning and end --------------------------------------------------------------------------- */

void screen_open(struct screen *s, struct cli *cli, const struct screen_options *o)
{
    *s = (struct screen){ .cli = cli, .options = *o, .err = term_of(STDERR_FILENO) };
    s->agent = (struct agent_screen){ .context = s, .show = show };
    s->begun_ns = clock_mono_ns();
    if (!s->err.tty)
        s->err.width = 0;
    if (o->json)
        return;
    s->spinner = spinner_start(&s->err);
    if (isatty(STDIN_FILENO) == 1 && s->err.tty)
        s->agent.consent = consent;
}

void screen_begin(struct screen *s)
{
    s->begun_ns = clock_mono_ns();
    if (s->waits_for[0])
        spinner_wait(s->spinner, s->waits_for);
}

void screen_close(struct screen *s)
{
    spinner_stop(s->spinner);
    s->spinner = NULL;
}

const char *screen_end_name(enum agent_end end)
{
    static const char *const ends[] = {
        [AGENT_DONE] = "done",     [AGENT_BLOCKED] = "blocked", [AGENT_STOPPED] = "stopped",
        [AGENT_FAILED] = "failed", [AGENT_ABORTED] = "aborted",
    };

    return ends[end];
}

/* 940 "940", 12345 "12.3k". */
static const char *count(struct arena *a, int64_t n)
{
    if (n < 1000)
        return arena_printf(a, "%lld", (long long)n);
    if (n < 1000000)
        return arena_printf(a, "%.1fk", (double)n / 1000);
    return arena_printf(a, "%.1fM", (double)n / 1000000);
}

static void add_totals(struct strbuf *text, struct arena *a, const struct agent_outcome *o)
{
    const struct usage *u = &o->usage;

    strbuf_printf(text, "%u turn%s · %s tokens in", o->turns, o->turns == 1 ? "" : "s",
                  count(a, usage_sent(u)));
    if (u->cache_read)
        strbuf_printf(text, " (%s cached)", count(a, u->cache_read));
    strbuf_printf(text, ", %s out", count(a, u->output + u->reasoning));
    if (o->cost > 0)
        strbuf_printf(text, " · $%.4f", o->cost);
}

void screen_end(struct screen *s, const struct agent_outcome *o)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };
    uint64_t took = clock_mono_ns() - s->begun_ns;

    if (s->options.json) {
        screen_json_end(o);
        return;
    }
    spinner_quiet(s->spinner);
    end_text(s);
    if (!s->err.tty)
        return;
    add_totals(&text, &a, o);
    strbuf_printf(&text, " · %.1f s, hooks %s", (double)took / 1e9, term_duration(&a, o->hook_ns));
    if (s->options.no_id) {
        line(s, 0, STYLE_DIM, strbuf_cstr(&text));
        return;
    }
    if (term_columns(strbuf_cstr(&text)) + 3 + strlen(o->session) < s->err.width) {
        strbuf_printf(&text, " · %s", o->session);
        line(s, 0, STYLE_DIM, strbuf_cstr(&text));
        return;
    }
    line(s, 0, STYLE_DIM, strbuf_cstr(&text));
    line(s, 0, STYLE_DIM, o->session);
}
