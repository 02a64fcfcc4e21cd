"""hooke demo: a whole session with hooks of every kind."""

import re
import time


def without_times(text):
    return re.sub(r" *[0-9.]+ (µs|ms|s)\b", " T", text)


def test_tells_the_whole_story(hooke):
    r = hooke("demo")
    assert r.rc == 0 and r.err == ""
    story = (
        "you   Make greet.sh",
        "from here on 'script/second-choice' answers",
        "model I look first.",
        "kodelet/generated: block: the Makefile is generated",
        "no-force-push: block: Force pushes are not allowed here.",
        "edited 'greet.sh'",
        "call-counter: inject",
        "hello, Ada … (30",
        "check-twice: continue",
        "hello, world",
        "What each hook did",
        "hooke plan",
    )
    at = -1
    for text in story:
        found = r.out.find(text, at + 1)
        assert found > at, text
        at = found


def test_the_trace_has_every_kind_of_hook(hooke):
    rows = dict(re.findall(r"^(\S+) +(built-in|rule|command|resident) ", hooke("demo").out, re.M))
    assert rows["kodelet/generated"] == "command" and rows["call-counter"] == "resident"
    assert rows["no-force-push"] == "rule" and rows["foreground-fallback"] == "built-in"


def test_is_the_same_every_time_but_for_the_times(hooke):
    assert without_times(hooke("demo").out) == without_times(hooke("demo").out)


def test_is_quick_and_leaves_nothing_behind(hooke, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    start = time.monotonic()
    hooke("demo")
    assert time.monotonic() - start < 20
    assert sorted(tmp_path.rglob("*")) == before


def test_is_not_touched_by_the_users_configuration(hooke):
    plain = without_times(hooke("demo").out)
    hooke.config("disabled_hooks: [loop-guard]\nhook_cadence: { system-prompt: 1 }\n")
    assert without_times(hooke("demo", HOOKE_STRICT="true", HOOKE_DEPTH="3").out) == plain


def test_fits_80_and_100_columns(hooke):
    for width in (80, 100):
        lines = hooke("demo", COLUMNS=str(width)).lines
        assert max(map(len, lines)) <= width
    assert max(map(len, hooke("demo").lines)) <= 80


def test_a_folder_that_cannot_be_made_is_named(hooke):
    r = hooke("demo", TMPDIR="/nonexistent")
    assert r.rc == 1 and "/nonexistent" in r.err


def test_takes_no_words(hooke):
    assert hooke("demo", "x").rc == 64
