#include "agent/status.h"

#include "base/mem.h"

#include <errno.h>
#include <pthread.h>

enum phase { PHASE_BUSY, PHASE_RETRY, PHASE_STOPPING };

/* One session, from status_join() to status_leave(). */
struct status {
    struct status *next;
    struct agent_session *s;
    enum phase phase;
    unsigned attempt; /* of a retry */
    char *message;
    unsigned questions;
    int tasks;   /* in the background */
    char *model; /* "provider/model" */
    char *abort; /* why it is to end; NULL: it is not */
    char *prompts[STATUS_PROMPTS_MAX];
    size_t prompt_count;
    bool closed; /* nothing more is sent in this run */
    struct usage charged;
    double cost;
};

struct status_table {
    pthread_mutex_t lock; /* guards all of it, and the histories of the sessions */
    struct status *first;
};

struct status_table *status_table_new(void)
{
    struct status_table *t = xcalloc(1, sizeof(*t));

    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void status_table_free(struct status_table *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static struct status_table *table_of(const struct agent_session *s)
{
    return agent_statuses(s->agent);
}

static struct status *find(const struct status_table *t, const char *id)
{
    struct status *x = t->first;

    while (x && strcmp(x->s->about.id, id) != 0)
        x = x->next;
    return x;
}

/* The session's own ---------------------------------------------------------------------------- */

void status_lock(struct agent_session *s)
{
    if (s->status)
        pthread_mutex_lock(&table_of(s)->lock);
}

void status_unlock(struct agent_session *s)
{
    if (s->status)
        pthread_mutex_unlock(&table_of(s)->lock);
}

static void set_text(char **at, const char *text)
{
    free(*at);
    *at = text ? xstrdup(text) : NULL;
}

static void note_model(struct status *x)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *now = arena_printf(&a, "%s/%s", x->s->model.provider, x->s->model.model);

    if (!x->model || strcmp(x->model, now) != 0)
        set_text(&x->model, now);
}

void status_join(struct agent_session *s)
{
    struct status_table *t = table_of(s);
    struct status *x = xcalloc(1, sizeof(*x));

    x->s = s;
    note_model(x);
    pthread_mutex_lock(&t->lock);
    x->next = t->first;
    t->first = x;
    pthread_mutex_unlock(&t->lock);
    s->status = x;
}

void status_leave(struct agent_session *s)
{
    struct status *x = s->status, **at;

    if (!x)
        return;
    status_lock(s);
    at = &table_of(s)->first;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    status_unlock(s);
    for (size_t i = 0; i < x->prompt_count; i++)
        free(x->prompts[i]);
    free(x->message);
    free(x->model);
    free(x->abort);
    free(x);
    s->status = NULL;
}

static bool is_the_end(enum point point)
{
    return point == POINT_AGENT_STOP || point == POINT_AGENT_ERROR || point == POINT_SESSION_IDLE ||
           point == POINT_SESSION_ENDED;
}

void status_at(struct agent_session *s, enum point point)
{
    if (!s->status)
        return;
    status_lock(s);
    note_model(s->status);
    if (point != POINT_SESSION_STATUS) /* it has just been set */
        s->status->phase = is_the_end(point) ? PHASE_STOPPING : PHASE_BUSY;
    status_unlock(s);
}

void status_set(struct agent_session *s, const char *type, unsigned attempt, const char *message)
{
    struct status *x = s->status;

    if (!x)
        return;
    status_lock(s);
    x->phase = strcmp(type, "retry") == 0  ? PHASE_RETRY
               : strcmp(type, "busy") == 0 ? PHASE_BUSY
                                           : PHASE_STOPPING;
    x->attempt = attempt;
    set_text(&x->message, message);
    status_unlock(s);
}

void status_question(struct agent_session *s, bool open)
{
    status_lock(s);
    if (s->status)
        s->status->questions += open ? 1u : -1u;
    status_unlock(s);
}

void status_task(struct agent_session *s, int by)
{
    status_lock(s);
    if (s->status)
        s->status->tasks += by;
    status_unlock(s);
}

void status_collect(struct agent_session *s)
{
    struct status *x = s->status;

    if (!x)
        return;
    status_lock(s);
    usage_add(&s->usage, &x->charged);
    s->cost += x->cost;
    x->charged = (struct usage){ 0 };
    x->cost = 0;
    if (x->abort)
        session_end(s, AGENT_STOPPED, x->abort);
    status_unlock(s);
}

/* Prompts -------------------------------------------------------------------------------------- */

size_t status_drop_prompts(struct agent_session *s)
{
    struct status *x = s->status;
    size_t count = 0;

    if (!x)
        return 0;
    status_lock(s);
    while (x->prompt_count > 0) {
        free(x->prompts[--x->prompt_count]);
        count++;
    }
    x->closed = true;
    status_unlock(s);
    return count;
}

const struct json *status_take_prompts(struct agent_session *s, struct arena *a,
                                       const struct json *list)
{
    struct status *x = s->status;
    struct json *more = json_array(a);

    if (!x)
        return list;
    status_lock(s);
    for (size_t i = 0; i < x->prompt_count; i++) {
        json_push(a, more, json_cstring(a, arena_strdup(a, x->prompts[i])));
        free(x->prompts[i]);
    }
    x->prompt_count = 0;
    x->closed = json_count(list) + json_count(more) == 0;
    status_unlock(s);
    if (json_count(more) == 0)
        return list;
    return list ? json_splice(a, list, json_count(list), 0, more) : more;
}

/* About any session ---------------------------------------------------------------------------- */

static bool is_child(const struct status *x, const char *parent)
{
    return x->s->about.parent && strcmp(x->s->about.parent, parent) == 0;
}

bool status_is_kin(struct status_table *t, const struct session *s, const char *id)
{
    const struct status *x;
    bool kin;

    if (strcmp(id, s->id) == 0 || (s->parent && strcmp(id, s->parent) == 0))
        return true;
    pthread_mutex_lock(&t->lock);
    x = find(t, id);
    kin = x && is_child(x, s->id);
    pthread_mutex_unlock(&t->lock);
    return kin;
}

static struct json *waits_for(const struct status_table *t, struct arena *a, const struct status *x)
{
    struct json *list = json_array(a);
    int children = 0;

    if (x->questions)
        json_push(a, list, json_cstring(a, "question"));
    for (const struct status *c = t->first; c; c = c->next)
        if (is_child(c, x->s->about.id)) {
            json_push(a, list, json_cstring(a, arena_printf(a, "subagent %s", c->s->about.id)));
            children++;
        }
    for (int i = children; i < x->tasks; i++) /* whose session has not begun yet */
        json_push(a, list, json_cstring(a, "background task"));
    return list;
}

static const struct json *describe(const struct status_table *t, struct arena *a,
                                   const struct status *x)
{
    struct json *j = json_object(a), *waiting = x ? waits_for(t, a, x) : NULL;
    bool retry = x && x->phase == PHASE_RETRY;
    bool busy = x && (x->phase == PHASE_BUSY || json_count(waiting) > 0);

    json_add(a, j, STR("type"), json_cstring(a, retry ? "retry" : busy ? "busy" : "idle"));
    if (retry) {
        json_add(a, j, STR("attempt"), json_int(a, x->attempt));
        if (x->message)
            json_add(a, j, STR("message"), json_cstring(a, arena_strdup(a, x->message)));
        json_push(a, waiting, json_cstring(a, "retry"));
    }
    if (json_count(waiting) > 0)
        json_add(a, j, STR("waiting_on"), waiting);
    return j;
}

const struct json *status_json(struct status_table *t, struct arena *a, const char *id)
{
    const struct json *j;

    pthread_mutex_lock(&t->lock);
    j = describe(t, a, find(t, id));
    pthread_mutex_unlock(&t->lock);
    return j;
}

const struct json *status_stopping(struct agent_session *s, struct arena *a)
{
    status_at(s, POINT_AGENT_STOP);
    return status_json(table_of(s), a, s->about.id);
}

static int not_here(const char *id, struct err *e)
{
    return err_set(e, -ESRCH, "session '%s' does not run in this process now", id);
}

static const struct json *copy_newest(struct arena *a, const struct history *h, size_t limit)
{
    struct json *list = json_array(a);
    size_t from = limit < h->count ? h->count - limit : 0;

    for (size_t i = from; i < h->count; i++)
        json_push(a, list, json_copy(a, h->items[i]));
    return list;
}

int status_messages(struct status_table *t, struct arena *a, const char *id, size_t limit,
                    const struct json **messages, struct err *e)
{
    const struct status *x;
    int r = 0;

    pthread_mutex_lock(&t->lock);
    x = find(t, id);
    if (x)
        *messages = copy_newest(a, &x->s->history, limit);
    else
        r = not_here(id, e);
    pthread_mutex_unlock(&t->lock);
    return r;
}

int status_abort(struct status_table *t, const char *id, const char *reason, bool *first,
                 struct err *e)
{
    struct status *x;
    int r = 0;

    pthread_mutex_lock(&t->lock);
    x = find(t, id);
    *first = x && !x->abort;
    if (*first)
        set_text(&x->abort, reason);
    else if (!x)
        r = not_here(id, e);
    pthread_mutex_unlock(&t->lock);
    return r;
}

static int add_prompt(struct status *x, const char *text, struct err *e)
{
    if (!x)
        return -ESRCH;
    if (x->closed || x->abort)
        return err_set(e, -ESHUTDOWN, "session '%s' has stopped, nothing more is sent in it",
                       x->s->about.id);
    if (x->prompt_count == STATUS_PROMPTS_MAX)
        return err_set(e, -EAGAIN, "%d prompts wait already for session '%s' to stop",
                       STATUS_PROMPTS_MAX, x->s->about.id);
    x->prompts[x->prompt_count++] = xstrdup(text);
    return 0;
}

int status_prompt(struct status_table *t, const char *id, const char *text, struct err *e)
{
    int r;

    pthread_mutex_lock(&t->lock);
    r = add_prompt(find(t, id), text, e);
    pthread_mutex_unlock(&t->lock);
    if (r == -ESRCH)
        return err_set(e, r,
                       "session '%s' does not run in this process now, so nothing can be sent in "
                       "it: only a session that works takes prompts",
                       id);
    return r;
}

char *status_model(struct status_table *t, struct arena *a, const char *id)
{
    const struct status *x;
    char *model;

    pthread_mutex_lock(&t->lock);
    x = find(t, id);
    model = x ? arena_strdup(a, x->model) : NULL;
    pthread_mutex_unlock(&t->lock);
    return model;
}

void status_charge(struct status_table *t, const char *id, const struct usage *usage, double cost)
{
    struct status *x;

    pthread_mutex_lock(&t->lock);
    x = find(t, id);
    if (x) {
        usage_add(&x->charged, usage);
        x->cost += cost;
    }
    pthread_mutex_unlock(&t->lock);
}
