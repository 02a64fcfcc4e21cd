"""hooke help, version, unknown words; and that man page and completions know the same verbs."""

import os
import pty
import re
import shutil
import subprocess

import pytest


def verbs(hooke):
    lines = hooke("help").lines
    return [m.group(1) for m in (re.match(r"  ([a-z]+)  ", line) for line in lines) if m]


def flags(hooke, verb):
    return re.findall(r"^ +(?:-\w, )?--([a-z]+)", hooke("help", verb).out, re.M)


def test_help_in_all_its_forms(hooke):
    text = hooke("help").out
    assert "usage: hooke VERB" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    for words in ([], ["--help"], ["-h"]):
        r = hooke(*words)
        assert (r.rc, r.out, r.err) == (0, text, "")


def test_the_verbs_of_this_stage(hooke):
    expected = "run chat recipe conversation emit answer list show plan test replay config trace state trust install uninstall serve doctor version demo help"
    assert verbs(hooke) == expected.split()


def test_help_of_every_verb(hooke):
    for verb in verbs(hooke):
        text = hooke("help", verb)
        assert text.rc == 0 and f"hooke {verb}" in text.out and "--help" in text.out
        assert hooke(verb, "--help").out == text.out
        assert hooke(verb, "-h").out == text.out
        assert all(len(line) <= 100 for line in text.lines), verb


def test_help_lists_the_points(hooke):
    text = hooke("help", "points").out
    assert "tool.execute.before" in text and "gate" in text


def test_unknown_verbs_suggest_the_nearest(hooke):
    r = hooke("emti")
    assert (r.rc, r.out) == (64, "")
    assert r.err == "hooke: unknown verb 'emti', did you mean 'emit'?\n"
    assert hooke("help", "emti").err == r.err
    assert "'hooke help' lists them" in hooke("zzzzzzzz").err


def test_unknown_flags_suggest_the_nearest(hooke):
    r = hooke("emit", "Stop", "--sesion", "x")
    assert (r.rc, r.out) == (64, "")
    assert r.err == "hooke: emit: unknown flag '--sesion', did you mean '--session'?\n"
    assert hooke("list", "-z").rc == 64
    assert hooke("--nope").rc == 64


def test_values_of_flags(hooke):
    assert "needs a value" in hooke("emit", "Stop", "--session").err
    assert "needs a value" in hooke("emit", "Stop", "--session", "--json").err
    assert "takes no value" in hooke("list", "--json=yes").err
    assert "whole number" in hooke("trace", "-n", "many").err
    assert hooke("emit", "--session=s", "--", "session.idle").rc == 0
    assert hooke("emit", "--", "--session").rc == 64


def test_version(hooke):
    text = hooke("version").out
    assert re.fullmatch(r"hooke \d+\.\d+\.\d+\n", text)
    assert hooke("--version").out == hooke("-V").out == text
    assert hooke("version", "--json").json["version"] == text.split()[1]


def on_terminal(hooke, *words, **env):
    """What the program prints on a terminal."""
    main, side = pty.openpty()
    child = subprocess.Popen([hooke.program, *words], stdout=side, cwd=hooke.cwd,
                             env={**hooke.env, "TERM": "xterm", **env})
    os.close(side)
    chunks = []
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    child.wait(timeout=20)
    os.close(main)
    return b"".join(chunks).decode()


def test_colour_only_on_a_terminal_and_without_no_color(hooke):
    assert "\x1b[" in on_terminal(hooke, "list")
    assert "\x1b[" not in on_terminal(hooke, "list", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(hooke, "list", TERM="dumb")
    assert "\x1b[" not in hooke("list").out


def test_json_is_pretty_on_a_terminal_and_one_line_elsewhere(hooke):
    assert on_terminal(hooke, "version", "--json").count("\n") > 1
    assert hooke("version", "--json").out.count("\n") == 1


def test_the_man_page_knows_every_verb_and_flag(hooke, source):
    page = (source / "share/man/hooke.1").read_text().replace("\\-", "-")
    headings = re.findall(r"^\.Ss (\w+)", page, re.M)
    assert headings == verbs(hooke)
    for verb in verbs(hooke):
        section = page.split(f".Ss {verb}\n")[1].split("\n.Ss ")[0].split("\n.Sh ")[0]
        for flag in flags(hooke, verb):
            if flag not in ("help", "config", "set") and (flag != "trust" or verb == "trust"):
                assert f"Fl -{flag}" in section, (verb, flag)


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
@pytest.mark.parametrize("name", ["hooke.1", "hooke-answer.1"])
def test_the_man_page_renders_without_warnings(source, name):
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", source / "share/man" / name],
        capture_output=True, text=True, env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80"})
    assert done.returncode == 0 and done.stderr == "" and "hooke" in done.stdout


def test_completions_know_every_verb_and_flag(hooke, source):
    for name in ("hooke.bash", "_hooke", "hooke.fish"):
        text = (source / "share/completions" / name).read_text()
        for verb in verbs(hooke):
            assert re.search(rf"\b{verb}\b", text), (name, verb)
            for flag in flags(hooke, verb):
                assert re.search(rf"(--|-l ){flag}\b", text), (name, verb, flag)


def complete(hooke, source, line):
    words = line.split(" ")
    script = f"""
source {source}/share/completions/hooke.bash
COMP_WORDS=({' '.join(w or "''" for w in words)}); COMP_CWORD={len(words) - 1}
_hooke; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = os.path.dirname(hooke.program) + ":" + hooke.env["PATH"]
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          cwd=hooke.cwd, env={**hooke.env, "PATH": path})
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_verbs_flags_hooks_and_points(hooke, source):
    assert complete(hooke, source, "hooke em") == ["emit"]
    assert complete(hooke, source, "hooke emit --sess") == ["--session"]
    assert complete(hooke, source, "hooke show loop") == ["loop-guard"]
    assert complete(hooke, source, "hooke plan tool.execute.b") == ["tool.execute.before"]
    assert complete(hooke, source, "hooke config ch") == ["check"]
    assert complete(hooke, source, "hooke state i") == ["incr"]
