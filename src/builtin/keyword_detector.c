/*
 * keyword-detector - words of a message that ask for a way of working bring its instructions.
 *
 * Point:   chat.message
 * Options: modes, languages, skip_agents
 * Tests:   tests/unit/builtin/test_keyword_detector.c
 *
 * The words are data: src/builtin/keyword_detector.def. Only what a person typed counts: no code,
 * no paths and names of a program, no synthetic parts, no internal messages. Subagents are told
 * what to do by another model, whose words are not a wish: for them only the word that means
 * nothing else counts.
 */
#include "hook/hook.h"

#include <ctype.h>

enum mode { MODE_ULTRAWORK, MODE_SEARCH, MODE_ANALYZE, MODE_COUNT };

static const struct {
    const char *name, *text;
} modes[MODE_COUNT] = {
    [MODE_ULTRAWORK] = { "ultrawork",
                         "[ultrawork] Give this everything. Plan first, as a todo list with one "
                         "item per step that can be checked. Let subagents work at the same time "
                         "wherever steps do not depend on each other. Leave nothing half done, "
                         "guess nothing that can be looked up, and prove every item by running "
                         "it before you call it done." },
    [MODE_SEARCH] = { "search",
                      "[search] Look widely before you answer: several names and spellings, file "
                      "names as well as contents, tests and configuration too, searches that do "
                      "not depend on each other at the same time. Say where you looked and give "
                      "every find with file and line; that there is none is an answer only after "
                      "that." },
    [MODE_ANALYZE] = { "analyze",
                       "[analyze] Understand before you change anything: read the code on the "
                       "way, follow the data, and check each assumption against what really "
                       "happens. Keep what you saw apart from what you conclude, name the cause "
                       "and not just the symptom, and say what would prove you wrong." },
};

enum kind { KIND_WORD, KIND_TEXT, KIND_NOT };

struct keyword {
    enum mode mode;
    enum kind kind;
    const char *language, *text;
};

static const struct keyword keywords[] = {
#define KEYWORD(mode, language, word) { MODE_##mode, KIND_WORD, language, word },
#define KEYTEXT(mode, language, text) { MODE_##mode, KIND_TEXT, language, text },
#define NOT(mode, language, words)    { MODE_##mode, KIND_NOT, language, words },
#include "builtin/keyword_detector.def"
};

struct options {
    const char *const *modes, *const *languages, *const *skip_agents;
};

static const struct option options[] = {
    OPTION_WORDS("modes", struct options, modes, "[ultrawork, search, analyze]",
                 "ultrawork search analyze", "the modes that may be asked for"),
    OPTION_WORDS("languages", struct options, languages, "[en, de, fr, es, ja, ko, vi, zh]",
                 "en de fr es ja ko vi zh", "the languages whose words count"),
    OPTION_LIST("skip_agents", struct options, skip_agents, NULL, "agents that are left alone"),
    OPTION_END,
};

static bool is_listed(const char *const *list, const char *name)
{
    for (; name && list && *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

/* What was typed ------------------------------------------------------------------------------- */

static size_t run_length(struct str text, size_t at, char c)
{
    size_t n = at;

    while (n < text.len && text.ptr[n] == c)
        n++;
    return n - at;
}

static size_t line_end(struct str text, size_t at)
{
    const char *end = memchr(text.ptr + at, '\n', text.len - at);

    return end ? (size_t)(end - text.ptr) + 1 : text.len;
}

static size_t skip_blanks(struct str text, size_t at)
{
    return at + run_length(text, at, ' ');
}

/* Past the block that a fence at `at` opens; one that nobody closes goes to the end. */
static size_t fence_end(struct str text, size_t at)
{
    char c = text.ptr[at];
    size_t ticks = run_length(text, at, c), line = line_end(text, at);

    while (line < text.len) {
        size_t begin = skip_blanks(text, line), next = line_end(text, line);

        if (run_length(text, begin, c) >= ticks)
            return next;
        line = next;
    }
    return text.len;
}

/* Past a span of code; one that nobody closes is no span. */
static size_t span_end(struct str text, size_t at)
{
    size_t ticks = run_length(text, at, '`');

    for (size_t i = at + ticks; i < text.len; i++) {
        size_t run = run_length(text, i, '`');

        if (run == ticks)
            return i + run;
        i += run;
    }
    return at + ticks;
}

static bool opens_fence(struct str text, size_t at)
{
    size_t begin = at;

    while (begin > 0 && text.ptr[begin - 1] == ' ')
        begin--;
    return (begin == 0 || text.ptr[begin - 1] == '\n') &&
           (run_length(text, at, '`') >= 3 || run_length(text, at, '~') >= 3);
}

static void add_char(struct strbuf *out, char c)
{
    if (!isspace((unsigned char)c))
        strbuf_addch(out, (char)tolower((unsigned char)c));
    else if (out->len && out->buf[out->len - 1] != ' ')
        strbuf_addch(out, ' ');
}

/* Lower case, one space between words, no code: a '`' stands where there was a span of it. */
static void add_prose(struct strbuf *out, struct str text)
{
    size_t at = 0;

    while (at < text.len) {
        if (opens_fence(text, at)) {
            add_char(out, ' ');
            at = fence_end(text, at);
        } else if (text.ptr[at] == '`') {
            strbuf_addch(out, '`');
            at = span_end(text, at);
        } else {
            add_char(out, text.ptr[at++]);
        }
    }
    add_char(out, ' ');
}

static void add_message(const struct hook_call *c, const struct json *message, struct strbuf *out)
{
    const struct json *parts = json_get(message, STR("parts"));

    if (json_type(parts) != JSON_ARRAY) {
        add_prose(out, json_str(c->arena, json_get(message, STR("text"))));
        return;
    }
    for (const struct json *p = json_first(parts); p; p = json_next(p))
        if (str_is(json_str(c->arena, json_get(p, STR("type"))), "text") &&
            !json_is_true(json_get(p, STR("synthetic"))))
            add_prose(out, json_str(c->arena, json_get(p, STR("text"))));
}

/* What it asks for ----------------------------------------------------------------------------- */

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || str_has_char("_/\\-@#$<`", c);
}

/* Not inside a longer word, a path, an option or the name of something. */
static bool stands_alone(const char *text, const char *at, size_t len)
{
    char before = ' ', after = at[len];

    if (at > text)
        before = at[-1];
    if (is_part_of_name(before) || (before == '.' && at - text >= 2 && at[-2] != ' '))
        return false;
    if (after == '.' || after == ':' || after == '(')
        return !is_part_of_name(at[len + 1]) && after != '(';
    return after == '\0' || !is_part_of_name(after);
}

/* From `at` on, which is inside `text`. */
static char *find(const char *text, char *at, const struct keyword *k)
{
    size_t len = strlen(k->text);

    while ((at = strstr(at, k->text)) != NULL && k->kind != KIND_TEXT &&
           !stands_alone(text, at, len))
        at++;
    return at;
}

static void blot_out(char *text, const struct keyword *k)
{
    size_t len = strlen(k->text);

    for (char *at = find(text, text, k); at; at = find(text, at + len, k))
        memset(at, '.', len);
}

static bool asks_for(const struct hook_call *c, struct str prose, enum mode mode)
{
    const struct options *o = c->options;
    char *text = arena_cstr(c->arena, prose);

    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (keywords[i].mode == mode && keywords[i].kind == KIND_NOT)
            blot_out(text, &keywords[i]);
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (keywords[i].mode == mode && keywords[i].kind != KIND_NOT &&
            is_listed(o->languages, keywords[i].language) && find(text, text, &keywords[i]))
            return true;
    return false;
}

static bool is_wanted(const struct hook_call *c, enum mode mode)
{
    const struct options *o = c->options;

    return is_listed(o->modes, modes[mode].name) &&
           (mode == MODE_ULTRAWORK || !event_is_sub(c->event));
}

static int chat_message(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    const struct json *message = event_data(c->event, STR("message"));
    CLEANUP(strbuf) struct strbuf prose = { 0 };

    if (json_is_true(json_get(message, STR("internal"))) ||
        is_listed(o->skip_agents, c->event->session.agent))
        return 0;
    add_message(c, message, &prose);
    for (enum mode m = 0; m < MODE_COUNT; m++)
        if (is_wanted(c, m) && asks_for(c, strbuf_str(&prose), m))
            verdict_inject(c->arena, v, modes[m].name, modes[m].text)->priority = PRIORITY_HIGH;
    return 0;
}

const struct hook_def keyword_detector_hook = {
    .name = "keyword-detector",
    .summary = "words that ask for a way of working bring its instructions",
    .layer = LAYER_PRODUCE,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_CHAT_MESSAGE] = chat_message },
};
