"""Results, callbacks and compaction, in sessions as people have them."""

import json
import os
import re
import shutil
import signal
import time

import loopback
import pytest
from scripted import call, events, only, script, start

SCRIPTS = os.path.join(os.path.dirname(__file__), "kodelet")
LONG = "Count to a hundred and say every number in words, slowly, and never leave one out. " * 2 + "Go."
SUMMARY = {"expects": "is about to be replaced", "text": "SUMMARY of src/a.c"}

needs_tools = pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq", "bc"))),
                                 reason="bash, jq or bc is not installed")


def used(tokens, **turn):
    return {**turn, "usage": {"input_tokens": tokens}}


def config(hooke, text=""):
    """A model with a window of 1000 tokens."""
    hooke.config("providers: { script: { models: { m1: { context_window: 1000 } } } }\n" + text)


def run(hooke, *words, rc=0):
    r = hooke("run", "--json", *words)
    assert r.rc == rc, r.out + r.err
    return events(r)


def session_of(lines):
    return only(lines, "end")[0]["session"]


def generations(hooke, session):
    return hooke("conversation", "show", session, "--generations", "--json").json


def history(hooke, session, *flags):
    return hooke("conversation", "show", session, "--json", *flags).json["messages"]


def said(message):
    content = message["content"]
    return content if isinstance(content, str) else content[0].get("text")


def receipts(hooke):
    return "".join(p.read_text() for p in sorted(hooke.receipts.glob("*")))


def kodelet(hooke, name):
    folder = hooke.home / ".kodelet/hooks"
    folder.mkdir(parents=True)
    shutil.copy(os.path.join(SCRIPTS, name), folder)


# The threshold ------------------------------------------------------------------------------------

def test_the_threshold_is_reached_in_the_middle_of_a_session(hooke):
    config(hooke)
    script(hooke, used(900, text="One.", **call("bash", command="echo two")), SUMMARY,
           {"expects": "SUMMARY", "text": "Done."})
    lines = run(hooke, LONG)
    session = session_of(lines)
    done = only(lines, "compacted")
    assert [e["compaction"]["trigger"] for e in done] == ["auto"]
    assert done[0]["text"].startswith(f"Compacted conversation {session}: ")
    assert done[0]["compaction"]["before"] > 900 > 100 > done[0]["compaction"]["after"]
    assert [g["trigger"] for g in generations(hooke, session)] == ["", "compaction"]
    assert [said(m) for m in history(hooke, session)] == ["SUMMARY of src/a.c", "Done."]
    assert len(history(hooke, session, "--generation", "1")) == 3


@pytest.mark.parametrize("flags, compacted", [
    ((), True), (("--no-hooks",), True), (("--compact-ratio", "0.95"), False),
    (("--compact-ratio", "1.0"), False), (("--no-auto-compact",), False),
])
def test_flags_say_whether_and_when(hooke, flags, compacted):
    config(hooke, "hooks: [{ name: loud, on: agent.stop, say: a hook ran }]\n")
    script(hooke, used(900, text="One."), SUMMARY)
    lines = run(hooke, LONG, *flags)
    assert bool(only(lines, "compacted")) == compacted
    assert bool(only(lines, "say")) == ("--no-hooks" not in flags)


def test_a_safety_critical_hook_stays_without_hooks(hooke):
    hooke.config("hooks: [{ name: guard, on: tool.execute.before, block: never, "
                 "safety_critical: true }]\n")
    script(hooke, call("bash", command="touch ran"), {"expects": "blocked: never", "text": "No."})
    assert only(run(hooke, "go", "--no-hooks"), "end")[0]["end"] == "done"
    assert not (hooke.cwd / "ran").exists()


@pytest.mark.parametrize("ratio", ["0.0", "0", "-0.5", "1.01", "2", "half", "", "0.5x", "nan"])
def test_a_ratio_that_is_none_is_refused(hooke, ratio):
    script(hooke, {"text": "x"})
    r = hooke("run", "hi", f"--compact-ratio={ratio}")
    assert r.rc == 64 and "--compact-ratio" in r.err


@pytest.mark.parametrize("ratio", ["0.1", "0.5", "0.99", "1", "1.0"])
def test_a_ratio_up_to_one_is_taken(hooke, ratio):
    script(hooke, {"text": "x"})
    assert hooke("run", "hi", f"--compact-ratio={ratio}").rc == 0


# By a person --------------------------------------------------------------------------------------

def long_conversation(hooke):
    script(hooke, {"text": "One.", "usage": {"input_tokens": 182000, "output_tokens": 311}})
    return session_of(run(hooke, LONG, "--no-auto-compact"))


@pytest.mark.parametrize("by", ["follow", "resume"])
def test_a_person_compacts_a_conversation(hooke, by):
    session = long_conversation(hooke)
    script(hooke, {**SUMMARY, "text": "SUMMARY"})
    r = hooke("run", "-r", "compact", *(["--follow"] if by == "follow" else ["--resume", session]))
    assert r.rc == 0, r.err
    assert re.fullmatch(rf"Compacted conversation {session}: 182,311 → 8 tokens in \d+\.\d s\n",
                        r.out)
    assert [said(m) for m in history(hooke, session)] == ["SUMMARY"]
    assert [g["trigger"] for g in generations(hooke, session)] == ["", "compaction"]
    # the recipe was of that run only
    hooke.config("hooks: [{ name: see, on: [after_turn, agent_stop], exec: 'cat >>seen', "
                 "dialect: kodelet }]\n")
    script(hooke, {"text": "Next."})
    run(hooke, "--follow", "go on")
    assert [said(m) for m in history(hooke, session)] == ["SUMMARY", "go on", "Next."]
    assert "invoked_recipe" not in (hooke.cwd / "seen").read_text()


def test_its_recipe_is_named_in_the_events_of_that_run(hooke):
    session = long_conversation(hooke)
    hooke.config("hooks: [{ name: see, on: [session.created, after_turn, session.compacted, "
                 "SessionEnd], exec: 'cat >>seen; echo >>seen' }]\n")
    script(hooke, SUMMARY)
    assert hooke("run", "-r", "compact", "--resume", session).rc == 0
    seen = [json.loads(line) for line in (hooke.cwd / "seen").read_text().splitlines() if line]
    assert [e["point"] for e in seen] == ["session.created", "turn.after", "session.compacted",
                                          "session.created", "session.ended"]
    assert {e["session"]["recipe"] for e in seen} == {"compact"}
    assert seen[1]["session"]["parent"] == session
    assert seen[1]["data"]["auto_compact"]["enabled"] is False
    assert seen[2]["data"]["trigger"] == "manual" and seen[2]["data"]["generation"] == 2
    assert seen[3]["data"] == {"source": "compact", "summary": SUMMARY["text"]}


def test_programs_are_told_in_json(hooke):
    session = long_conversation(hooke)
    script(hooke, SUMMARY)
    lines = events(hooke("run", "--json", "-r", "compact", "--resume", session))
    done = only(lines, "compacted")[0]
    assert done["session"] == session
    assert done["compaction"]["trigger"] == "manual" and done["compaction"]["before"] == 182311


@pytest.mark.parametrize("words, rc, why", [
    (("-r", "compact"), 64, "--follow or --resume ID"),
    (("-r", "compact", "--resume", "nobody"), 64, "nobody"),
    (("-r", "compact", "--follow"), 64, "no conversation"),
])
def test_without_a_conversation_there_is_nothing_to_compact(hooke, words, rc, why):
    script(hooke, {"text": "x"})
    r = hooke("run", *words)
    assert r.rc == rc and why in r.err


def test_what_cannot_be_compacted_stays_as_it_is(hooke):
    session = long_conversation(hooke)
    script(hooke, {**SUMMARY, "text": " "}, SUMMARY)
    r = hooke("run", "-r", "compact", "--resume", session)
    assert r.rc == 1 and "had nothing to say" in r.err
    r = hooke("run", "-r", "compact", "--resume", session, "--no-save")
    assert r.rc == 64 and "--no-save" in r.err
    hooke.config("hooks: [{ name: no, on: PreCompact, block: not today }]\n")
    r = hooke("run", "-r", "compact", "--resume", session)
    assert r.rc == 2 and "not today" in r.err
    assert len(generations(hooke, session)) == 1


def test_a_recipe_of_ones_own_takes_its_place(hooke):
    session = long_conversation(hooke)
    recipes = hooke.config_dir / "recipes"
    recipes.mkdir()
    (recipes / "compact.md").write_text("---\napply: replace\nallowed_tools: []\n"
                                        "arguments: { tone: {} }\n---\nSum it up, {{.tone}}.\n")
    script(hooke, {"expects": "Sum it up, dryly.\\n\\nand soon", "text": "Dry."})
    r = hooke("run", "-r", "compact", "-a", "tone=dryly", "--resume", session, "and soon")
    assert r.rc == 0, r.err
    assert said(history(hooke, session)[0]) == "Dry."


# Hooks that people have ---------------------------------------------------------------------------

@needs_tools
def test_a_kodelet_script_has_the_conversation_compacted(hooke):
    config(hooke, "compact: { auto: false }\n")
    kodelet(hooke, "compact-when-full")
    script(hooke, used(800, text="One.", **call("bash", command="true")), used(800, **SUMMARY),
           {"expects": "SUMMARY", "text": "Done."})
    lines = run(hooke, LONG)
    assert only(lines, "compacted")[0]["compaction"]["trigger"] == "hook"
    # its own thread is as full: there it asks again, and is refused
    refused = [e for e in only(lines, "hook") if e["did"] == "changed nothing"]
    assert [e["text"] for e in refused] == ["a callback can't start a callback"]
    assert "a callback can't start a callback" in receipts(hooke)
    assert len(generations(hooke, session_of(lines))) == 2


@needs_tools
def test_a_kodelet_script_replaces_the_history(hooke):
    config(hooke, "compact: { auto: false }\n")
    kodelet(hooke, "keep-the-request")
    script(hooke, used(800, text="One.", **call("bash", command="true")),
           {"expects": "The request was: ", "text": "Done."})
    session = session_of(run(hooke, LONG))
    assert [g["trigger"] for g in generations(hooke, session)] == ["", "hook"]
    assert said(history(hooke, session)[0]) == "The request was: " + LONG


@needs_tools
def test_a_kodelet_script_sends_the_agent_on(hooke):
    kodelet(hooke, "lint-after-edits")
    script(hooke, call("write", path="a.c", content="x"), {"text": "Done."},
           {"expects": "Run the linter", "text": "Clean."})
    lines = run(hooke, "write it")
    assert only(lines, "follow_up")[0]["text"] == "Run the linter before you stop."


@pytest.mark.parametrize("entry", [
    "callback: compact",
    "script: ask.lua",
    "exec: [./ask.sh]",
    "exec: [./ask.sh], dialect: kodelet",
    "resident: [./ask.py]",
])
def test_every_runner_can_ask_for_a_callback(hooke, entry):
    answer = json.dumps({"result": "callback", "callback": "compact"})
    (hooke.config_dir / "ask.lua").write_text(
        "hooke.on('turn.after', function() return { result = 'callback', callback = 'compact' } end)\n")
    shell = hooke.config_dir / "ask.sh"
    shell.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{answer}'\n")
    shell.chmod(0o755)
    (hooke.config_dir / "ask.py").write_text(
        "#!/usr/bin/env python3\nimport json, sys\n"
        "for line in sys.stdin:\n"
        "    q = json.loads(line)\n"
        "    if 'id' not in q:\n"
        "        continue\n"
        "    greeting = {'name': 'ask', 'subscriptions': [{'point': 'turn.after'}]}\n"
        f"    r = greeting if q['method'] == 'initialize' else {answer}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': q['id'], 'result': r}), flush=True)\n")
    (hooke.config_dir / "ask.py").chmod(0o755)
    on = "" if entry.startswith(("script", "resident")) else "on: turn.after, "
    config(hooke, f"compact: {{ auto: false }}\nhooks: [{{ name: ask, {on}{entry} }}]\n")
    script(hooke, {"text": "One."}, SUMMARY)
    lines = run(hooke, LONG)
    assert only(lines, "compacted"), lines


def test_the_first_of_two_hooks_wins_and_the_other_is_recorded(hooke):
    config(hooke, """
compact: { auto: false }
hooks:
  - { name: empty, on: turn.after, exec: 'echo "{\\"result\\":\\"mutate\\",\\"messages\\":[]}"' }
  - { name: first, on: turn.after, mutate: [{ role: user, content: mine }] }
  - { name: second, on: turn.after, callback: compact }
""")
    script(hooke, {"text": "One."})
    session = session_of(run(hooke, LONG))
    assert [said(m) for m in history(hooke, session)] == ["mine"]
    assert "hook 'second': its callback was ignored, an earlier hook had decided" in receipts(hooke)
    assert "hook 'empty': a mutation without messages changes nothing" in receipts(hooke)


@pytest.mark.parametrize("dialect", ["native", "kodelet"])
def test_a_program_that_always_wants_a_callback_gets_no_other_inside_it(hooke, dialect):
    """Its recipe's own turn passes the same program, which asks again."""
    recipes = hooke.config_dir / "recipes"
    recipes.mkdir()
    (recipes / "sum-up.md").write_text("Sum up.\n")
    answer = hooke.config_dir / "answer.json"
    answer.write_text(json.dumps({"result": "callback", "callback": "sum-up"}))
    config(hooke, "compact: { auto: false }\nhooks: [{ name: again, on: after_turn, "
                  f"exec: 'echo x >>asked; cat {answer}', dialect: {dialect} }}]\n")
    script(hooke, {"text": "One."}, {"expects": "Sum up.", "text": "So far: one."})
    lines = run(hooke, LONG)
    assert (hooke.cwd / "asked").read_text() == "x\nx\n"
    assert [e["text"] for e in only(lines, "hook") if e["did"] == "changed nothing"] == \
        ["a callback can't start a callback"]
    assert [said(m) for m in history(hooke, session_of(lines))] == ["So far: one."]


@pytest.mark.parametrize("messages, why", [
    ([{"role": "user"}], "message 1 is empty"),
    (["x"], "message 1 has the role ''"),
    ([{"role": "user", "content": [{"type": "tool_call", "call_id": "c", "tool": "bash", "args": {}}]},
      {"role": "tool", "content": [{"type": "tool_result", "call_id": "c", "output": "y"}]}],
     "message 1 has a tool_call: only messages of the role 'assistant' do"),
    ([{"role": "user", "content": "x"}, {"role": "tool", "content": [
        {"type": "tool_result", "call_id": "c", "output": "y"}]}], "the result of a call 'c'"),
    ([{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "tool_call", "call_id": "c", "tool": "bash", "args": {}}]}], "has no result"),
])
def test_a_malformed_mutation_leaves_the_history_as_it_was(hooke, messages, why):
    refused(hooke, "native", messages, why)


@pytest.mark.parametrize("messages, why", [
    ([{"role": "system", "content": "x"}], "message 1 has the role 'system'"),
    ([{"role": "user", "content": ""}], "message 1 is empty"),
    ([{"role": "developer", "content": "x"}], "message 1 has the role 'developer'"),
])
@pytest.mark.parametrize("dialect", ["native", "kodelet"])
def test_so_does_one_in_the_dialect_of_kodelet(hooke, dialect, messages, why):
    refused(hooke, dialect, messages, why)


def refused(hooke, dialect, messages, why):
    answer = hooke.config_dir / "answer.json"
    answer.write_text(json.dumps({"result": "mutate", "messages": messages}))
    config(hooke, f"hooks: [{{ name: bad, on: after_turn, exec: [cat, {answer}], "
                  f"dialect: {dialect} }}]\n")
    script(hooke, {"text": "One."})
    lines = run(hooke, LONG)
    told = [e for e in only(lines, "hook") if e["did"] == "changed nothing"]
    assert told and told[0]["hook"] == "bad" and why in told[0]["text"]
    assert len(generations(hooke, session_of(lines))) == 1
    assert "hook 'bad' changed nothing: " in receipts(hooke)
    assert "hook 'bad' changed nothing: " in hooke("trace").out
    assert len(history(hooke, session_of(lines))) == 2


def test_history_changes_and_then_the_follow_ups_are_sent(hooke):
    config(hooke, """
hooks:
  - name: both
    on: agent.stop
    when: continuations == 0
    exec: 'echo "{\\"result\\":\\"mutate\\",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"short\\"}],\
\\"follow_up_messages\\":[\\"one\\",\\"two\\"]}"'
""")
    script(hooke, {"text": "First."}, {"expects": "two", "text": "Second."})
    session = session_of(run(hooke, LONG))
    assert [said(m) for m in history(hooke, session)] == ["short", "one", "two", "Second."]


def test_follow_ups_of_two_hooks_come_in_order(hooke):
    config(hooke, """
hooks:
  - { name: one, on: agent.stop, when: continuations == 0, exec: 'echo "{\\"follow_up_messages\\":[\\"a\\",\\"b\\"]}"' }
  - { name: two, on: agent.stop, when: continuations == 0, exec: 'echo "{\\"result\\":\\"continue\\",\\"follow_up_messages\\":[\\"c\\"]}"' }
  - { name: silent, on: agent.stop, exec: 'true' }
""")
    script(hooke, {"text": "First."}, {"text": "Second."})
    lines = run(hooke, "go")
    assert [e["text"] for e in only(lines, "follow_up")] == ["a", "b", "c"]
    assert [said(m) for m in history(hooke, session_of(lines))] == \
        ["go", "First.", "a", "b", "c", "Second."]


def test_hooks_are_told_whether_and_when_it_compacts(hooke):
    config(hooke, "hooks: [{ name: see, on: turn.after, exec: 'cat >seen' }]\n"
                  "compact: { ratio: 0.6 }\n")
    for flags, told in (((), {"enabled": True, "threshold": 0.6}),
                        (("--no-auto-compact", "--compact-ratio", "0.5"),
                         {"enabled": False, "threshold": 0.5})):
        script(hooke, {"text": "x"})
        run(hooke, "go", *flags)
        assert json.loads((hooke.cwd / "seen").read_text())["data"]["auto_compact"] == told


def test_a_subagent_compacts_its_own_conversation(hooke):
    config(hooke)
    script(hooke, call("task", subagent_type="builder", prompt=LONG, description="d"),
           used(900, expects="Count", text="Sub.", **call("bash", command="true")), SUMMARY,
           {"expects": "SUMMARY", "text": "Sub is done."},
           {"expects": "Sub is done.", "text": "Done."})
    lines = run(hooke, "delegate")
    assert [e["depth"] for e in only(lines, "compacted")] == [1]
    assert len(generations(hooke, session_of(lines))) == 1


# Summaries that go wrong --------------------------------------------------------------------------

def test_a_summary_that_fails_twice_then_works(hooke):
    config(hooke)
    failing = {"expects": "is about to be replaced",
               "error": {"class": "bad_request", "message": "not now"}}
    step = used(900, **call("bash", command="true"))
    script(hooke, step, failing, step, failing, step, SUMMARY,
           {"expects": "SUMMARY", "text": "Done."})
    lines = run(hooke, LONG)
    assert [e["text"] for e in only(lines, "hook") if e["did"] == "changed nothing"] == \
        ["callback 'compact': not now"] * 2
    assert len(only(lines, "compacted")) == 1
    assert len(generations(hooke, session_of(lines))) == 2


def test_what_is_decided_and_fails_before_a_request_is_recorded(hooke):
    config(hooke, "compact: { auto: false }\n")
    script(hooke, used(900, text="One."))
    session = session_of(run(hooke, LONG))
    config(hooke)
    script(hooke, {**SUMMARY, "text": ""}, {"text": "Done."})
    run(hooke, "go on", "--resume", session)
    lines = [json.loads(line) for line in receipts(hooke).splitlines()]
    notes = [r for r in lines if "had nothing to say" in json.dumps(r.get("warnings", ""))]
    asked = [r for r in lines if [r["id"]] == [n.get("after") for n in notes]]
    assert [x["hook"] for r in asked for x in r["runs"]] == ["compact-trigger"]
    assert asked[0]["outcome"] == "callback"


def test_context_may_be_one_text(hooke):
    config(hooke, "hooks: [{ name: port, on: experimental.session.compacting, "
                  "replace: { context: Keep port 8080. } }]\n")
    script(hooke, used(900, text="One."), {"expects": "Keep port 8080.", "text": "SUMMARY"})
    assert only(run(hooke, LONG), "compacted")


def test_a_workspace_recipe_is_not_run_before_it_is_trusted(hooke):
    config(hooke)
    recipes = hooke.cwd / ".hooke/recipes"
    recipes.mkdir(parents=True)
    (recipes / "compact.md").write_text("---\napply: replace\nallowed_tools: []\n---\nmine\n")
    script(hooke, used(900, text="One."), {"expects": "mine", "text": "stolen"}, SUMMARY)
    lines = run(hooke, LONG)
    assert not only(lines, "compacted")
    assert "not trusted" in json.dumps(only(lines, "hook"))


def test_kill_during_a_compaction_leaves_one_generation_or_the_other(hooke):
    config(hooke)
    for delay in ("0ms", "300ms", "10s"):
        script(hooke, used(900, text="One.", **call("bash", command="true")),
               {**SUMMARY, "delay": delay}, {"text": "Done.", "delay": "10s"})
        child = start(hooke, "run", "--json", LONG)
        for line in child.stdout:
            if '"callback"' in line and "compact-trigger" in line:
                break
        child.send_signal(signal.SIGKILL)
        child.wait()
        session = hooke("conversation", "list", "--json").json[0]["id"]
        texts = [said(m) for m in history(hooke, session)]
        assert texts == ["SUMMARY of src/a.c"] or (texts[0] == LONG and len(texts) == 3)
        assert len(generations(hooke, session)) == (2 if len(texts) == 1 else 1)
        script(hooke, SUMMARY, {"text": "It goes on."})
        assert run(hooke, "go on", "--resume", session)[-1]["end"] == "done"


@pytest.mark.parametrize("point, generation", [("experimental.session.compacting", 1),
                                               ("session.compacted", 2)])
def test_kill_before_and_after_the_commit(hooke, point, generation):
    config(hooke, f"hooks: [{{ name: killer, on: {point}, exec: 'kill -9 $PPID' }}]\n")
    script(hooke, used(900, text="One.", **call("bash", command="true")), SUMMARY,
           {"text": "Done."})
    assert hooke("run", LONG).rc == -signal.SIGKILL
    session = hooke("conversation", "list", "--json").json[0]["id"]
    assert len(generations(hooke, session)) == generation
    assert len(history(hooke, session)) == (3 if generation == 1 else 1)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("waits", ["model", "hook"])
def test_an_interrupt_during_a_compaction_changes_nothing(hooke, sign, waits):
    hook = "{ name: slow, on: experimental.session.compacting, exec: 'echo >began; exec sleep 60' }"
    config(hooke, f"hooks: [{hook}]\n" if waits == "hook" else "")
    script(hooke, used(900, text="One.", **call("bash", command="true")),
           {**SUMMARY, "delay": "60s"})
    child = start(hooke, "run", "--json", LONG)
    for line in child.stdout:
        if '"callback"' in line and "compact-trigger" in line:
            break
    deadline = time.monotonic() + 20
    while waits == "hook" and not (hooke.cwd / "began").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.send_signal(sign)
    end = json.loads(child.communicate(timeout=20)[0].splitlines()[-1])
    assert end["end"] == "aborted"
    assert len(generations(hooke, end["session"])) == 1
    assert len(history(hooke, end["session"])) == 3


def test_a_conversation_is_compacted_by_one_process_at_a_time(hooke):
    session = long_conversation(hooke)
    script(hooke, {**SUMMARY, "delay": "60s"})
    hooke.config("hooks: [{ name: see, on: PreCompact, exec: 'echo >began' }]\n")
    child = start(hooke, "run", "-r", "compact", "--resume", session)
    hooke.started.append(child)
    deadline = time.monotonic() + 20
    while not (hooke.cwd / "began").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for words in (["-r", "compact"], ["go on"]):
        r = hooke("run", *words, "--resume", session)
        assert r.rc == 1 and f"'{session}' is in use by process {child.pid}" in r.err
    child.kill()
    child.wait()
    script(hooke, SUMMARY)
    assert hooke("run", "-r", "compact", "--resume", session).rc == 0


# What survived ------------------------------------------------------------------------------------

def test_generations_say_what_survived(hooke):
    config(hooke, "disabled_hooks: [todo-continuation]\n")
    todos = [{"content": "paint the shed", "status": "pending"},
             {"content": "feed the cat", "status": "in_progress"},
             {"content": "sleep", "status": "completed"}]
    script(hooke, {"calls": [{"tool": "read", "args": {"path": "src/a.c"}},
                             {"tool": "read", "args": {"path": "src/b.c"}},
                             {"tool": "todo", "args": {"todos": todos}}],
                   "usage": {"input_tokens": 900}},
           {**SUMMARY, "text": "SUMMARY of src/a.c, then feed the cat"}, {"text": "Done."})
    session = session_of(run(hooke, LONG))
    first, second = generations(hooke, session)
    assert "files" not in first and first["tokens"] > second["tokens"]
    assert second["files"] == {"kept": ["src/a.c"], "lost": ["src/b.c"]}
    assert second["todos"] == {"kept": ["paint the shed", "feed the cat"], "lost": []}
    assert "paint the shed" in json.dumps(history(hooke, session)[0])
    text = hooke("conversation", "show", session, "--generations").out
    assert "1 of 2 files still named; lost: src/b.c" in text
    assert "2 of 2 open todos still named" in text
    assert hooke("conversation", "restore", session, "1").rc == 0
    assert len(history(hooke, session)) == 3


# What is put back ---------------------------------------------------------------------------------

NOTES, RULE = "Tabs are for eating.", "Nobody goes to."


def noted(hooke):
    """A workspace that has something to say of its files; returns what the model was sent, each time."""
    tap = "{ name: tap, on: experimental.chat.messages.transform, layer: validate, " \
        "exec: 'tr -d \"\\n\" >>sent; echo >>sent' }"
    config(hooke, f"hooks: [{tap}]\n")
    for name, text in (("AGENTS.md", "The root's."), ("src/AGENTS.md", NOTES), ("src/a.c", "int a;"),
                       (".hooke/rules/c.md", f"---\nglobs: '*.c'\n---\n{RULE}")):
        (hooke.cwd / name).parent.mkdir(parents=True, exist_ok=True)
        (hooke.cwd / name).write_text(text)

    def sent():
        lines = (hooke.cwd / "sent").read_text().splitlines()
        return [d["messages"] for d in (json.loads(line)["data"] for line in lines)
                if d["purpose"] == "main"]

    return sent


def test_notes_and_rules_the_summary_lost_are_put_back_once(hooke):
    sent = noted(hooke)
    read = call("read", path="src/a.c")
    script(hooke, used(900, **read), SUMMARY, read, {"text": "Done."})
    session = session_of(run(hooke, LONG))
    after = sent()[1]
    put_back = [p for p in after[0]["content"] if p.get("synthetic")]
    assert [m["role"] for m in after] == ["user"]
    assert NOTES in put_back[0]["text"] and RULE in put_back[0]["text"]
    last = json.dumps(sent()[-1])
    assert last.count(NOTES) == last.count(RULE) == 1  # reading the file again says nothing new
    assert "The root's." not in last  # the system prompt has it
    script(hooke, used(900, text="More."), SUMMARY, {"text": "Done."})
    run(hooke, "and on", "--resume", session)
    run(hooke, "and on", "--resume", session)
    last = json.dumps(sent()[-1])
    assert last.count(NOTES) == last.count(RULE) == 1  # after a second compaction, too


def test_what_the_summary_has_is_not_put_back(hooke):
    sent = noted(hooke)
    read = call("read", path="src/a.c")
    script(hooke, used(900, **read), {**SUMMARY, "text": f"{RULE} {NOTES}"}, read, {"text": "Done."})
    run(hooke, LONG)
    last = sent()[-1]
    assert json.dumps(last).count(NOTES) == json.dumps(last).count(RULE) == 1
    assert not [p for m in last for p in m["content"] if p.get("synthetic")]


def test_after_a_compaction_by_hand_they_are_put_back_in_the_next_run(hooke):
    sent = noted(hooke)
    script(hooke, call("read", path="src/a.c"), {"text": LONG})
    run(hooke, LONG)
    script(hooke, SUMMARY)
    assert hooke("run", "-r", "compact", "--follow").rc == 0
    script(hooke, {"text": "Done."})
    run(hooke, "go on", "--follow")
    assert json.dumps(sent()[-1]).count(RULE) == json.dumps(sent()[-1]).count(NOTES) == 1


def test_hooks_are_told_the_summary(hooke):
    config(hooke, "hooks: [{ name: seen, on: session.compacted, exec: 'cat >seen' }, "
                  "{ name: post, on: PostCompact, dialect: claude, exec: 'cat >claude' }]\n")
    script(hooke, used(900, text="One."), SUMMARY)
    run(hooke, LONG)
    assert json.loads((hooke.cwd / "seen").read_text())["data"]["summary"] == SUMMARY["text"]
    assert json.loads((hooke.cwd / "claude").read_text())["compact_summary"] == SUMMARY["text"]


# Over the network ---------------------------------------------------------------------------------

def test_a_whole_flow_on_a_provider_of_this_machine(hooke):
    hooke.config("providers: { anthropic: { models: { m: { context_window: 1000 } } } }\n")
    with loopback.provider(
            loopback.tool("bash", {"command": "echo hi"}, 900), loopback.text("SUMMARY", 950),
            loopback.text("Done.", 50), loopback.text("Next.", 60)) as server:
        hooke.env.update(ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=server.url)
        lines = run(hooke, "--model", "anthropic/m", LONG)
        first, summary, after = server.asked
        # the summary is asked for on the history as it is, tools known but not to be called
        assert summary["system"] == first["system"]
        assert [m["role"] for m in summary["messages"]] == ["user", "assistant", "user"]
        assert LONG in json.dumps(summary["messages"][0])
        assert "tool_use" in json.dumps(summary["messages"][1])
        assert summary["tools"] == first["tools"] and summary["tool_choice"] == {"type": "none"}
        assert "tool_choice" not in first and "tool_choice" not in after
        assert len(after["messages"]) == 1 and "SUMMARY" in json.dumps(after["messages"])
        assert only(lines, "end")[0]["usage"]["input_tokens"] == 1900
        run(hooke, "--follow", "and now?")
        assert [m["role"] for m in server.asked[3]["messages"]] == ["user", "assistant", "user"]


def spoken(request):
    return [m["role"] for m in request["messages"] if m["role"] != "system"]


@needs_tools
def test_by_resume_and_by_a_script_on_a_provider_of_this_machine(hooke):
    hooke.config("providers: { openai: { models: { m: { context_window: 1000 } } } }\n"
                 "compact: { auto: false }\n")
    with loopback.provider(
            loopback.text("One.", 500), loopback.text("SUMMARY"), loopback.text("Two.", 800),
            loopback.text("Three.")) as server:
        hooke.env.update(OPENAI_API_KEY="x", OPENAI_BASE_URL=server.url + "/v1")
        session = session_of(run(hooke, "--model", "openai/m", LONG))
        r = hooke("run", "-r", "compact", "--resume", session)
        assert r.rc == 0 and f"Compacted conversation {session}: 505 → 8 tokens" in r.out
        kodelet(hooke, "keep-the-request")
        run(hooke, "--resume", session, "go on")
        assert spoken(server.asked[2]) == ["user", "user"]
        assert "SUMMARY" in json.dumps(server.asked[2]["messages"])
        assert [said(m) for m in history(hooke, session)] == ["The request was: SUMMARY"]
        assert [g["trigger"] for g in generations(hooke, session)] == ["", "compaction", "hook"]
        run(hooke, "--resume", session, "and on")
        assert spoken(server.asked[3]) == ["user", "user"]


def test_a_request_that_is_too_long_is_compacted_and_sent_again(hooke):
    with loopback.provider(
            loopback.tool("bash", {"command": "seq 50"}),
            loopback.error(400, {"error": {"code": "context_length_exceeded",
                                           "message": "too many tokens"}}),
            loopback.text("SUMMARY"), loopback.text("Done.")) as server:
        hooke.env.update(OPENAI_API_KEY="x", OPENAI_BASE_URL=server.url + "/v1")
        lines = run(hooke, "--model", "openai/m", LONG)
        assert len(server.asked) == 4 and server.asked[2]["tool_choice"] == "none"
    assert len(only(lines, "compacted")) == 1
    assert "Done." in json.dumps(only(lines, "message")[-1])
