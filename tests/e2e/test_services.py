"""What hooke's agent does for resident hooks and scripts, and who had the last word, in sessions."""

import json
import os
import shutil
import time

import fences
import pytest
from scripted import call, events, only, script

SOURCE = fences.SOURCE


def receipts(hooke, point=None):
    lines = [json.loads(line) for path in sorted(hooke.receipts.glob("*.jsonl"))
             for line in path.read_text().splitlines()]
    return [r for r in lines if point in (None, r["point"])]


def run_of(receipt, hook):
    return next(r for r in receipt["runs"] if r["hook"] == hook)


def lua(hooke, text, keys=""):
    (hooke.config_dir / "s.lua").write_text(text)
    hooke.config(f"hooks: [{{ name: s, script: s.lua{keys} }}]\n")


# The example --------------------------------------------------------------------------------------

@pytest.fixture
def opinion(hooke):
    shutil.copytree(SOURCE / "examples/hooks", hooke.config_dir, dirs_exist_ok=True)
    for path in hooke.config_dir.iterdir():
        os.utime(path, (1, 1))

    def configure(keys="", more=""):
        hooke.config("hooks:\n- { name: second-opinion, resident: [./second_opinion.py]"
                     f"{keys} }}\n{more}")
    configure()
    return configure


def test_a_second_opinion_sends_the_agent_on(hooke, opinion):
    script(hooke, {"expects": "add a test", "text": "I have fixed it.",
                   "usage": {"output_tokens": 1}},
           {"model": "m1", "expects": "Somebody was asked", "text": "The test is missing.",
            "usage": {"input_tokens": 80, "output_tokens": 6}},
           {"expects": "The test is missing.", "text": "Added.", "usage": {"input_tokens": 10}})
    r = hooke("run", "fix it and add a test", "--json")
    assert r.rc == 0, r.err
    assert only(events(r), "follow_up")[0]["text"] == "The test is missing."
    end = only(events(r), "end")[0]
    assert end["usage"]["input_tokens"] == 90
    first, second = receipts(hooke, "agent.stop")
    assert run_of(first, "second-opinion")["llm"] == {"calls": 1, "tokens": 86}
    assert "llm" not in run_of(second, "second-opinion")


def test_an_opinion_of_another_model_that_is_content_ends_the_run(hooke, opinion):
    opinion(", env: { MODEL: script/judge }")
    script(hooke, {"model": "m1", "text": "Done."}, {"model": "judge", "text": "OK"})
    r = hooke("run", "do it")
    assert (r.rc, r.out) == (0, "Done.\n")
    shown = hooke("conversation", "list", "--json")
    assert "Somebody was asked" not in shown.out


def test_a_budget_that_is_used_up_names_its_key(hooke, opinion):
    opinion(", budget: { llm_tokens: 40 }")
    script(hooke, {"text": "Done."}, {"text": "never asked"})
    r = hooke("run", "do it")
    assert (r.rc, r.out) == (0, "Done.\n")
    failed = run_of(receipts(hooke, "agent.stop")[0], "second-opinion")
    assert failed["end"] == "failed" and "set 'budget.llm_tokens' of the hook" in failed["detail"]
    assert "'budget.llm_tokens'" in r.err


def test_what_it_offers_is_known_from_its_greeting_and_from_memory(hooke, opinion):
    memory = hooke.home / ".local/state/hooke/resident"
    until = time.monotonic() + 20
    while not memory.exists() and time.monotonic() < until:
        hooke("list")  # a file this young is not trusted to stay as it is
    script(hooke, {"text": "Done."}, {"text": "OK"}, {"text": "Done."}, {"text": "OK"})
    for _ in range(2):  # asked, then remembered
        assert hooke("run", "do it").rc == 0
    kept = list(memory.iterdir())
    assert len(kept) == 1 and '"callbacks":["handoff"]' in kept[0].read_text().replace(" ", "")


def test_without_an_agent_it_says_so(hooke, opinion):
    data = {"messages": [], "continuations": 0, "status": {"type": "idle"}}
    r = hooke.emit("agent.stop", data, "--trace")
    assert "'llm.complete' is not available here: it needs hooke's agent" in r.out + r.err


# Scripts ------------------------------------------------------------------------------------------

def test_a_script_asks_a_model(hooke):
    lua(hooke, """
hooke.on("chat.message", function(event)
  local answer = hooke.llm.complete { prompt = "Which language? " .. event.data.message.text }
  return { inject = "Answer in " .. answer.text .. "." }
end)
""")
    script(hooke, {"expects": "Which language?", "text": "French", "usage": {"input_tokens": 7}},
           {"expects": "Answer in French.", "text": "Bonjour."})
    r = hooke("run", "bonjour")
    assert (r.rc, r.out) == (0, "Bonjour.\n"), r.err
    assert run_of(receipts(hooke, "chat.message")[0], "s")["llm"] == {"calls": 1, "tokens": 7}


def test_a_script_looks_at_and_steers_its_session(hooke):
    lua(hooke, """
hooke.on("tool.execute.after", function(event)
  local status = hooke.session.status()
  local messages = hooke.session.messages { limit = 1 }
  hooke.session.prompt("you are " .. status.type .. ", last was " .. messages[1].role)
end)
hooke.on("agent.stop", function(event)
  hooke.log("warn", "at the end: " .. hooke.session.status().type .. event.data.status.type)
end)
""")
    script(hooke, call("bash", command="true"), {"text": "Done."},
           {"expects": "you are busy, last was assistant", "text": "I see."})
    r = hooke("run", "go")
    assert (r.rc, r.out) == (0, "Done.\nI see.\n"), r.err
    assert r.err.count("at the end: idleidle") == 2


def test_a_script_ends_the_run(hooke):
    lua(hooke, """
hooke.on("tool.execute.before", function(event) hooke.session.abort("that is enough") end)
""")
    script(hooke, call("bash", command="touch ran"), {"text": "Done."})
    r = hooke("run", "go")
    assert r.rc != 0 and "that is enough" in r.err
    assert not (hooke.cwd / "ran").exists()


def test_a_slow_model_is_given_up_with_its_hook(hooke):
    lua(hooke, """
hooke.on("chat.message", function(event) hooke.llm.complete("hm") end)
""", ", timeout: 300ms")
    script(hooke, {"expects": "hm", "delay": "60s", "text": "late"}, {"text": "Done."})
    began = time.monotonic()
    r = hooke("run", "go")
    assert (r.rc, r.out) == (0, "Done.\n")
    assert time.monotonic() - began < 30
    assert run_of(receipts(hooke, "chat.message")[0], "s")["end"] == "timed-out"


def test_a_recipe_of_the_user_is_run(hooke):
    folder = hooke.config_dir / "recipes"
    folder.mkdir()
    (folder / "judge.md").write_text("---\ndescription: judges\n---\nJudge {{.what}} kindly.\n")
    lua(hooke, """
hooke.on("chat.message", function(event)
  return { inject = hooke.recipe.run("judge", { what = event.data.message.text }).text }
end)
""")
    script(hooke, {"expects": "Judge my plan kindly.", "text": "It is fair."},
           {"expects": "It is fair.", "text": "Thanks."})
    r = hooke("run", "my", "plan")
    assert (r.rc, r.out) == (0, "Thanks.\n"), r.err


# Callbacks ----------------------------------------------------------------------------------------

CALLS_BACK = "- { name: r, on: turn.after, when: turn == 1, callback: %s }\n"


def test_a_callback_of_a_script_replaces_the_history(hooke):
    (hooke.config_dir / "s.lua").write_text("""
hooke.callback("sum", function(args, messages)
  local made = hooke.llm.complete("sum up " .. #messages .. " messages")
  local ok, why = pcall(hooke.recipe.run, "compact")
  return made.text .. (why:ends("can't be used in 'sum'") and " No recipe." or why)
end)
""")
    hooke.config("hooks:\n- { name: s, script: s.lua }\n" + CALLS_BACK % "sum")
    spends = {"usage": {"output_tokens": 1}}
    script(hooke, {**call("bash", command="true"), **spends},
           {"expects": "sum up 3 messages", "text": "All is well.", "usage": {"input_tokens": 5}},
           {"expects": "All is well. No recipe.", "text": "Done.", **spends})
    r = hooke("run", "go", "--json")
    assert r.rc == 0, r.out + r.err
    assert only(events(r), "end")[0]["usage"]["input_tokens"] == 5
    asked, ran = receipts(hooke, "turn.after")[:2]
    assert ran["after"] == asked["id"] and run_of(ran, "s")["detail"] == "callback 'sum'"
    assert run_of(ran, "s")["llm"] == {"calls": 1, "tokens": 5}


@pytest.mark.parametrize("keys", ["", ", on: agent.stop"])
def test_a_callback_of_a_resident_replaces_the_history(hooke, opinion, keys):
    opinion(keys, more=CALLS_BACK % "handoff")
    script(hooke, call("bash", command="true"),
           {"expects": "Write a note for whoever goes on", "text": "Half is done."},
           {"expects": "Half is done.", "text": "Done."}, {"text": "OK"})
    r = hooke("run", "go")
    assert r.rc == 0 and r.out.endswith("Done.\n"), r.out + r.err
    ran = next(r for r in receipts(hooke, "turn.after") if "after" in r)
    assert run_of(ran, "second-opinion")["llm"]["calls"] == 1


# Who had the last word ----------------------------------------------------------------------------

@pytest.mark.parametrize("config, flags, point, answer, ran", [
    ("permission: { bash: ask }", [], "permission.ask", ("nobody", "block"), False),
    ("permission: { bash: ask }", ["--allow", "bash"], "permission.ask", ("flag", "allow"), True),
    ("permission: { bash: deny }", [], "tool.execute.before", ("configuration", "block"), False),
    ("permission: { bash: allow }", [], "tool.execute.before", ("configuration", "allow"), True),
])
def test_the_answer_is_in_the_receipt(hooke, config, flags, point, answer, ran):
    hooke.config(config + "\n")
    script(hooke, call("bash", command="touch ran"), {"text": "Done."})
    assert hooke("run", "go", *flags).rc == 0
    (receipt,) = receipts(hooke, point)
    assert receipt["answer"] == dict(zip(("by", "decision"), answer))
    assert (hooke.cwd / "ran").exists() == ran
    shown = hooke("trace", "show", receipt["id"])
    assert f"{answer[1]}, by {answer[0]}" in shown.out, shown.out + shown.err


def test_without_a_word_on_the_tool_there_is_no_answer(hooke):
    script(hooke, call("bash", command="true"), {"text": "Done."})
    assert hooke("run", "go").rc == 0
    assert all("answer" not in r for r in receipts(hooke))
