"""Who ends hooke ends what its hooks run."""

import os
import signal
import subprocess
import time

import pytest

SLOW = """
hooks:
  - name: slow
    on: Stop
    group:
      - { exec: 'echo $$ >>PIDS; sleep 600 & echo $! >>PIDS; wait' }
      - { exec: 'echo $$ >>PIDS; exec sleep 600', async: true }
"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition, what):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def pids(path, count):
    wait_for(lambda: path.exists() and len(path.read_text().split()) == count, "all are started")
    return [int(word) for word in path.read_text().split()]


def start(hooke, *words):
    return subprocess.Popen([hooke.program, *words], cwd=hooke.cwd, env=hooke.env, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_processes_of_hooks_and_then_hooke(hooke, tmp_path, sig):
    hooke.config(SLOW.replace("PIDS", str(tmp_path / "pids")))
    emit = start(hooke, "emit", "Stop")
    running = pids(tmp_path / "pids", 3)
    emit.send_signal(sig)
    out, _ = emit.communicate(timeout=20)
    assert emit.returncode == -sig and "the event was aborted" in out
    wait_for(lambda: not any(map(is_running, running)), "all are gone")


def test_a_signal_ends_what_is_tried_and_removes_its_store(hooke, tmp_path):
    hooke.config(f"hooks: [{{ name: slow, on: Stop, exec: 'echo $$ >{tmp_path}/pids; sleep 600' }}]")
    trial = start(hooke, "test", "slow")
    running = pids(tmp_path / "pids", 1)
    trial.send_signal(signal.SIGTERM)
    trial.communicate(timeout=20)
    assert trial.returncode == -signal.SIGTERM
    wait_for(lambda: not is_running(running[0]), "it is gone")
    assert not os.listdir(hooke.env["TMPDIR"])


def test_a_second_signal_does_not_wait(hooke, tmp_path):
    hooke.config(f"hooks: [{{ name: r, on: Stop, resident: 'echo $$ >{tmp_path}/pids; exec cat >/dev/null' }}]")
    emit = start(hooke, "emit", "Stop")
    pids(tmp_path / "pids", 1)
    emit.send_signal(signal.SIGTERM)
    emit.send_signal(signal.SIGINT)
    emit.communicate(timeout=3)
    assert emit.returncode in (-signal.SIGTERM, -signal.SIGINT)


def test_a_signal_that_is_ignored_stays_so(hooke, tmp_path):
    hooke.config(f"hooks: [{{ name: s, on: Stop, exec: 'echo $$ >{tmp_path}/pids; read x <{tmp_path}/go; echo' }}]")
    os.mkfifo(tmp_path / "go")
    emit = subprocess.Popen([hooke.program, "emit", "Stop"], cwd=hooke.cwd, env=hooke.env, text=True,
                            stdout=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    pids(tmp_path / "pids", 1)
    emit.send_signal(signal.SIGHUP)
    (tmp_path / "go").write_text("x\n")
    assert emit.communicate(timeout=20)[0] == "{}\n" and emit.returncode == 0
