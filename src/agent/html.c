#include "agent/html.h"

#include "agent/html_parts.h"

#include <ctype.h>
#include <strings.h>

#define URL_MAX 500 /* bytes; longer ones are data */

struct converting {
    struct str rest;
    struct strbuf *out;
    unsigned pre;       /* open <pre>: white space stays */
    bool gap;           /* white space is due before the next word */
    unsigned breaks;    /* line ends due before the next word */
    const char *prefix; /* due before the next word: "- ", "## " */
    struct str link;    /* of the open <a>; unset: none */
    size_t link_begin;  /* of its text in `out` */
};

/* Text ------------------------------------------------------------------------------------------
 */

static void need_breaks(struct converting *c, unsigned count)
{
    if (c->breaks < count)
        c->breaks = count;
}

/* What is due before a word. Nothing is due at the very beginning. */
static void settle(struct converting *c)
{
    for (; c->breaks && c->out->len; c->breaks--) {
        strbuf_addch(c->out, '\n');
        c->gap = false;
    }
    if (c->gap && c->out->len && c->out->buf[c->out->len - 1] != '\n')
        strbuf_addch(c->out, ' ');
    if (c->prefix)
        strbuf_addstr(c->out, c->prefix);
    c->breaks = 0;
    c->gap = false;
    c->prefix = NULL;
}

static void add_bytes(struct converting *c, const char *bytes, size_t len)
{
    settle(c);
    strbuf_add(c->out, bytes, len);
}

static void add_code_point(struct converting *c, unsigned long n)
{
    char b[4];

    if (n == 0 || n > 0x10ffff || (n >= 0xd800 && n < 0xe000))
        n = 0xfffd;
    if (n < 0x80) {
        b[0] = (char)n;
        add_bytes(c, b, 1);
    } else if (n < 0x800) {
        b[0] = (char)(0xc0 | n >> 6);
        b[1] = (char)(0x80 | (n & 0x3f));
        add_bytes(c, b, 2);
    } else if (n < 0x10000) {
        b[0] = (char)(0xe0 | n >> 12);
        b[1] = (char)(0x80 | (n >> 6 & 0x3f));
        b[2] = (char)(0x80 | (n & 0x3f));
        add_bytes(c, b, 3);
    } else {
        b[0] = (char)(0xf0 | n >> 18);
        b[1] = (char)(0x80 | (n >> 12 & 0x3f));
        b[2] = (char)(0x80 | (n >> 6 & 0x3f));
        b[3] = (char)(0x80 | (n & 0x3f));
        add_bytes(c, b, 4);
    }
}

static void add_entity(struct converting *c, unsigned long code)
{
    if (code == ' ' || code == 0xa0)
        c->gap = true;
    else
        add_code_point(c, code);
}

static void add_space(struct converting *c, char space)
{
    if (!c->pre)
        c->gap = true;
    else if (space == '\n')
        c->breaks++;
    else
        add_bytes(c, &space, 1);
}

static void add_text(struct converting *c, struct str text)
{
    while (text.len) {
        unsigned long code;
        size_t len = 0;

        if (html_is_space(text.ptr[0])) {
            add_space(c, text.ptr[0]);
            len = 1;
        } else if (text.ptr[0] == '&' && (len = html_entity(text, &code)) > 0) {
            add_entity(c, code);
        } else {
            for (len = 1; len < text.len && !html_is_space(text.ptr[len]) && text.ptr[len] != '&';)
                len++;
            add_bytes(c, text.ptr, len);
        }
        text.ptr += len;
        text.len -= len;
    }
}

/* Tags ------------------------------------------------------------------------------------------
 */

static void skip(struct converting *c, size_t len)
{
    len = len < c->rest.len ? len : c->rest.len;
    c->rest.ptr += len;
    c->rest.len -= len;
}

/* Everything up to its end tag, which nothing inside can hide. */
static void drop_element(struct converting *c, struct str name)
{
    for (const char *at; (at = memchr(c->rest.ptr, '<', c->rest.len));) {
        struct html_tag t;

        skip(c, (size_t)(at - c->rest.ptr));
        if (c->rest.len > name.len + 1 && c->rest.ptr[1] == '/' &&
            strncasecmp(c->rest.ptr + 2, name.ptr, name.len) == 0) {
            skip(c, html_tag(c->rest, &t));
            return;
        }
        skip(c, 1);
    }
    skip(c, c->rest.len);
}

static void end_link(struct converting *c)
{
    struct str url = c->link, text = { 0 };

    c->link = (struct str){ 0 };
    if (!str_is_set(url) || c->out->len <= c->link_begin)
        return;
    text = str_trim((struct str){ c->out->buf + c->link_begin, c->out->len - c->link_begin });
    url = str_trim(url);
    if (text.len == 0 || url.len == 0 || url.len > URL_MAX || url.ptr[0] == '#' ||
        (url.len > 11 && strncasecmp(url.ptr, "javascript:", 11) == 0) || str_eq(text, url))
        return;
    strbuf_addstr(c->out, " (");
    for (unsigned long code; url.len;) {
        size_t len = url.ptr[0] == '&' ? html_entity(url, &code) : 0;

        if (len)
            add_code_point(c, code);
        else
            strbuf_addch(c->out, url.ptr[0]);
        url.ptr += len ? len : 1;
        url.len -= len ? len : 1;
    }
    strbuf_addch(c->out, ')');
}

static void begin_link(struct converting *c, const struct html_tag *t)
{
    end_link(c);
    c->link = html_attribute(t->attributes, "href");
    c->link_begin = c->out->len;
}

enum effect { BLOCK, PARAGRAPH, ITEM, HEADING, CELL, BREAK, RULE, PRE, LINK, IMAGE, DROP };

struct known_tag {
    const char *name;
    enum effect effect;
};

static const struct known_tag known_tags[] = {
    { "a", LINK },
    { "address", BLOCK },
    { "article", PARAGRAPH },
    { "aside", PARAGRAPH },
    { "blockquote", PARAGRAPH },
    { "body", BLOCK },
    { "br", BREAK },
    { "button", BLOCK },
    { "canvas", DROP },
    { "caption", BLOCK },
    { "dd", BLOCK },
    { "details", PARAGRAPH },
    { "div", BLOCK },
    { "dl", PARAGRAPH },
    { "dt", BLOCK },
    { "fieldset", BLOCK },
    { "figcaption", BLOCK },
    { "figure", PARAGRAPH },
    { "footer", PARAGRAPH },
    { "form", PARAGRAPH },
    { "h1", HEADING },
    { "h2", HEADING },
    { "h3", HEADING },
    { "h4", HEADING },
    { "h5", HEADING },
    { "h6", HEADING },
    { "head", BLOCK },
    { "header", PARAGRAPH },
    { "hr", RULE },
    { "iframe", DROP },
    { "img", IMAGE },
    { "li", ITEM },
    { "main", PARAGRAPH },
    { "nav", PARAGRAPH },
    { "noscript", DROP },
    { "object", DROP },
    { "ol", PARAGRAPH },
    { "option", BLOCK },
    { "p", PARAGRAPH },
    { "pre", PRE },
    { "script", DROP },
    { "section", PARAGRAPH },
    { "select", BLOCK },
    { "style", DROP },
    { "summary", BLOCK },
    { "svg", DROP },
    { "table", PARAGRAPH },
    { "td", CELL },
    { "template", DROP },
    { "textarea", BLOCK },
    { "th", CELL },
    { "title", PARAGRAPH },
    { "tr", BLOCK },
    { "ul", PARAGRAPH },
};

static void show_heading(struct converting *c, const struct html_tag *t)
{
    static const char *const marks[] = { "# ", "## ", "### ", "#### ", "##### ", "###### " };

    need_breaks(c, 2);
    c->prefix = t->closing ? NULL : marks[t->name.ptr[1] - '1'];
}

static void show_image(struct converting *c, const struct html_tag *t)
{
    struct str alt = html_attribute(t->attributes, "alt");

    if (str_trim(alt).len == 0)
        return;
    add_bytes(c, "[", 1);
    add_text(c, str_trim(alt));
    add_bytes(c, "]", 1);
}

static void show_pre(struct converting *c, const struct html_tag *t)
{
    need_breaks(c, 2);
    if (!t->closing)
        c->pre++;
    else if (c->pre)
        c->pre--;
}

static void show_cell(struct converting *c, const struct html_tag *t)
{
    if (!t->closing && c->out->len && c->breaks == 0)
        strbuf_addstr(c->out, " |");
    c->gap = true;
}

static void show_rule(struct converting *c)
{
    need_breaks(c, 2);
    add_bytes(c, "---", 3);
    need_breaks(c, 2);
}

static void show(struct converting *c, enum effect effect, const struct html_tag *t)
{
    switch (effect) {
    case BLOCK:
    case ITEM:
        need_breaks(c, 1);
        c->prefix = effect == ITEM && !t->closing ? "- " : c->prefix;
        break;
    case PARAGRAPH:
        need_breaks(c, 2);
        break;
    case HEADING:
        show_heading(c, t);
        break;
    case CELL:
        show_cell(c, t);
        break;
    case BREAK:
        c->breaks = c->breaks < 2 ? c->breaks + 1 : 2;
        break;
    case RULE:
        show_rule(c);
        break;
    case PRE:
        show_pre(c, t);
        break;
    case LINK:
        if (t->closing)
            end_link(c);
        else
            begin_link(c, t);
        break;
    case IMAGE:
        show_image(c, t);
        break;
    case DROP:
        if (!t->closing && !(t->attributes.len && t->attributes.ptr[t->attributes.len - 1] == '/'))
            drop_element(c, t->name);
        break;
    }
}

static void take_tag(struct converting *c)
{
    struct html_tag t;

    skip(c, html_tag(c->rest, &t));
    for (size_t i = 0; i < ARRAY_LEN(known_tags); i++)
        if (html_name_is(t.name, known_tags[i].name))
            show(c, known_tags[i].effect, &t);
}

static void skip_past(struct converting *c, const char *end)
{
    const char *at = memmem(c->rest.ptr, c->rest.len, end, strlen(end));

    skip(c, at ? (size_t)(at - c->rest.ptr) + strlen(end) : c->rest.len);
}

/* A tag, a comment, a declaration, or a '<' that is only itself. */
static void take_markup(struct converting *c)
{
    struct str next = { c->rest.ptr + 1, c->rest.len - 1 };

    if (str_starts(c->rest, STR("<!--"))) {
        skip_past(c, "-->");
    } else if (str_starts(next, STR("!")) || str_starts(next, STR("?"))) {
        skip_past(c, ">");
    } else if (next.len && (isalpha((unsigned char)next.ptr[0]) || next.ptr[0] == '/')) {
        take_tag(c);
    } else {
        add_bytes(c, "<", 1);
        skip(c, 1);
    }
}

void html_to_text(struct str html, struct strbuf *out)
{
    struct converting c = { .rest = html, .out = out };

    while (c.rest.len) {
        const char *at = memchr(c.rest.ptr, '<', c.rest.len);
        size_t len = at ? (size_t)(at - c.rest.ptr) : c.rest.len;

        add_text(&c, (struct str){ c.rest.ptr, len });
        skip(&c, len);
        if (c.rest.len)
            take_markup(&c);
    }
    end_link(&c);
    if (out->len)
        strbuf_addch(out, '\n');
}
