"""The installed tree, as a packager and as the author of an embedding program use it."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["HOOKE_BUILD"])


def sh(*argv, **kw):
    return subprocess.run(argv, check=True, capture_output=True, text=True, **kw).stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A staged installation: DESTDIR is where the files go, the prefix where they will live."""
    stage = tmp_path_factory.mktemp("stage")
    sh("cmake", "--install", str(BUILD), "--prefix", "/opt/hooke",
       env={**os.environ, "DESTDIR": str(stage)})
    return stage / "opt/hooke"


def test_every_part_is_in_place(tree):
    for part in ["bin/hooke", "bin/hooke-answer", "include/hooke/hooke.h",
                 "share/man/man1/hooke.1", "share/man/man1/hooke-answer.1",
                 "share/systemd/user/hooke.socket", "share/systemd/user/hooke.service",
                 "share/bash-completion/completions/hooke", "share/zsh/site-functions/_hooke",
                 "share/fish/vendor_completions.d/hooke.fish", "share/hooke/recipes/compact.md"]:
        assert (tree / part).is_file(), part
    assert list(tree.glob("lib/**/libhooke.a")) and list(tree.glob("lib/**/hooke.pc"))


def test_the_units_name_the_installed_program(tree):
    unit = (tree / "share/systemd/user/hooke.service").read_text()
    assert 'ExecStart="/opt/hooke/bin/hooke" serve' in unit and "@" not in unit


def test_the_service_manager_takes_the_units(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    prefix = tmp_path / ".local"
    sh("cmake", "--install", str(BUILD), "--prefix", str(prefix))
    units = prefix / "share/systemd/user"
    env = {**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path),
           "MANPATH": str(prefix / "share/man")}
    env.pop("XDG_DATA_HOME", None)
    done = subprocess.run(["systemd-analyze", "--user", "verify", "--man=no",
                           str(units / "hooke.socket"), str(units / "hooke.service")],
                          env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    paths = sh("systemd-analyze", "--user", "unit-paths", env=env).splitlines()
    assert str(units) in paths


def test_hooke_h_is_the_only_header(tree):
    headers = sorted(str(p.relative_to(tree)) for p in tree.glob("include/**/*.h"))
    assert headers == ["include/hooke/hooke.h"]


def test_the_library_shows_only_its_public_symbols(tree):
    archive = next(tree.glob("lib/**/libhooke.a"))
    defined = {line.split()[-1] for line in sh("nm", "--defined-only", "-g", str(archive)).splitlines()
               if len(line.split()) == 3}
    ours = {name for name in defined if not name.startswith("__")}
    declared = {"hooke_open", "hooke_close", "hooke_version", "hooke_load", "hooke_use",
                "hooke_register", "hooke_answer_json", "hooke_emit", "hooke_result_release",
                "hooke_cadence"}
    assert ours == declared


def test_an_example_builds_and_runs_against_the_installed_tree(tree, tmp_path):
    if "fsanitize" in (BUILD / "build.ninja").read_text():
        pytest.skip("a sanitized library needs the sanitizer's flags in the embedding program")
    pc = next(tree.glob("lib/**/hooke.pc"))
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}
    flags = sh("pkg-config", "--cflags", "--libs", "hooke",
               env=env).split()
    program = tmp_path / "embed"
    sh("cc", str(ROOT / "examples/embed/embed.c"), "-Wall", "-Wextra", "-Werror", "-o",
       str(program), *flags)
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    out = sh(str(program), env=home).splitlines()
    assert out[0] == "git push: {}"
    assert out[1] == 'git push --force: {"decision":"block","reason":"no force pushes"}'
    assert out[2].endswith("loop-guard fires every 1")
    assert not (tmp_path / ".local").exists()


def test_the_header_is_fit_for_cpp(tree, tmp_path):
    source = tmp_path / "x.cpp"
    source.write_text("#include <hooke/hooke.h>\nint main() { return hooke_version() == nullptr; }\n")
    sh("c++", "-fsyntax-only", "-Wall", "-Werror", f"-I{tree}/include", str(source))
