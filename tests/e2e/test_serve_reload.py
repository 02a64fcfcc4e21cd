"""hooke serve: a configuration that changes is in force whole or not at all."""

import json
import subprocess

from daemon import GUARD, answer, pre_tool_use

CALL = {"tool": "bash", "args": {"command": "rm x"}}


def outcome(host, **more):
    return host.emit("tool.execute.before", CALL, **more)["outcome"]


def test_half_a_file_takes_no_guard_away(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert outcome(host) == "block"
    text = GUARD + "  - name: more\n    on: agent.stop\n    say: 'done: it is'\n"
    for end in [0] + list(range(1, len(text), 7)):
        hooke.config(text[:end])
        got = outcome(host)
        if "block: rm" not in text[:end]:
            continue
        assert got == "block", text[:end]
    hooke.config(text)
    assert outcome(host) == "block"
    assert host.emit("agent.stop", {})["verdict"]["say"] == "done: it is"


def test_a_file_that_is_emptied_before_it_is_written_keeps_its_guards(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert outcome(host) == "block"
    hooke.config("")
    assert outcome(host) == "block"


def test_a_file_that_is_renamed_into_place_counts(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert outcome(host) == "block"
    for text, expected in (("hooks: []\n", "none"), (GUARD, "block")):
        path = hooke.config(text, name="config.yaml.new")
        path.rename(hooke.config_dir / "config.yaml")
        assert outcome(host) == expected


def test_a_file_that_is_deleted_and_one_that_comes(daemon, hooke):
    host = daemon.host(cwd=str(hooke.cwd))
    assert outcome(host) == "block"
    (hooke.config_dir / "config.yaml").unlink()
    assert outcome(host) == "none"
    hooke.config(json.dumps({"hooks": [{"name": "json", "on": "PreToolUse", "block": "no"}]}),
                 name="config.json")
    assert outcome(host) == "block"


def test_each_workspace_has_its_own_and_its_own_trust(daemon, hooke, tmp_path):
    hooke.config("")
    host = daemon.host(cwd=str(hooke.cwd))
    folders = [tmp_path / f"w{n}" for n in range(2)]
    for n, folder in enumerate(folders):
        (folder / ".hooke").mkdir(parents=True)
        (folder / ".hooke/config.yaml").write_text(
            f"hooks: [{{ name: own, on: PreToolUse, block: of {n} }}]\n")

    asked = iter(range(100))  # loop-guard knows what was asked before

    def reason(folder):
        call = {"tool": "bash", "args": {"command": f"ls {next(asked)}"}}
        got = host.emit("tool.execute.before", call, cwd=str(folder))
        return got["verdict"].get("reason")

    def trust(folder):
        done = subprocess.run([hooke.program, "trust", "--yes"], cwd=folder, env=hooke.env,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    assert [reason(f) for f in folders] == [None, None]
    trust(folders[0])
    assert [reason(f) for f in folders] == ["of 0", None]
    trust(folders[1])
    assert [reason(f) for f in folders] == ["of 0", "of 1"]
    (folders[0] / ".hooke/config.yaml").write_text(
        "hooks: [{ name: own, on: PreToolUse, block: changed }]\n")
    assert [reason(f) for f in folders] == [None, "of 1"]
    trust(folders[0])
    assert reason(folders[0]) == "changed"


def test_what_clients_have_in_their_environment_counts_for_them(daemon, hooke):
    def blocked(**env):
        done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm x"), **env)
        return "not for agents" in done.stdout

    assert blocked()
    assert not blocked(HOOKE_DISABLED_HOOKS="no-rm")
    assert blocked()
    assert hooke("serve", "--status", "--json").json["served"] == 3


def test_what_strict_refuses_is_told_to_the_agent(daemon, hooke):
    event = {"session_id": "s", "cwd": str(hooke.cwd), "hook_event_name": "UserPromptSubmit",
             "transcript_path": "/dev/null", "prompt": "hello"}
    host = daemon.host(cwd=str(hooke.cwd))
    assert outcome(host) == "block"
    assert "systemMessage" not in answer(hooke, "claude", event=event).stdout
    hooke.config("strict: true\nhooks: [{ name: x, on: nowhere, block: y }]")
    for _ in range(2):
        told = json.loads(answer(hooke, "claude", event=event).stdout)["systemMessage"]
        assert "strict" in told and "before" in told
        assert any("strict" in w for w in host.emit("agent.start", {})["warnings"])
        assert outcome(host) == "block"
    hooke.config(GUARD)
    assert "systemMessage" not in answer(hooke, "claude", event=event).stdout
    assert "warnings" not in host.emit("agent.start", {})
