#include "hook/secrets.h"

#include "base/macros.h"

#include <ctype.h>
#include <limits.h>

/* A credential begins with `prefix` and goes on with at least `least` characters of a key. */
struct shape {
    const char *prefix;
    size_t least;
    const char *what;
};

static const struct shape shapes[] = {
    { "AKIA", 16, "an AWS access key" },
    { "ASIA", 16, "an AWS access key" },
    { "AIza", 35, "a Google API key" },
    { "ghp_", 36, "a GitHub token" },
    { "gho_", 36, "a GitHub token" },
    { "ghs_", 36, "a GitHub token" },
    { "ghu_", 36, "a GitHub token" },
    { "github_pat_", 22, "a GitHub token" },
    { "glpat-", 20, "a GitLab token" },
    { "npm_", 36, "an npm token" },
    { "sk-ant-", 20, "an Anthropic API key" },
    { "sk-proj-", 20, "an OpenAI API key" },
    { "xoxb-", 20, "a Slack token" },
    { "xoxp-", 20, "a Slack token" },
    { "-----BEGIN RSA PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN DSA PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN EC PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN OPENSSH PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN ENCRYPTED PRIVATE KEY-----", 0, "a private key" },
    { "-----BEGIN PGP PRIVATE KEY BLOCK-----", 0, "a private key" },
    { "-----BEGIN PRIVATE KEY-----", 0, "a private key" },
};

static bool is_key_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The rest of a credential that begins at `text`: to the end of the key, or of its PEM block. */
static size_t key_length(const struct shape *s, struct str text)
{
    static const char footer[] = "-----END ";
    size_t len = strlen(s->prefix);
    const char *end;

    if (s->least == 0) {
        end = memmem(text.ptr, text.len, footer, sizeof(footer) - 1);
        end = end ? memchr(end, '\n', text.len - (size_t)(end - text.ptr)) : NULL;
        return end ? (size_t)(end - text.ptr) : text.len;
    }
    while (len < text.len && is_key_char(text.ptr[len]))
        len++;
    return len;
}

static bool matches(const struct shape *s, struct str text, size_t *len)
{
    if (!str_starts(text, str_of(s->prefix)))
        return false;
    *len = key_length(s, text);
    return *len >= strlen(s->prefix) + s->least;
}

static const struct shape *shape_at(struct str text, size_t *len)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (text.ptr[0] == shapes[i].prefix[0] && matches(&shapes[i], text, len))
            return &shapes[i];
    return NULL;
}

bool secrets_find(struct str text, size_t from, struct secret *found)
{
    bool may_begin[UCHAR_MAX + 1] = { false }; /* texts are long, credentials rare */

    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        may_begin[(unsigned char)shapes[i].prefix[0]] = true;
    for (size_t at = from; at < text.len; at++) {
        const struct shape *s;

        if (!may_begin[(unsigned char)text.ptr[at]])
            continue;
        if (at > 0 && is_key_char(text.ptr[at - 1]) && is_key_char(text.ptr[at]))
            continue;
        s = shape_at((struct str){ text.ptr + at, text.len - at }, &found->len);
        if (s) {
            found->at = at;
            found->what = s->what;
            return true;
        }
    }
    return false;
}
