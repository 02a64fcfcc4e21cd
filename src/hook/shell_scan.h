/*
 * shell_scan.h - the two halves of shell_words.h: shell_word.c reads one word with its quotes and
 * expansions, shell_words.c the commands around it. Internal to hook/shell_word*.c.
 */
#pragma once

#include "base/strbuf.h"
#include "hook/shell_words.h"

#define SHELL_DEPTH_MAX 32

struct scan {
    struct arena *arena;
    struct str text;
    size_t at;
    unsigned depth;
    const struct shell_variable *variables;
    struct shell_words *out;
};

/* A word on its way. */
struct building {
    struct strbuf text;
    bool unknown, filled;
    bool quoted;         /* some of it is in quotes */
    bool brace, bracket; /* an open one, not quoted */
};

static inline void building_cleanup(struct building *b)
{
    strbuf_release(&b->text);
}

static inline char scan_peek(const struct scan *s, size_t ahead)
{
    if (s->at + ahead >= s->text.len)
        return '\0';
    return s->text.ptr[s->at + ahead];
}

static inline bool scan_at_end(const struct scan *s)
{
    return s->at >= s->text.len;
}

bool scan_is_name_char(char c, bool first);
bool scan_ends_word(char c);
int scan_refuse(struct err *e, const char *what);

/* One word, up to where it ends. */
MUST_CHECK int scan_word(struct scan *s, struct building *b, struct err *e);

/* Commands up to the end or, `nested`, to the ')' that closes "$(". */
MUST_CHECK int scan_list(struct scan *s, bool nested, struct err *e);
