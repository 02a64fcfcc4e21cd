#!/usr/bin/python3
"""Whole agents beside each other: from their start to the first request, and their memory then.

Each agent is started with one prompt and a model server on loopback. The moment its first request
with a prompt arrives is its figure; its memory is the peak of all its processes until then, in
bytes. The other agents are those that scripts/peers has put into build/peers/.

    peers.py HOOKE PEERS    prints "row<TAB>figure" lines
"""
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

MESSAGES = 10000
WAIT = 60


class Server:
    """Remembers when the first request came that holds the prompt, and refuses all."""

    def __init__(self, prompt):
        self.arrived, self.looked = threading.Event(), threading.Event()
        self.at = None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.read_body()
                if prompt.encode() in body and not outer.arrived.is_set():
                    outer.at = time.monotonic_ns()
                    outer.arrived.set()
                    outer.looked.wait(WAIT)
                self.send_error(400)

            def read_body(self):
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                return body

            def do_GET(self):
                self.send_error(404)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def peak_of(group):
    """The peak memory of every process of a group."""
    total = 0
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) != group:
                continue
            for line in (entry / "status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total


def measure(command, server, home, environment):
    """Nanoseconds until the first request and the memory at that moment, or None."""
    began = time.monotonic_ns()
    child = subprocess.Popen(command, cwd=home / "work", env=environment, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    came = server.arrived.wait(WAIT)
    memory = peak_of(child.pid)
    server.looked.set()
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    return (server.at - began, memory) if came else None


def environment_of(home, **more):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("HOOKE_", "XDG_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_"))}
    return {**kept, "HOME": str(home), "PWD": str(home / "work"), "NO_COLOR": "1", **more}


def hooke(program, home, url, *words):
    command = [program, "run", "--model", "openai/m", *words, PROMPT]
    return command, environment_of(home, OPENAI_BASE_URL=url + "/v1", OPENAI_API_KEY="none")


def codex(program, home, url):
    (home / ".codex").mkdir(exist_ok=True)
    (home / ".codex/config.toml").write_text(
        'model = "m"\nmodel_provider = "here"\n[analytics]\nenabled = false\n'
        f'[model_providers.here]\nname = "here"\nbase_url = "{url}/v1"\n'
        'wire_api = "responses"\nenv_key = "NO_KEY"\n')
    command = [program, "exec", "--json", "--skip-git-repo-check",
               "--dangerously-bypass-approvals-and-sandbox", PROMPT]
    return command, environment_of(home, CODEX_HOME=str(home / ".codex"), NO_KEY="none")


def gemini(program, home, url):
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".gemini/settings.json").write_text(
        json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": False}}))
    command = [program, "-p", PROMPT, "--yolo", "--output-format", "json"]
    return command, environment_of(home, GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=url,
                                   GEMINI_CLI_TRUST_WORKSPACE="true")


def opencode(program, home, url):
    model = {"name": "m", "tool_call": True, "limit": {"context": 100000, "output": 1000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "models": {"m": model},
                "options": {"baseURL": url + "/v1", "apiKey": "none"}}
    (home / "work/opencode.json").write_text(
        json.dumps({"provider": {"here": provider}, "model": "here/m", "small_model": "here/m",
                    "permission": "allow", "autoupdate": False, "share": "disabled"}))
    off = {f"OPENCODE_DISABLE_{what}": "1"
           for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")}
    command = [program, "run", "--model", "here/m", "--format", "json", PROMPT]
    return command, environment_of(home, **off)


def conversation(program, home):
    """A conversation of many messages in the store of this home."""
    rows = []
    for i in range(MESSAGES // 2):
        for role, text in (("user", f"question {i} "), ("assistant", f"answer {i} ")):
            message = {"id": f"{role[0]}{i}", "role": role,
                       "content": [{"type": "text", "text": text * 20}]}
            rows.append({"at_ms": 1, "message": message})
    about = {"id": "01J00000000000000000000000", "title": "long", "workspace": str(home / "work"),
             "cwd": str(home / "work"), "agent": "builder", "model": "openai/m", "generation": 1,
             "created_ms": 1, "updated_ms": 1}
    document = {"format": "hooke-conversation", "version": 1, "conversation": about,
                "generations": [{"trigger": "", "at_ms": 1, "messages": rows}]}
    file = home / "long.json"
    file.write_text(json.dumps(document))
    subprocess.run([program, "conversation", "import", file], cwd=home / "work", check=True,
                   env=environment_of(home), stdout=subprocess.DEVNULL)
    return about["id"], sum(len(json.dumps(r["message"])) for r in rows)


PROMPT = "say hello to the bench of agents"


def main():
    program, peers = sys.argv[1], pathlib.Path(sys.argv[2]) / "node_modules/.bin"
    with tempfile.TemporaryDirectory(prefix="hooke-bench-", dir=os.environ.get("HOME")) as root:
        home = pathlib.Path(root)
        (home / "work/.git").mkdir(parents=True)

        def row(name, make, *words):
            server = Server(PROMPT)
            command, environment = make(words[0] if make is not hooke else program, home,
                                        server.url, *(words if make is hooke else ()))
            found = measure(command, server, home, environment)
            server.http.shutdown()
            if found:
                print(f"first-{name}\t{found[0]}\nmemory-{name}\t{found[1]}", flush=True)

        row("hooke", hooke)
        long, size = conversation(program, home)
        row("hooke-10000", hooke, "--resume", long)
        print(f"messages-10000\t{size}")
        for name, make in (("codex", codex), ("gemini", gemini), ("opencode", opencode)):
            found = peers / name
            if found.exists() and shutil.which("node"):
                row(name, make, str(found))


if __name__ == "__main__":
    main()
