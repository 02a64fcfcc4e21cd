"""hooke serve and hooke-answer: one daemon for many agents, and the same answers without it."""

import array
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import threading
import time

import pytest

from daemon import GUARD, WAIT, Daemon, Host, answer, client, pre_tool_use, wait_for, waiting_hook


# The socket


def test_the_socket_is_the_users_alone(daemon):
    assert stat.S_IMODE(daemon.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(daemon.path.parent.stat().st_mode) == 0o700


def test_is_found_by_the_runtime_folder_and_by_name(hooke, tmp_path):
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    daemon = Daemon(hooke, XDG_RUNTIME_DIR=str(run))
    assert (run / "hooke/hooke.sock").is_socket()
    assert hooke("serve", "--status", XDG_RUNTIME_DIR=str(run)).rc == 0
    daemon.end()
    named = str(tmp_path / "s")
    daemon = Daemon(hooke, HOOKE_SOCKET=named)
    assert hooke("serve", "--status", "--json", HOOKE_SOCKET=named).json["hooke"]
    assert hooke("serve", "--status", "--socket", named).rc == 0
    daemon.end()
    assert not os.path.exists(named)


def test_a_second_daemon_says_so_and_ends(daemon, hooke):
    second = hooke("serve")
    assert second.rc == 1
    assert second.err.count("\n") == 1 and "already" in second.err
    assert daemon.host(cwd="/").call("ping")["result"] == {}


def test_takes_the_place_of_a_socket_that_was_left_behind(hooke):
    first = Daemon(hooke)
    first.end("kill")
    assert first.path.is_socket()
    second = Daemon(hooke)
    assert second.host(cwd="/").call("ping")["result"] == {}
    second.end()
    assert not second.path.exists()


def test_does_not_push_aside_what_somebody_else_listens_on(hooke, tmp_path):
    path = str(tmp_path / "theirs")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen(1)
        assert "already" in hooke("serve", "--socket", path).err
        assert os.path.exists(path)


def test_names_the_daemon_whose_socket_was_removed(daemon, hooke):
    daemon.path.unlink()
    second = hooke("serve")
    assert second.rc == 1 and second.err.count("\n") == 1
    assert f"end process {daemon.process.pid}" in second.err


def test_leaves_what_is_no_socket_alone(hooke, tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    done = hooke("serve", "--socket", str(path))
    assert done.rc == 1 and "no socket" in done.err
    assert path.read_text() == "mine"


def test_refuses_a_folder_others_can_write_to(hooke, tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    done = hooke("serve", "--socket", str(folder / "s"))
    assert done.rc == 1 and "chmod 700" in done.err


def test_wrong_words_are_usage(hooke):
    assert hooke("serve", "--idle", "soon").rc == 64
    assert hooke("serve", "--status", "--stop").rc == 64
    assert hooke("serve", "--socket", "/tmp/" + "x" * 200).rc == 1
    assert "no daemon listens" in hooke("serve", "--status").err


# Hosts


def test_a_host_gets_verdict_and_receipt(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert host.greeting["result"]["version"] == 1
    got = host.emit("tool.execute.before", {"tool": "bash", "args": {"command": "rm x"}})
    assert got["verdict"] == {"decision": "block", "reason": "rm is not for agents"}
    assert got["outcome"] == "block"
    shown = hooke("trace", "show", got["receipt"], "--json")
    assert "no-rm" in shown.out


def test_a_host_is_told_where_hooks_must_not_be_passed_over(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    call = {"tool": "bash", "args": {"command": "ls"}}
    assert host.emit("tool.execute.before", call)["critical"] is True
    assert "critical" not in host.emit("agent.stop", {})
    hooke.config("disabled_hooks: [secret-guard, command-guard, sandbox]")
    assert "critical" not in host.emit("tool.execute.before", call)


def shape(value):
    """Names and kinds of what is in it."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    return type(value).__name__


def test_the_documentation_shows_what_is_said(daemon, hooke, source):
    lines = [json.loads(line) for line in (source / "docs/serve.md").read_text().splitlines()
             if line.startswith('{"jsonrpc"')]
    host = Host(daemon.path)
    for asked in [line for line in lines if "method" in line]:
        asked["params"].get("cwd") and asked["params"].update(cwd=str(hooke.cwd))
        host.socket.sendall(json.dumps(asked).encode() + b"\n")
        answered = [line for line in lines if "result" in line and line["id"] == asked["id"]]
        assert shape(host.receive()) == shape(answered[0])


def test_names_of_tools_are_the_hosts_own(daemon, hooke):
    hooke.config("""
hooks:
  - name: absolute
    on: tool.execute.before
    when: tool == "web_fetch"
    block: seen
  - name: move
    on: tool.execute.before
    tool: read
    modify: { args: { path: /else } }
""")
    host = daemon.host(cwd=str(hooke.cwd), dialect="opencode")
    got = host.emit("tool.execute.before", {"tool": "read", "args": {"filePath": "/a", "limit": 3}})
    assert got["verdict"]["replace"]["args"] == {"filePath": "/else", "limit": 3}
    got = host.emit("tool.execute.before", {"tool": "webfetch", "args": {"url": "x"}})
    assert got["verdict"]["decision"] == "block"
    plain = host.emit("tool.execute.before", {"tool": "webfetch", "args": {}}, dialect="gemini")
    assert plain["verdict"] == {}


def test_hello_comes_first_and_once(daemon):
    host = Host(daemon.path)
    assert "hello" in host.call("ping")["error"]["message"]
    assert host.call("hello", version=2)["error"]["code"] == -32602
    assert host.call("hello", version=1)["result"]["pid"] == daemon.process.pid
    assert "already" in host.call("hello", version=1)["error"]["message"]


@pytest.mark.parametrize("params, words", [
    ({"point": "tool.execute.befor", "session": {"id": "s"}}, "unknown point"),
    ({"point": "agent.stop"}, "session.id"),
    ({"point": "agent.stop", "session": {"id": "s"}, "data": 3}, "object"),
    ({"point": "agent.stop", "session": {"id": "s"}, "cwd": "here"}, "cwd"),
    ({"point": "agent.stop", "session": {"id": "s"}, "cwd": "/nowhere/at/all"}, "entering"),
    ({"point": "agent.stop", "session": {"id": "s"}, "dialect": "x", "cwd": "/"}, "dialect"),
])
def test_a_bad_event_is_an_error_and_the_connection_stays(daemon, params, words):
    host = daemon.host(env={"HOME": str(daemon.hooke.home)})
    got = host.call("emit", **params)
    assert got["error"]["code"] == -32602 and words in got["error"]["message"]
    assert host.call("ping")["result"] == {}


def test_notifications_get_no_answer_and_unknown_methods_an_error(daemon):
    host = daemon.host(cwd="/")
    host.socket.sendall(b'{"jsonrpc":"2.0","method":"ping"}\n\n{"jsonrpc":"2.0","method":"x"}\n')
    assert host.call("dance")["error"]["code"] == -32601
    host.socket.sendall(b"this is no JSON\n")
    assert host.receive()["error"]["code"] == -32600


@pytest.mark.parametrize("line, id", [
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None), (b'{"jsonrpc":"2.0","id":7,"method":3}', 7),
    (b'{"jsonrpc":"2.0","id":"a","method":""}', "a"), (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None),
    (b'"ping"', None), (b'{', None),
])
def test_what_is_no_request_is_refused_with_its_id(daemon, line, id):
    host = daemon.host(cwd="/")
    host.socket.sendall(line + b"\n")
    got = host.receive()
    assert (got["error"]["code"], got["id"]) == (-32600, id)
    assert host.call("ping")["result"] == {}


def test_lines_come_in_pieces_and_many_at_once(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    text = b"".join(json.dumps({"jsonrpc": "2.0", "id": f"n{n}", "method": "emit", "params": {
        "point": "tool.execute.before", "session": {"id": f"s{n}"},
        "data": {"tool": "bash", "args": {"command": "rm" if n % 2 else "ls"}}}}).encode() + b"\n"
        for n in range(200))
    for at in range(0, len(text), 977):
        host.socket.sendall(text[at:at + 977])
    got = {a["id"]: a["result"]["outcome"] for a in (host.receive() for _ in range(200))}
    assert got == {f"n{n}": "block" if n % 2 else "none" for n in range(200)}


def test_every_method_is_documented(daemon, source):
    text = (source / "docs/serve.md").read_text()
    named = re.findall(r"^\| `(\w+)` \|", text, re.M)
    host = daemon.host(cwd="/")
    for method in named:
        assert host.call(method).get("error", {}).get("code") != -32601, method
    code = (source / "src/serve/host_methods.c").read_text()
    assert set(re.findall(r'\{ "(\w+)", \w+ \}', code)) == set(named)


def test_a_hook_that_stalls_holds_up_nobody_else(hooke):
    began, go, entry = waiting_hook(hooke)
    hooke.config(GUARD + entry)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    slow = host.send("emit", point="tool.execute.before", session={"id": "slow"},
                     data={"tool": "wait"})
    wait_for(began.exists)
    # on the same connection, on another, and by the other kind of client
    assert host.call("ping")["result"] == {}
    got = host.emit("tool.execute.before", {"tool": "bash", "args": {"command": "rm"}})
    assert got["outcome"] == "block"
    assert daemon.host(cwd=str(hooke.cwd)).emit("agent.stop", {})["outcome"] == "none"
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
    assert "not for agents" in done.stdout
    go.write_text("go\n")
    assert host.receive()["id"] == slow
    daemon.end()


def test_sixty_sessions_at_once_keep_to_themselves(daemon, hooke):
    answers = {}

    def one(n):
        host = daemon.host(cwd=str(hooke.cwd))
        for turn in range(5):
            command = "rm" if (n + turn) % 2 else "ls"
            got = host.emit("tool.execute.before", {"tool": "bash", "args": {"command": command}},
                            session=f"s{n}")
            answers[n, turn] = (command == "rm") == (got["outcome"] == "block")
        host.close()

    threads = [threading.Thread(target=one, args=(n,)) for n in range(60)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 300 and all(answers.values())


def test_a_host_that_goes_away_has_its_hooks_ended(hooke):
    began, _, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    host.send("emit", point="tool.execute.before", session={"id": "s"}, data={"tool": "wait"})
    pid = int(wait_for(lambda: began.exists() and began.read_text()))
    host.close()
    wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists())
    daemon.end()


def test_variables_of_a_host_are_what_its_hooks_see(hooke, tmp_path):
    hooke.config("hooks: [{ name: tell, on: agent.stop, exec: 'echo \"$MARK\" >$HOME/mark' }]")
    daemon = Daemon(hooke, MARK="daemon")
    env = {**hooke.env, "MARK": "host"}
    daemon.host(cwd=str(hooke.cwd), env=env).emit("agent.stop", {})
    assert (hooke.home / "mark").read_text() == "host\n"
    daemon.host(cwd=str(hooke.cwd)).emit("agent.stop", {})
    assert (hooke.home / "mark").read_text() == "daemon\n"
    assert "texts" in Host(daemon.path).call("hello", version=1, env={"A": 1})["error"]["message"]
    daemon.end()


# Configuration


def test_a_changed_configuration_counts_from_the_next_event(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    call = {"tool": "bash", "args": {"command": "rm x"}}
    assert host.emit("tool.execute.before", call)["outcome"] == "block"
    hooke.config("hooks: []")
    assert host.emit("tool.execute.before", call)["outcome"] == "none"
    hooke.config(GUARD)
    assert host.emit("tool.execute.before", call)["outcome"] == "block"
    assert hooke("serve", "--status", "--json").json["runtimes"] == 1


def test_new_hook_files_and_changed_scripts_are_noticed(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert host.emit("agent.stop", {})["outcome"] == "none"
    folder = hooke.config_dir / "hooks"
    folder.mkdir()
    script = folder / "late.lua"
    text = 'hooke.on("agent.stop", function(e) return { say = "%s" } end)\n'
    script.write_text(text % "one")
    assert host.emit("agent.stop", {})["verdict"].get("say") == "one"
    script.write_text(text % "two, longer")
    assert host.emit("agent.stop", {})["verdict"].get("say") == "two, longer"


def test_a_broken_configuration_takes_no_guard_away(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    call = {"tool": "bash", "args": {"command": "rm x"}}
    host.emit("tool.execute.before", call)
    hooke.config("hooks: [")
    assert host.emit("tool.execute.before", call)["outcome"] == "block"
    hooke.config("strict: true\nhooks: [{ name: x, on: nowhere, block: y }]")
    assert host.emit("tool.execute.before", call)["outcome"] == "block"
    assert "stays as it was" in daemon.end()[1]


def test_each_home_has_its_own_configuration(daemon, hooke, tmp_path):
    other = tmp_path / "other"
    (other / ".config/hooke").mkdir(parents=True)
    call = {"tool": "bash", "args": {"command": "rm x"}}
    mine = daemon.host(cwd=str(hooke.cwd))
    theirs = daemon.host(cwd=str(hooke.cwd), env={**hooke.env, "HOME": str(other)})
    assert mine.emit("tool.execute.before", call)["outcome"] == "block"
    assert theirs.emit("tool.execute.before", call)["outcome"] == "none"
    assert (other / ".local/state/hooke/receipts").is_dir()


def test_more_workspaces_than_are_kept(daemon, tmp_path):
    hosts = daemon.host(cwd="/")
    for n in range(40):
        folder = tmp_path / f"w{n}"
        (folder / ".git").mkdir(parents=True)
        got = hosts.emit("tool.execute.before", {"tool": "bash", "args": {"command": "rm"}},
                         cwd=str(folder))
        assert got["outcome"] == "block"
    assert hosts.call("status")["result"]["runtimes"] == 32


# hooke-answer


def test_answers_what_the_full_program_answers(daemon, hooke):
    for command in ("rm x", "ls"):
        event = pre_tool_use(hooke, command)
        mine = answer(hooke, "claude", event=event)
        full = answer(hooke, "answer", "claude", event=event, program=hooke.program)
        assert (mine.returncode, mine.stdout) == (full.returncode, full.stdout)
    assert hooke("serve", "--status", "--json").json["served"] == 2


def test_folder_variables_and_umask_of_the_client_reach_its_hooks(hooke):
    hooke.config("hooks: [{ name: tell, on: PreToolUse, "
                 "exec: 'pwd >$HOME/told; echo \"$MARK\" >>$HOME/told; umask >>$HOME/told' }]")
    os.umask(0o022)
    daemon = Daemon(hooke)
    event = pre_tool_use(hooke, "ls")
    subprocess.run(["sh", "-c", f"umask 027; exec {client()} claude"], input=json.dumps(event),
                   text=True, cwd=hooke.cwd, env={**hooke.env, "MARK": "m"}, check=True,
                   capture_output=True)
    assert (hooke.home / "told").read_text().split() == [str(hooke.cwd), "m", "0027"]
    assert hooke("serve", "--status", "--json").json["served"] == 1
    # the thread that did it serves others, who have their own
    for _ in range(8):
        daemon.host(cwd="/").emit("tool.execute.before", {"tool": "bash"})
        assert (hooke.home / "told").read_text().split() == ["/", "0022"]
    daemon.end()


def test_does_not_wait_for_the_end_of_its_input(daemon, hooke):
    child = subprocess.Popen([client(), "claude"], cwd=hooke.cwd, env=hooke.env, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdin.write(json.dumps(pre_tool_use(hooke, "rm")))
    child.stdin.flush()
    assert child.wait(WAIT) == 0
    assert "not for agents" in child.stdout.read()
    child.stdin.close()


def test_without_a_daemon_the_full_program_answers(hooke, tmp_path):
    hooke.config(GUARD)
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
    assert done.returncode == 0 and "not for agents" in done.stdout
    # from another folder it looks in PATH, and says so when there is nothing
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(client(), alone / "hooke-answer")
    path = f"{pathlib.Path(hooke.program).parent}:/usr/bin:/bin"
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"), program=alone / "hooke-answer",
                  PATH=path)
    assert "not for agents" in done.stdout
    done = answer(hooke, "claude", event={}, program=alone / "hooke-answer", PATH="/nowhere")
    assert done.returncode == 1 and "no program 'hooke'" in done.stderr
    assert answer(hooke, "nobody", event={}).returncode == 64


def fake_daemon(hooke, behave):
    """Listens where the daemon would and treats one connection as `behave` says."""
    path = hooke.home / ".local/state/hooke/hooke.sock"
    path.parent.mkdir(parents=True, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(8)

    def run():
        connection, _ = server.accept()
        behave(connection)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return server, thread


def runs_of(hooke):
    lines = [line for f in sorted(hooke.receipts.glob("*.jsonl")) for line in f.open()]
    return len(lines)


def test_a_refusal_or_an_end_before_the_handshake_is_no_daemon(hooke):
    hooke.config(GUARD)
    for behave in (lambda c: c.sendall(b"n"), lambda c: c.recv(1), lambda c: None):
        server, thread = fake_daemon(hooke, behave)
        done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
        assert "not for agents" in done.stdout, done
        thread.join()
        server.close()
        (hooke.home / ".local/state/hooke/hooke.sock").unlink()
    assert runs_of(hooke) == 3


def test_after_the_handshake_nothing_runs_twice(hooke):
    hooke.config(GUARD)
    server, thread = fake_daemon(hooke, lambda c: (c.recv(1 << 20), c.sendall(b"y")))
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "the daemon ended" in done.stderr and done.stderr.count("\n") == 1
    assert runs_of(hooke) == 0
    thread.join()
    server.close()


@pytest.mark.parametrize("critical", [False, True])
def test_a_daemon_that_is_killed_refuses_what_critical_hooks_had_to_see(hooke, critical):
    hooke.config("disabled_hooks: [secret-guard, command-guard, sandbox]\nhooks:\n"
                 "  - { name: slow, on: tool.execute.before, exec: 'echo $$ >pid; exec sleep 60',"
                 f" safety_critical: {'true' if critical else 'false'} }}\n")
    daemon = Daemon(hooke)
    client_process = subprocess.Popen([client(), "claude"], cwd=hooke.cwd, env=hooke.env, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
    hooke.started.append(client_process)
    client_process.stdin.write(json.dumps(pre_tool_use(hooke, "ls")))
    client_process.stdin.flush()
    pid = hooke.cwd / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"))
    daemon.end("kill")
    os.kill(int(pid.read_text()), signal.SIGKILL)
    out, err = client_process.communicate(timeout=WAIT)
    assert (client_process.returncode, out) == (2 if critical else 1, "")
    assert err.startswith("hooke-answer: the daemon ended while it answered")
    assert ("so it is refused" in err) == critical and err.count("\n") == 1


def test_a_daemon_that_hangs_is_given_up_in_time(hooke):
    hooke.config(GUARD)
    late = []

    def hang(connection):
        connection.recv(1 << 20)
        while not late:
            time.sleep(0.05)
        with pytest.raises(BrokenPipeError):  # it cannot say any more that it takes the work
            connection.send(b"y", socket.MSG_NOSIGNAL)

    server, thread = fake_daemon(hooke, hang)
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
    late.append(True)
    thread.join()
    server.close()
    assert "not for agents" in done.stdout
    assert runs_of(hooke) == 1


def test_another_version_is_left_to_itself(daemon, hooke, tmp_path):
    other = tmp_path / "hooke-answer"
    text = client().read_bytes()
    version = hooke("version", "--json").json["version"].encode()
    assert text.count(version + b"\0") == 1
    other.write_bytes(text.replace(version + b"\0", b"9.9.9\0"))
    other.chmod(0o755)
    (tmp_path / "hooke").symlink_to(hooke.program)
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"), program=other)
    assert "not for agents" in done.stdout
    assert hooke("serve", "--status", "--json").json["served"] == 0


def test_a_huge_environment_works_all_the_same(daemon, hooke):
    for size in (100_000, 130_000):
        env = {f"BIG{n}": "x" * size for n in range(3 if size > 100_000 else 1)}
        done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"), **env)
        assert "not for agents" in done.stdout
    assert hooke("serve", "--status", "--json").json["served"] == 1  # the other was too large


def test_a_client_that_dies_has_its_hooks_ended(hooke):
    began, _, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry.replace("tool: wait", "tool: bash"))
    daemon = Daemon(hooke)
    child = subprocess.Popen([client(), "claude"], cwd=hooke.cwd, env=hooke.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdin.write(json.dumps(pre_tool_use(hooke, "ls")).encode())
    child.stdin.close()
    pid = int(wait_for(lambda: began.exists() and began.read_text()))
    child.kill()
    wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists())
    child.wait()
    child.stdout.close()
    assert daemon.host(cwd="/").call("ping")["result"] == {}
    daemon.end()


# Ends


def test_what_runs_finishes_and_nothing_new_begins(hooke):
    began, go, entry = waiting_hook(hooke)
    hooke.config("hooks:\n" + entry)
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(hooke.cwd))
    slow = host.send("emit", point="tool.execute.before", session={"id": "s"},
                     data={"tool": "wait"})
    wait_for(began.exists)
    daemon.process.send_signal(signal.SIGTERM)
    wait_for(lambda: not daemon.path.exists())
    with pytest.raises(OSError):
        Host(daemon.path)
    go.write_text("go\n")
    assert host.receive()["id"] == slow
    assert host.receive() is None
    assert daemon.end()[0] == 0


def test_stop_by_its_own_verb(daemon, hooke):
    assert hooke("serve", "--stop").rc == 0
    assert daemon.process.wait(WAIT) == 0


def test_ends_when_nobody_came_for_a_while(hooke):
    daemon = Daemon(hooke, "--idle", "300ms")
    host = daemon.host(cwd="/")
    with pytest.raises(subprocess.TimeoutExpired):
        daemon.process.wait(0.8)
    host.close()
    assert daemon.process.wait(WAIT) == 0
    assert not daemon.path.exists()


def test_takes_the_socket_of_a_service_manager(hooke, tmp_path):
    path = str(tmp_path / "managed")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(8)
        # what systemd does: descriptor 3, and the pid of the process that gets it
        code = (f"import os; os.dup2({server.fileno()}, 3); os.environ['LISTEN_PID'] = "
                f"str(os.getpid()); os.environ['LISTEN_FDS'] = '1'; "
                f"os.execv({hooke.program!r}, ['hooke', 'serve'])")
        child = subprocess.Popen(["/usr/bin/python3", "-c", code], env=hooke.env,
                                 pass_fds=[server.fileno()], stderr=subprocess.PIPE, text=True)
        host = Host(path, cwd=str(hooke.cwd))
        assert host.call("ping")["result"] == {}
        child.terminate()
        _, err = child.communicate(timeout=WAIT)
        assert child.returncode == 0, err
        assert os.path.exists(path)  # it is not ours to remove


# Attacks


def handover(*, size=None, argc=1, envc=0, magic=b"hooke/1\n", texts=b"0.1.0\0/\0claude\0"):
    return struct.pack("=8sIIII", magic, len(texts) if size is None else size, argc, envc,
                       0) + texts


@pytest.mark.parametrize("message", [
    b"h", b"hooke/2\n" + b"\0" * 16, handover(size=1 << 30), handover(size=3), handover(argc=2),
    handover(argc=0xffffffff), handover(envc=0xffffffff), handover(envc=5),
    handover(texts=b"0.1.0\0\0claude\0"), handover(texts=b"no end"), handover(), b"\0" * 100,
    b"{" * 5000, b'{"id":' + b"[" * 100000 + b"\n", b"\xff\xfe\n" * 100, b"\n" * 10000,
])
def test_garbage_is_refused_and_harms_nobody(daemon, message):
    with socket.socket(socket.AF_UNIX) as bad:
        bad.settimeout(WAIT)
        bad.connect(str(daemon.path))
        bad.sendall(message)
        bad.shutdown(socket.SHUT_WR)
        try:
            got = b"".join(iter(lambda: bad.recv(65536), b""))
        except ConnectionResetError:
            got = b""
        assert b"y" not in got[:1]
    assert daemon.host(cwd="/").call("ping")["result"] == {}


def test_descriptors_nobody_asked_for_are_closed(daemon):
    fds = pathlib.Path(f"/proc/{daemon.process.pid}/fd")
    daemon.host(cwd="/").close()
    wait_for(lambda: hooke_clients(daemon) == 0)
    before = len(list(fds.iterdir()))
    for count in (1, 2, 3, 4, 200):
        with socket.socket(socket.AF_UNIX) as bad, open("/dev/null") as null:
            bad.connect(str(daemon.path))
            passed = array.array("i", [null.fileno()] * count)
            bad.sendmsg([b"hooke/1\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
            bad.sendmsg([b"\0" * 4], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
            bad.shutdown(socket.SHUT_WR)
            bad.settimeout(WAIT)
            bad.recv(1)
    wait_for(lambda: len(list(fds.iterdir())) <= before)


def hooke_clients(daemon):
    return daemon.hooke("serve", "--status", "--json").json["connections"]


def test_a_thousand_connections(daemon, hooke):
    silent = [socket.socket(socket.AF_UNIX) for _ in range(500)]
    for s in silent:
        s.connect(str(daemon.path))
    hosts = [daemon.host(cwd=str(hooke.cwd)) for _ in range(500)]
    for h in hosts:
        h.send("ping")
    assert all(h.receive()["result"] == {} for h in hosts)
    # one more host than there may be hears so, and hooke-answer is still served
    more = [Host(daemon.path) for _ in range(20)]
    for m in more:
        m.send("hello", version=1)
    said = [m.receive() for m in more]
    assert any("too many" in s["error"]["message"] for s in said if "error" in s)
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"))
    assert "not for agents" in done.stdout
    for s in silent:
        s.close()
    for h in hosts + more:
        h.close()
    wait_for(lambda: hooke_clients(daemon) == 0)
    threads = pathlib.Path(f"/proc/{daemon.process.pid}/task")
    wait_for(lambda: len(list(threads.iterdir())) < 20)


def test_a_host_that_never_reads_holds_up_nobody(daemon, hooke):
    deaf = daemon.host(cwd=str(hooke.cwd))
    deaf.socket.settimeout(0.2)
    with pytest.raises(OSError):
        while True:
            deaf.socket.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n' * 1000)
    assert daemon.host(cwd="/").call("ping")["result"] == {}
    deaf.close()
