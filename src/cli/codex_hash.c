#include "cli/codex_hash.h"

#include "base/mem.h"

#include <ctype.h>
#include <sodium.h>

#define TIMEOUT_SECS      600
#define LAST_TIMEOUT_SECS 3 /* of SessionEnd at most; 1 where nothing is said */

char *codex_event(struct arena *a, const char *event)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    for (const char *p = event; *p; p++) {
        if (isupper((unsigned char)*p) && p != event)
            strbuf_addch(&out, '_');
        strbuf_addch(&out, (char)tolower((unsigned char)*p));
    }
    return arena_cstr(a, strbuf_str(&out));
}

static int64_t timeout_of(const struct registration_entry *n)
{
    bool last = strcmp(n->event, "SessionEnd") == 0;
    int64_t secs;

    if (json_to_int64(json_get(n->json, STR("timeout")), &secs) < 0)
        return last ? 1 : TIMEOUT_SECS;
    if (last && secs > LAST_TIMEOUT_SECS)
        secs = LAST_TIMEOUT_SECS;
    return secs < 1 ? 1 : secs;
}

/* Texts are written anew: the same one may be written in several ways. */
static void add_said(struct arena *a, struct json *to, struct str name, const struct json *said)
{
    if (json_type(said) == JSON_STRING)
        json_add(a, to, name, json_string(a, json_str(a, said)));
    else if (json_type(said) == JSON_NUMBER)
        json_add(a, to, name, said);
}

/* These events have nothing a matcher could be about. */
static bool has_matcher(const struct registration_entry *n)
{
    return strcmp(n->event, "Stop") != 0 && strcmp(n->event, "UserPromptSubmit") != 0;
}

/* Names in the order of the alphabet. */
static const struct json *normal_form(struct arena *a, const struct registration_entry *n)
{
    struct json *handler = json_object(a), *list = json_array(a), *form = json_object(a);

    add_said(a, handler, STR("additionalContextLimit"),
             json_get(n->json, STR("additionalContextLimit")));
    json_add(a, handler, STR("async"), json_bool(a, json_is_true(json_get(n->json, STR("async")))));
    json_add(a, handler, STR("command"), json_cstring(a, n->command));
    add_said(a, handler, STR("statusMessage"), json_get(n->json, STR("statusMessage")));
    json_add(a, handler, STR("timeout"), json_int(a, timeout_of(n)));
    json_add(a, handler, STR("type"), json_cstring(a, "command"));
    json_push(a, list, handler);
    json_add(a, form, STR("event_name"), json_cstring(a, codex_event(a, n->event)));
    json_add(a, form, STR("hooks"), list);
    if (has_matcher(n))
        add_said(a, form, STR("matcher"), n->matcher);
    return form;
}

char *codex_hash(struct arena *a, const struct registration_entry *n)
{
    const char *text = json_text(a, normal_form(a, n));
    unsigned char hash[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof(hash) + 1];

    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_printf(a, "sha256:%s", hex);
}
