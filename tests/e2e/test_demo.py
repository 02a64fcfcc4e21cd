"""hooke demo: a session told moment by moment."""

import re
import time


def without_times(text):
    return re.sub(r" *[0-9.]+ (µs|ms)", " T", text)


def test_tells_the_whole_story(hooke):
    r = hooke("demo")
    assert r.rc == 0 and r.err == ""
    for text in (
        "session.created",
        "change: message",
        "held back",
        "fires every 3",
        "GitHub token",
        "without the network",
        "same arguments",
        "messages, a new part",
        "masked",
        "style-notes",
        "hook 'release-gate' failed",
        "session.deleted",
        "What each hook did",
        "hooke plan",
    ):
        assert text in r.out, text


def test_cadence_fires_on_times_1_and_4(hooke):
    rows = [line for line in hooke("demo").lines if line.startswith("    system-prompt ")]
    assert ["held back" in row for row in rows[:4]] == [False, True, True, False]


def test_is_the_same_every_time_but_for_the_times(hooke):
    assert without_times(hooke("demo").out) == without_times(hooke("demo").out)


def test_is_quick_and_leaves_nothing_behind(hooke, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    start = time.monotonic()
    hooke("demo")
    assert time.monotonic() - start < 2
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
