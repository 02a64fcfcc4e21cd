"""hooke install and uninstall: entries in the configuration of other agents."""

import json
import os
import shutil

import pytest

FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json",
         "gemini": ".gemini/settings.json"}
EVENTS = {"claude": {"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"},
          "codex": {"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"},
          "gemini": {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"}}
OTHERS = """\
{
    "model" : "opus",
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ {"type": "command", "command": "./mine.sh"} ] }
        ],
        "Stop": []
    }
}
"""


@pytest.fixture
def installed(hooke, tmp_path):
    """hooke with its client beside it, as after an installation, but not in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(hooke.program, folder / "hooke")
    (folder / "hooke-answer").write_text("#!/bin/sh\n")
    (folder / "hooke-answer").chmod(0o755)
    hooke.program = str(folder / "hooke")
    return hooke


def put(hooke, agent, text):
    path = hooke.home / FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("agent", FILES)
def test_every_event_that_has_a_point_is_registered(installed, agent):
    r = installed("install", agent, "--yes")
    path = installed.home / FILES[agent]
    assert r.rc == 0 and f"installed: {path}" in r.out
    hooks = json.loads(path.read_text())["hooks"]
    assert EVENTS[agent] <= set(hooks)
    for groups in hooks.values():
        assert groups[0]["hooks"][0]["command"].endswith(f"/bin/hooke-answer {agent}")
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("agent", FILES)
def test_a_second_install_changes_nothing(installed, agent):
    installed("install", agent, "--yes")
    before = (installed.home / FILES[agent]).read_bytes()
    r = installed("install", agent, "--yes")
    assert r.rc == 0 and "installed already" in r.out
    assert (installed.home / FILES[agent]).read_bytes() == before


@pytest.mark.parametrize("text", [OTHERS, "{}", '{"hooks":{}}\n', "\n", '{"a":1}', None])
def test_uninstall_restores_the_bytes(installed, text):
    path = installed.home / FILES["claude"]
    if text is not None:
        put(installed, "claude", text)
        path.chmod(0o640)
    assert installed("install", "claude", "--yes").rc == 0
    assert json.loads(path.read_text())["hooks"]["Stop"]
    assert installed("uninstall", "claude", "--yes").rc == 0
    if text is None:
        assert not path.exists()
    else:
        assert path.read_text() == text and path.stat().st_mode & 0o777 == 0o640
    assert "not installed" in installed("uninstall", "claude", "--yes").out


def test_other_entries_are_not_touched(installed):
    path = put(installed, "claude", OTHERS)
    installed("install", "claude", "--yes")
    new, old = json.loads(path.read_text()), json.loads(OTHERS)
    assert new["hooks"]["PreToolUse"][0] == old["hooks"]["PreToolUse"][0]
    lines = path.read_text().splitlines()
    assert all(line.rstrip(",") in [x.rstrip(",") for x in lines]
               for line in OTHERS.splitlines() if "Stop" not in line)


def test_what_was_added_since_stays_when_hooke_goes(installed):
    path = put(installed, "claude", OTHERS)
    installed("install", "claude", "--yes")
    changed = json.loads(path.read_text())
    changed["theme"] = "dark"
    path.write_text(json.dumps(changed, indent=2))
    assert installed("uninstall", "claude", "--yes").rc == 0
    left = json.loads(path.read_text())
    assert left["theme"] == "dark" and "hooke-answer" not in path.read_text()
    assert left["hooks"]["PreToolUse"] == json.loads(OTHERS)["hooks"]["PreToolUse"]


def test_an_entry_of_an_earlier_place_is_replaced(installed):
    old = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/hooke-answer claude"},
                                         {"type": "command", "command": "mine"}]}]}}
    path = put(installed, "claude", json.dumps(old))
    installed("install", "claude", "--yes")
    stop = json.loads(path.read_text())["hooks"]["Stop"]
    assert [h["command"] for g in stop for h in g["hooks"]][0] == "mine"
    assert "/old/" not in path.read_text()


def test_installing_again_from_another_place_still_restores_the_first_bytes(installed):
    path = put(installed, "claude", OTHERS)
    installed("install", "claude", "--yes")
    installed.env["PATH"] = os.path.dirname(installed.program) + ":" + installed.env["PATH"]
    assert "+" in installed("install", "claude", "--yes").out
    assert '"hooke-answer claude"' in path.read_text()
    installed("uninstall", "claude", "--yes")
    assert path.read_text() == OTHERS


def test_the_bare_name_is_used_where_the_shell_finds_it(installed):
    installed.env["PATH"] = os.path.dirname(installed.program) + ":" + installed.env["PATH"]
    installed("install", "codex", "--yes")
    text = (installed.home / FILES["codex"]).read_text()
    assert '"command": "hooke-answer codex"' in text


def test_a_path_that_a_shell_would_take_apart_is_quoted(hooke, tmp_path):
    folder = tmp_path / "a b'c"
    folder.mkdir()
    shutil.copy(hooke.program, folder / "hooke")
    (folder / "hooke-answer").write_text("#!/bin/sh\necho $1 ran\n")
    (folder / "hooke-answer").chmod(0o755)
    hooke.program = str(folder / "hooke")
    hooke("install", "gemini", "--yes")
    handler = json.loads((hooke.home / FILES["gemini"]).read_text())["hooks"]["AfterTool"][0]["hooks"][0]
    assert os.popen(handler["command"]).read() == "gemini ran\n"


def test_project_scope_writes_into_the_workspace(installed):
    (installed.cwd / "deep").mkdir()
    r = installed("install", "claude", "--project", "--yes")
    assert r.rc == 0 and (installed.cwd / FILES["claude"]).exists()
    assert not (installed.home / FILES["claude"]).exists()


def test_nothing_is_written_without_a_yes(installed):
    r = installed("install", "claude")
    assert r.rc == 1 and "say --yes" in r.err and "+++" in r.out
    r = installed("install", "claude", "--dry-run")
    assert r.rc == 0 and "would change" in r.out
    assert not (installed.home / FILES["claude"]).exists()


@pytest.mark.parametrize("text,why", [
    ("{ // mine\n}", "line 1, column 3"),
    ("[]", "expected an object"),
    ('{"hooks": []}', "'hooks' is not an object"),
    ('{"hooks": {"Stop": {}}}', "'hooks.Stop' is not a list"),
])
def test_a_file_that_is_not_understood_is_left_alone(installed, text, why):
    path = put(installed, "claude", text)
    r = installed("install", "claude", "--yes")
    assert r.rc == 1 and str(path) in r.err and why in r.err and r.err.count("\n") == 1
    assert path.read_text() == text


def test_a_link_stays_a_link(installed, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    path = installed.home / FILES["claude"]
    path.parent.mkdir()
    path.symlink_to(real)
    installed("install", "claude", "--yes")
    assert path.is_symlink() and "hooke-answer" in real.read_text()
    installed("uninstall", "claude", "--yes")
    assert path.is_symlink() and real.read_text() == "{}"


def test_an_agent_s_own_folder_counts(installed, tmp_path):
    installed("install", "codex", "--yes", CODEX_HOME=str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere/hooks.json").exists()


def test_an_unknown_agent_is_named(installed):
    r = installed("install", "claud")
    assert r.rc == 64 and "claude" in r.err
    assert installed("install").rc == 64


def test_without_the_client_nothing_is_installed(hooke, tmp_path):
    shutil.copy(hooke.program, tmp_path / "hooke")
    hooke.program = str(tmp_path / "hooke")
    r = hooke("install", "claude", "--yes")
    assert r.rc == 1 and "hooke-answer" in r.err
