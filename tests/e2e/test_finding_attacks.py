"""A workspace, or whoever can write to it, against what looks for hooks."""

import pytest

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
