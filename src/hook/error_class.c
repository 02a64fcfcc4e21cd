#include "hook/error_class.h"

#include <ctype.h>
#include <strings.h>

static const struct {
    int64_t status;
    const char *class;
} statuses[] = {
    { 401, "auth" },       { 402, "quota" },      { 403, "auth" },       { 410, "unavailable" },
    { 429, "rate_limit" }, { 500, "overloaded" }, { 502, "overloaded" }, { 503, "overloaded" },
    { 504, "overloaded" }, { 529, "overloaded" },
};

/* Codes of the operating system and of libraries, in `code`. */
static const struct {
    const char *code, *class;
} codes[] = {
    { "ECONNREFUSED", "network" }, { "ECONNRESET", "network" }, { "ENOTFOUND", "network" },
    { "ETIMEDOUT", "network" },    { "EAI_AGAIN", "network" },
};

enum where {
    IN_WORDS, /* at the beginning of a word */
    AT_START, /* of the message */
    WHOLE,    /* is the message */
};

/* A space in a piece stands for a space, "_", "-" or nothing. The first row that fits counts. */
static const struct row {
    const char *class, *piece;
    enum where where;
} rows[] = {
    /* no waiting mends these */
    { "quota", "insufficient quota", IN_WORDS },
    { "quota", "quota exceeded", IN_WORDS },
    { "quota", "exceeded your current quota", IN_WORDS },
    { "quota", "quota threshold", IN_WORDS },
    { "quota", "quota has been exceeded", IN_WORDS },
    { "quota", "usage exceeded", IN_WORDS },
    { "quota", "usage limit", IN_WORDS },
    { "quota", "exceeded budget", IN_WORDS },
    { "quota", "over budget", IN_WORDS },
    { "quota", "insufficient balance", IN_WORDS },
    { "quota", "credit balance is too low", IN_WORDS },
    /* waiting does */
    { "rate_limit", "rate limit", IN_WORDS },
    { "rate_limit", "too many requests", IN_WORDS },
    { "rate_limit", "resource exhausted", IN_WORDS },
    { "rate_limit", "high concurrency", IN_WORDS },
    { "rate_limit", "reduce concurrency", IN_WORDS },
    { "rate_limit", "http 429", IN_WORDS },
    { "rate_limit", "status 429", IN_WORDS },
    { "rate_limit", "status code 429", IN_WORDS },
    { "rate_limit", "error 429", IN_WORDS },
    { "rate_limit", "429", AT_START },
    /* the model or its key */
    { "unavailable", "model not found", IN_WORDS },
    { "unavailable", "unknown model", IN_WORDS },
    { "unavailable", "unsupported model", IN_WORDS },
    { "unavailable", "model is not available", IN_WORDS },
    { "unavailable", "no available channel", IN_WORDS },
    { "unavailable", "has reached its end of life", IN_WORDS },
    { "unavailable", "model is no longer available", IN_WORDS },
    { "unavailable", "http 410", IN_WORDS },
    { "unavailable", "status 410", IN_WORDS },
    { "unavailable", "gone", WHOLE },
    { "auth", "no auth available", IN_WORDS },
    { "auth", "auth unavailable", IN_WORDS },
    { "auth", "blocked by gateway", IN_WORDS },
    { "auth", "forbidden", AT_START },
    { "auth", "unauthorized", AT_START },
    /* the provider */
    { "overloaded", "overloaded", AT_START },
    { "overloaded", "is overloaded", IN_WORDS },
    { "overloaded", "are overloaded", IN_WORDS },
    { "overloaded", "currently overloaded", IN_WORDS },
    { "overloaded", "overloaded error", IN_WORDS },
    { "overloaded", "internal server error", IN_WORDS },
    { "overloaded", "bad gateway", IN_WORDS },
    { "overloaded", "gateway timeout", IN_WORDS },
    { "overloaded", "service unavailable", IN_WORDS },
    { "overloaded", "provider unavailable", IN_WORDS },
    { "overloaded", "provider outage", IN_WORDS },
    { "overloaded", "upstream outage", IN_WORDS },
    /* the way there */
    { "network", "fetch failed", WHOLE },
    { "network", "socket hang up", WHOLE },
    { "network", "request timeout", WHOLE },
    { "network", "provider request timeout", WHOLE },
    { "network", "connect econnrefused", AT_START },
    { "network", "getaddrinfo enotfound", AT_START },
    { "network", "cannot connect to api", IN_WORDS },
};

/* How much of `text` the piece is; 0: it does not begin with it. */
static size_t fits(const char *text, const char *piece)
{
    const char *from = text;

    for (; *piece; piece++) {
        if (*piece == ' ')
            text += *text && strchr(" _-", *text) ? 1 : 0;
        else if (tolower((unsigned char)*text) == *piece)
            text++;
        else
            return 0;
    }
    return (size_t)(text - from);
}

static bool ends_word(const char *text, const char *piece)
{
    return !isdigit((unsigned char)piece[strlen(piece) - 1]) || !isalnum((unsigned char)*text);
}

static bool stands_in(const char *text, const char *piece)
{
    for (const char *p = text; *p; p++) {
        size_t len = p == text || !isalnum((unsigned char)p[-1]) ? fits(p, piece) : 0;

        if (len && ends_word(p + len, piece))
            return true;
    }
    return false;
}

static bool row_fits(const struct row *r, const char *text)
{
    size_t len;

    if (r->where == IN_WORDS)
        return stands_in(text, r->piece);
    len = fits(text, r->piece);
    return len && (r->where == WHOLE ? !text[len] : ends_word(text + len, r->piece));
}

static const char *class_of_text(struct arena *a, const struct json *j)
{
    const char *text = arena_cstr(a, str_trim(json_str(a, j)));

    for (size_t i = 0; text && i < ARRAY_LEN(rows); i++)
        if (row_fits(&rows[i], text))
            return rows[i].class;
    return NULL;
}

static const char *class_of_status(const struct json *j)
{
    int64_t status;

    if (json_to_int64(j, &status) < 0)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].class;
    return NULL;
}

static const char *class_of_code(struct arena *a, const struct json *j)
{
    struct str code = json_str(a, j);

    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (str_is(code, codes[i].code))
            return codes[i].class;
    return NULL;
}

/* Words of a body narrow a status: a 429 may be a quota, and a 400 anything. */
static const char *class_of_words(struct arena *a, const struct json *error)
{
    static const char *const places[] = { "/data/responseBody", "/message", "/data/message" };
    const char *class = NULL;

    for (size_t i = 0; i < ARRAY_LEN(places) && !class; i++)
        class = class_of_text(a, json_pointer(error, places[i]));
    return class;
}

static const char *class_of_facts(struct arena *a, const struct json *error)
{
    static const char *const numbers[] = { "/status", "/statusCode", "/data/statusCode" };
    static const char *const names[] = { "/code", "/cause/code", "/data/code" };
    const char *class = NULL;

    for (size_t i = 0; i < ARRAY_LEN(numbers) && !class; i++)
        class = class_of_status(json_pointer(error, numbers[i]));
    for (size_t i = 0; i < ARRAY_LEN(names) && !class; i++)
        class = class_of_code(a, json_pointer(error, names[i]));
    return class;
}

struct str error_class(struct arena *a, const struct json *error)
{
    struct str given = json_str(a, json_get(error, STR("class")));
    const char *fact, *words;

    if (str_is_set(given))
        return given;
    if (json_type(error) == JSON_STRING)
        return str_of(class_of_text(a, error));
    fact = class_of_facts(a, error);
    words = class_of_words(a, error);
    if (fact && words && strcmp(fact, "rate_limit") == 0 && strcmp(words, "quota") == 0)
        return str_of(words);
    return str_of(fact ? fact : words);
}
