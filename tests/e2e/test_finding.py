"""Hooks that people already have: put where their system keeps them, found, and at work."""

import json
import os
import shutil
import stat
import subprocess
import time

import fences
import pytest

SCRIPTS = fences.SOURCE / "tests/e2e/kodelet"

needs_tools = pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq", "bc"))),
                                 reason="bash, jq or bc is not installed")


def program(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def kodelet(root, name, event, run="", extra=""):
    return program(root / ".kodelet/hooks", name,
                   f'#!/bin/sh\n{extra}\n[ "$1" = hook ] && {{ echo {event}; exit; }}\n{run}\n')


def names(hooke):
    return [row["name"] for row in hooke("list", "--all", "--json").json if "/" in row["name"]]


def settle(path):
    """An answer is kept only of a file that has not changed just now."""
    until = time.monotonic() + 5
    while time.time() - path.stat().st_ctime < 0.11:
        assert time.monotonic() < until
        time.sleep(0.005)


def runs(r):
    return {x["hook"]: x for x in r.json["receipt"]["runs"]}


# Kodelet ------------------------------------------------------------------------------------------

@needs_tools
def test_scripts_of_kodelet_work_where_kodelet_keeps_them(hooke):
    folder = hooke.home / ".kodelet/hooks"
    shutil.copytree(SCRIPTS, folder)
    assert names(hooke) == ["kodelet/compact-when-full", "kodelet/keep-the-request",
                            "kodelet/lint-after-edits"]
    assert hooke("config", "check").rc == 0
    call = {"type": "tool_call", "tool": "edit", "args": {"path": "a.c"}}
    r = hooke.emit("agent.stop", {"messages": [{"role": "assistant", "content": [call]}]})
    assert r.json == {"result": "continue",
                      "follow_up_messages": ["Run the linter before you stop."]}
    full = {"usage": {"current_context_window": 900, "max_context_window": 1000},
            "messages": [{"role": "user", "content": "hi"}]}
    (folder / "keep-the-request").rename(folder / "keep-the-request.disable")
    assert hooke.emit("turn.after", full).json == {"result": "callback", "callback": "compact"}
    (folder / "keep-the-request.disable").rename(folder / "keep-the-request")
    (folder / "compact-when-full").chmod(0o644)
    assert hooke.emit("turn.after", full).json == {
        "result": "mutate", "messages": [{"role": "user", "content": "The request was: hi"}]}


def test_options_cadence_and_switch_go_by_the_found_name(hooke):
    kodelet(hooke.home, "slow", "before_tool_call", 'echo \'{"blocked":true,"reason":"no"}\'')
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 2
    hooke.config("hooks: [{ name: kodelet/slow, tool: read, timeout: 2s }]\n")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 0
    assert hooke.emit("PreToolUse", {"tool": "read"}).rc == 2
    shown = hooke("show", "kodelet/slow", "--json").json
    assert shown["origin"] == str(hooke.home / ".kodelet/hooks/slow")
    hooke.config("disabled_hooks: [kodelet/slow, kodelet/slwo]\n")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 0 and "unknown hook 'kodelet/slwo', did you mean 'kodelet/slow'?" in r.err
    assert "disabled_hooks" in hooke("plan", "PreToolUse").out


def test_a_hanging_question_is_bounded_and_asked_once(hooke):
    path = kodelet(hooke.home, "hangs", "x", extra="echo asked >>\"$0.log\"; exec sleep 600")
    kodelet(hooke.home, "works", "before_tool_call", 'echo \'{"blocked":true,"reason":"no"}\'')
    settle(path)
    begin = time.monotonic()
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 2 and time.monotonic() - begin < 10
    assert f"{path}: it is not used: asked with 'hook' it timed out after 2 s" in r.err
    begin = time.monotonic()
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert "timed out" in r.err and time.monotonic() - begin < 2
    assert (path.parent / "hangs.log").read_text() == "asked\n"


def test_many_processes_at_once_agree(hooke):
    paths = [kodelet(hooke.home, f"h{i}", "after_turn", extra='echo x >>"$0.log"')
             for i in range(20)]
    settle(paths[-1])
    env = {**hooke.env, "HOOKE": hooke.program}
    started = [subprocess.Popen([hooke.program, "list", "--names"], cwd=hooke.cwd, env=env,
                                stdout=subprocess.PIPE, text=True) for _ in range(6)]
    said = {p.communicate(timeout=60)[0] for p in started}
    assert len(said) == 1 and said.pop().count("kodelet/h") == 20
    kept = json.loads((hooke.home / ".local/state/hooke/answers.json").read_text())
    assert len(kept["answers"]) == 20
    asked = [len(p.with_suffix(".log").read_text()) for p in paths]
    hooke("list")
    assert [len(p.with_suffix(".log").read_text()) for p in paths] == asked


def test_a_question_that_runs_hooke_does_not_ask_itself(hooke):
    path = kodelet(hooke.home, "loop", "after_turn",
                   extra=f'echo x >>"$0.log"; {hooke.program} list >/dev/null')
    settle(path)
    assert names(hooke) == ["kodelet/loop"]
    assert path.with_suffix(".log").read_text() == "x\n"


# acai ---------------------------------------------------------------------------------------------

def describe(name, *hooks, run="exit 0"):
    said = json.dumps({"name": name, "description": "d",
                       "hooks": [{"event": e, "timing": t} for e, t in hooks]})
    return f"""if [ "$HOOK_ACTION" = describe ]; then echo '{said}'; exit; fi\n{run}\n"""


def test_acai_files_are_found_by_what_they_say(hooke):
    folder = hooke.home / ".acai/hooks"
    program(folder, "guard.sh", describe("wall", ("tool-call-start", "before"),
                                         ("agent-stop", "after")))
    program(folder, "watch", "#!/bin/sh\n" + describe("watch", ("step-stop", "after")))
    assert names(hooke) == ["acai/wall", "acai/wall/after", "acai/watch"]
    rows = {row["name"]: row for row in hooke("list", "--all", "--json").json}
    assert rows["acai/wall"]["layer"] == "transform"
    assert rows["acai/wall/after"]["layer"] == "observe"


def test_an_acai_hook_stops_the_run(hooke):
    program(hooke.home / ".acai/hooks", "guard.sh",
            describe("wall", ("tool-call-start", "before"),
                     run='echo \'{"action":"block","reason":"not here"}\''))
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json.get("stop") == "not here"


def test_s4_x1_a_script_that_is_missing_when_it_is_its_turn(hooke):
    gone = kodelet(hooke.home, "b", "before_tool_call")
    kodelet(hooke.home, "a", "before_tool_call", f"rm -f {gone}")
    kodelet(hooke.home, "c", "before_tool_call", 'echo \'{"blocked":true,"reason":"c ran"}\'')
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json")
    assert runs(r)["kodelet/b"]["end"] == "failed"
    assert "could not be started" in runs(r)["kodelet/b"]["detail"]
    assert r.json["verdict"]["reason"] == "c ran"


def test_s4_x2_invalid_descriptions_skip_only_themselves(hooke):
    folder = hooke.home / ".acai/hooks"
    program(folder, "bad.sh", "echo '{'\n")
    program(folder, "fails.sh", "exit 1\n")
    program(folder, "hangs.sh", "exec sleep 600\n")
    program(folder, "odd.sh", describe("odd", ("no-such-event", "before")))
    program(folder, "good.sh", describe("good", ("agent-start", "before")))
    begin = time.monotonic()
    assert names(hooke) == ["acai/good"]
    assert time.monotonic() - begin < 10
    said = hooke("emit", "session.idle").err
    for name in ("bad", "fails", "hangs", "odd"):
        assert f"hooks/{name}.sh: it is not used: asked to describe itself it" in said


def test_s4_x3_a_missing_folder_is_no_error(hooke):
    r = hooke("config", "check")
    assert r.rc == 0 and names(hooke) == []


def test_s4_x5_more_than_the_maximum(hooke):
    folder = hooke.home / ".acai/hooks"
    for name in "cab":
        program(folder, f"{name}.sh", describe(name, ("agent-start", "before")))
    hooke.config("max_hooks: 2\n")
    assert names(hooke) == ["acai/a", "acai/b"]
    assert f"{folder}: it has 1 hooks more than" in hooke("emit", "session.idle").err


# Ours ---------------------------------------------------------------------------------------------

BLOCK = '{"decision":"block","reason":"no"}'
OURS = {
    "guard.sh": f"#!/bin/sh\n# hooke: {{ on: tool.execute.before, tool: bash }}\necho '{BLOCK}'\n",
    "guard.py": f"#!/usr/bin/env python3\n# hooke: {{ on: PreToolUse, tool: bash }}\n"
                f"print('{BLOCK}')\n",
    "guard.mjs": f"#!/usr/bin/env node\n// hooke: {{ on: [PreToolUse], tool: bash }}\n"
                 f"console.log('{BLOCK}');\n",
}


@pytest.mark.parametrize("name", OURS)
def test_a_file_of_ours_says_what_it_is_for(hooke, name):
    if name.endswith(".mjs") and not shutil.which("node"):
        pytest.skip("node is not installed")
    program(hooke.config_dir / "hooks", name, OURS[name])
    assert hooke("config", "check").rc == 0
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 2
    assert hooke.emit("PreToolUse", {"tool": "read"}).rc == 0


def test_a_lua_file_is_a_script(hooke):
    program(hooke.config_dir / "hooks", "rule.lua", "-- hooke: { on: PreToolUse, layer: guard }\n")
    row = next(x for x in hooke("list", "--all", "--json").json if x["name"] == "hooke/rule")
    assert row["runner"] == "script" and row["layer"] == "guard"


def test_a_line_that_is_wrong_has_its_place(hooke):
    path = program(hooke.config_dir / "hooks", "x", "#!/bin/sh\n# hooke: { on: PreTolUse }\n")
    assert f"{path}:2:16: unknown point 'PreTolUse'" in hooke("config", "check").out


# Workspaces ---------------------------------------------------------------------------------------

def test_a_workspace_is_neither_asked_nor_run_before_it_is_trusted(hooke):
    path = kodelet(hooke.cwd, "guard", "before_tool_call",
                   'echo \'{"blocked":true,"reason":"no"}\'', extra=f"touch {hooke.cwd}/ran")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 0 and f"'{path}' is not trusted and is not used: run 'hooke trust'" in r.err
    assert not (hooke.cwd / "ran").exists()
    assert hooke("trust", "--yes").out == f"trusted   {path}\n"
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 2
    (hooke.cwd / "ran").unlink()
    path.write_text(path.read_text() + "# changed\n")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 0 and "has changed since it was trusted" in r.err
    assert not (hooke.cwd / "ran").exists()


def test_a_workspace_does_not_switch_a_guard_of_the_user_off(hooke):
    kodelet(hooke.home, "guard", "before_tool_call", 'echo \'{"blocked":true,"reason":"mine"}\'')
    kodelet(hooke.cwd, "guard", "before_tool_call")
    (hooke.cwd / ".hooke").mkdir()
    (hooke.cwd / ".hooke/config.yaml").write_text(
        "hooks: [{ name: kodelet/guard, enabled: false }]\ndisabled_hooks: [kodelet/guard]\n")
    assert hooke("trust", "--yes").rc == 0
    assert names(hooke) == ["kodelet/guard/workspace", "kodelet/guard"]
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json["reason"] == "mine"
    said = hooke("config", "check").out
    assert "cannot set options of the hook 'kodelet/guard'" in said
    assert "may not disable hook 'kodelet/guard'" in said


def test_strict_is_not_a_way_to_stop_anybody(hooke):
    hooke.config("strict: true\n")
    for folder in (".hooke/hooks", ".kodelet/hooks", ".acai/hooks"):
        path = program(hooke.cwd / folder, "x", "#!/bin/sh\n")
        os.chmod(path, 0o777)
        (path.parent / "gone").symlink_to("nowhere")
        os.mkfifo(path.parent / "pipe")
    (hooke.cwd / ".claude").mkdir()
    (hooke.cwd / ".claude/settings.json").write_text('{"hooks": oops')
    r = hooke("emit", "session.idle")
    assert r.rc == 0, r.err


# Looking ------------------------------------------------------------------------------------------

def test_doctor_and_path_show_what_was_found(hooke):
    mine = kodelet(hooke.home, "a", "after_turn")
    theirs = kodelet(hooke.cwd, "b", "after_turn")
    found = next(c for c in hooke("doctor", "--json").json if c["check"] == "found hooks")
    assert found["health"] == "warn"
    assert found["text"] == "1 hooks in 2 files, 1 of them not trusted"
    rows = {row["path"]: row for row in hooke("config", "path", "--json").json}
    assert rows[str(mine)]["trusted"] and not rows[str(theirs)]["trusted"]
    assert rows[str(theirs)]["source"] == "workspace"


def test_the_cache_is_the_users_own(hooke):
    settle(kodelet(hooke.home, "a", "after_turn"))
    hooke("list")
    kept = hooke.home / ".local/state/hooke/answers.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


# Claude -------------------------------------------------------------------------------------------

def settings(root, hooks, name="settings.json"):
    path = root / ".claude" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}))
    return path


def test_settings_of_claude_are_one_entry_per_event(hooke):
    own = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 0", "timeout": 5}]}
    settings(hooke.home, {"PreToolUse": [own], "Stop": [{"hooks": [
        {"type": "command", "command": "hooke answer claude"}]}]})
    shown = hooke("config", "show", "hooks", "--json").json
    assert shown == [{"name": "claude/PreToolUse", "on": "PreToolUse", "dialect": "claude",
                      "group": [{"exec": "exit 0", "timeout": "5000ms", "match": "Bash"}]}]


@pytest.mark.parametrize("command, timeout", [("exit 1", 5), ("sleep 60", 0.2), ("/no/such", 5)])
def test_a_handler_of_claude_may_block_by_failing(hooke, command, timeout):
    handler = {"type": "command", "command": command, "timeout": timeout}
    settings(hooke.home, {"PreToolUse": [{"hooks": [handler]}]})
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 0
    settings(hooke.home, {"PreToolUse": [{"hooks": [{**handler, "onFailure": "block"}]}]})
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 2 and "hook 'claude/PreToolUse'" in r.json["reason"]
    settings(hooke.home, {"PreToolUse": [{"hooks": [{**handler, "onFailure": "explode"}]}]})
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 0 and "'onFailure' must be 'block' or 'continue', not 'explode'" in r.err


def test_a_handler_of_claude_blocks(hooke):
    settings(hooke.home, {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "echo no >&2; exit 2"}]}]})
    assert hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": "ls"}}).rc == 2
    assert hooke.emit("PreToolUse", {"tool": "read", "args": {"path": "a"}}).rc == 0
