"""hooke serve: when something runs out, nobody is let through and nobody waits for ever."""

import collections
import json
import os
import socket
import subprocess
import threading
import time

import pytest

from daemon import GUARD, WAIT, Daemon, answer, client, pre_tool_use, wait_for


def limited(hooke, files):
    """A daemon that may have so many descriptors."""
    script = hooke.home / "limited"
    script.write_text(f"#!/bin/sh\nulimit -n {files}\nexec {hooke.program} \"$@\"\n")
    script.chmod(0o755)
    program, hooke.program = hooke.program, str(script)
    daemon = Daemon(hooke)
    hooke.program = program
    return daemon


@pytest.mark.parametrize("files", [32, 128])
def test_with_few_descriptors_every_guard_is_asked(hooke, files):
    hooke.config(GUARD + "  - name: looks\n    on: tool.execute.before\n"
                 "    exec: 'cat >/dev/null; sleep 0.1'\n    safety_critical: true\n")
    daemon = limited(hooke, files)
    said = collections.Counter()

    def one(n):
        done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm" if n % 2 else "ls", f"s{n}"))
        said[n % 2, done.returncode, done.stdout] += 1

    threads = [threading.Thread(target=one, args=(n,)) for n in range(150)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(said) == 2, said
    assert said[0, 0, "{}\n"] == 75
    assert all("not for agents" in out for n, _, out in said if n)
    assert hooke("serve", "--status", "--json").json["connections"] == 0
    daemon.end()


# Who does not read


def long_answer(hooke):
    hooke.config("hooks:\n  - name: long\n    on: PreToolUse\n    when: true\n    block: '"
                 + "x" * 300000 + "'\n")


def test_a_client_that_goes_before_it_has_read_its_answer_leaves_nothing_behind(hooke):
    long_answer(hooke)
    daemon = Daemon(hooke)
    read, write = os.pipe()
    child = subprocess.Popen([client(), "claude"], stdin=subprocess.PIPE, stdout=write,
                             cwd=hooke.cwd, env=hooke.env)
    child.stdin.write(json.dumps(pre_tool_use(hooke, "ls")).encode())
    child.stdin.close()
    os.read(read, 1)
    child.kill()
    child.wait()
    wait_for(lambda: hooke("serve", "--status", "--json").json["connections"] == 0)
    daemon.end()
    os.close(read)
    os.close(write)


def test_an_answer_gets_whole_through_a_pipe_that_does_not_wait(hooke):
    long_answer(hooke)
    daemon = Daemon(hooke)
    read, write = os.pipe()
    os.set_blocking(write, False)
    child = subprocess.Popen([client(), "claude"], stdin=subprocess.PIPE, stdout=write,
                             cwd=hooke.cwd, env=hooke.env)
    os.close(write)
    child.stdin.write(json.dumps(pre_tool_use(hooke, "ls")).encode())
    child.stdin.close()
    wait_for(lambda: hooke("serve", "--status", "--json").json["served"] == 1)
    with os.fdopen(read, "rb") as out:
        assert len(json.loads(out.read())["hookSpecificOutput"]["permissionDecisionReason"]) > 200000
    assert child.wait(WAIT) == 0
    daemon.end()


# Who does not say what it wants


def test_a_message_has_to_come_in_time(hooke):
    daemon = Daemon(hooke)
    slow = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for s, begin in zip(slow, (b"", b"h", b"{")):
        s.connect(str(daemon.path))
        s.sendall(begin)
    until = time.monotonic() + WAIT
    gone = set()
    while len(gone) < len(slow) and time.monotonic() < until:  # a byte now and then keeps none
        time.sleep(0.5)
        for s, more in zip(slow, (b"", b"o", b" ")):
            try:
                s.sendall(more)
                s.settimeout(0.01)
                if s.recv(1) in (b"", b"n"):
                    gone.add(s)
            except TimeoutError:
                pass
            except OSError:
                gone.add(s)
    assert len(gone) == len(slow)
    assert daemon.host(cwd="/").call("ping")["result"] == {}
    daemon.end()
