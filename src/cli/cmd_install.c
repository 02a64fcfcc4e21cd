/* hooke install, hooke uninstall - hooke as a hook of another agent, and out of it again. */
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/registration.h"
#include "cli/trust_view.h"
#include "hook/shell_words.h"
#include "hook/trust.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>

#define SETTINGS_MAX ((size_t)4 << 20)
#define LINKS_MAX    16

struct installing {
    struct cli *cli;
    const struct registration *agent;
    bool project, yes, dry_run, json;
    const char *file;   /* of the agent, links followed */
    const char *record; /* what it was before */
    struct str before;  /* unset: there is no such file */
    struct str after;   /* unset: there will be none */
};

/* Where ---------------------------------------------------------------------------------------- */

/* A file that is a link stays one, also where what it leads to is not there yet. */
static const char *follow(struct arena *a, const char *file)
{
    char target[PATH_MAX];

    file = trust_name(a, file);
    for (int links = 0; links < LINKS_MAX; links++) {
        ssize_t len = readlink(file, target, sizeof(target) - 1);

        if (len <= 0)
            break;
        target[len] = '\0';
        file = trust_name(a, path_join(a, path_dirname(a, file), target));
    }
    return file;
}

/* Unset: there is no such file. */
static int read_now(struct installing *in, struct str *text, struct err *e)
{
    *text = (struct str){ 0 };
    if (access(in->file, F_OK) < 0 && errno == ENOENT)
        return 0;
    return file_read(&in->cli->arena, in->file, SETTINGS_MAX, text, e);
}

static int look(struct installing *in)
{
    struct arena *a = &in->cli->arena;
    CLEANUP(mem) char *cwd = getcwd(NULL, 0);
    const char *workspace = in->project ? path_workspace(a, cwd ? cwd : "/") : NULL;
    const char *state = path_join(a, path_xdg(a, PATH_STATE), "installed");
    struct err e = { 0 };

    in->file = follow(a, registration_file(in->agent, a, workspace));
    in->record = arena_printf(a, "%s/%016llx.json", state,
                              (unsigned long long)map_hash(0, str_of(in->file)));
    return read_now(in, &in->before, &e) < 0 ? cli_fail(in->cli, "%s", e.msg) : EXIT_DONE;
}

/*
 * What agents are told to run. By its bare name where the shell finds this very program: an entry
 * that stays the same through upgrades is trusted once.
 */
static const char *find_program(struct arena *a, const char *name)
{
    CLEANUP(mem) char *self = realpath("/proc/self/exe", NULL);
    const char *own = path_join(a, path_dirname(a, self ? self : "."), name);
    const char *variable = getenv("PATH");
    struct str rest = str_of(variable ? variable : ""), folder;

    if (access(own, X_OK) < 0)
        return NULL;
    while (str_cut(&rest, ':', &folder)) {
        const char *found = path_join(a, arena_cstr(a, folder), name);

        if (folder.len && access(found, X_OK) == 0)
            return file_is_same(found, own) ? name : own;
    }
    return own;
}

static const char *quote(struct arena *a, const char *word)
{
    return word[strcspn(word, " \t\n\"'\\$`&|;<>()*?[]#~=%!{}")] ? shell_quote(a, word) : word;
}

/* Records -------------------------------------------------------------------------------------- */

/* Comments may be in any encoding, JSON may not. */
static void add_bytes(struct arena *a, struct json *record, struct str bytes)
{
    size_t room = 2 * bytes.len + 1;
    char *hex;

    if (!str_is_set(bytes) || json_is_utf8(bytes)) {
        json_add(a, record, STR("before"),
                 str_is_set(bytes) ? json_string(a, bytes) : json_null(a));
        return;
    }
    hex = arena_alloc(a, room);
    sodium_bin2hex(hex, room, (const unsigned char *)bytes.ptr, bytes.len);
    json_add(a, record, STR("before_hex"), json_cstring(a, hex));
}

/* Unset: there was no file. */
static struct str read_bytes(struct arena *a, const struct json *record)
{
    struct str hex = json_str(a, json_get(record, STR("before_hex")));
    unsigned char *bytes;
    size_t len = 0;

    if (!str_is_set(hex))
        return json_str(a, json_get(record, STR("before")));
    bytes = arena_alloc(a, hex.len / 2 + 1);
    (void)sodium_hex2bin(bytes, hex.len / 2, hex.ptr, hex.len, NULL, &len, NULL);
    return (struct str){ (const char *)bytes, len };
}

/* False: nobody knows what the file was, or it has changed since. */
static bool find_record(const struct installing *in, struct str *before)
{
    struct arena *a = &in->cli->arena;
    char hash[TRUST_HEX_LEN + 1];
    const struct json *j;
    struct str text;

    if (file_read(a, in->record, SETTINGS_MAX * 4, &text, NULL) < 0 ||
        json_parse(a, text, NULL, &j, NULL) < 0)
        return false;
    trust_hash(in->before, hash);
    if (!str_is(json_str(a, json_get(j, STR("file"))), in->file) ||
        !str_is(json_str(a, json_get(j, STR("after"))), hash))
        return false;
    *before = read_bytes(a, j);
    return true;
}

/* What uninstalling is to bring back: not the work of an earlier installation. */
static struct str bytes_before(const struct installing *in)
{
    struct str before;

    if (!str_is_set(in->before))
        return in->before;
    if (find_record(in, &before))
        return before;
    if (registration_remove(in->agent, &in->cli->arena, in->before, &before, NULL) == 0)
        return before;
    if (in->agent->plugin) /* somebody's changes of it were shown, and given up */
        before = (struct str){ 0 };
    else
        before = in->before;
    return before;
}

/* The bytes before, and the hash of those after: whoever finds the latter can restore the former.
 */
static int keep_record(const struct installing *in, struct err *e)
{
    struct arena *a = &in->cli->arena;
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct json *j = json_object(a);
    struct str before = bytes_before(in);
    char hash[TRUST_HEX_LEN + 1];

    trust_hash(in->after, hash);
    json_add(a, j, STR("agent"), json_cstring(a, in->agent->agent));
    json_add(a, j, STR("file"), json_cstring(a, in->file));
    add_bytes(a, j, before);
    json_add(a, j, STR("after"), json_cstring(a, hash));
    json_write(&text, j, JSON_COMPACT);
    return file_write(in->record, strbuf_str(&text), 0600, e);
}

/* Changing ------------------------------------------------------------------------------------- */

static bool is_same(struct str x, struct str y)
{
    return str_is_set(x) == str_is_set(y) && (!str_is_set(x) || str_eq(x, y));
}

static void show_change(struct installing *in)
{
    const char *old = str_is_set(in->before) ? in->file : "/dev/null";
    const char *const names[2] = { old, str_is_set(in->after) ? in->file : "/dev/null" };
    struct str after = str_is_set(in->after) ? in->after : STR("");

    if (in->agent->plugin && in->yes && !in->dry_run &&
        str_is_set(in->before) != str_is_set(in->after)) {
        printf("%s: %s, %zu KB; --dry-run shows it all\n", in->file,
               str_is_set(in->after) ? "a new file, the plugin" : "the plugin goes",
               (str_is_set(in->after) ? in->after.len : in->before.len) / 1024);
        return;
    }
    if (!trust_view_diff(in->cli, old, after, names))
        trust_view_text(in->cli, after, true);
}

static bool agrees(const struct installing *in)
{
    CLEANUP(mem) char *answer = NULL;
    size_t room = 0;

    if (in->yes)
        return true;
    printf("%s '%s'? [y]es, [n]o: ", str_is_set(in->after) ? "write this to" : "remove", in->file);
    fflush(stdout);
    return getline(&answer, &room, stdin) > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

/* With the mode and the owner it had. */
static int write_file(const struct installing *in, struct err *e)
{
    struct stat st;
    bool exists = stat(in->file, &st) == 0;
    int r = file_write(in->file, in->after, exists ? st.st_mode & 07777 : 0600, e);

    if (r == 0 && exists && st.st_uid != geteuid() && chown(in->file, st.st_uid, st.st_gid) < 0)
        r = err_errno(e, "giving '%s' back to its owner", in->file);
    return r;
}

/* What is changed is what was shown: the agent, or somebody else, may have written it meanwhile. */
static int write_change(struct installing *in, bool keep, struct err *e)
{
    CLEANUP(fd) int lock = file_lock(in->record, true, e);
    struct str now;
    int r = lock < 0 ? lock : read_now(in, &now, e);

    if (r < 0)
        return r;
    if (!is_same(now, in->before))
        return err_set(e, -EAGAIN, "'%s' has changed meanwhile and was not written: try again",
                       in->file);
    if (keep) {
        r = keep_record(in, e);
        return r < 0 ? r : write_file(in, e);
    }
    if (str_is_set(in->after))
        r = write_file(in, e);
    else if (unlink(in->file) < 0)
        r = err_errno(e, "removing '%s'", in->file);
    if (r == 0)
        (void)unlink(in->record);
    return r;
}

static int report(const struct installing *in, const char *state)
{
    struct json *j;

    if (!in->json) {
        printf("%s: %s\n", state, in->file);
        return EXIT_DONE;
    }
    j = json_object(&in->cli->arena);
    json_add(&in->cli->arena, j, STR("agent"), json_cstring(&in->cli->arena, in->agent->agent));
    json_add(&in->cli->arena, j, STR("file"), json_cstring(&in->cli->arena, in->file));
    json_add(&in->cli->arena, j, STR("state"), json_cstring(&in->cli->arena, state));
    cli_json(in->cli, j);
    return EXIT_DONE;
}

/* True: the change is wanted. Else `*rc` says how it ended. */
static bool decide(struct installing *in, int *rc)
{
    bool person = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;

    if (!in->json)
        show_change(in);
    *rc = EXIT_DONE;
    if (in->dry_run) {
        *rc = report(in, "would change");
        return false;
    }
    if (!in->yes && (!person || in->json)) {
        *rc = cli_fail(in->cli, "nothing was written: say --yes to write '%s'", in->file);
        return false;
    }
    if (agrees(in))
        return true;
    *rc = cli_fail(in->cli, "nothing was written");
    return false;
}

/* Verbs ---------------------------------------------------------------------------------------- */

/* A file without anything in it, as far as that agent is concerned. */
static struct str text_before(const struct installing *in)
{
    if (in->agent->plugin || (str_is_set(in->before) && str_trim(in->before).len))
        return in->before;
    return STR("{}\n");
}

/* The agent's other file, of the user or of the workspace, where hooke is in it; else NULL. */
static const char *find_other(const struct installing *in)
{
    struct arena *a = &in->cli->arena;
    CLEANUP(mem) char *cwd = getcwd(NULL, 0);
    const char *workspace = path_workspace(a, cwd ? cwd : "/");
    const char *file = registration_file(in->agent, a, in->project ? NULL : workspace);
    const struct registration_entry *entries;
    struct str text;

    if (file_is_same(file, in->file) || file_read(a, file, SETTINGS_MAX, &text, NULL) < 0 ||
        registration_entries(in->agent, a, text, &entries, NULL) < 0)
        return NULL;
    return entries[0].event ? file : NULL;
}

static int install(struct installing *in)
{
    struct arena *a = &in->cli->arena;
    const char *program = find_program(a, in->agent->program);
    const char *other = in->agent->repeats ? find_other(in) : NULL;
    struct err e = { 0 };
    int rc;

    if (other)
        return cli_fail(in->cli,
                        "hooke is in '%s', and %s runs both: run 'hooke uninstall %s%s' first",
                        other, in->agent->agent, in->agent->agent, in->project ? "" : " --project");
    if (!program)
        return cli_fail(in->cli, "'%s' is not beside this program: install hooke first",
                        in->agent->program);
    if (!in->agent->plugin)
        program = arena_printf(a, "%s %s", quote(a, program), in->agent->agent);
    if (registration_add(in->agent, a, text_before(in), program, &in->after, &e) < 0)
        return cli_fail(in->cli, "'%s' can't be changed: %s", in->file, e.msg);
    if (is_same(in->before, in->after))
        return report(in, "installed already");
    if (!decide(in, &rc))
        return rc;
    if (write_change(in, true, &e) < 0)
        return cli_fail(in->cli, "%s", e.msg);
    return report(in, "installed");
}

static int uninstall(struct installing *in)
{
    struct err e = { 0 };
    int rc;

    if (str_trim(in->before).len == 0)
        return report(in, "not installed");
    if (!find_record(in, &in->after) &&
        registration_remove(in->agent, &in->cli->arena, in->before, &in->after, &e) < 0)
        return cli_fail(in->cli, "'%s' can't be changed: %s", in->file, e.msg);
    if (is_same(in->before, in->after))
        return report(in, "not installed");
    if (!decide(in, &rc))
        return rc;
    if (write_change(in, false, &e) < 0)
        return cli_fail(in->cli, "%s", e.msg);
    return report(in, "uninstalled");
}

static int start(struct cli *cli, int argc, char **argv, int (*run)(struct installing *in))
{
    struct installing in = { .cli = cli };
    const struct arg flags[] = {
        ARG_SWITCH("project", 'p', &in.project, "for this workspace, not for all you do"),
        ARG_SWITCH("yes", 'y', &in.yes, "write without asking"),
        ARG_SWITCH("dry-run", 'n', &in.dry_run, "only show what would change"),
        ARG_SWITCH("json", 0, &in.json, "for programs"),
        ARG_END,
    };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count != 1)
        return cli_usage(cli);
    in.agent = registration_find(words.word[0]);
    if (!in.agent)
        return cli_unknown(cli, words.word[0], registration_agents());
    rc = look(&in);
    return rc == EXIT_DONE ? run(&in) : rc;
}

int cmd_install(struct cli *cli, int argc, char **argv)
{
    return start(cli, argc, argv, install);
}

int cmd_uninstall(struct cli *cli, int argc, char **argv)
{
    return start(cli, argc, argv, uninstall);
}
