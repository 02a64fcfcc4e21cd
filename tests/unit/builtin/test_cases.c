/*
 * Runs every tests/cases/<hook>/<case>.json, each as a test named "<hook>/<case>". What a case may
 * say is in tests/cases/README.md.
 */
#include "base/mem.h"
#include "bed.h"
#include "builtin/builtin.h"

#include <dirent.h>

#define CASES      HOOKE_SOURCE_DIR "/tests/cases"
#define CASE_MAX   ((size_t)1 << 20)
#define REPEAT_MAX 10000

/* The built-ins a case runs with; more than there are. */
#define DEFS_MAX 64

struct running {
    struct bed bed;
    const char *path;
    const struct json *doc;
    const struct hook_def *defs[DEFS_MAX];
    const struct json **data; /* of each step, as it then was */
    const struct json *seen;  /* {"verdict", "data"} of the last step */
    size_t step;              /* from 1 */
};

static void running_cleanup(struct running *k)
{
    bed_cleanup(&k->bed);
}

#define complain(k, ...)                                                  \
    do {                                                                  \
        char *why = arena_printf(&(k)->bed.arena, __VA_ARGS__);           \
        fail_msg("%s: step %zu: %s\n  saw %s", (k)->path, (k)->step, why, \
                 json_text(&(k)->bed.arena, (k)->seen));                  \
    } while (0)

static void know_keys(struct running *k, const struct json *object, const char *known)
{
    for (const struct json *m = json_first(object); m; m = json_next(m)) {
        struct str key = json_key(&k->bed.arena, m), rest = str_of(known), word;
        bool found = false;

        while (str_cut(&rest, ' ', &word))
            found |= str_eq(word, key);
        if (!found)
            complain(k, "'%.*s' is none of: %s", STR_ARG(key), known);
    }
}

/* What a case begins with -----------------------------------------------------------------------
 */

static const struct hook_def *find_builtin(struct running *k, struct str name)
{
    for (size_t i = 0; builtin_hooks[i]; i++)
        if (str_is(name, builtin_hooks[i]->name))
            return builtin_hooks[i];
    fail_msg("%s: there is no built-in '%.*s'", k->path, STR_ARG(name));
    return NULL;
}

/* Unless it says otherwise: the hook its folder is named after, and the one that places context. */
static void choose_builtins(struct running *k, struct str folder)
{
    const struct json *list = json_get(k->doc, STR("builtins"));
    size_t n = 0;

    if (str_is(json_str(&k->bed.arena, list), "all")) {
        for (; builtin_hooks[n]; n++)
            k->defs[n] = builtin_hooks[n];
        return;
    }
    for (const struct json *j = json_first(list); j; j = json_next(j))
        k->defs[n++] = find_builtin(k, json_str(&k->bed.arena, j));
    if (list)
        return;
    k->defs[n++] = find_builtin(k, folder);
    if (!str_is(folder, "context-injector"))
        k->defs[n++] = find_builtin(k, STR("context-injector"));
}

static void replace_all(struct strbuf *out, struct str text, struct str what, const char *by)
{
    while (text.len) {
        if (str_starts(text, what)) {
            strbuf_addstr(out, by);
            text = (struct str){ text.ptr + what.len, text.len - what.len };
        } else {
            strbuf_addch(out, *text.ptr);
            text = (struct str){ text.ptr + 1, text.len - 1 };
        }
    }
}

/* "$DIR" stands for the folder of the case. */
static void read_case(struct running *k)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct arena *a = &k->bed.arena;
    struct err e = { 0 };
    struct str raw;

    if (file_read(a, k->path, CASE_MAX, &raw, &e) < 0)
        fail_msg("%s", e.msg);
    replace_all(&text, raw, STR("$DIR"), k->bed.dir.path);
    if (json_parse(a, str_of(arena_cstr(a, strbuf_str(&text))), NULL, &k->doc, &e) < 0)
        fail_msg("%s: %s", k->path, e.msg);
    know_keys(k, k->doc, "about config session builtins files steps");
}

static void write_files(struct running *k)
{
    struct arena *a = &k->bed.arena;
    const struct json *files = json_get(k->doc, STR("files"));

    for (const struct json *f = json_first(files); f; f = json_next(f)) {
        const char *path = arena_printf(a, "%s/%.*s", k->bed.dir.path, STR_ARG(json_key(a, f)));

        assert_int_equal(file_write(path, json_str(a, f), 0700, NULL), 0);
    }
}

static void set_session(struct running *k, const struct json *said)
{
    struct arena *a = &k->bed.arena;
    struct session *s = &k->bed.session;

    know_keys(k, said, "id parent agent invoked_by recipe cwd usage");
    s->id = json_cstr(a, json_get(said, STR("id"))) ?: s->id;
    s->parent = json_cstr(a, json_get(said, STR("parent"))) ?: s->parent;
    s->agent = json_cstr(a, json_get(said, STR("agent"))) ?: s->agent;
    s->invoked_by = json_cstr(a, json_get(said, STR("invoked_by"))) ?: s->invoked_by;
    s->recipe = json_cstr(a, json_get(said, STR("recipe"))) ?: s->recipe;
    s->cwd = json_cstr(a, json_get(said, STR("cwd"))) ?: s->cwd;
    s->usage = json_get(said, STR("usage")) ?: s->usage;
}

/* Nothing of this machine is seen: home and its folders are the case's own. */
static void begin(struct running *k)
{
    const char *name = strrchr(k->path, '/');
    const char *folder = memrchr(k->path, '/', (size_t)(name - k->path));
    const struct json *config;
    struct arena *a = &k->bed.arena;

    bed_open(&k->bed, k->defs, NULL);
    setenv("HOME", arena_printf(a, "%s/home", k->bed.dir.path), 1);
    setenv("XDG_CONFIG_HOME", arena_printf(a, "%s/home/.config", k->bed.dir.path), 1);
    setenv("XDG_STATE_HOME", arena_printf(a, "%s/home/.state", k->bed.dir.path), 1);
    read_case(k);
    choose_builtins(k, (struct str){ folder + 1, (size_t)(name - folder - 1) });
    write_files(k);
    k->bed.session.cwd = k->bed.dir.path;
    set_session(k, json_get(k->doc, STR("session")));
    config = json_get(k->doc, STR("config"));
    bed_configure(&k->bed, k->defs, config ? json_text(a, config) : "{}");
    if (k->bed.logged.len)
        complain(k, "its configuration: %s", strbuf_cstr(&k->bed.logged));
}

/* What a step expects ---------------------------------------------------------------------------
 */

static const struct json *look(struct running *k, struct str pointer)
{
    return json_pointer(k->seen, arena_cstr(&k->bed.arena, pointer));
}

/* A text as it is, anything else as JSON, "" for nothing. */
static const char *text_at(struct running *k, struct str pointer)
{
    const struct json *j = look(k, pointer);

    if (json_type(j) == JSON_STRING)
        return json_cstr(&k->bed.arena, j);
    return j ? json_text(&k->bed.arena, j) : "";
}

static void expect_at(struct running *k, const struct json *want)
{
    for (const struct json *w = json_first(want); w; w = json_next(w)) {
        struct str pointer = json_key(&k->bed.arena, w);
        const struct json *found = look(k, pointer);

        if (json_type(w) == JSON_NULL ? found != NULL : !json_equal(w, found))
            complain(k, "'%.*s' is not %s", STR_ARG(pointer), json_text(&k->bed.arena, w));
    }
}

static void expect_piece(struct running *k, struct str pointer, const struct json *piece, bool has)
{
    const char *text = json_cstr(&k->bed.arena, piece);

    assert_non_null(text);
    if ((strstr(text_at(k, pointer), text) != NULL) != has)
        complain(k, "'%.*s' %s '%s'", STR_ARG(pointer), has ? "lacks" : "has", text);
}

static void expect_texts(struct running *k, const struct json *want, bool has)
{
    for (const struct json *w = json_first(want); w; w = json_next(w)) {
        struct str pointer = json_key(&k->bed.arena, w);

        if (json_type(w) == JSON_STRING)
            expect_piece(k, pointer, w, has);
        for (const struct json *piece = json_first(w); piece; piece = json_next(piece))
            expect_piece(k, pointer, piece, has);
    }
}

static void expect_runs(struct running *k, const struct json *names, bool ran)
{
    for (const struct json *n = json_first(names); n; n = json_next(n)) {
        const char *name = json_cstr(&k->bed.arena, n);

        if (bed_ran(&k->bed, name) != ran)
            complain(k, "'%s' %s", name, ran ? "did not run" : "ran");
    }
}

static void expect_warning(struct running *k, const struct json *want)
{
    const struct receipt *r = &k->bed.receipt;
    const char *text = json_cstr(&k->bed.arena, want);
    bool found = false;

    for (size_t i = 0; i < r->warning_count; i++) {
        found |= text && strstr(r->warnings[i], text);
        if (!text)
            complain(k, "it warned: %s", r->warnings[i]);
    }
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].end != RUN_DONE)
            complain(k, "'%s' failed: %s", r->runs[i].hook->name, r->runs[i].detail);
    if (text && !found)
        complain(k, "no warning has '%s'", text);
}

static void expect_same(struct running *k, const struct json *step)
{
    int64_t n;

    if (!step)
        return;
    assert_int_equal(json_to_int64(step, &n), 0);
    assert_true(n >= 1 && (size_t)n < k->step);
    if (strcmp(json_text(&k->bed.arena, k->data[n - 1]), text_at(k, STR("/data"))) != 0)
        complain(k, "'/data' differs from step %d, where it was %s", (int)n,
                 json_text(&k->bed.arena, k->data[n - 1]));
}

static void expect(struct running *k, const struct json *want)
{
    const struct json *verdict = json_get(want, STR("verdict"));

    know_keys(k, want, "verdict at has lacks ran idle warning same_as");
    if (verdict && !json_equal(verdict, json_get(k->seen, STR("verdict"))))
        complain(k, "the verdict is not %s", json_text(&k->bed.arena, verdict));
    expect_at(k, json_get(want, STR("at")));
    expect_texts(k, json_get(want, STR("has")), true);
    expect_texts(k, json_get(want, STR("lacks")), false);
    expect_runs(k, json_get(want, STR("ran")), true);
    expect_runs(k, json_get(want, STR("idle")), false);
    expect_warning(k, json_get(want, STR("warning")));
    expect_same(k, json_get(want, STR("same_as")));
}

/* Steps -----------------------------------------------------------------------------------------
 */

static void emit(struct running *k, const char *point, const struct json *data)
{
    struct arena *a = &k->bed.arena;
    struct json *seen = json_object(a);
    const struct receipt *r = &k->bed.receipt;

    bed_emit(&k->bed, point, data ? json_text(a, data) : NULL);
    data = inject_apply(a, r->event->point, r->data, r->verdict.injections);
    json_add(a, seen, STR("verdict"), verdict_to_json(a, &r->verdict));
    json_add(a, seen, STR("data"), data);
    k->seen = seen;
    k->data[k->step - 1] = data;
}

static void run_step(struct running *k, const struct json *step)
{
    const char *point = json_cstr(&k->bed.arena, json_get(step, STR("point")));
    const struct json *want = json_get(step, STR("expect"));
    struct session before = k->bed.session;
    int64_t repeat = 1, turn = 0;

    know_keys(k, step, "about point data session turn repeat expect");
    assert_non_null(point);
    if (json_get(step, STR("repeat")))
        assert_int_equal(json_to_int64(json_get(step, STR("repeat")), &repeat), 0);
    if (json_get(step, STR("turn")))
        assert_int_equal(json_to_int64(json_get(step, STR("turn")), &turn), 0);
    assert_in_range(repeat, 1, REPEAT_MAX);
    set_session(k, json_get(step, STR("session")));
    k->bed.turn = (unsigned)turn;
    for (int64_t i = 0; i < repeat; i++)
        emit(k, point, json_get(step, STR("data")));
    expect(k, want);
    k->bed.session = before;
}

static void run_case(void **state)
{
    CLEANUP(running) struct running k = { .path = *state };
    const struct json *steps;
    bool expects = false;

    begin(&k);
    steps = json_get(k.doc, STR("steps"));
    k.data = arena_array(&k.bed.arena, const struct json *, json_count(steps) + 1);
    for (const struct json *s = json_first(steps); s; s = json_next(s)) {
        k.step++;
        expects |= json_get(s, STR("expect")) != NULL;
        run_step(&k, s);
    }
    if (!expects)
        fail_msg("%s: expects nothing", k.path);
}

/* Finding them ----------------------------------------------------------------------------------
 */

struct found {
    struct arena arena;
    struct CMUnitTest *tests;
    size_t count, room;
};

static int no_dots(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* The names of a folder, sorted, in the arena. */
static size_t names_of(struct arena *a, const char *dir, const char ***names)
{
    struct dirent **entries = NULL;
    int n = scandir(dir, &entries, no_dots, alphasort);

    *names = arena_array(a, const char *, n > 0 ? (size_t)n : 1);
    for (int i = 0; i < n; i++) {
        (*names)[i] = arena_strdup(a, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return n > 0 ? (size_t)n : 0;
}

static void add_case(struct found *f, const char *folder, const char *file)
{
    struct arena *a = &f->arena;

    if (!str_ends(str_of(file), STR(".json")))
        return;
    f->tests = arena_grow(a, f->tests, f->count, &f->room, sizeof(*f->tests));
    f->tests[f->count++] = (struct CMUnitTest){
        .name = arena_printf(a, "%s/%.*s", folder, (int)(strlen(file) - strlen(".json")), file),
        .test_func = run_case,
        .initial_state = arena_printf(a, CASES "/%s/%s", folder, file),
    };
}

int main(int argc, char **argv)
{
    struct found f = { 0 };
    const char **folders, **files;
    size_t folder_count = names_of(&f.arena, CASES, &folders), file_count;
    int failed;

    for (size_t i = 0; i < folder_count; i++) {
        file_count = names_of(&f.arena, arena_printf(&f.arena, CASES "/%s", folders[i]), &files);
        for (size_t j = 0; j < file_count; j++)
            add_case(&f, folders[i], files[j]);
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    failed = f.count ? _cmocka_run_group_tests("cases", f.tests, f.count, NULL, NULL) : 1;
    arena_release(&f.arena);
    return failed;
}
