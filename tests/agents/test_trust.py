"""What a person has to do before an agent runs hooke, as docs/agents says."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from agents import LIMIT, PEERS

CONFIG = "hooks: [{ name: no, on: tool.execute.before, tool: bash, block: not for you }]\n"
BYPASS = "--dangerously-bypass-hook-trust"


class Terminal:
    """An agent in a terminal of 50 lines, and what it has shown there, without the blanks."""

    def __init__(self, agent, program):
        self.shown = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(agent.cwd)
            os.execve(PEERS / program, [program], {**agent.env, "TERM": "xterm-256color"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))

    def read(self):
        if not select.select([self.fd], [], [], 0.1)[0]:
            return
        text = os.read(self.fd, 65536)
        if b"\x1b[6n" in text:  # where the cursor is
            os.write(self.fd, b"\x1b[1;1R")
        if b"\x1b[c" in text:  # what kind of terminal it is
            os.write(self.fd, b"\x1b[?62;c")
        self.shown += re.sub(r"\x1b\[[0-9;?>=]*[a-zA-Z]|\s", "", text.decode(errors="replace"))

    def until(self, what, press=""):
        """What is pressed while a dialogue is only drawn is lost, so it is pressed again."""
        began = pressed = time.monotonic()
        while not what():
            now = time.monotonic()
            assert now < began + LIMIT, self.shown[-2000:]
            if press and now > pressed + 1:
                os.write(self.fd, press.encode())
                pressed = now
            self.read()

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def test_codex_runs_hooke_once_a_person_trusts_it_and_asks_no_more(start, model):
    agent = start("codex")
    command = agent.command
    agent.command = lambda *words: [word for word in command(*words) if word != BYPASS]
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.install()
    settings = agent.folder / "config.toml"
    with contextlib.closing(Terminal(agent, "codex")) as terminal:
        terminal.until(lambda: "2.Trustallandcontinue" in terminal.shown)
        terminal.until(lambda: settings.read_text().count("trusted_hash") >= 11, press="2\r")
    agent.install()
    model.asked.clear()
    model.turns = [agent.bash("echo one > one"), {"text": "finished"}]
    agent.run()
    assert "not for you" in model.sent(1) and not (agent.cwd / "one").exists()
