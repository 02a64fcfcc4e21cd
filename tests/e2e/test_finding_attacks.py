"""A workspace, or whoever can write to it, against what looks for hooks."""

import os
import subprocess

import pytest
from test_trust import answer

FOLDERS = {"kodelet": ".kodelet/hooks", "acai": ".acai/hooks"}


def folder(hooke, system):
    path = hooke.cwd / FOLDERS[system]
    path.mkdir(parents=True)
    return path


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("system", FOLDERS)
def test_a_file_is_not_asked_through_an_interpreter_of_the_workspace(hooke, system):
    hooks = folder(hooke, system)
    program(hooks / "evil.disable", f"#!/bin/sh\ntouch '{hooke.home}/evil'\n")
    files = [
        program(hooks / "one", "#!./evil.disable\n"),
        program(hooks / "two", f"#!{hooks}/evil.disable\n"),
        program(hooks / "three", "#!/usr/bin/env -S ./evil.disable\n"),
    ]
    assert "trusted" in hooke("trust", "--yes", *files).out
    done = hooke("config", "check")
    assert done.out.count("of the workspace, which can't be pinned") == 3
    assert not (hooke.home / "evil").exists()


def test_a_file_is_not_asked_through_a_program_that_path_finds_in_the_workspace(hooke):
    hooks = folder(hooke, "acai")
    program(hooks / "python3", f"#!/bin/sh\ntouch '{hooke.home}/evil'\n")
    hooks.joinpath("one.py").write_text("print('{}')\n")
    assert "trusted" in hooke("trust", "--yes", hooks / "one.py").out
    done = hooke("config", "check", PATH=f".:{hooke.env['PATH']}")
    assert "'python3', is found in the workspace by PATH" in done.out
    assert not (hooke.home / "evil").exists()


def test_large_files_that_nobody_trusts_are_not_read(hooke):
    for system in FOLDERS:
        hooks = folder(hooke, system)
        for number in range(50):
            with open(hooks / str(number), "wb") as file:
                file.truncate(4 << 20)
            (hooks / str(number)).chmod(0o755)

    emit = subprocess.Popen([hooke.program, "emit", "Stop"], cwd=hooke.cwd, env=hooke.env,
                            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert "50 files are not trusted" in emit.stderr.read()
    _, status, used = os.wait4(emit.pid, 0)
    emit.stderr.close()
    assert status == 0 and used.ru_maxrss < 200 << 10  # KiB; they have 400 MiB


def test_a_pinned_file_that_is_out_of_reach_is_changed_not_trusted(hooke):
    hooks = folder(hooke, "kodelet")
    path = program(hooks / "empty", "")
    assert "trusted" in hooke("trust", "--yes", path).out
    with open(path, "wb") as file:
        file.truncate(5 << 20)
    done = hooke("config", "check")
    assert "has changed since it was trusted" in done.out


def test_paths_of_problems_cannot_drive_the_terminal(hooke):
    program(folder(hooke, "kodelet") / "a\x1b[2Jb", "#!/bin/sh\n")
    done = hooke("config", "check")
    assert done.rc == 1 and "\x1b" not in done.out + done.err


def test_a_file_that_cannot_be_pinned_stays_new(hooke):
    path = program(folder(hooke, "kodelet") / "a\nb", "#!/bin/sh\n")
    done = hooke("trust", "--yes")
    shown = str(path).replace("\n", " ")
    assert done.rc == 1 and done.lines == [f"new       {shown}"]


def test_one_line_answers_for_one_file(hooke):
    hooks = folder(hooke, "kodelet")
    for name in ("a", "b"):
        program(hooks / name, "#!/bin/sh\n")
    text, rc = answer(hooke, ["trust"], ["no, definitely yes for others", "n"])
    assert rc == 1 and f"new       {hooks}/a\nnew       {hooks}/b\n" in text
