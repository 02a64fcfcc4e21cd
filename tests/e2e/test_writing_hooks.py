"""The scripts of examples/hooks/ and the contract that docs/writing-hooks.md tells."""

import json
import os
import shutil

import fences
import pytest

SOURCE = fences.SOURCE
PAGE = SOURCE / "docs/writing-hooks.md"
RESIDENT = SOURCE / "docs/resident.md"
SCRIPTS = sorted(p for p in (SOURCE / "examples/hooks").iterdir() if p.suffix != ".lua")


@pytest.fixture
def hooke(hooke):
    """With the scripts beside its configuration, and itself on the PATH as `hooke`."""
    shutil.copytree(SOURCE / "examples/hooks", hooke.config_dir, dirs_exist_ok=True)
    folder = hooke.home / "bin"
    folder.mkdir()
    (folder / "hooke").symlink_to(hooke.program)
    hooke.env["PATH"] = f"{folder}:{os.environ['PATH']}"
    return hooke


def command(hooke, keys, on="[PreToolUse, PostToolUse]"):
    hooke.config(f"hooks: [{{ name: prog, on: {on}, {keys} }}]\n")
    r = hooke("config", "check")
    assert r.rc == 0, r.out


def run_of(r, hook="prog"):
    return next(x for x in r.json["receipt"]["runs"] if x["hook"] == hook)


# The page -----------------------------------------------------------------------------------------

def test_the_page_shows_the_scripts_as_they_are():
    shown = [b for page in (PAGE, RESIDENT) for b in fences.blocks_of(page)
             if b.words[-1].startswith("examples/")]
    assert len(shown) == 3
    for block in shown:
        assert block.text == (SOURCE / block.words[1]).read_text(), str(block)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.name)
def test_a_script_can_be_executed_and_is_named_by_the_page(script):
    assert os.access(script, os.X_OK) and script.read_text().startswith("#!")
    assert any(f"[./{script.name}]" in page.read_text() for page in (PAGE, RESIDENT))


# The scripts --------------------------------------------------------------------------------------

def test_guard_sh_counts_the_calls_of_each_session(hooke):
    command(hooke, "exec: [./guard.sh], env: { MAX_CALLS: 4 }")
    said = [hooke.emit("PreToolUse", {"tool": f"t{i}"}, "--session", "s1") for i in range(6)]
    assert [r.rc for r in said] == [0, 0, 0, 0, 2, 2]
    assert said[1].json["inject"][0]["text"] == "2 tool calls are left in this session."
    assert said[0].json == said[2].json == said[3].json == {}
    assert "all 4 tool calls" in said[4].json["reason"]
    assert hooke.emit("PreToolUse", {"tool": "t"}, "--session", "s2").rc == 0
    kept = hooke("state", "get", "calls", "--session", "s1", "--hook", "prog")
    assert kept.out == "6\n"


def test_guard_sh_fails_where_it_cannot_count(hooke):
    command(hooke, "exec: [./guard.sh], env: { PATH: /nowhere }")
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json")
    assert r.rc == 0 and run_of(r)["end"] == "failed"


@pytest.mark.parametrize("line, decision", [
    ("git push --force", "block"), ("git push -f", "block"), ("git push -uf origin main", "block"),
    ("cd a&&git -C b push origin +main", "block"), ("make\ngit push --force origin", "block"),
    ("touch a#b; git push -f", "block"),
    ("git push", None), ("git push --force-with-lease", None), ("rm -f a; git push", None),
    ('echo "git push --force"', None), ('git commit -m "push -f"', None), ("ls", None),
    ("echo 'git", "ask"),
])
def test_guard_py_knows_pushes_that_overwrite(hooke, line, decision):
    command(hooke, "exec: [./guard.py], tool: bash, layer: guard")
    hooke.env["HOOKE_DISABLED_HOOKS"] = "command-guard"  # which has its own opinion of them
    r = hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": line}})
    assert r.json.get("decision") == decision, r.out
    assert r.rc == (2 if decision == "block" else 0)


def test_guard_py_has_no_opinion_without_a_command(hooke):
    command(hooke, "exec: [./guard.py]")
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json")
    assert r.json["verdict"] == {} and "end" not in run_of(r)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_guard_mjs_guards_lock_files_and_leaves_a_note(hooke):
    command(hooke, "exec: [./guard.mjs], tool: [edit, write]")
    for key, path, rc in [("path", "a/yarn.lock", 2), ("file_path", "package-lock.json", 2),
                          ("path", "package.json", 0), ("path", "yarn.lock.txt", 0)]:
        assert hooke.emit("PreToolUse", {"tool": "edit", "args": {key: path}}).rc == rc, path
    assert hooke.emit("PreToolUse", {"tool": "read", "args": {"path": "yarn.lock"}}).rc == 0
    note = hooke.emit("PostToolUse", {"tool": "write", "args": {"path": "package.json"}}).json
    assert [(i["id"], i["place"]) for i in note["inject"]] == [("install", "message")]
    assert hooke.emit("PostToolUse", {"tool": "write", "args": {"path": "a.js"}}).json == {}


# The contract -------------------------------------------------------------------------------------

@pytest.mark.parametrize("program, verdict", [
    ("true", {}),
    ("""echo '{"decision":"ask","reason":"r"}'""", {"decision": "ask", "reason": "r"}),
    ("echo no >&2; echo ignored; exit 2", {"decision": "block", "reason": "no"}),
    ("echo no >&2; exit 1", {}), ("kill -9 $$", {}), ("echo '{'", {}),
])
def test_exit_code_and_output_become_the_verdict(hooke, program, verdict):
    command(hooke, f"exec: {json.dumps(program)}")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == verdict


@pytest.mark.parametrize("point, field", [("PreToolUse", "inject"), ("session.idle", "say")])
def test_plain_text_is_for_the_model_or_for_the_person(hooke, point, field):
    command(hooke, "exec: echo hello", on=point)
    said = hooke.emit(point, {"tool": "bash"}).json
    assert list(said) == [field]
    assert "hello" in (said["say"] if field == "say" else said["inject"][0]["text"])


@pytest.mark.parametrize("meaning, decision", [("allow", None), ("ask", "ask"), ("block", "block")])
@pytest.mark.parametrize("program, end, why", [
    ("exec: 'exit 3'", "failed", "exited with code 3"),
    ("exec: 'kill -TERM $$'", "failed", "SIGTERM"),
    ("exec: head -c 1100000 /dev/zero", "failed", "wrote more than 1048576 bytes"),
    ("exec: exec sleep 60, timeout: 50ms", "timed-out", "timed out after"),
])
def test_on_failure_says_what_a_failed_run_means(hooke, meaning, decision, program, end, why):
    command(hooke, f"{program}, on_failure: {meaning}")
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json")
    assert r.json["verdict"].get("decision") == decision
    assert run_of(r)["end"] == end and why in run_of(r)["detail"]


def test_the_program_is_told_where_it_is(hooke):
    command(hooke, "exec: 'env; pwd; cat >event.json', env: { MINE: 7 }", on="session.idle")
    r = hooke("emit", "session.idle", "--session", "s1", "--cwd", hooke.home,
              "--usage", '{"max_context_window":9}', ANTHROPIC_API_KEY="secret", HOOKE_LOG="info")
    lines = r.json["say"].splitlines()
    assert {"HOOKE_SESSION=s1", "HOOKE_HOOK=prog", "HOOKE_POINT=session.idle", "HOOKE_DEPTH=1",
            "MINE=7", "HOOKE_LOG=info", str(hooke.home)} <= set(lines)
    assert not any("secret" in line for line in lines)
    event = json.loads((hooke.home / "event.json").read_text())
    assert event["hooke"] == 1 and event["point"] == "session.idle"
    assert event["session"]["usage"] == {"max_context_window": 9} and "verdict" not in event


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY",
                                  "GOOGLE_API_KEY"])
def test_a_provider_key_is_seen_only_when_named(hooke, name):
    assert f"`{name}`" in PAGE.read_text()
    for keys, seen in [("", {}), (f", env: [{name}]", {"say": "key"})]:
        command(hooke, f"exec: 'echo ${name}'{keys}", on="session.idle")
        assert hooke("emit", "session.idle", **{name: "key"}).json == seen


def test_a_key_the_configuration_names_is_seen_only_when_named(hooke):
    for keys, seen in [("", {}), (", env: [MY_KEY]", {"say": "key"})]:
        hooke.config("providers: { mine: { type: openai, key_variable: MY_KEY } }\n"
                     "hooks: [{ name: prog, on: session.idle, exec: 'echo $MY_KEY'%s }]\n" % keys)
        assert hooke("emit", "session.idle", MY_KEY="key").json == seen


def test_what_programs_need_is_no_key(hooke):
    hooke.config("providers: { mine: { type: openai, key_variable: PATH } }\n"
                 "hooks: [{ name: prog, on: session.idle, exec: 'echo ${PATH:+there}' }]\n")
    assert hooke("emit", "session.idle").json == {"say": "there"}


def test_an_observer_gets_the_verdict_and_decides_nothing(hooke):
    hooke.config("hooks:\n  - { name: no, on: PreToolUse, block: never }\n"
                 "  - { name: prog, on: PreToolUse, mode: observe, exec: 'cat >seen; exit 2' }\n")
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.json == {"decision": "block", "reason": "never"}
    assert json.loads((hooke.cwd / "seen").read_text())["verdict"] == r.json


def test_an_event_inside_a_command_holds_commands_back(hooke):
    command(hooke, "exec: 'hooke emit session.idle --trace --json >inner'", on="session.idle")
    assert hooke("emit", "session.idle").rc == 0
    held = json.loads((hooke.cwd / "inner").read_text())["receipt"]["held"]
    assert [(h["hook"], h["why"]) for h in held] == [("prog", "depth")]


def test_a_guard_runs_again_on_changed_arguments(hooke):
    hooke.config("hooks:\n"
                 "  - { name: prog, on: PreToolUse, layer: guard, exec: 'hooke state incr n >&2' }\n"
                 "  - { name: more, on: PreToolUse, modify: { args: { all: true } } }\n")
    r = hooke.emit("PreToolUse", {"tool": "ls"}, "--trace", "--json")
    assert [x["stderr"] for x in r.json["receipt"]["runs"] if x["hook"] == "prog"] == ["1", "2"]


def test_a_workspace_brings_programs_once_it_is_trusted(hooke):
    (hooke.cwd / ".hooke").mkdir()
    (hooke.cwd / ".hooke/config.yaml").write_text(
        "hooks: [{ name: prog, on: PreToolUse, on_failure: block, exec: 'touch ran' }]\n")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 0
    assert not (hooke.cwd / "ran").exists()
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 0
    assert (hooke.cwd / "ran").exists()
