#include "net/http.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"
#include "net/address.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <strings.h>

struct curl_functions {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    const char *(*easy_strerror)(CURLcode code);
    void (*easy_reset)(CURL *easy);
    void (*easy_cleanup)(CURL *easy);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_perform)(CURLM *multi, int *running);
    CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *extra, unsigned count, int ms,
                            int *ready);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
    time_t (*getdate)(const char *text, const time_t *unused);
};

#define SYMBOL(member)                                           \
    {                                                            \
        "curl_" #member, offsetof(struct curl_functions, member) \
    }

static const struct dl_symbol symbols[] = {
    SYMBOL(global_init),         SYMBOL(easy_init),     SYMBOL(easy_setopt),
    SYMBOL(easy_getinfo),        SYMBOL(easy_strerror), SYMBOL(easy_reset),
    SYMBOL(easy_cleanup),        SYMBOL(multi_init),    SYMBOL(multi_add_handle),
    SYMBOL(multi_remove_handle), SYMBOL(multi_perform), SYMBOL(multi_poll),
    SYMBOL(multi_info_read),     SYMBOL(multi_cleanup), SYMBOL(slist_append),
    SYMBOL(slist_free_all),      SYMBOL(getdate),
};

/* What one request at a time goes through; idle ones keep their connections. */
struct line {
    struct line *next;
    CURLM *multi;
    CURL *easy;
};

struct http_client {
    pthread_mutex_t lock;
    bool loaded;
    struct curl_functions curl;
    struct line *idle;
};

struct transfer {
    struct http_client *client;
    const struct http_request *q;
    struct http_response *res;
    struct line *line;
    struct curl_slist *headers;
    char words[CURL_ERROR_SIZE];
    uint64_t last_ns; /* when bytes arrived, or it began */
    int failed;       /* what `take` returned */
    bool refused;     /* an address was private */
    struct err *e;
};

struct http_client *http_client_new(void)
{
    struct http_client *c = xcalloc(1, sizeof(*c));

    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static void close_line(struct http_client *c, struct line *l)
{
    if (l->easy)
        c->curl.easy_cleanup(l->easy);
    if (l->multi)
        c->curl.multi_cleanup(l->multi);
    free(l);
}

void http_client_free(struct http_client *c)
{
    if (!c)
        return;
    while (c->idle) {
        struct line *l = c->idle;

        c->idle = l->next;
        close_line(c, l);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static int load(struct http_client *c, struct err *e)
{
    int r = 0;

    if (c->loaded)
        return 0;
    r = dl_load("libcurl.so.4", symbols, ARRAY_LEN(symbols), &c->curl, e);
    if (r == 0 && c->curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        r = err_set(e, -ENOMEM, "libcurl could not be set up");
    c->loaded = r == 0;
    return r;
}

static int take_line(struct http_client *c, struct line **out, struct err *e)
{
    int r;

    pthread_mutex_lock(&c->lock);
    r = load(c, e);
    *out = c->idle;
    if (*out)
        c->idle = (*out)->next;
    pthread_mutex_unlock(&c->lock);
    if (r < 0) {
        *out = NULL;
        return r;
    }
    if (*out)
        return 0;
    *out = xcalloc(1, sizeof(**out));
    (*out)->easy = c->curl.easy_init();
    (*out)->multi = c->curl.multi_init();
    if ((*out)->easy && (*out)->multi)
        return 0;
    close_line(c, *out);
    *out = NULL;
    return err_set(e, -ENOMEM, "no memory for a request");
}

static void give_line(struct http_client *c, struct line *l)
{
    c->curl.easy_reset(l->easy);
    pthread_mutex_lock(&c->lock);
    l->next = c->idle;
    c->idle = l;
    pthread_mutex_unlock(&c->lock);
}

/* What arrives -------------------------------------------------------------------------------- */

static void read_status(struct transfer *t)
{
    long status = 0;

    t->client->curl.easy_getinfo(t->line->easy, CURLINFO_RESPONSE_CODE, &status);
    t->res->status = (int)status;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    size_t len = size * count;

    t->last_ns = clock_mono_ns();
    read_status(t);
    if (t->res->status < 200 || t->res->status > 299) {
        t->res->refused.max = HTTP_REFUSED_MAX;
        strbuf_add(&t->res->refused, bytes, len);
        return len;
    }
    t->failed = t->q->take ? t->q->take(t->q->context, (struct str){ bytes, len }, t->e) : 0;
    return t->failed < 0 ? CURL_WRITEFUNC_ERROR : len;
}

static bool header_is(struct str name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.ptr, wanted, name.len) == 0;
}

/* Seconds, possibly with a fraction, or a date; some servers say milliseconds in a header of
 * theirs, which is the better word where both are there. */
static void read_retry_after(struct transfer *t, struct str value, bool in_ms)
{
    struct http_response *res = t->res;
    char text[64];
    char *end;
    double number;

    if (value.len == 0 || value.len >= sizeof(text))
        return;
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    number = strtod(text, &end);
    if (*end == '\0' && number >= 0 && number < 1e9) {
        res->retry_after_ms = (int64_t)(in_ms ? number : number * 1000);
    } else {
        time_t when = t->client->curl.getdate(text, NULL);

        if (when > 0)
            res->retry_after_ms = (int64_t)when * 1000 - clock_wall_ms();
        if (res->retry_after_ms < -1)
            res->retry_after_ms = 0;
    }
}

static size_t on_header(const char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    struct str value = { bytes, size * count }, name;

    if (str_starts(value, STR("HTTP/"))) /* the next of several answers, after a redirect */
        t->res->content_type[0] = '\0';
    if (!str_cut(&value, ':', &name) || !str_is_set(value))
        return size * count;
    value = str_trim(value);
    if (header_is(name, "retry-after") && t->res->retry_after_ms < 0)
        read_retry_after(t, value, false);
    else if (header_is(name, "retry-after-ms"))
        read_retry_after(t, value, true);
    else if (header_is(name, "content-type") && value.len < sizeof(t->res->content_type)) {
        memcpy(t->res->content_type, value.ptr, value.len);
        t->res->content_type[value.len] = '\0';
    }
    return size * count;
}

/* Sending ------------------------------------------------------------------------------------- */

static void set_headers(struct transfer *t)
{
    const struct curl_functions *curl = &t->client->curl;

    for (const char *const *h = t->q->headers; h && *h; h++)
        t->headers = curl->slist_append(t->headers, *h);
    /* Waiting for "100 Continue" costs a round trip and some servers never say it. */
    t->headers = curl->slist_append(t->headers, "Expect:");
    curl->easy_setopt(t->line->easy, CURLOPT_HTTPHEADER, t->headers);
}

/* Asked with the address that the name was found to have: a name can be anybody's. */
static curl_socket_t on_socket(void *context, curlsocktype purpose UNUSED, struct curl_sockaddr *to)
{
    struct transfer *t = context;

    if (address_is_public(&to->addr))
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    t->refused = true;
    return CURL_SOCKET_BAD;
}

/* A connection that is used again was perhaps made when all addresses were fine. */
static int on_connection(void *context, char *to, char *from UNUSED, int to_port UNUSED,
                         int from_port UNUSED)
{
    struct transfer *t = context;

    t->refused = t->refused || !address_text_is_public(to);
    return t->refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void stay_public(struct transfer *t)
{
    const struct curl_functions *curl = &t->client->curl;

    /* Behind a proxy nobody could say where a request goes. */
    curl->easy_setopt(t->line->easy, CURLOPT_PROXY, "");
    curl->easy_setopt(t->line->easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    curl->easy_setopt(t->line->easy, CURLOPT_OPENSOCKETDATA, t);
    curl->easy_setopt(t->line->easy, CURLOPT_PREREQFUNCTION, on_connection);
    curl->easy_setopt(t->line->easy, CURLOPT_PREREQDATA, t);
}

static void set_options(struct transfer *t)
{
    const struct http_request *q = t->q;
    const struct curl_functions *curl = &t->client->curl;
    CURL *easy = t->line->easy;
    uint32_t connect_ms = q->connect_ms ? q->connect_ms : HTTP_CONNECT_MS;

    curl->easy_setopt(easy, CURLOPT_URL, q->url);
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->words);
    curl->easy_setopt(easy, CURLOPT_USERAGENT, "hooke/" HOOKE_VERSION);
    curl->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    if (q->redirects) {
        curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
        curl->easy_setopt(easy, CURLOPT_MAXREDIRS, (long)q->redirects);
    }
    if (str_is_set(q->body)) {
        curl->easy_setopt(easy, CURLOPT_POST, 1L);
        curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.len);
        curl->easy_setopt(easy, CURLOPT_POSTFIELDS, q->body.ptr);
    }
    if (q->method)
        curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, q->method);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, t);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, t);
    set_headers(t);
    if (q->public_only)
        stay_public(t);
}

/* Of a URL only the host may be said aloud: the rest can hold a key. */
static struct str host_of(const char *url)
{
    const char *begin = strstr(url, "://"), *at;
    struct str host;

    begin = begin ? begin + 3 : url;
    host = (struct str){ begin, strcspn(begin, "/?#") };
    at = memchr(host.ptr, '@', host.len);
    if (at)
        host = (struct str){ at + 1, host.len - (size_t)(at + 1 - host.ptr) };
    return host;
}

static int explain(struct transfer *t, CURLcode code)
{
    struct str host = host_of(t->q->url);
    const char *why = t->words[0] ? t->words : t->client->curl.easy_strerror(code);

    if (code != CURLE_OK && t->refused)
        return err_set(t->e, -EACCES, "'%.*s' leads to an address of a private network",
                       STR_ARG(host));
    switch (code) {
    case CURLE_OK:
        return 0;
    case CURLE_WRITE_ERROR:
        return t->failed < 0 ? t->failed : err_set(t->e, -EIO, "the answer could not be used");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return err_set(t->e, -EINVAL, "'%s' is no http or https address", t->q->url);
    case CURLE_OPERATION_TIMEDOUT:
        return err_set(t->e, -ETIMEDOUT, "'%.*s' did not answer in time", STR_ARG(host));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return err_set(t->e, -ECONNRESET, "the answer of '%.*s' was cut: %s", STR_ARG(host), why);
    case CURLE_TOO_MANY_REDIRECTS:
        return err_set(t->e, -ELOOP, "'%.*s' redirects without end", STR_ARG(host));
    default:
        return err_set(t->e, -ENETUNREACH, "cannot reach '%.*s': %s", STR_ARG(host), why);
    }
}

/* How long to wait for something to happen before the limits are looked at again. */
static int wait_ms(const struct transfer *t, uint64_t now, int *limit)
{
    uint64_t idle_ms = t->q->idle_ms ? t->q->idle_ms : HTTP_IDLE_MS;
    uint64_t end = t->last_ns + idle_ms * 1000000u;

    if (t->q->deadline_ns && t->q->deadline_ns < end)
        end = t->q->deadline_ns;
    if (now >= end) {
        *limit =
            err_set(t->e, -ETIMEDOUT, "'%.*s' did not answer in time", STR_ARG(host_of(t->q->url)));
        return 0;
    }
    return (end - now) / 1000000u > 1000 ? 1000 : (int)((end - now) / 1000000u) + 1;
}

static int wait_for_more(struct transfer *t)
{
    struct curl_waitfd abort = { .fd = t->q->abort_fd, .events = CURL_WAIT_POLLIN };
    unsigned extra = t->q->abort_fd > 0;
    int limit = 0, ready;
    int ms = wait_ms(t, clock_mono_ns(), &limit);

    if (limit < 0)
        return limit;
    if (t->client->curl.multi_poll(t->line->multi, &abort, extra, ms, &ready) != CURLM_OK)
        return err_set(t->e, -EIO, "waiting for an answer failed");
    if (extra && abort.revents)
        return err_set(t->e, -ECANCELED, "aborted");
    return 0;
}

static int perform(struct transfer *t)
{
    const struct curl_functions *curl = &t->client->curl;
    CURLMsg *message;
    int running = 1, left, r;

    for (;;) {
        if (curl->multi_perform(t->line->multi, &running) != CURLM_OK)
            return err_set(t->e, -EIO, "sending a request failed");
        if (!running)
            break;
        r = wait_for_more(t);
        if (r < 0)
            return r;
    }
    while ((message = curl->multi_info_read(t->line->multi, &left)))
        if (message->msg == CURLMSG_DONE)
            return explain(t, message->data.result);
    return err_set(t->e, -EIO, "a request ended without a word");
}

static void read_address(struct transfer *t)
{
    const char *url = NULL;

    t->client->curl.easy_getinfo(t->line->easy, CURLINFO_EFFECTIVE_URL, &url);
    if (url && strlen(url) < sizeof(t->res->url))
        memcpy(t->res->url, url, strlen(url) + 1);
    read_status(t);
}

int http_send(struct http_client *c, const struct http_request *q, struct http_response *res,
              struct err *e)
{
    struct transfer t = { .client = c, .q = q, .res = res, .last_ns = clock_mono_ns(), .e = e };
    int r = take_line(c, &t.line, e);

    if (!t.line)
        return r;
    res->retry_after_ms = -1;
    set_options(&t);
    c->curl.multi_add_handle(t.line->multi, t.line->easy);
    r = perform(&t);
    read_address(&t);
    c->curl.multi_remove_handle(t.line->multi, t.line->easy);
    c->curl.slist_free_all(t.headers);
    give_line(c, t.line);
    return r;
}

void http_response_release(struct http_response *res)
{
    strbuf_release(&res->refused);
    *res = (struct http_response){ 0 };
}
