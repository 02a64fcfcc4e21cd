"""A workspace, or whoever can write to it, against trust: nothing but pinned bytes runs, and nothing
of the user's is switched off, replaced or slowed."""

import json
import os
import shutil
import subprocess
import threading
import time

import pytest
from test_trust import PROGRAM, answer, blake, say, script, workspace

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def trusted(hooke, text=None, config=PROGRAM):
    """A workspace with one trusted program."""
    workspace(hooke, config)
    run = script(hooke, text or say("good"))
    assert hooke("trust", "--yes").rc == 0
    return run


def emit(hooke, **env):
    return hooke("emit", "tool.execute.before", **env)


# Other bytes --------------------------------------------------------------------------------------

def test_a_script_swapped_after_trusting_does_not_run_and_neither_does_its_copy(hooke):
    run = trusted(hooke)
    run.write_text("#!/bin/sh\n" + say("evil"))
    done = emit(hooke)
    assert done.json == {} and "has changed since it was trusted" in done.err
    script(hooke, say("good"))
    assert emit(hooke).json == {"say": "good"}


@pytest.mark.parametrize("own", ["", ", env: { A: b }"])
def test_variables_of_a_hook_count_for_each_of_its_handlers(hooke, own):
    workspace(hooke, "hooks: [{ name: g, on: tool.execute.before, env: { BASH_ENV: .hooke/env.sh },"
                     " group: [{ exec: [bash, -c, 'true']" + own + " }] }]\n")
    workspace(hooke, "touch evil\n", ".hooke/env.sh")
    done = hooke("trust", "--yes")
    assert done.rc == 1 and "held      hook 'g'" in done.out
    assert emit(hooke).json == {}
    assert not (hooke.cwd / "evil").exists()


def test_a_script_that_rewrites_itself_runs_once_as_it_was(hooke):
    run = trusted(hooke, 'printf "#!/bin/sh\\ntouch evil\\n" >"$HOOKE_FILE"\n' + say("good"))
    assert emit(hooke).json == {"say": "good"}
    assert "touch evil" in run.read_text()
    assert emit(hooke).json == {}
    assert not (hooke.cwd / "evil").exists()


def test_a_race_between_check_and_run_never_gets_new_bytes_run(hooke):
    run = trusted(hooke, say("good"))
    good, evil = run.read_bytes(), b"#!/bin/sh\ntouch '%s'\n" % bytes(hooke.cwd / "evil")
    over = threading.Event()

    def swap():
        other = run.with_name("other")
        while not over.is_set():
            for text in (evil, good):
                other.write_bytes(text)
                other.chmod(0o755)
                other.rename(run)

    thread = threading.Thread(target=swap)
    thread.start()
    said, deadline = [], time.monotonic() + 20
    while (len(said) < 40 or {} not in said or {"say": "good"} not in said) \
            and time.monotonic() < deadline:
        said.append(emit(hooke).json)
    over.set()
    thread.join()
    assert not (hooke.cwd / "evil").exists()
    assert {json.dumps(s) for s in said} == {"{}", '{"say": "good"}'}


def test_a_swap_of_the_argument_of_an_interpreter_is_noticed(hooke):
    for command in ("exec: [sh, run.sh]", "exec: 'sh .hooke/run.sh'",
                    "exec: 'cd .hooke; sh ./run.sh'", "exec: 'x=.hooke/run.sh; sh $x'",
                    "exec: 'sh <.hooke/run.sh'", "exec: 'eval \"$(cat .hooke/run.sh)\"'"):
        run = trusted(hooke, config="hooks:\n  - name: prog\n    on: tool.execute.before\n"
                                    f"    {command}\n")
        assert emit(hooke).json == {"say": "good"}, command
        run.write_text(say("evil"))
        assert emit(hooke).json == {}, command


def test_a_replaced_copy_is_not_run(hooke):
    trusted(hooke)
    copy = next((hooke.home / ".local/share/hooke/trusted").glob("*/run.sh"))
    copy.chmod(0o700)
    copy.write_text("#!/bin/sh\n" + say("evil"))
    assert emit(hooke).json == {"say": "good"}
    assert "good" in copy.read_text()


def test_a_file_that_appears_later_needs_trust(hooke):
    workspace(hooke, "hooks: [{ name: prog, on: tool.execute.before, exec: 'sh later.sh' }]\n")
    assert hooke("trust", "--yes").rc == 0
    (hooke.cwd / "later.sh").write_text("touch evil\n")
    assert emit(hooke).json == {} and not (hooke.cwd / "evil").exists()


def test_a_program_put_in_front_in_path_needs_trust(hooke):
    workspace(hooke, "hooks: [{ name: prog, on: tool.execute.before, exec: [cat, /dev/null] }]\n")
    assert hooke("trust", "--yes").rc == 0
    script(hooke, "touch evil\n", "cat")
    done = emit(hooke, PATH=f"{hooke.cwd}:{os.environ['PATH']}")
    assert "is not trusted" in done.err and not (hooke.cwd / "evil").exists()


def test_a_folder_or_a_pipe_in_the_place_of_a_trusted_file_is_not_used(hooke):
    for command in ("exec: [python3, run.sh]", "exec: 'python3 .hooke/run.sh'",
                    "exec: 'python3 .hooke/run.sh', unpinned: []"):
        path = hooke.cwd / ".hooke/run.sh"
        workspace(hooke, "hooks: [{ name: prog, on: tool.execute.before, %s }]\n" % command)
        workspace(hooke, "", ".hooke/run.sh")
        assert hooke("trust", "--yes").rc == 0
        path.unlink()
        path.mkdir()
        (path / "__main__.py").write_text("open('evil', 'w')\n")
        done = emit(hooke)
        assert "it is a folder" in done.err, done.err
        shutil.rmtree(path)
        assert "No such file" in emit(hooke).err
        os.mkfifo(path)
        assert "no regular file" in emit(hooke).err
        path.unlink()
    assert not (hooke.cwd / "evil").exists()


def test_a_pipe_that_was_never_trusted_is_not_read(hooke):
    workspace(hooke, "hooks: [{ name: prog, on: tool.execute.before, exec: 'sh pipe' }]\n")
    hooke("trust", "--yes")
    os.mkfifo(hooke.cwd / "pipe")
    assert "no regular file" in emit(hooke).err


def test_the_first_line_of_a_script_names_nothing_of_the_workspace(hooke):
    tool = script(hooke, "touch evil\n", ".hooke/tool")
    run = hooke.cwd / ".hooke/run.sh"
    workspace(hooke, PROGRAM)
    for line in (f"#!{tool}", f"#! {tool} -x", "#!.hooke/tool", f"#!/usr/bin/env {tool}",
                 f"#!/usr/bin/env -S sh {tool}", "#!/usr/bin/env tool", f"#!\t{tool}"):
        run.write_text(line + "\n")
        run.chmod(0o755)
        hooke("trust", "--yes")
        done = emit(hooke, PATH=f"{tool.parent}:{os.environ['PATH']}")
        assert "its first line" in done.err, line
    assert not (hooke.cwd / "evil").exists()


def test_a_program_cannot_be_declared_unpinned(hooke):
    config = workspace(hooke, "hooks: [{ name: prog, on: tool.execute.before, "
                              "exec: '.hooke/run.sh', unpinned: ['.hooke/run.sh'] }]\n")
    script(hooke, "touch evil\n")
    hooke("trust", "--yes", config)
    assert "is not trusted" in emit(hooke).err and not (hooke.cwd / "evil").exists()


def test_a_changed_configuration_does_not_lose_its_safety_critical_hooks(hooke):
    config = workspace(hooke, "strict: true\nhooks:\n"
                              "  - { name: wall, on: PreToolUse, block: no, tool: bash,"
                              " safety_critical: true }\n"
                              "  - { name: other, on: PreToolUse, say: hello }\n")
    hooke("trust", "--yes")
    assert hooke.emit("PreToolUse", {"tool": "ls"}).json == {"say": "hello"}
    config.write_text("hooks: []\n")
    for _ in range(2):
        done = hooke.emit("PreToolUse", {"tool": "bash"})
        assert done.rc == 2
        assert done.json == {"decision": "block", "reason":
                             f"hook 'wall' failed: '{config}' has changed since it was trusted: "
                             "run 'hooke trust'"}
        assert hooke.emit("PreToolUse", {"tool": "ls"}).json == {}
    hooke("trust", "--yes")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {}


# Links and outside --------------------------------------------------------------------------------

def test_a_link_to_outside_is_pinned_by_the_bytes_behind_it(hooke, tmp_path):
    outside, evil = tmp_path / "outside.sh", tmp_path / "evil.sh"
    outside.write_text("#!/bin/sh\n" + say("good"))
    evil.write_text("#!/bin/sh\ntouch evil\n")
    outside.chmod(0o755), evil.chmod(0o755)
    workspace(hooke, PROGRAM)
    link = hooke.cwd / ".hooke/run.sh"
    link.symlink_to(outside)
    assert emit(hooke).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert emit(hooke).json == {"say": "good"}
    link.unlink()
    link.symlink_to(evil)
    assert emit(hooke).json == {}
    link.unlink()
    link.symlink_to("/bin/true")
    assert emit(hooke).json == {} and "has changed" in emit(hooke).err
    link.unlink()
    link.symlink_to(outside)
    assert emit(hooke).json == {"say": "good"}
    outside.write_text("#!/bin/sh\ntouch evil\n")
    assert emit(hooke).json == {}
    assert not (hooke.cwd / "evil").exists()


def test_a_link_turned_to_another_trusted_file_is_a_change(hooke):
    run = trusted(hooke)
    other = script(hooke, say("other"), ".hooke/other.sh")
    pins = hooke.config_dir / "trusted"
    pins.write_text(pins.read_text() + f"{blake(other)}  {other}\n")
    run.unlink()
    run.symlink_to("other.sh")
    assert emit(hooke).json == {}


def test_a_configuration_that_points_outside_needs_a_pin_for_it(hooke, tmp_path):
    evil = tmp_path / "other-repo/evil.sh"
    evil.parent.mkdir()
    evil.write_text("#!/bin/sh\ntouch evil\n")
    evil.chmod(0o755)
    for word in (str(evil), "../../other-repo/evil.sh"):
        config = workspace(hooke, PROGRAM.replace("./run.sh", word))
        hooke("trust", "--yes", config)
        done = emit(hooke)
        assert f"'{evil}' is not trusted" in done.err
    assert f"new       {evil}" in hooke("trust").lines
    assert not (hooke.cwd / "evil").exists()


def test_a_moved_repository_is_not_trusted_any_more(hooke, tmp_path):
    trusted(hooke)
    moved = tmp_path / "moved"
    shutil.move(hooke.cwd, moved)
    hooke.cwd = moved
    assert emit(hooke).json == {}
    assert "is not trusted" in emit(hooke).err


# Owners -------------------------------------------------------------------------------------------

def test_what_everybody_can_write_does_not_run(hooke):
    run = trusted(hooke)
    for path in (run, run.parent):
        path.chmod(0o777)
        done = emit(hooke)
        assert done.json == {} and "can be written by everybody" in done.err
        path.chmod(0o755)
    assert emit(hooke).json == {"say": "good"}


@root_only
def test_what_belongs_to_another_does_not_run(hooke):
    run = trusted(hooke)
    os.chown(run, 65534, 65534)
    done = emit(hooke)
    assert done.json == {} and "belongs to another user" in done.err


def test_a_users_program_that_everybody_can_write_does_not_run(hooke):
    hooke.config(PROGRAM)
    mine = hooke.config_dir / "run.sh"
    mine.write_text("#!/bin/sh\n" + say("good"))
    mine.chmod(0o755)
    assert emit(hooke).json == {"say": "good"}
    mine.chmod(0o777)
    assert emit(hooke).json == {}


def test_a_users_configuration_that_everybody_can_write_is_not_read_anew(hooke):
    guard = "hooks: [{ name: no, on: tool.execute.before, block: never }]\n"
    path = hooke.config(guard)
    assert emit(hooke).rc == 2
    path.write_text("hooks: []\n")
    path.chmod(0o666)
    done = emit(hooke)
    assert done.rc == 2 and "can be written by everybody" in done.err


def test_a_trust_file_that_others_can_write_pins_nothing(hooke):
    trusted(hooke)
    pins = hooke.config_dir / "trusted"
    pins.chmod(0o666)
    done = emit(hooke)
    assert done.json == {} and f"the trust file '{pins}' is not used" in done.err
    pins.chmod(0o600)
    assert emit(hooke).json == {"say": "good"}
    if os.geteuid() == 0:
        os.chown(pins, 65534, 65534)
        assert emit(hooke).json == {}


def test_a_name_with_a_line_break_pins_nothing_else(hooke, tmp_path):
    victim = tmp_path / "victim.sh"
    folder = hooke.cwd / f"x\n{'0' * 64}  {tmp_path}"
    (folder / ".hooke").mkdir(parents=True)
    (folder / ".hooke/config.yaml").write_text("")
    done = subprocess.run([hooke.program, "trust", "--yes"], cwd=folder, env=hooke.env,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "in one line" in done.stderr
    pins = hooke.config_dir / "trusted"
    assert not pins.exists() or str(victim) not in pins.read_text()


# What is seen -------------------------------------------------------------------------------------

def test_what_hides_from_the_eye_is_shown(hooke):
    workspace(hooke, "# a\x1b[2J\x1b[1;1Hb\rc \u202etxt\u202c \u200b \x7f\n")
    text, _ = answer(hooke, ["trust"], ["n"])
    assert "\x1b" not in text and "\u202e" not in text and "\u200b" not in text
    assert r"# a\x1b[2J\x1b[1;1Hb\x0dc \u{202e}txt\u{202c} \u{200b} \x7f" in text


def test_names_cannot_drive_the_terminal(hooke):
    workspace(hooke, 'hooks: [{ name: prog, on: Stop, exec: ["./a\\x1b[2J.sh"] }]\n')
    script(hooke, "", ".hooke/a\x1b[2J.sh")
    done = hooke("trust", "--yes")
    assert "\x1b" not in done.out + done.err + hooke("emit", "Stop").err


# The user's guards --------------------------------------------------------------------------------

GUARD = "hooks: [{ name: wall, on: tool.execute.before, block: never }]\n"
ATTACKS = (
    "disabled_hooks: [wall]\n",
    "hooks: [{ name: wall, on: tool.execute.before, enabled: false, allow: true }]\n",
    "hooks: [{ name: wall, on: session.idle, say: shadow }]\n",
    "hooks: [{ name: first, on: tool.execute.before, layer: guard, priority: 1000000, allow: true }]\n",
    "hook_cadence: { wall: 1000, tool.execute.before: 1000 }\n",
    "hooks: [{ name: wall, cadence: 1000 }]\n",
    "event_timeout: 1ms\nmax_hooks: 0\nlimits: { processes: 1 }\n",
    "locked: [hooks]\n",
    "hooks: [{ name: slow, on: tool.execute.before, layer: guard, priority: 1000000,"
    " timeout: 60s, exec: 'exit 0' }]\n",
)


@pytest.mark.parametrize("name", [".hooke/config.yaml", ".hooke/config.local.yaml"])
@pytest.mark.parametrize("text", ATTACKS)
def test_a_trusted_workspace_cannot_take_a_guard_away(hooke, name, text):
    hooke.config(GUARD)
    workspace(hooke, text, name)
    hooke("trust", "--yes")
    for _ in range(3):
        done = hooke("emit", "tool.execute.before", "--session", "s")
        assert done.rc == 2 and done.json["reason"] == "never", done.err


SLOW = {"on": "tool.execute.before", "layer": "guard", "priority": 1000000, "timeout": "600s",
        "exec": "exec sleep 600"}


@pytest.mark.parametrize("wall", [{"block": "never"}, {"exec": "echo never >&2; exit 2"}])
def test_a_trusted_workspace_cannot_use_up_the_time_of_a_guard(hooke, wall):
    wall = {"name": "wall", "on": "tool.execute.before", "layer": "guard", **wall}
    hooke.config(json.dumps({"event_timeout": "3s", "hooks": [wall]}))
    workspace(hooke, json.dumps({"hooks": [{"name": f"slow{i}", **SLOW} for i in range(3)]}))
    assert hooke("trust", "--yes").rc == 0
    done = emit(hooke)
    assert done.rc == 2 and done.json["reason"] == "never", done.err


def test_a_handler_of_a_trusted_workspace_cannot_either(hooke):
    def put(root, command):
        (root / ".claude").mkdir()
        (root / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "command": command}]}]}}))

    hooke.config("event_timeout: 3s\nhooks: [{ name: claude/PreToolUse, layer: guard, priority: 9 },"
                 " { name: wall, on: PreToolUse, layer: guard, exec: 'echo never >&2; exit 2' }]\n")
    put(hooke.home, "true")
    put(hooke.cwd, "exec sleep 600")
    assert hooke("trust", "--yes").rc == 0
    done = emit(hooke)
    assert done.rc == 2 and done.json["reason"] == "never", done.err


def test_files_with_variables_are_not_read(hooke):
    hooke.config(GUARD)
    for name in (".env", ".hooke/.env", ".envrc", ".hooke/env"):
        workspace(hooke, f"HOOKE_TRUST={hooke.cwd}/pins\nHOOKE_DISABLED_HOOKS=wall\n", name)
    workspace(hooke, "hooks: [{ name: evil, on: tool.execute.before, say: evil }]\n")
    config = hooke.cwd / ".hooke/config.yaml"
    (hooke.cwd / "pins").write_text(f"{blake(config)}  {config}\n")
    done = emit(hooke)
    assert done.rc == 2 and done.json == {"decision": "block", "reason": "never"}


def test_an_entry_cannot_set_variables_of_hooke(hooke):
    workspace(hooke, PROGRAM.replace("exec:", "env: { HOOKE_TRUST: /tmp/pins }, exec:"))
    script(hooke, say("good"))
    hooke("trust", "--yes")
    done = emit(hooke)
    assert done.json == {} and "may not set 'HOOKE_TRUST'" in done.err


def test_a_broken_configuration_of_the_workspace_takes_nothing_with_it(hooke):
    hooke.config(GUARD)
    workspace(hooke, "hooks: [\n")
    hooke("trust", "--yes")
    done = emit(hooke)
    assert done.rc == 2 and "the file is not used" in done.err
