"""The built-in hooks after tools and at the stop, in sessions of hooke's own agent."""

import re

import pytest
from scripted import call, events, only, script

OPEN = [{"content": "write it", "status": "completed"}, {"content": "test it", "status": "pending"}]
DONE = [{**item, "status": "completed"} for item in OPEN]


def run(hooke, *words):
    r = hooke("run", "--json", *words)
    assert r.rc == 0, r.out + r.err
    return events(r)


def results(lines):
    return [str(e["output"]) for e in only(lines, "tool_result")]


def put(hooke, name, text):
    path = hooke.cwd / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(hooke):
    put(hooke, "AGENTS.md", "The root says hello.\n")
    put(hooke, "src/AGENTS.md", "Use tabs in src.\n")
    put(hooke, "src/a.c", "int a;\n")
    put(hooke, "src/b.c", "int b;\n")
    put(hooke, ".cursor/rules/c.mdc", "---\nglobs: *.c\n---\nFormat what you change.\n")
    return hooke


def test_the_request_after_a_read_holds_what_the_project_says(project):
    script(project, call("read", path="src/a.c"),
           {"expects": "Use tabs in src.", **call("read", path="src/b.c")}, {"text": "Done."})
    first, second = results(run(project, "look"))
    assert "<directory-context>\n[src/AGENTS.md]\nUse tabs in src.\n</directory-context>" in first
    assert '<rule file=".cursor/rules/c.mdc" because="*.c">\nFormat what you change.\n</rule>' in first
    assert "The root says hello." not in first  # the system prompt has it
    assert "int b;" in second and "tabs" not in second and "Format" not in second


@pytest.mark.parametrize("off, text", [("directory-agents", "Use tabs"), ("rules-injector", "Format")])
def test_each_can_be_switched_off_alone(project, off, text):
    project.config(f"disabled_hooks: [{off}]\n")
    script(project, call("read", path="src/a.c"), {"text": "Done."})
    (output,) = results(run(project, "look"))
    assert text not in output
    assert ("Use tabs" in output) != ("Format" in output)


def test_long_output_is_shortened_and_all_of_it_can_be_read(project):
    project.config("hooks: [{ name: output-truncator, max_tokens: 500 }]\n")
    script(project, call("bash", command="seq -f 'line %g' 1 1000"), {"text": "Long."})
    lines = run(project, "count")
    (output,) = results(lines)
    assert "line 1\nline 2\n" in output and "line 1000" in output and "line 500\n" not in output
    found = re.search(r"\[(\d+) lines, \d+ bytes left out to save context; all of it is in '(.*?)'", output)
    shown = output.count("\nline ") + 1
    assert int(found[1]) + shown == 1000
    session = only(lines, "session")[0]["session"]
    script(project, call("read", path=found[2], offset=500, limit=1), {"text": "There."})
    (part,) = results(run(project, "--resume", session, "read it"))
    assert "line 500" in part


def test_the_agent_goes_on_while_todos_are_open(hooke):
    script(hooke, call("todo", todos=OPEN), {"text": "That was it."},
           {"expects": "- test it", **call("todo", todos=DONE)}, {"text": "All done."})
    lines = run(hooke, "work")
    (follow,) = only(lines, "follow_up")
    assert follow["text"].startswith("1 of 2 todos are still open:\n- test it\n")
    assert only(lines, "message")[-1]["message"]["content"][0]["text"] == "All done."


def test_an_agent_that_asks_something_may_stop(hooke):
    script(hooke, call("todo", todos=OPEN), {"text": "Shall I go on?"})
    assert only(run(hooke, "work"), "follow_up") == []


def test_mistakes_in_calls_are_answered_with_what_to_do(hooke):
    script(hooke, call("task", prompt="x", subagent_type="nobody"),
           {"expects": "Available: orchestrator", "calls": [{"tool": "bash", "args": "ls"}]},
           {"expects": "<json-error>", "text": "I see."})
    first, second = results(run(hooke, "delegate"))
    assert "Error: unknown_agent" in first and "no JSON object" in second


def test_the_window_is_remarked_once(hooke):
    full = {"usage": {"input_tokens": 110000, "cache_read_tokens": 40000}}
    script(hooke, {**call("glob", pattern="*"), **full}, {**call("glob", pattern="*.c"), **full},
           {"text": "Done."})
    hooke.config("providers: { script: { models: { m1: { context_window: 200000 } } } }\n")
    first, second = results(run(hooke, "look"))
    assert "75 % of the context window" in first and "context window" not in second


def test_a_person_is_told_when_the_agent_is_done(hooke):
    hooke.config("hooks: [{ name: notify, enabled: true, command: [sh, -c, 'echo \"$1\" >> told', sh, "
                 "'{kind}: {text}'] }]\n")
    script(hooke, call("todo", todos=OPEN), {"text": "Nearly."},
           {"expects": "- test it", **call("todo", todos=DONE)}, {"text": "All done."})
    run(hooke, "work")
    assert (hooke.cwd / "told").read_text() == "done: All done.\n"
