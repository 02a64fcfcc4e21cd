"""hooke install and uninstall: entries in the configuration of other agents."""

import json
import os
import pty
import random
import shutil
import subprocess

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
    ours, mine = [h["command"] for g in stop for h in g["hooks"]]
    assert ours == f"{os.path.dirname(installed.program)}/hooke-answer claude" and mine == "mine"
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


def test_entries_of_others_keep_their_places(installed):
    """Codex remembers what it trusts by place."""
    other = {"hooks": [{"type": "command", "command": "mine"}]}
    ours = {"hooks": [{"type": "command", "command": "/old/hooke-answer codex"}]}
    path = put(installed, "codex", json.dumps({"hooks": {"Stop": [ours, other, ours], "Gone": [ours]}}))
    installed("install", "codex", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert hooks["Stop"][1:] == [other] and "bin/hooke-answer" in json.dumps(hooks["Stop"][0])
    assert "Gone" not in hooks and len(hooks["PreToolUse"]) == 1
    path.write_text(json.dumps({"hooks": {**hooks, "Stop": [other]}}))
    installed("install", "codex", "--yes")
    assert json.loads(path.read_text())["hooks"]["Stop"][0] == other


@pytest.mark.parametrize("command", ["hooke trace tail >>log", "hooke emit notification", "./hooke-answer.sh x",
                                     "grep -q hooke-answers log", "hooke state incr n"])
def test_hooks_that_use_hooke_for_something_else_are_other_people_s(installed, command):
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    path = put(installed, "claude", text)
    installed("install", "claude", "--yes")
    other, ours = json.loads(path.read_text())["hooks"]["Stop"]
    assert other["hooks"][0]["command"] == command and "hooke-answer claude" in ours["hooks"][0]["command"]
    path.write_text(path.read_text() + "\n")
    installed("uninstall", "claude", "--yes")
    assert path.read_text() == text + "\n"


@pytest.mark.parametrize("command", ["HOOKE_SOCKET= hooke-answer claude", "  nice hooke-answer claude",
                                     "tee log | hooke answer claude Stop"])
def test_who_asks_hooke_in_other_words_keeps_them(installed, command):
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    path = put(installed, "claude", text)
    installed("install", "claude", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert [h["command"] for g in hooks["Stop"] for h in g["hooks"]] == [command] and "PreToolUse" in hooks
    path.write_text(path.read_text() + "\n")
    installed("uninstall", "claude", "--yes")
    assert json.loads(path.read_text()) == {}


def test_a_file_of_one_line_is_added_to_readably(installed):
    path = put(installed, "claude", '{"hooks":{"Stop":[]}}')
    installed("install", "claude", "--yes")
    assert '"SessionStart": [\n  {\n    "hooks": [\n      {\n        "type"' in path.read_text()


def test_the_layout_is_that_of_the_file(installed):
    path = put(installed, "claude", "")
    path.write_bytes(b'{\r\n\t"a": 1\r\n}\r\n')
    installed("install", "claude", "--yes")
    text = path.read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") > 20 and b'\r\n\t\t"Stop": [\r\n\t\t\t{\r\n' in text
    assert b"  " not in text


COMMENTED = """\
// settings of mine
{
  "model": { "name": "x" }, /* the good one */
  "hooks": {
    // nothing yet: see http://127.0.0.1/
    "AfterTool": [] // later
  } // hooks
}
"""


def test_gemini_s_comments_stay(installed):
    path = put(installed, "gemini", COMMENTED)
    assert installed("install", "gemini", "--yes").rc == 0
    text = path.read_text()
    words = ("// settings of mine", ", /* the good one */", "    // nothing yet: see http", "// later", "} // hooks")
    assert [w for w in words if w not in text] == []
    assert "installed already" in installed("install", "gemini", "--yes").out
    path.write_text(text + "// more\n")
    assert installed("uninstall", "gemini", "--yes").rc == 0
    assert path.read_text() == COMMENTED.replace('"AfterTool": [] // later', "// later") + "// more\n"


def test_bytes_that_are_no_text_come_back(installed):
    text = COMMENTED.encode().replace(b"settings of mine", b"r\xe9glages")
    path = put(installed, "gemini", "")
    path.write_bytes(text)
    assert installed("install", "gemini", "--yes").rc == 0
    assert b"// r\xe9glages" in path.read_bytes()
    assert installed("uninstall", "gemini", "--yes").rc == 0
    assert path.read_bytes() == text


def test_a_home_behind_a_link_is_one_home(installed, tmp_path):
    (tmp_path / "link").symlink_to(installed.home)
    installed("install", "claude", "--yes", HOME=str(tmp_path / "link"))
    assert installed("uninstall", "claude", "--yes", HOME=str(tmp_path / "link")).rc == 0
    assert not (installed.home / FILES["claude"]).exists()


def test_gemini_s_own_home_counts(installed, tmp_path):
    installed("install", "gemini", "--yes", GEMINI_CLI_HOME=str(tmp_path / "g"))
    assert (tmp_path / "g/.gemini/settings.json").exists()


# Any settings at all


def some_value(dice, depth=0):
    kind = dice.randrange(8 if depth < 3 else 5)
    if kind < 5:
        return [None, True, 1.50, dice.randrange(10**18), 'é "q" \\ // no comment'][kind]
    if kind == 5:
        return [some_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    return {f"k{n}": some_value(dice, depth + 1) for n in range(dice.randrange(4))}


def some_settings(dice, agent):
    settings = {f"s{n}": some_value(dice) for n in range(dice.randrange(4))}
    if dice.random() < 0.7:
        mine = {"type": "command", "command": "./mine.sh"}
        settings["hooks"] = {event: [{"matcher": "x", "hooks": [mine] * dice.randrange(3)}
                                     for _ in range(dice.randrange(3))]
                             for event in dice.sample(sorted(EVENTS[agent]), dice.randrange(4))}
    names = list(settings)
    dice.shuffle(names)
    return {name: settings[name] for name in names}


def some_text(dice, agent):
    indent = dice.choice([None, None, 1, 2, 3, 4, 8, "\t"])
    text = json.dumps(some_settings(dice, agent), indent=indent, ensure_ascii=dice.random() < 0.5,
                      separators=dice.choice([None, (",", ":"), (" , ", " : ")]))
    text = dice.choice(["", " ", "\n\n"]) + text + dice.choice(["", "\n", "\n\n", "  "])
    if dice.random() < 0.3:
        text = text.replace("\n", "\r\n")
    if agent == "gemini" and dice.random() < 0.5:
        text = "".join(line + (" // c" if line.strip() and dice.random() < 0.3 else "") + "\n"
                       for line in text.splitlines()) + "/* end\n*/"
    return text


@pytest.mark.parametrize("agent", FILES)
def test_whatever_the_file_is_uninstalling_restores_its_bytes(installed, agent):
    dice = random.Random(agent)
    for _ in range(25):
        text = some_text(dice, agent).encode()
        path = put(installed, agent, "")
        path.write_bytes(text)
        r = installed("install", agent, "--yes")
        assert r.rc == 0, (r.err, text)
        installed_bytes = path.read_bytes()
        assert b"hooke-answer" in installed_bytes
        assert "installed already" in installed("install", agent, "--yes").out
        assert installed("uninstall", agent, "--yes").rc == 0
        assert path.read_bytes() == text
        # and without a record: nothing of others has gone
        path.write_bytes(installed_bytes)
        assert installed("uninstall", agent, "--yes").rc == 0
        assert b"hooke-answer" not in path.read_bytes()
        if b"//" not in text and b"/*" not in text:
            old, new = json.loads(text), json.loads(path.read_bytes())
            hooks = {k: v for k, v in old.pop("hooks", {}).items() if v}
            assert {k: v for k, v in new.pop("hooks", {}).items() if v} == hooks and new == old


# Other people's hands


def test_a_file_that_changed_meanwhile_is_not_overwritten(installed):
    """Somebody reads the difference while the agent writes its settings."""
    path = put(installed, "claude", "{}\n")
    ours, theirs = pty.openpty()
    child = subprocess.Popen([installed.program, "install", "claude"], cwd=installed.cwd, env=installed.env,
                             stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    said = b""
    while b"[y]es" not in said:
        said += os.read(ours, 4096)
    path.write_text('{"theme": "dark"}\n')
    os.write(ours, b"y\n")
    _, err = child.communicate(timeout=20)
    os.close(ours)
    assert child.returncode == 1 and "has changed" in err and err.count("\n") == 1
    assert path.read_text() == '{"theme": "dark"}\n'


def test_many_at_once_leave_one_of_each(installed):
    text = '{"a": 1}\n'
    path = put(installed, "claude", text)
    children = [subprocess.Popen([installed.program, "install", "claude", "--yes"], cwd=installed.cwd,
                                 env=installed.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(8)]
    for child in children:
        _, err = child.communicate(timeout=20)
        assert child.returncode == 0 or "has changed" in err, err
    assert path.read_text().count('"Stop"') == 1
    assert installed("uninstall", "claude", "--yes").rc == 0
    assert path.read_text() == text


def test_a_link_to_what_is_not_there_yet_stays_a_link(installed, tmp_path):
    real = tmp_path / "dotfiles/claude.json"
    path = installed.home / FILES["claude"]
    path.parent.mkdir()
    path.symlink_to(os.path.relpath(real, path.parent))
    assert installed("install", "claude", "--yes").rc == 0
    assert path.is_symlink() and "hooke-answer" in real.read_text()
    assert installed("uninstall", "claude", "--yes").rc == 0
    assert path.is_symlink() and not real.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes files of others")
def test_a_file_stays_its_owner_s(installed):
    path = put(installed, "claude", "{}\n")
    os.chown(path, 65534, 65534)
    for verb in ("install", "uninstall"):
        assert installed(verb, "claude", "--yes").rc == 0
        assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


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
