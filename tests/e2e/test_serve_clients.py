"""hooke serve: what belongs to one client stays with it, and everything is as without the daemon."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from daemon import GUARD, WAIT, Daemon, answer, client, pre_tool_use, wait_for

KEY = "k3y" + "7" * 30  # no shape that is known: only the variable tells


@pytest.fixture
def daemon(hooke):
    hooke.config(GUARD)
    running = Daemon(hooke, DAEMONS_API_KEY=KEY[::-1])
    yield running
    running.end()


def test_secrets_are_those_of_the_client(daemon, hooke):
    def ask(text, **env):
        done = answer(hooke, "claude", event=pre_tool_use(hooke, f"echo {text}"), **env)
        return "deny" in done.stdout

    assert ask(KEY, MY_API_KEY=KEY)
    assert not ask(KEY)
    assert not ask(KEY[::-1])  # nobody but the daemon knows it
    assert hooke("serve", "--status", "--json").json["served"] == 3


def test_a_sandbox_is_made_as_the_client_would(daemon, hooke, tmp_path):
    hooke.config("hooks: [{ name: sandbox, elsewhere: true, program: bwrap }]")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "bwrap").write_text("#!/bin/sh\nexit 0\n")
    (mine / "bwrap").chmod(0o755)
    call = {"tool": "bash", "args": {"command": "ls"}}
    env = {**hooke.env, "PATH": f"{mine}:/usr/bin:/bin", "TMPDIR": "/var/lib"}
    host = daemon.host(cwd=str(hooke.cwd), env=env, dialect="opencode")
    got = host.emit("tool.execute.before", call)["verdict"]
    words = got["replace"]["args"]["command"].replace("'", "").split()
    assert words[0] == str(mine / "bwrap")
    assert "/var/lib" in words


def test_what_runs_later_has_the_umask_of_its_client(hooke):
    told, go = hooke.home / "told", hooke.home / "go"
    os.mkfifo(go)
    hooke.config("hooks:\n  - name: late\n    on: PreToolUse\n    group:\n"
                 f"      - {{ exec: 'read x <{go}', async: true }}\n"
                 f"      - {{ exec: 'umask >>{told}', async: true }}\n")
    os.umask(0o022)
    daemon = Daemon(hooke)
    subprocess.run(["sh", "-c", f"umask 027; exec {client()} claude"], cwd=hooke.cwd, text=True,
                   input=json.dumps(pre_tool_use(hooke, "ls")), env=hooke.env, check=True)
    wait_for(lambda: told.exists() and told.read_text())
    answer(hooke, "claude", event=pre_tool_use(hooke, "ls"))
    wait_for(lambda: told.read_text().count("\n") == 2)
    assert told.read_text().split() == ["0027", "0022"]
    for _ in range(2):
        go.write_text("go\n")
    daemon.end()


def test_a_prewarmed_process_has_the_umask_of_its_client(hooke):
    told = hooke.home / "told"
    hooke.config("hooks: [{ name: warm, on: PreToolUse, prewarm: true, "
                 "exec: 'cat >/dev/null; umask >>$HOME/told' }]")
    daemon = Daemon(hooke)
    masks = ["0027", "0027", "0027", "0077", "0077", "0022"]
    for n, mask in enumerate(masks):
        subprocess.run(["sh", "-c", f"umask {mask}; exec {client()} claude"], cwd=hooke.cwd,
                       input=json.dumps(pre_tool_use(hooke, f"ls {n}")), env=hooke.env,
                       check=True, text=True)
    assert told.read_text().split() == masks
    daemon.end()
