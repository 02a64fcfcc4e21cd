"""The table of docs/agents/opencode.md, cell by cell: what the plugin does with each part of a verdict."""

import json
import re
import shutil

import pytest

from conftest import SOURCE
from daemon import Daemon
from test_opencode_adapter import OpenCode

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

SESSION = {"sessionID": "ses_1"}
MODEL = {"providerID": "acme", "modelID": "big"}
MESSAGE = {"id": "msg_1", **SESSION, "role": "user", "agent": "build", "model": dict(MODEL)}
PART = {"id": "prt_1", "messageID": "msg_1", **SESSION, "type": "text", "text": "hello"}
CALL = {**SESSION, "tool": "bash", "callID": "c1"}
TRANSFORM = "experimental.chat.messages.transform"

# What OpenCode gives each hook.
GIVEN = {
    "chat.message": ({**SESSION, "agent": "build"}, {"message": MESSAGE, "parts": [PART]}),
    "chat.params": ({**SESSION, "model": MODEL}, {"temperature": 0, "topP": 1, "topK": 1, "maxOutputTokens": 1}),
    "chat.headers": ({**SESSION, "model": MODEL}, {"headers": {}}),
    TRANSFORM: ({}, {"messages": [{"info": MESSAGE, "parts": [PART]}]}),
    "experimental.chat.system.transform": ({**SESSION, "model": MODEL}, {"system": ["be kind"]}),
    "experimental.text.complete": (SESSION, {"text": "hello"}),
    "experimental.session.compacting": (SESSION, {"context": [], "prompt": "shorten it"}),
    "tool.definition": ({"toolID": "bash"}, {"description": "runs it", "jsonSchema": {}}),
    "tool.execute.before": (CALL, {"args": {"command": "ls"}}),
    "tool.execute.after": ({**CALL, "args": {"command": "ls"}}, {"title": "ls", "output": "a.c", "metadata": {}}),
    "shell.env": ({**SESSION, "cwd": "/"}, {"env": {}}),
    "permission.ask": ({**SESSION, "type": "bash", "metadata": {}}, {"status": "ask"}),
}

# What the fields of a point are changed to, and what then stands in the output.
NEW = {
    "chat.message": {"message.text": ("new words", "new words"), "message.model": ("acme/new-model", "new-model"),
                     "message.variant": ("new-variant", "new-variant")},
    "chat.params": {"params.temperature": (0.125, '"temperature": 0.125'), "params.top_p": (0.25, '"topP": 0.25'),
                    "params.top_k": (77, '"topK": 77'), "params.max_output_tokens": (99, '"maxOutputTokens": 99')},
    "chat.headers": {"headers": ({"new": "header"}, "header")},
    TRANSFORM: {"messages": ([{"id": "msg_1", "role": "user", "content": "new words"}], "new words")},
    "experimental.chat.system.transform": {"system": (["new words"], "new words")},
    "experimental.text.complete": {"text": ("new words", "new words")},
    "experimental.session.compacting": {"prompt": ("new prompt", "new prompt"),
                                        "context": (["new context"], "new context")},
    "tool.definition": {"description": ("new words", "new words"), "parameters": ({"type": "new-type"}, "new-type")},
    "tool.execute.before": {"args": ({"command": "new words"}, "new words")},
    "tool.execute.after": {"output": ("new output", "new output"), "title": ("new title", "new title"),
                           "metadata": ({"new": "member"}, "member")},
    "shell.env": {"env": ({"NEW": "value"}, "value")},
}


def table():
    page = (SOURCE / "docs/agents/opencode.md").read_text()
    lines = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in page.split("\n## Hooks\n")[1].split("\n## ")[0].splitlines() if line.startswith("|")]
    head, _, *rows = lines
    return {row[0].strip("`"): dict(zip(head, row)) for row in rows}


TABLE = table()
PARTS = [part for part in next(iter(TABLE.values())) if part not in ("hook", "point")]


def words_of(hook):
    return f"the words at {hook}"


def verdict_of(hook, part):
    """The keys of a rule that says this part at the point."""
    if part != "change":
        return {part: words_of(hook)}
    fields = {}
    for field, (value, _) in NEW[hook].items():
        outer, _, inner = field.partition(".")
        if inner:
            fields.setdefault(outer, {})[inner] = value
        else:
            fields[outer] = value
    return {"modify": fields}


def seen(hook, part, got, calls, later):
    """The word of the table for what the plugin did."""
    output = json.dumps(got.get("output"))
    said = words_of(hook) in output
    did = ["refused"] if words_of(hook) in got.get("error", "") else []
    did += ["aborted"] if "abort" in calls else []
    if did:
        return ", ".join(did)
    if part == "change":
        return ", ".join(f"`{field}`" for field, (_, mark) in NEW[hook].items() if mark in output)
    if part == "say":
        return "toast" if "showToast" in calls else "dropped"
    if part == "inject":
        places = {"chat.message": "with the message", "tool.execute.after": "with the output",
                  TRANSFORM: "with this request", "experimental.chat.system.transform": "in the system prompt"}
        return places[hook] if said else "with the next request" if later else "dropped"
    if hook == "permission.ask":
        return "it asks anyway" if got["output"]["status"] == "ask" else f"`{got['output']['status']}`"
    return "in place of the output" if said else "dropped"


@pytest.mark.parametrize("part", PARTS)
def test_the_plugin_does_what_its_table_says(hooke, part):
    rows = [hook for hook in TABLE if TABLE[hook][part] != "–"]
    rules = [{"name": f"r-{n}", "on": TABLE[hook]["point"].strip("`"), **verdict_of(hook, part)}
             for n, hook in enumerate(rows)]
    (hooke.config_dir / "config.json").write_text(json.dumps({"hooks": rules}))
    assert hooke("config", "check").rc == 0, "every part is in the power of its point"
    daemon = Daemon(hooke)
    found = {}
    for hook in rows:  # each in a host of its own, and so a session that nothing waits for
        host = OpenCode(hooke)
        got = host.hook(hook, *json.loads(json.dumps(GIVEN[hook])))
        calls = {call["name"] for call in host.calls()}
        later = False
        if part == "inject" and hook == "tool.execute.before":
            later = words_of(hook) in json.dumps(host.hook(TRANSFORM, *GIVEN[TRANSFORM])["output"])
        host.end()
        found[hook] = seen(hook, part, got, calls, later)
    daemon.end()
    assert found == {hook: TABLE[hook][part] for hook in rows}


def test_a_cell_is_empty_where_no_hook_has_that_power():
    points = (SOURCE / "src/hook/points.def").read_text()
    for row in TABLE.values():
        point = re.escape(row["point"].strip("`"))
        powers = re.search(rf'^POINT\(\w+, "{point}", \w+, ([A-Z0 |]+),', points, re.M)[1].lower().split(" | ")
        granted = {part for part in PARTS if row[part] != "–"} - {"say"}
        assert granted == set(powers), point
