"""The real agents, headless, with a home of their own and a model that plays a script."""

import json
import os
import pathlib
import subprocess

import pytest

from model_server import Model

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PEERS = SOURCE / "build/peers/node_modules/.bin"
PROMPT = "do what the script says"
LIMIT = 120  # seconds for one run of an agent


class Agent:
    """One agent: how it is configured and started, and what its tools are called."""

    name = None
    shell = None  # its tool that runs a command, and the argument that holds it
    reader = None  # its tool that reads a file, and the argument that names it

    def __init__(self, root, model):
        self.home, self.cwd, self.model = root / "home", root / "work", model
        for folder in (self.home, self.cwd / ".git"):
            folder.mkdir(parents=True)
        kept = ("PATH", "LANG", "TERM")
        self.env = {k: os.environ[k] for k in kept if k in os.environ}
        self.env |= {"HOME": str(self.home), "PWD": str(self.cwd), "NO_COLOR": "1",
                     "XDG_RUNTIME_DIR": str(root / "run")}
        (root / "run").mkdir(mode=0o700)
        self.configure()

    def configure(self):
        raise NotImplementedError

    def command(self, prompt):
        raise NotImplementedError

    def bash(self, command):
        return {"tool": self.shell[0], "args": {self.shell[1]: command}}

    def read(self, path):
        return {"tool": self.reader[0], "args": {self.reader[1]: str(path)}}

    def run(self, prompt=PROMPT):
        return subprocess.run(self.command(prompt), cwd=self.cwd, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                              check=False)


class Codex(Agent):
    name, shell = "codex", ("exec_command", "cmd")

    def configure(self):
        self.folder = self.home / ".codex"
        self.folder.mkdir()
        (self.folder / "config.toml").write_text(
            'model = "gpt-5"\nmodel_provider = "here"\n[analytics]\nenabled = false\n'
            "[features]\napps = false\nplugins = false\n"
            f'[model_providers.here]\nname = "here"\nbase_url = "{self.model.url}/v1"\n'
            'wire_api = "responses"\nenv_key = "NO_KEY"\n')
        self.env |= {"CODEX_HOME": str(self.folder), "NO_KEY": "none"}

    def command(self, prompt):
        return [PEERS / "codex", "exec", "--json", "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust",
                prompt]


class Gemini(Agent):
    name, shell, reader = "gemini", ("run_shell_command", "command"), ("read_file", "file_path")

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


class OpenCode(Agent):
    name, shell, reader = "opencode", ("bash", "command"), ("read", "filePath")

    def bash(self, command):
        return {"tool": "bash", "args": {"command": command, "description": "run it"}}

    def configure(self):
        model = {"name": "m", "tool_call": True, "limit": {"context": 100000, "output": 1000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "models": {"m": model},
                    "options": {"baseURL": self.model.url + "/v1", "apiKey": "none"}}
        (self.cwd / "opencode.json").write_text(json.dumps({
            "provider": {"here": provider}, "model": "here/m", "small_model": "here/m",
            "permission": "allow", "autoupdate": False, "share": "disabled"}))
        self.env |= {f"OPENCODE_DISABLE_{what}": "1" for what in (
            "AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")}

    def command(self, prompt):
        return [PEERS / "opencode", "run", "--model", "here/m", "--format", "json", prompt]


AGENTS = {"codex": Codex, "gemini": Gemini, "opencode": OpenCode}


@pytest.fixture
def model():
    m = Model({"text": "done"})
    yield m
    m.close()


@pytest.fixture
def start(tmp_path, model):
    """Makes an agent by name; skipped with a reason where it is not installed."""

    def make(name):
        if not (PEERS / name).exists():
            pytest.skip(f"{name} is not installed: scripts/peers does that")
        return AGENTS[name](tmp_path, model)

    return make
