"""hooke serve: when something runs out, nobody is let through and nobody waits for ever."""

import collections
import json
import os
import pathlib
import socket
import struct
import subprocess
import threading
import time

import pytest

from daemon import GUARD, WAIT, Daemon, Host, answer, client, pre_tool_use, wait_for


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
