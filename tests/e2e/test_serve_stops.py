"""hooke serve: what stalls, who goes away, and how the daemon ends."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest

from daemon import GUARD, WAIT, Daemon, answer, client, pre_tool_use, wait_for, waiting_hook


def lives(pid):
    return pathlib.Path(f"/proc/{pid}").exists()


def begun(file):
    return int(wait_for(lambda: file.exists() and file.read_text()))


def start_client(hooke, event, **more):
    child = subprocess.Popen([client(), "claude"], cwd=hooke.cwd, env=hooke.env,
                             stdin=subprocess.PIPE, **more)
    hooke.started.append(child)
    child.stdin.write(json.dumps(event).encode())
    child.stdin.close()
    return child


# Who goes away


def test_all_a_host_may_ask_at_once_ends_with_it(hooke):
    pids = hooke.home / "pids"
    pids.mkdir()
    hooke.config("hooks:\n  - name: waits\n    on: agent.stop\n"
                 f"    exec: 'touch {pids}/$$; exec sleep 60'\n")
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    for n in range(64):
        host.send("emit", point="agent.stop", session={"id": f"s{n}"}, data={})
    wait_for(lambda: len(list(pids.iterdir())) == 64)
    host.close()
    wait_for(lambda: not any(lives(p.name) for p in pids.iterdir()))
    daemon.end()


def test_a_host_that_has_said_all_still_gets_its_answers(hooke):
    began, go, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    sent = host.send("emit", point="tool.execute.before", session={"id": "s"},
                     data={"tool": "wait"})
    host.socket.shutdown(socket.SHUT_WR)
    begun(began)
    go.write_text("go\n")
    got = host.receive()
    assert got["id"] == sent and got["result"]["outcome"] == "none"
    assert host.receive() is None
    host.close()
    daemon.end()


# The end of the daemon


def test_hooks_of_agents_are_ended_when_their_time_is_up(hooke):
    began, _, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry.replace("tool: wait", "tool: bash"))
    daemon = Daemon(hooke)
    child = start_client(hooke, pre_tool_use(hooke, "ls"), stdout=subprocess.PIPE)
    pid = begun(began)
    daemon.process.terminate()
    assert json.loads(child.stdout.read())
    assert child.wait(WAIT) == 0
    assert not lives(pid)
    rc, err = daemon.end()
    assert rc == 0 and "given up" in err


def test_a_second_signal_ends_hooks_at_once_and_their_hosts_hear_of_it(hooke):
    began, _, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    sent = host.send("emit", point="tool.execute.before", session={"id": "s"},
                     data={"tool": "wait"})
    pid = begun(began)
    first = time.monotonic()
    for sig in (signal.SIGINT, signal.SIGTERM):
        daemon.process.send_signal(sig)
        wait_for(lambda: not daemon.path.exists())
    got = host.receive()
    assert got["id"] == sent and got["result"]["outcome"] == "stop"
    assert daemon.process.wait(WAIT) == 0
    assert "given up" in daemon.end()[1]
    assert not lives(pid)
    assert time.monotonic() - first < 8  # it need not have waited for its ten seconds


def background_hook(hooke, on="agent.stop"):
    """A hook whose handler nobody waits for: it says its pid and waits."""
    began = hooke.home / "background.pid"
    return began, (f"hooks:\n  - name: late\n    on: {on}\n    group:\n"
                   f"      - {{ exec: 'echo $$ >{began}.new; mv {began}.new {began}; "
                   "exec sleep 100', async: true, timeout: 100s }\n")


def test_what_runs_in_the_background_does_not_keep_it(hooke):
    began, config = background_hook(hooke)
    hooke.config(config)
    daemon = Daemon(hooke)
    daemon.host(cwd=str(hooke.cwd)).emit("agent.stop", {})
    pid = begun(began)
    for sig in (signal.SIGTERM, signal.SIGTERM):
        daemon.process.send_signal(sig)
        wait_for(lambda: not daemon.path.exists())
    assert daemon.process.wait(WAIT) == 0
    assert not lives(pid)


def test_a_workspace_that_is_put_away_holds_up_no_other(hooke, tmp_path):
    began, config = background_hook(hooke)
    hooke.config(config)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    host.emit("agent.stop", {})
    pid = begun(began)
    for n in range(40):  # 32 are kept
        folder = tmp_path / f"w{n}"
        (folder / ".git").mkdir(parents=True)
        host.emit("agent.start", {}, cwd=str(folder))
    assert lives(pid)
    daemon.process.terminate()
    wait_for(lambda: not daemon.path.exists())
    daemon.process.terminate()
    assert daemon.process.wait(WAIT) == 0
    assert not lives(pid)


# Other ways to start and to end


def test_is_started_by_the_first_connection(hooke, tmp_path):
    if not shutil.which("systemd-socket-activate"):
        pytest.skip("systemd-socket-activate is not installed")
    hooke.config(GUARD)
    path = tmp_path / "run"
    manager = subprocess.Popen(["systemd-socket-activate", "-l", path, "-E", "HOME", "-E", "PATH",
                                hooke.program, "serve", "--idle", "200ms"],
                               env=hooke.env, cwd="/", stderr=subprocess.PIPE, text=True)
    hooke.started.append(manager)
    wait_for(path.exists)
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"), HOOKE_SOCKET=str(path))
    assert "not for agents" in done.stdout
    assert hooke("serve", "--status", "--json", "--socket", path).json["served"] == 1
    assert manager.wait(WAIT) == 0  # it has become the daemon, which nobody used for a while
    assert path.exists()
    manager.stderr.close()


def test_of_many_that_start_at_once_one_serves(hooke):
    started = [subprocess.Popen([hooke.program, "serve"], env=hooke.env, cwd="/", text=True,
                                stderr=subprocess.PIPE) for _ in range(8)]
    hooke.started.extend(started)
    said = [p.stderr.readline() for p in started]
    assert sorted("serving on" in s for s in said) == [False] * 7 + [True]
    assert all("already" in s for s in said if "serving on" not in s)
    serving = started[["serving on" in s for s in said].index(True)]
    assert hooke("serve", "--status", "--json").json["pid"] == serving.pid
    for p in started:
        p.terminate()
        p.communicate(timeout=WAIT)


def test_a_daemon_that_is_killed_ran_each_hook_once(hooke):
    began, go, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry.replace("tool: wait", "tool: bash"))
    daemon = Daemon(hooke)
    child = start_client(hooke, pre_tool_use(hooke, "ls"), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    begun(began)
    began.unlink()
    daemon.end("kill")
    out, err = child.stdout.read(), child.stderr.read()
    assert (child.wait(WAIT), out) == (2, b""), "command-guard may not have seen it"
    assert b"the daemon ended" in err and err.count(b"\n") == 1
    assert not began.exists()
    go.write_text("go\n")  # the hook that was left alone
