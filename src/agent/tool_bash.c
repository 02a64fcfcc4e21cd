/*
 * bash - a shell command in the workspace.
 *
 * Output beyond what a model should read is cut in the middle; all of it is in a file then.
 *
 * Tests: tests/unit/agent/test_tool_bash.c
 */
#include "agent/tool.h"
#include "base/clock.h"
#include "hook/spill.h"
#include "proc/proc.h"

#include <errno.h>

#define TIMEOUT_S  120
#define OUTPUT_MAX ((size_t)8 << 20) /* kept of what it writes */
#define HEAD       15000             /* bytes the model reads */
#define TAIL       15000

static const char *const *words_of(const struct tool_call *c)
{
    const char *const *prefix = c->argv_prefix;
    const char **argv;
    size_t count = 0;

    while (prefix && prefix[count])
        count++;
    argv = arena_array(c->arena, const char *, count + 4);
    for (size_t i = 0; i < count; i++)
        argv[i] = prefix[i];
    argv[count] = "/bin/bash";
    argv[count + 1] = "-c";
    argv[count + 2] = tool_text(c, "command");
    return argv;
}

static struct str cut(const struct tool_call *c, struct str all)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    size_t head, tail;
    const char *file;

    if (all.len <= HEAD + TAIL)
        return (struct str){ arena_cstr(c->arena, all), all.len };
    head = tool_fit(all, HEAD);
    tail = tool_fit(all, all.len - TAIL);
    file = spill_write(c->arena, c->session, all);
    strbuf_add(&out, all.ptr, head);
    strbuf_printf(&out, "\n\n(%zu bytes left out%s%s)\n\n", tail - head,
                  file ? "; all of it: " : "", file ? file : "");
    strbuf_add(&out, all.ptr + tail, all.len - tail);
    return tool_copy(c, &out);
}

static void add_output(struct strbuf *all, const struct proc_output *from, const char *what)
{
    if (from->text.len && all->len && all->buf[all->len - 1] != '\n')
        strbuf_addch(all, '\n');
    strbuf_add(all, from->text.buf, from->text.len);
    if (from->text.truncated)
        strbuf_printf(all, "\n(of %llu bytes of %s only the first %zu were kept)\n",
                      (unsigned long long)from->bytes, what, from->text.len);
}

static void describe(const struct tool_call *c, const struct proc *p, const struct proc_result *run,
                     struct tool_result *result)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    struct json *metadata = json_object(c->arena);

    add_output(&all, &run->out, "output");
    add_output(&all, &run->err, "errors");
    if (run->end != PROC_EXITED)
        strbuf_printf(&all, "%s(the command %s)\n", all.len ? "\n" : "",
                      proc_explain(c->arena, p, run));
    else if (run->exit_code != 0)
        strbuf_printf(&all, "%s(exit code %d)\n", all.len ? "\n" : "", run->exit_code);
    else if (all.len == 0)
        strbuf_addstr(&all, "(no output)");
    json_add(c->arena, metadata, STR("exit_code"), json_int(c->arena, run->exit_code));
    json_add(c->arena, metadata, STR("ms"),
             json_int(c->arena, (int64_t)(run->duration_ns / 1000000)));
    result->metadata = metadata;
    result->output = cut(c, strbuf_str(&all));
    result->failed = run->end != PROC_EXITED || run->exit_code != 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    CLEANUP(proc_result) struct proc_result done = { 0 };
    uint64_t limit = (uint64_t)tool_number(c, "timeout", TIMEOUT_S) * 1000000000u;
    struct proc p = {
        .argv = words_of(c),
        .env = c->env,
        .cwd = c->cwd,
        .out_max = OUTPUT_MAX,
        .err_max = OUTPUT_MAX,
        .deadline_ns = clock_mono_ns() + limit,
        .abort_fd = c->abort_fd,
    };

    if (c->deadline_ns && c->deadline_ns < p.deadline_ns)
        p.deadline_ns = c->deadline_ns;
    proc_run(&p, &done);
    if (done.end == PROC_NOT_STARTED)
        return err_set(e, -EIO, "the command %s", proc_explain(c->arena, &p, &done));
    result->title = tool_text(c, "command");
    describe(c, &p, &done, result);
    return 0;
}

const struct tool bash_tool = {
    .name = "bash",
    .description =
        "Run a shell command in the working folder. It has no terminal and no input; it is "
        "ended after its timeout with everything it started.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"command\":{\"type\":\"string\",\"description\":\"what to run\"},"
        "\"timeout\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":3600,\"description\":\"seconds, "
        "120 unless said\"},"
        "\"description\":{\"type\":\"string\",\"description\":\"what it does, in a few words\"}},"
        "\"required\":[\"command\"]}",
    .run = run,
};
