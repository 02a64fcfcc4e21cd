#include "hook/capture.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>

#define LOOK_NS     UINT64_C(1000000000)
#define REQUEST_MAX ((size_t)64 << 10)

char *capture_default_folder(struct arena *a)
{
    return path_join(a, path_xdg(a, PATH_STATE), "capture");
}

/* Reading requests ----------------------------------------------------------------------------- */

/* Whether its owner lives: the lock is shared by nobody. A file of another user is no request. */
static bool is_held(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return false;
    return flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static bool read_request(struct arena *a, const char *path, struct capture_request *q)
{
    CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const struct json *j;
    struct str text;

    if (fd < 0)
        return false;
    if (!is_held(fd)) {
        unlink(path); /* left behind; who comes first removes it */
        return false;
    }
    if (file_read(a, path, REQUEST_MAX, &text, NULL) < 0 || json_parse(a, text, NULL, &j, NULL) < 0)
        return false;
    *q = (struct capture_request){
        .dir = json_cstr(a, json_get(j, STR("dir"))),
        .session = json_cstr(a, json_get(j, STR("session"))),
        .point = json_cstr(a, json_get(j, STR("point"))),
    };
    return q->dir && q->dir[0] == '/';
}

static bool is_request(const char *name)
{
    return name[0] != '.' && str_ends(str_of(name), STR(".json"));
}

size_t capture_requests(struct arena *a, const char *folder,
                        struct capture_request requests[CAPTURE_MAX])
{
    CLEANUP(dir) DIR *dir = opendir(folder);
    const struct dirent *d;
    size_t count = 0;

    while (dir && count < CAPTURE_MAX && (d = readdir(dir)))
        if (is_request(d->d_name))
            count += read_request(a, path_join(a, folder, d->d_name), &requests[count]);
    return count;
}

/* Asking --------------------------------------------------------------------------------------- */

static bool is_taken(const char *folder, const char *dir)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct capture_request requests[CAPTURE_MAX];
    size_t count = capture_requests(&a, folder, requests);

    for (size_t i = 0; i < count; i++)
        if (strcmp(requests[i].dir, dir) == 0)
            return true;
    return false;
}

static struct str request_text(struct arena *a, const struct capture_request *q)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("dir"), json_cstring(a, q->dir));
    if (q->session)
        json_add(a, j, STR("session"), json_cstring(a, q->session));
    if (q->point)
        json_add(a, j, STR("point"), json_cstring(a, q->point));
    return str_of(json_text(a, j));
}

/* Locked before it has the name others look for: nobody may take it for left behind. */
static int put_request(struct capture_ticket *t, char *temporary, struct str text, struct err *e)
{
    CLEANUP(fd) int fd = mkostemp(temporary, O_CLOEXEC);
    int r;

    if (fd < 0)
        return err_errno(e, "writing '%s'", t->path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len ||
        rename(temporary, t->path) < 0) {
        r = err_errno(e, "writing '%s'", t->path);
        unlink(temporary);
        return r;
    }
    t->fd = take_fd(&fd);
    return 0;
}

int capture_ask(const char *folder, const struct capture_request *q, struct capture_ticket *t,
                struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct ulid_source ids;
    char id[ULID_SIZE];
    int r = file_mkdirs(folder, e);

    if (r < 0)
        return r;
    if (is_taken(folder, q->dir))
        return err_set(e, -EBUSY, "events are being saved to '%s' already: choose another folder",
                       q->dir);
    ulid_init(&ids);
    ulid_next(&ids, clock_wall_ms(), id);
    t->path = xstrdup(path_join(&a, folder, arena_printf(&a, "%s.json", id)));
    return put_request(t, arena_printf(&a, "%s/.%s.XXXXXX", folder, id), request_text(&a, q), e);
}

void capture_withdraw(struct capture_ticket *t)
{
    if (t->fd >= 0) {
        unlink(t->path);
        close(t->fd);
    }
    free(t->path);
    *t = (struct capture_ticket){ .fd = -1 };
}

/* Answering ------------------------------------------------------------------------------------ */

struct capture_state {
    char *folder, *own;
    struct log *log;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t look_ns;     /* when to look at the folder again */
    struct arena arena;   /* of the requests */
    struct capture_request requests[CAPTURE_MAX];
    size_t count;
};

struct capture *capture_new(const char *folder, const char *own, struct log *log)
{
    struct capture *c = xcalloc(1, sizeof(*c));
    struct capture_state *s = xcalloc(1, sizeof(*s));

    s->folder = folder ? xstrdup(folder) : NULL;
    s->own = own && own[0] ? xstrdup(own) : NULL;
    s->log = log;
    pthread_mutex_init(&s->lock, NULL);
    c->state = s;
    return c;
}

void capture_free(struct capture *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->state->lock);
    arena_release(&c->state->arena);
    free(c->state->folder);
    free(c->state->own);
    free(c->state);
    free(c);
}

/* Called with the lock held. */
static void look(struct capture *c, uint64_t now_ns)
{
    struct capture_state *s = c->state;

    if (now_ns < s->look_ns)
        return;
    arena_reset(&s->arena);
    s->count = s->folder ? capture_requests(&s->arena, s->folder, s->requests) : 0;
    s->look_ns = now_ns + LOOK_NS;
    atomic_store_explicit(&c->due_ns, s->count || s->own ? 0 : s->look_ns, memory_order_relaxed);
}

static bool wants(const struct capture_request *q, const struct event *ev)
{
    return (!q->session || strcmp(q->session, ev->session.id) == 0) &&
           (!q->point || strcmp(q->point, point_info(ev->point)->name) == 0);
}

/* The folders that want the event, copied: the file is written without the lock. */
static size_t wanting(struct capture *c, uint64_t now_ns, const struct event *ev, struct arena *a,
                      const char *dirs[CAPTURE_MAX + 1])
{
    struct capture_state *s = c->state;
    size_t count = 0;

    pthread_mutex_lock(&s->lock);
    look(c, now_ns);
    if (s->own)
        dirs[count++] = arena_strdup(a, s->own);
    for (size_t i = 0; i < s->count; i++)
        if (wants(&s->requests[i], ev))
            dirs[count++] = arena_strdup(a, s->requests[i].dir);
    pthread_mutex_unlock(&s->lock);
    return count;
}

void capture_event(struct capture *c, uint64_t now_ns, const struct receipt *r, const char *id)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { .max = JSON_MAX_BYTES };
    const char *dirs[CAPTURE_MAX + 1];
    size_t count = wanting(c, now_ns, r->event, &a, dirs);
    struct err e = { 0 };

    if (count == 0)
        return;
    json_write(&text, capture_to_json(&a, r, id), JSON_AS_IS);
    strbuf_addch(&text, '\n');
    for (size_t i = 0; i < count; i++) {
        const char *path = path_join(&a, dirs[i], arena_printf(&a, "%s.json", r->id));

        if (text.truncated || file_write(path, strbuf_str(&text), 0600, &e) < 0)
            log_warn_once(c->state->log, "events are not saved to '%s': %s", dirs[i],
                          text.truncated ? "one is too large" : strerror(-e.code));
    }
}
