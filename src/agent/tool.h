/*
 * tool.h - what the model may do: one `const struct tool` in each src/agent/tool_<name>.c, listed
 * in tool.def.
 *
 *     const struct tool *t = tool_find(STR("read"));
 *     r = tool_run(t, &call, &result, e);
 *
 * A tool that fails tells the model so: `e` becomes its output, in words the model can act on. The
 * session's hooks, permissions and receipts are not a tool's business.
 */
#pragma once

#include "json/json.h"

#include <stdint.h>

struct agent_session;
struct http_client;
struct seen_files;

struct tool_call {
    struct arena *arena;
    const char *workspace;          /* paths stay inside it; canonical */
    const char *cwd;                /* relative paths start here */
    const char *session;            /* its id */
    const struct json *args;        /* checked against `parameters` */
    struct seen_files *seen;        /* what this session has read; agent/seen.h */
    const char *const *env;         /* changes for a command, as in proc.h; NULL: none */
    const char *const *argv_prefix; /* words before a shell command, ended by NULL; NULL: none */
    uint64_t deadline_ns;           /* on clock_mono_ns(); 0: the tool's own */
    int abort_fd;                   /* readable or hung up: give up now; 0: none */
    struct http_client *http;       /* for web_fetch */
    bool allow_private;             /* it may fetch from this machine and private networks */
    struct agent_session *owner;    /* for tools that need the session itself: task, todo, skill */
};

struct tool_result {
    const char *title;           /* one line for the person at the terminal */
    struct str output;           /* what the model reads */
    const struct json *metadata; /* NULL: none */
    const struct json *file;     /* a file part the model gets besides; agent/message.h; NULL */
    bool failed;                 /* it ran, but what it ran did not work */
};

struct tool {
    const char *name;
    const char *description; /* what the model is told */
    const char *parameters;  /* JSON Schema of the arguments, an object */
    bool read_only;          /* calls of one reply may run side by side */
    int (*run)(const struct tool_call *c, struct tool_result *r, struct err *e);
};

/* All tools, by name; `*count` of them. */
const struct tool *const *tool_list(size_t *count);
const struct tool *tool_find(struct str name);

/* Check the arguments and run it. */
MUST_CHECK int tool_run(const struct tool *t, const struct tool_call *c, struct tool_result *r,
                        struct err *e);

/*
 * Whether the arguments are what the schema asks for. The error names the argument, what it must be
 * and, for one that is not known, those there are. Of JSON Schema it knows what the tools use:
 * type, properties, required, items, enum, minimum, maximum; unknown members are refused, and null
 * stands for a member that is not there.
 */
MUST_CHECK int tool_check_args(const char *tool, const struct json *schema, const struct json *args,
                               struct err *e);

/* For tools: an argument that was checked. */
const char *tool_text(const struct tool_call *c, const char *name); /* NULL: not given */
int64_t tool_number(const struct tool_call *c, const char *name, int64_t otherwise);
bool tool_flag(const struct tool_call *c, const char *name);

/*
 * The absolute path of an argument that names a file, inside the workspace by component and after
 * symbolic links: /repo-other is not inside /repo. -EPERM says where it would have led. What does
 * not exist yet is judged by its nearest folder that does; a link to what does not exist is
 * refused.
 */
MUST_CHECK int tool_path(const struct tool_call *c, const char *path, char **out, struct err *e);

/* The same for a file that is only read: output this session was told is in a file counts too. */
MUST_CHECK int tool_path_to_read(const struct tool_call *c, const char *path, char **out,
                                 struct err *e);

/* How much of `text` fits into `max` bytes without cutting a character of UTF-8 in two. */
size_t tool_fit(struct str text, size_t max);

/* For `output`: a copy in the call's arena. */
struct str tool_copy(const struct tool_call *c, const struct strbuf *text);
