"""The providers against a server that was written by others (scripts/peers installs it)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
PEERS = SOURCE / "build/peers/node_modules"

pytestmark = pytest.mark.skipif(
    not shutil.which("node") or not (PEERS / "@copilotkit/aimock").is_dir(),
    reason="scripts/peers was not run")


@pytest.fixture
def server(tmp_path):
    script = tmp_path / "aimock.mjs"
    script.write_text((SOURCE / "tests/e2e/aimock.mjs").read_text())
    (tmp_path / "node_modules").symlink_to(PEERS)
    with subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "NO_UPDATE_NOTIFIER": "1"}) as child:
        yield child.stdout.readline().strip()
        child.kill()


@pytest.mark.parametrize("model,variables", [
    ("anthropic/claude-sonnet-4-5", {"ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": ""}),
    ("openai/gpt-4o", {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "/v1"}),
    ("google/gemini-2.5-flash", {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": ""}),
])
def test_a_turn_with_a_tool_in_each_wire_format(hooke, server, model, variables):
    known = {name: server + value if name.endswith("_URL") else value
             for name, value in variables.items()}
    r = hooke("run", "--json", "--model", model, "look", **known)
    assert r.rc == 0, r.err
    events = [json.loads(line) for line in r.lines]
    results = [e for e in events if e["type"] == "tool_result"]
    assert [e["output"] for e in results] == ["from-the-tool\n"]
    assert "".join(e["text"] for e in events if e["type"] == "text").endswith("The tool has spoken.")
    assert events[-1]["end"] == "done"
