#include "base/strbuf.h"
#include "base/yaml.h"
#include "test.h"

struct parsed {
    struct arena arena;
    struct yaml_node *root;
    struct yaml_place bad;
    struct err e;
    int r;
};

static const struct yaml_node *member(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *n = map->kind == YAML_MAP ? map->first : NULL;

    while (n && !str_is(n->key, key))
        n = n->next;
    return n;
}

static void parsed_cleanup(struct parsed *p)
{
    arena_release(&p->arena);
}

static struct parsed parse(const char *text)
{
    struct parsed p = { 0 };

    p.r = yaml_parse(&p.arena, str_of(text), &p.root, &p.bad, &p.e);
    return p;
}

static void assert_refused(const char *text, unsigned line, unsigned column, const char *message)
{
    CLEANUP(parsed) struct parsed p = parse(text);

    assert_true(p.r < 0);
    assert_string_equal(p.e.msg, message);
    assert_int_equal(p.bad.line, line);
    assert_int_equal(p.bad.column, column);
}

static void assert_place(struct yaml_place place, unsigned line, unsigned column)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void reads_maps_lists_and_scalars_with_places(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: 1\nb:\n  - x\n  - \"y\"\n");
    const struct yaml_node *b;

    assert_int_equal(p.r, 0);
    assert_int_equal(p.root->kind, YAML_MAP);
    assert_string_equal(member(p.root, "a")->text.ptr, "1");
    assert_place(member(p.root, "a")->place, 1, 4);
    b = member(p.root, "b");
    assert_int_equal(b->kind, YAML_LIST);
    assert_place(b->key_place, 2, 1);
    assert_string_equal(b->first->text.ptr, "x");
    assert_false(b->first->quoted);
    assert_true(b->first->next->quoted);
    assert_place(b->first->next->place, 4, 5);
    assert_null(b->first->next->next);
}

static void nothing_is_null(void **state UNUSED)
{
    static const char *const texts[] = { "", "\n", "# a comment\n", "---\n...\n" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(parsed) struct parsed p = parse(texts[i]);

        assert_int_equal(p.r, 0);
        assert_int_equal(p.root->kind, YAML_NULL);
    }
}

static void value_eaten_by_a_comment_is_null(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("when: #tag == 1\n");

    assert_int_equal(member(p.root, "when")->kind, YAML_NULL);
    assert_place(member(p.root, "when")->key_place, 1, 1);
}

static void blocks_are_strings(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: |\n  1\n  2\nb: >-\n  1\n  2\nc: ''\n");

    assert_string_equal(member(p.root, "a")->text.ptr, "1\n2\n");
    assert_true(member(p.root, "a")->quoted);
    assert_string_equal(member(p.root, "b")->text.ptr, "1 2");
    assert_int_equal(member(p.root, "c")->kind, YAML_SCALAR);
    assert_int_equal(member(p.root, "c")->text.len, 0);
}

static void assert_text(const char *yaml, const char *text)
{
    CLEANUP(parsed) struct parsed p = parse(yaml);

    assert_int_equal(p.r, 0);
    assert_int_equal(p.root->kind, YAML_SCALAR);
    assert_true(p.root->quoted);
    assert_string_equal(p.root->text.ptr, text);
    assert_int_equal(p.root->text.len, strlen(text));
}

static void single_quotes_know_one_escape(void **state UNUSED)
{
    assert_text("'a''b'", "a'b");
    assert_text("'x''''y'", "x''y");
    assert_text("'''''''''''''''''''''''''''''''''''''''''''''''''a'", "''''''''''''''''''''''''a");
    assert_text("'a\\n'", "a\\n");
    assert_text("'one  \n  two\n\n  three'", "one two\nthree");
    assert_text("'a\r\n\r\n b'", "a\nb");
}

static void double_quotes_know_all_escapes(void **state UNUSED)
{
    assert_text("\"a\\\"b\\\\\\/\\t\\x41\"", "a\"b\\/\tA");
    assert_text("\"\\a\\b\\n\\v\\f\\r\\e\\ \"", "\a\b\n\v\f\r\x1b ");
    assert_text("\"\\N\\_\\L\\P\"", "\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9");
    assert_text("\"\\u263a\\U0001f600\"", "\xe2\x98\xba\xf0\x9f\x98\x80");
    assert_text("\"one \\t \n  two\n\n  three\"", "one \t two\nthree");
    assert_text("\"one\\\n  two \\\n\n  three\"", "onetwo \nthree");
    assert_text("\"a\\\\\t\t\n  'b c\"", "a\\ 'b c");
}

static void empty_blocks_are_empty(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: |\n");

    assert_int_equal(p.r, 0);
    assert_int_equal(member(p.root, "a")->text.len, 0);
    assert_true(member(p.root, "a")->quoted);
}

static void alias_is_a_copy_at_its_own_place(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: &x {p: 1}\nb: *x\n");
    const struct yaml_node *a = member(p.root, "a"), *b = member(p.root, "b");

    assert_int_equal(p.r, 0);
    assert_string_equal(member(b, "p")->text.ptr, "1");
    assert_ptr_not_equal(a->first, b->first);
    assert_place(b->place, 2, 4);
    assert_string_equal(b->key.ptr, "b");
}

static void core_tags_say_how_a_scalar_is_read(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: !!str 3\nb: !!int \"3\"\nc: !!null x\n");

    assert_int_equal(p.r, 0);
    assert_true(member(p.root, "a")->quoted);
    assert_false(member(p.root, "b")->quoted);
    assert_int_equal(member(p.root, "c")->kind, YAML_NULL);
}

static void refuses_other_tags(void **state UNUSED)
{
    assert_refused("a: !python x", 1, 12, "tags are not supported here");
    assert_refused("a: !!map [1]", 1, 10, "tags are not supported here");
}

static void refuses_a_repeated_key(void **state UNUSED)
{
    assert_refused("a: 1\nb: 2\na: 3\n", 3, 1, "the key 'a' is there twice");
    assert_refused("x: {a: 1, 'a': 2}\n", 1, 11, "the key 'a' is there twice");
}

static void refuses_a_key_that_is_no_text(void **state UNUSED)
{
    assert_refused("? [1]\n: 2\n", 1, 3, "a key must be a text");
    assert_refused(": 2\n", 1, 1, "a key must be a text");
}

static void refuses_two_documents(void **state UNUSED)
{
    assert_refused("a: 1\n---\nb: 2\n", 2, 1, "more than one document");
}

static void refuses_unknown_and_unfinished_anchors(void **state UNUSED)
{
    const char *message = "an alias that names no finished anchor above it";

    assert_refused("a: *nope\n", 1, 4, message);
    assert_refused("a: &a [*a]\n", 1, 8, message);
}

static void refuses_bytes_that_are_no_text(void **state UNUSED)
{
    assert_refused("a: 1\nb: x\xff\n", 2, 5, "not valid UTF-8");
    assert_refused("a: \xed\xa0\x80", 1, 4, "not valid UTF-8");
    assert_refused("a: \xf4\x90\x80\x80", 1, 4, "not valid UTF-8");
    assert_refused("a: \xe2\x82", 1, 4, "not valid UTF-8");
    assert_refused("a: x\x01", 1, 5, "control characters are not allowed");
    assert_refused("a: \"x\\0y\"", 1, 4, "a text must not contain a NUL character");
}

static void takes_text_of_any_script(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: \xf0\x9f\xaa\x9d \xe6\x97\xa5 \xc3\xa9\n");

    assert_string_equal(member(p.root, "a")->text.ptr, "\xf0\x9f\xaa\x9d \xe6\x97\xa5 \xc3\xa9");
}

static void syntax_errors_name_their_place(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a: 1\nb: c: d\n");

    assert_true(p.r < 0);
    assert_place(p.bad, 2, 5);
    assert_true(p.e.msg[0] != '\0');
}

static void refuses_an_expansion_bomb(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    strbuf_addstr(&b, "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
        strbuf_printf(&b, "l%d: &l%d [", i, i);
        for (int j = 0; j < 10; j++)
            strbuf_printf(&b, "%s*l%d", j ? ", " : "", i - 1);
        strbuf_addstr(&b, "]\n");
    }
    CLEANUP(parsed) struct parsed p = parse(strbuf_cstr(&b));
    assert_true(p.r < 0);
    assert_string_equal(p.e.msg, "too many values");
}

static void refuses_deep_nesting(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (unsigned i = 0; i < YAML_MAX_DEPTH - 1; i++)
        strbuf_addch(&b, '[');
    for (unsigned i = 0; i < YAML_MAX_DEPTH - 1; i++)
        strbuf_addch(&b, ']');
    CLEANUP(parsed) struct parsed fits = parse(strbuf_cstr(&b));
    assert_int_equal(fits.r, 0);

    strbuf_reset(&b);
    for (unsigned i = 0; i < 10 * YAML_MAX_DEPTH; i++)
        strbuf_addch(&b, '[');
    CLEANUP(parsed) struct parsed deep = parse(strbuf_cstr(&b));
    assert_true(deep.r < 0);
}

static void refuses_a_huge_document(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    CLEANUP(arena) struct arena a = { 0 };
    struct yaml_node *root;
    struct err e = { 0 };

    memset(strbuf_reserve(&b, YAML_MAX_BYTES + 1), '#', YAML_MAX_BYTES + 1);
    b.len = YAML_MAX_BYTES + 1;
    assert_true(yaml_parse(&a, strbuf_str(&b), &root, NULL, &e) < 0);
}

TESTS(cmocka_unit_test(reads_maps_lists_and_scalars_with_places), cmocka_unit_test(nothing_is_null),
      cmocka_unit_test(value_eaten_by_a_comment_is_null), cmocka_unit_test(blocks_are_strings),
      cmocka_unit_test(single_quotes_know_one_escape),
      cmocka_unit_test(double_quotes_know_all_escapes), cmocka_unit_test(empty_blocks_are_empty),
      cmocka_unit_test(alias_is_a_copy_at_its_own_place),
      cmocka_unit_test(core_tags_say_how_a_scalar_is_read), cmocka_unit_test(refuses_other_tags),
      cmocka_unit_test(refuses_a_repeated_key), cmocka_unit_test(refuses_a_key_that_is_no_text),
      cmocka_unit_test(refuses_two_documents),
      cmocka_unit_test(refuses_unknown_and_unfinished_anchors),
      cmocka_unit_test(refuses_bytes_that_are_no_text), cmocka_unit_test(takes_text_of_any_script),
      cmocka_unit_test(syntax_errors_name_their_place), cmocka_unit_test(refuses_an_expansion_bomb),
      cmocka_unit_test(refuses_deep_nesting), cmocka_unit_test(refuses_a_huge_document))
