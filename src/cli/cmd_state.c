/* hooke state - what a hook remembers of a session; commands use it from their own processes. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>

struct state {
    struct cli *cli;
    struct store *store;
    struct store_key at;
    bool json;
    const char *const *words; /* after the sub-verb */
    size_t count;
};

static int failed(const struct state *s, const struct err *e)
{
    return cli_fail(s->cli, "%s", e->msg);
}

static void print_entry(const struct state *s, const char *key, struct str value)
{
    struct arena *a = &s->cli->arena;
    struct json *j = json_object(a);

    json_add(a, j, STR("key"), json_cstring(a, key));
    json_add(a, j, STR("value"), json_string(a, value));
    cli_json(s->cli, j);
}

static int get_value(struct state *s)
{
    struct err e = { 0 };
    struct str value;

    if (store_get(s->store, &s->at, &s->cli->arena, &value, &e) < 0)
        return failed(s, &e);
    if (!str_is_set(value))
        return EXIT_FAILED;
    if (s->json)
        print_entry(s, s->at.key, value);
    else
        printf("%s\n", s->cli->out.tty
                           ? term_clean(&s->cli->arena, arena_cstr(&s->cli->arena, value))
                           : arena_cstr(&s->cli->arena, value));
    return EXIT_DONE;
}

static int set_value(struct state *s)
{
    struct err e = { 0 };

    if (store_set(s->store, &s->at, str_of(s->words[1]), &e) < 0)
        return failed(s, &e);
    return EXIT_DONE;
}

static int incr_value(struct state *s)
{
    const char *text = s->count > 1 ? s->words[1] : "1";
    struct err e = { 0 };
    int64_t by, now;
    char *end;

    errno = 0;
    by = strtoll(text, &end, 10);
    if (errno || end == text || *end)
        return cli_misuse(s->cli, "state incr: '%s' is no whole number", text);
    if (store_incr(s->store, &s->at, by, &now, &e) < 0)
        return failed(s, &e);
    printf("%lld\n", (long long)now);
    return EXIT_DONE;
}

static int list_values(struct state *s)
{
    struct arena *a = &s->cli->arena;
    struct json *all = json_object(a);
    struct store_entry *entries;
    struct err e = { 0 };
    size_t count;

    if (store_list(s->store, &s->at, a, &entries, &count, &e) < 0)
        return failed(s, &e);
    for (size_t i = 0; i < count; i++)
        if (s->json)
            json_add(a, all, str_of(entries[i].key), json_string(a, entries[i].value));
        else
            printf("%s = %s\n", term_clean(a, entries[i].key),
                   term_clean(a, arena_cstr(a, entries[i].value)));
    if (s->json)
        cli_json(s->cli, all);
    return EXIT_DONE;
}

/* One by one where no key is named: the engine's own keys stay. */
static int clear_values(struct state *s)
{
    struct store_key key = s->at;
    struct store_entry *entries;
    struct err e = { 0 };
    size_t count;

    if (s->count) {
        if (store_set(s->store, &key, (struct str){ 0 }, &e) < 0)
            return failed(s, &e);
        return EXIT_DONE;
    }
    if (store_list(s->store, &key, &s->cli->arena, &entries, &count, &e) < 0)
        return failed(s, &e);
    for (size_t i = 0; i < count; i++) {
        key.key = entries[i].key;
        if (key.key[0] != '@' && store_set(s->store, &key, (struct str){ 0 }, &e) < 0)
            return failed(s, &e);
    }
    return EXIT_DONE;
}

static const struct action {
    const char *name;
    int (*run)(struct state *s);
    size_t min, max; /* words that follow */
    bool writes;
} actions[] = {
    { "get", get_value, 1, 1, false },     { "set", set_value, 2, 2, true },
    { "incr", incr_value, 1, 2, true },    { "list", list_values, 0, 1, false },
    { "clear", clear_values, 0, 1, true },
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static const char *from_environment(const char *flag, const char *variable)
{
    const char *value = flag ? flag : getenv(variable);

    return value && value[0] ? value : NULL;
}

static int run_action(struct state *s, const struct action *action, const char *session,
                      const char *hook)
{
    const char *key = s->count ? s->words[0] : "";
    int rc;

    if (!session)
        return cli_misuse(s->cli, "state %s: whose session? set HOOKE_SESSION or --session",
                          action->name);
    if (!hook)
        return cli_misuse(s->cli, "state %s: which hook? set HOOKE_HOOK or --hook", action->name);
    if (s->count && !key[0] && action->run != list_values)
        return cli_misuse(s->cli, "state %s: the key is empty", action->name);
    if (action->writes && key[0] == '@')
        return cli_misuse(s->cli, "state %s: key '%s' is the engine's own: use one without '@'",
                          action->name, key);
    s->at = (struct store_key){ session, hook, key };
    s->store = cli_store(s->cli);
    rc = action->run(s);
    store_free(s->store);
    return rc;
}

int cmd_state(struct cli *cli, int argc, char **argv)
{
    static const char *const known[] = { "get", "set", "incr", "list", "clear", NULL };
    const char *session = NULL, *hook = NULL;
    struct state s = { .cli = cli };
    const struct arg flags[] = {
        ARG_TEXT("session", 's', &session, "ID", "the session (default: $HOOKE_SESSION)"),
        ARG_TEXT("hook", 0, &hook, "NAME", "the hook (default: $HOOKE_HOOK)"),
        ARG_SWITCH("json", 0, &s.json, "for programs: get and list"),
        ARG_END,
    };
    const struct action *action;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count == 0)
        return cli_usage(cli);
    action = find_action(words.word[0]);
    if (!action)
        return cli_unknown(cli, words.word[0], known);
    s.words = words.word + 1;
    s.count = words.count - 1;
    if (s.count < action->min || s.count > action->max)
        return cli_usage(cli);
    return run_action(&s, action, from_environment(session, "HOOKE_SESSION"),
                      from_environment(hook, "HOOKE_HOOK"));
}
