#include "hook/receipt.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "hook/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#define DETAIL_MAX 300 /* bytes of a reason or failure that are kept */

void receipt_release(struct receipt *r)
{
    registry_unref(r->registry);
    r->registry = NULL;
}

const char *run_end_name(enum run_end end)
{
    static const char *const names[] = {
        [RUN_DONE] = "done",
        [RUN_FAILED] = "failed",
        [RUN_TIMED_OUT] = "timed-out",
    };

    return names[end];
}

const char *held_why_name(enum held_why why)
{
    static const char *const names[] = {
        [HELD_CADENCE] = "cadence",     [HELD_OFF] = "off",   [HELD_BUDGET] = "budget",
        [HELD_DEPTH] = "depth",         [HELD_ONCE] = "once", [HELD_SAID] = "said",
        [HELD_UNTRUSTED] = "untrusted",
    };

    return names[why];
}

const char *receipt_outcome(const struct receipt *r)
{
    const struct verdict *v = &r->verdict;

    if (v->stop)
        return "stop";
    if (v->decision != DECISION_NONE)
        return decision_name(v->decision);
    if (v->result != VERDICT_NO_RESULT)
        return verdict_result_name(v->result);
    if (v->model)
        return "fallback";
    if (v->replace)
        return "change";
    return v->injections ? "inject" : "none";
}

void receipt_warn(struct arena *a, struct receipt *r, const char *line)
{
    const char **all = arena_array(a, const char *, r->warning_count + 1);

    for (size_t i = 0; i < r->warning_count; i++)
        all[i] = r->warnings[i];
    all[r->warning_count++] = line;
    r->warnings = all;
}

/* Writing: straight into the buffer, because a line is written for every event. */

static void add_raw(struct strbuf *out, struct str text)
{
    strbuf_add(out, text.ptr, text.len);
}

static void add_name(struct strbuf *out, struct str key_with_colon, const char *text)
{
    add_raw(out, key_with_colon);
    json_write_string(out, str_of(text));
}

/* One of our own words, in which nothing needs a backslash; the key ends with the quote. */
static void add_word(struct strbuf *out, struct str key_with_quote, const char *word)
{
    add_raw(out, key_with_quote);
    strbuf_add(out, word, strlen(word));
    strbuf_addch(out, '"');
}

/* What a hook said, and so may be as long as it likes. */
static void add_detail(struct strbuf *out, struct str key_with_colon, const char *text)
{
    size_t len = strlen(text);

    add_raw(out, key_with_colon);
    json_write_string(out, (struct str){ text, len > DETAIL_MAX ? DETAIL_MAX : len });
}

static void add_number(struct strbuf *out, struct str key_with_colon, uint64_t n)
{
    add_raw(out, key_with_colon);
    strbuf_addint(out, (int64_t)n);
}

static void write_gate(struct strbuf *out, uint32_t every, uint64_t time)
{
    if (!every)
        return;
    add_number(out, STR(",\"every\":"), every);
    add_number(out, STR(",\"time\":"), time);
}

static void write_effects(struct strbuf *out, unsigned effects)
{
    bool first = true;

    add_raw(out, STR(",\"did\":["));
    for (unsigned bit = 1; bit <= effects; bit <<= 1)
        if (effects & bit) {
            add_raw(out, first ? STR("\"") : STR(",\""));
            strbuf_addstr(out, power_name((enum power)bit));
            strbuf_addch(out, '"');
            first = false;
        }
    strbuf_addch(out, ']');
}

struct str receipt_head(struct arena *a, const char *hook)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    add_name(&b, STR("{\"hook\":"), hook);
    return (struct str){ arena_cstr(a, strbuf_str(&b)), b.len };
}

static void write_llm(struct strbuf *out, const struct llm_use *llm)
{
    if (!llm->calls)
        return;
    add_number(out, STR(",\"llm\":{\"calls\":"), llm->calls);
    add_number(out, STR(",\"tokens\":"), (uint64_t)llm->tokens);
    if (llm->cost > 0)
        strbuf_printf(out, ",\"cost\":%.6f", llm->cost);
    strbuf_addch(out, '}');
}

static void write_io(struct strbuf *out, const struct hook_io *io)
{
    if (io->bytes_in)
        add_number(out, STR(",\"in\":"), io->bytes_in);
    if (io->bytes_out)
        add_number(out, STR(",\"out\":"), io->bytes_out);
    write_llm(out, &io->llm);
    if (io->stderr_head)
        add_name(out, STR(",\"stderr\":"), io->stderr_head);
}

static void write_run(struct strbuf *out, const struct hook_run *run)
{
    add_raw(out, run->hook->receipt_head);
    if (run->ns >= 1000)
        add_number(out, STR(",\"us\":"), run->ns / 1000);
    if (run->end != RUN_DONE)
        add_word(out, STR(",\"end\":\""), run_end_name(run->end));
    if (run->effects)
        write_effects(out, run->effects);
    if (run->detail)
        add_detail(out, STR(",\"detail\":"), run->detail);
    if (run->tokens)
        add_number(out, STR(",\"tokens\":"), run->tokens);
    if (run->io)
        write_io(out, run->io);
    if (run->again)
        add_raw(out, STR(",\"again\":true"));
    write_gate(out, run->every, run->time);
    strbuf_addch(out, '}');
}

static void write_held(struct strbuf *out, const struct hook_held *held)
{
    add_raw(out, held->hook->receipt_head);
    add_word(out, STR(",\"why\":\""), held_why_name(held->why));
    if (held->detail)
        add_detail(out, STR(",\"detail\":"), held->detail);
    if (held->tokens)
        add_number(out, STR(",\"tokens\":"), held->tokens);
    write_gate(out, held->every, held->time);
    strbuf_addch(out, '}');
}

/* The hook that made the provider read the request anew. */
static void write_breaker(struct strbuf *out, struct str hook)
{
    if (!hook.len)
        return;
    add_raw(out, STR(",\"prefix_broken_by\":"));
    json_write_string(out, hook);
}

static void write_head(struct strbuf *out, const struct receipt *r)
{
    const struct event *ev = r->event;
    char at[CLOCK_TEXT_SIZE];
    struct str tool, call;
    CLEANUP(arena) struct arena a = { 0 };

    clock_format(r->at_ms, at);
    add_word(out, STR("{\"at\":\""), at);
    add_word(out, STR(",\"id\":\""), r->id);
    if (r->after)
        add_name(out, STR(",\"after\":"), r->after);
    add_word(out, STR(",\"point\":\""), point_info(ev->point)->name);
    add_name(out, STR(",\"session\":"), ev->session.id);
    if (ev->session.parent)
        add_name(out, STR(",\"parent\":"), ev->session.parent);
    if (ev->session.agent)
        add_name(out, STR(",\"agent\":"), ev->session.agent);
    if (ev->via)
        add_name(out, STR(",\"via\":"), ev->via);
    if (ev->as)
        add_name(out, STR(",\"as\":"), ev->as);
    if (ev->turn)
        add_number(out, STR(",\"turn\":"), ev->turn);
    tool = json_str(&a, event_data(ev, STR("tool")));
    if (str_is_set(tool)) {
        add_raw(out, STR(",\"tool\":"));
        json_write_string(out, tool);
    }
    call = json_str(&a, event_data(ev, STR("call_id")));
    if (str_is_set(call)) {
        add_raw(out, STR(",\"call_id\":"));
        json_write_string(out, call);
    }
    if (ev->point == POINT_MESSAGE_UPDATED)
        write_breaker(out, json_str(&a, event_data(ev, STR("prefix_broken_by"))));
}

void receipt_write(struct strbuf *out, const struct receipt *r)
{
    const struct verdict *v = &r->verdict;

    strbuf_reserve(out, 256 + 32 * (r->run_count + r->held_count));
    write_head(out, r);
    add_number(out, STR(",\"us\":"), r->ns / 1000);
    add_word(out, STR(",\"outcome\":\""), receipt_outcome(r));
    if (v->stop || v->reason)
        add_detail(out, STR(",\"reason\":"), v->stop ? v->stop : v->reason);
    if (r->answer.by) {
        add_name(out, STR(",\"answer\":{\"by\":"), r->answer.by);
        add_word(out, STR(",\"decision\":\""), decision_name(r->answer.decision));
        strbuf_addch(out, '}');
    }
    add_raw(out, STR(",\"runs\":["));
    for (size_t i = 0; i < r->run_count; i++) {
        if (i)
            strbuf_addch(out, ',');
        write_run(out, &r->runs[i]);
    }
    add_raw(out, STR("]"));
    for (size_t i = 0; i < r->held_count; i++) {
        add_raw(out, i ? STR(",") : STR(",\"held\":["));
        write_held(out, &r->held[i]);
    }
    add_raw(out, r->held_count ? STR("]") : STR(""));
    for (size_t i = 0; i < r->warning_count; i++)
        add_detail(out, i ? STR(",") : STR(",\"warnings\":["), r->warnings[i]);
    add_raw(out, r->warning_count ? STR("]}") : STR("}"));
}

/* Files ---------------------------------------------------------------------------------------- */

struct receipt_log {
    char *dir;
    pthread_mutex_t lock;
    int64_t day; /* of the open file, in days since 1970 */
    int fd;
    bool torn; /* the last line has no end: the next one must not go on with it */
};

char *receipt_default_dir(struct arena *a)
{
    return path_join(a, path_xdg(a, PATH_STATE), "receipts");
}

struct receipt_log *receipt_log_new(const char *dir)
{
    struct receipt_log *l = xcalloc(1, sizeof(*l));

    l->dir = xstrdup(dir);
    l->fd = -1;
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void receipt_log_free(struct receipt_log *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        close(l->fd);
    pthread_mutex_destroy(&l->lock);
    free(l->dir);
    free(l);
}

/* Whether the last line has no end: somebody's disk was full. */
static bool ends_torn(int fd)
{
    char last = '\n';

    if (lseek(fd, -1, SEEK_END) >= 0 && read(fd, &last, 1) != 1)
        last = '\n';
    return last != '\n';
}

/* Nearly always the folder is there, so it is made only when the file can't be. */
static int open_file(const struct receipt_log *l, const char *path, int *fd, struct err *e)
{
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;

    *fd = open(path, flags, 0600);
    if (*fd < 0 && errno == ENOENT) {
        int r = file_mkdirs(l->dir, e);

        if (r < 0)
            return r;
        *fd = open(path, flags, 0600);
    }
    return *fd < 0 ? err_errno(e, "opening '%s'", path) : 0;
}

/* The file of the day; a receipt that crosses midnight belongs to the day it began. */
static int open_day(struct receipt_log *l, int64_t at_ms, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    char at[CLOCK_TEXT_SIZE];
    const char *path;
    int r;

    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    clock_format(at_ms, at);
    path = path_join(&a, l->dir, arena_printf(&a, "%.10s.jsonl", at));
    r = open_file(l, path, &l->fd, e);
    if (r < 0)
        return r;
    l->day = at_ms / 86400000;
    l->torn = ends_torn(l->fd);
    return 0;
}

/* One write: with O_APPEND, lines of several processes do not mix. */
static int write_line(struct receipt_log *l, const struct strbuf *line, struct err *e)
{
    CLEANUP(strbuf) struct strbuf after_torn = { 0 };
    ssize_t n;

    if (l->torn) {
        strbuf_addch(&after_torn, '\n');
        strbuf_add(&after_torn, line->buf, line->len);
        line = &after_torn;
    }
    n = write(l->fd, line->buf, line->len);
    if (n < 0)
        return err_errno(e, "writing a receipt in '%s'", l->dir);
    l->torn = (size_t)n < line->len;
    if (l->torn)
        return err_set(e, -ENOSPC, "writing a receipt in '%s': the disk is full", l->dir);
    return 0;
}

int receipt_log_append(struct receipt_log *l, int64_t at_ms, struct strbuf *line, struct err *e)
{
    int r = 0;

    strbuf_addch(line, '\n');
    pthread_mutex_lock(&l->lock);
    if (l->fd < 0 || l->day != at_ms / 86400000)
        r = open_day(l, at_ms, e);
    if (r == 0)
        r = write_line(l, line, e);
    pthread_mutex_unlock(&l->lock);
    return r;
}
