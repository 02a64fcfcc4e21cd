"""The sandbox around the shell commands of hooke's agent, with the real bubblewrap where it works."""

import os
import select
import shlex
import signal
import subprocess
import time

import pytest
from scripted import call, events, only, script, start


def works():
    probe = ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev",
             "--proc", "/proc", "true"]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=20)
    except OSError as e:
        return str(e)
    return "" if done.returncode == 0 else done.stderr.strip() or "it failed"


WHY_NOT = works()
real = pytest.mark.skipif(bool(WHY_NOT), reason=f"bubblewrap does not work here: {WHY_NOT}")


def fake(hooke, body):
    """A bwrap that comes before any other."""
    folder = hooke.home / "bin"
    folder.mkdir()
    (folder / "bwrap").write_text(f"#!/bin/sh\n{body}\n")
    (folder / "bwrap").chmod(0o755)
    hooke.env["PATH"] = f"{folder}:{hooke.env['PATH']}"


def run(hooke, *commands):
    """What the commands gave back, one after another."""
    script(hooke, *[call("bash", command=c) for c in commands], {"text": "Done."})
    lines = events(hooke("run", "go", "--json"))
    return [(r["ok"], r["output"]) for r in only(lines, "tool_result")], lines


@real
def test_a_command_writes_only_to_the_workspace(hooke):
    (hooke.home / ".cache").mkdir()
    (hooke.cwd / ".git/hooks").mkdir()
    outside = hooke.home / "outside"
    results, _ = run(hooke, "echo in >a.txt && cat a.txt", f"echo out >{outside}", "echo x >/etc/hooke-x",
                     "echo x >.git/hooks/pre-commit", "echo x >~/.cache/y && echo kept",
                     "touch /tmp/hooke-sandbox-x && ls /tmp")
    assert [ok for ok, _ in results] == [True, False, False, False, True, True]
    assert results[0][1] == "in\n" and (hooke.cwd / "a.txt").read_text() == "in\n"
    assert not outside.exists() and not os.path.exists("/etc/hooke-x")
    assert not os.path.exists("/tmp/hooke-sandbox-x") and (hooke.home / ".cache/y").exists()


@real
def test_a_command_sees_no_secrets_and_no_other_processes(hooke):
    (hooke.home / ".ssh").mkdir()
    (hooke.home / ".ssh/id").write_text("hidden")
    (hooke.home / ".netrc").write_text("hidden")
    (hooke.home / "notes").write_text("visible")
    hooke.config("hooks: []\n")
    results, _ = run(hooke, "cat ~/.ssh/id", "cat ~/.netrc ~/.config/hooke/config.yaml", "cat ~/notes",
                     f"kill -0 {os.getpid()}")
    assert [ok for ok, _ in results] == [False, False, True, False]
    assert "hidden" not in str(results) and results[2][1] == "visible"


@real
def test_nobody_gets_out_by_mounting(hooke):
    results, _ = run(hooke, "mount -o remount,rw / && touch /hooke-x", "unshare -Urm mount -o remount,rw,bind /")
    assert [ok for ok, _ in results] == [False, False] and not os.path.exists("/hooke-x")


@real
def test_the_network_can_be_switched_off(hooke):
    hooke.config("hooks: [{ name: sandbox, network: false }]\n")
    results, _ = run(hooke, "tail -n +3 /proc/net/dev | wc -l")
    assert results == [(True, "1\n")]  # loopback


@real
def test_an_interrupt_ends_what_runs_inside(hooke):
    ready = hooke.home / "ready"
    os.mkfifo(ready)
    mark = f"600.{os.getpid()}{time.monotonic_ns()}"
    script(hooke, call("bash", command=f"sleep {mark} & echo x >{ready}; wait"), {"text": "After."})
    fd = os.open(ready, os.O_RDWR)
    child = start(hooke, "run", "go", "--json")
    assert select.select([fd], [], [], 30)[0] and os.read(fd, 2) == b"x\n"
    os.close(fd)
    assert becomes(lambda: running(mark))
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    assert becomes(lambda: not running(mark))


def becomes(holds):
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        os.sched_yield()
    return holds()


def running(mark):
    """Whether a process has the word on its command line."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as words:
                if words.read() == f"sleep\0{mark}\0".encode():
                    return True
        except OSError:
            pass
    return False


@real
def test_a_worktree_can_commit(hooke):
    repo, tree = hooke.home / "repo", hooke.cwd
    (tree / ".git").rmdir()
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x.test"]
    subprocess.run([*git, "init", "-q", repo], check=True)
    subprocess.run([*git, "-C", repo, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    subprocess.run([*git, "-C", repo, "worktree", "add", "-q", "-f", tree / "w"], check=True)
    hooke.cwd = tree / "w"
    results, _ = run(hooke, shlex.join([*git, "commit", "--allow-empty", "-m", "two"]),
                     f"echo x >{repo}/.git/hooks/pre-commit")
    assert [ok for ok, _ in results] == [True, False], results


@real
def test_elsewhere_the_rewritten_command_is_in_the_sandbox(hooke):
    hooke.config("hooks: [{ name: sandbox, elsewhere: true }]\n")
    outside = hooke.home / "outside"
    r = hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": f"HOST: ; echo 'x y' >{outside}; echo ok"}})
    command = r.json["replace"]["args"]["command"]
    done = subprocess.run(["/bin/bash", "-c", command], cwd=hooke.cwd, env=hooke.env, text=True,
                          capture_output=True)
    assert done.stdout == "ok\n" and not outside.exists()


def test_where_it_does_not_work_commands_run_and_that_is_said_once(hooke):
    fake(hooke, "echo 'bwrap: no permission' >&2; exit 1")
    results, lines = run(hooke, "echo a", "echo b")
    assert results == [(True, "a\n"), (True, "b\n")]
    said, = only(lines, "say")
    assert "run without a sandbox: bwrap: no permission" in said["text"]


def test_a_sandbox_that_stops_working_blocks_the_command(hooke):
    count = hooke.home / "count"
    fake(hooke, f"[ -e {count} ] && {{ echo 'bwrap: gone' >&2; exit 1; }}; touch {count}")
    results, _ = run(hooke, f"touch {hooke.cwd}/ran")
    assert not results[0][0] and "bwrap: gone" in results[0][1]
    assert not (hooke.cwd / "ran").exists()


def test_the_command_is_run_by_the_sandbox(hooke):
    fake(hooke, 'while [ "$1" != -- ]; do shift; done; shift; IN_THE_BOX=yes exec "$@"')
    results, lines = run(hooke, "echo $IN_THE_BOX")
    assert results == [(True, "yes\n")]
    assert not only(lines, "hook") and not only(lines, "say")  # nothing to tell the person


def test_what_is_named_must_work(hooke):
    hooke.config("hooks: [{ name: sandbox, program: bwrap }]\n")
    fake(hooke, "exit 1")
    results, _ = run(hooke, "echo a")
    assert not results[0][0] and "does not work here" in results[0][1]
