"""Built-in hooks inside Claude Code, Codex and Gemini CLI, told of events as those agents tell them."""

import json
import subprocess

import pytest
from test_answer import AGENTS, NAMES, answer, context, event, goes_on, prompt, response, said, stop

READ = {"claude": "Read", "codex": "read_file", "gemini": "read_file"}
PLAN = {"claude": ("TodoWrite", "todos", "content"), "codex": ("update_plan", "plan", "step"),
        "gemini": ("write_todos", "todos", "description")}


def put(hooke, name, text):
    path = hooke.cwd / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(hooke):
    put(hooke, ".git/HEAD", "x")
    put(hooke, "AGENTS.md", "The root says hello.\n")
    put(hooke, "src/AGENTS.md", "Use tabs in src.\n")
    put(hooke, "src/a.c", "int a;\n")
    put(hooke, ".cursor/rules/c.mdc", "---\nglobs: *.c\n---\nFormat what you change.\n")
    put(hooke, ".claude/rules/c.md", "---\npaths: *.c\n---\nName things.\n")
    return hooke


def read(hooke, agent, **members):
    text = response(agent, "int a;") if agent != "claude" else {"type": "text", "file": {"content": "int a;"}}
    return event(agent, NAMES[agent][3], cwd=str(hooke.cwd), tool_name=READ[agent],
                 tool_input={"file_path": str(hooke.cwd / "src/a.c")}, tool_response=text, **members)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_read_brings_what_the_agent_does_not_know_by_itself(project, agent):
    told = context(said(project, agent, read(project, agent)))
    assert "[src/AGENTS.md]\nUse tabs in src.\n" in told and "Format what you change." in told
    assert ("The root says hello." in told) == (agent != "codex")  # Codex has read it at its start
    assert ("Name things." in told) == (agent != "claude")  # Claude Code reads its own rules
    assert said(project, agent, read(project, agent)) == {}


def test_codex_knows_the_folders_above_the_one_it_works_in(project):
    put(project, "src/deep/AGENTS.md", "Deep.\n")
    put(project, "src/deep/b.c", "int b;\n")
    document = read(project, "codex")
    document["cwd"] = str(project.cwd / "src")
    document["tool_input"]["file_path"] = "deep/b.c"
    told = context(said(project, "codex", document))
    assert "<directory-context>\n[src/deep/AGENTS.md]\nDeep.\n</directory-context>" in told


CLAUDE = "claude-code_2-1-325_harness"  # what it tells of itself in AI_AGENT


def told_by_claude(project, version=CLAUDE, **env):
    return answer(project, "claude", read(project, "claude") | {"session_id": version}, AI_AGENT=version,
                  **env).out


def test_claude_code_that_tells_agents_md_itself_is_not_helped(project):
    assert "Use tabs in src." not in told_by_claude(project)
    assert "Use tabs in src." in told_by_claude(project, "claude-code_2-1-276_harness")
    assert "Use tabs in src." in told_by_claude(project, "something-else_9-9-999")


def test_claude_code_is_helped_with_a_file_that_is_written(project):
    """It tells its AGENTS.md with one that is read only; the one of the project from its start."""
    project.config("hooks: [{ name: directory-agents, tools: [read, write] }]\n")
    document = read(project, "claude") | {"tool_name": "Write"}
    told = answer(project, "claude", document, AI_AGENT=CLAUDE).out
    assert "Use tabs in src." in told and "The root says hello." not in told


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
def test_claude_code_tells_no_agents_md_beside_a_file_of_its_own(project, name):
    put(project, name, "Be brief.\n")
    told = told_by_claude(project)
    assert "Use tabs in src." in told and "The root says hello." in told


def test_a_claude_md_in_a_folder_hides_its_agents_md_alone(project):
    put(project, "src/CLAUDE.md", "Be brief.\n")
    told = told_by_claude(project)
    assert "Use tabs in src." in told and "The root says hello." not in told


def test_what_a_person_has_told_claude_code_everywhere_hides_nothing(project):
    path = project.home / ".claude/CLAUDE.md"
    path.parent.mkdir(parents=True)
    path.write_text("Be brief.\n")
    assert "Use tabs in src." not in told_by_claude(project)


@pytest.mark.parametrize("how", ["import", "link"])
def test_an_agents_md_that_claude_md_brings_is_not_told_again(project, how):
    if how == "import":
        put(project, "CLAUDE.md", "Read this:\n@AGENTS.md\n")
    else:
        (project.cwd / "CLAUDE.md").symlink_to("AGENTS.md")
    told = told_by_claude(project)
    assert "Use tabs in src." in told and "The root says hello." not in told


def test_what_lies_outside_the_folder_of_claude_code_is_told(project):
    put(project, "elsewhere/c.c", "int c;\n")
    told = told_by_claude(project, CLAUDE_PROJECT_DIR=str(project.cwd / "elsewhere"))
    assert "Use tabs in src." in told and "The root says hello." not in told


def test_what_codex_patches_brings_its_rules(project):
    patch = "*** Begin Patch\n*** Update File: src/a.c\n@@\n-int a;\n+int b;\n*** End Patch"
    document = event("codex", "PostToolUse", cwd=str(project.cwd), tool_name="apply_patch",
                     tool_input={"command": patch}, tool_response="Success.")
    assert "Format what you change." in context(said(project, "codex", document))


def test_a_compaction_and_a_subagent_begin_anew(project):
    first = context(said(project, "claude", read(project, "claude")))
    assert context(said(project, "claude", read(project, "claude", agent_id="a1", agent_type="Explore"))) == first
    assert said(project, "claude", read(project, "claude")) == {}
    said(project, "claude", event("claude", "PostCompact", trigger="auto", compact_summary="s"))
    assert context(said(project, "claude", read(project, "claude"))) == first


@pytest.mark.parametrize("agent", AGENTS)
def test_of_many_reads_at_once_one_is_told(project, agent):
    text = json.dumps(read(project, agent))
    runs = [subprocess.Popen([project.program, "answer", agent], cwd=project.cwd, env=project.env, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
    answers = "".join(run.communicate(text, timeout=60)[0] for run in runs)
    assert answers.count("Use tabs in src.") == answers.count("Format what you change.") == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_open_todos_keep_every_agent_going(hooke, agent):
    tool, items, word = PLAN[agent]
    said(hooke, agent, prompt(agent, "go"))
    said(hooke, agent, event(agent, NAMES[agent][3], tool_name=tool, tool_response=response(agent, "ok"),
                             tool_input={items: [{word: "test it", "status": "pending"}]}))
    reply = said(hooke, agent, stop(agent))
    assert reply == goes_on(agent, reply["reason"])
    assert reply["reason"].startswith("1 of 1 todos are still open:\n- test it\n")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_wish_brings_its_mode_and_code_does_not(hooke, agent):
    assert "[search] " in context(said(hooke, agent, prompt(agent, "Find the parser.")))
    assert said(hooke, agent, prompt(agent, "Rename `find` in the stack trace.")) == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_long_output_is_shortened_in_every_agent(hooke, agent):
    hooke.config("hooks: [{ name: output-truncator, max_tokens: 500 }]\n")
    text = "\n".join(f"line {i}" for i in range(1000))
    tool = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command"}[agent]
    reply = json.dumps(said(hooke, agent, event(agent, NAMES[agent][3], tool_name=tool, tool_input={"command": "x"},
                                                tool_response=response(agent, text))))
    assert "line 0\\n" in reply and "line 999" in reply and "line 500\\n" not in reply
    (file,) = (hooke.home / ".local/state/hooke/outputs").iterdir()
    assert file.read_text() == text and str(file) in reply


def test_a_subagent_that_claude_does_not_have_is_named(hooke):
    told = context(said(hooke, "claude", event(
        "claude", "PostToolUseFailure", tool_name="Task", tool_input={"subagent_type": "nope"},
        error="Agent type 'nope' not found. Available agents: general-purpose, Explore")))
    assert "Error: unknown_agent\n" in told and "Available: general-purpose, Explore\n" in told


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("value", [None, 7, "x", [], {"file_path": 5}, {"file_path": "../../etc/passwd"}])
def test_arguments_of_the_wrong_kind_are_let_pass(project, agent, value):
    document = read(project, agent)
    document["tool_input"] = value
    assert answer(project, agent, document).json == {}
