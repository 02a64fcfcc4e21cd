#include "hook/secrets.h"

#include "base/macros.h"

#include <ctype.h>
#include <limits.h>
#include <strings.h>

/*
 * A credential begins with `prefix` and goes on with at least `least` characters of a key, which
 * besides letters, digits, '_' and '-' may be one of `also`, with so many dots among them.
 */
struct shape {
    const char *prefix;
    size_t least;
    const char *what;
    const char *also;
    size_t dots;
};

#define BASE64 "+/="

static const struct shape shapes[] = {
    { "AKIA", 16, "an AWS access key", "", 0 },
    { "ASIA", 16, "an AWS access key", "", 0 },
    { "AIza", 35, "a Google API key", "", 0 },
    { "ya29.", 20, "a Google token", ".", 0 },
    { "ghp_", 36, "a GitHub token", "", 0 },
    { "gho_", 36, "a GitHub token", "", 0 },
    { "ghs_", 36, "a GitHub token", "", 0 },
    { "ghu_", 36, "a GitHub token", "", 0 },
    { "ghr_", 36, "a GitHub token", "", 0 },
    { "github_pat_", 22, "a GitHub token", "", 0 },
    { "glpat-", 20, "a GitLab token", "", 0 },
    { "npm_", 36, "an npm token", "", 0 },
    { "pypi-", 50, "a PyPI token", "", 0 },
    { "dckr_pat_", 20, "a Docker token", "", 0 },
    { "dop_v1_", 40, "a DigitalOcean token", "", 0 },
    { "hf_", 30, "a Hugging Face token", "", 0 },
    { "sk-ant-", 20, "an Anthropic API key", "", 0 },
    { "sk-proj-", 20, "an OpenAI API key", "", 0 },
    { "sk-svcacct-", 20, "an OpenAI API key", "", 0 },
    { "sk_live_", 20, "a Stripe key", "", 0 },
    { "rk_live_", 20, "a Stripe key", "", 0 },
    { "SG.", 40, "a SendGrid key", ".", 1 },
    { "xoxb-", 20, "a Slack token", "", 0 },
    { "xoxp-", 20, "a Slack token", "", 0 },
    { "xapp-", 20, "a Slack token", "", 0 },
    { "eyJ", 60, "a JSON web token", ".", 2 },
    { "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBL", 40, "a private key in base64", BASE64, 0 },
    { "LS0tLS1CRUdJTiBQUklWQVRFIEtF", 40, "a private key in base64", BASE64, 0 },
    { "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", 40, "a private key in base64", BASE64, 0 },
    { "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtF", 40, "a private key in base64", BASE64, 0 },
    { "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBL", 40, "a private key in base64", BASE64, 0 },
    { "-----BEGIN RSA PRIVATE KEY-----", 0, "a private key", "", 0 },
    { "-----BEGIN DSA PRIVATE KEY-----", 0, "a private key", "", 0 },
    { "-----BEGIN EC PRIVATE KEY-----", 0, "a private key", "", 0 },
    { "-----BEGIN OPENSSH PRIVATE KEY-----", 0, "a private key", "", 0 },
    { "-----BEGIN ENCRYPTED PRIVATE KEY-----", 0, "a private key", "", 0 },
    { "-----BEGIN PGP PRIVATE KEY BLOCK-----", 0, "a private key", "", 0 },
    { "-----BEGIN PRIVATE KEY-----", 0, "a private key", "", 0 },
};

/* A table: it is asked for nearly every character of texts that are long. */
static bool is_key_char(char c)
{
    static const bool of_keys[UCHAR_MAX + 1] = {
        ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
        ['_'] = true,         ['-'] = true,
    };

    return of_keys[(unsigned char)c];
}

/* PEM ------------------------------------------------------------------------------------------ */

/* Past white space, also as it is written inside quotes: \n. */
static size_t skip_space(struct str text, size_t at)
{
    while (at < text.len) {
        if (isspace((unsigned char)text.ptr[at]))
            at++;
        else if (text.ptr[at] == '\\' && at + 1 < text.len &&
                 str_has_char("nrt\\", text.ptr[at + 1]))
            at += text.ptr[at + 1] == '\\' ? 1 : 2;
        else
            break;
    }
    return at;
}

/* A head alone is no key: people search for it. */
static bool has_body(struct str text, size_t head)
{
    size_t at = skip_space(text, head), end = at;

    while (end < text.len &&
           (isalnum((unsigned char)text.ptr[end]) || str_has_char(BASE64 "-", text.ptr[end])))
        end++;
    return at > head && end - at >= 4;
}

/* To behind the line that ends it; what is cut off before that, to the end of the text. */
static size_t pem_length(struct str text)
{
    static const char footer[] = "-----END ", dashes[] = "-----";
    const char *end = memmem(text.ptr, text.len, footer, sizeof(footer) - 1);
    size_t left;

    if (!end)
        return text.len;
    end += sizeof(footer) - 1;
    left = text.len - (size_t)(end - text.ptr);
    end = memmem(end, left < 64 ? left : 64, dashes, sizeof(dashes) - 1);
    return end ? (size_t)(end - text.ptr) + sizeof(dashes) - 1 : text.len;
}

/* Keys ----------------------------------------------------------------------------------------- */

/* What documentation has in the place of a key: AKIA…EXAMPLE, ghp_xxxx… */
static bool is_placeholder(struct str key)
{
    for (size_t i = 0; i + 7 <= key.len; i++)
        if (strncasecmp(key.ptr + i, "example", 7) == 0)
            return true;
    for (size_t i = 1; i < key.len; i++)
        if (key.ptr[i] != key.ptr[0])
            return false;
    return key.len > 0 && str_has_char("xX", key.ptr[0]);
}

static bool matches(const struct shape *s, struct str text, size_t *len)
{
    size_t head = strlen(s->prefix), dots = 0, end = head;

    if (!str_starts(text, str_of(s->prefix)))
        return false;
    if (s->least == 0) {
        *len = pem_length(text);
        return has_body(text, head);
    }
    while (end < text.len && (is_key_char(text.ptr[end]) || str_has_char(s->also, text.ptr[end])))
        dots += text.ptr[end++] == '.';
    while (end > head && text.ptr[end - 1] == '.') { /* of the sentence */
        end--;
        dots--;
    }
    *len = end;
    return end - head >= s->least && dots >= s->dots &&
           !is_placeholder((struct str){ text.ptr + head, end - head });
}

/* Texts are long, credentials rare: which shapes begin with a character is found at once. */
struct index {
    unsigned char first[UCHAR_MAX + 1];    /* number of the first shape, from 1; 0: none */
    unsigned char next[ARRAY_LEN(shapes)]; /* that begins with the same; likewise */
};

_Static_assert(ARRAY_LEN(shapes) <= UCHAR_MAX, "numbers of shapes do not fit");

static void index_fill(struct index *x)
{
    *x = (struct index){ 0 };
    for (size_t i = ARRAY_LEN(shapes); i-- > 0;) {
        unsigned char *first = &x->first[(unsigned char)shapes[i].prefix[0]];

        x->next[i] = *first;
        *first = (unsigned char)(i + 1);
    }
}

static const struct shape *shape_at(const struct index *x, struct str text, size_t *len)
{
    for (size_t i = x->first[(unsigned char)text.ptr[0]]; i; i = x->next[i - 1])
        if (matches(&shapes[i - 1], text, len))
            return &shapes[i - 1];
    return NULL;
}

bool secrets_find(struct str text, size_t from, struct secret *found)
{
    struct index x;

    index_fill(&x);
    for (size_t at = from; at < text.len; at++) {
        const struct shape *s;

        if (!x.first[(unsigned char)text.ptr[at]] ||
            (at > 0 && is_key_char(text.ptr[at - 1]) && is_key_char(text.ptr[at])))
            continue;
        s = shape_at(&x, (struct str){ text.ptr + at, text.len - at }, &found->len);
        if (s) {
            found->at = at;
            found->what = s->what;
            return true;
        }
    }
    return false;
}
