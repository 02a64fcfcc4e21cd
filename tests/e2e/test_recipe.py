"""Recipes: prompts in files, listed, shown, trusted and run by name."""

import json
import subprocess

import pytest
from scripted import call, events, only, script

TELL = "'cat >>%s; echo >>%s'"


def recipe(hooke, name, text, workspace=False):
    folder = hooke.cwd / ".hooke" if workspace else hooke.config_dir
    path = folder / "recipes" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def listed(hooke):
    return {r["name"]: r for r in hooke("recipe", "list", "--json").json}


def watch(hooke, *points):
    """Keep the events of these points; gives back the file they go to, a line each."""
    path = hooke.home / "events"
    hooke.config("hooks:\n" + "".join(
        "  - { name: watch-%d, on: %s, mode: observe, exec: %s }\n"
        % (i, point, TELL % (path, path)) for i, point in enumerate(points)))
    return path


def seen(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def results(result):
    return [(e["tool"], e["ok"], e["output"]) for e in only(events(result), "tool_result")]


def git(hooke, *words):
    env = {**hooke.env, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
           "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *words], cwd=hooke.cwd, env=env, check=True, capture_output=True)


# list and show


def test_built_in_recipes_are_listed(hooke):
    names = listed(hooke)
    assert {"compact", "commit", "review"} <= set(names)
    assert names["compact"]["apply"] == "replace" and names["compact"]["allowed_tools"] == []
    assert names["compact"]["path"] is None and names["compact"]["trusted"]
    assert "built in" in hooke("recipe", "list").out


def test_every_built_in_recipe_loads_as_it_lies_in_the_tree(hooke, source):
    for path in sorted((source / "recipes").glob("**/*.md")):
        name = path.relative_to(source / "recipes").with_suffix("").as_posix()
        r = hooke("recipe", "show", name)
        assert (r.rc, r.out, r.err) == (0, path.read_text(), "")
        assert listed(hooke)[name]["description"]


def test_the_compaction_asks_for_five_sections(hooke):
    text = hooke("recipe", "show", "compact", "--arg", "focus=the parser").out
    sections = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert sections == ["Objective and status", "Decisions", "Files", "Errors and resolutions",
                        "Pending"]
    assert text.rstrip().endswith("the parser")


def test_users_recipes_hide_built_in_ones(hooke):
    path = recipe(hooke, "commit.md", "---\ndescription: mine\n---\nhi")
    assert listed(hooke)["commit"]["path"] == str(path)
    assert listed(hooke)["commit"]["description"] == "mine"


def test_show_prints_what_is_written_puts_arguments_in_and_runs_when_told(hooke):
    text = '---\narguments: { who: }\n---\nHi {{.who}}: {{bash "echo" .who "$HOME"}}\n'
    recipe(hooke, "hi.md", text)
    assert hooke("recipe", "show", "hi").out == text
    assert hooke("recipe", "show", "hi", "--arg", "who=a b").out == \
        'Hi a b: {{bash "echo" "a b" "$HOME"}}\n'
    assert hooke("recipe", "show", "hi", "--arg", "who=a b", "--run").out == "Hi a b: a b $HOME\n"
    assert hooke("recipe", "show", "hi", "-a", "who=x", "--json").json["text"].startswith("Hi x")


def test_repeated_arguments_are_a_list(hooke):
    recipe(hooke, "l.md", "{{range .f}}<{{.}}>{{end}}")
    for words in (["--arg", "f=a", "--arg", "f=b=c"], ["--arg", 'f=["a", "b=c"]']):
        assert hooke("recipe", "show", "l", *words).out == "<a><b=c>\n"


@pytest.mark.parametrize("words, rc, says", [
    (["show", "comit"], 64, "there is no recipe 'comit', did you mean 'commit'?"),
    (["show", "../x"], 64, "'../x' is no name of a recipe"),
    (["show", "x", "--run"], 64, "recipe 'x' needs the arguments 'a', 'b': say --arg a=… --arg b=…"),
    (["show", "x", "--arg", "aa=1"], 64, "recipe 'x' takes no argument 'aa', did you mean 'a'?"),
    (["show", "x", "--arg", "a"], 64, "'--arg a' is not KEY=VALUE"),
    (["show", "yaml"], 1, "yaml.md:4:1: "),
    (["show", "key"], 1, "key.md:2:1: unknown key 'allowed_tool', did you mean 'allowed_tools'?"),
    (["show", "body"], 1, "body.md:4:4: '{{' is not closed"),
    (["show"], 64, "usage: hooke recipe"),
    (["list", "x"], 64, "usage: hooke recipe"),
    (["shw"], 64, "did you mean 'show'?"),
    ([], 64, "usage: hooke recipe"),
])
def test_what_is_wrong_is_said_in_one_line(hooke, words, rc, says):
    recipe(hooke, "x.md", "{{.a}}{{.b}}")
    recipe(hooke, "yaml.md", "---\ndescription: a\nmodel: [b\n---\nx\n")
    recipe(hooke, "key.md", "---\nallowed_tool: [read]\n---\nx\n")
    recipe(hooke, "body.md", "---\n---\n\nab {{.x")
    r = hooke("recipe", *words)
    assert (r.rc, r.out, r.err.count("\n")) == (rc, "", 1) and says in r.err, r.err


def test_a_recipe_that_cannot_be_read_is_named_and_the_others_are_listed(hooke):
    recipe(hooke, "bad.md", "{{")
    r = hooke("recipe", "list")
    assert r.rc == 0 and "commit" in r.out and "\nbad " not in r.out
    assert "bad.md:1:1: '{{' is not closed" in r.err


def test_recipes_of_kodelet_are_found(hooke):
    for root, name in ((hooke.home, "github/pr"), (hooke.cwd, "plain")):
        path = root / ".kodelet/recipes" / name
        path.parent.mkdir(parents=True)
        path.write_text("---\nname: A title\nallowed_tools: file_read, bash\n"
                        "arguments: { target: { description: where, default: main } }\n---\n"
                        '{{if eq .target "main"}}To {{.target}}{{end}}')
    assert hooke("trust", "--yes").rc == 0
    for name in ("github/pr", "plain"):
        assert listed(hooke)[name]["allowed_tools"] == ["read", "bash"]
        assert listed(hooke)[name]["title"] == "A title"
        assert hooke("recipe", "show", name, "--run").out == "To main\n"


# trust


def test_a_recipe_of_the_workspace_needs_trust_and_hides_no_other_meanwhile(hooke):
    recipe(hooke, "commit.md", "the user's own")
    path = recipe(hooke, "commit.md", "---\ndescription: theirs\n---\nThe repository's", True)
    script(hooke, {"text": "Ran."})
    r = hooke("run", "-r", "commit")
    assert (r.rc, r.out, r.err.count("\n")) == (1, "", 1)
    assert f"'{path}' is not trusted: run 'hooke trust'" in r.err
    assert hooke("recipe", "show", "commit").rc == 1
    entry = listed(hooke)["commit"]
    assert entry["trusted"] is False and "description" not in entry
    assert "untrusted" in hooke("recipe", "list").out

    assert [(f["path"], f["state"]) for f in hooke("trust", "--json").json] == [(str(path), "new")]
    assert hooke("trust", "--yes").rc == 0
    assert hooke("run", "-r", "commit").out == "Ran.\n"
    path.write_text("Something else")
    r = hooke("recipe", "show", "commit")
    assert r.rc == 1 and "has changed since it was trusted" in r.err
    assert hooke("trust", "--yes").rc == 0
    assert hooke("trust", "--revoke", path).out.startswith("revoked")
    assert listed(hooke)["commit"]["trusted"] is False


# run


def test_a_recipe_is_sent_with_what_is_said_besides(hooke):
    recipe(hooke, "hi.md", 'Hello {{.who}}, {{bash "echo" "it is" .who}}.\n\n')
    path = watch(hooke, "chat.message")
    script(hooke, {"text": "Ran."})
    assert hooke("run", "-r", "hi", "--arg", "who=Ann", "and", "be quick").out == "Ran.\n"
    assert hooke("run", "-r", "hi", "--arg", "who=Bob", input="not read").out == "Ran.\n"
    assert hooke("run", "-r", "hi", "--arg", "who=Bob", "-", input="read").out == "Ran.\n"
    texts = [e["data"]["message"]["text"] for e in seen(path)]
    assert texts == ["Hello Ann, it is Ann.\nand be quick", "Hello Bob, it is Bob.",
                     "Hello Bob, it is Bob.\nread"]


def test_nothing_of_an_argument_or_a_command_is_interpreted(hooke):
    recipe(hooke, "hi.md", '{{.x}}|{{bash "cat" "file"}}')
    (hooke.cwd / "file").write_text('{{bash "touch" "made"}}')
    path = watch(hooke, "chat.message")
    script(hooke, {"text": "Ran."})
    evil = '{{bash "touch" "made"}} $(touch made) `touch made`'
    assert hooke("run", "-r", "hi", "--arg", f"x={evil}").rc == 0
    assert seen(path)[0]["data"]["message"]["text"] == evil + '|{{bash "touch" "made"}}'
    assert not (hooke.cwd / "made").exists()


def test_commands_see_no_keys(hooke):
    recipe(hooke, "env.md", '{{bash "env"}}')
    r = hooke("recipe", "show", "env", "--run", OPENAI_API_KEY="secret", PLAIN="seen")
    assert "PLAIN=seen" in r.out and "secret" not in r.out


def test_every_event_of_the_run_names_the_recipe_and_none_of_a_later_one(hooke):
    recipe(hooke, "hi.md", "Hello")
    path = watch(hooke, "session.created", "chat.message", "agent.start", "step.start",
                 "tool.execute.before", "tool.execute.after", "turn.after", "agent.stop",
                 "session.idle", "session.ended")
    script(hooke, call("bash", command="true"), {"text": "Ran."})
    assert hooke("run", "-r", "hi").rc == 0
    points = {e["point"]: e["session"]["recipe"] for e in seen(path)}
    assert len(points) == 10 and set(points.values()) == {"hi"}
    path.unlink()
    script(hooke, {"text": "More."})
    assert hooke("run", "--follow", "go on").rc == 0
    assert {e["session"]["recipe"] for e in seen(path)} == {""}


def test_hooks_of_kodelet_hear_the_name_of_the_recipe(hooke):
    recipe(hooke, "hi.md", "Hello")
    path = hooke.home / "payload"
    hooke.config("hooks: [{ name: k, on: agent_stop, dialect: kodelet, exec: 'cat >%s' }]\n" % path)
    script(hooke, {"text": "Ran."})
    assert hooke("run", "-r", "hi").rc == 0
    assert json.loads(path.read_text())["invoked_recipe"] == "hi"


def test_model_and_agent_of_a_recipe_give_way_to_flags(hooke):
    recipe(hooke, "hi.md", "---\nmodel: script/small\nagent: architect\n---\nHello")
    path = watch(hooke, "agent.start")
    script(hooke, {"text": "Ran."}, {"text": "Ran."})
    assert hooke("run", "-r", "hi").rc == 0
    assert hooke("run", "-r", "hi", "--model", "script/large", "--agent", "builder").rc == 0
    assert [(e["data"]["model"], e["session"]["agent"]) for e in seen(path)] == [
        ("small", "architect"), ("large", "builder")]


@pytest.mark.parametrize("said, offered", [("[read, Bash]", {"read", "bash"}), ("[]", set())])
def test_only_the_tools_of_the_recipe_are_offered_and_run(hooke, said, offered):
    recipe(hooke, "hi.md", f"---\nallowed_tools: {said}\n---\nHello")
    path = watch(hooke, "tool.definition")
    script(hooke, call("write", path="made", content="x"), {"text": "Ran."})
    r = hooke("run", "-r", "hi", "--json")
    assert {e["data"]["tool"] for e in seen(path)} == offered if offered else not path.exists()
    (tool, ok, output), = results(r)
    assert (tool, ok) == ("write", False) and "no such tool" in output
    assert not (hooke.cwd / "made").exists()


def test_without_a_list_every_tool_may_be_used(hooke):
    recipe(hooke, "hi.md", "Hello")
    script(hooke, call("write", path="made", content="x"), {"text": "Ran."})
    assert hooke("run", "-r", "hi").rc == 0 and (hooke.cwd / "made").exists()


def test_no_tools_hold_on_a_history_that_has_calls(hooke):
    script(hooke, call("bash", command="true"), {"text": "Ran."})
    assert hooke("run", "first").rc == 0
    recipe(hooke, "hi.md", "---\nallowed_tools: []\n---\nHello")
    script(hooke, call("bash", command="touch made"), {"text": "Ran."})
    (_, ok, output), = results(hooke("run", "-r", "hi", "--follow", "--json"))
    assert not ok and output.startswith("not allowed") and not (hooke.cwd / "made").exists()
    script(hooke, call("bash", command="touch made"), {"text": "Ran."})
    assert hooke("run", "--follow", "again").rc == 0 and (hooke.cwd / "made").exists()


@pytest.mark.parametrize("command, runs", [
    ("touch made", True),
    ("touch made && touch made", True),
    ("rm -f x; touch made", False),
    ("touch $(touch made)", False),
    ("touch made\ntouch made2", False),
    ("true > made", False),
])
def test_only_the_commands_of_the_recipe_run(hooke, command, runs):
    recipe(hooke, "hi.md", "---\nallowed_commands: ['touch *']\n---\nHello")
    script(hooke, call("bash", command=command), {"text": "Ran."})
    (_, ok, output), = results(hooke("run", "-r", "hi", "--json"))
    assert (ok, (hooke.cwd / "made").exists()) == (runs, runs)
    assert runs or "'touch *'" in output


def test_a_hook_cannot_widen_what_commands_run(hooke):
    recipe(hooke, "hi.md", "---\nallowed_commands: ['true*']\n---\nHello")
    hooke.config("hooks: [{ name: more, on: tool.execute.before,"
                 " modify: { args: { command: touch made } } }]\n")
    script(hooke, call("bash", command="true"), {"text": "Ran."})
    (_, ok, output), = results(hooke("run", "-r", "hi", "--json"))
    assert not ok and output.startswith("not allowed") and not (hooke.cwd / "made").exists()


def test_subagents_are_held_to_the_recipe(hooke):
    recipe(hooke, "hi.md", "---\nallowed_tools: [task, bash]\nallowed_commands: [\"true\"]\n---\nHi")
    path = watch(hooke, "chat.message")
    script(hooke, call("task", prompt="go", description="d", subagent_type="architect"),
           {"calls": [{"tool": "bash", "args": {"command": "touch made"}},
                      {"tool": "write", "args": {"path": "made", "content": "x"}}]},
           {"text": "Sub."}, {"text": "Ran."})
    r = hooke("run", "-r", "hi", "--json")
    assert r.rc == 0 and not (hooke.cwd / "made").exists()
    assert [ok for _, ok, _ in results(r)] == [False, False, True]
    assert [e["session"]["recipe"] for e in seen(path)] == ["hi", "hi"]


def test_the_commit_recipe_commits_what_is_staged(hooke):
    (hooke.cwd / ".git").rmdir()
    git(hooke, "init", "-q")
    (hooke.cwd / "a.txt").write_text("mango\n")
    git(hooke, "add", "a.txt")
    git(hooke, "config", "user.name", "a")
    git(hooke, "config", "user.email", "a@b")
    script(hooke, {**call("bash", command="git commit -m 'add a mango'"), "expects": "+mango"},
           {**call("bash", command="git push origin main")}, {"text": "Done."})
    r = hooke("run", "-r", "commit", "--arg", "style=short", "--json")
    assert [ok for _, ok, _ in results(r)] == [True, False]


@pytest.mark.parametrize("words, rc, says", [
    (["-r", "compact"], 64, "say which with --follow or --resume ID"),
    (["-r", "nothing-like-it"], 64, "there is no recipe 'nothing-like-it'; 'hooke recipe list'"),
    (["-r", "hi"], 64, "needs the argument 'who': say --arg who=…"),
    (["-r", "hi", "--arg", "who=x", "--arg", "y=z"], 64, "takes no argument 'y'"),
    (["--arg", "who=x", "go"], 64, "--arg is for a recipe"),
    (["-r", "empty"], 64, "makes no text"),
    (["-r", "bad"], 1, "bad.md:1:1:"),
])
def test_what_is_wrong_with_a_run_is_said_before_it_begins(hooke, words, rc, says):
    recipe(hooke, "hi.md", "Hi {{.who}}")
    recipe(hooke, "empty.md", "---\n---\n\n")
    recipe(hooke, "bad.md", "{{")
    script(hooke, {"text": "Ran."})
    r = hooke("run", *words)
    assert (r.rc, r.out, r.err.count("\n")) == (rc, "", 1) and says in r.err, r.err
