#include "base/path.h"
#include "dialect/acai.h"
#include "json/json.h"

#include <errno.h>

#define MANY_WORDS 32 /* of a first line */

/* Interpreters --------------------------------------------------------------------------------- */

/* Words are separated by spaces or tabs. False: none is left. */
static bool next_word(struct str *rest, struct str *word)
{
    while (rest->len && strchr(" \t\r", rest->ptr[0]))
        *rest = (struct str){ rest->ptr + 1, rest->len - 1 };
    *word = (struct str){ rest->ptr, 0 };
    while (word->len < rest->len && !strchr(" \t\r", rest->ptr[word->len]))
        word->len++;
    *rest = (struct str){ rest->ptr + word->len, rest->len - word->len };
    return word->len > 0;
}

static bool is_env(struct str program)
{
    return str_is(program, "/usr/bin/env") || str_is(program, "/bin/env");
}

/* "#!/usr/bin/env node --x" is node and no more; "#!/bin/bash -e" keeps its words. */
static const char **by_first_line(struct arena *a, const char *path, struct str head)
{
    struct str line, word;
    const char **argv;
    size_t count = 0;

    if (head.len > ACAI_HEAD)
        head.len = ACAI_HEAD;
    if (!str_starts(head, STR("#!")))
        return NULL;
    head = (struct str){ head.ptr + 2, head.len - 2 };
    if (!str_cut(&head, '\n', &line) || memchr(line.ptr, '\0', line.len) ||
        !next_word(&line, &word))
        return NULL;
    argv = arena_array(a, const char *, MANY_WORDS + 2);
    if (is_env(word)) {
        if (!next_word(&line, &word))
            return NULL;
        argv[count++] = arena_cstr(a, word);
    } else {
        do
            argv[count++] = arena_cstr(a, word);
        while (count < MANY_WORDS && next_word(&line, &word));
    }
    argv[count] = path;
    return argv;
}

static const char *extension_of(const char *path)
{
    const char *name = path_basename(path), *dot = strrchr(name, '.');

    return dot && dot != name ? dot : "";
}

/* The program that runs files with this extension, or NULL. */
static const char *program_for(const char *extension)
{
    static const struct {
        const char *extension, *program;
    } known[] = {
        { ".js", "node" },      { ".mjs", "node" },       { ".cjs", "node" },
        { ".sh", "/bin/bash" }, { ".bash", "/bin/bash" }, { ".zsh", "/bin/zsh" },
        { ".py", "python3" },   { ".rb", "ruby" },
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(extension, known[i].extension) == 0)
            return known[i].program;
    return NULL;
}

bool acai_knows_extension(const char *path)
{
    return program_for(extension_of(path)) != NULL;
}

static const char **by_extension(struct arena *a, const char *path, const char *extension)
{
    const char *program = program_for(extension), **argv;

    if (!program)
        return NULL;
    argv = arena_array(a, const char *, 3);
    argv[0] = program;
    argv[1] = path;
    return argv;
}

const char **acai_interpreter(struct arena *a, const char *path, struct str head, unsigned mode)
{
    const char *extension = extension_of(path), **argv;

    path = arena_strdup(a, path);
    argv = by_first_line(a, path, head);
    if (!argv)
        argv = by_extension(a, path, extension);
    if (!argv && !extension[0] && (mode & 0111)) {
        argv = arena_array(a, const char *, 2);
        argv[0] = path;
    }
    return argv;
}

/* Descriptions --------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(struct str s)
{
    if (s.len == 0 || !is_letter(s.ptr[0]))
        return false;
    for (size_t i = 1; i < s.len; i++)
        if (!is_letter(s.ptr[i]) && !(s.ptr[i] >= '0' && s.ptr[i] <= '9') && s.ptr[i] != '-')
            return false;
    return true;
}

static int read_hook(struct arena *a, const struct json *j, struct acai_hook *out, struct err *e)
{
    struct str event = json_str(a, json_get(j, STR("event")));
    struct str timing = json_str(a, json_get(j, STR("timing")));
    const struct point_alias *found = point_alias_of("acai", event);

    if (!str_is_set(event) || !str_is_set(timing))
        return err_set(e, -EBADMSG, "each of 'hooks' needs an 'event' and a 'timing'");
    if (!found)
        return err_set(e, -EBADMSG, "unknown event '%.*s'", STR_ARG(event));
    if (!str_is(timing, "before") && !str_is(timing, "after"))
        return err_set(e, -EBADMSG, "'timing' must be before or after, not '%.*s'",
                       STR_ARG(timing));
    *out = (struct acai_hook){ found->name, found->on, str_is(timing, "after") };
    return 0;
}

static int read_hooks(struct arena *a, const struct json *list, struct acai_metadata *out,
                      struct err *e)
{
    size_t count = json_count(list);
    int r = 0;

    if (json_type(list) != JSON_ARRAY || count == 0)
        return err_set(e, -EBADMSG, "'hooks' must be a list that names an event");
    if (count > ACAI_HOOKS)
        return err_set(e, -EFBIG, "'hooks' names more than %d events", ACAI_HOOKS);
    out->hooks = arena_array(a, struct acai_hook, count);
    for (const struct json *j = json_first(list); j && r == 0; j = json_next(j))
        r = read_hook(a, j, &out->hooks[out->hook_count++], e);
    return r;
}

int acai_metadata_parse(struct arena *a, struct str text, struct acai_metadata *out, struct err *e)
{
    const struct json *j;
    struct str name, description;
    int r;

    *out = (struct acai_metadata){ 0 };
    text = str_trim(text);
    if (text.len == 0)
        return err_set(e, -EBADMSG, "it says nothing of itself");
    r = json_parse(a, text, NULL, &j, e);
    if (r < 0)
        return r;
    name = json_str(a, json_get(j, STR("name")));
    description = json_str(a, json_get(j, STR("description")));
    if (!is_name(name))
        return err_set(e, -EBADMSG,
                       "'name' must be a letter or '_', then letters, digits, '_' or '-'");
    if (description.len == 0)
        return err_set(e, -EBADMSG, "'description' must say what it does");
    out->name = arena_cstr(a, name);
    out->description = arena_cstr(a, description);
    return read_hooks(a, json_get(j, STR("hooks")), out, e);
}
