"""hooke conversation: what was said in sessions."""

import json
import os
import pty
import subprocess

import pytest
from scripted import call, events, only, script, start


def talk(hooke, text, *turns, resume=None):
    """One run; the id of its conversation."""
    script(hooke, *(turns or [{"text": f"Answer to {text}."}]))
    r = hooke("run", text, "--json", *(["--resume", resume] if resume else []))
    assert r.rc == 0, r.err
    return only(events(r), "end")[0]["session"]


def conversation(hooke, *words, **more):
    return hooke("conversation", *words, **more)


def listed(hooke, *flags):
    return [c["id"] for c in conversation(hooke, "list", "--json", *flags).json]


def messages(hooke, session, *flags):
    return conversation(hooke, "show", session, "--json", *flags).json["messages"]


def compact(hooke, session):
    """A second generation, by a hook that replaces history."""
    hooke.config("hooks: [{ name: short, on: agent.stop, "
                 "mutate: [{ role: user, content: all of it }] }]\n")
    talk(hooke, "more", resume=session)
    hooke.config("")


# list ---------------------------------------------------------------------------------------------

def test_list_is_newest_first_and_of_this_workspace(hooke):
    one, two = talk(hooke, "first thing"), talk(hooke, "second thing")
    other = hooke.cwd.parent / "other"
    (other / ".git").mkdir(parents=True)
    mine, hooke.cwd = hooke.cwd, other
    three = talk(hooke, "third thing")
    assert listed(hooke) == [three]
    assert listed(hooke, "--all") == [three, two, one]
    assert listed(hooke, "--all", "--limit", "2") == [three, two]
    hooke.cwd = mine
    assert listed(hooke) == [two, one]
    talk(hooke, "again", resume=one)
    assert listed(hooke) == [one, two]
    text = conversation(hooke, "list").out
    assert "first thing" in text and "third thing" not in text
    assert str(other) in conversation(hooke, "list", "--all").out


def test_list_searches_titles_and_messages(hooke):
    one, two = talk(hooke, "about Mangoes"), talk(hooke, "about figs", {"text": "Figs, not DATES."})
    assert listed(hooke, "--search", "mango") == [one]
    assert listed(hooke, "--search", "dates") == [two]
    r = conversation(hooke, "list", "--search", "kiwi")
    assert (r.rc, r.out) == (0, "") and "no conversation with that text" in r.err
    assert conversation(hooke, "list", "--search", "kiwi", "--json").json == []


def test_a_title_ends_with_a_whole_character(hooke):
    talk(hooke, "x" + "ä" * 80)
    title, = [c["title"] for c in conversation(hooke, "list", "--json").json]
    assert title == "x" + "ä" * 49


def test_list_leaves_subagents_out(hooke):
    one = talk(hooke, "go", call("task", subagent_type="architect", prompt="think"),
               {"expects": "think", "text": "advice"}, {"expects": "advice", "text": "Done."})
    assert listed(hooke) == [one]


# show ---------------------------------------------------------------------------------------------

def test_show_is_readable(hooke):
    one = talk(hooke, "look around", {"text": "I look.", **call("bash", command="echo a\nfalse")},
               {"text": "Nothing\nthere."})
    lines = conversation(hooke, "show", one).lines
    assert lines[0] == "look around" and one in lines[1] and "4 messages" in lines[2]
    assert "> look around" in lines and "• bash echo a false" in lines
    assert lines[-2:] == ["Nothing", "there."]


def test_show_as_markdown(hooke):
    one = talk(hooke, "look", {"text": "I look.", **call("glob", pattern="*.c")}, {"text": "No."})
    text = conversation(hooke, "show", one, "--markdown").out
    assert text.startswith("# look\n") and "\n## User\n\nlook\n" in text
    assert "\n## Assistant\n\nI look.\n\n- `glob *.c`\n" in text


def test_show_of_an_older_generation(hooke):
    one = talk(hooke, "begin")
    compact(hooke, one)
    assert [m["content"] for m in messages(hooke, one)] == ["all of it"]
    assert len(messages(hooke, one, "--generation", "1")) == 4
    r = conversation(hooke, "show", one, "--generation", "9")
    assert r.rc == 64 and "has no generation 9" in r.err


def test_an_id_may_be_cut_short(hooke):
    one, two = talk(hooke, "one"), talk(hooke, "two")
    end = next(i for i, (a, b) in enumerate(zip(one, two)) if a != b) + 1
    assert conversation(hooke, "show", one[:end], "--json").json["id"] == one
    r = conversation(hooke, "show", one[:4])
    assert r.rc == 64 and "several conversations begin with" in r.err


@pytest.mark.parametrize("words", [
    ["show", "nothing"], ["fork", "nothing"], ["fork"], ["delete", "nothing", "--yes"],
    ["export", "nothing"], ["restore", "nothing", "1"], ["rename", "nothing", "x"],
    ["shwo", "x"], ["show"], ["list", "x"], [],
])
def test_misuse_is_one_line_and_64(hooke, words):
    r = conversation(hooke, *words)
    assert (r.rc, r.out) == (64, "") and r.err.startswith("hooke: ") and r.err.count("\n") == 1


# fork, rename, restore ----------------------------------------------------------------------------

def test_a_fork_goes_its_own_way(hooke):
    one = talk(hooke, "begin", {"text": "Begun.", "usage": {"input_tokens": 100}})
    before = messages(hooke, one)
    fork = conversation(hooke, "fork").out.strip()
    assert fork != one and messages(hooke, fork) == before
    about = conversation(hooke, "show", fork, "--json").json
    assert about["origin"] == one and about["usage"]["input_tokens"] == 0
    talk(hooke, "elsewhere", resume=fork)
    assert messages(hooke, one) == before and len(messages(hooke, fork)) == len(before) + 2
    assert conversation(hooke, "fork", one, "--json").json["forked"] not in (one, fork)


def test_rename(hooke):
    one = talk(hooke, "begin")
    assert conversation(hooke, "rename", one, "a", "better\ntitle").rc == 0
    assert conversation(hooke, "list", "--json").json[0]["title"] == "a better title"


def test_restore_brings_a_generation_back(hooke):
    one = talk(hooke, "begin")
    compact(hooke, one)
    old = messages(hooke, one, "-g", "1")
    assert conversation(hooke, "restore", one, "1").rc == 0
    about = conversation(hooke, "show", one, "--json").json
    assert about["messages"] == old and about["generation"] == 3
    assert [m["content"] for m in messages(hooke, one, "-g", "2")] == ["all of it"]
    assert conversation(hooke, "restore", one, "first").rc == 64
    assert conversation(hooke, "restore", one, "7").rc == 64


# delete -------------------------------------------------------------------------------------------

def claims(hooke):
    return os.listdir(hooke.home / ".local/share/hooke/hooke.db.claims")


def test_delete_takes_everything_with_it(hooke):
    seen = hooke.home / "deleted"
    one = talk(hooke, "go", call("task", subagent_type="architect", prompt="think"),
               {"expects": "think", "text": "advice"}, {"expects": "advice", "text": "Done."})
    other = talk(hooke, "other")
    hooke("state", "set", "k", "v", "--session", one, "--hook", "mine")
    hooke.config("hooks: [{ name: look, on: session.deleted, exec: 'cat >>%s' }]\n" % seen)
    r = conversation(hooke, "delete", one, "--yes")
    assert (r.rc, r.out) == (0, "")
    gone = [json.loads(line)["session"]["id"] for line in seen.read_text().splitlines()]
    assert gone[-1] == one and len(gone) == 2
    assert hooke("state", "get", "k", "--session", one, "--hook", "mine").rc == 1
    assert listed(hooke) == [other] and claims(hooke) == [other]
    assert conversation(hooke, "show", one).rc == 64


def test_delete_asks_and_without_a_person_refuses(hooke):
    one = talk(hooke, "go")
    r = conversation(hooke, "delete", one)
    assert r.rc == 64 and "--yes" in r.err
    for answer, left in ((b"n\n", [one]), (b"y\n", [])):
        main, side = pty.openpty()
        child = subprocess.Popen([hooke.program, "conversation", "delete", one], stdin=side,
                                 stdout=side, stderr=side, cwd=hooke.cwd, env=hooke.env)
        os.close(side)
        os.write(main, answer)
        child.wait(timeout=30)
        os.close(main)
        assert listed(hooke) == left


def test_a_conversation_at_work_is_not_deleted(hooke):
    ready = hooke.home / "ready"
    os.mkfifo(ready)
    script(hooke, call("bash", command=f"echo >{ready}; exec sleep 600"))
    child = start(hooke, "run", "go", "--json")
    session = json.loads(child.stdout.readline())["session"]
    ready.read_text()
    r = conversation(hooke, "delete", session, "--yes")
    assert r.rc == 1 and "in use by process" in r.err
    child.terminate()
    child.communicate(timeout=30)
    assert conversation(hooke, "delete", session, "--yes").rc == 0


# export, import -----------------------------------------------------------------------------------

def test_export_and_import_lose_nothing(hooke):
    one = talk(hooke, "begin \u00e9\u2713", {"text": "I look.", **call("bash", command="printf 'a\\tb'"),
                                   "usage": {"input_tokens": 7, "output_tokens": 3}},
               {"text": "Done."})
    compact(hooke, one)
    file = hooke.home / "one.json"
    assert conversation(hooke, "export", one, file).out.strip() == one
    text = file.read_text()
    assert conversation(hooke, "export", one).out == text
    document = json.loads(text)
    assert document["version"] == 1 and len(document["generations"]) == 2
    conversation(hooke, "delete", one, "--yes")
    assert conversation(hooke, "import", file).out.strip() == one
    assert conversation(hooke, "export", one).out == text
    talk(hooke, "on we go", resume=one)


def test_an_answer_is_stored_with_what_it_took(hooke):
    hooke.config("providers: { script: { models: { m1: { price: { input: 1000, output: 2000 } } } } }\n")
    script(hooke, {**call("bash", command="true"), "usage": {"input_tokens": 1000}},
           {"text": "Done.", "usage": {"output_tokens": 1000, "cache_read_tokens": 7}})
    id = only(events(hooke("run", "--json", "go")), "end")[0]["session"]
    rows = hooke("conversation", "export", id).json["generations"][0]["messages"]
    assert [r["message"]["role"] for r in rows] == ["user", "assistant", "tool", "assistant"]
    assert [r.get("cost") for r in rows] == [None, 1, None, 2]
    assert [r["usage"]["input_tokens"] for r in rows[1::2]] == [1000, 0]
    assert rows[3]["usage"]["cache_read_tokens"] == 7 and "usage" not in rows[0]


def test_import_does_not_overwrite_by_accident(hooke):
    one = talk(hooke, "begin")
    text = conversation(hooke, "export", one).out
    talk(hooke, "more", resume=one)
    r = conversation(hooke, "import", "-", input=text)
    assert r.rc == 1 and "already" in r.err and "--force" in r.err and len(messages(hooke, one)) == 4
    new = conversation(hooke, "import", "-", "--new-id", "--json", input=text).json["imported"]
    assert new != one and len(messages(hooke, new)) == 2
    assert conversation(hooke, "import", "-", "--force", input=text).rc == 0
    assert len(messages(hooke, one)) == 2


@pytest.mark.parametrize("change, says", [
    (lambda d: d.update(version=2), "'version' must be 1"),
    (lambda d: d["conversation"].update(id="../x"), "'conversation.id' must be"),
    (lambda d: d["generations"][0]["messages"].pop(2), "c1"),
    (lambda d: d.pop("format"), "no exported conversation"),
])
def test_import_takes_only_what_can_be_sent(hooke, change, says):
    turn = {"calls": [{"tool": "bash", "call_id": "c1", "args": {"command": "true"}}]}
    one = talk(hooke, "begin", turn, {"text": "Done."})
    document = json.loads(conversation(hooke, "export", one).out)
    change(document)
    conversation(hooke, "delete", one, "--yes")
    r = conversation(hooke, "import", "-", input=json.dumps(document))
    assert r.rc == 1 and says in r.err and r.err.count("\n") == 1 and listed(hooke) == []


def test_an_interrupted_run_is_kept_so_that_it_can_go_on(hooke):
    ready = hooke.home / "ready"
    os.mkfifo(ready)
    script(hooke, call("bash", command=f"echo >{ready}; exec sleep 600"))
    child = start(hooke, "run", "go", "--json")
    session = json.loads(child.stdout.readline())["session"]
    ready.read_text()
    child.send_signal(2)
    child.communicate(timeout=30)
    talk(hooke, "go on", resume=session)
    assert [m["role"] for m in messages(hooke, session)] == [
        "user", "assistant", "tool", "user", "assistant"]
