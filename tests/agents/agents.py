"""The real agents, headless, with a home of their own: how each is configured, started, and given
hooke; what its tools are called; and what it can be told by a hook."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEERS = SOURCE / "build/peers/node_modules/.bin"
HOOKE = pathlib.Path(os.environ.get("HOOKE", SOURCE / "build/dev/hooke"))
PROMPT = "do what the script says"
LIMIT = 120  # seconds for one run of an agent


class Agent:
    """One agent in a folder of its own, against one model."""

    name = None
    package = None  # in which scripts/peers installs it
    shell = None  # its tool that runs a command, and the argument that holds it
    reader = None  # its tool that reads a file, and the argument that names it
    writer = None  # its tool that writes a file, and the argument that names it
    follows_up = True  # whether a run without a terminal goes on when a hook says so
    follow_up_said = 1  # how often the model then reads it
    shows_refusals = True  # whether a run without a terminal says why a prompt was refused
    starts_daemon = False  # whether it starts one where none runs

    def __init__(self, root, model):
        assert not reaches_out(), "agents are to see loopback only: scripts/test-agents sees to that"
        self.home, self.cwd, self.model = root / "home", root / "work", model
        for folder in (self.home, self.cwd / ".git"):
            folder.mkdir(parents=True)
        kept = ("LANG", "TERM")
        self.env = {k: os.environ[k] for k in kept if k in os.environ}
        self.env |= {"HOME": str(self.home), "PWD": str(self.cwd), "NO_COLOR": "1",
                     "PATH": f"{HOOKE.parent}:{os.environ['PATH']}",
                     "XDG_RUNTIME_DIR": str(root / "run"), "TMPDIR": str(root / "tmp")}
        for folder in ("run", "tmp"):
            (root / folder).mkdir(mode=0o700)
        self.daemon = None
        self.configure()

    def configure(self):
        raise NotImplementedError

    def command(self, prompt):
        raise NotImplementedError

    def resume(self, prompt):
        """The command that goes on with the session of the one before."""
        raise NotImplementedError

    # The script --------------------------------------------------------------------------------

    def bash(self, command):
        return {"tool": self.shell[0], "args": {self.shell[1]: command}}

    def read(self, path):
        return {"tool": self.reader[0], "args": {self.reader[1]: str(path)}}

    def create(self, path, text):
        return {"tool": self.writer[0], "args": {self.writer[1]: str(path), "content": text}}

    def run(self, prompt=PROMPT, again=False):
        """One prompt, away from any terminal; `again`: in the session of the one before."""
        command = self.resume(prompt) if again else self.command(prompt)
        return subprocess.run(command, cwd=self.cwd, env=self.env, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              start_new_session=True)

    # hooke -------------------------------------------------------------------------------------

    def install(self):
        self.hooke("install", self.name, "--yes")

    def hooke(self, *words):
        return subprocess.run([HOOKE, *words], cwd=self.cwd, env=self.env, text=True, check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT).stdout

    def write(self, path, text, mode=0o644):
        """A file below the agent's folder: `home/…` or `work/…`."""
        file = self.home.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def serve(self):
        self.daemon = subprocess.Popen([HOOKE, "serve"], cwd="/", env=self.env, text=True,
                                       stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.daemon.stderr.readline()
        assert "serving on" in line, line + self.daemon.stderr.read()

    def served(self):
        """How many events the daemon has answered; None: none runs."""
        status = subprocess.run([HOOKE, "serve", "--status", "--json"], env=self.env, text=True,
                                capture_output=True, timeout=LIMIT, check=False)
        return json.loads(status.stdout)["served"] if status.returncode == 0 else None

    def receipts(self):
        files = sorted((self.home / ".local/state/hooke/receipts").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def warnings(self):
        return "\n".join(text for r in self.receipts() for text in r.get("warnings", []))

    def close(self):
        """Ends the daemon, whoever has started it."""
        subprocess.run([HOOKE, "serve", "--stop"], env=self.env, capture_output=True, check=False)
        if self.daemon:
            self.daemon.communicate(timeout=LIMIT)


class Claude(Agent):
    name, package = "claude", "@anthropic-ai/claude-code"
    shell, reader, writer = ("Bash", "command"), ("Read", "file_path"), ("Write", "file_path")
    follow_up_said = 2  # as feedback of a hook and as its error

    options = ["--dangerously-skip-permissions", "--output-format", "json"]

    def configure(self):
        self.folder = self.home / ".claude"
        self.folder.mkdir()
        self.env |= {"ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": "none",
                     "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                     "IS_SANDBOX": "1"}  # else root may not skip permissions

    def task(self, prompt):
        """A subagent, which is waited for."""
        return {"tool": "Agent", "args": {"description": "some work", "prompt": prompt,
                                          "subagent_type": "Explore", "run_in_background": False}}

    def command(self, *words):
        return [PEERS / "claude", "-p", *words, *self.options]

    def resume(self, prompt):
        return self.command("--continue", prompt)


class Codex(Agent):
    name, package = "codex", "@openai/codex"
    shell = ("exec_command", "cmd")
    shows_refusals = False  # `codex exec` says no more than "blocked"

    def configure(self):
        self.folder = self.home / ".codex"
        self.folder.mkdir()
        (self.folder / "config.toml").write_text(
            'model = "gpt-5"\nmodel_provider = "here"\n[analytics]\nenabled = false\n'
            "[features]\napps = false\nplugins = false\n"
            f'[model_providers.here]\nname = "here"\nbase_url = "{self.model.url}/v1"\n'
            'wire_api = "responses"\nenv_key = "NO_KEY"\n')
        self.env |= {"CODEX_HOME": str(self.folder), "NO_KEY": "none"}

    def command(self, *words):
        return [PEERS / "codex", "exec", *words[:-1], "--json", "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust",
                words[-1]]

    def resume(self, prompt):
        return self.command("resume", "--last", prompt)


class Gemini(Agent):
    name, package = "gemini", "@google/gemini-cli"
    shell = ("run_shell_command", "command")
    reader, writer = ("read_file", "file_path"), ("write_file", "file_path")

    def configure(self):
        self.folder = self.home / ".gemini"
        self.folder.mkdir()
        (self.folder / "settings.json").write_text(json.dumps({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "hooksConfig": {"enabled": True}}, indent=2))
        self.env |= {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": self.model.url,
                     "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def command(self, prompt):
        return [PEERS / "gemini", "-m", "gemini-2.5-pro", "-p", prompt, "--yolo", "--output-format",
                "json"]

    def resume(self, prompt):
        return [*self.command(prompt), "--resume", "latest"]


class OpenCode(Agent):
    name, package = "opencode", "opencode-ai"
    shell, reader, writer = ("bash", "command"), ("read", "filePath"), ("write", "filePath")
    server = None
    follows_up = False  # `opencode run` ends as soon as its session is idle
    starts_daemon = True

    def bash(self, command):
        return {"tool": "bash", "args": {"command": command, "description": "run it"}}

    def configure(self):
        model = {"name": "m", "tool_call": True, "limit": {"context": 100000, "output": 1000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "models": {"m": model},
                    "options": {"baseURL": self.model.url + "/v1", "apiKey": "none"}}
        self.settings = {
            "provider": {"here": provider}, "model": "here/m", "small_model": "here/m",
            "permission": "allow", "autoupdate": False, "share": "disabled"}
        self.write("work/opencode.json", json.dumps(self.settings))
        self.env |= {f"OPENCODE_DISABLE_{what}": "1" for what in (
            "AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")}

    def install(self, **options):
        """With options it has to be named: the file that is installed has none."""
        if options:
            plugin = (SOURCE / "adapters/opencode/index.js").as_uri()
            self.settings["plugin"] = [[plugin, options]]
            self.write("work/opencode.json", json.dumps(self.settings))
        else:
            super().install()
        self.have_packages()

    def have_packages(self):
        """With a plugin OpenCode wants a package for plugins in its folders, and offline waits for
        it for a minute, unless it seems to be there."""
        wanted = {"dependencies": {"@opencode-ai/plugin": self.version()}}
        for folder in ("home/.config/opencode", "work/.opencode"):
            self.write(f"{folder}/package.json", json.dumps(wanted))
            self.write(f"{folder}/package-lock.json", json.dumps({
                "name": "opencode", "lockfileVersion": 3, "packages": {"": wanted}}))
            (self.home.parent / folder / "node_modules").mkdir(exist_ok=True)

    def version(self):
        return json.loads((PEERS.parent / "opencode-ai/package.json").read_text())["version"]

    def command(self, *words):
        attached = ["--attach", self.server.url] if self.server else []
        return [PEERS / "opencode", "run", *attached, "--model", "here/m", "--format", "json", *words]

    def resume(self, prompt):
        return self.command("--continue", prompt)

    def stay(self):
        """From now on prompts go to an `opencode serve`, which stays when a session is idle."""
        self.server = OpenCodeServer(self)

    def close(self):
        if self.server:
            self.server.close()
        super().close()


class OpenCodeServer:
    def __init__(self, agent):
        self.process = subprocess.Popen(
            [PEERS / "opencode", "serve", "--port", "0"], cwd=agent.cwd, env=agent.env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                return
        raise AssertionError("it does not listen: " + "".join(said))

    def close(self):
        self.process.terminate()
        self.process.communicate(timeout=LIMIT)


AGENTS = {"claude": Claude, "codex": Codex, "gemini": Gemini, "opencode": OpenCode}

# Whether they can be run -------------------------------------------------------------------------

PINS = dict(re.findall(r"(\S+)@(\d\S*)", (SOURCE / "scripts/peers").read_text()))


def major(version):
    return int(re.search(r"\d+", version)[0])


def why_not(name):
    """Why an agent cannot be run as these tests want it; None: it can."""
    package = AGENTS[name].package
    if not (PEERS / name).exists():
        return f"{name} is not installed: scripts/peers does that"
    about = json.loads((PEERS.parent / package / "package.json").read_text())
    if about["version"] != PINS[package]:
        return f"{name} {about['version']} is installed, not {PINS[package]}: scripts/peers does that"
    with open(PEERS / name, "rb") as program:
        if program.read(2) != b"#!":
            return None  # it needs nothing else
    if not shutil.which("node"):
        return f"{name} needs node, which is not installed"
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    needed = about.get("engines", {}).get("node", "0")
    if major(node) < major(needed):
        return f"{name} needs node {needed}, and {node.strip()} is installed"
    return None


def reaches_out():
    """Whether there is a way to other machines; nothing is sent to find that out."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as s:
            s.connect((address, 9))
            return True
    return False
