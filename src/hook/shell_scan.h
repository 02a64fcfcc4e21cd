/*
 * shell_scan.h - the one reader of shell text, behind shell_words.h and shell_commands.h:
 * shell_word.c reads a word with its quotes, shell_expand.c the expansions in it, shell_words.c the
 * commands around it, shell_commands.c keeps them and knows here-documents. Internal to these.
 *
 * With `commands` it reads on where it would otherwise refuse.
 */
#pragma once

#include "base/strbuf.h"
#include "hook/shell_commands.h"

#define SHELL_DEPTH_MAX 32
#define SHELL_WORD_MAX  ((size_t)1 << 20) /* bytes of a word; more are cut off */
#define SHELL_SPLIT     '\001' /* where the shell makes two words of the value of a variable */

/* A variable that the text sets; `value` NULL: to something only the shell knows. */
struct assigned {
    struct assigned *next;
    struct str name;
    const char *value;
};

/* A document that begins behind the next line end. */
struct pending {
    struct pending *next;
    struct shell_redirect *redirect;
    bool tabs; /* <<-: they are left out in front of lines */
};

struct scan {
    struct arena *arena;
    struct str text;
    size_t at;
    unsigned depth;
    const struct shell_variable *variables;
    struct shell_words *out;         /* NULL: only commands are wanted */
    struct shell_commands *commands; /* NULL: refuse what can't be known */
    struct assigned *assigned;       /* newest first */
    struct pending *pending, **pending_end;
    struct shell_command *current; /* whose word is being read */
    const char *function;          /* the last one that was defined */
    unsigned subshells;            /* that were opened so far */
    struct strbuf spare;           /* the memory of the last word */
};

/* A word on its way. */
struct building {
    struct strbuf text;
    bool unknown, filled;
    bool expands, globs; /* why it is unknown */
    bool quoted;         /* some of it is in quotes */
    bool brace, bracket; /* an open one, not quoted */
    bool assigns;        /* to a variable, in front of a command */
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
bool scan_is_one_of(const char *text, const char *const *words); /* ended by NULL */
int scan_refuse(struct err *e, const char *what);

/* One word, up to where it ends. */
MUST_CHECK int scan_word(struct scan *s, struct building *b, struct err *e);

/* What stands between double quotes: `"` has been read. With `close` NUL: to the end of the text.
 */
MUST_CHECK int scan_double(struct scan *s, struct building *b, char close, struct err *e);

/* "'" has been read. */
MUST_CHECK int scan_single(struct scan *s, struct building *b, struct err *e);

/* Commands up to the end or, `nested`, to the ')' that closes "$(". */
MUST_CHECK int scan_list(struct scan *s, bool nested, struct err *e);

/* Expansions: what begins them has been read. shell_expand.c */
MUST_CHECK int scan_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e);
MUST_CHECK int scan_backquote(struct scan *s, struct building *b, bool in_quotes, struct err *e);
MUST_CHECK int scan_nested(struct scan *s, struct err *e);
void scan_variable(const struct scan *s, struct str name, struct building *b, bool in_quotes);

/* One list of commands: the whole text or what is inside "$(…)". shell_words.c */
enum redirect { REDIRECT_NONE, REDIRECT_READ, REDIRECT_WRITE, REDIRECT_APPEND, REDIRECT_STRING };

/* Where in a `case` we are. */
enum in_case { CASE_SUBJECT, CASE_IN, CASE_PATTERN, CASE_BODY };

struct list {
    bool command; /* the next word names a program */
    enum redirect redirect;
    unsigned parens, subshell;
    unsigned cases;
    enum in_case in_case[SHELL_DEPTH_MAX];
    /* Of who wants commands: */
    struct shell_command *now;  /* the one that is being read; NULL: none has begun */
    struct shell_command *last; /* the one before it */
    struct shell_command *owner, *piped_from;
    struct assigned *ahead; /* assignments in front of the command */
    size_t ended;           /* where its last word ended */
    bool naming;            /* the next word is the name of a function */
    struct str looping;     /* the variable of a `for`; unset: none */
    bool loops;             /* the next word is that name */
};

/* Keeping commands. shell_commands.c */
void keep_begin(struct scan *s, struct list *l);
MUST_CHECK int keep_word(struct scan *s, struct list *l, const struct building *b, size_t begin,
                         struct err *e);
void keep_redirect(struct scan *s, struct list *l, const struct building *b, size_t begin);
void keep_assignment(struct scan *s, struct list *l, const struct building *b, size_t begin);
void keep_loop(struct scan *s, struct list *l, const struct building *b);
void keep_finish(struct scan *s, struct list *l);
MUST_CHECK int keep_process(struct scan *s, struct list *l, struct err *e);
MUST_CHECK int keep_document(struct scan *s, struct list *l, struct err *e);
MUST_CHECK int keep_bodies(struct scan *s, struct err *e);
