"""hooke list, show and plan: which hooks there are and why they run."""
import pathlib
import re

LAYERS = ["guard", "produce", "transform", "consume", "validate", "observe"]


def builtins():
    text = (pathlib.Path(__file__).parents[2] / "src/builtin/builtin.def").read_text()
    return {name.replace("_", "-") for name in re.findall(r"^HOOK\((\w+)\)", text, re.M)}


def names(result):
    return [hook["name"] for hook in result.json]


def test_list_is_in_running_order(hooke):
    hooks = hooke("list", "--all", "--json").json
    assert {h["name"] for h in hooks} == builtins()
    key = [(LAYERS.index(h["layer"]), -h["priority"], h["name"]) for h in hooks]
    assert key == sorted(key)
    on = names(hooke("list", "--json"))
    assert {"secret-guard", "loop-guard", "system-prompt", "context-injector"} <= set(on)
    assert hooke("list", "--names").lines == [h["name"] for h in hooks]
    rows = [line.split()[0] for line in hooke("list").lines[1:] if not line.startswith(" ")]
    assert [r for r in rows if r in builtins()] == on


def test_list_says_why_a_built_in_is_on_or_off(hooke):
    hooke.config("disabled_hooks: [loop-guard]\n"
                 "hooks: [{ name: chat-headers, enabled: true }, { name: notes, enabled: false,"
                 " on: turn.after, inject: x }, { name: cache-monitor, enabled: false }]\n")
    hooks = {h["name"]: h for h in hooke("list", "--json").json}
    assert hooks["secret-guard"]["why"] == "by default"
    assert hooks["chat-headers"]["why"] == "by 'enabled: true'"
    assert hooks["loop-guard"]["why"].startswith("disabled_hooks at ")
    assert hooks["cache-monitor"]["why"] == hooks["notes"]["why"] == "enabled: false"
    text = hooke("list").out
    assert "built-in: experimental.chat.messages.transform, for agent orchestrator; on by default" in text


def test_list_of_a_point_takes_foreign_names(hooke):
    assert {"secret-guard", "loop-guard"} <= set(names(hooke("list", "--point", "PreToolUse", "--json")))
    assert "system-prompt" not in names(hooke("list", "--point", "PreToolUse", "--json"))
    r = hooke("list", "--point", "PreToolUs")
    assert r.rc == 64 and "did you mean 'PreToolUse'" in r.err


def test_list_says_what_is_off_and_why(hooke):
    path = hooke.config("disabled_hooks: [loop-guard]\n")
    hook = next(h for h in hooke("list", "--json").json if h["name"] == "loop-guard")
    assert hook["state"] == "off" and str(path) in hook["why"]
    assert str(path) in hooke("list").out


def test_list_names_runner_and_origin(hooke):
    path = hooke.config("hooks:\n  - { name: mine, on: Stop, stop: enough }\n")
    hook = next(h for h in hooke("list", "--json").json if h["name"] == "mine")
    assert hook["runner"] == "rule" and hook["origin"].startswith(f"{path}:2:")
    assert f"rule, {path}:2:" in hooke("list").out


def test_list_shows_broken_hooks(hooke):
    hooke.config("hooks:\n  - { name: mine, on: Stop, exec: ./x, when: nope }\n")
    r = hooke("list", "--json")
    hook = next(h for h in r.json if h["name"] == "mine")
    assert hook["state"] == "broken" and hook["why"]


def test_columns_fit_the_width(hooke):
    for width in (80, 100):
        for words in (["list"], ["plan", "PreToolUse"], ["show", "post-read-nudge"]):
            for line in hooke(*words, COLUMNS=str(width)).lines:
                assert len(line) <= width, (words, line)


def test_show_tells_options_with_value_and_default(hooke):
    hooke.config("hooks:\n  - { name: loop-guard, limit: 7 }\n")
    option = hooke("show", "loop-guard", "--json").json["options"][0]
    assert (option["name"], option["value"], option["default"]) == ("limit", "7", "3")
    text = hooke("show", "loop-guard").out
    assert "limit" in text and "7" in text and option["help"] in text


def test_show_tells_traits_of_a_hook(hooke):
    hook = hooke("show", "secret-guard", "--json").json
    assert hook["safety_critical"] is True and hook["on_failure"] == "block"
    assert hook["layer"] == "guard" and "timeout_ms" not in hook
    nudge = hooke("show", "post-read-nudge", "--json").json
    assert (nudge["tool"], nudge["agent"]) == ("read", "orchestrator")


def test_show_tells_what_an_entry_changes(hooke):
    path = hooke.config("hooks:\n  - { name: loop-guard, timeout: 5s, priority: 7 }\n")
    hook = hooke("show", "loop-guard", "--json").json
    assert (hook["timeout_ms"], hook["priority"]) == (5000, 7)
    assert hook["origin"].startswith(f"{path}:2:")
    text = hooke("show", "loop-guard").out
    assert "5 s" in text and "guard, priority 7" in text


def test_show_tells_cadence_and_its_counter(hooke):
    path = hooke.config("hook_cadence:\n  system-prompt: 3\n")
    point = "experimental.chat.system.transform"
    for _ in range(2):
        hooke("emit", point, "--session", "s1")
    cadence = hooke("show", "system-prompt", "--session", "s1", "--json").json["cadence"][point]
    assert cadence["gated"] is True and cadence["counted"] == 2
    assert "1 time in 3" in cadence["text"] and f"{path}:2:" in cadence["text"]
    assert "counted 2 in this session" in hooke("show", "system-prompt", "-s", "s1").out
    assert "every time" in hooke("show", "loop-guard").out


def test_show_of_a_point(hooke):
    point = hooke("show", "tool.execute.before", "--json").json
    assert point["kind"] == "gate" and "block" in point["powers"]
    assert "PreToolUse" in point["foreign_names"]
    assert {"name": "args", "changes": True, "summary": "its arguments"} in point["fields"]
    assert "never gated" in hooke("show", "PreToolUse").out


def test_show_suggests_the_nearest_name(hooke):
    r = hooke("show", "lop-guard")
    assert r.rc == 1 and r.out == ""
    assert r.err == "hooke: unknown hook or point 'lop-guard', did you mean 'loop-guard'?\n"
    assert hooke("show").rc == 64


def fates(result):
    return {step["hook"]: (step["fate"], step["why"]) for step in result.json}


def test_plan_explains_matches(hooke):
    open_ = fates(hooke("plan", "PostToolUse", "--json"))
    assert open_["secret-guard"] == ("runs", "every time")
    assert open_["post-read-nudge"] == (
        "may run",
        "if the tool is read, if the agent is orchestrator",
    )
    other = fates(hooke("plan", "PostToolUse", "--tool", "bash", "--json"))
    assert other["post-read-nudge"] == ("does not run", "only for the tool read")
    match = fates(hooke("plan", "PostToolUse", "-t", "read", "--agent", "orchestrator", "--json"))
    assert match["post-read-nudge"] == ("runs", "every time")


def test_plan_explains_sessions(hooke):
    assert fates(hooke("plan", "chat.message", "--json"))["first-message-variant"][0] == "runs"
    sub = fates(hooke("plan", "chat.message", "--sub", "--json"))["first-message-variant"]
    assert sub == ("does not run", "only for main sessions")


def test_plan_explains_off_broken_and_cadence(hooke):
    hooke.config(
        """\
disabled_hooks: [loop-guard]
hook_cadence: { system-prompt: 2 }
hooks:
  - { name: mine, on: PreToolUse, exec: ./x, when: nope, on_failure: block }
"""
    )
    before = fates(hooke("plan", "PreToolUse", "--json"))
    assert before["loop-guard"][0] == "does not run" and "off:" in before["loop-guard"][1]
    assert "on_failure: block" in before["mine"][1]
    system = fates(hooke("plan", "experimental.chat.system.transform", "--json"))
    assert system["system-prompt"][0] == "may run" and "1 time in 2" in system["system-prompt"][1]


def test_plan_of_a_point_nobody_reacts_to(hooke):
    assert "no hook reacts" in hooke("plan", "shell.env").out
    assert hooke("plan", "shell.env", "--json").json == []


def test_plan_prints_order_and_point(hooke):
    lines = hooke("plan", "PreToolUse").lines
    assert lines[0] == "tool.execute.before - a tool is about to run"
    assert [line.split()[1] for line in lines[2:]] == [
        "secret-guard", "loop-guard", "command-guard", "sandbox"]


def test_wrong_words_are_usage_errors(hooke):
    for words in (["plan"], ["plan", "a", "b"], ["list", "x"], ["plan", "nothing-like-it"]):
        r = hooke(*words)
        assert r.rc == 64 and r.err.count("\n") == 1, words
