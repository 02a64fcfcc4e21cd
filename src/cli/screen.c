#include "cli/screen.h"

#include <stdio.h>

static const char *const names[] = {
    [SHOW_SESSION] = "session",
    [SHOW_TEXT] = "text",
    [SHOW_REASONING] = "reasoning",
    [SHOW_TEXT_END] = "message",
    [SHOW_TOOL_BEGIN] = "tool",
    [SHOW_TOOL_END] = "tool_result",
    [SHOW_HOOK] = "hook",
    [SHOW_SAY] = "say",
    [SHOW_RETRY] = "retry",
    [SHOW_FALLBACK] = "fallback",
    [SHOW_FOLLOW_UP] = "follow_up",
    [SHOW_NOTE] = "note",
    [SHOW_END] = "end",
};

/* For programs ----------------------------------------------------------------------------------
 */

static void print_line(const struct json *j)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };

    json_write(&line, j, JSON_COMPACT);
    strbuf_addch(&line, '\n');
    fwrite(strbuf_cstr(&line), 1, line.len, stdout);
    fflush(stdout);
}

static void show_json(const struct show *w)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *j = json_object(&a);

    json_add(&a, j, STR("type"), json_cstring(&a, names[w->kind]));
    json_add(&a, j, STR("session"), json_cstring(&a, w->session));
    if (w->depth)
        json_add(&a, j, STR("depth"), json_int(&a, w->depth));
    if (w->hook)
        json_add(&a, j, STR("hook"), json_cstring(&a, w->hook));
    if (w->tool)
        json_add(&a, j, w->hook ? STR("did") : STR("tool"), json_cstring(&a, w->tool));
    if (w->call_id)
        json_add(&a, j, STR("call_id"), json_cstring(&a, w->call_id));
    if (str_is_set(w->text))
        json_add(&a, j,
                 w->kind == SHOW_SESSION || w->kind == SHOW_FALLBACK ? STR("model") : STR("text"),
                 json_string(&a, w->text));
    if (w->kind == SHOW_TOOL_END)
        json_add(&a, j, STR("ok"), json_bool(&a, w->ok));
    if (w->json)
        json_add(&a, j,
                 w->kind == SHOW_TOOL_BEGIN ? STR("args")
                 : w->kind == SHOW_TOOL_END ? STR("output")
                                            : STR("message"),
                 w->json);
    print_line(j);
}

/* For people ------------------------------------------------------------------------------------
 */

static void end_text(struct screen *s)
{
    if (s->in_text)
        putchar('\n');
    if (s->in_thought)
        fputc('\n', stderr);
    fflush(stdout);
    s->in_text = s->in_thought = false;
}

static void put(const struct screen *s, enum style style, const char *text)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",        [STYLE_BOLD] = "\033[1m",   [STYLE_DIM] = "\033[2m",
        [STYLE_RED] = "\033[31m",  [STYLE_GREEN] = "\033[32m", [STYLE_YELLOW] = "\033[33m",
        [STYLE_BLUE] = "\033[34m",
    };

    if (s->err.colour && style != STYLE_PLAIN)
        fprintf(stderr, "%s%s\033[0m", codes[style], text);
    else
        fputs(text, stderr);
}

static void line(struct screen *s, const struct show *w, enum style style, const char *text)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *clean = term_clean(&a, text);

    end_text(s);
    for (unsigned i = 0; i < w->depth; i++)
        fputs("  ", stderr);
    put(s, style, s->err.width ? term_cut(&a, clean, s->err.width - 1 - 2 * w->depth) : clean);
    fputc('\n', stderr);
}

/* The argument that says most of a call. */
static const char *gist(struct arena *a, const struct json *args)
{
    static const char *const keys[] = { "command", "path", "pattern", "url", "prompt", "name" };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *text = json_cstr(a, json_get(args, str_of(keys[i])));

        if (text)
            return text;
    }
    return "";
}

static void show_text(struct screen *s, struct str text)
{
    if (s->in_thought)
        end_text(s);
    fwrite(text.ptr, 1, text.len, stdout);
    fflush(stdout);
    s->in_text = text.len == 0 || text.ptr[text.len - 1] != '\n';
}

static void show_line(struct screen *s, const struct show *w)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = arena_cstr(&a, str_is_set(w->text) ? w->text : STR(""));

    switch (w->kind) {
    case SHOW_TOOL_BEGIN:
        line(s, w, STYLE_BLUE, arena_printf(&a, "• %s %s", w->tool, gist(&a, w->json)));
        break;
    case SHOW_TOOL_END:
        if (!w->ok)
            line(s, w, STYLE_DIM,
                 arena_printf(&a, "  %s: %s", w->tool, json_cstr(&a, w->json) ?: "failed"));
        break;
    case SHOW_HOOK:
        line(s, w, STYLE_YELLOW,
             arena_printf(&a, "  hook '%s' %s%s%s", w->hook, w->tool, text[0] ? ": " : "", text));
        break;
    case SHOW_FALLBACK:
        line(s, w, STYLE_YELLOW, arena_printf(&a, "  from here on '%s' answers", text));
        break;
    case SHOW_FOLLOW_UP:
        line(s, w, STYLE_DIM, arena_printf(&a, "> %s", text));
        break;
    case SHOW_SAY:
    case SHOW_RETRY:
    case SHOW_NOTE:
        line(s, w, STYLE_YELLOW, arena_printf(&a, "  %s", text));
        break;
    default:
        break;
    }
}

static void show(void *context, const struct show *w)
{
    struct screen *s = context;

    if (s->json)
        show_json(w);
    else if (w->kind == SHOW_TEXT && w->depth == 0)
        show_text(s, w->text);
    else if (w->kind == SHOW_TEXT_END)
        end_text(s);
    else
        show_line(s, w);
}

static bool consent(void *context, const char *tool, const struct json *args, const char *why)
{
    struct screen *s = context;
    CLEANUP(arena) struct arena a = { 0 };
    char answer[16] = "";

    end_text(s);
    fprintf(stderr, "%s\nallow %s %s? [y/N] ", term_clean(&a, why), tool,
            term_clean(&a, gist(&a, args)));
    fflush(stderr);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    return answer[0] == 'y' || answer[0] == 'Y';
}

void screen_open(struct screen *s, struct cli *cli, bool json)
{
    *s = (struct screen){ .cli = cli, .json = json, .err = cli->out };
    s->err.tty = isatty(STDERR_FILENO) == 1;
    s->err.colour = s->err.tty && !getenv("NO_COLOR");
    s->err.width = s->err.tty ? (cli->out.width ? cli->out.width : 100) : 0;
    s->agent = (struct agent_screen){ .context = s, .show = show };
    if (!json && isatty(STDIN_FILENO) == 1 && s->err.tty)
        s->agent.consent = consent;
}

static const char *const ends[] = {
    [AGENT_DONE] = "done",     [AGENT_BLOCKED] = "blocked", [AGENT_STOPPED] = "stopped",
    [AGENT_FAILED] = "failed", [AGENT_ABORTED] = "aborted",
};

static void end_json(const struct agent_outcome *o)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *j = json_object(&a);

    json_add(&a, j, STR("type"), json_cstring(&a, "end"));
    json_add(&a, j, STR("session"), json_cstring(&a, o->session));
    json_add(&a, j, STR("end"), json_cstring(&a, ends[o->end]));
    if (o->reason[0])
        json_add(&a, j, STR("reason"), json_cstring(&a, o->reason));
    json_add(&a, j, STR("turns"), json_int(&a, o->turns));
    json_add(&a, j, STR("usage"), usage_to_json(&a, &o->usage));
    if (o->cost > 0)
        json_add(&a, j, STR("cost"), json_double(&a, o->cost));
    json_add(&a, j, STR("hook_us"), json_int(&a, (int64_t)(o->hook_ns / 1000)));
    print_line(j);
}

void screen_end(struct screen *s, const struct agent_outcome *o)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct usage *u = &o->usage;
    CLEANUP(strbuf) struct strbuf text = { 0 };

    if (s->json) {
        end_json(o);
        return;
    }
    end_text(s);
    strbuf_printf(&text, "%s · %u turn%s · %lld tokens in, %lld out", o->session, o->turns,
                  o->turns == 1 ? "" : "s", (long long)(u->input + u->cache_read + u->cache_write),
                  (long long)(u->output + u->reasoning));
    if (u->cache_read)
        strbuf_printf(&text, " (%lld cached)", (long long)u->cache_read);
    if (o->cost > 0)
        strbuf_printf(&text, " · $%.4f", o->cost);
    strbuf_printf(&text, " · hooks %s", term_duration(&a, o->hook_ns));
    if (s->err.tty)
        line(s, &(struct show){ 0 }, STYLE_DIM, strbuf_cstr(&text));
}
