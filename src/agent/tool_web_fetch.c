/*
 * web_fetch - a page or a text from the web.
 *
 * The model chooses the address, and what it reads may tell it which: this machine and the network
 * around it are out of reach unless the configuration says otherwise.
 *
 * Tests: tests/unit/agent/test_tool_web_fetch.c
 */
#include "agent/html.h"
#include "agent/tool.h"
#include "base/clock.h"
#include "net/http.h"

#include <errno.h>
#include <iconv.h>
#include <strings.h>

#define TIMEOUT_NS  UINT64_C(30000000000)
#define FETCHED_MAX ((size_t)8 << 20) /* bytes of a page; the rest is not fetched */
#define SHOWN       100000            /* bytes of text, unless max_bytes says otherwise */
#define REFUSAL     4000              /* bytes of what comes with an error */
#define REDIRECTS   5

struct fetch {
    struct http_response res;
    struct strbuf body;
    bool cut;
};

/* Types -----------------------------------------------------------------------------------------
 */

/* "text/html; charset=x" up to the semicolon. */
static struct str media_type(const struct http_response *res)
{
    struct str rest = str_of(res->content_type), type = STR("");

    (void)str_cut(&rest, ';', &type);
    return str_trim(type);
}

static bool ends_with(struct str text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && strncasecmp(text.ptr + text.len - len, end, len) == 0;
}

static bool is_html(const struct http_response *res)
{
    struct str type = media_type(res);

    return ends_with(type, "text/html") || ends_with(type, "application/xhtml+xml");
}

/* A type that is unsaid is judged by its bytes. */
static bool is_text(const struct http_response *res)
{
    static const char *const ends[] = { "json",    "xml",      "javascript", "yaml",
                                        "toml",    "x-sh",     "sql",        "rtf",
                                        "graphql", "x-ndjson", "x-httpd-php" };
    struct str type = media_type(res);

    if (type.len == 0 || (type.len > 5 && strncasecmp(type.ptr, "text/", 5) == 0))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (ends_with(type, ends[i]))
            return true;
    return false;
}

static struct str charset(struct arena *a, const struct http_response *res)
{
    const char *at = strcasestr(res->content_type, "charset=");
    struct str name;

    if (!at)
        return STR("utf-8");
    at += 8;
    at += *at == '"';
    name = (struct str){ at, strcspn(at, "\"; ") };
    return str_of(arena_cstr(a, name));
}

static bool is_utf8(struct str name)
{
    return name.len == 0 || (name.len == 5 && strncasecmp(name.ptr, "utf-8", 5) == 0) ||
           (name.len == 4 && strncasecmp(name.ptr, "utf8", 4) == 0);
}

/* What cannot be converted stays as it came. */
static void to_utf8(struct strbuf *text, struct str from)
{
    iconv_t how = is_utf8(from) ? (iconv_t)-1 : iconv_open("UTF-8", from.ptr);
    CLEANUP(strbuf) struct strbuf out = { 0 };
    char *in = text->buf;
    size_t left = text->len;
    bool done = how != (iconv_t)-1;

    while (done && left > 0) {
        char piece[4096];
        char *to = piece;
        size_t room = sizeof(piece);
        size_t r = iconv(how, &in, &left, &to, &room);

        strbuf_add(&out, piece, (size_t)(to - piece));
        if (r == (size_t)-1 && errno != E2BIG)
            done = false;
    }
    if (how != (iconv_t)-1)
        iconv_close(how);
    if (!done)
        return;
    strbuf_reset(text);
    strbuf_add(text, out.buf, out.len);
}

/* Fetching --------------------------------------------------------------------------------------
 */

static int take(void *context, struct str bytes, struct err *e)
{
    struct fetch *f = context;

    if (!is_text(&f->res))
        return err_set(e, -EMEDIUMTYPE,
                       "it is '%.*s', and only text can be read: fetch it into a file with bash",
                       STR_ARG(media_type(&f->res)));
    f->body.max = FETCHED_MAX;
    strbuf_add(&f->body, bytes.ptr, bytes.len);
    f->cut = f->body.truncated;
    return f->cut ? -EFBIG : 0;
}

static int fetch(const struct tool_call *c, const char *url, struct fetch *f, struct err *e)
{
    struct http_request q = {
        .url = url,
        .deadline_ns = clock_mono_ns() + TIMEOUT_NS,
        .redirects = REDIRECTS,
        .public_only = !c->allow_private,
        .abort_fd = c->abort_fd,
        .take = take,
        .context = f,
    };
    int r;

    if (c->deadline_ns && c->deadline_ns < q.deadline_ns)
        q.deadline_ns = c->deadline_ns;
    r = http_send(c->http, &q, &f->res, e);
    if (r == -EFBIG && f->cut)
        return 0;
    if (r == -EACCES)
        return err_wrap(e, r,
                        "not fetched ('web_fetch.allow_private' of the configuration allows it)");
    return r;
}

/* Telling ---------------------------------------------------------------------------------------
 */

static void add_text(struct fetch *f, struct arena *a, struct strbuf *from, size_t most,
                     struct strbuf *out)
{
    CLEANUP(strbuf) struct strbuf converted = { 0 };
    struct str text;
    size_t len;

    to_utf8(from, charset(a, &f->res));
    text = strbuf_str(from);
    if (is_html(&f->res)) {
        html_to_text(text, &converted);
        text = strbuf_str(&converted);
    }
    len = tool_fit(text, most);
    strbuf_add(out, text.ptr, len);
    if (len < text.len)
        strbuf_printf(out, "\n(%zu more bytes; set max_bytes)\n", text.len - len);
    if (f->cut)
        strbuf_printf(out, "\n(the page is larger than %zu bytes: the rest was not fetched)\n",
                      FETCHED_MAX);
}

static void tell(const struct tool_call *c, const char *url, struct fetch *f,
                 struct tool_result *result)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    bool ok = f->res.status >= 200 && f->res.status < 300;
    size_t most = (size_t)tool_number(c, "max_bytes", SHOWN);
    struct json *metadata = json_object(c->arena);

    if (!ok)
        strbuf_printf(&out, "(the server says %d)\n", f->res.status);
    else if (f->res.url[0] && strcmp(f->res.url, url) != 0)
        strbuf_printf(&out, "(from %s)\n", f->res.url);
    if (ok)
        add_text(f, c->arena, &f->body, most, &out);
    else if (is_text(&f->res))
        add_text(f, c->arena, &f->res.refused, most < REFUSAL ? most : REFUSAL, &out);
    if (out.len == 0)
        strbuf_addstr(&out, "(the page is empty)");
    json_add(c->arena, metadata, STR("status"), json_int(c->arena, f->res.status));
    json_add(c->arena, metadata, STR("content_type"),
             json_cstring(c->arena, arena_strdup(c->arena, f->res.content_type)));
    json_add(c->arena, metadata, STR("bytes"), json_int(c->arena, (int64_t)f->body.len));
    result->title = url;
    result->metadata = metadata;
    result->output = tool_copy(c, &out);
    result->failed = !ok;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    struct fetch f = { 0 };
    const char *url = tool_text(c, "url");
    int r;

    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return err_set(e, -EINVAL, "'%s' is no http or https address", url);
    if (!c->http)
        return err_set(e, -ENOTSUP, "there is no network here");
    r = fetch(c, url, &f, e);
    if (r == 0 && f.body.len && memchr(f.body.buf, '\0', f.body.len))
        r = err_set(e, -EMEDIUMTYPE, "'%s' is no text: it holds NUL bytes", url);
    if (r == 0)
        tell(c, url, &f, result);
    http_response_release(&f.res);
    strbuf_release(&f.body);
    return r;
}

const struct tool web_fetch_tool = {
    .name = "web_fetch",
    .description = "Fetch a page or a text from the web. Pages become plain text with their links.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"url\":{\"type\":\"string\",\"description\":\"http or https\"},"
        "\"max_bytes\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000000,\"description\":"
        "\"bytes of text you want at most, 100000 unless said\"}},"
        "\"required\":[\"url\"]}",
    .read_only = true,
    .run = run,
};
