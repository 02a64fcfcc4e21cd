#include "agent/html.h"
#include "test.h"

static void becomes(const char *html, const char *expected)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    html_to_text(str_of(html), &out);
    assert_string_equal(strbuf_cstr(&out), expected);
}

static void a_page_becomes_text(void **state UNUSED)
{
    becomes("<!DOCTYPE html>\n<html><head><title>A page</title>\n<meta charset=utf-8>"
            "<style>p { color: red }</style></head>\n<body>\n<h1>Head</h1>\n<p>One\n  two <b>three"
            "</b>.</p><p>Four<br>five</p><hr>\n<!-- <p>not this</p> -->\n"
            "<script>if (a < b) document.write('</p>');</script>end</body></html>",
            "A page\n\n# Head\n\nOne two three.\n\nFour\nfive\n\n---\n\nend\n");
    becomes("", "");
    becomes("plain & simple", "plain & simple\n");
    becomes("a < b and c > d", "a < b and c > d\n");
}

static void lists_and_tables_keep_their_shape(void **state UNUSED)
{
    becomes("<p>All:</p><ul><li>one</li><li><p>two</li></ul><h3>Next</h3>",
            "All:\n\n- one\n\n- two\n\n### Next\n");
    becomes("<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2\n");
}

static void links_keep_their_address(void **state UNUSED)
{
    becomes("see <a class=x href=\"https://e.org/?a=1&amp;b=2\">the <i>page</i></a>.",
            "see the page (https://e.org/?a=1&b=2).\n");
    becomes("<a href='/x'>rel</a> <a href=#top>up</a> <a href=\"javascript:f()\">do</a> "
            "<a href=http://e.org>http://e.org</a> <a name=x>none</a> <a href=/y></a>",
            "rel (/x) up do http://e.org none\n");
    becomes("<a href=/x>open", "open (/x)\n");
    becomes("<a title='a > b' href='/x'>quoted</a>", "quoted (/x)\n");
    becomes("<img src=x alt=\"a &lt;picture&gt;\"><img src=y>", "[a <picture>]\n");
}

static void entities_are_decoded(void **state UNUSED)
{
    becomes("&lt;b&gt; &amp;amp; &#65;&#x42;&#X43; a&nbsp;b &mdash; &euro;",
            "<b> &amp; ABC a b \xe2\x80\x94 \xe2\x82\xac\n");
    becomes("&#0;&#xD800;&#x110000;", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n");
    becomes("&unknown; & &; &# &#x; &amp &#1f;", "&unknown; & &; &# &#x; &amp &#1f;\n");
    becomes("&#x1F600;", "\xf0\x9f\x98\x80\n");
}

static void white_space_stays_only_where_it_is_meant(void **state UNUSED)
{
    becomes("<p>a</p>\n\n\n<div><div><p>b</p></div></div>", "a\n\nb\n");
    becomes("x<pre>int  a;\n\n\n  b &amp; c\n</pre>y  z", "x\n\nint  a;\n\n\n  b & c\n\ny z\n");
}

static void what_is_not_closed_is_no_trap(void **state UNUSED)
{
    becomes("a<script>b", "a\n");
    becomes("a<!-- b", "a\n");
    becomes("a<b", "a\n");
    becomes("a<b href=\"x", "a\n");
    becomes("a</", "a\n");
    becomes("a<", "a<\n");
    becomes("a<svg/>b<svg><text>c</text></svg>d", "abd\n");
}

TESTS(cmocka_unit_test(a_page_becomes_text), cmocka_unit_test(lists_and_tables_keep_their_shape),
      cmocka_unit_test(links_keep_their_address), cmocka_unit_test(entities_are_decoded),
      cmocka_unit_test(white_space_stays_only_where_it_is_meant),
      cmocka_unit_test(what_is_not_closed_is_no_trap))
