"""The fenced code blocks of the documentation, and the words after their fence that say what a test
does with them:

    ```yaml config            a configuration: follows the schema, `hooke config check` is content
    ```yaml config broken     one that both refuse
    ```yaml config noted      one that follows the schema but that the check has a warning for
    ```json event             an event in hooke's own JSON
    ```json verdict POINT     a verdict as a hook would give it at that point
    ```json capture           a captured event, which `hooke replay` reads
    ```console                commands after "$ ", going on after "> ", and what they print; "…" is anything
    ```sh run                 commands that succeed
    ```c FILE                 a source file
    ```sh FILE, ```lua FILE   the bytes of a file under examples/
    ```lua FILE.lua           a script that lies beside the configurations of the page
    ```markdown recipe NAME   a recipe that the commands of the page can name

A console or shell block runs with a home of its own, in which the nearest configuration above it in
the same section is the user's, with the scripts of examples/hooks/ beside it."""

import pathlib
import re
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in [*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(.*)$")


class Block:
    def __init__(self, page, line, info, text, config):
        self.page = page.relative_to(SOURCE).as_posix()
        self.line = line
        self.words = info.split()
        self.text = text
        self.config = config
        self.scripts = {}
        self.recipes = {}

    def __str__(self):
        return f"{self.page}:{self.line}"

    def starts(self, *words):
        return self.words[: len(words)] == list(words)


def blocks_of(page):
    """Every block of one page, in order."""
    found, config, info, begin, lines = [], None, None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if info is None and line.startswith("#"):
            config = None
        elif info is None and fence:
            info, begin, lines = fence.group(1), number, []
        elif info is not None and line == "```":
            block = Block(page, begin, info, "\n".join(lines) + "\n", config)
            found.append(block)
            if block.starts("yaml", "config"):
                config = block.text
            info = None
        elif info is not None:
            lines.append(line)
    assert info is None, f"{page}:{begin}: the fence is not closed"
    scripts = {b.words[1]: b.text for b in found if b.starts("lua") and "/" not in b.words[1]}
    recipes = {b.words[2]: b.text for b in found if b.starts("markdown", "recipe")}
    for block in found:
        block.scripts = scripts
        block.recipes = recipes
    return found


def lay_out(hooke, block):
    """What the page and examples/hooks/ have for a configuration to name."""
    shutil.copytree(SOURCE / "examples/hooks", hooke.config_dir, dirs_exist_ok=True)
    for name, text in block.scripts.items():
        (hooke.config_dir / name).write_text(text)
    for name, text in block.recipes.items():
        path = hooke.config_dir / "recipes" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def blocks(*words):
    """The blocks of all pages whose fence begins with these words."""
    return [b for page in PAGES for b in blocks_of(page) if b.starts(*words)]


if __name__ == "__main__":
    for block in blocks(*sys.argv[1:]):
        print(block, *block.words)
