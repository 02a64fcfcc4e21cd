#include "base/map.h"
#include "test.h"

static void empty_holds_nothing(void **state UNUSED)
{
    struct map m = { 0 };

    assert_null(map_get(&m, STR("a")));
    map_release(&m);
}

static void returns_what_was_put(void **state UNUSED)
{
    CLEANUP(map) struct map m = { 0 };
    int one, two;

    assert_null(map_put(&m, STR("a"), &one));
    assert_null(map_put(&m, STR(""), &two));
    assert_ptr_equal(map_get(&m, STR("a")), &one);
    assert_ptr_equal(map_get(&m, STR("")), &two);
    assert_null(map_get(&m, STR("b")));
    assert_null(map_get(&m, STR("a\0")));
}

static void returns_the_value_it_replaces(void **state UNUSED)
{
    CLEANUP(map) struct map m = { 0 };
    int one, two;

    map_put(&m, STR("a"), &one);
    assert_ptr_equal(map_put(&m, STR("a"), &two), &one);
    assert_ptr_equal(map_get(&m, STR("a")), &two);
    assert_int_equal(m.count, 1);
}

static void an_unset_key_is_the_empty_one(void **state UNUSED)
{
    CLEANUP(map) struct map m = { 0 };
    int one, two;

    assert_null(map_put(&m, (struct str){ 0 }, &one));
    assert_ptr_equal(map_put(&m, STR(""), &two), &one);
    assert_ptr_equal(map_get(&m, (struct str){ 0 }), &two);
    assert_int_equal(m.count, 1);
}

static void keeps_every_entry_while_growing(void **state UNUSED)
{
    CLEANUP(map) struct map m = { 0 };
    static char keys[10000][8];
    size_t seen = 0;

    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        assert_null(map_put(&m, str_of(keys[i]), keys[i]));
    }
    assert_int_equal(m.count, ARRAY_LEN(keys));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        assert_ptr_equal(map_get(&m, str_of(keys[i])), keys[i]);
    for (size_t i = 0; i < m.size; i++)
        seen += m.slots[i].key.ptr != NULL;
    assert_int_equal(seen, ARRAY_LEN(keys));
    assert_null(map_get(&m, STR("k10000")));
}

static void hash_continues_from_its_seed(void **state UNUSED)
{
    uint64_t whole = map_hash(0, STR("abcd"));

    assert_true(whole == map_hash(map_hash(0, STR("ab")), STR("cd")));
    assert_true(whole == 0xfc179f83ee0724ddu); /* FNV-1a's published offset and prime */
    assert_true(whole != map_hash(0, STR("abce")));
}

TESTS(cmocka_unit_test(empty_holds_nothing), cmocka_unit_test(returns_what_was_put),
      cmocka_unit_test(returns_the_value_it_replaces),
      cmocka_unit_test(an_unset_key_is_the_empty_one),
      cmocka_unit_test(keeps_every_entry_while_growing),
      cmocka_unit_test(hash_continues_from_its_seed))
