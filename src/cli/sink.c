#include "cli/sink.h"

#include "base/clock.h"
#include "base/strbuf.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>

static const char *const level_words[] = {
    [LOG_WARN] = "warning",
    [LOG_INFO] = "info",
    [LOG_DEBUG] = "debug",
};

static void write_line(void *context, enum log_level level, const char *text)
{
    const struct sink *s = context;
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf line = { 0 };
    char now[CLOCK_TEXT_SIZE];

    if (s->is_file) {
        clock_format(clock_wall_ms(), now);
        strbuf_printf(&line, "%s ", now);
    }
    strbuf_printf(&line, "hooke: %s: %s\n", level_words[level], term_clean(&a, text));
    /* Nobody is left to be told that telling failed. */
    if (write(s->fd, strbuf_cstr(&line), line.len) < 0)
        return;
}

static bool wanted_level(const char *word, enum log_level *level)
{
    static const char *const words[] = {
        [LOG_WARN] = "warn",
        [LOG_INFO] = "info",
        [LOG_DEBUG] = "debug",
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    return false;
}

void sink_open(struct sink *s, struct log *log)
{
    const char *word = getenv("HOOKE_LOG"), *path = getenv("HOOKE_LOG_FILE");
    enum log_level level = LOG_WARN;
    bool known = !word || !word[0] || wanted_level(word, &level);

    *s = (struct sink){ .fd = STDERR_FILENO };
    log_init(log, level, write_line, s);
    if (!known)
        log_warn(log, "HOOKE_LOG is '%s': it can be warn, info or debug", word);
    if (!path || !path[0])
        return;
    s->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    s->is_file = s->fd >= 0;
    if (s->is_file)
        return;
    s->fd = STDERR_FILENO;
    log_warn(log, "HOOKE_LOG_FILE '%s': %s", path, strerror(errno));
}

void sink_close(struct sink *s, struct log *log)
{
    log_release(log);
    if (s->is_file)
        close(s->fd);
}
