"""hooke answer: events as Claude Code, Codex and Gemini CLI tell them, one process for each."""

import fcntl
import json
import os
import pathlib
import pwd
import re
import select
import sqlite3
import subprocess
import termios
import time

import pytest

from daemon import WAIT, Daemon, client

FORCE = """
  - name: no-force-push
    on: tool.execute.before
    when: tool == "bash" and re(args.command, [[push.*--force]])
    block: Force pushes are not allowed here.
"""
QUIET = "disabled_hooks: [secret-guard, command-guard, sandbox, loop-guard, todo-continuation]\n"

# What each agent writes around one shell command, as its hooks are given it.
BASE = {
    "claude": {"session_id": "c-1", "transcript_path": "/t/c.jsonl", "permission_mode": "default"},
    "codex": {"session_id": "x-1", "transcript_path": None, "model": "fake-1", "turn_id": "x-1-t"},
    "gemini": {"session_id": "g-1", "transcript_path": "", "timestamp": "2026-11-15T02:50:32.763Z"},
}
NAMES = {
    "claude": ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"),
}
SHELL = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command"}
AGENTS = list(BASE)


def response(agent, text):
    return {"claude": {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
            "codex": text, "gemini": {"llmContent": text, "returnDisplay": text}}[agent]


def event(agent, name, **members):
    return {**BASE[agent], "hook_event_name": name, **members}


def start(agent, source="startup"):
    return event(agent, NAMES[agent][0], source=source)


def prompt(agent, text="hi"):
    return event(agent, NAMES[agent][1], prompt=text)


def before(agent, command="ls", **members):
    return event(agent, NAMES[agent][2], tool_name=SHELL[agent], tool_input={"command": command},
                 **members)


def after(agent, command="ls", text="out"):
    return event(agent, NAMES[agent][3], tool_name=SHELL[agent], tool_input={"command": command},
                 tool_response=response(agent, text))


def stop(agent, active=False):
    return event(agent, NAMES[agent][4], stop_hook_active=active, last_assistant_message="done",
                 prompt="hi", prompt_response="done")


def answer(hooke, agent, document, *words, **env):
    text = document if isinstance(document, str) else json.dumps(document)
    r = hooke("answer", agent, *words, input=text, **env)
    assert r.rc == 0, r.err
    return r


def said(hooke, agent, document):
    r = answer(hooke, agent, document)
    assert r.err == ""
    return r.json


def refusal(agent, name, reason):
    if agent == "gemini":
        return {"decision": "deny", "reason": reason}
    return {"hookSpecificOutput": {"hookEventName": name, "permissionDecision": "deny",
                                   "permissionDecisionReason": reason}}


def context(answer_json):
    return answer_json.get("hookSpecificOutput", {}).get("additionalContext")


def goes_on(agent, text):
    return {"decision": "deny" if agent == "gemini" else "block", "reason": text}


def receipts(hooke):
    lines = []
    for path in sorted(hooke.receipts.glob("*.jsonl")):
        lines += [json.loads(line) for line in path.read_text().splitlines()]
    return lines


def database(hooke):
    return hooke.home / ".local/share/hooke/hooke.db"


def run(hooke, program, document, **how):
    """Either program as an agent runs it; `how` is for subprocess.run()."""
    words = [client(), "claude"] if program == "hooke-answer" else [hooke.program, "answer", "claude"]
    return subprocess.run(words, input=json.dumps(document), text=True, cwd=hooke.cwd, env=hooke.env,
                          timeout=WAIT, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how})


# One session --------------------------------------------------------------------------------------

@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_in_which_nothing_is_said(hooke, agent):
    for document in (start(agent), prompt(agent), before(agent), after(agent), stop(agent),
                     event(agent, "SessionEnd", reason="other")):
        assert said(hooke, agent, document) == {}
    assert [r["point"] for r in receipts(hooke)] == [
        "session.created", "chat.message", "tool.execute.before", "tool.execute.after",
        "agent.stop", "session.ended"]
    assert {r["session"] for r in receipts(hooke)} == {BASE[agent]["session_id"]}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_rules_everywhere(hooke, agent):
    hooke.config("hooks:" + FORCE + """
  - { name: long, on: tool.execute.before, when: args.command == "ls", modify: { args: { command: ls -la } } }
  - { name: hint, on: tool.execute.after, inject: read the rules }
  - { name: polite, on: chat.message, when: 'has(message.text, "damn")', block: No swearing. }
""")
    name = NAMES[agent][2]
    assert said(hooke, agent, before(agent, "git push --force")) == refusal(
        agent, name, "Force pushes are not allowed here.")
    changed = said(hooke, agent, before(agent, "ls"))["hookSpecificOutput"]
    assert changed["tool_input" if agent == "gemini" else "updatedInput"] == {"command": "ls -la"}
    assert context(said(hooke, agent, after(agent))) == "read the rules"
    assert said(hooke, agent, prompt(agent, "damn")) == {
        "decision": "deny" if agent == "gemini" else "block", "reason": "No swearing."}


def test_a_subagent_is_a_session_of_its_own(hooke):
    hooke.config("hooks: [{ name: subs, on: tool.execute.before, session: sub, block: no }]")
    assert said(hooke, "claude", before("claude")) == {}
    sub = before("claude", agent_id="a1", agent_type="Explore")
    assert said(hooke, "claude", sub) == refusal("claude", "PreToolUse", "no")
    main, inner = receipts(hooke)
    assert (main["session"], main.get("parent")) == ("c-1", None)
    assert (inner["session"], inner["parent"], inner["agent"]) == ("c-1/a1", "c-1", "Explore")


def test_a_changed_output_in_the_words_of_each(hooke):
    hooke.config("hooks: [{ name: mask, on: tool.execute.after, replace: { output: masked } }]")
    assert said(hooke, "claude", after("claude")) == {"hookSpecificOutput": {
        "hookEventName": "PostToolUse", "updatedToolOutput": response("claude", "masked")}}
    assert said(hooke, "codex", after("codex")) == {"decision": "block", "reason": "masked"}
    assert said(hooke, "gemini", after("gemini")) == {"decision": "deny", "reason": "masked"}


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_no_part_of_an_output_escapes(hooke, agent):
    token = "ghp_" + "0" * 36
    document = event(agent, "PostToolUse", tool_name="mcp__db__query", tool_input={}, tool_response={
        "content": [{"type": "text", "text": "one"}, {"type": "text", "text": token}]})
    masked = "one\n[a GitHub token, masked"
    got = said(hooke, agent, document)
    assert token not in json.dumps(got)
    if agent == "codex":
        assert got["decision"] == "block" and got["reason"].startswith(masked)
    else:
        parts = got["hookSpecificOutput"]["updatedToolOutput"]["content"]
        assert len(parts) == 1 and parts[0]["text"].startswith(masked)


def test_an_output_that_cannot_be_withheld_ends_it_for_a_safety_critical_hook(hooke):
    document = event("claude", "PostToolUse", tool_name="Glob", tool_input={"pattern": "*"},
                     tool_response={"filenames": ["a"], "numFiles": 1})
    entry = "hooks: [{ name: no, on: tool.execute.after, exec: 'exit 1', on_failure: block%s }]"
    hooke.config(entry % "")
    assert set(answer(hooke, "claude", document).json) == {"decision", "reason"}
    assert "the output stays" in receipts(hooke)[-1]["warnings"][-1]
    hooke.config(entry % ", safety_critical: true")
    assert set(answer(hooke, "claude", document).json) == {
        "decision", "reason", "continue", "stopReason"}
    assert "it is stopped" in receipts(hooke)[-1]["warnings"][-1]


def test_context_that_gemini_takes_later(hooke):
    hooke.config("hooks: [{ name: hint, on: tool.execute.before, inject: mind the gap, once: true }]")
    request = event("gemini", "BeforeModel", llm_request={
        "model": "m", "messages": [{"role": "user", "content": "hi"}], "config": {}})
    placed = {"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_request": {
        "messages": [{"role": "user", "content": "mind the gap\n\nhi"}]}}}
    assert said(hooke, "gemini", before("gemini")) == {}
    assert said(hooke, "gemini", request) == placed
    assert said(hooke, "gemini", request) == placed, "the same bytes in every later request"
    assert said(hooke, "gemini", before("gemini")) == {}


def test_what_is_lost_is_in_the_receipt(hooke):
    hooke.config("hooks: [{ name: careful, on: tool.execute.before, ask: sure? }]")
    assert said(hooke, "codex", before("codex")) == refusal(
        "codex", "PreToolUse", "sure? (Codex can't be made to ask)")
    assert receipts(hooke)[-1]["warnings"] == ["Codex has no 'ask' at PreToolUse: it is blocked"]


@pytest.mark.parametrize("daemon", [False, True])
def test_gemini_asks_only_where_it_has_a_terminal(hooke, daemon):
    hooke.config("hooks: [{ name: careful, on: tool.execute.before, ask: sure? }]")
    running = Daemon(hooke) if daemon else None

    def said_from(terminal):
        def begin():
            os.setsid()
            if terminal is not None:
                fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        done = subprocess.run([client(), "gemini"], input=json.dumps(before("gemini")), text=True,
                              capture_output=True, cwd=hooke.cwd, env=hooke.env, timeout=WAIT,
                              preexec_fn=begin, check=True)
        return json.loads(done.stdout)
    ours, theirs = os.openpty()
    assert said_from(theirs) == {"decision": "ask", "reason": "sure?"}
    assert "warnings" not in receipts(hooke)[-1]
    os.close(ours)
    os.close(theirs)
    assert said_from(None) == {
        "decision": "deny", "reason": "sure? (nobody can be asked: Gemini CLI has no terminal)"}
    assert receipts(hooke)[-1]["warnings"] == ["Gemini CLI has no 'ask' at BeforeTool: it is blocked"]
    if running:
        running.end()


def test_a_safety_critical_change_is_not_passed_over(hooke):
    change = "hooks: [{ name: mask, on: chat.message, %s modify: { message: { text: masked } } }]"
    hooke.config(change % "")
    assert said(hooke, "claude", prompt("claude")) == {}
    assert "the change of 'message' is dropped" in receipts(hooke)[-1]["warnings"][0]
    hooke.config(change % "safety_critical: true,")
    assert said(hooke, "claude", prompt("claude"))["decision"] == "block"


def test_what_is_printed_before_a_compaction_is_for_the_model(hooke):
    """Claude Code adds it to the prompt of the compaction as it is, JSON, too, unless it blocks."""
    compact = event("claude", "PreCompact", trigger="manual", custom_instructions="keep names")
    assert answer(hooke, "claude", compact).out == ""
    rule = "hooks: [{ name: c, on: experimental.session.compacting, %s }]"
    hooke.config(rule % "modify: { context: [Keep the plan., Keep the names.] }, say: hello")
    assert answer(hooke, "claude", compact).out == "Keep the plan.\n\nKeep the names.\n"
    assert "has no 'say' at PreCompact" in receipts(hooke)[-1]["warnings"][0]
    hooke.config(rule % "modify: { context: Keep the plan. }")
    assert answer(hooke, "claude", compact).out == "Keep the plan.\n"
    hooke.config(rule % "modify: { prompt: Be brief. }")
    assert answer(hooke, "claude", compact).out == ""
    assert "the change of 'prompt' is dropped" in receipts(hooke)[-1]["warnings"][0]
    hooke.config(rule % "block: not now")
    assert said(hooke, "claude", compact) == {"decision": "block", "reason": "not now"}


STOPPED = {"continue": False, "stopReason": "far enough"}


def test_claude_is_stopped_after_the_batch_in_which_a_tool_failed(hooke):
    """Claude Code ignores a stop right after a tool that failed."""
    hooke.config("hooks: [{ name: far, on: tool.execute.after, when: not success, stop: far enough }]")
    failed = event("claude", "PostToolUseFailure", tool_name="Bash", tool_input={"command": "false"},
                   error="Exit code 1")
    batch = event("claude", "PostToolBatch", tool_calls=[])
    assert said(hooke, "claude", batch) == {}
    said(hooke, "claude", failed)
    assert said(hooke, "claude", {**batch, "agent_id": "a1"}) == {}
    assert said(hooke, "claude", batch) == STOPPED
    assert said(hooke, "claude", batch) == {}
    said(hooke, "claude", {**failed, "agent_id": "a1"})
    assert said(hooke, "claude", {**batch, "agent_id": "a1"}) == STOPPED


def test_claude_is_stopped_at_the_first_prompt_of_a_session(hooke):
    """Claude Code ignores a stop at the start of one."""
    hooke.config("hooks: [{ name: far, on: session.created, stop: far enough }]")
    said(hooke, "claude", start("claude"))
    assert said(hooke, "claude", prompt("claude")) == STOPPED
    assert receipts(hooke)[-1]["outcome"] == "stop"
    assert said(hooke, "claude", prompt("claude")) == {}


def test_a_credential_that_a_failing_command_prints_stops_claude(hooke):
    """Nothing can take the place of such an output."""
    said(hooke, "claude", event("claude", "PostToolUseFailure", tool_name="Bash",
                                tool_input={"command": "x"}, error="Exit code 1\nghp_" + "0" * 36))
    reply = said(hooke, "claude", event("claude", "PostToolBatch", tool_calls=[]))
    assert reply["continue"] is False and "can't take at PostToolUseFailure" in reply["stopReason"]


@pytest.mark.parametrize("more", ["", ", layer: validate", ", priority: 100"])
def test_a_block_does_not_hide_a_credential_from_those_who_guard_it(hooke, more):
    """It leaves such an output where it is, whether the guard has looked by then or not."""
    hooke.config(f"hooks: [{{ name: no, on: PostToolUseFailure, block: not so{more} }}]")
    failed = event("claude", "PostToolUseFailure", tool_name="Bash", tool_input={"command": "x"},
                   error="Exit code 1\nghp_" + "0" * 36)
    assert said(hooke, "claude", failed)["continue"] is False
    assert said(hooke, "claude", event("claude", "PostToolBatch", tool_calls=[]))["continue"] is False


# State over processes -----------------------------------------------------------------------------

@pytest.mark.parametrize("agent", AGENTS)
def test_cadence_holds_over_processes(hooke, agent):
    hooke.config("hook_cadence: { hint: 2 }\nhooks: [{ name: hint, on: chat.message, inject: now }]")
    assert [context(said(hooke, agent, prompt(agent))) for _ in range(4)] == ["now", None] * 2
    other = {**prompt(agent), "session_id": "another"}
    assert context(said(hooke, agent, other)) == "now"


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_said_once_is_said_once(hooke, agent):
    hooke.config("""hooks:
  - { name: hint, on: [tool.execute.before, tool.execute.after], inject: now, once: true }""")
    texts = [context(said(hooke, agent, document)) for document in
             [before(agent), after(agent)] * 2]
    assert texts == (["now", None, None, None] if agent != "gemini" else [None, "now", None, None])


def test_the_first_message_is_first_once(hooke):
    hooke.config("agents: { coder: { variant: high } }")

    def gate(source, session):
        members = {"session_id": session, "agent_type": "coder"}
        answer(hooke, "claude", {**start("claude", source), **members})
        answer(hooke, "claude", {**prompt("claude"), **members})
        answer(hooke, "claude", {**prompt("claude"), **members})
        return [r["outcome"] for r in receipts(hooke)
                if r["session"] == session and r["point"] == "chat.message"]

    assert gate("startup", "new") == ["change", "none"]
    assert gate("resume", "old") == ["none", "none"]
    assert gate("fork", "forked") == ["none", "none"]


@pytest.mark.parametrize("agent", AGENTS)
def test_loops_end(hooke, agent):
    hooke.config("limits: { continuations: 2 }\nhooks: [{ name: more, on: agent.stop, continue: go on }]")
    assert said(hooke, agent, stop(agent)) == goes_on(agent, "go on")
    said(hooke, agent, before(agent))
    assert said(hooke, agent, stop(agent, True)) == goes_on(agent, "go on")
    said(hooke, agent, before(agent))
    last = said(hooke, agent, stop(agent, True))
    assert "the limit is 2" in last.pop("systemMessage") and last == {}
    assert any("the limit is 2" in w for w in receipts(hooke)[-1]["warnings"])
    assert receipts(hooke)[-1]["outcome"] == "none"
    said(hooke, agent, prompt(agent))
    assert said(hooke, agent, stop(agent)) == goes_on(agent, "go on")


def test_the_same_reason_twice_ends_it(hooke):
    hooke.config("hooks: [{ name: more, on: agent.stop, continue: go on }]")
    assert said(hooke, "codex", stop("codex")) == goes_on("codex", "go on")
    assert "same reason" in said(hooke, "codex", stop("codex", True))["systemMessage"]


def test_what_keeps_gemini_going_is_no_message_of_the_user(hooke):
    """Gemini gives its hooks the follow-up as a prompt."""
    hooke.config("""hooks:
  - { name: more, on: agent.stop, continue: go on }
  - { name: typed, on: chat.message, when: not message.internal, inject: typed }""")
    assert context(said(hooke, "gemini", prompt("gemini"))) == "typed"
    assert said(hooke, "gemini", stop("gemini")) == goes_on("gemini", "go on")
    assert said(hooke, "gemini", prompt("gemini", "go on")) == {}
    assert "same reason" in said(hooke, "gemini", stop("gemini", True))["systemMessage"]
    assert context(said(hooke, "gemini", prompt("gemini", "thanks"))) == "typed"
    assert said(hooke, "gemini", stop("gemini")) == goes_on("gemini", "go on")


def test_what_wakes_claude_up_is_no_message_of_the_user(hooke):
    """Claude Code gives its hooks the news of a task in the background as a prompt."""
    hooke.config("""limits: { continuations: 1 }
hooks:
  - { name: more, on: agent.stop, continue: go on }
  - { name: typed, on: chat.message, when: not message.internal, inject: typed }""")
    news = prompt("claude", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>")
    assert context(said(hooke, "claude", prompt("claude"))) == "typed"
    assert said(hooke, "claude", stop("claude")) == goes_on("claude", "go on")
    assert said(hooke, "claude", news) == {}
    assert "the limit is 1" in said(hooke, "claude", stop("claude"))["systemMessage"]
    assert context(said(hooke, "claude", prompt("claude", "thanks <task-notification>"))) == "typed"


def test_hooks_know_how_often_they_kept_it_going(hooke):
    hooke.config("""hooks:
  - { name: more, on: agent.stop, when: continuations < 2, continue: again }""")
    for times in range(2):
        assert said(hooke, "claude", stop("claude", times > 0)) == goes_on("claude", "again")
        said(hooke, "claude", before("claude"))
    assert said(hooke, "claude", stop("claude", True)) == {}


def turns(hooke):
    return [r.get("turn") for r in receipts(hooke)]


def test_turns_are_counted(hooke):
    hooke.config(QUIET + "hooks: [{ name: late, on: tool.execute.before, when: turn > 2, block: enough }]")
    documents = [prompt("claude"), before("claude"), before("claude"), after("claude"),
                 after("claude"), before("claude"), after("claude"), before("claude"),
                 stop("claude"), prompt("claude"), before("claude")]
    answers = [said(hooke, "claude", d) for d in documents]
    assert turns(hooke) == [1, 1, 1, 1, 1, 2, 2, 3, 3, 1, 1]
    assert [bool(a) for a in answers] == [False] * 7 + [True] + [False] * 3


def test_gemini_tells_its_turns(hooke):
    hooke.config("hooks: [{ name: late, on: tool.execute.before, when: turn > 1, block: enough }]")
    ask = event("gemini", "BeforeModel", llm_request={"messages": []})
    for document in (prompt("gemini"), ask, before("gemini"), after("gemini"), before("gemini")):
        assert said(hooke, "gemini", document) == {}
    assert said(hooke, "gemini", ask) == {}
    assert said(hooke, "gemini", before("gemini"))["reason"] == "enough"


# Time ---------------------------------------------------------------------------------------------

def test_hooks_end_before_the_agent_gives_up(hooke):
    entry = "hooks: [{ name: slow, on: session.ended, exec: 'sleep %s' }]\n"
    end = event("claude", "SessionEnd", reason="other")  # waits for its hooks 1.5 s
    hooke.config(entry % 25)
    said_end = run(hooke, "hooke", end)
    assert (said_end.returncode, said_end.stdout) == (0, "{}\n")
    assert receipts(hooke)[-1]["runs"][0]["end"] == "timed-out"
    hooke.config(entry % 1.6 + "event_timeout: 20s\n")
    assert answer(hooke, "claude", end).json == {}
    assert "end" not in receipts(hooke)[-1]["runs"][0], "who says how long it takes is believed"


def test_what_the_document_took_is_taken_from_the_time_of_hooks(hooke):
    hooke.config("hooks: [{ name: slow, on: session.ended, exec: 'sleep 1' }]")
    text = json.dumps(event("claude", "SessionEnd", reason="other"))  # waits for its hooks 1.5 s
    subprocess.run(["sh", "-c", f"(printf %s \"$0\"; sleep 1; echo \"$1\") | '{hooke.program}' answer claude",
                    text[:10], text[10:]], cwd=hooke.cwd, env=hooke.env, check=True,
                   stdout=subprocess.DEVNULL, timeout=WAIT)
    assert receipts(hooke)[-1]["runs"][0]["end"] == "timed-out"


# Whose hooks --------------------------------------------------------------------------------------

def settings(hooke, command):
    path = hooke.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"PreToolUse": [
        {"hooks": [{"type": "command", "command": command}]}]}}))


def test_hooks_that_claude_runs_itself_do_not_run_twice(hooke):
    mark = hooke.cwd / "ran"
    settings(hooke, f"echo x >> '{mark}'")
    assert said(hooke, "claude", before("claude")) == {}
    assert not mark.exists()
    assert said(hooke, "codex", before("codex")) == {}
    assert mark.read_text() == "x\n"


def test_an_entry_that_runs_hooke_is_never_run(hooke):
    settings(hooke, f"{hooke.program} answer claude")
    assert said(hooke, "codex", before("codex")) == {}
    assert not any("claude/" in run["hook"] for r in receipts(hooke) for run in r["runs"])


# Reading ------------------------------------------------------------------------------------------

def test_it_does_not_wait_for_the_end_of_input(hooke):
    child = subprocess.Popen([hooke.program, "answer", "claude"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, cwd=hooke.cwd, env=hooke.env)
    text = json.dumps(before("claude")).encode()
    for piece in (text[:10], text[10:50], text[50:]):
        child.stdin.write(piece)
        child.stdin.flush()
    assert child.wait(timeout=30) == 0
    assert child.stdout.read() == b"{}\n"
    child.stdin.close()
    child.stdout.close()


def test_a_large_event(hooke):
    hooke.config("hooks: [{ name: size, on: tool.execute.after, when: '#output > 4000000', block: big }]")
    text = "x" * 5_000_000
    assert said(hooke, "codex", after("codex", text=text)) == {"decision": "block", "reason": "big"}


BROKEN = ['{"session_id": "s", "hook_event_name": "%s", nonsense', "%s nonsense", "[]", "",
          '{"hook_event_name": "%s"}', '{"session_id": 7, "hook_event_name": "%s"}',
          '{"session_id": "s", "hook_event_name": "%s", "tool_name": ["Bash"]}']


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_event_is_let_pass(hooke, agent, text):
    hooke.config(QUIET)
    r = answer(hooke, agent, text.replace("%s", NAMES[agent][2]))
    why = r.err.removeprefix(f"hooke: answer {agent}: ").removesuffix("\n")
    assert why != r.err and "\n" not in why
    # What goes to standard error nobody reads: the person is told where the event is known.
    known = '"hook_event_name"' in text
    assert r.json == ({"systemMessage": f"hooke did not look at this: {why}"} if known else {})


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_no_event_is_blocked_for_a_safety_critical_hook(hooke, agent):
    words = "so the safety-critical hook 'secret-guard' did not see it"
    for text in BROKEN:
        r = answer(hooke, agent, text.replace("%s", NAMES[agent][2]))
        if '"hook_event_name"' in text:
            reason = r.json.get("reason") or r.json["hookSpecificOutput"]["permissionDecisionReason"]
        else:
            reason = r.json.get("reason") or r.json["stopReason"]
        assert words in reason and r.err.count("\n") == 1
    r = answer(hooke, agent, "nonsense", NAMES[agent][2])
    assert words in json.dumps(r.json)
    r = answer(hooke, agent, "nonsense", "SessionEnd")
    assert set(r.json) <= {"systemMessage"}, "no safety-critical hook is there"
    r = answer(hooke, agent, "nonsense", NAMES[agent][4])
    assert set(r.json) == {"systemMessage"}, "a stop can't be refused"


def test_the_event_of_the_command_line(hooke):
    hooke.config("hooks:" + FORCE)
    document = before("claude", "git push --force")
    del document["hook_event_name"]
    r = answer(hooke, "claude", document, "PreToolUse")
    assert r.json == refusal("claude", "PreToolUse", "Force pushes are not allowed here.")
    r = answer(hooke, "claude", before("claude"), "Stop")
    assert "the event is 'PreToolUse', but 'Stop' was to be answered" in r.err


def test_events_without_a_point(hooke):
    for name in ("AfterModel", "BeforeToolSelection"):
        r = answer(hooke, "gemini", event("gemini", name), HOOKE_LOG="info")
        assert r.json == {} and f"no point stands for '{name}' of Gemini CLI" in r.err
    r = answer(hooke, "gemini", event("gemini", "Whatever"))
    assert r.json == {} and "'Whatever' is no event of Gemini CLI that is known" in r.err
    assert answer(hooke, "claude", event("claude", "WorktreeCreate")).out == ""
    assert receipts(hooke) == []


def test_words_of_the_command_line(hooke):
    assert hooke("answer").rc == 64
    assert hooke("answer", "claude", "Stop", "more").rc == 64
    r = hooke("answer", "cluade")
    assert r.rc == 64 and "did you mean 'claude'" in r.err


# Descriptors --------------------------------------------------------------------------------------

@pytest.mark.parametrize("daemon", [False, True])
def test_a_refusal_that_cannot_be_written_is_an_exit_code(hooke, daemon):
    hooke.config("hooks:" + FORCE + "  - { name: hint, on: chat.message, inject: text }\n")
    if daemon:
        Daemon(hooke)
    with open("/dev/full", "w", encoding="utf-8") as full:
        refused = run(hooke, "hooke-answer", before("claude", "git push --force"), stdout=full)
        lost = run(hooke, "hooke-answer", prompt("claude"), stdout=full)
        nothing = run(hooke, "hooke-answer", before("claude"), stdout=full)
    why = "writing the answer: No space left on device"
    assert (refused.returncode, refused.stderr) == (
        2, f"hooke: answer claude: Force pushes are not allowed here. ({why})\n")
    assert (lost.returncode, lost.stderr) == (1, f"hooke: answer claude: {why}\n")
    assert (nothing.returncode, nothing.stderr) == (0, "")


def test_a_reader_that_is_slow_gets_all_of_it(hooke):
    hooke.config("hooks: [{ name: elsewhere, on: tool.execute.before, modify: { args: { path: /x } } }]")
    document = event("claude", "PreToolUse", tool_name="Write",
                     tool_input={"file_path": "/a", "content": "text " * 100000})
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    process = subprocess.Popen([client(), "claude"], stdin=subprocess.PIPE, stdout=theirs, text=True,
                               cwd=hooke.cwd, env=hooke.env)
    hooke.started.append(process)
    os.close(theirs)
    process.stdin.write(json.dumps(document))
    process.stdin.close()
    select.select([ours], [], [], WAIT)
    with open(ours, encoding="utf-8") as end:
        written = json.loads(end.read())["hookSpecificOutput"]["updatedInput"]
    assert written == {**document["tool_input"], "file_path": "/x"}
    assert process.wait(WAIT) == 0


@pytest.mark.parametrize("daemon", [False, True])
@pytest.mark.parametrize("program", ["hooke", "hooke-answer"])
def test_no_file_takes_the_place_of_a_closed_descriptor(hooke, program, daemon):
    hooke.config(QUIET + "hooks:" + FORCE)
    if daemon:
        Daemon(hooke)
    document = before("claude", "git push --force")
    for closed in ([1], [1, 2]):
        done = run(hooke, program, document, preexec_fn=lambda fds=closed: [os.close(f) for f in fds])
        assert (done.returncode, done.stdout) == (2, "")
        assert ("not allowed here" in done.stderr) == (2 not in closed)
    done = run(hooke, program, document, preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stdout) == (0, "{}\n")
    assert done.stderr == "hooke: answer claude: reading standard input: Bad file descriptor\n"
    assert [set(r) >= {"at", "point"} for r in receipts(hooke)] == [True, True]


# What is broken -----------------------------------------------------------------------------------

@pytest.mark.parametrize("agent", AGENTS)
def test_broken_yaml_blocks_nothing(hooke, agent):
    hooke.config("hooks: [{ name: x")
    r = answer(hooke, agent, before(agent))
    assert r.json == {} and "config.yaml:2:1: missing comma" in r.err
    r = answer(hooke, agent, prompt(agent))
    assert r.json["systemMessage"].startswith("hooke: the configuration is broken, the defaults")


def test_broken_yaml_takes_no_guard_away(hooke):
    hooke.config("hooks:" + FORCE)
    assert said(hooke, "claude", before("claude")) == {}
    hooke.config("hooks: [{ name: x")
    r = answer(hooke, "claude", before("claude", "git push --force"))
    assert r.json == refusal("claude", "PreToolUse", "Force pushes are not allowed here.")
    r = answer(hooke, "claude", prompt("claude"))
    assert "its last good version is in force" in r.json["systemMessage"]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_entry_that_is_left_out_is_told_to_the_person(hooke, agent):
    hooke.config("hooks: [{ name: mine, onn: tool.execute.before, block: no }]")
    for event in (start(agent), prompt(agent)):
        said = answer(hooke, agent, event).json["systemMessage"]
        assert "did you mean 'on'?" in said and "hooke config check" in said
    assert answer(hooke, agent, before(agent)).json == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_that_fails_is_told_once_a_session(hooke, agent):
    (hooke.config_dir / "mine.sh").write_text("")
    hooke.config("hooks: [{ name: mine, on: tool.execute.before, layer: guard, exec: [./mine.sh] }]")
    said = answer(hooke, agent, before(agent)).json
    assert "hook 'mine' could not be started" in said.pop("systemMessage") and said == {}
    assert answer(hooke, agent, before(agent)).json == {}
    assert "systemMessage" in answer(hooke, agent, before(agent, session_id="another")).json


def test_a_failure_that_refuses_is_told_by_the_refusal(hooke):
    hooke.config("hooks: [{ name: mine, on: tool.execute.before, on_failure: block, exec: [./no] }]")
    said = answer(hooke, "claude", before("claude")).json
    assert "systemMessage" not in said and "mine" in json.dumps(said)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_broken_entry_blocks_only_if_it_is_safety_critical(hooke, agent):
    entry = "hooks: [{ name: guard, on: tool.execute.before, %s when: nobody_knows > 1, block: no }]"
    hooke.config(entry % "")
    assert set(answer(hooke, agent, before(agent)).json) <= {"systemMessage"}
    hooke.config(entry % "safety_critical: true,")
    assert "hook 'guard'" in json.dumps(answer(hooke, agent, before(agent)).json)


def test_a_configuration_that_strict_refuses(hooke):
    hooke.config("strict: true\nnonsense: 1\nhooks:" + FORCE)
    r = answer(hooke, "claude", before("claude"))
    assert r.json == {} and "'strict' is on" in r.err
    assert answer(hooke, "claude", before("claude", "git push --force")).json == refusal(
        "claude", "PreToolUse", "Force pushes are not allowed here.")
    assert "'strict' is on" in answer(hooke, "claude", prompt("claude")).json["systemMessage"]


STATEFUL = """
  - { name: hint, on: tool.execute.before, inject: now, once: true }
  - { name: more, on: agent.stop, continue: go on }
"""


def unwritable(hooke):
    (hooke.cwd / "file").write_text("")
    return str(hooke.cwd / "file/hooke.db")


def corrupt(hooke):
    (hooke.cwd / "bad.db").write_bytes(b"SQLite format 3\0" + b"nonsense" * 4096)
    return str(hooke.cwd / "bad.db")


@pytest.mark.parametrize("make", [unwritable, corrupt])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_broken_store_blocks_nothing(hooke, agent, make):
    hooke.config("hooks:" + STATEFUL + FORCE)
    store = make(hooke)
    r = answer(hooke, agent, before(agent), HOOKE_STORE=store)
    assert "decision" not in json.dumps(r.json).lower() and r.rc == 0
    assert answer(hooke, agent, before(agent, "git push --force"), HOOKE_STORE=store).json == refusal(
        agent, NAMES[agent][2], "Force pushes are not allowed here.")
    told = answer(hooke, agent, prompt(agent), HOOKE_STORE=store).json
    assert "hooks can't remember anything: store '" in told.pop("systemMessage") and told == {}
    assert answer(hooke, agent, stop(agent), HOOKE_STORE=store).json == goes_on(agent, "go on")
    last = answer(hooke, agent, stop(agent, True), HOOKE_STORE=store).json
    assert "the store can't tell" in last.pop("systemMessage") and last == {}


def test_a_broken_store_blocks_for_a_safety_critical_hook(hooke):
    command = f"{hooke.program} state incr n > /dev/null"
    entry = "hooks: [{ name: count, on: tool.execute.before, exec: '%s', %s }]"
    for flag, blocked in (("timeout: 20s", False), ("safety_critical: true", True)):
        hooke.config(entry % (command, flag))
        assert said(hooke, "claude", before("claude")) == {}
        r = answer(hooke, "claude", before("claude"), HOOKE_STORE=corrupt(hooke))
        assert ("hook 'count'" in json.dumps(r.json)) == blocked


def test_a_broken_store_loses_no_stop_without_a_word(hooke):
    hooke.config("hooks: [{ name: no, on: session.created, stop: not here }]")
    store = corrupt(hooke)
    begun = answer(hooke, "claude", start("claude"), HOOKE_STORE=store).json
    assert "the stop can't be kept" in begun["systemMessage"]
    assert [w for w in receipts(hooke)[-1]["warnings"] if "can't be kept" in w]
    told = answer(hooke, "claude", prompt("claude"), HOOKE_STORE=store).json
    assert "hooks can't remember anything: store '" in told["systemMessage"]


def test_a_locked_store_is_nothing_to_hooks_without_state(hooke):
    hooke.config(QUIET + "hooks:" + FORCE)
    hooke("state", "set", "k", "v", "--session", "s", "--hook", "h")
    with sqlite3.connect(database(hooke), isolation_level=None) as db:
        db.execute("begin exclusive")
        began = time.monotonic()
        assert "deny" in json.dumps(said(hooke, "claude", before("claude", "git push --force")))
        assert time.monotonic() - began < 5
        db.execute("rollback")
    db.close()


@pytest.mark.parametrize("value", [None, "", "here"])
def test_a_home_that_no_variable_names_is_looked_up(hooke, tmp_path, value):
    env = {k: v for k, v in hooke.env.items() if k != "HOME"}
    env |= {} if value is None else {"HOME": value}
    shown = subprocess.run([hooke.program, "install", "claude", "--dry-run", "--json"], text=True,
                           capture_output=True, cwd=hooke.cwd, env=env, timeout=WAIT, check=True)
    home = pwd.getpwuid(os.geteuid()).pw_dir
    assert json.loads(shown.stdout)["file"] == f"{home}/.claude/settings.json"
    # The daemon would take such a client's folders for those of nobody.
    running = Daemon(hooke, XDG_RUNTIME_DIR=str(tmp_path))
    for name, folder in (("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".local/state")):
        env[f"XDG_{name}_HOME"] = str(hooke.home / folder)
    hooke.config("hooks:" + FORCE)
    done = subprocess.run([client(), "claude"], input=json.dumps(before("claude", "git push --force")),
                          env={**env, "XDG_RUNTIME_DIR": str(tmp_path)}, capture_output=True, text=True,
                          cwd=hooke.cwd, timeout=WAIT, check=True)
    assert "not allowed here" in done.stdout
    assert hooke("serve", "--status", "--json", XDG_RUNTIME_DIR=str(tmp_path)).json["served"] == 0
    running.end()


# The cold path ------------------------------------------------------------------------------------

def test_the_store_is_opened_only_for_hooks_that_need_it(hooke):
    hooke.config("disabled_hooks: [loop-guard, first-message-variant, todo-continuation]\nhooks:" + FORCE)
    for agent in AGENTS:
        for document in (start(agent), prompt(agent), before(agent), after(agent), stop(agent)):
            answer(hooke, agent, document)
    assert not database(hooke).exists()
    hooke.config("hooks:" + STATEFUL)
    answer(hooke, "claude", before("claude"))
    assert database(hooke).exists()


def test_no_yaml_is_read_while_the_compiled_configuration_is_fresh(hooke):
    path = hooke.config("hooks:" + FORCE)
    past = time.time() - 60
    os.utime(path, (past, past))
    assert "read from its files" in answer(hooke, "claude", before("claude"), HOOKE_LOG="info").err
    assert "as it was compiled" in answer(hooke, "claude", before("claude"), HOOKE_LOG="info").err
    hooke.config("hooks:" + FORCE + "  # changed\n")
    assert "read from its files" in answer(hooke, "claude", before("claude"), HOOKE_LOG="info").err


def test_no_library_but_libc_is_loaded(hooke, tmp_path):
    program = pathlib.Path(hooke.program).read_bytes()
    if b"__asan_init" in program or b"__tsan_init" in program:
        pytest.skip("sanitizers load libraries of their own")
    hooke.config("hook_cadence: { turn.after: 2 }\nhooks:" + FORCE)
    answer(hooke, "claude", before("claude"), LD_DEBUG="files", LD_DEBUG_OUTPUT=str(tmp_path / "ld"))
    loaded = "".join(p.read_text() for p in tmp_path.glob("ld.*"))
    assert set(re.findall(r"file=(\S+?\.so)", loaded)) == {"libc.so"}


@pytest.mark.parametrize("agent", AGENTS)
def test_receipts_say_whom_they_were_for(hooke, agent):
    hooke("answer", agent, input=json.dumps(before(agent)))
    hooke("emit", "session.idle")
    ours, own = [json.loads(line) for f in hooke.receipts.iterdir() for line in f.open()]
    assert (ours["via"], ours["as"], ours["point"]) == (agent, NAMES[agent][2], "tool.execute.before")
    assert "via" not in own and "as" not in own
