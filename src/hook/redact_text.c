/*
 * redact_text.c - secrets inside one text: by shape, by the name in front of them, by value.
 */
#include "hook/redact.h"
#include "hook/secrets.h"

#include <ctype.h>
#include <strings.h>

#define NAME_MAX_LEN  64
#define USERINFO_MAX  256 /* bytes of "user:password" in a URL */
#define VALUE_LEAST   8   /* a shorter value of the environment is as likely a word */
#define PASSES_MAX    64
#define COLON_LEAST   6 /* "password: string" is code, "password: hunter2" is not */
#define COLON_MOST    512
#define BEARER_LEAST  8
#define QUOTES        "\"'`"
#define ENDS_UNQUOTED " \t\r\n\"'`&;,()<>|"

struct span {
    size_t at, len;
};

/* Names ---------------------------------------------------------------------------------------- */

/* "apiKey", "API-KEY" and "api.key" as "_api_key_". */
static void split_words(struct str name, char out[2 * NAME_MAX_LEN + 2])
{
    size_t n = 0;

    out[n++] = '_';
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i],
                      before = i ? (unsigned char)name.ptr[i - 1] : 0;
        unsigned char after = i + 1 < name.len ? (unsigned char)name.ptr[i + 1] : 0;
        bool starts = isupper(c) && (islower(before) || (isupper(before) && islower(after)));

        if ((starts || !isalnum(c)) && out[n - 1] != '_')
            out[n++] = '_';
        if (isalnum(c))
            out[n++] = (char)tolower(c);
    }
    if (out[n - 1] != '_')
        out[n++] = '_';
    out[n] = '\0';
}

bool redact_is_secret_name(struct str name)
{
    /* Ends of words, so that "accesstoken" counts and "input_tokens" does not. */
    static const char *const anywhere[] = {
        "password_",    "passwd_",       "passphrase_",   "secret_",          "secrets_",
        "apikey_",      "privatekey_",   "accesskey_",    "secretkey_",       "authorization_",
        "cookie_",      "cookies_",      "credential_",   "credentials_",     "_api_key_",
        "_access_key_", "_private_key_", "_signing_key_", "_encryption_key_", "_ssh_key_",
        "_pass_word_",
    };
    static const char last[] = "token_";
    char words[2 * NAME_MAX_LEN + 2];
    size_t len;

    if (name.len == 0 || name.len > NAME_MAX_LEN)
        return false;
    split_words(name, words);
    len = strlen(words);
    if (len >= sizeof(last) && strcmp(words + len - (sizeof(last) - 1), last) == 0)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(anywhere); i++)
        if (strstr(words, anywhere[i]))
            return true;
    return false;
}

void redact_learn(struct redactor *r, char *const *env)
{
    size_t count = 0;

    while (env && env[count])
        count++;
    r->values = arena_array(r->arena, struct str, count + 1);
    r->value_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t len = strcspn(env[i], "=");
        struct str value = str_of(env[i][len] ? env[i] + len + 1 : "");

        if (value.len >= VALUE_LEAST && !strstr(REDACTED, value.ptr) &&
            redact_is_secret_name((struct str){ env[i], len }))
            r->values[r->value_count++] = value;
    }
}

/* What a name introduces ----------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t skip_blanks(struct str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
        at++;
    return at;
}

static size_t skip_until(struct str text, size_t at, const char *ends)
{
    while (at < text.len && text.ptr[at] && !strchr(ends, text.ptr[at]))
        at++;
    return at;
}

static bool has_digit(struct str text, size_t from, size_t to)
{
    for (; from < to; from++)
        if (isdigit((unsigned char)text.ptr[from]))
            return true;
    return false;
}

/* Headers whose value goes to the end of the line. */
static bool is_header(struct str name)
{
    static const char *const headers[] = { "authorization", "proxy-authorization", "cookie",
                                           "set-cookie" };

    for (size_t i = 0; i < ARRAY_LEN(headers); i++)
        if (name.len == strlen(headers[i]) && strncasecmp(name.ptr, headers[i], name.len) == 0)
            return true;
    return false;
}

/* How many there are of the character, from `at` on. */
static size_t run_of(struct str text, size_t at, char c)
{
    size_t end = at;

    while (end < text.len && text.ptr[end] == c)
        end++;
    return end - at;
}

/* Where a quote stands, be it escaped: JSON inside of JSON. `at` itself: there is none. */
static size_t skip_to_quote(struct str text, size_t at)
{
    size_t quote = at + run_of(text, at, '\\');

    return quote < text.len && str_has_char(QUOTES, text.ptr[quote]) ? quote : at;
}

/* The quote at `quote` has `escapes` backslashes in front, and so has the one that closes it. */
static struct span escaped_value(struct str text, size_t quote, size_t escapes)
{
    size_t end = quote + 1;

    while (end < text.len && text.ptr[end] != '\n') {
        size_t run = run_of(text, end, '\\');

        if (run == escapes && end + run < text.len && text.ptr[end + run] == text.ptr[quote])
            break;
        end += run ? run : 1;
    }
    return (struct span){ quote + 1, end - quote - 1 };
}

/* A quoted value, without its quotes. It ends with the line at the latest. */
static struct span quoted_value(struct str text, size_t at)
{
    char quote = text.ptr[at];
    size_t end = at + 1;

    while (end < text.len && text.ptr[end] != quote && text.ptr[end] != '\n')
        end += text.ptr[end] == '\\' && end + 1 < text.len ? 2 : 1;
    return (struct span){ at + 1, end - at - 1 };
}

/* What stands behind "password:" and looks like one. Not all of it: a text of such names is long.
 */
static bool is_behind_colon(struct str text, size_t at)
{
    size_t end;

    if (text.len - at > COLON_MOST)
        text.len = at + COLON_MOST;
    end = skip_until(text, at, ENDS_UNQUOTED);
    return end - at >= COLON_LEAST && has_digit(text, at, end);
}

static struct span bare_value(struct str text, size_t at, struct str name, char between)
{
    size_t end;

    if (at >= text.len || text.ptr[at] == '$' ||
        (between == ':' && !is_header(name) && !is_behind_colon(text, at)))
        return (struct span){ at, 0 };
    end = is_header(name) ? skip_until(text, at, "\r\n\"'`") : skip_until(text, at, ENDS_UNQUOTED);
    return (struct span){ at, end - at };
}

/* "$KEY" and "${KEY}" only name a secret. */
static bool is_value(struct str text, struct span s)
{
    struct str value = { text.ptr + s.at, s.len };

    return s.len > 0 && value.ptr[0] != '$' && !str_is(value, REDACTED);
}

/* The value behind a name that ends at `at`: NAME=value, "NAME": "value", --NAME value. */
static struct span value_after(struct str text, size_t at, struct str name)
{
    static const struct span none = { 0, 0 };
    size_t close = skip_to_quote(text, at), sign, value, quote;
    char between = '\0';

    sign = skip_blanks(text, close + (close < text.len && str_has_char(QUOTES, text.ptr[close])));

    if (sign < text.len)
        between = text.ptr[sign];
    if (between != '=' && between != ':') {
        if (!str_starts(name, STR("--")) || sign == at || between == '-')
            return none;
        return str_has_char(QUOTES, between) ? quoted_value(text, sign)
                                             : bare_value(text, sign, name, ' ');
    }
    value = skip_blanks(text, sign + 1);
    if (value >= text.len || str_has_char("=>:\r\n", text.ptr[value]))
        return none;
    quote = skip_to_quote(text, value);
    if (quote > value)
        return escaped_value(text, quote, quote - value);
    if (str_has_char(QUOTES, text.ptr[value]))
        return quoted_value(text, value);
    if (between == '=' && (sign > at || value > sign + 1))
        return none; /* code, not an assignment of the shell */
    return bare_value(text, value, name, between);
}

static bool named_at(struct str text, size_t at, struct span *found)
{
    size_t end = at;
    struct str name;

    if (!is_name_char(text.ptr[at]) || (at > 0 && is_name_char(text.ptr[at - 1])))
        return false;
    while (end < text.len && is_name_char(text.ptr[end]))
        end++;
    name = (struct str){ text.ptr + at, end - at };
    if (!redact_is_secret_name(name))
        return false;
    *found = value_after(text, end, name);
    return is_value(text, *found);
}

/* Other forms ---------------------------------------------------------------------------------- */

/* The password of scheme://user:password@host */
static bool userinfo_at(struct str text, size_t at, struct span *found)
{
    struct str rest = { text.ptr + at, text.len - at };
    size_t end, colon;

    if (!str_starts(rest, STR("://")))
        return false;
    if (rest.len > USERINFO_MAX)
        rest.len = USERINFO_MAX;
    end = skip_until(rest, 3, "@/?# \t\r\n\"'`");
    colon = skip_until(rest, 3, ":@");
    if (end >= rest.len || rest.ptr[end] != '@' || colon >= end)
        return false;
    *found = (struct span){ at + colon + 1, end - colon - 1 };
    return is_value(text, *found);
}

static bool is_bearer_char(char c)
{
    return isalnum((unsigned char)c) || str_has_char("._~+/=-", c);
}

static bool bearer_at(struct str text, size_t at, struct span *found)
{
    struct str rest = { text.ptr + at, text.len - at };
    size_t word = str_starts(rest, STR("Bearer ")) ? 7 : str_starts(rest, STR("Basic ")) ? 6 : 0;
    size_t end = word;

    while (word && end < rest.len && is_bearer_char(rest.ptr[end]))
        end++;
    *found = (struct span){ at + word, end - word };
    return found->len >= BEARER_LEAST && has_digit(text, found->at, found->at + found->len);
}

static bool learnt_at(const struct redactor *r, struct str text, size_t at, struct span *found)
{
    struct str rest = { text.ptr + at, text.len - at };

    for (size_t i = 0; i < r->value_count; i++)
        if (str_starts(rest, r->values[i])) {
            *found = (struct span){ at, r->values[i].len };
            return true;
        }
    return false;
}

static bool form_at(const struct redactor *r, struct str text, size_t at, struct span *found)
{
    char c = text.ptr[at];

    return (r->value_count && learnt_at(r, text, at, found)) ||
           (c == ':' && userinfo_at(text, at, found)) || (c == 'B' && bearer_at(text, at, found)) ||
           named_at(text, at, found);
}

/* `shape` is the next credential by its looks; it is looked for once, not for every form before it.
 */
static bool find(const struct redactor *r, struct str text, size_t from, struct secret *shape,
                 struct span *found)
{
    if (shape->at < from && !secrets_find(text, from, shape))
        *shape = (struct secret){ .at = text.len };
    for (size_t at = from; at < shape->at; at++)
        if (form_at(r, text, at, found))
            return true;
    *found = (struct span){ shape->at, shape->len };
    return shape->at < text.len;
}

/* One pass. What was taken out may uncover another: a key that stood inside a longer word. */
static bool pass(struct redactor *r, struct str text, struct strbuf *out)
{
    struct secret shape;
    struct span s;
    size_t from = 0;

    if (!secrets_find(text, 0, &shape))
        shape = (struct secret){ .at = text.len };
    while (find(r, text, from, &shape, &s)) {
        strbuf_add(out, text.ptr + from, s.at - from);
        strbuf_addstr(out, REDACTED);
        from = s.at + s.len;
        r->removed++;
    }
    strbuf_add(out, text.ptr + from, text.len - from);
    return from > 0;
}

struct str redact_text(struct redactor *r, struct str text)
{
    struct str clean = { 0 };

    for (int i = 0; i < PASSES_MAX; i++) {
        CLEANUP(strbuf) struct strbuf out = { .max = JSON_MAX_BYTES };

        if (!pass(r, text, &out))
            return clean;
        clean = text = (struct str){ arena_cstr(r->arena, strbuf_str(&out)), out.len };
    }
    return clean;
}
