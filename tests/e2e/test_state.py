"""hooke state: what a hook remembers, from its own process."""

import concurrent.futures

import pytest
from test_help import on_terminal


@pytest.fixture
def state(hooke):
    def run(*words, **env):
        return hooke("state", *words, **{"HOOKE_SESSION": "s1", "HOOKE_HOOK": "mine", **env})

    return run


def test_set_then_get(state):
    assert (state("set", "key", "some value").rc, state("get", "key").out) == (0, "some value\n")
    assert state("get", "key", "--json").json == {"key": "key", "value": "some value"}


def test_get_of_an_absent_key_is_silent(state):
    r = state("get", "key")
    assert (r.rc, r.out, r.err) == (1, "", "")


def test_incr_prints_the_new_number(state):
    assert [state("incr", "n").out for _ in range(3)] == ["1\n", "2\n", "3\n"]
    assert state("incr", "n", "10").out == "13\n"
    assert state("incr", "n", "-20").out == "-7\n"


def test_incr_of_a_text_fails_and_leaves_it(state):
    state("set", "n", "text")
    r = state("incr", "n")
    assert r.rc == 1 and r.out == "" and r.err.startswith("hooke: ")
    assert state("get", "n").out == "text\n"
    assert state("incr", "n", "x").rc == 64


def test_incr_from_many_processes_loses_nothing(state):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        numbers = {int(r.out) for r in pool.map(lambda _: state("incr", "n"), range(40))}
    assert numbers == set(range(1, 41))


def test_list_is_by_key_and_prefix(state):
    for key in ("b", "a/2", "a/1"):
        state("set", key, "v " + key)
    assert state("list").lines == ["a/1 = v a/1", "a/2 = v a/2", "b = v b"]
    assert state("list", "a/").lines == ["a/1 = v a/1", "a/2 = v a/2"]
    assert state("list", "--json").json == {"a/1": "v a/1", "a/2": "v a/2", "b": "v b"}


def test_clear_one_or_all(state):
    for key in ("a", "ab", "c"):
        state("set", key, "v")
    assert state("clear", "a").rc == 0
    assert state("list").lines == ["ab = v", "c = v"]
    assert state("clear").rc == 0 and state("list").out == ""


def test_sessions_and_hooks_are_apart(state):
    state("set", "key", "v")
    assert state("get", "key", HOOKE_SESSION="s2").rc == 1
    assert state("get", "key", "--session", "s2").rc == 1
    assert state("get", "key", HOOKE_HOOK="other").rc == 1
    assert state("get", "key", "--session", "s1", "--hook", "mine", HOOKE_SESSION="x").rc == 0


def test_says_which_variable_is_missing(hooke):
    r = hooke("state", "get", "key", HOOKE_HOOK="mine")
    assert r.rc == 64 and "HOOKE_SESSION" in r.err
    r = hooke("state", "get", "key", HOOKE_SESSION="s1")
    assert r.rc == 64 and "HOOKE_HOOK" in r.err


def test_the_engines_own_keys_are_not_written(hooke, state):
    for words in (["set", "@x", "1"], ["incr", "@x"], ["clear", "@x"]):
        r = state(*words)
        assert r.rc == 64 and "'@x'" in r.err, words
    hooke.config("hook_cadence: { system-prompt: 3 }\n")
    hooke("emit", "experimental.chat.system.transform", "--session", "s1")
    own = state("list", HOOKE_HOOK="system-prompt").out
    assert own.startswith("@cadence/")
    state("clear", HOOKE_HOOK="system-prompt")
    assert state("list", HOOKE_HOOK="system-prompt").out == own


def test_built_ins_use_the_same_space(hooke, state):
    hooke.emit("PreToolUse", {"tool": "bash"}, "--session", "s1")
    assert state("get", "streak", HOOKE_HOOK="loop-guard").out.endswith(" 1\n")


def test_another_store_can_be_named(state, tmp_path):
    state("set", "key", "v", HOOKE_STORE=str(tmp_path / "other.db"))
    assert state("get", "key").rc == 1
    assert state("get", "key", HOOKE_STORE=str(tmp_path / "other.db")).rc == 0


def test_a_store_that_cannot_be_opened_is_named(state, tmp_path):
    r = state("get", "key", HOOKE_STORE="/dev/null/store.db")
    assert r.rc == 1 and "/dev/null" in r.err and r.err.count("\n") == 1


def test_wrong_words_are_usage_errors(state):
    assert "did you mean 'get'" in state("gett", "x").err
    for words in ([], ["gett", "x"], ["get"], ["set", "x"], ["get", "x", "y"], ["get", ""]):
        assert state(*words).rc == 64, words


@pytest.mark.parametrize("name", ["memory", ":memory:"])
def test_a_store_in_memory_leaves_no_file(hooke, state, name):
    assert state("set", "key", "v", HOOKE_STORE=name).rc == 0
    assert hooke.emit("PreToolUse", {"tool": "bash"}, HOOKE_STORE=name).rc == 0
    assert state("get", "key", HOOKE_STORE=name).rc == 1
    assert {p.name for p in hooke.cwd.iterdir()} == {".git"}


def test_escapes_do_not_reach_the_terminal(hooke, state):
    value = "a\x1b[31mb\x1b]0;title\x07c"
    state("set", "key", value)
    env = {"HOOKE_SESSION": "s1", "HOOKE_HOOK": "mine"}
    for words in (["get", "key"], ["list"]):
        text = on_terminal(hooke, "state", *words, **env)
        assert "\x1b" not in text and "\x07" not in text and "[31mb" in text, words
    assert state("get", "key").out == value + "\n"
