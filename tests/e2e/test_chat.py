"""hooke chat: a person at a terminal, played by a pseudo-terminal."""

import json
import os
import pty
import select
import signal
import time

import pytest
from scripted import call, script

CTRL_C, CTRL_D = "\x03", "\x04"
UP = "\x1b[A"


class Terminal:
    """A program with a terminal of its own; what it prints is waited for, never slept for."""

    def __init__(self, hooke, *words):
        self.seen, self.rc = "", None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(hooke.cwd)
            os.execve(hooke.program, [hooke.program, *words],
                      {**hooke.env, "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"})

    def expect(self, text):
        """Wait for a text, and forget all up to it."""
        deadline = time.monotonic() + 30
        while text not in self.seen:
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self.fd], [], [], left)[0], (text, self.seen)
            try:
                piece = os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                piece = ""
            assert piece, (text, self.seen)
            self.seen += piece
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text):
        os.write(self.fd, text.encode())

    def line(self, text):
        self.type(text + "\r")

    def end(self):
        """Everything printed until it has gone."""
        while True:
            assert select.select([self.fd], [], [], 30)[0], self.seen
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                break
            if not piece:
                break
            self.seen += piece.decode(errors="replace")
        self.rc = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        self.pid = None
        return self.seen

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.end()


@pytest.fixture
def chat(hooke):
    opened = []

    def start(*words):
        opened.append(Terminal(hooke, "chat", *words))
        opened[-1].expect("> ")
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture
def seen(hooke):
    """What hooks are told of the beginning and the end of sessions."""
    file = hooke.home / "seen"
    hooke.config("hooks: [{ name: look, on: [session.created, session.ended, agent.error], "
                 "exec: 'cat >>%s' }]\n" % file)

    def read():
        return [(e["point"], e["session"]["id"], e["data"])
                for e in map(json.loads, file.read_text().splitlines())]

    return read


def stored(hooke):
    return hooke("conversation", "list", "--json").json


def test_messages_belong_to_one_session(hooke, chat, seen):
    script(hooke, {"text": "Hello."}, {"expects": "again", "text": "Hello again."})
    t = chat()
    t.line("hi")
    t.expect("Hello.")
    t.expect("> ")
    t.line("and again")
    t.expect("Hello again.")
    t.expect("> ")
    t.type(CTRL_D)
    t.end()
    assert t.rc == 0
    only, = stored(hooke)
    assert only["messages"] == 4
    events = seen()
    assert [e[0] for e in events] == ["session.created", "session.ended"]
    assert events[1][1:] == (only["id"], {"reason": "quit"})


def test_a_line_that_ends_in_a_backslash_goes_on(hooke, chat):
    script(hooke, {"expects": "one\\ntwo", "text": "Both lines."})
    t = chat()
    t.line("one\\")
    t.expect(". ")
    t.line("two")
    t.expect("Both lines.")


def test_ctrl_c_ends_the_request_and_not_the_chat(hooke, chat, seen):
    script(hooke, {"expects": "slow", "delay": "10m", "text": "Too late."},
           {"expects": "fast", "text": "In time."})
    t = chat()
    t.line("slow")
    t.expect("script/m1")  # the spinner: the request is on its way
    t.type(CTRL_C)
    t.expect("aborted")
    t.expect("> ")
    t.line("fast")
    t.expect("In time.")
    t.expect("> ")
    t.line("/quit")
    t.end()
    assert t.rc == 0 and [e[0] for e in seen()] == ["session.created", "agent.error", "session.ended"]


def test_ctrl_c_ends_a_tool_with_what_it_started(hooke, chat):
    ready = hooke.home / "ready"
    os.mkfifo(ready)
    hooke.config("disabled_hooks: [sandbox]\n")  # processes have other numbers in there
    script(hooke, call("bash", command=f"echo $$ >{ready}; exec sleep 600"), {"text": "After."})
    t = chat()
    t.line("go")
    pid = int(ready.read_text())
    t.type(CTRL_C)
    t.expect("aborted")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    t.expect("> ")
    t.line("go on")
    t.expect("After.")


def test_ctrl_c_at_the_prompt_drops_the_line(hooke, chat):
    script(hooke, {"expects": "meant", "text": "Right."})
    t = chat()
    t.type("not this")
    t.expect("not this")
    t.type(CTRL_C)
    t.expect("> ")
    t.line("meant")
    t.expect("Right.")


def test_models_and_agents_can_be_changed(hooke, chat):
    script(hooke, {"model": "m1", "text": "By one."}, {"model": "m2", "text": "By two."})
    t = chat()
    t.line("hi")
    t.expect("By one.")
    t.expect("> ")
    t.line("/model")
    t.expect("script/m1")
    t.line("/model nonsense")
    t.expect("'nonsense' is no model")
    t.line("/model nowhere/x")
    t.line("hi")
    t.expect("unknown provider 'nowhere'")
    t.expect("> ")
    t.line("/model script/m2")
    t.line("/agent architect")
    t.line("hi")
    t.expect("By two.")
    t.expect("> ")
    t.line("/agent")
    t.expect("architect")
    t.line("/quit")
    t.end()
    assert stored(hooke)[0]["model"] == "script/m2"


def test_new_and_resume(hooke, chat, seen):
    script(hooke, {"expects": "one", "text": "First."}, {"expects": "two", "text": "Second."},
           {"expects": "three", "text": "Third."})
    t = chat()
    t.line("one")
    t.expect("First.")
    t.expect("> ")
    t.line("/new")
    t.expect("a new session")
    t.line("two")
    t.expect("Second.")
    t.expect("> ")
    first = stored(hooke)[-1]["id"]
    t.line("/resume nothing")
    t.expect("there is no conversation 'nothing'")
    t.line(f"/resume {first}")
    t.expect("going on with 'one', 2 messages")
    t.line("three")
    t.expect("Third.")
    t.expect("> ")
    t.line("/quit")
    t.end()
    assert {c["id"]: c["messages"] for c in stored(hooke)}[first] == 4
    assert [(e[0], e[2].get("reason", e[2].get("source"))) for e in seen()] == [
        ("session.created", "startup"), ("session.ended", "new"),
        ("session.created", "startup"), ("session.ended", "resume"),
        ("session.created", "resume"), ("session.ended", "quit")]


def test_compact_replaces_what_was_said(hooke, chat):
    script(hooke, {"expects": "count", "text": "One, two, three, four, five, six, seven, eight."},
           {"expects": "mind the numbers", "text": "SUMMARY"},
           {"expects": "go on", "text": "Nine."})
    t = chat()
    t.line("/compact")
    t.expect("nothing was said yet")
    t.line("count to eight and say every number in words, slowly, one after the other")
    t.expect("eight.")
    t.expect("> ")
    t.line("/compact mind the numbers")
    t.expect("Compacted conversation ")
    t.expect("> ")
    t.line("go on")
    t.expect("Nine.")
    t.expect("> ")
    t.line("/quit")
    t.end()
    assert [(c["generation"], c["messages"]) for c in stored(hooke)] == [(2, 3)]


def test_commands_explain_themselves(hooke, chat):
    script(hooke, {"expects": "/etc/hosts", "text": "A path."})
    t = chat()
    t.line("/help")
    t.expect("/resume ID")
    t.line("/modle x")
    t.expect("did you mean '/model'?")
    t.line("/hooks")
    t.expect("secret-guard: ")
    t.line("/etc/hosts is what?")
    t.expect("A path.")


def test_the_history_outlives_the_chat(hooke, chat):
    script(hooke, {"text": "Once."})
    t = chat()
    t.line("the first déjà vu")
    t.expect("Once.")
    t.expect("> ")
    t.type(CTRL_D)
    t.end()
    file = hooke.home / ".local/state/hooke/chat-history"
    assert file.stat().st_mode & 0o777 == 0o600
    script(hooke, {"expects": "the first déjà vu", "text": "Twice."})
    t = chat()
    t.type(UP)
    t.expect("the first déjà vu")
    t.type("\r")
    t.expect("Twice.")


def test_consent_is_asked_for(hooke, chat):
    hooke.config("permission: { bash: ask }\n")
    turns = [call("bash", command="touch ran"), {"text": "Done."}]
    script(hooke, *turns, *turns)
    t = chat()
    for answer, ran in (("n", False), ("y", True)):
        t.line("go")
        t.expect("allow bash touch ran? [y/N] ")
        t.type(answer + "\n")
        t.expect("Done.")
        t.expect("> ")
        assert (hooke.cwd / "ran").exists() == ran
    lines = [json.loads(line) for path in hooke.receipts.glob("*.jsonl")
             for line in path.read_text().splitlines()]
    assert [r["answer"] for r in lines if r["point"] == "permission.ask"] == [
        {"by": "person", "decision": "block"}, {"by": "person", "decision": "allow"}]


def test_a_signal_ends_it_in_order(hooke, chat, seen):
    script(hooke, {"text": "Hello."})
    t = chat()
    t.line("hi")
    t.expect("Hello.")
    t.expect("> ")
    os.kill(t.pid, signal.SIGTERM)
    t.end()
    assert t.rc == 1 and seen()[-1][2] == {"reason": "signal"}


def test_follow_goes_on_with_the_newest(hooke, chat):
    script(hooke, {"text": "Hello."})
    assert hooke("run", "hi").rc == 0
    script(hooke, {"expects": "more", "text": "Goes on."})
    t = chat("--follow")
    t.line("more")
    t.expect("Goes on.")
    t.expect("> ")
    t.type(CTRL_D)
    t.end()
    only, = stored(hooke)
    assert only["messages"] == 4


def test_no_terminal_is_a_misuse(hooke):
    script(hooke, {"text": "Hello."})
    r = hooke("chat", input="hi\n")
    assert (r.rc, r.out) == (64, "") and "needs a terminal" in r.err


def test_a_recipe_runs_by_its_name_for_one_message(hooke, chat):
    folder = hooke.config_dir / "recipes/team"
    folder.mkdir(parents=True)
    (folder / "hi.md").write_text("---\nallowed_tools: []\nmodel: script/m2\n---\nHello {{.who}}")
    (folder.parent / "help.md").write_text("not this")
    (folder.parent / "greet.md").write_text('Greet {{default .who "all"}}')
    script(hooke, {"model": "m1", "expects": "first", "text": "First."},
           {"model": "m2", "expects": "Hello a b\\nand c=d", "text": "Hi."},
           {"model": "m1", "expects": "after", **call("bash", command="touch made")},
           {"model": "m1", "text": "After."}, {"expects": "Greet all", "text": "Greeted."})
    t = chat()
    t.line("first")
    t.expect("First.")
    t.expect("> ")
    t.line("/recipes")
    t.expect("/team/hi")
    t.line("/help")
    t.expect("/recipes")
    t.line("/team/hi")
    t.expect("needs the argument 'who'")
    t.line('/team/hi who="a b" and c=d')
    t.expect("Hi.")
    t.expect("> ")
    t.line("after")
    t.expect("After.")
    t.expect("> ")
    t.line("/greet")
    t.expect("Greeted.")
    t.expect("> ")
    t.line("/greett")
    t.expect("unknown command '/greett'")
    t.line("/quit")
    t.end()
    assert (hooke.cwd / "made").exists() and len(stored(hooke)) == 1
