"""hooke doctor AGENT: is it installed, loaded, trusted, and what has it missed?"""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import socket
import sqlite3
import threading

import pytest

from daemon import Daemon

SOURCE = pathlib.Path(__file__).resolve().parents[2]
AGENTS = ("claude", "codex", "gemini", "opencode")
LATER = "2199-01-01T00:00:00.000Z"  # after any installation


def checks(result):
    """The lines of each check, by name."""
    found = {}
    for line in result.json:
        found.setdefault(line["check"], []).append(line)
    return found


def look(hooke, agent, **env):
    return checks(hooke("doctor", agent, "--json", **env))


def one(hooke, agent, check, **env):
    lines = look(hooke, agent, **env)[check]
    assert len(lines) == 1, lines
    return lines[0]


def install(hooke, agent, *more):
    assert hooke("install", agent, "--yes", *more).rc == 0


def tell(hooke, agent, name, **event):
    """One event as the agent's hook gets it."""
    event = {"session_id": "s1", "cwd": str(hooke.cwd), "hook_event_name": name, **event}
    r = hooke("answer", agent, input=json.dumps(event))
    assert r.rc == 0, r.err


def write(path, *values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(v) + "\n" for v in values))
    return path


# Installed


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_not_installed_fails_with_the_way_in(hooke, agent):
    r = hooke("doctor", agent)
    assert r.rc == 1 and r.lines[0].startswith("fail")
    line = one(hooke, agent, "installed")
    assert line["health"] == "fail" and f"hooke install {agent}" in line["way_out"]


def test_one_file_is_named_once_at_home(hooke):
    hooke.cwd = hooke.home
    assert one(hooke, "claude", "installed")["text"] == f"'{hooke.home}/.claude/settings.json' has no hooke"


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_installed_is_named(hooke, agent):
    install(hooke, agent)
    line = one(hooke, agent, "installed")
    assert line["health"] == "ok" and str(hooke.home) in line["text"]
    assert one(hooke, agent, "loaded")["health"] == "warn"


def test_missing_events_are_named(hooke):
    install(hooke, "claude")
    path = hooke.home / ".claude/settings.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]["PreToolUse"], settings["hooks"]["Stop"]
    path.write_text(json.dumps(settings))
    line = one(hooke, "claude", "installed")
    assert line["health"] == "warn" and "hooke install claude" in line["way_out"]
    assert re.search(r"without (PreToolUse|Stop), (PreToolUse|Stop)$", line["text"])


def test_a_program_that_is_gone_fails(hooke):
    install(hooke, "gemini")
    path = hooke.home / ".gemini/settings.json"
    command = json.loads(path.read_text())["hooks"]["BeforeTool"][0]["hooks"][0]["command"]
    assert one(hooke, "gemini", "command")["health"] == "ok"
    path.write_text(path.read_text().replace(command, f" HOOKE_SOCKET= A='b c' {command}"))
    assert one(hooke, "gemini", "command")["health"] == "ok"
    path.write_text(path.read_text().replace(f" HOOKE_SOCKET= A='b c' {command}", "/gone/hooke-answer gemini"))
    line = one(hooke, "gemini", "command")
    assert line["health"] == "fail" and "/gone/hooke-answer" in line["text"]
    path.write_text(path.read_text().replace("/gone/hooke-answer", "hooke-answer"))
    line = one(hooke, "gemini", "command", PATH="/nowhere")
    assert line["health"] == "fail" and "PATH" in line["text"]


def test_a_file_that_cannot_be_read_fails(hooke):
    write(hooke.home / ".claude/settings.json").write_text("{ // mine\n}")
    line = one(hooke, "claude", "installed")
    assert line["health"] == "fail" and "column 3" in line["text"]


def test_a_plugin_of_another_version_is_a_warning(hooke):
    install(hooke, "opencode")
    path = hooke.home / ".config/opencode/plugins/hooke.js"
    path.write_text(path.read_text().replace("function ", "function  ", 1))
    line = one(hooke, "opencode", "installed")
    assert line["health"] == "warn" and "hooke install opencode" in line["way_out"]


@pytest.mark.parametrize("spec", ["hooke-opencode", "hooke-opencode@0.1.0", ["hooke-opencode", {"required": True}],
                                  "file:///src/hooke/adapters/opencode/index.js"])
@pytest.mark.parametrize("place", ["home/.config/opencode/opencode.json", "work/opencode.jsonc",
                                   "work/.opencode/opencode.json"])
def test_a_plugin_that_opencode_s_configuration_names_is_installed(hooke, spec, place):
    root = {"home": hooke.home, "work": hooke.cwd}[place.split("/")[0]]
    path = write(root / place.split("/", 1)[1])
    path.write_text("{ // mine\n" + f'"plugin": ["other", {json.dumps(spec)}] }}')
    line = one(hooke, "opencode", "installed")
    assert line["health"] == "ok" and line["text"] == f"'{path}' names the plugin"
    install(hooke, "opencode")
    lines = look(hooke, "opencode")["installed"]
    assert [line["health"] for line in lines] == ["ok", "ok"], "it asks once, wherever it is"


@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"])
def test_two_places_are_one_where_the_agent_or_the_plugin_sees_to_it(hooke, agent):
    install(hooke, agent)
    assert hooke("install", agent, "--project", "--yes").rc == 0
    assert [line["health"] for line in look(hooke, agent)["installed"]] == ["ok", "ok"]


def test_codex_reads_no_hooks_of_a_linked_worktree(hooke):
    git = hooke.cwd / ".git"
    if git.exists():
        git.rmdir()
    git.write_text("gitdir: /elsewhere/.git/worktrees/work\n")
    install(hooke, "codex", "--project")
    line = one(hooke, "codex", "workspace")
    assert line["health"] == "fail" and "hooke install codex" in line["way_out"]


def test_entries_of_hooke_itself_in_a_workspace_need_no_trust(hooke):
    install(hooke, "claude", "--project")
    assert one(hooke, "claude", "configuration")["health"] == "ok"
    assert "trust" not in hooke("list").err
    path = hooke.cwd / ".claude/settings.json"
    settings = json.loads(path.read_text())
    settings["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    path.write_text(json.dumps(settings))
    assert "not trusted" in hooke("list").err


def test_what_runs_twice_is_told(hooke):
    install(hooke, "codex")
    own = hooke.cwd / ".codex/hooks.json"
    refused = hooke("install", "codex", "--project", "--yes")
    assert refused.rc == 1 and "run 'hooke uninstall codex' first" in refused.err
    assert not own.exists()
    write(own).write_bytes((hooke.home / ".codex/hooks.json").read_bytes())
    last = look(hooke, "codex")["installed"][-1]
    assert last["health"] == "warn" and "twice" in last["text"] and "--project" in last["way_out"]


def test_two_commands_are_two(hooke):
    install(hooke, "claude")
    other = write(hooke.cwd / ".claude/settings.json")
    mine = (hooke.home / ".claude/settings.json").read_text()
    other.write_text(mine.replace("hooke-answer claude", "env hooke-answer claude"))
    assert "twice" in look(hooke, "claude")["installed"][-1]["text"]


def test_a_plugin_that_only_sounds_like_it_is_not_installed(hooke):
    write(hooke.home / ".config/opencode/opencode.json", {"plugin": ["hooke-opencode-not", "x/hooke-opencode"]})
    assert one(hooke, "opencode", "installed")["health"] == "fail"


# Trusted


def codex_hash(event, group, handler):
    """As Codex 0.166.0 has it: names sorted, what is not said filled in."""
    last = event == "session_end"
    secs = max(handler.get("timeout", 1 if last else 600), 1)
    form = {"event_name": event, "hooks": [{**handler, "timeout": min(secs, 3) if last else secs,
                                            "async": handler.get("async", False)}]}
    if "matcher" in group and event not in ("stop", "user_prompt_submit"):
        form["matcher"] = group["matcher"]
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def codex_states(hooke, **more):
    """A config.toml in which every entry of hooke is trusted."""
    path = hooke.home / ".codex/hooks.json"
    lines = []
    for event, (group, *_) in json.loads(path.read_text())["hooks"].items():
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        said = codex_hash(name, group, group["hooks"][0])
        lines.append(f'[hooks.state."{path}:{name}:0:0"]\ntrusted_hash = "{said}"\n')
        if more.get("off") == event:
            lines.append("enabled = false\n")
    return "".join(lines)


def test_codex_hooks_without_a_trusted_hash_fail(hooke):
    install(hooke, "codex")
    line = one(hooke, "codex", "trusted")
    assert line["health"] == "fail" and "PreToolUse" in line["text"]
    config = hooke.home / ".codex/config.toml"
    config.write_text('model = "m"\n' + codex_states(hooke))
    assert one(hooke, "codex", "trusted")["health"] == "ok"
    text = codex_states(hooke)
    config.write_text(text[text.index("[hooks", 5):])  # all but the first
    line = one(hooke, "codex", "trusted")
    assert line["health"] == "fail" and "trust SessionStart of" in line["text"]


def test_codex_hooks_that_have_changed_since_they_were_trusted_fail(hooke):
    install(hooke, "codex")
    path = hooke.home / ".codex/hooks.json"
    config = hooke.home / ".codex/config.toml"
    settings = json.loads(path.read_text())
    settings["hooks"]["PreToolUse"][0]["matcher"] = settings["hooks"]["Stop"][0]["matcher"] = "Bash"
    settings["hooks"]["PreToolUse"][0]["hooks"][0] |= {"statusMessage": "é", "timeout": 5}
    settings["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] = 60
    path.write_text(json.dumps(settings))
    config.write_text(codex_states(hooke))
    assert one(hooke, "codex", "trusted")["health"] == "ok"
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 6
    path.write_text(json.dumps(settings))
    line = one(hooke, "codex", "trusted")
    assert line["health"] == "fail" and "changed" in line["text"] and ": PreToolUse of" in line["text"]


def test_the_hash_of_codex_is_the_one_it_shows(hooke):
    """Taken from `hooks/list` of the real one."""
    shown = "sha256:faf7ef2a9f8b80b624f074610ba1db073e41538b634430fb0b5ddde519ed2ed9"
    handler = {"type": "command", "command": "hooke-answer codex"}
    assert codex_hash("pre_tool_use", {}, handler) == shown
    path = write(hooke.home / ".codex/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [handler]}]}})
    write(hooke.home / ".codex/config.toml").write_text(
        f'[hooks.state."{path}:pre_tool_use:0:0"]\ntrusted_hash = "{shown}"\n')
    assert one(hooke, "codex", "trusted")["health"] == "ok"


def test_codex_hooks_that_are_off_fail(hooke):
    install(hooke, "codex")
    config = hooke.home / ".codex/config.toml"
    config.write_text(codex_states(hooke, off="Stop"))
    line = one(hooke, "codex", "enabled")
    assert line["health"] == "fail" and line["text"].endswith(": Stop")
    config.write_text("[features]\nhooks = false # all\n" + codex_states(hooke))
    assert "[features]" in one(hooke, "codex", "enabled")["text"]


def test_codex_must_trust_a_workspace_that_has_hooks(hooke):
    install(hooke, "codex", "--project")
    assert one(hooke, "codex", "workspace")["health"] == "fail"
    config = write(hooke.home / ".codex/config.toml")
    config.write_text(f'projects."{hooke.cwd}" = {{ trust_level = "trusted" }}\n')
    assert one(hooke, "codex", "workspace")["health"] == "ok"


def test_a_codex_configuration_that_is_not_understood_is_a_warning(hooke):
    install(hooke, "codex")
    write(hooke.home / ".codex/config.toml").write_text("a = 1\nb = [\n")
    line = one(hooke, "codex", "trusted")
    assert line["health"] == "warn" and "line 3" in line["text"]


@pytest.mark.parametrize("config,word", [({"enabled": False}, "enabled"),
                                         ({"disabled": ["x", "hooke"]}, "disabled")])
def test_gemini_hooks_that_are_off_fail(hooke, config, word):
    install(hooke, "gemini")
    assert one(hooke, "gemini", "enabled")["health"] == "ok"
    write(hooke.cwd / ".gemini/settings.json", {"hooksConfig": config})
    line = one(hooke, "gemini", "enabled")
    assert line["health"] == "fail" and f"hooksConfig.{word}" in line["text"]


def test_gemini_runs_hooks_in_trusted_folders_only(hooke):
    def trusted(rules, **env):
        write(hooke.home / ".gemini/trustedFolders.json", rules)
        return one(hooke, "gemini", "trusted", **env)["health"]

    install(hooke, "gemini")
    work = str(hooke.cwd)
    assert trusted({}) == "fail"
    assert trusted({work: "TRUST_FOLDER"}) == "ok"
    assert trusted({work + "/deep": "TRUST_PARENT"}) == "ok"
    assert trusted({os.path.dirname(work): "TRUST_FOLDER", work: "DO_NOT_TRUST"}) == "fail"
    assert trusted({}, GEMINI_CLI_TRUST_WORKSPACE="true") == "ok"


@pytest.mark.parametrize("where", [".claude/settings.json", ".claude/settings.local.json"])
def test_claude_hooks_that_are_off_fail(hooke, where):
    install(hooke, "claude")
    assert one(hooke, "claude", "enabled")["health"] == "ok"
    write(hooke.cwd / where, {"disableAllHooks": True})
    line = one(hooke, "claude", "enabled")
    assert line["health"] == "fail" and str(hooke.cwd / where) in line["text"]


def test_claude_asks_whether_a_folder_is_trusted(hooke):
    install(hooke, "claude")
    assert "trusted" not in look(hooke, "claude")
    for accepted, health in ((False, "warn"), (True, "ok")):
        write(hooke.home / ".claude.json",
              {"projects": {str(hooke.cwd): {"hasTrustDialogAccepted": accepted}}})
        assert one(hooke, "claude", "trusted")["health"] == health


def test_a_daemon_is_told_and_one_of_another_version_warned_of(hooke, tmp_path):
    assert "none listens" in one(hooke, "claude", "daemon")["text"]
    assert one(hooke, "claude", "daemon", HOOKE_SOCKET="")["health"] == "ok"
    daemon = Daemon(hooke)
    assert "listens on" in one(hooke, "codex", "daemon")["text"]
    daemon.end()
    path = str(tmp_path / "old")
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(path)
        old.listen(1)

        def speak(text):
            connection, _ = old.accept()
            connection.recv(1000)
            connection.sendall(text)
            connection.close()

        for text, told in ((b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
                            b'{"jsonrpc":"2.0","id":2,"result":{"hooke":"0.0.9"}}\n',
                            "version 0.0.9"), (b"", "does not answer")):
            speaking = threading.Thread(target=speak, args=(text,))
            speaking.start()
            found = one(hooke, "gemini", "daemon", HOOKE_SOCKET=path)
            speaking.join()
            assert found["health"] == "warn" and told in found["text"]


def test_opencode_starts_its_daemon_and_uses_one(hooke):
    install(hooke, "opencode")
    assert "none listens" in one(hooke, "opencode", "daemon")["text"]
    assert one(hooke, "opencode", "daemon", HOOKE_SOCKET="")["health"] == "fail"
    daemon = Daemon(hooke)
    assert "listens on" in one(hooke, "opencode", "daemon")["text"]
    daemon.end()


# Fired


def test_events_that_came_and_those_that_never_did(hooke):
    install(hooke, "claude")
    for name in ("PreToolUse", "PreToolUse", "PostToolUse"):
        tell(hooke, "claude", name, tool_name="Bash", tool_input={"command": "ls"},
             tool_use_id="t1", tool_response="x")
    tell(hooke, "codex", "Stop")
    found = look(hooke, "claude")
    assert found["fired"][0]["text"] == "PreToolUse 2, PostToolUse 1"
    never = found["never fired"][0]["text"].split(", ")
    assert "Stop" in never and "PreToolUse" not in never
    assert found["loaded"][0]["text"].startswith("last event: PostToolUse, 2")
    assert "fired" not in look(hooke, "gemini")


def test_events_from_before_the_installation_do_not_count_as_loaded(hooke):
    tell(hooke, "claude", "Stop")
    install(hooke, "claude")
    path = hooke.home / ".claude/settings.json"
    os.utime(path, (4e9, 4e9))
    line = one(hooke, "claude", "loaded")
    assert line["health"] == "warn" and "no event since" in line["text"]


def test_opencode_s_events_are_those_of_its_table(hooke):
    """What is said never to have fired is what the page says the plugin forwards."""
    page = (SOURCE / "docs/agents/opencode.md").read_text()
    forwarded = set(re.findall(r"^\| `([a-z_.]+)` \| `", page.split("\n## Hooks\n")[1]
                               .split("\n## ")[0], re.M))
    hooke.receipts.mkdir(parents=True)
    (hooke.receipts / "2099-01-01.jsonl").write_text(
        '{"at":"2099-01-01T00:00:00.000Z","id":"x","point":"session.deleted","session":"s",'
        '"via":"opencode","outcome":"none","runs":[]}\n')
    never = set(one(hooke, "opencode", "never fired")["text"].split(", "))
    assert forwarded <= never
    listed = hooke("help", "points").out
    assert all(re.search(rf"(?m)^\s*{re.escape(name)}\s", listed) for name in never)


# Transcripts


def claude_line(call, at=LATER, session="s1", cwd="/w"):
    return {"type": "assistant", "sessionId": session, "cwd": cwd, "timestamp": at,
            "message": {"content": [{"type": "text", "text": "x"},
                                    {"type": "tool_use", "id": call, "name": "Bash"}]}}


def codex_line(call, at=LATER, **more):
    return {"timestamp": at, "type": "response_item",
            "payload": {"type": "function_call", "name": "exec_command", "call_id": call, **more}}


def codex_file(hooke, *lines, cwd="/w", session="s1"):
    return write(hooke.home / f".codex/sessions/2026/01/02/rollout-x-{session}.jsonl",
                 {"type": "session_meta", "payload": {"id": session, "cwd": str(cwd)}}, *lines)


def test_a_hook_that_fails_is_told_until_it_works(hooke):
    install(hooke, "claude")
    mine = hooke.config_dir / "mine.sh"
    mine.write_text("#!/bin/sh\n")
    hooke.config("hooks: [{ name: mine, on: tool.execute.before, exec: [./mine.sh] }]\n")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    tell(hooke, "claude", "PreToolUse", **call)
    tell(hooke, "claude", "PreToolUse", **call)
    line = one(hooke, "claude", "hook")
    assert line["health"] == "warn" and "hooke test mine" in line["way_out"]
    assert "'mine' failed 2 times in a row" in line["text"] and "chmod +x" in line["text"]
    mine.chmod(0o755)
    tell(hooke, "claude", "PreToolUse", **call)
    assert "hook" not in look(hooke, "claude")


def test_a_hook_that_is_gone_is_not_told_of(hooke):
    hooke.config("hooks: [{ name: mine, on: tool.execute.before, exec: [./none] }]\n")
    tell(hooke, "claude", "PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    assert "hook" in look(hooke, "claude")
    hooke.config("hooks: []\n")
    assert "hook" not in look(hooke, "claude")


def test_an_entry_that_is_left_out_is_told(hooke):
    hooke.config("hooks: [{ name: mine, onn: tool.execute.before, block: no }]\n")
    line = one(hooke, "claude", "configuration")
    assert line["health"] == "fail" and "hooke config check" in line["way_out"]


def test_calls_of_claude_without_a_receipt_are_listed(hooke):
    install(hooke, "claude")
    tell(hooke, "claude", "PreToolUse", tool_name="Bash", tool_input={}, tool_use_id="toolu_1")
    path = hooke.home / ".claude/projects/-w/s1.jsonl"
    write(path, {"type": "user"}, claude_line("toolu_1"))
    line = one(hooke, "claude", "transcript")
    assert line["health"] == "ok" and line["text"].startswith("1 tool call in 1 session")
    write(path, claude_line("toolu_1"), claude_line("toolu_2"),
          claude_line("toolu_0", at="2001-01-01T00:00:00.000Z"))
    line = one(hooke, "claude", "transcript")
    assert line["health"] == "warn"
    assert "session s1: no receipt for 1 tool call: toolu_2 (Bash)" == line["text"]


def test_a_call_of_claude_that_never_began_needs_no_receipt(hooke):
    """No hook is asked for a tool that is not there, or for arguments that it does not take."""
    def result(call, text):
        return {"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": text}]}}

    install(hooke, "claude")
    write(hooke.home / ".claude/projects/-w/s1.jsonl", claude_line("toolu_1"), claude_line("toolu_2"),
          result("toolu_1", "<tool_use_error>Error: No such tool available: Bash</tool_use_error>"),
          result("toolu_2", "Exit code 1"))
    text = one(hooke, "claude", "transcript")["text"]
    assert text == "session s1: no receipt for 1 tool call: toolu_2 (Bash)"


def test_calls_of_a_subagent_of_claude_are_looked_at(hooke):
    """Claude Code keeps a file for each, below a folder named after the session."""
    install(hooke, "claude")
    write(hooke.home / ".claude/projects/-w/s1/subagents/agent-a1.jsonl", claude_line("toolu_3"))
    text = one(hooke, "claude", "transcript")["text"]
    assert text == "session s1: no receipt for 1 tool call: toolu_3 (Bash)"


def test_calls_of_codex_without_a_receipt_are_listed(hooke):
    install(hooke, "codex")
    tell(hooke, "codex", "PreToolUse", tool_name="Bash", tool_input={}, tool_use_id="call_1")
    codex_file(hooke, codex_line("call_1"), codex_line("call_2", type="custom_tool_call"),
               codex_line("call_3", type="function_call_output"))
    assert one(hooke, "codex", "transcript")["text"].endswith(": call_2 (exec_command)")


def opencode_db(hooke, *calls, session="ses_1", directory="/w", at=7_226_582_400_000):
    """A database as OpenCode 1.18.33 keeps it, as far as anybody looks."""
    path = hooke.home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, directory text, time_updated integer)")
        db.execute("CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, session_id text, time_created integer,"
                   " data text)")
        db.execute("INSERT INTO session VALUES (?, ?, ?)", (session, str(directory), at))
        for name, status in calls:
            data = {"type": "tool", "tool": "bash", "callID": name, "state": {"status": status}}
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"prt_{name}", session, at, json.dumps(data)))
        db.execute("INSERT INTO part VALUES (?, ?, ?, 'no json')", (f"prt_{session}", session, at))
    return path


def test_calls_of_opencode_without_a_receipt_are_listed(hooke):
    install(hooke, "opencode")
    hooke.receipts.mkdir(parents=True)
    (hooke.receipts / "2099-01-01.jsonl").write_text(
        '{"at":"2099-01-01T00:00:00.000Z","id":"x","point":"tool.execute.before","session":"ses_1",'
        '"call_id":"call_1","via":"opencode","outcome":"none","runs":[]}\n')
    path = opencode_db(hooke, ("call_1", "completed"), ("call_9", "running"))
    line = one(hooke, "opencode", "transcript")
    assert line["health"] == "ok" and line["text"].startswith("1 tool call in 1 session")
    opencode_db(hooke, ("call_2", "completed"), ("call_3", "error"), session="ses_2")
    opencode_db(hooke, ("call_0", "completed"), session="ses_0", at=1000)
    line = one(hooke, "opencode", "transcript")
    assert line["health"] == "warn"
    assert line["text"] == "session ses_2: no receipt for 2 tool calls: call_2 (bash), call_3 (bash)"
    assert [p.name for p in path.parent.iterdir()] == ["opencode.db"], "only looked at"
    assert "transcript" not in look(hooke, "opencode", OPENCODE_DB=":memory:")
    path.write_bytes(b"no database at all" * 100)
    assert "transcript" not in look(hooke, "opencode")


def test_opencode_s_sessions_elsewhere_do_not_count_for_a_workspace(hooke):
    install(hooke, "opencode", "--project")
    opencode_db(hooke, ("call_1", "completed"))
    assert "transcript" not in look(hooke, "opencode")
    opencode_db(hooke, ("call_2", "completed"), session="ses_2", directory=hooke.cwd)
    assert "call_2" in one(hooke, "opencode", "transcript")["text"]


def test_many_calls_are_cut(hooke):
    install(hooke, "codex")
    codex_file(hooke, *[codex_line(f"call_{n}") for n in range(30)])
    text = one(hooke, "codex", "transcript")["text"]
    assert "30 tool calls" in text and text.endswith(", …") and text.count("call_") == 8


def test_calls_of_gemini_are_counted(hooke):
    install(hooke, "gemini")
    tell(hooke, "gemini", "BeforeTool", tool_name="run_shell_command", tool_input={})

    def call(name):
        return {"id": name, "name": "run_shell_command", "timestamp": LATER}

    path = hooke.home / ".gemini/tmp/work/chats/session-1.jsonl"
    write(path, {"sessionId": "s1"}, {"type": "gemini", "toolCalls": [call("a")]},
          {"type": "gemini", "toolCalls": [call("a")]})
    assert one(hooke, "gemini", "transcript")["health"] == "ok"
    path.unlink()
    write(path.with_suffix(".json"), {"sessionId": "s1", "messages": [
        {"type": "gemini", "toolCalls": [call("a"), call("b"), call("c")]}]})
    line = one(hooke, "gemini", "transcript")
    assert line["health"] == "warn" and "no receipt for 2 tool calls" in line["text"]


def test_where_only_the_workspace_has_hooke_other_folders_do_not_count(hooke):
    install(hooke, "codex", "--project")
    codex_file(hooke, codex_line("call_1"), cwd="/elsewhere")
    assert "transcript" not in look(hooke, "codex")
    codex_file(hooke, codex_line("call_2"), cwd=hooke.cwd / "deep", session="s2")
    assert "call_2" in one(hooke, "codex", "transcript")["text"]


def test_a_transcript_that_is_no_json_is_passed_over(hooke):
    install(hooke, "claude")
    path = write(hooke.home / ".claude/projects/-w/s1.jsonl")
    path.write_bytes(b"\xff\x00{{{\nnull\n[]\n{\"type\":\"assistant\",\"message\":1}\n")
    assert "transcript" not in look(hooke, "claude")


# The verb


def test_an_unknown_agent_is_named(hooke):
    r = hooke("doctor", "codxe")
    assert r.rc == 64 and "codex" in r.err
    assert hooke("doctor", "codex", "claude").rc == 64
    assert hooke("doctor", "codex", "--verify").rc == 64


def test_all_is_well_once_it_works(hooke):
    install(hooke, "claude")
    tell(hooke, "claude", "Stop")
    r = hooke("doctor", "claude")
    assert r.rc == 0 and all(line.startswith("ok") for line in r.lines), r.out
