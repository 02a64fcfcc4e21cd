"""The documentation: what it shows is what happens, what it names exists."""

import json
import os
import re
import shutil
import subprocess

import fences
import pytest

SOURCE = fences.SOURCE
NAMED_FILE = re.compile(r"`((?:src|tests|scripts|docs|include|cmake|bench|share|examples)/[^`\s<*…]*)`")
LIMITS = {"README.md": 60, "ARCHITECTURE.md": 220, "CONTRIBUTING.md": 150,
          "docs/writing-hooks.md": 150, "docs/kodelet.md": 80}


def page(name):
    return (SOURCE / name).read_text()


def shell(hooke, command):
    """A command as the reader types it: `hooke` is found on the PATH."""
    folder = hooke.home / "bin"
    folder.mkdir(exist_ok=True)
    if not (folder / "hooke").exists():
        (folder / "hooke").symlink_to(hooke.program)
    env = {**hooke.env, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=hooke.cwd,
                          env=env, timeout=60)


def set_up(hooke, block):
    if ".mjs" in (block.config or "") and not shutil.which("node"):
        pytest.skip("node is not installed")
    fences.lay_out(hooke, block)
    if block.config:
        hooke.config(block.config)


def pattern_of(expected):
    """A regular expression for printed lines; "…" stands for anything, alone on a line for lines."""
    lines = []
    for line in expected:
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            words = r"\s+".join(".*?".join(map(re.escape, w.split("…"))) for w in line.split())
            lines.append(r"[ \t]*" + words + r"[ \t]*\n")
    return "".join(lines)


def commands_of(block):
    """Pairs of a command and the lines it is said to print."""
    found = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found and line.startswith("> ") and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line[2:], [])
        else:
            found[-1][1].append(line)
    return found


@pytest.mark.parametrize("block", fences.blocks("console"), ids=str)
def test_console_prints_what_it_shows(hooke, block):
    set_up(hooke, block)
    for command, expected in commands_of(block):
        done = shell(hooke, command)
        printed = (done.stdout + done.stderr).replace(str(hooke.home), "~")
        assert re.fullmatch(pattern_of(expected), printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("block", fences.blocks("sh", "run"), ids=str)
def test_shell_block_succeeds(hooke, block):
    set_up(hooke, block)
    done = shell(hooke, "set -e\n" + block.text)
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_are_found():
    """A fence nobody knows is an example nobody runs."""
    known = ("console", "sh", "yaml", "json", "c", "js", "lua", "text", "make", "def", "markdown")
    for name in fences.PAGES:
        for block in fences.blocks_of(name):
            assert block.words and block.words[0] in known, str(block)
            if block.words[0] in ("yaml", "json", "markdown"):
                assert len(block.words) > 1, f"{block}: say what it is an example of"
    assert len(fences.blocks("console")) >= 10 and len(fences.blocks("yaml", "config")) >= 10


def test_generated_parts_are_fresh():
    done = subprocess.run([SOURCE / "scripts/points-doc", "--check"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pages_are_short():
    for name, most in LIMITS.items():
        assert page(name).count("\n") <= most, name


def test_agents_were_checked_in_the_versions_that_are_installed():
    peers = (SOURCE / "scripts/peers").read_text()
    packages = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex",
                "gemini": "@google/gemini-cli", "opencode": "opencode-ai"}
    assert sorted(packages) == sorted(p.stem for p in (SOURCE / "docs/agents").glob("*.md"))
    for agent, package in packages.items():
        version = re.search(rf"{package}@(\S+)", peers)[1]
        page = (SOURCE / f"docs/agents/{agent}.md").read_text()
        assert f"Version {version}" in page.split("## Checked against")[1]


def test_links_lead_somewhere():
    for path in fences.PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
            name, _, anchor = target.partition("#")
            assert "://" not in target, f"{path}: {target}"
            there = (path.parent / name) if name else path
            assert there.exists(), f"{path}: {target}"
            if anchor:
                titles = re.findall(r"^#+ (.*)$", there.read_text(), re.M)
                anchors = [re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles]
                assert anchor in anchors, f"{path}: {target}"


def sources():
    return "\n".join(p.read_text() for folder in ("src", "include", "tests")
                     for p in (SOURCE / folder).rglob("*.[ch]"))


def test_functions_and_files_that_are_named_exist():
    code, shown = sources(), {b.words[1] for b in fences.blocks("c")}
    for path in fences.PAGES:
        text = path.read_text()
        for name in set(re.findall(r"`(\w+)\(\)`", text)):
            assert re.search(rf"\b{name}\(", code), f"{path.name}: {name}()"
        for name in set(NAMED_FILE.findall(text)) - shown:
            assert (SOURCE / name).exists(), f"{path.name}: {name}"


def test_make_targets_that_are_named_exist():
    targets = set(re.search(r"^\.PHONY: (.*)$", page("Makefile"), re.M).group(1).split())
    for path in fences.PAGES:
        for words in re.findall(r"`make ([a-z ]+)`", path.read_text()):
            assert set(words.split()) <= targets, f"{path.name}: make {words}"


def test_readme_has_two_commands():
    block = next(b for b in fences.blocks_of(SOURCE / "README.md"))
    assert block.text.split("\n")[:2] == ["make demo", "make test"]


def test_verbs_that_are_named_exist(hooke):
    verbs = {line.split()[0] for line in hooke("help").lines if line.startswith("  ")}
    for path in fences.PAGES:
        named = set(re.findall(r"(?:`|\$ )hooke ([a-z]+)\b", path.read_text()))
        assert named <= verbs, f"{path.name}: {named - verbs}"


def test_architecture_has_the_layers_of_the_lint():
    rules = re.findall(r"^([a-z]\w*)\b", page("scripts/layers"), re.M)
    assert re.findall(r"^\| `src/(\w+)/` \|", page("ARCHITECTURE.md"), re.M) == rules


# docs/hooks.md ------------------------------------------------------------------------------------

def sections():
    parts = re.split(r"^## (.*)$", page("docs/hooks.md"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def builtins():
    text = page("src/builtin/builtin.def")
    return [name.replace("_", "-") for name in re.findall(r"^HOOK\((\w+)\)", text, re.M)]


def test_every_builtin_has_its_section():
    assert list(sections()) == builtins()


def facts(text):
    return dict(re.findall(r"^- (\w+): (.*)$", text, re.M))


def option_rows(text):
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \| (.*?) \|$", text, re.M)
    return [(name, kind, fallback.strip("`"), help_text) for name, kind, fallback, help_text in rows]


@pytest.mark.parametrize("name", builtins())
def test_section_says_what_show_says(hooke, name):
    text, shown = sections()[name], hooke("show", name, "--json").json
    said = facts(text)
    assert said["points"] == ", ".join(f"`{p}`" for p in shown["points"])
    layer = f"`{shown['layer']}`"
    assert said["layer"] == (f"{layer}, priority {shown['priority']}" if shown["priority"] else layer)
    assert said["default"] == shown["state"]
    assert ("safety-critical" in text) == shown["safety_critical"]
    options = [(o["name"], o["type"], o["default"] or "none", o["help"]) for o in shown["options"]]
    assert option_rows(text) == options
    assert any(b.starts("yaml", "config") and name in b.text
               for b in fences.blocks_of(SOURCE / "docs/hooks.md")), "no example"


# docs/cadence.md ----------------------------------------------------------------------------------

def test_what_a_cadence_saves_is_what_the_benchmark_counts():
    program = os.path.join(os.environ["HOOKE_BUILD"], "bench/bench_savings")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    counted = [line.split("\t") for line in done.stdout.splitlines()]
    rows = re.findall(r"^\| `(system|tail)` \|(.*)\|$", page("docs/cadence.md"), re.M)
    said = [[place] + [cell.strip() for cell in cells.split("|")] for place, cells in rows]
    assert [row[:4] + row[5:] for row in said] == counted
    bytes_of = {(row[0], row[1]): int(row[3]) for row in counted}
    for place, cadence, _, size, saved, *_ in said:
        percent = round(100 - 100 * int(size) / bytes_of[place, "1"])
        assert saved == (f"{percent} %" if percent else "–")


# docs/configuration.md ----------------------------------------------------------------------------

def documented_keys(heading):
    text = page("docs/configuration.md").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return {k for row in re.findall(r"^\| (`.*?) \|", text, re.M) for k in re.findall(r"`([\w.]+)`", row)}


def test_every_top_level_key_is_documented():
    schema = json.loads(page("docs/schema/config.schema.json"))
    keys = set()
    for key, value in schema["properties"].items():
        keys |= {f"{key}.{k}" for k in value["properties"]} if "properties" in value else {key}
    assert documented_keys("Top-level keys") == keys


def test_every_hook_key_is_documented():
    table = page("src/hook/config_entry.c").split("struct entry_key keys[]")[1].split("};")[0]
    assert documented_keys("Keys of a hook") == set(re.findall(r'\{ "(\w+)"', table))


def test_every_variable_is_documented():
    code = "\n".join(p.read_text() for p in (SOURCE / "src").rglob("*.c"))
    used = set(re.findall(r'"(HOOKE_[A-Z_]*[A-Z])["=]', code))
    assert set(re.findall(r"^\| `(HOOKE_\w+)`", page("docs/configuration.md"), re.M)) == used


def test_every_name_of_a_condition_is_documented():
    text = page("docs/configuration.md").split("\n## Conditions\n", 1)[1].split("\n## ", 1)[0]
    lists = re.findall(r"lua_box_(?:words|library)\[\] = \{(.*?)\};", page("src/runner/lua_box.c"),
                       re.S)
    names = {name for names in lists for name in re.findall(r'"(\w+)"', names)}
    assert len(lists) == 2
    assert names <= set(re.findall(r"`(\w+)", text))


# docs/points.md -----------------------------------------------------------------------------------

def test_every_field_of_a_receipt_is_documented():
    code = page("src/hook/receipt.c")
    written = set(re.findall(r'\\"(\w+)\\":', code))
    text = page("docs/points.md").split("\n## Receipt\n", 1)[1].split("\n## ", 1)[0]
    said = {k for row in re.findall(r"^\| (`.*?) \|", text, re.M) for k in re.findall(r"`(\w+)`", row)}
    assert said | {"why"} == written and "`why`" in text
    reasons = re.findall(r'\[HELD_\w+\] = "(\w+)"', code)
    assert len(reasons) >= 5 and all(f"`{why}`" in text for why in reasons)


# docs/agent-tools.md ------------------------------------------------------------------------------------

def tools():
    return re.findall(r"^TOOL\((\w+)\)", page("src/agent/tool.def"), re.M)


def tool_code(name):
    code = page(f"src/agent/tool_{name}.c").split(f"const struct tool {name}_tool", 1)[1]
    schema = code.split(".parameters =", 1)[1].split(".run =", 1)[0].split(".read_only", 1)[0]
    text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', schema))
    return json.loads(text.replace('\\"', '"')), ".read_only = true" in code


def test_every_tool_has_its_section():
    assert re.findall(r"^## (.*)$", page("docs/agent-tools.md"), re.M) == tools()


@pytest.mark.parametrize("name", tools())
def test_tool_section_has_the_arguments_of_the_code(name):
    text = page("docs/agent-tools.md").split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    schema, read_only = tool_code(name)
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (yes|no) \|", text, re.M)
    assert [(n, required == "yes") for n, _, required in rows] == [
        (n, n in schema["required"]) for n in schema["properties"]]
    for arg, kind, _ in rows:
        said = schema["properties"][arg]
        if "maximum" in said:
            assert kind == f"{said['minimum']} to {said['maximum']}"
        elif said["type"] == "boolean":
            assert kind == "true or false"
    assert ("*reads*" in text) == read_only
