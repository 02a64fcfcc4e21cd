#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>

/* A file, a pipe or a terminal, to its end. */
static int read_stream(struct arena *a, int fd, const char *name, struct str *text, struct err *e)
{
    CLEANUP(strbuf) struct strbuf b = { .max = JSON_MAX_BYTES };

    for (;;) {
        char piece[16384];
        ssize_t n = read(fd, piece, sizeof(piece));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(e, "reading %s", name);
        if (n == 0)
            break;
        strbuf_add(&b, piece, (size_t)n);
        if (b.truncated)
            return err_set(e, -EFBIG, "%s is longer than %zu bytes", name, JSON_MAX_BYTES);
    }
    text->ptr = arena_cstr(a, strbuf_str(&b));
    text->len = b.len;
    return 0;
}

static int read_value(struct arena *a, const char *value, struct str *text, struct err *e)
{
    CLEANUP(fd) int fd = -1;

    if (strcmp(value, "-") == 0)
        return read_stream(a, STDIN_FILENO, "standard input", text, e);
    if (value[0] != '@') {
        *text = str_of(value);
        return 0;
    }
    fd = open(value + 1, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_errno(e, "reading '%s'", value + 1);
    return read_stream(a, fd, arena_printf(a, "'%s'", value + 1), text, e);
}

/* What went wrong without the place, which is said in front of it. */
static const char *without_place(const char *msg)
{
    const char *colon = strncmp(msg, "line ", 5) == 0 ? strstr(msg, "): ") : NULL;

    return colon ? colon + 3 : msg;
}

const struct json *input_object(struct cli *cli, const char *flag, const char *value, int *rc)
{
    const char *name = strcmp(value, "-") == 0 ? "standard input"
                       : value[0] == '@'       ? value + 1
                                               : flag;
    struct json_reader reader = { 0 };
    struct err e = { 0 };
    const struct json *j;
    struct json_place place;
    struct str text = { 0 };

    if (read_value(&cli->arena, value, &text, &e) < 0) {
        *rc = cli_misuse(cli, "%s: %s", flag, e.msg);
        return NULL;
    }
    if (json_parse(&cli->arena, text, &reader, &j, &e) < 0) {
        place = json_place(text, reader.error_offset);
        *rc = cli_misuse(cli, "%s:%u:%u: %s", name, place.line, place.column, without_place(e.msg));
        return NULL;
    }
    if (json_type(j) == JSON_OBJECT)
        return j;
    *rc = cli_misuse(cli, "%s: it must be an object, not %s", name, json_type_name(json_type(j)));
    return NULL;
}
