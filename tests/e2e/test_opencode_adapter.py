"""The OpenCode plugin against a daemon, in a host that behaves as OpenCode does."""

import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess
import threading

import pytest

from daemon import WAIT, Daemon, wait_for

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ADAPTER = SOURCE / "adapters/opencode"

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


CALL = ("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"}, {"args": {"a": 1}})


class OpenCode:
    """One instance with the plugin in it."""

    def __init__(self, hooke, module=ADAPTER / "index.js", stdout=subprocess.PIPE, words=(),
                 **options):
        self.child = subprocess.Popen(
            ["node", str(SOURCE / "tests/e2e/opencode_host.mjs"), str(module),
             str(hooke.cwd), json.dumps({"program": hooke.program, **options}), *words],
            cwd=hooke.cwd, env=hooke.env, text=True, stdin=subprocess.PIPE,
            stdout=stdout, stderr=subprocess.PIPE)
        hooke.started.append(self.child)

    def step(self, **step):
        self.child.stdin.write(json.dumps(step) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        assert line, self.child.stderr.read()
        return json.loads(line)

    def hook(self, name, input=None, output=None):
        return self.step(hook=name, input=input, output=output)

    def event(self, type, **properties):
        return self.hook("event", {"event": {"id": "e", "type": type, "properties": properties}})

    def calls(self, name=None):
        calls = self.step(calls=True)["calls"]
        return [c for c in calls if c["name"] == name] if name else calls

    def say(self, text, session="ses_1", **more):
        message = {"id": "msg_1", "sessionID": session, "role": "user", "agent": "build",
                   "model": {"providerID": "acme", "modelID": "big"}}
        part = {"id": "prt_1", "sessionID": session, "messageID": "msg_1", "type": "text",
                "text": text}
        return self.hook("chat.message", {"sessionID": session, "agent": "build", **more},
                         {"message": message, "parts": [part]})

    def end(self):
        self.child.stdin.close()
        err = self.child.stderr.read()
        assert self.child.wait(WAIT) == 0
        if self.child.stdout:
            self.child.stdout.close()
        self.child.stderr.close()
        return err


@pytest.fixture(params=["package", "installed"])
def opencode(hooke, request):
    """The plugin as a package has it, and as the one file that `hooke install opencode` writes."""
    daemon = Daemon(hooke)
    if request.param == "package":
        host = OpenCode(hooke)
    else:
        assert hooke("install", "opencode", "--yes").rc == 0
        module = hooke.home / "hooke.mjs"
        module.write_bytes((hooke.home / ".config/opencode/plugins/hooke.js").read_bytes())
        host = OpenCode(hooke, module)
    yield host
    if not host.child.stdin.closed:
        host.end()
    daemon.end()


def receipts(hooke):
    return [json.loads(line) for f in sorted(hooke.receipts.glob("*.jsonl")) for line in f.open()]


def points(hooke):
    return [r["point"] for r in receipts(hooke)]


def test_registers_what_has_a_point(opencode):
    got = opencode.step(hooks=True)
    assert got["id"] == "hooke"
    page = (SOURCE / "docs/agents/opencode.md").read_text()
    table = page.split("\n## Hooks\n")[1].split("\n## ")[0]
    forwarded = re.findall(r"^\| `([a-z_.]+)` \| `", table, re.M)
    assert sorted(got["hooks"]) == sorted(forwarded + ["event", "dispose"])
    for name in ("config", "tool", "auth", "provider", "command.execute.before",
                 "experimental.compaction.autocontinue", "experimental.provider.small_model"):
        assert re.search(rf"`{re.escape(name)}`", page), name


def test_receipts_name_the_agent(opencode, hooke):
    opencode.hook("tool.definition", {"toolID": "bash"}, {"description": "d"})
    assert [(r["via"], r.get("as")) for r in receipts(hooke)] == [("opencode", None)]


def test_the_package_is_ready_for_a_registry(hooke):
    package = json.loads((ADAPTER / "package.json").read_text())
    assert package["type"] == "module" and "dependencies" not in package
    assert package["version"] == hooke("version", "--json").json["version"]
    assert (ADAPTER / "LICENSE").read_text() == (SOURCE / "LICENSE").read_text()
    for name in [package["main"], package["types"], *package["files"], "README.md"]:
        assert (ADAPTER / name).exists()
    for module in [ADAPTER / "index.js", *(ADAPTER / "lib").glob("*.js")]:
        for source in re.findall(r'from "([^"]+)"', module.read_text()):
            assert source.startswith(("node:", "./")), (module, source)


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_the_package_can_be_packed_installed_and_loaded(hooke, tmp_path):
    def run(*words, cwd):
        return subprocess.run(words, cwd=cwd, env=hooke.env, text=True, capture_output=True, check=True,
                              timeout=WAIT * 3).stdout

    packed = json.loads(run("npm", "pack", "--json", "--offline", "--pack-destination", str(tmp_path),
                            cwd=ADAPTER))[0]
    names = {file["path"] for file in packed["files"]}
    lib = {f"lib/{p.name}" for p in (ADAPTER / "lib").glob("*.js")}
    assert names == {"LICENSE", "README.md", "index.d.ts", "index.js", "package.json"} | lib
    (tmp_path / "package.json").write_text("{}")
    run("npm", "install", "--offline", "--no-audit", "--no-fund", f"./{packed['filename']}", cwd=tmp_path)
    script = ("for (const name of ['hooke-opencode', 'hooke-opencode/server'])"
              " console.log(Object.keys(await import(name)).join(), (await import(name)).default.id)")
    assert run("node", "--input-type=module", "-e", script, cwd=tmp_path) == "default hooke\n" * 2


# Tools


def test_a_block_before_a_tool_is_thrown(opencode, hooke):
    hooke.config("""
hooks:
  - { name: no-rm, on: tool.execute.before, tool: bash, when: 'has(args.command, "rm")', block: never }
  - { name: look, on: tool.execute.before, tool: web_fetch, ask: who says so }
  - { name: over, on: tool.execute.before, tool: task, stop: enough }
""")
    call = {"sessionID": "ses_1", "callID": "c1"}
    assert opencode.hook("tool.execute.before", {"tool": "bash", **call},
                         {"args": {"command": "rm x"}}) == {"error": "never"}
    assert "error" not in opencode.hook("tool.execute.before", {"tool": "bash", **call},
                                        {"args": {"command": "ls"}})
    assert "who says so" in opencode.hook("tool.execute.before", {"tool": "webfetch", **call},
                                          {"args": {}})["error"]
    assert not opencode.calls("abort")
    assert opencode.hook("tool.execute.before", {"tool": "task", **call},
                         {"args": {}}) == {"error": "enough"}
    assert opencode.calls("abort")[0]["path"] == {"id": "ses_1"}


def test_arguments_are_changed_in_place_under_opencodes_names(opencode, hooke):
    hooke.config("hooks: [{ name: move, on: PreToolUse, tool: Read, replace: { args: { path: /b } } }]")
    got = opencode.hook("tool.execute.before", {"tool": "read", "sessionID": "s", "callID": "c"},
                        {"args": {"filePath": "/a", "limit": 5}})
    assert got["kept"]["args"] == {"filePath": "/b"}


def test_output_is_changed_added_to_or_withheld(opencode, hooke):
    hooke.config("""
hooks:
  - { name: mask, on: tool.execute.after, tool: bash, when: 'has(output, "secret")', replace: { output: masked } }
  - { name: add, on: tool.execute.after, tool: bash, when: 'has(output, "more")', inject: see also }
  - { name: hold, on: tool.execute.after, tool: bash, when: 'has(output, "hold")', block: not for you }
""")

    def after(text=None, **output):
        output = output or {"title": "t", "output": text, "metadata": {}}
        got = opencode.hook("tool.execute.after", {"tool": "bash", "sessionID": "s", "callID": "c",
                                                   "args": {"command": "x"}}, output)
        return got["output"]
    assert after("a secret")["output"] == "masked"
    assert after("more")["output"] == "more\n\nsee also"
    assert after("hold it")["output"] == "not for you"
    assert after("plain")["output"] == "plain"
    image = {"type": "image", "data": "x"}
    mcp = after(content=[{"type": "text", "text": "a secret"}, image])
    assert mcp["content"] == [{"type": "text", "text": "masked"}, image]
    assert opencode.hook("tool.execute.after", {"tool": "bash", "sessionID": "s", "callID": "c"},
                         None) == {"output": None, "kept": None}


def test_a_tool_that_failed_is_told_of_once(opencode, hooke):
    part = {"type": "tool", "callID": "c9", "tool": "bash", "sessionID": "ses_1",
            "state": {"status": "error", "input": {"command": "x"}, "error": "no such thing"}}
    for _ in range(2):
        opencode.event("message.part.updated", sessionID="ses_1", part=part)
    assert points(hooke).count("tool.execute.after") == 1


def failed_part(text, call="c9"):
    return {"id": "prt_1", "type": "tool", "callID": call, "tool": "bash", "sessionID": "ses_1",
            "state": {"status": "error", "input": {"command": "x"}, "error": text}}


def shown(opencode, *parts):
    """What the model would read of the parts of its last message."""
    told = [*history("go"), {"info": {"id": "msg_2", "role": "assistant", "sessionID": "ses_1"}, "parts": [*parts]}]
    got = opencode.hook("experimental.chat.messages.transform", {}, {"messages": told})
    return [part["state"]["error"] for part in got["output"]["messages"][-1]["parts"]]


@pytest.mark.parametrize("told_before", [True, False])
def test_what_a_failed_tool_printed_is_changed_before_the_model_reads_it(opencode, hooke, told_before):
    hooke.config("hooks: [{ name: no, on: tool.execute.after, when: 'output == \"hold it\"', block: not for you }]")
    opencode.say("go")
    secret, other = failed_part("no ghp_" + "0" * 36), failed_part("hold it", "c10")
    for part in (secret, other) if told_before else ():
        opencode.event("message.part.updated", sessionID="ses_1", part=part)
    for _ in range(2):
        masked, withheld = shown(opencode, secret, other)
        assert masked.startswith("no [a GitHub token, masked") and withheld == "not for you"
    for part in (secret, other):
        opencode.event("message.part.updated", sessionID="ses_1", part=part)
    assert points(hooke).count("tool.execute.after") == 2, "each once"


def test_definitions_variables_and_permissions(opencode, hooke):
    hooke.config("""
hooks:
  - { name: terse, on: tool.definition, tool: bash, replace: { description: short } }
  - { name: pager, on: shell.env, modify: { env: { PAGER: cat } } }
  - { name: yes, on: permission.ask, tool: read, allow: true }
  - { name: no, on: permission.ask, tool: bash, block: no }
""")
    got = opencode.hook("tool.definition", {"toolID": "bash"},
                        {"description": "long", "parameters": {}, "jsonSchema": {"type": "object"}})
    assert got["output"]["description"] == "short"
    got = opencode.hook("shell.env", {"cwd": "/", "sessionID": "s"}, {"env": {"A": "1"}})
    assert got["kept"]["env"] == {"A": "1", "PAGER": "cat"}
    for tool, status in (("read", "allow"), ("bash", "deny"), ("edit", "ask")):
        got = opencode.hook("permission.ask", {"type": tool, "sessionID": "s", "metadata": {}},
                            {"status": "ask"})
        assert got["output"]["status"] == status
    # as it is asked today: an event, answered by a call
    for tool in ("read", "bash", "edit"):
        opencode.event("permission.asked", id=f"per_{tool}", sessionID="s", permission=tool,
                       patterns=["x"], metadata={})
    replies = opencode.calls("permission")
    assert [(c["path"]["permissionID"], c["body"]["response"]) for c in replies] == [
        ("per_read", "once"), ("per_bash", "reject")]
    assert points(hooke).count("notification") == 3


# Messages


def test_a_prompt_is_blocked_changed_and_added_to(opencode, hooke):
    hooke.config("""
hooks:
  - { name: no, on: chat.message, when: 'has(message.text, "never")', block: not that }
  - { name: hard, on: chat.message, when: 'has(message.text, "think")', modify: { message: { variant: high } } }
  - { name: word, on: chat.message, when: 'has(message.text, "typo")', modify: { message: { text: mended } } }
  - { name: add, on: chat.message, when: 'has(message.text, "add")', inject: and this }
""")
    assert opencode.say("never") == {"error": "not that"}
    assert opencode.say("think")["kept"]["message"]["model"]["variant"] == "high"
    got = opencode.say("a typo")["kept"]["parts"]
    assert [p["text"] for p in got] == ["mended"]
    own, added = opencode.say("add")["kept"]["parts"]
    assert own["text"] == "add"
    assert added["text"] == "and this" and added["synthetic"] is True
    assert added["id"].startswith("prt_1") and added["id"] > own["id"]
    assert (added["messageID"], added["sessionID"]) == ("msg_1", "ses_1")


def history(*texts):
    return [{"info": {"id": f"msg_{n}", "sessionID": "ses_1", "agent": "build",
                      "role": "assistant" if n % 2 else "user"},
             "parts": [{"id": f"prt_{n}", "sessionID": "ses_1", "messageID": f"msg_{n}",
                        "type": "text", "text": text}]} for n, text in enumerate(texts)]


def test_context_that_waited_is_placed_the_same_every_time(opencode, hooke):
    hooke.config("hooks: [{ name: hint, on: SessionStart, inject: remember the milk }]")
    opencode.event("session.created", sessionID="ses_1", info={"id": "ses_1"})
    opencode.say("go")
    transform = "experimental.chat.messages.transform"
    first = opencode.hook(transform, {}, {"messages": history("go")})["kept"]["messages"]
    placed, own = first[0]["parts"]
    assert own["text"] == "go" and "synthetic" not in own
    assert "remember the milk" in placed["text"] and placed["synthetic"] is True
    second = opencode.hook(transform, {}, {"messages": history("go", "done")})["kept"]["messages"]
    assert second[0] == first[0]
    assert second[1]["parts"][0]["text"] == "done"


def test_messages_are_changed_dropped_and_added_in_place(opencode, hooke):
    script = hooke.config_dir / "m.lua"
    script.write_text("""
hooke.on("experimental.chat.messages.transform", function(e)
  local m = e.data.messages
  local first = { ref = m[1].ref, id = m[1].id, role = "user", content = { { ref = 0, type = "text", text = "shorter" } } }
  return { replace = { messages = { first, { role = "user", content = "one more" } } } }
end)
""")
    hooke.config(f"hooks: [{{ name: cut, script: {script} }}]")
    got = opencode.hook("experimental.chat.messages.transform", {},
                        {"messages": history("long", "answer", "again")})["kept"]["messages"]
    assert [(m["info"]["role"], m["parts"][0]["text"]) for m in got] == [
        ("user", "shorter"), ("user", "one more")]
    assert got[1]["info"]["id"] != got[0]["info"]["id"]
    assert opencode.hook("experimental.chat.messages.transform", {}, {"messages": []}) == {
        "output": {"messages": []}, "kept": {"messages": []}}


def test_system_prompt_by_purpose(opencode, hooke):
    hooke.config("""
hooks:
  - { name: rules, on: experimental.chat.system.transform, when: 'purpose == "main"', inject: house rules }
  - { name: title, on: experimental.chat.system.transform, when: 'purpose == "title"', replace: { system: [t] } }
""")
    name, model = "experimental.chat.system.transform", {"providerID": "acme", "id": "big"}
    got = opencode.hook(name, {"sessionID": "ses_1", "model": model}, {"system": ["base"]})
    assert got["kept"]["system"] == ["t"]
    opencode.hook("experimental.chat.messages.transform", {}, {"messages": history("go")})
    got = opencode.hook(name, {"sessionID": "ses_1", "model": model}, {"system": ["base"]})
    assert got["kept"]["system"][0] == "base" and "house rules" in got["kept"]["system"][1]
    # a title is asked for beside the first request, and may come first
    opencode.hook("experimental.chat.messages.transform", {}, {"messages": history("go")})
    asked = {"system": ["You are a title generator. You"]}
    assert opencode.hook(name, {"sessionID": "ses_1", "model": model}, asked)["kept"]["system"] == ["t"]
    got = opencode.hook(name, {"sessionID": "ses_1", "model": model}, {"system": ["base"]})
    assert "house rules" in got["kept"]["system"][1]
    got = opencode.hook(name, {"model": model}, {"system": ["base"]})
    assert got["kept"]["system"] == ["base"]


def test_parameters_headers_and_text(opencode, hooke):
    hooke.config("""
hooks:
  - { name: cold, on: chat.params, modify: { params: { temperature: 0, top_p: 0.5 } } }
  - { name: who, on: chat.headers, when: 'provider == "acme"', modify: { headers: { x-who: hooke } } }
  - { name: polish, on: experimental.text.complete, replace: { text: polished } }
""")
    input = {"sessionID": "s", "agent": "build", "provider": {}, "message": {"id": "msg_1"},
             "model": {"id": "big", "providerID": "acme", "limit": {"context": 100},
                       "api": {"npm": "@ai-sdk/x"}}}
    got = opencode.hook("chat.params", input, {"temperature": 1, "maxOutputTokens": 9, "options": {}})
    assert got["output"] == {"temperature": 0, "topP": 0.5, "maxOutputTokens": 9, "options": {}}
    got = opencode.hook("chat.headers", input, {"headers": {"a": "b"}})
    assert got["kept"]["headers"] == {"a": "b", "x-who": "hooke"}
    got = opencode.hook("experimental.text.complete",
                        {"sessionID": "s", "messageID": "m", "partID": "p"}, {"text": "rough"})
    assert got["output"]["text"] == "polished"


def test_compaction(opencode, hooke):
    hooke.config("""
hooks:
  - { name: keep, on: PreCompact, modify: { prompt: keep the plan, context: [a, b] } }
""")
    name = "experimental.session.compacting"
    got = opencode.hook(name, {"sessionID": "ses_1"}, {"context": ["a"]})
    assert got["output"]["prompt"] == "keep the plan" and got["kept"]["context"] == ["a", "b"]
    opencode.hook("experimental.chat.messages.transform", {}, {"messages": history("go")})
    opencode.event("session.compacted", sessionID="ses_1")
    assert points(hooke)[-1] == "session.compacted"
    hooke.config("hooks: [{ name: no, on: PreCompact, block: not now }]")
    assert opencode.hook(name, {"sessionID": "ses_1"}, {"context": []}) == {"error": "not now"}


# The bus


def finish(opencode, session="ses_1"):
    opencode.event("session.status", sessionID=session, status={"type": "idle"})
    opencode.event("session.idle", sessionID=session)


def test_agent_stop_comes_once_and_follow_ups_are_sent(opencode, hooke):
    hooke.config("""
hooks:
  - { name: more, on: agent.stop, when: continuations == 0, continue: look again }
""")
    opencode.say("go", variant="high")
    finish(opencode)
    sent = opencode.calls("promptAsync")
    assert len(sent) == 1 and sent[0]["path"] == {"id": "ses_1"}
    assert sent[0]["body"]["parts"] == [{"type": "text", "text": "look again"}]
    assert sent[0]["body"]["agent"] == "build"
    assert sent[0]["body"]["model"] == {"providerID": "acme", "modelID": "big"}
    opencode.say("look again")
    finish(opencode)
    assert not opencode.calls("promptAsync")
    assert points(hooke).count("agent.stop") == 2
    assert points(hooke).count("session.idle") == 2


KEEP_GOING = "hooks: [{ name: more, on: agent.stop, continue: on and on }]"
ABORTED = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}


@pytest.mark.parametrize("how", ["session.error", "message.updated"])
def test_a_run_that_somebody_has_aborted_is_not_kept_going(opencode, hooke, how):
    hooke.config(KEEP_GOING)
    opencode.say("go")
    if how == "session.error":
        opencode.event(how, sessionID="ses_1", error=ABORTED)
    else:
        opencode.event(how, sessionID="ses_1", info=assistant(error=ABORTED))
    finish(opencode)
    assert not opencode.calls("promptAsync") and "agent.stop" not in points(hooke)
    assert points(hooke).count("session.idle") == 1
    opencode.say("go again")
    finish(opencode)
    assert opencode.calls("promptAsync")


def test_a_run_that_a_hook_has_stopped_is_not_kept_going(opencode, hooke):
    hooke.config(KEEP_GOING.replace("]", ", { name: over, on: tool.execute.before, stop: enough }]"))
    opencode.say("go")
    assert opencode.hook(*CALL[:1], {**CALL[1], "sessionID": "ses_1"}, CALL[2]) == {"error": "enough"}
    finish(opencode)
    assert [c["name"] for c in opencode.calls() if c["name"] != "get"] == ["abort"]


def test_a_stop_after_a_tool_that_failed_aborts(opencode, hooke):
    hooke.config("hooks: [{ name: over, on: tool.execute.after, when: not success, stop: enough }]")
    opencode.say("go")
    part = {"id": "p", "type": "tool", "tool": "bash", "callID": "c1", "sessionID": "ses_1",
            "state": {"status": "error", "input": {"command": "x"}, "error": "no such thing"}}
    opencode.event("message.part.updated", sessionID="ses_1", part=part)
    finish(opencode)
    assert opencode.calls("abort")[0]["path"] == {"id": "ses_1"}
    assert "agent.stop" not in points(hooke)


def test_open_todos_keep_it_going_unless_it_asks(opencode, hooke):
    todos = [{"id": "1", "content": "paint it", "status": "pending", "priority": "high"}]
    opencode.event("todo.updated", sessionID="ses_1", todos=todos)
    opencode.step(reply={"messages": history("go", "half done")})
    opencode.say("go")
    finish(opencode)
    sent, = opencode.calls("promptAsync")
    assert "1 of 1 todos are still open:\n- paint it" in sent["body"]["parts"][0]["text"]
    opencode.step(reply={"messages": history("go", "which colour?")})
    opencode.say("go on")
    finish(opencode)
    assert not opencode.calls("promptAsync")


def test_loops_end(opencode, hooke):
    hooke.config("limits: { continuations: 2 }\n"
                 "hooks: [{ name: more, on: agent.stop, continue: on and on }]")
    sent = 0
    opencode.say("go")
    for _ in range(5):
        opencode.hook("tool.execute.before", {"tool": "bash", "sessionID": "ses_1", "callID": "c"},
                      {"args": {}})
        finish(opencode)
        calls = opencode.calls()
        again = [c for c in calls if c["name"] == "promptAsync"]
        if not again:
            break
        sent += 1
        opencode.say(again[0]["body"]["parts"][0]["text"])
    assert sent == 2
    assert any("lets the agent stop" in c["body"]["message"] for c in calls
               if c["name"] == "showToast")


def assistant(**more):
    return {"id": "msg_9", "sessionID": "ses_1", "role": "assistant", "providerID": "acme",
            "modelID": "big", "time": {"created": 1, "completed": 2},
            "tokens": {"input": 70, "output": 10, "reasoning": 0, "cache": {"read": 5, "write": 0}},
            **more}


def test_a_turn_ends_with_its_usage(opencode, hooke):
    hooke.config("""
hooks:
  - name: full
    on: turn.after
    when: usage.current_context_window / usage.max_context_window > 0.8 and turn == 1
    callback: compact
""")
    opencode.say("go")
    opencode.hook("experimental.chat.messages.transform", {}, {"messages": history("go")})
    opencode.hook("chat.params", {"sessionID": "ses_1", "model": {"id": "big", "providerID": "acme",
                                                                "limit": {"context": 100}}}, {})
    for info in (assistant(time={"created": 1}), assistant(), assistant()):
        opencode.event("message.updated", sessionID="ses_1", info=info)
    assert points(hooke).count("turn.after") == 1 == points(hooke).count("message.updated")
    calls = opencode.calls("summarize")
    assert calls[0]["body"] == {"providerID": "acme", "modelID": "big"}


@pytest.mark.parametrize("how", ["session.error", "message.updated", "session.status"])
def test_fallback_aborts_and_sends_the_message_again(opencode, hooke, how):
    hooke.config("agents: { build: { model: acme/big, fallback: [other/small] } }")
    opencode.say("go")
    opencode.step(reply={"messages": history("go", "half", "the question")})
    error = {"name": "APIError", "data": {"message": "slow down", "statusCode": 429}}
    opencode.event("message.updated", sessionID="ses_1", info=assistant(time={"created": 1}))
    if how == "session.error":
        opencode.event(how, sessionID="ses_1", error=error)
    elif how == "message.updated":
        opencode.event(how, sessionID="ses_1", info=assistant(error=error))
    else:
        opencode.event(how, sessionID="ses_1", status={"type": "retry", "attempt": 1,
                                                      "message": "Rate limit exceeded"})
    calls = []
    wait_for(lambda: calls.extend(opencode.calls()) or
             any(c["name"] == "promptAsync" for c in calls))
    names = [c["name"] for c in calls if c["name"] not in ("showToast", "get")]
    assert names == ["messages", "abort", "promptAsync"]
    body = calls[-1]["body"]
    assert body["model"] == {"providerID": "other", "modelID": "small"}
    assert body["parts"] == [{"type": "text", "text": "the question"}]


def test_an_aborted_run_is_no_reason_to_fall_back(opencode, hooke):
    hooke.config("agents: { build: { model: acme/big, fallback: [other/small] } }")
    opencode.say("go")
    opencode.event("session.error", sessionID="ses_1", error={"name": "MessageAbortedError",
                                                            "data": {"message": "rate limit"}})
    assert not opencode.calls("promptAsync")
    assert "agent.error" not in points(hooke)


def test_sessions_and_subagents(opencode, hooke):
    opencode.event("session.created", sessionID="ses_2",
                   info={"id": "ses_2", "parentID": "ses_1", "agent": "general"})
    opencode.event("session.deleted", info={"id": "ses_2"})
    opencode.say("go", session="ses_3")
    opencode.event("question.asked", sessionID="ses_3", questions=[{"question": "which?"}])
    opencode.event("lsp.updated")
    opencode.event("session.updated", sessionID="ses_3")
    assert points(hooke) == ["session.created", "subagent.session.created", "session.deleted",
                             "session.created", "chat.message", "notification"]
    for receipt in receipts(hooke)[:2]:
        assert (receipt["session"], receipt["parent"], receipt["agent"]) == ("ses_2", "ses_1", "general")


def test_a_subagent_that_is_resumed_is_known_for_one(opencode, hooke):
    hooke.config("hooks: [{ name: no, on: chat.message, session: sub, block: not in a subagent }]")
    opencode.step(reply={"get": {"id": "ses_2", "parentID": "ses_1"}})
    assert opencode.say("go", session="ses_2") == {"error": "not in a subagent"}
    opencode.step(reply={"get": {"id": "ses_3"}})
    assert "error" not in opencode.say("go", session="ses_3")


def test_what_a_hook_says_is_shown(opencode, hooke):
    script = hooke.config_dir / "say.lua"
    script.write_text('hooke.on("agent.start", function() end)\n'
                      'hooke.on("chat.message", function() return { say = "hello" } end)\n')
    hooke.config(f"hooks: [{{ name: say, script: {script} }}]")
    opencode.say("go")
    assert opencode.calls("showToast")[0]["body"]["message"] == "hello"


# The daemon


def test_reconnects_when_the_daemon_was_replaced(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, block: never }]")
    daemon, host = Daemon(hooke), OpenCode(hooke)
    call = ("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"}, {"args": {}})
    assert host.hook(*call) == {"error": "never"}
    daemon.end("kill")
    daemon = Daemon(hooke)
    wait_for(lambda: host.hook(*call) == {"error": "never"})
    host.end()
    daemon.end()


def test_a_missing_daemon_is_started(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, block: never }]")
    host = OpenCode(hooke)
    assert host.hook("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"},
                     {"args": {}}) == {"error": "never"}
    host.end()
    assert hooke("serve", "--stop").rc == 0
    wait_for(lambda: hooke("serve", "--status").rc == 1)


def test_many_that_start_one_at_once_share_it(hooke):
    hooke.config("disabled_hooks: [loop-guard]\nhooks: [{ name: no, on: tool.execute.before, block: never }]")
    hosts = [OpenCode(hooke) for _ in range(4)]
    for host in hosts:
        host.child.stdin.write(json.dumps({"hook": CALL[0], "input": CALL[1], "output": CALL[2]}) + "\n")
        host.child.stdin.flush()
    assert [json.loads(host.child.stdout.readline()) for host in hosts] == [{"error": "never"}] * 4
    for host in hosts:
        assert host.end() == ""
    assert hooke("serve", "--stop").rc == 0
    wait_for(lambda: hooke("serve", "--status").rc == 1)


def test_a_daemon_is_started_where_it_is_looked_for(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, block: never }]")
    path = hooke.cwd / "own.sock"
    hooke.cwd.chmod(0o700)
    host = OpenCode(hooke, socket="own.sock")
    assert host.hook(*CALL) == {"error": "never"}
    host.end()
    assert hooke("serve", "--stop", "--socket", str(path)).rc == 0
    wait_for(lambda: hooke("serve", "--status", "--socket", str(path)).rc == 1)


def test_the_end_waits_for_what_has_happened_and_warns_of_nothing(hooke):
    hooke.config("hooks: [{ name: slow, on: agent.stop, exec: 'sleep 0.3; echo done >$HOME/told' }]")
    daemon, host = Daemon(hooke), OpenCode(hooke)
    host.say("go")
    idle = {"id": "e", "type": "session.idle", "properties": {"sessionID": "ses_1"}}
    host.child.stdin.write(json.dumps({"hook": "event", "input": {"event": idle}, "late": True}) + "\n")
    assert host.end() == ""
    assert (hooke.home / "told").read_text() == "done\n"
    daemon.end()


def test_goes_on_without_one_and_warns_once(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, block: never }]")
    host = OpenCode(hooke, program="/nowhere/hooke")
    for _ in range(3):
        got = host.hook("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"},
                        {"args": {"a": 1}})
        assert got["output"] == {"args": {"a": 1}}
    toasts = host.calls("showToast")
    assert len(toasts) == 1 and "hooks do not run" in toasts[0]["body"]["message"]
    assert host.end().count("hooks do not run") == 1


def test_what_does_not_work_is_told_to_the_person(hooke, opencode):
    hooke.config("hooks: [{ name: mine, on: tool.execute.before, exec: [./none] },"
                 " { name: typo, onn: agent.stop }]\n")
    opencode.say("hello")
    opencode.hook(*CALL)
    opencode.hook(*CALL)
    told = [c["body"]["message"] for c in opencode.calls("showToast")]
    assert any("did you mean 'on'?" in text for text in told)
    assert len([text for text in told if "hook 'mine' could not be started" in text]) == 1


def test_a_plugin_in_two_places_asks_once(opencode):
    assert opencode.step(again={"anything": 1})["hooks"] == []


def test_the_second_of_two_places_may_require_a_daemon(hooke):
    host = OpenCode(hooke, program=False)
    assert host.step(again={"required": True})["hooks"] == []
    assert "hooke is required" in host.hook(*CALL)["error"]
    host.end()


def test_when_required_nothing_goes_on_without_one(hooke):
    host = OpenCode(hooke, program=False, required=True)
    got = host.hook("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"},
                    {"args": {}})
    assert "hooke is required" in got["error"]
    assert "error" in host.say("go")
    assert "error" not in host.hook("shell.env", {"cwd": "/"}, {"env": {}})
    host.end()


def test_a_daemon_that_ends_at_once_is_not_waited_for(hooke):
    program = hooke.home / "broken"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    host = OpenCode(hooke, program=str(program))
    assert "error" not in host.hook(*CALL)
    told, = host.calls("showToast")
    assert f"'{program} serve' ended at once (exit code 3)" in told["body"]["message"]
    host.end()


@pytest.mark.parametrize("words,told", [(["run", "go"], True), (["--print-logs", "serve"], True),
                                        ([], False)])
def test_a_terminal_without_a_screen_shows_what_a_toast_would(hooke, words, told):
    """`opencode run` has a terminal and nothing that shows toasts."""
    ours, theirs = pty.openpty()
    host = OpenCode(hooke, program="/nowhere/hooke", stdout=theirs, words=words)
    host.child.stdin.write(json.dumps({"hook": CALL[0], "input": CALL[1], "output": CALL[2]}) + "\n")
    assert ("hooks do not run" in host.end()) == told
    os.close(ours)
    os.close(theirs)


class FakeDaemon:
    """Answers what it is told to: one answer for each message, None hangs up, "" says nothing."""

    def __init__(self, hooke, *answers):
        self.path, self.answers = hooke.home / "fake.sock", iter(answers)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            with contextlib.suppress(OSError):
                connection, _ = self.listener.accept()
                with connection, connection.makefile("r") as lines:
                    self.talk(connection, lines)
            if self.listener.fileno() < 0:
                return

    def talk(self, connection, lines):
        for line in lines:
            asked = json.loads(line)
            answer = {} if asked["method"] == "hello" else next(self.answers, None)
            if answer is None:
                return
            if answer != "":
                message = {"jsonrpc": "2.0", "id": asked["id"], **(answer or {"result": {}})}
                connection.sendall(json.dumps(message).encode() + b"\n")

    def close(self):
        self.listener.close()


def verdict(critical=None, **verdict):
    return {"result": {"verdict": verdict, **({"critical": True} if critical else {})}}


@pytest.mark.parametrize("before,refused", [
    ([], True),  # nobody knows: built-in guards are there unless somebody has put them off
    ([verdict(critical=True)], True),
    ([verdict(critical=False)], False),
])
def test_a_call_that_was_being_looked_at_when_the_daemon_went_is_not_let_through(
        hooke, before, refused):
    with contextlib.closing(FakeDaemon(hooke, *before, None)) as daemon:
        host = OpenCode(hooke, program=False, socket=str(daemon.path))
        for _ in before:
            assert "error" not in host.hook(*CALL)
        got = host.hook(*CALL)
        assert ("error" in got) == refused
        assert not refused or re.search("the daemon has gone.*try it again", got["error"])
        assert len(host.calls("showToast")) == 1
        host.end()


def test_what_is_no_gate_goes_on_when_the_daemon_goes(hooke):
    with contextlib.closing(FakeDaemon(hooke, None, None, None)) as daemon:
        host = OpenCode(hooke, program=False, socket=str(daemon.path))
        assert "error" not in host.hook("shell.env", {"cwd": "/"}, {"env": {}})
        assert "error" not in host.hook("tool.definition", {"toolID": "bash"}, {"description": "d"})
        assert "error" not in host.say("go")
        host.end()


def test_an_event_that_the_daemon_refuses_is_not_let_through(hooke):
    hooke.config("strict: true\nhooks: [{ name: a, on: nowhere, block: b }]")
    daemon, host = Daemon(hooke), OpenCode(hooke)
    got = host.hook(*CALL)
    assert "safety-critical" in got["error"] and "hooke config check" in got["error"]
    hooke.config("hooks: []")
    assert "error" not in host.hook(*CALL)
    host.end()
    daemon.end()


def test_a_daemon_that_says_nothing_is_given_up(hooke):
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(hooke.home / "mute.sock"))
        listener.listen()
        host = OpenCode(hooke, program=False, socket=str(hooke.home / "mute.sock"))
        assert "error" not in host.hook(*CALL)
        told, = host.calls("showToast")
        assert "does not answer" in told["body"]["message"]
        host.end()
