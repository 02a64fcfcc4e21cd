/* The words of a sandbox: what is seen, what can be written, what is hidden. */
#include "base/file.h"
#include "base/path.h"
#include "base/vars.h"
#include "builtin/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Of two mounts at one place the last one counts. */
enum mount { MOUNT_WRITABLE, MOUNT_READONLY, MOUNT_FRESH, MOUNT_HIDDEN };

struct mounts {
    const struct sandbox *box;
    struct place {
        const char *path;
        enum mount mount;
        bool folder;
    } * list;
    size_t count, room;
};

void sandbox_add(struct sandbox_list *l, const char *word)
{
    size_t room = l->room;

    l->words = arena_grow(l->arena, l->words, l->count, &room, sizeof(*l->words));
    l->room = room;
    l->words[l->count++] = word;
}

void sandbox_add_words(struct sandbox_list *l, const char *const *words)
{
    for (; *words; words++)
        sandbox_add(l, *words);
}

const char *sandbox_find_program(struct arena *a, const char *name, const char *workspace)
{
    const char *list = vars_get("PATH");
    struct str rest = str_of(list ? list : "/usr/bin:/bin"), folder;

    while (str_cut(&rest, ':', &folder)) {
        const char *path;

        if (folder.len == 0 || folder.ptr[0] != '/')
            continue;
        path = path_join(a, arena_cstr(a, folder), name);
        if (access(path, X_OK) == 0 && !(workspace && path_within(workspace, path)))
            return path;
    }
    return NULL;
}

/* Mounts --------------------------------------------------------------------------------------- */

/* What is not there needs no mount, and a link is mounted where it leads. */
static void add_mount(struct mounts *m, const char *path, enum mount mount)
{
    char real[PATH_MAX];
    struct stat st;

    if (!realpath(path, real) || stat(real, &st) < 0)
        return;
    m->list = arena_grow(m->box->arena, m->list, m->count, &m->room, sizeof(*m->list));
    m->list[m->count++] =
        (struct place){ arena_strdup(m->box->arena, real), mount, S_ISDIR(st.st_mode) };
}

/* "~/x", an absolute path, or one of the workspace. */
static const char *place_of(const struct sandbox *box, const char *path)
{
    if (path[0] == '~' && (path[1] == '/' || !path[1]))
        return path_join(box->arena, box->home, path[1] ? path + 2 : ".");
    return path_join(box->arena, box->workspace ? box->workspace : "/", path);
}

static void add_mounts(struct mounts *m, const char *const *paths, enum mount mount)
{
    for (; paths && *paths; paths++)
        add_mount(m, place_of(m->box, *paths), mount);
}

/*
 * A worktree's repository is elsewhere, and commits go there. It counts only if it knows the
 * worktree: else a file in the workspace could make any folder writable.
 */
static void add_repository(struct mounts *m)
{
    static const struct str word = { "gitdir: ", 8 };
    struct arena *a = m->box->arena;
    const char *file = path_join(a, m->box->workspace, ".git");
    const char *folder, *mark;
    struct str text, back;
    struct err e = { 0 };

    if (file_read(a, file, PATH_MAX, &text, &e) < 0 || !str_starts(text, word))
        return;
    folder = arena_cstr(a, str_trim((struct str){ text.ptr + word.len, text.len - word.len }));
    mark = strstr(folder, "/worktrees/");
    if (!mark || file_read(a, path_join(a, folder, "gitdir"), PATH_MAX, &back, &e) < 0 ||
        !file_is_same(arena_cstr(a, str_trim(back)), file))
        return;
    folder = arena_cstr(a, (struct str){ folder, (size_t)(mark - folder) });
    add_mount(m, folder, MOUNT_WRITABLE);
    add_mount(m, path_join(a, folder, "hooks"), MOUNT_READONLY);
}

/* Through these a command could have others do what it may not do itself. */
static void add_sockets(struct mounts *m)
{
    static const char *const sockets[] = {
        "/run/docker.sock",
        "/run/podman",
        "/run/containerd",
        "/run/crio",
        "/run/user",
        "/run/dbus/system_bus_socket",
        "/run/systemd/private",
        "/var/run/docker.sock",
        "/run/snapd.socket",
        "/run/systemd/io.systemd.ManagedOOM",
    };

    for (size_t i = 0; i < ARRAY_LEN(sockets); i++)
        add_mount(m, sockets[i], MOUNT_HIDDEN);
}

static int parents_first(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    size_t la = strlen(a->path), lb = strlen(b->path);

    if (la != lb)
        return la < lb ? -1 : 1;
    if (strcmp(a->path, b->path) != 0)
        return strcmp(a->path, b->path);
    return (int)a->mount - (int)b->mount;
}

static void find_mounts(struct mounts *m)
{
    const struct sandbox *box = m->box;
    const char *tmp = vars_get("TMPDIR");

    add_mounts(m, box->writable, MOUNT_WRITABLE);
    add_mounts(m, box->hidden, MOUNT_HIDDEN);
    add_mount(m, path_xdg(box->arena, PATH_CONFIG), MOUNT_HIDDEN); /* keys of providers */
    if (box->workspace) {
        add_mount(m, box->workspace, MOUNT_WRITABLE);
        add_repository(m);
        add_mounts(m, box->readonly, MOUNT_READONLY);
    }
    if (strcmp(box->program, "bwrap") == 0) {
        add_mount(m, "/tmp", MOUNT_FRESH);
        add_mount(m, "/var/tmp", MOUNT_FRESH);
        if (tmp && tmp[0] == '/' && !(box->workspace && path_within(tmp, box->workspace)))
            add_mount(m, tmp, MOUNT_FRESH);
        if (!file_is_same(box->home, box->workspace ? box->workspace : "/"))
            add_mount(m, box->home, MOUNT_READONLY); /* it may be below one of these */
        add_sockets(m);
    }
    if (m->count)
        qsort(m->list, m->count, sizeof(*m->list), parents_first);
}

/* bubblewrap ----------------------------------------------------------------------------------- */

static void mount_place(struct sandbox_list *l, const struct place *p)
{
    switch (p->mount) {
    case MOUNT_WRITABLE:
        sandbox_add_all(l, "--bind", p->path, p->path);
        break;
    case MOUNT_READONLY:
        sandbox_add_all(l, "--ro-bind", p->path, p->path);
        break;
    case MOUNT_FRESH:
        sandbox_add_all(l, "--tmpfs", p->path);
        break;
    case MOUNT_HIDDEN:
        if (p->folder)
            sandbox_add_all(l, "--tmpfs", p->path);
        else
            sandbox_add_all(l, "--ro-bind", "/dev/null", p->path);
        break;
    }
}

/* A user namespace even for root: else it could mount again what is read-only. */
static void wrap_words(struct sandbox_list *l, const struct sandbox *box)
{
    struct mounts m = { .box = box };

    find_mounts(&m);
    sandbox_add_all(l, box->path, "--unshare-user", "--unshare-pid", "--unshare-ipc",
                    "--unshare-uts", "--unshare-cgroup-try");
    if (!box->network)
        sandbox_add(l, "--unshare-net");
    sandbox_add_all(l, "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/",
                    "/", "--dev", "/dev", "--proc", "/proc");
    for (size_t i = 0; i < m.count; i++)
        mount_place(l, &m.list[i]);
    sandbox_add(l, "--");
}

/* Containers ----------------------------------------------------------------------------------- */

static int container_mount(struct sandbox_list *l, const struct place *p, struct err *e)
{
    if (p->mount != MOUNT_WRITABLE && p->mount != MOUNT_READONLY)
        return 0;
    if (strpbrk(p->path, ",\""))
        return err_set(e, -EINVAL, "'%s' has a comma or a quote, no container can mount it",
                       p->path);
    sandbox_add_all(l, "--mount",
                    arena_printf(l->arena, "type=bind,src=%s,dst=%s%s", p->path, p->path,
                                 p->mount == MOUNT_READONLY ? ",readonly" : ""));
    return 0;
}

static int container_words(struct sandbox_list *l, const struct sandbox *box, struct err *e)
{
    struct mounts m = { .box = box };
    const char *image, *cwd = box->cwd;
    int r = sandbox_image(box, &image, e);

    if (r < 0)
        return r;
    if (!box->workspace)
        return err_set(e, -EINVAL, "there is no workspace to show to the container");
    if (!cwd || !path_within(box->workspace, cwd))
        cwd = box->workspace;
    sandbox_add_all(l, box->path, "run", "--rm", "--interactive", "--init", "--cap-drop", "ALL",
                    "--security-opt", "no-new-privileges", "--network",
                    box->network ? "bridge" : "none", "--user",
                    arena_printf(box->arena, "%u:%u", (unsigned)getuid(), (unsigned)getgid()),
                    "--env", "HOME=/tmp", "--workdir", cwd);
    if (strcmp(box->program, "podman") == 0)
        sandbox_add_all(l, "--userns", "keep-id");
    find_mounts(&m);
    for (size_t i = 0; i < m.count && r == 0; i++)
        r = container_mount(l, &m.list[i], e);
    sandbox_add(l, image);
    return r;
}

int sandbox_words(const struct sandbox *box, const char *const **words, struct err *e)
{
    struct sandbox_list l = { .arena = box->arena };
    int r = 0;

    if (strcmp(box->program, "bwrap") == 0)
        wrap_words(&l, box);
    else
        r = container_words(&l, box, e);
    sandbox_add(&l, NULL);
    if (r == 0)
        *words = l.words;
    return r;
}

/* A container is not started to try: an image may have to be fetched first. */
int sandbox_probe_words(const struct sandbox *box, const char *const **words, struct err *e)
{
    struct sandbox_list l = { .arena = box->arena };
    const char *image;
    int r = 0;

    if (strcmp(box->program, "bwrap") == 0) {
        wrap_words(&l, box);
        sandbox_add_all(&l, "/bin/bash", "-c", ":");
    } else {
        sandbox_add_all(&l, box->path, "info");
        r = sandbox_image(box, &image, e);
    }
    sandbox_add(&l, NULL);
    if (r == 0)
        *words = l.words;
    return r;
}
