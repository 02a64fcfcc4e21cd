"""hooke install opencode: one file among OpenCode's plugins."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
USER = ".config/opencode/plugins/hooke.js"
PROJECT = ".opencode/plugins/hooke.js"


def test_the_file_is_alone_and_for_the_user(hooke):
    r = hooke("install", "opencode", "--yes")
    path = hooke.home / USER
    assert r.rc == 0 and f"installed: {path}" in r.out
    assert [p.name for p in path.parent.iterdir()] == ["hooke.js"]
    assert "installed already" in hooke("install", "opencode", "--yes").out


def test_xdg_config_home_counts(hooke, tmp_path):
    hooke("install", "opencode", "--yes", XDG_CONFIG_HOME=str(tmp_path / "c"))
    assert (tmp_path / "c/opencode/plugins/hooke.js").exists()
    assert not (hooke.home / USER).exists()


def test_project_scope_writes_into_the_workspace(hooke):
    assert hooke("install", "opencode", "--project", "--yes").rc == 0
    assert (hooke.cwd / PROJECT).exists() and not (hooke.home / USER).exists()
    assert hooke("uninstall", "opencode", "--project", "--yes").rc == 0
    assert not (hooke.cwd / PROJECT).exists()


def test_it_is_shown_and_asked_for(hooke):
    r = hooke("install", "opencode")
    assert r.rc == 1 and "say --yes" in r.err and "+export default {" in r.out
    assert hooke("install", "opencode", "--json", "--dry-run").json["state"] == "would change"
    assert not (hooke.home / USER).exists()


def test_a_thousand_lines_are_shown_only_to_who_asks(hooke):
    assert len(hooke("install", "opencode", "--dry-run").lines) > 500
    assert len(hooke("install", "opencode", "--yes").lines) == 2
    assert len(hooke("uninstall", "opencode", "--yes").lines) == 2


def test_other_plugins_stay(hooke):
    other = hooke.home / ".config/opencode/plugins/mine.js"
    other.parent.mkdir(parents=True)
    other.write_text("export const mine = async () => ({})\n")
    hooke("install", "opencode", "--yes")
    assert hooke("uninstall", "opencode", "--yes").rc == 0
    assert [p.name for p in other.parent.iterdir()] == ["mine.js"]
    assert "not installed" in hooke("uninstall", "opencode", "--yes").out


def test_somebody_else_s_file_of_that_name_comes_back(hooke):
    path = hooke.home / USER
    path.parent.mkdir(parents=True)
    path.write_text("export default 1\n")
    assert "not installed" in hooke("uninstall", "opencode", "--yes").out
    hooke("install", "opencode", "--yes")
    hooke("uninstall", "opencode", "--yes")
    assert path.read_text() == "export default 1\n"


def test_a_plugin_that_was_changed_is_not_removed(hooke):
    hooke("install", "opencode", "--yes")
    path = hooke.home / USER
    path.write_text(path.read_text() + "// mine\n")
    r = hooke("uninstall", "opencode", "--yes")
    assert r.rc == 1 and str(path) in r.err and "changed" in r.err and r.err.count("\n") == 1
    assert path.read_text().endswith("// mine\n")
    r = hooke("install", "opencode", "--yes")
    assert r.rc == 0 and "-// mine" in r.out
    hooke("uninstall", "opencode", "--yes")
    assert not path.exists()


def test_the_plugin_of_another_version_is_known_without_a_record(hooke):
    hooke("install", "opencode", "--yes")
    path = hooke.home / USER
    path.write_text(path.read_text().replace("/* hooke 0", "/* hooke 99.0", 1))
    shutil.rmtree(hooke.home / ".local/state/hooke/installed", ignore_errors=True)
    assert hooke("uninstall", "opencode", "--yes").rc == 0
    assert not path.exists()


def test_it_names_the_program_as_the_shell_finds_it(hooke):
    hooke("install", "opencode", "--yes")
    path = hooke.home / USER
    assert f'program: {json.dumps(os.path.realpath(hooke.program))}' in path.read_text()
    folder = os.path.dirname(hooke.program)
    hooke("install", "opencode", "--yes", PATH=folder + ":" + hooke.env["PATH"])
    assert 'program: "hooke"' in path.read_text()


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_it_is_the_same_plugin_in_one_module(hooke):
    """What the package registers, and no export that OpenCode would take for a plugin."""
    hooke("install", "opencode", "--yes")
    text = (hooke.home / USER).read_text()
    assert all(s.startswith("node:") for s in re.findall(r'^import .* from "([^"]+)"', text, re.M))
    module = hooke.home / "hooke.mjs"
    module.write_text(text)
    script = ("const m = await import(process.argv[1]);"
              "const h = await m.default.server({directory: '/', client: {}}, {program: false, socket: '/none'});"
              "console.log(JSON.stringify([Object.keys(m), m.default.id, Object.keys(h)]))")

    def look(path):
        r = subprocess.run(["node", "--input-type=module", "-e", script, str(path)], text=True,
                           capture_output=True, check=True, env=hooke.env)
        return json.loads(r.stdout)

    assert look(module) == look(SOURCE / "adapters/opencode/index.js")
    assert look(module)[:2] == [["default"], "hooke"]
