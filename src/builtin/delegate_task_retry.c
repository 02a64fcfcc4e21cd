/*
 * delegate-task-retry - when handing work to a subagent failed, say how to call it right.
 *
 * Point:   tool.execute.after
 * Tests:   tests/unit/builtin/test_delegate_task_retry.c
 *
 * A report of a subagent may quote any error: a call that is known to have worked must begin like
 * an error, and nothing long is one.
 */
#include "hook/hook.h"

#include <strings.h>

#define TAG  "<task-retry>"
#define LONG 500 /* bytes; an error is shorter */

static const char *const tools[] = { "task", "Task", "background_task", "delegate_task", NULL };

/* The first that matches counts. */
static const struct mistake {
    const char *piece;
    int given; /* so many of subagent_type and category; -1: does not matter */
    const char *type, *fix;
} mistakes[] = {
    { "is not known: it takes ", -1, "bad_arguments", "leave the argument out that is named" },
    { "run_in_background", -1, "missing_run_in_background",
      "say run_in_background: false to wait for the result, true to go on meanwhile" },
    { "load_skills", -1, "missing_load_skills",
      "say load_skills as a list of names of skills; [] for none" },
    { "must provide either category or subagent_type", -1, "missing_category_or_agent",
      "say which agent does it with subagent_type, or what kind of work it is with category" },
    { "category or subagent_type", -1, "mutual_exclusion",
      "keep one of category and subagent_type and leave the other out" },
    { "give either subagent_type or category", 2, "mutual_exclusion",
      "keep one of category and subagent_type and leave the other out" },
    { "give either subagent_type or category", -1, "missing_category_or_agent",
      "say which agent does it with subagent_type, or what kind of work it is with category" },
    { "unknown category", -1, "unknown_category",
      "take one of the categories there are, or name an agent with subagent_type" },
    { "unknown agent", -1, "unknown_agent", "take one of the agents there are, spelled like that" },
    { "unknown subagent_type", -1, "unknown_agent",
      "take one of the agents there are, spelled like that" },
    { "' not found. available agents:", -1, "unknown_agent",
      "take one of the agents there are, spelled like that" },
    { "agent name cannot be empty", -1, "unknown_agent", "name an agent with subagent_type" },
    { "cannot call primary agent", -1, "background_agent_not_allowed",
      "a leading agent can't be handed work: take one that is made to be called" },
    { "skills not found", -1, "unknown_skills",
      "take skills that are there, or leave them out with []" },
    { "there is no skill '", -1, "unknown_skills",
      "take skills that are there, or leave them out with []" },
    { "is not allowed. allowed agents:", -1, "background_agent_not_allowed",
      "take an agent that may be started from here" },
    { "of the tool 'task'", -1, "bad_arguments",
      "correct the argument that is named and keep the others" },
};

static const struct mistake unknown = {
    NULL, -1, "unknown_error", "compare the call with the parameters of the tool and correct it"
};

static int given(const struct hook_call *c)
{
    const struct json *args = event_data(c->event, STR("args"));

    return (json_str(c->arena, json_get(args, STR("subagent_type"))).len != 0) +
           (json_str(c->arena, json_get(args, STR("category"))).len != 0);
}

static bool is_marked(const char *output)
{
    static const char *const marks[] = { "[ERROR]", "Invalid arguments" };
    const char *begin = output + strspn(output, " \t\r\n");

    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (strncasecmp(begin, marks[i], strlen(marks[i])) == 0)
            return true;
    return strcasestr(output, "is not allowed. Allowed agents:") != NULL;
}

static const struct mistake *find(const struct hook_call *c, const char *output)
{
    const struct json *success = event_data(c->event, STR("success"));
    bool marked = is_marked(output);

    if (json_is_true(success) && !marked)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(mistakes); i++)
        if ((mistakes[i].given < 0 || mistakes[i].given == given(c)) &&
            strcasestr(output, mistakes[i].piece))
            return &mistakes[i];
    return marked ? &unknown : NULL;
}

/* What the error says there is instead: to the end of its line. */
static struct str choices(const char *output)
{
    static const char *const before[] = { "Allowed agents:", "Available", ": there are ",
                                          "it takes " };
    struct str line;

    for (size_t i = 0; i < ARRAY_LEN(before); i++) {
        const char *at = strcasestr(output, before[i]);

        if (!at)
            continue;
        at += strlen(before[i]);
        line = (struct str){ at, strcspn(at, "\n") };
        if (i == 1) { /* "Available agents: a, b" */
            const char *colon = memchr(at, ':', line.len);

            if (!colon)
                continue;
            line = (struct str){ colon + 1, line.len - (size_t)(colon + 1 - at) };
        }
        return str_trim(line);
    }
    return (struct str){ 0 };
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const char *output = json_cstr(c->arena, event_data(c->event, STR("output")));
    const struct mistake *m;
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct str there;

    if (!output || strlen(output) > LONG || strstr(output, TAG))
        return 0;
    m = find(c, output);
    if (!m)
        return 0;
    there = choices(output);
    strbuf_printf(&text, TAG "\nError: %s\nFix: %s.\n", m->type, m->fix);
    if (there.len)
        strbuf_printf(&text, "Available: %.*s\n", STR_ARG(there));
    strbuf_addstr(&text, "Nothing was started. Call the tool again now with this corrected; the "
                         "prompt itself can stay as it is.\n</task-retry>");
    verdict_inject(c->arena, v, "task", arena_cstr(c->arena, strbuf_str(&text)));
    return 0;
}

const struct hook_def delegate_task_retry_hook = {
    .name = "delegate-task-retry",
    .summary = "says how to call a subagent right when handing work to one failed",
    .layer = LAYER_PRODUCE,
    .tools = tools,
    .on = { [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
