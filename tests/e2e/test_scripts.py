"""Hooks in Lua, run by `hooke emit` from the user's configuration; docs/scripts.md tells of them."""

import json
import re
import shutil

import fences
import pytest

SOURCE = fences.SOURCE
PAGE = SOURCE / "docs/scripts.md"
KODELET = SOURCE / "tests/e2e/kodelet"

needs_tools = pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq", "bc"))),
                                 reason="bash, jq or bc is not installed")


def script(hooke, lua, keys=""):
    (hooke.config_dir / "s.lua").write_text(lua)
    hooke.config(f"hooks: [{{ name: s, script: s.lua{keys and ', '}{keys} }}]\n")


# The example --------------------------------------------------------------------------------------

def test_guard_lua_wants_a_file_read_before_it_is_edited(hooke):
    shutil.copy(SOURCE / "examples/hooks/guard.lua", hooke.config_dir)
    hooke.config("hooks: [{ name: read-first, script: guard.lua }]\n")
    edit = {"tool": "edit", "args": {"path": "a.c"}}
    flags = ("--session", "s1")
    r = hooke.emit("tool.execute.before", edit, *flags)
    assert r.rc == 2 and r.json["reason"] == "a.c has not been read yet: read it first"
    hooke.emit("tool.execute.after", {"tool": "read", "args": {"path": "a.c"}}, *flags)
    assert hooke.emit("tool.execute.before", edit, *flags).json == {}
    assert hooke.emit("tool.execute.before", edit, "--session", "s2").rc == 2
    assert hooke.emit("tool.execute.before", {"tool": "edit"}, *flags).rc == 0
    r = hooke("state", "get", "read a.c", HOOKE_SESSION="s1", HOOKE_HOOK="read-first")
    assert r.out == "true\n"


def test_a_script_of_the_workspace_runs_with_its_pinned_bytes_only(hooke):
    folder = hooke.cwd / ".hooke"
    folder.mkdir()
    (folder / "config.yaml").write_text("hooks: [{ name: s, script: s.lua }]\n")
    lua = folder / "s.lua"
    lua.write_text("hooke.on('turn.after', function() return { say = 'first' } end)\n")
    assert hooke.emit("turn.after", {}).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("turn.after", {}).json == {"say": "first"}
    lua.write_text("hooke.on('turn.after', function() return { say = 'second' } end)\n")
    assert hooke.emit("turn.after", {}).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("turn.after", {}).json == {"say": "second"}


def test_a_script_can_compute(hooke):
    script(hooke, "hooke.on('turn.after', function()\n"
                  "  return { say = string.format('%.3f %.3f %.1f', math.sin(1), 2 ^ 0.5, 7.5 % 2) }\n"
                  "end)\n")
    assert hooke.emit("turn.after", {}).json == {"say": "0.841 1.414 1.5"}


# Through the verbs --------------------------------------------------------------------------------

TWO = """-- Two points, two layers.
hooke.on("PreToolUse", { tool = "bash", layer = "guard", timeout = "2s" }, function(event) end)
hooke.on("Stop", function(event) return { result = "continue", follow_up_messages = { "on" } } end)
"""


def test_list_show_and_plan_know_every_part(hooke):
    script(hooke, TWO)
    listed = [h for h in hooke("list", "--json").json if h["name"] == "s"]
    assert [(h["layer"], h["points"]) for h in listed] == [
        ("guard", ["tool.execute.before"]), ("transform", ["agent.stop"])]
    assert {h["summary"] for h in listed} == {"Two points, two layers"}
    assert {h["runner"] for h in listed} == {"script"}
    shown = hooke("show", "s").out
    assert 'script          "s.lua"' in shown and "agent.stop (main)" in shown
    assert shown.count("points ") == 2 and "2 s" in shown and "30 s (default)" in shown
    shown = hooke("show", "s", "--json").json
    assert shown["tool"] == "bash" and shown["parts"][0]["points"] == ["agent.stop"]
    plan = hooke("plan", "tool.execute.before", "--tool", "bash", "--json").json
    assert next(p for p in plan if p["hook"] == "s")["fate"] == "runs"


def test_a_broken_file_is_a_problem_with_its_line(hooke):
    script(hooke, "hooke.on('Stop', function(event)\n  return {\nend)\n", "on: Stop, on_failure: block")
    r = hooke("config", "check")
    assert r.rc == 1 and "config.yaml:1:9: hook 's': s.lua:3: unexpected symbol near 'end'" in r.out
    plan = hooke("plan", "Stop", "--json").json
    assert "fails (s.lua:3:" in next(p for p in plan if p["hook"] == "s")["why"]
    assert next(h for h in hooke("list", "--json").json if h["name"] == "s")["state"] == "broken"


def test_a_changed_file_counts_at_once(hooke):
    for word in ("one", "two"):
        script(hooke, f"hooke.on('turn.after', function() return {{ say = '{word}' }} end)")
        assert hooke.emit("turn.after", {}).json == {"say": word}


def test_an_endless_script_is_a_failed_run(hooke):
    script(hooke, "hooke.on('PreToolUse', function() while true do end end)", "on_failure: block")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 2 and "s.lua:1: it does not come to an end" in r.json["reason"]


def test_a_script_of_the_workspace_runs_while_it_has_its_pinned_bytes(hooke):
    folder = hooke.cwd / ".hooke"
    folder.mkdir()
    script = folder / "s.lua"
    script.write_text("hooke.on('PreToolUse', function() return { say = 'ran' } end)")
    (folder / "config.yaml").write_text(
        "hooks: [{ name: s, on: PreToolUse, script: s.lua, on_failure: block }]\n")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {"say": "ran"}
    script.write_text("hooke.on('PreToolUse', function() return { say = 'other' } end)")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 2 and "has changed since it was trusted" in r.json["reason"]


# Kodelet's scripts, rewritten ---------------------------------------------------------------------

def usage(now, most=1000):
    return {"usage": {"current_context_window": now, "max_context_window": most}}


def call(tool):
    return {"role": "assistant", "content": [
        {"type": "text", "text": "so"},
        {"type": "tool_call", "tool": tool, "call_id": "c", "args": {"path": "a.c"}}]}


SAID = {"messages": [{"role": "assistant", "content": "hello"},
                     {"role": "user", "content": [{"type": "text", "text": 'say "hi"\n$(x)'}]},
                     {"role": "user", "content": "more"}]}
EVENTS = {
    "compact-when-full": ("turn.after", [usage(900), usage(701), usage(700), usage(0), usage(5, 0),
                                         usage(0, 0), {}]),
    "keep-the-request": ("turn.after", [{**usage(900), **SAID}, {**usage(100), **SAID},
                                        {**usage(9, 0), **SAID}, SAID]),
    "lint-after-edits": ("agent.stop", [{"messages": [call("edit")]}, {"messages": [call("write")]},
                                        {"messages": [call("read")]}, {"messages": []}, {},
                                        {"messages": [call("bash"), call("edit"), call("read")]},
                                        {"messages": [{"role": "user", "content": "edit it"}]}]),
}


def rewritten():
    """The configuration on the page that has all three."""
    return next(b for b in fences.blocks_of(PAGE) if b.starts("yaml", "config")
                and all(name in b.text for name in EVENTS))


@needs_tools
@pytest.mark.parametrize("name", EVENTS)
def test_the_rewritten_hook_decides_like_the_script_for_bash(hooke, name):
    point, events = EVENTS[name]
    block, verdicts = rewritten(), {}
    fences.lay_out(hooke, block)
    for kind in ("bash", "new"):
        if kind == "new":
            others = ", ".join(n for n in EVENTS if n != name)
            hooke.config(block.text + f"disabled_hooks: [{others}]\n")
        else:
            hooke.config(f"hooks: [{{ name: old, on: {point}, dialect: kodelet, "
                         f"exec: ['{KODELET / name}', run] }}]\n")
        verdicts[kind] = [hooke.emit(point, event).json for event in events]
    assert verdicts["new"] == verdicts["bash"]
    assert {} in verdicts["new"] and any(verdicts["new"])


# The page -----------------------------------------------------------------------------------------

def names_in(text, *patterns):
    return {n for p in patterns for n in re.findall(p, text)}


def test_the_page_names_all_a_script_can_use(hooke):
    """What is not there, tests/unit/runner/test_script_box.c tells."""
    table = PAGE.read_text().split("## What a script can use")[1].split("\n\n")[1]
    rows = {m[0]: m[1] for m in re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.M)}
    globals_ = names_in(" ".join(list(rows)[1:3]), r"`(\w+)`")
    checks = [f"assert(type({n}) == 'function')" for n in globals_]
    for lib in ("table", "utf8"):
        checks += [f"assert({lib}.{n})" for n in names_in(rows[f"`{lib}`"], r"`(\w+)`")]
    texts = rows["`string`, and as methods of texts"]
    checks += [f"assert(('').{n} and string.{n})" for n in names_in(texts, r"`(\w+)`")]
    own = names_in(rows["of hooke's own"], r"text:(\w+)\(")
    checks += [f"assert(('').{n})" for n in own]
    checks += [f"assert(hooke.{n})" for n in names_in(table, r"hooke\.([\w.]+)\(")]
    assert len(checks) > 35
    script(hooke, "hooke.on('turn.after', function()\n" + "\n".join(checks) +
           "\nreturn { say = 'all' }\nend)\n")
    assert hooke.emit("turn.after", {}).json == {"say": "all"}


def test_the_page_names_every_option_and_field(hooke):
    text = PAGE.read_text()
    named = names_in(text.split("## Registering")[1].split("## ")[0], r"`(\w+)`")
    source = (SOURCE / "src/hook/config_entry.c").read_text()
    keys = set(re.findall(r'\{ "(\w+)", [\w |]+, \w+, KEY_', source)) - {"on", "enabled"}
    assert keys <= named
    fields = set(re.findall(r'strcmp\(name, "(\w+)"\)',
                            (SOURCE / "src/runner/script_box.c").read_text()))
    assert fields == names_in(text, r"`event\.(\w+)`")


def test_a_verdict_may_have_every_field(hooke):
    verdict = {"say": "s", "inject": [{"id": "i", "text": "t", "priority": "high"}],
               "result": "callback", "callback": "compact", "callback_args": {"keep": "3"}}
    as_lua = re.sub(r'"(\w+)":', r"\1 =", json.dumps(verdict)).replace("[", "{").replace("]", "}")
    script(hooke, f"hooke.on('turn.after', function() return {as_lua} end)")
    said = hooke.emit("turn.after", {}).json
    assert said["callback_args"] == {"keep": "3"} and said["inject"][0]["priority"] == "high"
