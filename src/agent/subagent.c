#include "agent/subagent.h"

#include "agent/status.h"
#include "base/mem.h"
#include "hook/skill.h"

#include <errno.h>
#include <pthread.h>

#define DEPTH_MAX      4
#define BACKGROUND_MAX 16

struct background_task {
    struct background_task *next;
    unsigned number;
    pthread_t thread;
    struct arena arena;
    struct agent_session *parent;
    struct agent_session child; /* the thread's, once that runs */
    struct agent_task chosen;
    struct agent_outcome out;
};

/* Choosing ------------------------------------------------------------------------------------ */

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static int refuse(const char *const *names, const char *type, struct err *e)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const char *const *n = names; *n; n++)
        strbuf_printf(&all, "%s%s", all.len ? ", " : "", *n);
    return err_set(e, -ENOENT, "unknown subagent_type '%s': there are %s", type, strbuf_cstr(&all));
}

static int find_category(struct agent_session *parent, const char *name, const struct setting **out,
                         struct err *e)
{
    const struct setting *all = config_get(agent_config(parent->agent), "categories", NULL);
    CLEANUP(strbuf) struct strbuf names = { 0 };

    *out = setting_get(all, name);
    if (*out)
        return 0;
    for (const struct setting *s = all ? all->first : NULL; s; s = s->next)
        strbuf_printf(&names, "%s%s", names.len ? ", " : "", s->key.ptr);
    return err_set(e, -ENOENT, "unknown category '%s': there are %s", name,
                   names.len ? strbuf_cstr(&names) : "none in the configuration");
}

static int choose(struct agent_session *parent, const struct subagent_task *task,
                  struct agent_task *out, struct err *e)
{
    const struct setting *category;
    int r;

    if (!task->type == !task->category)
        return err_set(e, -EINVAL, "give either subagent_type or category");
    if (task->type) {
        if (parent->def->subagents && !is_among(parent->def->subagents, task->type))
            return refuse(parent->def->subagents, task->type, e);
        out->agent = task->type;
        return 0;
    }
    r = find_category(parent, task->category, &category, e);
    if (r < 0)
        return r;
    out->agent = setting_word(category, "agent");
    out->model = setting_word(category, "model");
    out->variant = setting_word(category, "variant");
    return 0;
}

/* The prompt, with the skills it asks for before it. */
static int with_skills(struct agent_session *parent, struct arena *a,
                       const struct subagent_task *task, const char **text, struct err *e)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const char *const *s = task->skills; s && *s; s++) {
        struct skill skill;
        int r = skill_find(a, agent_workspace(parent->agent), *s, &skill, e);

        if (r < 0)
            return r;
        strbuf_printf(&all, "<skill name=\"%s\">\n%.*s\n</skill>\n\n", *s, STR_ARG(skill.text));
    }
    strbuf_addstr(&all, task->prompt);
    *text = arena_cstr(a, strbuf_str(&all));
    return 0;
}

/* Running ------------------------------------------------------------------------------------- */

static void announce(struct agent_session *parent, const struct agent_session *child)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *data = json_object(&a);

    json_add(&a, data, STR("agent"), json_cstring(&a, child->def->name));
    json_add(&a, data, STR("parent"), json_cstring(&a, parent->about.id));
    (void)session_notice(parent, POINT_SUBAGENT_SESSION_CREATED, data, &a);
}

/* Limits are those of the run: what a child may spend is what its parent has left. */
static void take_spent(struct agent_session *child, const struct agent_session *parent)
{
    child->above = parent->above;
    usage_add(&child->above.usage, &parent->usage);
    child->above.cost += parent->cost;
}

static int open_child(struct agent_session *parent, const struct agent_task *task,
                      struct agent_session *child, struct err *e)
{
    int r;

    child->about.parent = parent->about.id;
    child->about.invoked_by = "subagent";
    child->about.depth = parent->about.depth + 1;
    take_spent(child, parent);
    r = session_open(child, parent->agent, task, e);
    if (r < 0)
        session_close(child);
    else
        announce(parent, child);
    return r;
}

static void run(struct agent_session *child, const struct agent_task *task,
                struct agent_outcome *out)
{
    session_begin(child, "subagent");
    session_run(child, task);
    session_outcome(child, out);
    session_close(child);
}

static int begin(struct agent_session *parent, const struct subagent_task *task, struct arena *a,
                 struct agent_task *out, struct err *e)
{
    int r;

    *out = (struct agent_task){
        .no_save = !parent->save,
        .recipe = parent->about.recipe,
        .tools = parent->only_tools,
        .commands = parent->only_commands,
    };
    if (parent->about.depth + 1 >= DEPTH_MAX)
        return err_set(e, -ELOOP, "subagents start subagents %d deep: do it here", DEPTH_MAX);
    r = choose(parent, task, out, e);
    if (r == 0)
        r = with_skills(parent, a, task, &out->text, e);
    if (r == 0 && !out->model)
        out->model = arena_printf(a, "%s/%s", parent->model.provider, parent->model.model);
    return r;
}

static void count(struct agent_session *parent, const struct agent_outcome *out)
{
    usage_add(&parent->usage, &out->usage);
    parent->cost += out->cost;
    parent->hook_ns += out->hook_ns;
}

int subagent_run(struct agent_session *parent, const struct subagent_task *task, struct arena *a,
                 struct agent_outcome *out, struct err *e)
{
    struct agent_session child = { 0 };
    struct agent_task chosen;
    int r = begin(parent, task, a, &chosen, e);

    if (r == 0)
        r = open_child(parent, &chosen, &child, e);
    if (r < 0)
        return r;
    run(&child, &chosen, out);
    count(parent, out);
    return 0;
}

/* In the background --------------------------------------------------------------------------- */

static void *run_in_background(void *context)
{
    struct background_task *b = context;

    run(&b->child, &b->chosen, &b->out);
    status_task(b->parent, -1);
    return NULL;
}

static int check_room(const struct agent_session *parent, struct err *e)
{
    size_t running = 0;

    for (const struct background_task *b = parent->background; b; b = b->next)
        running++;
    if (running >= BACKGROUND_MAX)
        return err_set(e, -EAGAIN, "%d tasks run in the background already: wait for them",
                       BACKGROUND_MAX);
    return 0;
}

static void release(struct background_task *b)
{
    agent_outcome_release(&b->out);
    arena_release(&b->arena);
    free(b);
}

/* Everything the thread needs is chosen here: the parent goes on and may change. */
static int launch(struct agent_session *parent, const struct subagent_task *task,
                  struct background_task *b, struct err *e)
{
    struct arena *a = &b->arena;
    int r = begin(parent, task, a, &b->chosen, e);

    if (r < 0)
        return r;
    b->parent = parent;
    b->chosen.agent = arena_strdup(a, b->chosen.agent);
    r = open_child(parent, &b->chosen, &b->child, e);
    if (r < 0)
        return r;
    status_task(parent, 1);
    if (pthread_create(&b->thread, NULL, run_in_background, b) == 0)
        return 0;
    status_task(parent, -1);
    session_close(&b->child);
    return err_set(e, -EAGAIN, "no thread for a task in the background: run it here");
}

int subagent_start(struct agent_session *parent, const struct subagent_task *task, unsigned *number,
                   struct err *e)
{
    struct background_task *b;
    int r = check_room(parent, e);

    if (r < 0)
        return r;
    b = xcalloc(1, sizeof(*b));
    r = launch(parent, task, b, e);
    if (r < 0) {
        release(b);
        return r;
    }
    b->number = ++parent->background_count;
    b->next = parent->background;
    parent->background = b;
    *number = b->number;
    return 0;
}

static void tell(struct background_task *b, struct strbuf *text)
{
    const char *what = b->out.text ? b->out.text : "";

    strbuf_printf(text, "%sBackground task %u %s:\n%s", text->len ? "\n\n" : "", b->number,
                  b->out.end == AGENT_DONE ? "is done" : "did not work",
                  what[0] ? what : b->out.reason);
}

char *subagent_wait(struct agent_session *parent, struct arena *a)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    while (parent->background) {
        struct background_task *b = parent->background;

        parent->background = b->next;
        pthread_join(b->thread, NULL);
        count(parent, &b->out);
        tell(b, &text);
        release(b);
    }
    return text.len ? arena_cstr(a, strbuf_str(&text)) : NULL;
}
