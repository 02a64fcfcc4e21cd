"""The JSON Schemas, the examples of the documentation and the program agree."""

import json
import re
import subprocess

import fences
import jsonschema
import pytest
import yaml

SOURCE = fences.SOURCE
# Known to the parser, but nothing in this version runs them: the check refuses or ignores them.
NOT_RUN = set()


def schema(name):
    return json.loads((SOURCE / f"docs/schema/{name}.schema.json").read_text())


def validator(name):
    return jsonschema.Draft202012Validator(schema(name))


def follows(name, value):
    return not list(validator(name).iter_errors(value))


def points():
    done = subprocess.run([SOURCE / "scripts/points-doc", "--json"], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


class Core(yaml.SafeLoader):
    """YAML 1.2 as hooke reads it: only true and false are truth values."""


Core.yaml_implicit_resolvers = {
    first: [(tag, rx) for tag, rx in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


def load(text):
    return yaml.load(text, Core)


@pytest.mark.parametrize("name", ["config", "event", "verdict"])
def test_schema_is_one(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


# Configuration ------------------------------------------------------------------------------------

def config_blocks(*kinds):
    return [b for b in fences.blocks("yaml", "config") if tuple(b.words[2:]) in kinds]


@pytest.mark.parametrize("block", config_blocks(()), ids=str)
def test_good_configuration_passes_both(hooke, block):
    errors = list(validator("config").iter_errors(load(block.text)))
    assert not errors, errors[0].message
    fences.lay_out(hooke, block)
    hooke.config(block.text)
    r = hooke("config", "check")
    assert r.rc == 0, r.out
    assert hooke("list").rc == 0


@pytest.mark.parametrize("block", config_blocks(("broken",)), ids=str)
def test_broken_configuration_passes_neither(hooke, block):
    assert not follows("config", load(block.text))
    hooke.config(block.text)
    assert hooke("config", "check").rc == 1


@pytest.mark.parametrize("block", config_blocks(("noted",)), ids=str)
def test_noted_configuration_is_only_warned_about(hooke, block):
    assert follows("config", load(block.text))
    hooke.config(block.text)
    problems = hooke("config", "check", "--json").json["problems"]
    assert problems and all(p["warning"] for p in problems)


@pytest.mark.parametrize("block", config_blocks(("managed",)), ids=str)
def test_managed_configuration_lacks_nothing_but_its_place(hooke, block):
    assert follows("config", load(block.text))
    hooke.config(block.text)
    problems = hooke("config", "check", "--json").json["problems"]
    assert [p["message"] for p in problems] == ["'locked' works in the managed configuration only"]


RULE = "hooks: [{ name: x, on: turn.after, inject: a%s }]"
BAD = [
    "hokos: []",
    "hooks: {}",
    "hooks: [text]",
    "hooks: [{ on: turn.after, inject: a }]",
    "hooks: [{ name: x, inject: a }]",
    "hooks: [{ name: x, on: turn.after }]",
    "hooks: [{ name: x, on: [], inject: a }]",
    "hooks: [{ name: x, on: turn.afterr, inject: a }]",
    "hooks: [{ name: -x, on: turn.after, inject: a }]",
    "hooks: [{ name: Stop, on: turn.after, inject: a }]",
    "hooks: [{ name: x, on: PreToolUse, block: a, ask: b }]",
    "hooks: [{ name: x, on: PreToolUse, allow: false }]",
    "hooks: [{ name: x, on: PreToolUse, block: [a] }]",
    "hooks: [{ name: x, on: turn.after, mutate: a }]",
    "hooks: [{ name: x, on: turn.after, say: a, callback_args: {} }]",
    "hooks: [{ name: x, on: turn.after, inject: [{ id: a }] }]",
    "hooks: [{ name: x, on: turn.after, inject: { text: a, place: top } }]",
    "hooks: [{ name: x, on: PreToolUse, when: '', block: a }]",
    "hooks: [{ name: x, on: PreToolUse, when: , block: a }]",
    "hooks: [{ name: x, on: PreToolUse, when: [a], block: a }]",
    "hooks: [{ name: x, script: '' }]",
    "hooks: [{ name: x, script: [a] }]",
    "hooks: [{ name: x, script: a.lua, exec: b }]",
    "hooks: [{ name: x, script: a.lua, block: b }]",
    "hooks: [{ name: x, on: PreToolUse, resident: '' }]",
    "hooks: [{ name: x, on: PreToolUse, resident: [] }]",
    "hooks: [{ name: x, on: PreToolUse, resident: ./a, exec: ./b }]",
    "hooks: [{ name: x, exec: ./a }]",
    "hooks: [{ name: x, on: PreToolUse, exec: '' }]",
    "hooks: [{ name: x, on: PreToolUse, exec: [] }]",
    "hooks: [{ name: x, on: PreToolUse, exec: [[a]] }]",
    "hooks: [{ name: x, on: PreToolUse, exec: 3 }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, block: b }]",
    "hooks: [{ name: x, on: PreToolUse, group: [] }]",
    "hooks: [{ name: x, on: PreToolUse, group: a }]",
    "hooks: [{ name: x, on: PreToolUse, group: [a] }]",
    "hooks: [{ name: x, on: PreToolUse, group: [{ timeout: 1s }] }]",
    "hooks: [{ name: x, on: PreToolUse, group: [{ exec: a, asinc: true }] }]",
    "hooks: [{ name: x, on: PreToolUse, group: [{ exec: a, async: 1 }] }]",
    "hooks: [{ name: x, on: PreToolUse, group: [{ exec: a, match: Bash }] }]",
    "hooks: [{ name: x, on: PreToolUse, dialect: kodelet, group: [{ exec: a, if: b }] }]",
    "hooks: [{ name: x, on: PreToolUse, dialect: acai, group: [{ exec: a, match: b }] }]",
    "hooks: [{ name: x, on: PreToolUse, group: [{ exec: a }], exec: b }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, async: true }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, env: A }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, env: { A: [1] } }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, dialect: opencode }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, dialect: lisp }]",
    "hooks: [{ name: x, on: PreToolUse, exec: a, colour: red }]",
    RULE % ", colour: red",
    RULE % ", tool: []",
    RULE % ", session: all",
    RULE % ", layer: top",
    RULE % ", priority: high",
    RULE % ", priority: 1.5",
    RULE % ", timeout: soon",
    RULE % ", on_failure: retry",
    RULE % ", safety_critical: 1",
    RULE % ", place: end",
    RULE % ", once: yes",
    RULE % ", budget: 0",
    RULE % ", budget: { words: 3 }",
    RULE % ", budget: { llm_tokens: 0 }",
    RULE % ", budget: { llm_cost: 0 }",
    RULE % ", mode: watch",
    RULE % ", enabled: maybe",
    RULE % ", cadence: 0",
    "hooks: [{ name: loop-guard, limit: 0 }]",
    "hooks: [{ name: loop-guard, limit: many }]",
    "hooks: [{ name: loop-guard, limti: 3 }]",
    "hooks: [{ name: system-prompt, hint: 1 }]",
    "disabled_hooks: loop-guard",
    "disabled_hooks: [3]",
    "hook_cadence: 3",
    "hook_cadence: { chat.message: 0 }",
    "hook_cadence: { chat.message: '3' }",
    "hook_cadence: { chat.message: { evry: 3 } }",
    "hook_cadence: { chat.message: { every: 3, then: 2 } }",
    "hook_cadence: { chat.message: { when_context_over: 1.5, then: 2 } }",
    "hook_cadence: { chat.message: { when_tokens_over: 9 } }",
    "hook_cadence: { PreToolUse: 2 }",
    "hook_cadence: { session.created: 2 }",
    "strict: 1",
    "max_hooks: -1",
    "event_timeout: later",
    "compact: { ratio: 2 }",
    "compact: { when: 1 }",
    "limits: { turns: 0 }",
    "limits: { seconds: 1 }",
    "agents: []",
]


@pytest.mark.parametrize("text", BAD)
def test_bad_configuration_passes_neither(hooke, text):
    assert not follows("config", load(text))
    hooke.config(text + "\n")
    assert hooke("config", "check").rc == 1


GOOD = [
    "",
    "hooks:\nhook_cadence:\n",
    "hook_cadence: { chat.message: 3.0, PreToolUse: 1 }",
    RULE % ", tool: [a, /b/], budget: { tokens: 5, session_tokens: 9 }, timeout: 2.5",
    RULE % ", budget: { llm_tokens: 7, llm_cost: 0.5 }",
    "hooks: [{ name: kodelet/x_1, on: Stop, continue: [a, b], enabled: false }]",
    "hooks: [{ name: x, on: turn.after, mutate: [{ role: user, content: a }] }]",
    "hooks: [{ name: x, on: Stop, exec: ./a --b, dialect: native, mode: observe, timeout: 5s }]",
    "hooks: [{ name: x, on: agent_stop, exec: [./a, run], dialect: kodelet }]",
    "hooks: [{ name: x, on: PreToolUse, tool: Bash, exec: ./a, dialect: claude }]",
    "hooks: [{ name: x, on: Stop, exec: ./a, dialect: codex }]",
    "hooks: [{ name: x, on: Stop, exec: [./a, 3, true], env: [OPENAI_API_KEY], layer: guard }]",
    "hooks: [{ name: x, on: Stop, exec: a, env: { A: b, N: 3 }, safety_critical: true }]",
    "hooks: [{ name: x, on: Stop, resident: [./a], env: [A], when: turn > 3, mode: observe }]",
    "hooks: [{ name: x, on: Stop, resident: [./a, b.txt], unpinned: [b.txt] }]",
    "hooks: [{ name: x, on: Stop, exec: a, prewarm: true }]",
    "limits: { turns: 3, continuations: 0, cost: 1.5, tokens: 9, processes: 2 }",
    "web_fetch: { allow_private: true }",
    "providers: { a: { b: 1 } }\npermission: {}\ncategories: {}\nevent_timeout: 90\n",
]


@pytest.mark.parametrize("text", GOOD)
def test_good_corner_passes_both(hooke, text):
    assert follows("config", load(text) or {})
    hooke.config(text + "\n")
    r = hooke("config", "check")
    assert r.rc == 0, r.out


@pytest.mark.parametrize("key", ["prewarm: true", "unpinned: [a]", "env: [A]", "timeout: 5s"])
def test_a_found_hook_takes_keys_of_commands(hooke, key):
    program = hooke.home / ".kodelet/hooks/x"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho before_tool_call\n")
    program.chmod(0o755)
    text = f"hooks: [{{ name: kodelet/x, {key} }}]"
    assert follows("config", load(text))
    hooke.config(text + "\n")
    r = hooke("config", "check")
    assert r.rc == 0, r.out


@pytest.mark.parametrize("key", ["on: turn.after", "mode: observe"])
def test_a_builtin_has_its_own_points(hooke, key):
    """The schema refuses what the program takes and does not use."""
    text = f"hooks: [{{ name: loop-guard, {key} }}]"
    assert not follows("config", load(text))
    hooke.config(text + "\n")
    shown = hooke("show", "loop-guard", "--json").json
    assert shown["points"] == ["chat.message", "tool.execute.before"] and not shown["observe"]


def test_json_configuration_is_the_same(hooke):
    block = config_blocks(())[0]
    hooke.config(json.dumps(load(block.text)), "config.json")
    assert hooke("config", "check").rc == 0


def hook_properties():
    defs = schema("config")["$defs"]
    return {k: v for name in ("resident", "common", "entry", "rule", "command", "script")
            for k, v in defs[name]["properties"].items()}


@pytest.mark.parametrize("keys", ["resident: a, prewarm: true", "say: a, prewarm: true",
                                  "say: a, dialect: native", "say: a, env: [A]"])
def test_a_key_of_another_kind_of_hook_is_refused_by_the_schema(hooke, keys):
    """The program takes these and does not use them."""
    text = f"hooks: [{{ name: x, on: turn.after, {keys} }}]"
    assert not follows("config", load(text))
    hooke.config(text + "\n")
    assert hooke("config", "check").rc == 0


def test_keys_are_those_of_the_parser():
    table = (SOURCE / "src/hook/config_entry.c").read_text().split("struct entry_key keys[]")[1]
    known = set(re.findall(r'\{ "(\w+)"', table.split("};")[0]))
    assert set(hook_properties()) == known - NOT_RUN


def words_of(prefix, name):
    """The names a C file gives to the values of an enum."""
    text = (SOURCE / name).read_text()
    return {w for w in re.findall(rf'\[{prefix}_\w+\] = "(\w*)"', text) if w}


@pytest.mark.parametrize("key", ["session", "layer", "on_failure", "place", "mode"])
def test_words_of_a_key_are_those_of_the_parser(hooke, key):
    said = hook_properties()[key]
    hooke.config(RULE % f", {key}: nonsense" + "\n")
    message = hooke("config", "check").out
    known = re.search(rf"'{key}' must be one of (.*), not 'nonsense'", message).group(1)
    assert set(said.get("enum", [said.get("const")])) == set(known.split(", "))


def test_words_of_a_verdict_are_those_of_the_engine():
    verdict = schema("verdict")
    injection = verdict["$defs"]["injection"]["properties"]
    for said, prefix, name in [
        (verdict["properties"]["decision"], "DECISION", "src/hook/verdict.c"),
        (verdict["properties"]["result"], "VERDICT", "src/hook/verdict.c"),
        (injection["class"], "INJECT", "src/hook/inject.c"),
        (injection["place"], "PLACE", "src/hook/inject.c"),
        (injection["priority"], "PRIORITY", "src/hook/inject.c"),
    ]:
        assert set(said["enum"]) == words_of(prefix, name)
    plain = schema("config")["$defs"]["injection"]["properties"]
    assert plain == {k: v for k, v in injection.items() if k != "source"}


def test_top_level_keys_are_those_of_the_parser():
    text = (SOURCE / "src/hook/config_check.c").read_text()
    known = set(re.findall(r'OPTION_\w+\("([\w.]+)"', text))
    known |= set(re.findall(r'\{ "(\w+)", SETTING_\w+ \}', text))
    said = set()
    for key, value in schema("config")["properties"].items():
        said |= {key} | {f"{key}.{k}" for k in value.get("properties", {})}
    assert said == known


def test_builtins_and_their_options(hooke):
    listing = (SOURCE / "src/builtin/builtin.def").read_text()
    names = [n.replace("_", "-") for n in re.findall(r"^HOOK\((\w+)\)", listing, re.M)]
    defs = schema("config")["$defs"]
    assert defs["builtin"]["enum"] == names == list(defs["builtins"])
    for name in names:
        options = {o["name"]: o["help"] for o in hooke("show", name, "--json").json["options"]}
        said = defs["builtins"][name]["properties"]
        assert said.pop("name") == {"const": name}
        assert {k: v["description"] for k, v in said.items()} == options
        source = (SOURCE / f"src/builtin/{name.replace('-', '_')}.c").read_text()
        for kind, key, words in re.findall(r'OPTION_(CHOICE|WORDS)\(\s*"(\w+)",[^"]*"[^"]*",\s*"([^"]*)"', source):
            one = {"enum": words.split()}
            if kind == "CHOICE":
                assert said[key]["type"] == "string" and said[key]["enum"] == one["enum"]
            else:
                assert said[key]["anyOf"] == [one, {"type": "array", "items": one}]


# Points -------------------------------------------------------------------------------------------

def test_points_fields_and_powers_are_those_of_points_def():
    names = [p["name"] for p in points()]
    event, verdict, config = schema("event"), schema("verdict"), schema("config")
    assert event["properties"]["point"]["enum"] == names
    assert {p: list(d["properties"]) for p, d in event["$defs"]["data"].items()} == {
        p["name"]: [f["name"] for f in p["fields"]] for p in points()}
    assert list(verdict["$defs"]["at"]) == names
    for p in points():
        at = verdict["$defs"]["at"][p["name"]]["properties"]
        assert (at.get("stop") is not False) == ("stop" in p["powers"])
        assert ("block" in at["decision"]["enum"]) == ("block" in p["powers"])
        if "change" in p["powers"]:
            changed = [f["name"] for f in p["fields"] if f["changes"]]
            assert list(at["replace"]["properties"]) == changed
    aliases = [a["name"] for p in points() for a in p["aliases"]]
    assert config["$defs"]["point"]["enum"] == names + aliases


def test_the_program_has_the_same_points(hooke):
    for p in points():
        shown = hooke("show", p["name"]).out
        assert all(power in shown for power in p["powers"])
        assert all(f["name"] in shown for f in p["fields"])
        assert all(a["name"] in shown for a in p["aliases"])
    assert len(hooke("help", "points").lines) == len(points()) + 1


# Events and verdicts ------------------------------------------------------------------------------

@pytest.mark.parametrize("block", fences.blocks("json", "event"), ids=str)
def test_event_example_can_be_emitted(hooke, block):
    event = json.loads(block.text)
    errors = list(validator("event").iter_errors(event))
    assert not errors, errors[0].message
    session = event["session"]
    r = hooke("emit", event["point"], "--data", json.dumps(event["data"]), "--session",
              session["id"], "--agent", session["agent"], "--turn", event["turn"], "--cwd",
              session["cwd"], "--trace", "--json")
    receipt = r.json["receipt"]
    assert r.rc == 0 and receipt["point"] == event["point"]
    assert (receipt["session"], receipt["turn"]) == (session["id"], event["turn"])
    fields = schema("event")["$defs"]["data"][event["point"]]["properties"]
    assert set(event["data"]) <= set(fields)


def rule_of(verdict):
    """The entry of a configuration that says the same."""
    rule = {k: v for k, v in verdict.items()
            if k in ("stop", "say", "replace", "modify", "inject", "callback", "callback_args")}
    if verdict.get("decision", "none") != "none":
        rule[verdict["decision"]] = verdict.get("reason", "")
    if "follow_up_messages" in verdict:
        rule["continue"] = verdict["follow_up_messages"]
    if "messages" in verdict:
        rule["mutate"] = verdict["messages"]
    return rule


@pytest.mark.parametrize("block", fences.blocks("json", "verdict"), ids=str)
def test_verdict_example_has_its_effect(hooke, block):
    verdict, point = json.loads(block.text), block.words[2]
    whole = schema("verdict")
    here = {**whole, "allOf": [{"$ref": f"#/$defs/at/{point}"}]}
    errors = list(jsonschema.Draft202012Validator(here).iter_errors(verdict))
    assert not errors, errors[0].message
    rule = {"name": "example", "on": point, **rule_of(verdict)}
    hooke.config(json.dumps({"hooks": [rule]}), "config.json")
    assert hooke("config", "check").rc == 0
    r = hooke("emit", point, "--data", '{"tool":"bash","args":{"command":"ls"}}', "--trace", "--json")
    said = r.json["verdict"]
    assert "warnings" not in r.json["receipt"]
    assert not list(validator("verdict").iter_errors(said))
    expected = {k if k != "modify" else "replace" for k in verdict}
    assert expected <= set(said)
    for key in ("decision", "reason", "say", "result", "follow_up_messages"):
        assert verdict.get(key) == said.get(key)


@pytest.mark.parametrize("value", [
    [], {"decision": "deny"}, {"raeson": "x"}, {"stop": True}, {"inject": [{"id": "x"}]},
    {"inject": {"text": "x", "class": "fleeting"}}, {"result": "again"}, {"messages": "x"},
    {"follow_up_messages": "x"}, {"replace": []},
])
def test_bad_verdict_is_refused(value):
    assert not follows("verdict", value)


@pytest.mark.parametrize("point, value", [
    ("turn.after", {"decision": "block"}), ("permission.ask", {"stop": "x"}),
    ("tool.execute.before", {"replace": {"tool": "x"}}), ("session.idle", {"inject": "x"}),
    ("agent.stop", {"inject": "x"}), ("chat.params", {"model": "x"}),
    ("turn.after", {"result": "continue"}),
])
def test_verdict_without_the_power_is_refused(point, value):
    assert follows("verdict", value)
    here = {**schema("verdict"), "$ref": f"#/$defs/at/{point}"}
    assert list(jsonschema.Draft202012Validator(here).iter_errors(value))


@pytest.mark.parametrize("change", [
    {"hooke": 2}, {"point": "tool.before"}, {"turn": -1}, {"data": []}, {"session": {"id": ""}},
    {"more": 1},
])
def test_bad_event_is_refused(change):
    event = json.loads(fences.blocks("json", "event")[0].text)
    assert follows("event", event)
    assert not follows("event", {**event, **change})
