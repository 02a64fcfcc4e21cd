#include "find/claude_handler.h"

#include "base/path.h"
#include "base/strbuf.h"
#include "find/entry.h"

#include <inttypes.h>

/* Does it run hooke? --------------------------------------------------------------------------- */

struct words {
    struct str rest;
    struct str word; /* without quotes at its ends */
    bool first;      /* of a command, after any assignments and the like */
};

/* The next word of a shell text, near enough: quotes count only at the ends of a word. */
static bool next_word(struct words *w)
{
    size_t i = 0, len = 0;

    while (i < w->rest.len && str_has_char(" \t\n\r;&|()`{}\"'$", w->rest.ptr[i])) {
        w->first = w->first || str_has_char("\n;&|(`", w->rest.ptr[i]);
        i++;
    }
    while (i + len < w->rest.len && !str_has_char(" \t\n\r;&|()`\"'", w->rest.ptr[i + len]))
        len++;
    w->word = (struct str){ w->rest.ptr + i, len };
    w->rest = (struct str){ w->rest.ptr + i + len, w->rest.len - i - len };
    return len > 0;
}

static bool is_program(struct str word, const char *name)
{
    const char *slash = word.len ? memrchr(word.ptr, '/', word.len) : NULL;

    if (slash)
        word = (struct str){ slash + 1, word.len - (size_t)(slash + 1 - word.ptr) };
    return str_is(word, name);
}

/* Words before a command that leave the next one the command. */
static bool leads_on(struct str word)
{
    static const char *const words[] = { "exec", "env", "command", "nohup", "nice", "then", "do" };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (is_program(word, words[i]))
            return true;
    return memchr(word.ptr, '=', word.len) != NULL;
}

bool claude_handler_runs_hooke(struct str command)
{
    struct words w = { .rest = command, .first = true };

    while (next_word(&w)) {
        struct words after = w;
        bool first = w.first, has_verb = next_word(&after);

        w.first = first && leads_on(w.word);
        if (is_program(w.word, "hooke-answer"))
            return true;
        if (!is_program(w.word, "hooke"))
            continue;
        /* a hook that keeps something with `hooke state` is a hook like any other */
        if (has_verb && str_is(after.word, "answer"))
            return true;
        if (first && !(has_verb && str_is(after.word, "state")))
            return true;
    }
    return false;
}

/* What it runs --------------------------------------------------------------------------------- */

static const char *substitute(struct arena *a, struct str text, const char *project)
{
    static const char mark[] = "${CLAUDE_PROJECT_DIR}";
    CLEANUP(strbuf) struct strbuf out = { 0 };

    while (text.len) {
        const char *at = memmem(text.ptr, text.len, mark, strlen(mark));
        size_t before = at ? (size_t)(at - text.ptr) : text.len;

        strbuf_add(&out, text.ptr, before);
        text = (struct str){ text.ptr + before, text.len - before };
        if (at) {
            strbuf_addstr(&out, project);
            text = (struct str){ text.ptr + strlen(mark), text.len - strlen(mark) };
        }
    }
    return arena_cstr(a, strbuf_str(&out));
}

static bool leave_out(struct claude_settings *c, const struct setting *at, const char *why)
{
    problem_warn(c->problems, &at->origin, "%s: the handler is left out", why);
    return false;
}

/* Without a shell. A path is meant from the project's folder, not from that of the settings. */
static bool add_words(struct claude_settings *c, struct setting *handler,
                      const struct setting *command, const struct setting *args)
{
    struct setting *exec = entry_list(c->arena, handler, "exec");
    const char *program = substitute(c->arena, command->text, c->project);

    if (args->kind != SETTING_LIST)
        return leave_out(c, args, "'args' must be a list of texts");
    if (strchr(program, '/'))
        program = path_join(c->arena, c->project, program);
    entry_text(c->arena, exec, NULL, program);
    for (const struct setting *word = args->first; word; word = word->next) {
        if (word->kind != SETTING_STRING)
            return leave_out(c, word, "'args' must be a list of texts");
        entry_text(c->arena, exec, NULL, substitute(c->arena, word->text, c->project));
    }
    return true;
}

static bool add_command(struct claude_settings *c, struct setting *handler,
                        const struct setting *said)
{
    const struct setting *command = setting_get(said, "command");
    const struct setting *args = setting_get(said, "args"), *shell = setting_get(said, "shell");
    struct setting *exec;

    if (!command || command->kind != SETTING_STRING || command->text.len == 0)
        return leave_out(c, command ? command : said,
                         "a handler of type 'command' needs 'command'");
    if (claude_handler_runs_hooke(command->text))
        return false;
    if (args)
        return add_words(c, handler, command, args);
    if (!shell) {
        entry_copy(c->arena, handler, "exec", command);
        return true;
    }
    if (!str_is(shell->text, "bash"))
        return leave_out(c, shell, "only 'bash' is known as 'shell'");
    exec = entry_list(c->arena, handler, "exec");
    entry_text(c->arena, exec, NULL, "bash");
    entry_text(c->arena, exec, NULL, "-c");
    entry_text(c->arena, exec, NULL, command->text.ptr);
    return true;
}

/* The rest of it ------------------------------------------------------------------------------- */

static bool is_command(struct claude_settings *c, const struct setting *said)
{
    const struct setting *type = setting_get(said, "type");

    if (said->kind != SETTING_MAP)
        return leave_out(c, said, "a handler must be a map");
    if (!type || type->kind != SETTING_STRING)
        return leave_out(c, type ? type : said, "a handler needs 'type'");
    if (str_is(type->text, "command"))
        return true;
    problem_warn(c->problems, &type->origin,
                 "hooke runs no handlers of type '%s', only 'command': it is left out",
                 type->text.ptr);
    return false;
}

static void add_timeout(struct claude_settings *c, struct setting *handler,
                        const struct setting *timeout)
{
    double seconds;

    if (setting_to_double(timeout, &seconds) && seconds >= 0.001 && seconds < 4000000)
        entry_text(c->arena, handler, "timeout",
                   arena_printf(c->arena, "%" PRId64 "ms", (int64_t)(seconds * 1000)));
    else
        problem_warn(c->problems, &timeout->origin,
                     "'timeout' must be a number of seconds, not '%s': the default is used",
                     setting_text(c->arena, timeout));
}

static void add_async(struct claude_settings *c, struct setting *handler,
                      const struct setting *said)
{
    const struct setting *wakes = setting_get(said, "asyncRewake");

    if (!setting_is_true(setting_get(said, "async")) && !setting_is_true(wakes))
        return;
    entry_text(c->arena, handler, "async", "true")->kind = SETTING_BOOL;
    if (setting_is_true(wakes))
        problem_warn(c->problems, &wakes->origin,
                     "'asyncRewake' is taken for 'async': nothing wakes the model");
}

static void add_on_failure(struct claude_settings *c, struct setting *handler,
                           const struct setting *meaning)
{
    if (str_is(meaning->text, "block"))
        entry_text(c->arena, handler, "on_failure", "block");
    else if (!str_is(meaning->text, "continue"))
        problem_warn(c->problems, &meaning->origin,
                     "'onFailure' must be 'block' or 'continue', not '%s': 'continue' is meant",
                     setting_text(c->arena, meaning));
}

struct setting *claude_handler_read(struct claude_settings *c, const struct setting *said)
{
    struct setting *handler = arena_new(c->arena, struct setting);
    const struct setting *condition = setting_get(said, "if");
    const struct setting *timeout = setting_get(said, "timeout");

    if (!is_command(c, said))
        return NULL;
    handler->kind = SETTING_MAP;
    handler->text = STR("");
    handler->origin = said->origin;
    if (!add_command(c, handler, said))
        return NULL;
    if (condition && condition->kind != SETTING_STRING) {
        (void)leave_out(c, condition, "'if' must be a text");
        return NULL;
    }
    if (condition)
        entry_copy(c->arena, handler, "if", condition);
    if (timeout)
        add_timeout(c, handler, timeout);
    add_async(c, handler, said);
    if (setting_get(said, "onFailure"))
        add_on_failure(c, handler, setting_get(said, "onFailure"));
    return handler;
}
