"""hooke doctor AGENT with the real programs: what they trust, and the calls they made without hooke."""

import json
import os
import subprocess

import pytest

from agents import PEERS

HOOKE = os.environ.get("HOOKE", "build/dev/hooke")


def hooke(agent, *words):
    return subprocess.run([os.path.abspath(HOOKE), *words], cwd=agent.cwd, env=agent.env, text=True,
                          capture_output=True, timeout=60, check=False)


def look(agent):
    found = {}
    for line in json.loads(hooke(agent, "doctor", agent.name, "--json").stdout):
        found.setdefault(line["check"], []).append(line)
    return found


def distrust(agent):
    """The agent as it is before anybody has told it to trust our hooks."""
    agent.env.pop("GEMINI_CLI_TRUST_WORKSPACE", None)
    trusting = agent.command
    agent.command = lambda prompt: [word for word in trusting(prompt)
                                    if word != "--dangerously-bypass-hook-trust"]
    return trusting


def test_calls_that_codex_made_without_hooke_are_listed(start, model):
    agent = start("codex")
    model.turns = [agent.bash("echo one"), {"text": "finished"}]
    assert hooke(agent, "install", "codex", "--yes").returncode == 0
    trusting = distrust(agent)
    agent.run()
    found = look(agent)
    assert found["trusted"][0]["health"] == "fail" and found["loaded"][0]["health"] == "warn"
    assert "no receipt for 1 tool call: call_" in found["transcript"][0]["text"]

    agent.command = trusting
    model.asked.clear()
    agent.run()
    found = look(agent)
    assert found["loaded"][0]["health"] == "ok" and "PreToolUse 1" in found["fired"][0]["text"]
    assert len(found["transcript"]) == 1, "the call that hooke saw is not missed"


def test_calls_that_claude_made_without_hooke_are_listed(start, model):
    """Those of a subagent, too."""
    agent = start("claude")
    model.turns = [{"tool": "NoSuchTool", "args": {}}, agent.bash("echo one"), agent.task("go on"),
                   agent.bash("echo two"), {"text": "finished"}]
    assert hooke(agent, "install", "claude", "--yes").returncode == 0
    options, agent.options = agent.options, [*agent.options, "--settings", '{"disableAllHooks": true}']
    agent.run()
    found = look(agent)
    assert found["installed"][0]["health"] == found["command"][0]["health"] == "ok"
    assert found["loaded"][0]["health"] == "warn" and "fired" not in found
    missed = " ".join(line["text"] for line in found["transcript"])
    assert missed.count("no receipt for") == len(found["transcript"]) == 2
    assert missed.count("(Bash)") == 2 and missed.count("(Agent)") == 1

    agent.options = options
    model.asked.clear()
    agent.run()
    found = look(agent)
    assert found["loaded"][0]["health"] == "ok"
    assert "PreToolUse 3, PostToolUse 3" in found["fired"][0]["text"]
    assert "SubagentStart 1" in found["fired"][0]["text"]
    assert len(found["transcript"]) == 2, "the calls that hooke saw are not missed"


def codex_hooks(agent):
    """What Codex says of each hook, as its own screens are told."""
    asked = [{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t", "version": "1"}}},
             {"method": "initialized"},
             {"id": 2, "method": "hooks/list", "params": {"cwds": [str(agent.cwd)]}}]
    with subprocess.Popen([PEERS / "codex", "app-server"], cwd=agent.cwd, env=agent.env, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as server:
        server.stdin.write("".join(json.dumps(line) + "\n" for line in asked))
        server.stdin.flush()
        for line in server.stdout:
            if (told := json.loads(line)).get("id") == 2:
                server.terminate()
                return told["result"]["data"][0]["hooks"]
    raise AssertionError("it does not answer")


def test_codex_and_doctor_agree_on_what_is_trusted(start, model):
    agent = start("codex")
    model.turns = [agent.bash("echo one"), {"text": "finished"}]
    assert hooke(agent, "install", "codex", "--yes").returncode == 0
    assert {h["trustStatus"] for h in codex_hooks(agent)} == {"untrusted"}
    config = agent.folder / "config.toml"
    config.write_text(config.read_text() + "".join(
        f'[hooks.state."{h["key"]}"]\ntrusted_hash = "{h["currentHash"]}"\n' for h in codex_hooks(agent)))
    assert {h["trustStatus"] for h in codex_hooks(agent)} == {"trusted"}
    assert look(agent)["trusted"][0]["health"] == "ok"
    distrust(agent)
    agent.run()
    assert "PreToolUse 1" in look(agent)["fired"][0]["text"]
    # another install changes nothing, a change of one entry does
    assert "already" in hooke(agent, "install", "codex", "--yes").stdout
    settings = agent.folder / "hooks.json"
    settings.write_text(settings.read_text().replace("hooke-answer codex", "hooke-answer  codex", 1))
    event, = [h["key"].split(":")[-3] for h in codex_hooks(agent) if h["trustStatus"] == "modified"]
    told, = look(agent)["trusted"]
    assert told["health"] != "ok" and f": {event.title().replace('_', '')} of" in told["text"]


@pytest.mark.parametrize("trusted", [True, False])
def test_gemini_is_looked_at_as_it_is(start, model, trusted):
    agent = start("gemini")
    model.turns = [agent.bash("echo one"), {"text": "finished"}]
    assert hooke(agent, "install", "gemini", "--yes").returncode == 0
    agent.run()
    found = look(agent)
    assert found["enabled"][0]["health"] == "ok" and "BeforeTool 1" in found["fired"][0]["text"]
    assert found["transcript"][0]["health"] == "ok", found["transcript"]
    if not trusted:
        distrust(agent)
        assert look(agent)["trusted"][0]["health"] == "warn"
    else:
        assert found["trusted"][0]["health"] == "ok"


def test_opencode_loads_the_file_that_install_writes(start, model):
    agent = start("opencode")
    config = agent.home / ".config/hooke/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text('hooks: [{ name: no, on: tool.execute.before, tool: bash, block: never here }]\n')
    assert hooke(agent, "install", "opencode", "--yes").returncode == 0
    # what it would fetch for a folder with plugins
    folder, wants = agent.home / ".config/opencode", {"@opencode-ai/plugin": "*"}
    (folder / "node_modules").mkdir()
    (folder / "package.json").write_text(json.dumps({"dependencies": wants}))
    (folder / "package-lock.json").write_text(json.dumps({"packages": {"": {"dependencies": wants}}}))
    model.turns = [agent.bash("echo one"), {"text": "finished"}]
    try:
        agent.run()
        assert "never here" in model.sent(1)
        found = look(agent)
        assert found["loaded"][0]["health"] == "ok"
        assert "tool.execute.before 1" in found["fired"][0]["text"]
        assert found["transcript"][0]["text"].startswith("1 tool call in 1 session")
        # what it calls without the plugin is missed
        agent.env["OPENCODE_PURE"] = "1"
        model.asked.clear()
        agent.run()
        assert "one" in model.sent(1) and "never here" not in model.sent(1)
        assert "no receipt for 1 tool call: call_" in look(agent)["transcript"][0]["text"]
    finally:
        hooke(agent, "serve", "--stop")


@pytest.mark.parametrize("name", ["claude", "gemini", "opencode"])
def test_installed_in_two_places_hooke_is_asked_once(start, model, name):
    agent = start(name)
    agent.install()
    assert hooke(agent, "install", name, "--project", "--yes").returncode == 0
    model.turns = [agent.bash("echo one"), {"text": "finished"}]
    agent.run()
    points = [r["point"] for r in agent.receipts()]
    assert points.count("chat.message") == points.count("tool.execute.before") == 1
