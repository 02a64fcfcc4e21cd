"""hooke run: sessions at the command line, played from a script."""

import http.server
import json
import os
import pty
import signal
import subprocess
import threading

import pytest
from scripted import call, events, only, script, start


def run(hooke, *words, **more):
    return hooke("run", *words, **more)


def session_of(result):
    return only(events(result), "end")[0]["session"]


def test_the_text_goes_to_standard_output_and_nothing_else(hooke):
    script(hooke, {**call("bash", command="echo hello"), "text": "I look."}, {"text": "Done."})
    r = run(hooke, "say", "hello")
    assert (r.rc, r.out) == (0, "I look.\nDone.\n")
    assert "• bash echo hello" in r.err and "\x1b" not in r.err and "\r" not in r.err


def test_the_prompt_may_come_from_standard_input(hooke):
    for words in ([], ["-"]):
        script(hooke, {"expects": "from a pipe", "text": "Read."})
        r = run(hooke, *words, input="do this\nfrom a pipe\n")
        assert (r.rc, r.out) == (0, "Read.\n")
    for text, says in [(" \n", "say what to do"), ("one\0two", "NUL"), ("x" * (9 << 20), "8 MiB")]:
        r = run(hooke, input=text)
        assert r.rc == 64 and says in r.err and r.err.count("\n") == 1


def test_follow_goes_on_with_the_newest_conversation(hooke):
    script(hooke, {"text": "One."})
    first = session_of(run(hooke, "one", "--json"))
    script(hooke, {"text": "Two."})
    second = session_of(run(hooke, "two", "--json"))
    script(hooke, {"text": "Three."})
    assert session_of(run(hooke, "--follow", "three", "--json")) == second != first


def test_follow_without_a_conversation_is_a_misuse(hooke):
    script(hooke, {"text": "One."})
    r = run(hooke, "--follow", "go on")
    assert (r.rc, r.out) == (64, "") and r.err.count("\n") == 1


def test_resume_takes_an_id_or_its_beginning(hooke):
    script(hooke, {"text": "One."})
    first = session_of(run(hooke, "one", "--json"))
    for name in (first, first[:20]):
        script(hooke, {"text": "More."})
        assert session_of(run(hooke, "--resume", name, "more", "--json")) == first


def test_a_resumed_model_sees_what_was_said(hooke):
    script(hooke, {"text": "The word is mango."})
    first = session_of(run(hooke, "tell me a word", "--json"))
    shown = hooke.home / "messages"
    hooke.config("hooks: [{ name: look, on: turn.after, mode: observe, exec: 'cat >%s' }]\n" % shown)
    script(hooke, {"text": "Again."})
    assert run(hooke, "--resume", first, "again").rc == 0
    assert "The word is mango." in shown.read_text()


@pytest.mark.parametrize("words, says", [
    (["--follow", "--resume", "x"], "choose one"),
    (["--resume", "nothing"], "there is no conversation 'nothing'"),
    (["--agent", "nobody"], "unknown agent 'nobody'"),
    (["--model", "nonsense"], "nonsense"),
])
def test_misuse_is_one_line_and_64(hooke, words, says):
    script(hooke, {"text": "One."})
    r = run(hooke, *words, "go")
    assert (r.rc, r.out) == (64, "")
    assert says in r.err and r.err.count("\n") == 1


def test_no_save_leaves_nothing_to_go_on_with(hooke):
    script(hooke, {"text": "One."})
    r = run(hooke, "--no-save", "one", "--json")
    assert r.rc == 0
    script(hooke, {"text": "Two."})
    assert run(hooke, "--resume", session_of(r), "two").rc == 64
    assert run(hooke, "--follow", "two").rc == 64


def test_json_tells_the_session_event_by_event(hooke):
    hooke.config("hooks: [{ name: tip, on: tool.execute.after, inject: mind the gap }]\n")
    script(hooke, {"reasoning": "Hm.", "text": "I look.", **call("bash", command="echo hello"),
                   "usage": {"input_tokens": 10, "output_tokens": 2}},
           {"text": "Done.", "usage": {"output_tokens": 3}})
    lines = events(run(hooke, "go", "--json"))
    kinds = [e["type"] for e in lines]
    assert kinds[0] == "session" and kinds[-1] == "end" and kinds.count("end") == 1
    assert only(lines, "session")[0]["model"] == "script/m1"
    assert "".join(e["text"] for e in only(lines, "text")) == "I look.Done."
    assert only(lines, "reasoning")[0]["text"] == "Hm."
    tool, = only(lines, "tool")
    assert (tool["tool"], tool["args"]) == ("bash", {"command": "echo hello"})
    result, = only(lines, "tool_result")
    assert result["ok"] and result["call_id"] == tool["call_id"]
    assert result["output"].startswith("hello\n")
    assert {"hook": "tip", "did": "inject"}.items() <= only(lines, "hook")[0].items()
    assert [m["message"]["role"] for m in only(lines, "message")] == ["assistant"] * 2
    end = lines[-1]
    assert (end["end"], end["turns"], end["usage"]["input_tokens"]) == ("done", 2, 10)
    assert len({e["session"] for e in lines}) == 1


def test_what_hooks_add_to_every_request_is_no_news_at_the_terminal(hooke):
    todos = [{"content": "it", "status": "completed"}]
    script(hooke, call("todo", todos=todos), call("bash", command="true"), {"text": "Done."})
    r = hooke("run", "--agent", "orchestrator", "Find it.")
    assert "hook 'keyword-detector' inject" in r.err
    assert "system-prompt" not in r.err and "context-injector" not in r.err and "phase-reminder" not in r.err
    script(hooke, call("todo", todos=todos), {"text": "Done."})
    did = {e["hook"] for e in only(events(hooke("run", "--json", "go")), "hook")}
    assert did >= {"system-prompt", "context-injector"}


@pytest.mark.parametrize("stop, says", [("length", "cut off"), ("refused", "refused to answer")])
def test_an_answer_that_did_not_end_by_itself_is_told(hooke, stop, says):
    for flags in ([], ["--json"]):
        script(hooke, {"text": "Half an", "stop": stop})
        r = run(hooke, "go", *flags)
        assert r.rc == 0 and says in (r.out if flags else r.err)
    script(hooke, {"text": "All of it."})
    assert run(hooke, "go").err == ""


def test_every_result_follows_its_call(hooke):
    script(hooke, {"calls": [{"tool": "nosuch", "call_id": "a"},
                             {"tool": "bash", "call_id": "b", "args": {"command": "true"}}]},
           {"text": "Done."})
    lines = [e for e in events(run(hooke, "go", "--json")) if e["type"].startswith("tool")]
    assert [(e["type"], e["call_id"]) for e in lines] == [
        ("tool", "a"), ("tool_result", "a"), ("tool", "b"), ("tool_result", "b")]


def test_what_nobody_counts_is_estimated(hooke):
    script(hooke, {"text": "x" * 4000})
    usage = only(events(run(hooke, "y" * 400, "--json")), "end")[0]["usage"]
    assert usage["output_tokens"] >= 1000 and usage["input_tokens"] > 100
    assert usage["current_context_window"] == usage["output_tokens"] + usage["input_tokens"]


def test_what_the_model_thinks_is_shown_on_demand(hooke):
    for flags, shown in (([], False), (["--thinking"], True)):
        script(hooke, {"reasoning": "Hm, a greeting.", "text": "Hello."})
        r = run(hooke, *flags, "hi")
        assert r.out == "Hello.\n" and ("Hm, a greeting.\n" in r.err) == shown


def test_control_characters_do_not_reach_the_terminal(hooke):
    script(hooke, {"text": "red \x1b[31malert\x9b2J caf\u00e9\ttab"})
    main, side = pty.openpty()
    child = subprocess.Popen([hooke.program, "run", "hi"], stdin=subprocess.DEVNULL, stdout=side,
                             stderr=subprocess.DEVNULL, cwd=hooke.cwd, env=hooke.env)
    os.close(side)
    assert child.wait(timeout=30) == 0
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert shown == "red [31malert2J caf\u00e9\ttab\r\n"


@pytest.mark.parametrize("point, end", [("chat.message", "blocked"), ("agent.start", "blocked")])
def test_a_blocked_run_exits_2(hooke, point, end):
    hooke.config("hooks: [{ name: no, on: %s, block: not today }]\n" % point)
    script(hooke, {"text": "Never said."})
    r = run(hooke, "go")
    assert (r.rc, r.out) == (2, "") and "hooke: not today\n" in r.err
    last = events(run(hooke, "go", "--json"))[-1]
    assert (last["end"], last["reason"]) == (end, "not today")


def test_a_stopped_run_exits_2(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, stop: enough }]\n")
    script(hooke, call("bash", command="touch ran"))
    r = run(hooke, "go")
    assert r.rc == 2 and "enough" in r.err and not (hooke.cwd / "ran").exists()


def test_a_blocked_tool_does_not_end_the_run(hooke):
    hooke.config("hooks: [{ name: no, on: tool.execute.before, block: not this }]\n")
    script(hooke, call("bash", command="touch ran"), {"expects": "not this", "text": "I see."})
    r = run(hooke, "go")
    assert (r.rc, r.out) == (0, "I see.\n") and not (hooke.cwd / "ran").exists()


def test_a_failed_run_exits_1_and_says_why(hooke):
    script(hooke, {"error": {"class": "auth", "message": "the key is wrong"}})
    r = run(hooke, "go")
    assert (r.rc, r.out) == (1, "") and r.err.endswith("hooke: the key is wrong\n")


def test_a_wait_that_is_too_long_is_told(hooke):
    script(hooke, {"error": {"class": "rate_limit", "message": "slow down", "retry_after": "1h"}})
    assert "slow down; the provider asks to wait 3600 s" in run(hooke, "go").err


def test_a_ceiling_that_counts_nothing_is_told(hooke):
    hooke.config("limits: { cost: 1 }\n")
    script(hooke, call("bash", command="true"), {"text": "Done."})
    assert run(hooke, "go").err.count("'limits.cost' does not hold") == 1
    hooke.config("limits: { cost: 1 }\n"
                 "providers: { script: { models: { m1: { price: { input: 0 } } } } }\n")
    script(hooke, {"text": "Done."})
    assert "limits.cost" not in run(hooke, "go").err


def test_a_ceiling_is_that_of_the_run_and_its_subagents(hooke):
    hooke.config("limits: { cost: 3 }\nproviders: { script: { models: { m1: "
                 "{ price: { input: 1000000, output: 0 } } } } }\n")
    script(hooke, {**call("task", subagent_type="builder", prompt="do it"),
                   "usage": {"input_tokens": 2}},
           *[{**call("bash", command="true"), "usage": {"input_tokens": 1}}] * 3)
    end = only(events(run(hooke, "go", "--json")), "end")[-1]
    assert (end["end"], end["cost"]) == ("failed", 3)


def test_a_limited_model_is_followed_by_the_next(hooke):
    hooke.config("agents: { builder: { fallback: [script/m2] } }\n")
    script(hooke, {"model": "m1", "error": {"class": "rate_limit", "status": 429}},
           {"model": "m2", "text": "Done by another."})
    r = run(hooke, "go")
    assert (r.rc, r.out) == (0, "Done by another.\n") and "'script/m2' answers" in r.err


@pytest.mark.parametrize("point", ["session.error", "message.updated"])
def test_a_hook_cannot_go_back_to_a_model_that_failed(hooke, point):
    hooke.config("hooks:\n- name: again\n  on: %s\n  exec: |\n    echo '{\"model\":\"script/m1\"}'\n"
                 % point)
    script(hooke, *[{"error": {"class": "quota", "message": "no money"}}] * 9)
    lines = events(run(hooke, "go", "--json"))
    assert only(lines, "end")[0]["reason"] == "no money"
    assert not only(lines, "fallback")
    assert "script/m1" in only(lines, "note")[0]["text"]


def test_the_run_ends_with_session_ended(hooke):
    seen = hooke.home / "ended"
    hooke.config("hooks: [{ name: look, on: session.ended, exec: 'cat >>%s' }]\n" % seen)
    script(hooke, {"text": "Done."})
    session = session_of(run(hooke, "go", "--json"))
    event = json.loads(seen.read_text())
    assert event["data"] == {"reason": "done"} and event["session"]["id"] == session


def test_tools_that_ask_are_refused_where_nobody_answers(hooke):
    hooke.config("permission: { bash: ask }\n")
    turns = [call("bash", command="touch ran"), {"text": "Done."}]
    script(hooke, *turns)
    assert "--allow bash" in json.dumps(events(run(hooke, "go", "--json")))
    assert not (hooke.cwd / "ran").exists()
    script(hooke, *turns)
    assert run(hooke, "go", "--allow", "bash").rc == 0 and (hooke.cwd / "ran").exists()


# Ctrl-C -------------------------------------------------------------------------------------------

def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().split(") ")[1][0] != "Z"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_tool_ends_everything_in_order(hooke, number):
    started, seen = hooke.home / "started", hooke.home / "errors"
    os.mkfifo(started)
    hooke.config("disabled_hooks: [sandbox]\n"  # processes have other numbers in there
                 "hooks: [{ name: look, on: [agent.error, agent.stop], exec: 'cat >>%s' }]\n" % seen)
    script(hooke, {"text": "I wait.", **call("bash", command=f"sleep 600 & echo $$ $! >{started}; wait")})
    child = start(hooke, "run", "go", "--json")
    pids = [int(pid) for pid in started.read_text().split()]  # waits until somebody writes
    assert len(pids) == 2 and all(map(is_alive, pids))
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 1, err
    assert not any(map(is_alive, pids))
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[-1]["end"] == "aborted"
    event, = map(json.loads, seen.read_text().splitlines())
    assert (event["point"], event["data"]["error"]["class"]) == ("agent.error", "aborted")
    script(hooke, {"expects": "go on", "text": "Where were we."})
    r = run(hooke, "--resume", lines[-1]["session"], "go on", "--json")
    assert r.rc == 0, r.err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_run_that_nobody_reads_ends(hooke, flags):
    script(hooke, {"text": "One.\n", **call("bash", command="until test -e go; do sleep 0.01; done")},
           {"text": "Two.\n", **call("bash", command="touch ran")}, {"text": "Done."})
    process = start(hooke, "run", "go", *flags)
    process.stdout.readline()
    process.stdout.close()
    (hooke.cwd / "go").touch()
    assert process.wait(30) == 1
    assert not (hooke.cwd / "ran").exists()
    said = hooke("conversation", "show", hooke("conversation", "list", "--json").json[0]["id"])
    assert ("One." if flags else "Two.") in said.out and "Sanitizer" not in process.stderr.read()


def test_an_interrupted_request_ends_at_once(hooke):
    script(hooke, {"delay": "10m", "text": "Too late."})
    child = start(hooke, "run", "go", "--json")
    assert json.loads(child.stdout.readline())["type"] == "session"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 1, err
    assert json.loads(out.splitlines()[-1])["end"] == "aborted" and "Too late" not in out


class Stalling(http.server.BaseHTTPRequestHandler):
    """A model that says half of it and then nothing more."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in (
            {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": "Half of it"}},
        ):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()
        self.server.over.wait(60)

    def log_message(self, *_):
        pass


def test_what_has_arrived_of_a_reply_is_kept(hooke):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stalling)
    server.over = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hooke.env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.server_port}"
    hooke.env["ANTHROPIC_API_KEY"] = "none"
    child = start(hooke, "run", "-m", "anthropic/x", "go", "--json")
    while json.loads(child.stdout.readline())["type"] != "text":
        pass
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    server.over.set()
    server.shutdown()
    assert child.returncode == 1, err
    shown = hooke.home / "messages"
    hooke.config("hooks: [{ name: look, on: turn.after, mode: observe, exec: 'cat >%s' }]\n" % shown)
    script(hooke, {"text": "Again."})
    assert run(hooke, "-m", "script/m1", "--follow", "again").rc == 0
    messages = json.loads(shown.read_text())["data"]["messages"]
    assert [m["role"] for m in messages[:3]] == ["user", "assistant", "user"]
    assert messages[1]["content"][0]["text"] == "Half of it"
