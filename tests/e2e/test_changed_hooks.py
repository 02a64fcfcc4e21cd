"""Found hooks of a workspace whose files have changed since they were trusted: what must not be
missing counts as failed, the rest goes, and nothing of it runs."""

import json
import shutil
import time

import pytest

BEFORE = "tool.execute.before"


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def trust(hooke):
    r = hooke("trust", "--yes")
    assert r.rc == 0, r.err


def options(hooke, text):
    (hooke.cwd / ".hooke").mkdir(exist_ok=True)
    (hooke.cwd / ".hooke/config.yaml").write_text(f"hooks: [{text}]\n")


def changed(hooke, path):
    (hooke.cwd / "ran").unlink(missing_ok=True)
    path.write_text(path.read_text() + "\n\n")
    r = hooke.emit(BEFORE, {"tool": "bash", "args": {"command": "ls"}}, "--trace", "--json")
    assert not (hooke.cwd / "ran").exists()
    assert f"'{path}' has changed since it was trusted" in r.err
    return r


def assert_failed(r, path):
    assert r.rc == 2 and r.json["verdict"]["decision"] == "block"
    assert f"'{path}' has changed since it was trusted" in r.json["verdict"]["reason"]


def ours(hooke, line, name="guard"):
    return put(hooke.cwd / ".hooke/hooks" / name,
               f"#!/bin/sh\n# hooke: {line}\ntouch {hooke.cwd}/ran\n")


def ask_once(hooke):
    """Until the answer of a file that is asked is kept."""
    kept, until = hooke.home / ".local/state/hooke/answers.json", time.monotonic() + 10
    while not kept.exists():
        assert time.monotonic() < until
        hooke("list")


def test_a_safety_critical_file_of_ours_fails(hooke):
    path = ours(hooke, "{ on: tool.execute.before, safety_critical: true }")
    trust(hooke)
    r = changed(hooke, path)
    assert_failed(r, path)
    assert [x["end"] for x in r.json["receipt"]["runs"] if x["hook"] == "hooke/guard"] == ["failed"]


def test_any_other_file_of_ours_goes(hooke):
    path = ours(hooke, "{ on: tool.execute.before }")
    trust(hooke)
    r = changed(hooke, path)
    assert r.rc == 0 and "hooke/guard" not in json.dumps(r.json)
    trust(hooke)
    hooke.emit(BEFORE, {"tool": "bash"})
    assert (hooke.cwd / "ran").exists()


def test_it_fails_only_where_it_would_have_run(hooke):
    path = ours(hooke, "{ on: tool.execute.before, tool: write, on_failure: block }")
    trust(hooke)
    assert changed(hooke, path).rc == 0
    assert hooke.emit(BEFORE, {"tool": "write"}).rc == 2


@pytest.mark.parametrize("line", ["{ safety_critical: true }",
                                  "{ on: tool.execute.before, safety_critical: true }"])
def test_a_safety_critical_script_fails_where_things_can_be_refused(hooke, line):
    path = put(hooke.cwd / ".hooke/hooks/guard.lua",
               f"-- hooke: {line}\nhooke.on('tool.execute.before', function() end)\n")
    trust(hooke)
    assert hooke.emit(BEFORE, {"tool": "bash"}).rc == 0
    assert_failed(changed(hooke, path), path)


@pytest.mark.parametrize("option, rc", [("safety_critical = true", 2), ("priority = 1", 0)])
def test_what_a_script_said_of_itself_counts(hooke, option, rc):
    text = f"hooke.on('tool.execute.before', {{ {option} }}, function() end)\n"
    found = put(hooke.cwd / ".hooke/hooks/found.lua", text)
    trust(hooke)
    assert hooke.emit(BEFORE, {"tool": "bash"}).rc == 0
    assert changed(hooke, found).rc == rc
    trust(hooke)
    named = put(hooke.cwd / ".hooke/named.lua", text)
    options(hooke, "{ name: s, script: named.lua }")
    trust(hooke)
    assert hooke.emit(BEFORE, {"tool": "bash"}).rc == 0
    assert changed(hooke, named).rc == rc


@pytest.mark.parametrize("name", [".hooke/hooks/found.lua", ".hooke/named.lua"])
def test_a_changed_script_stops_nobody_who_is_strict(hooke, name):
    hooke.config("strict: true\n")
    path = put(hooke.cwd / name, "hooke.on('tool.execute.before', function() end)\n")
    options(hooke, "{ name: s, script: named.lua }" if "named" in name else "")
    trust(hooke)
    r = changed(hooke, path)
    assert r.rc == 0, r.err


def test_a_script_that_is_named_by_a_changed_configuration_fails(hooke):
    put(hooke.cwd / ".hooke/guard.lua", "hooke.on('tool.execute.before', function() end)\n")
    options(hooke, "{ name: s, script: guard.lua, safety_critical: true }")
    trust(hooke)
    assert hooke.emit(BEFORE, {"tool": "bash"}).rc == 0
    path = hooke.cwd / ".hooke/config.yaml"
    assert_failed(changed(hooke, path), path)


def test_a_resident_that_has_changed_fails(hooke):
    path = put(hooke.cwd / ".hooke/stay.sh", f"#!/bin/sh\ntouch {hooke.cwd}/ran\n")
    options(hooke, "{ name: s, resident: [./stay.sh], safety_critical: true }")
    trust(hooke)
    assert_failed(changed(hooke, path), path)


@pytest.mark.parametrize("critical", [True, False])
def test_a_file_of_kodelet_is_known_by_its_answer(hooke, critical):
    path = put(hooke.cwd / ".kodelet/hooks/guard",
               f'#!/bin/sh\n[ "$1" = hook ] && {{ echo before_tool_call; exit; }}\n'
               f'touch {hooke.cwd}/ran\n')
    options(hooke, f"{{ name: kodelet/guard, safety_critical: {str(critical).lower()} }}")
    trust(hooke)
    ask_once(hooke)
    r = changed(hooke, path)
    if critical:
        assert_failed(r, path)
    else:
        assert r.rc == 0


def settings(root, command, matcher="Bash", name="settings.json"):
    handler = {"type": "command", "command": command}
    return put(root / ".claude" / name, json.dumps(
        {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}}))


def test_changed_settings_of_claude_leave_the_users_handlers(hooke):
    settings(hooke.home, "touch $HOME/mine")
    path = settings(hooke.cwd, f"touch {hooke.cwd}/ran")
    trust(hooke)
    assert changed(hooke, path).rc == 0
    assert (hooke.home / "mine").exists()


def test_changed_settings_of_claude_leave_those_of_another_file(hooke):
    path = settings(hooke.cwd, f"touch {hooke.cwd}/ran")
    settings(hooke.cwd, "echo local >&2; exit 2", name="settings.local.json")
    trust(hooke)
    r = changed(hooke, path)
    assert r.rc == 2 and r.json["verdict"]["reason"] == "local"


def test_changed_settings_of_claude_fail_where_the_hook_is_safety_critical(hooke):
    hooke.config("hooks: [{ name: claude/PreToolUse, safety_critical: true }]\n")
    settings(hooke.home, "touch $HOME/mine")
    path = settings(hooke.cwd, f"touch {hooke.cwd}/ran", matcher="Bash|Write")
    trust(hooke)
    assert_failed(changed(hooke, path), path)
    assert (hooke.home / "mine").exists()
    assert hooke.emit(BEFORE, {"tool": "read"}).rc == 0


# Files that are no longer there


def vanished(hooke):
    r = hooke.emit(BEFORE, {"tool": "bash", "args": {"command": "ls"}}, "--trace", "--json")
    assert not (hooke.cwd / "ran").exists()
    return r


@pytest.mark.parametrize("how", ["file", "folder", "all"])
def test_a_safety_critical_file_that_vanished_fails(hooke, how):
    path = ours(hooke, "{ on: tool.execute.before, safety_critical: true }")
    trust(hooke)
    if how == "file":
        path.unlink()
    else:
        shutil.rmtree(path.parent if how == "folder" else path.parent.parent)
    r = vanished(hooke)
    assert r.rc == 2 and f"'{path}' has vanished since it was trusted" in r.json["verdict"]["reason"]
    assert hooke("trust", "--revoke", path).rc == 0
    r = vanished(hooke)
    assert r.rc == 0 and "vanished" not in r.err


def test_any_other_file_that_vanished_is_named(hooke):
    path = ours(hooke, "{ on: tool.execute.before }")
    trust(hooke)
    path.unlink()
    r = vanished(hooke)
    assert r.rc == 0 and f"'{path}' has vanished since it was trusted" in r.err


def test_a_file_that_was_disabled_has_not_vanished(hooke):
    path = ours(hooke, "{ on: tool.execute.before, safety_critical: true }")
    trust(hooke)
    path.rename(f"{path}.disable")
    r = vanished(hooke)
    assert r.rc == 0 and "vanished" not in r.err


def test_a_configuration_that_vanished_leaves_its_safety_critical_rules(hooke):
    options(hooke, "{ name: keep-out, on: PreToolUse, block: no, safety_critical: true }")
    trust(hooke)
    path = hooke.cwd / ".hooke/config.yaml"
    path.unlink()
    for _ in range(2):  # the second time from the compiled configuration
        r = vanished(hooke)
        assert r.rc == 2
        assert f"'{path}' has vanished since it was trusted" in r.json["verdict"]["reason"]
    assert f"'{path}' has vanished" in hooke("config", "check").out
    assert hooke("trust", "--revoke", path).rc == 0
    assert vanished(hooke).rc == 0


def test_a_configuration_under_another_name_is_no_way_round(hooke):
    options(hooke, "{ name: keep-out, on: PreToolUse, block: no, safety_critical: true }")
    trust(hooke)
    path = hooke.cwd / ".hooke/config.yaml"
    path.rename(hooke.cwd / ".hooke/config.json")
    assert vanished(hooke).rc == 2


@pytest.mark.parametrize("text", [None, "{}"])
def test_settings_of_claude_without_their_hooks_fail_where_they_must_not_be_missing(hooke, text):
    path = hooke.cwd / ".claude/settings.json"
    handler = {"type": "command", "command": f"touch {hooke.cwd}/ran", "onFailure": "block"}
    put(path, json.dumps({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}))
    trust(hooke)
    path.unlink()
    if text:
        path.write_text(text)
    r = vanished(hooke)
    assert r.rc == 2 and str(path) in r.json["verdict"]["reason"]
