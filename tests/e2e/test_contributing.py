"""The built-in hook of CONTRIBUTING.md is compiled, linked into the program, tested and used."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import fences
import pytest

SOURCE = fences.SOURCE
BUILD = pathlib.Path(os.environ.get("HOOKE_BUILD", SOURCE / "build/dev"))


def written(name):
    blocks = fences.blocks_of(SOURCE / "CONTRIBUTING.md")
    return next(b.text for b in blocks if b.starts("c", name))


def compile_command(like):
    """The build's own command for a file, ready for another source and object."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    words = shlex.split(next(c["command"] for c in commands if c["file"] == str(SOURCE / like)))
    return words[: words.index("-o")]


def link_command(target):
    done = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True,
                          text=True, check=True)
    line = done.stdout.rstrip().splitlines()[-1]
    words = shlex.split(re.fullmatch(r": && (.*) && :", line).group(1))
    return words


def run(words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          **options)
    assert done.returncode == 0, done.stdout + done.stderr


def link(target, replaced, objects, output):
    """The link of `target` with the object of `replaced` (None: of nothing) left out, more
    objects in front of the libraries."""
    words = link_command(target)
    words[words.index("-o") + 1] = str(output)
    kept = [w for w in words if not (replaced and w.endswith(replaced))]
    at = next(i for i, w in enumerate(kept) if w.endswith("libhookecore.a"))
    run(kept[:at] + objects + kept[at:], cwd=BUILD)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A program and a test that know the hook."""
    root = tmp_path_factory.mktemp("tree")
    source, test = "src/builtin/word_guard.c", "tests/unit/builtin/test_word_guard.c"
    for name in (source, test):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(written(name))
    listing = root / "src/builtin/builtin.def"
    line = next(b.text for b in fences.blocks("def"))
    listing.write_text((SOURCE / "src/builtin/builtin.def").read_text() + line)
    # The table is compiled anew; the changed list is found first.
    table = shutil.copy(SOURCE / "src/builtin/builtin.c", root / "src/builtin/builtin.c")
    like = compile_command("src/builtin/builtin.c")
    run([like[0], f"-I{root}/src", *like[1:], "-o", root / "table.o", "-c", table])
    run([*like, "-o", root / "hook.o", "-c", root / source])
    like = compile_command("tests/unit/builtin/test_loop_guard.c")
    run([*like, "-o", root / "test.o", "-c", root / test])
    objects = [root / "hook.o", root / "table.o"]
    link("hooke", None, objects, root / "hooke")
    link("tests/test_builtin_loop_guard", "test_loop_guard.c.o", [root / "test.o", *objects],
         root / "test")
    return root


def test_its_test_passes(built):
    run([built / "test"], cwd=built)


def test_it_works_in_the_program(hooke, built):
    hooke.program = str(built / "hooke")
    hooke.config("hooks: [{ name: word-guard, words: [doas] }]\n")
    assert hooke("config", "check").rc == 0
    assert hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": "doas ls"}}).rc == 2
    assert hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": "sudo ls"}}).rc == 0
    assert hooke.emit("PreToolUse", {"tool": "edit", "args": {"command": "doas"}}).rc == 0
    options = hooke("show", "word-guard", "--json").json["options"]
    assert [(o["name"], o["default"], o["value"]) for o in options] == [("words", "sudo", "[doas]")]


def test_it_is_formatted_as_the_rules_say(tmp_path):
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is not installed: 'make lint' installs it")
    shutil.copy(SOURCE / ".clang-format", tmp_path)
    for name in ("src/builtin/word_guard.c", "tests/unit/builtin/test_word_guard.c"):
        path = tmp_path / pathlib.Path(name).name
        path.write_text(written(name))
        run(["clang-format", "--dry-run", "--Werror", path])


def test_a_release_makes_all_that_is_installed():
    """Files of the build that `make install` copies, but for those the configuration itself writes."""
    targets = re.search(r"@scripts/build release (hooke .+)", (SOURCE / "Makefile").read_text())[1]
    done = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", *targets.split()],
                          capture_output=True, text=True, check=True)
    made = {pathlib.Path(word).name for word in done.stdout.split()}
    script = (BUILD / "cmake_install.cmake").read_text()
    copied = {*re.findall(re.escape(str(BUILD)) + r"/([^\"/$]+)\"", script)}
    assert {"hooke", "hooke-answer", "libhooke.a"} <= copied
    assert {name for name in copied if not name.endswith((".pc", ".service", ".txt"))} <= made
