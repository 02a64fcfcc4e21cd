"""scripts/lint finds a planted violation of every rule that needs no compiler, and nothing else."""
import pathlib
import subprocess

import pytest

LINT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lint"
CHEAP = "suppressions layers sizes banned words builtins paths scripts".split()

CLEAN = {
    "scripts/layers": "base\njson base\nbuiltin base json\ncli base json builtin\n",
    "scripts/tool": "#!/bin/sh\necho hello\n",
    "src/base/err.h": "#pragma once\n/* a path such as network/work/ is fine; so is TODOs */\n",
    "src/base/mem.c": '#include "base/err.h"\n\nvoid f(void)\n{\n    abort();\n}\n',
    "src/base/name.c": 'const char *f(struct s *x)\n{\n    x->system("//");\n'
                       '    return "goto strcpy(";\n}\n',
    "src/json/json.h": "#pragma once\n",
    "src/json/node.h": "#pragma once\n",
    "src/json/json.c": '#include "json/json.h"\n#include "json/node.h"\n#include "node.h"\n',
    "src/builtin/builtin.c": '#include "builtin.def"\n',
    "src/builtin/builtin.def": "HOOK(fine_hook)\n",
    "src/builtin/fine_hook.c": '#include "json/json.h"\n',
    "tests/unit/builtin/test_fine_hook.c": 'int main(void)\n{\n    printf("x");\n}\n',
    "docs/hooks.md": "# Hooks\n\n## fine-hook\n",
    "src/cli/main.c": 'int main(void)\n{\n    printf("x\\n");\n    exit(0);\n}\n',
}


def plant(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def lint(folder, *names):
    return subprocess.run([LINT, "--root", folder, *names],
                          capture_output=True, text=True, check=False)


def test_a_clean_tree_has_no_findings(tmp_path):
    plant(tmp_path, CLEAN)
    done = lint(tmp_path, *CHEAP)
    assert (done.stdout, done.returncode) == ("", 0)


def test_a_tree_without_built_ins_is_clean(tmp_path):
    plant(tmp_path, {"scripts/layers": "base\n", "src/base/err.h": "#pragma once\n"})
    assert lint(tmp_path, *CHEAP).returncode == 0


# The rule, the file that breaks it, its text, and how the finding begins.
VIOLATIONS = [
    ("suppressions", "src/base/x.c", "int x; /* NOLINT */\n", "src/base/x.c:1: "),
    ("suppressions", "tests/x.c", "\n/* cppcheck-suppress id */\n", "tests/x.c:2: "),
    ("suppressions", "src/base/x.h", "/* clang-format off */\n", "src/base/x.h:1: "),
    ("layers", "src/base/x.c", '#include "json/json.h"\n', "src/base/x.c:1: layer 'base'"),
    ("layers", "src/base/x.c", "#include <json/json.h>\n", "src/base/x.c:1: layer 'base'"),
    ("layers", "src/base/x.c", "#include <hooke/hooke.h>\n", "src/base/x.c:1: layer 'base'"),
    ("layers", "src/base/x.c", '#include "../json/json.h"\n', "src/base/x.c:1: includes"),
    ("layers", "src/base/x.c", '#include "json.h"\n', "src/base/x.c:1: includes"),
    ("layers", "src/new/x.c", "int x;\n", "src/new/x.c:1: folder 'new'"),
    ("layers", "src/x.c", "int x;\n", "src/x.c:1: folder 'src'"),
    ("layers", "src/cli/x.c", '#include "json/node.h"\n', "src/cli/x.c:1: includes"),
    ("layers", "bench/x.c", '#include "json/node.h"\n', "bench/x.c:1: includes"),
    ("sizes", "src/base/x.c", "\n" * 801, "src/base/x.c:801: "),
    ("sizes", "bench/x.mjs", "\n" * 801, "bench/x.mjs:801: "),
    ("sizes", "scripts/x", "#!/bin/sh" + "\n" * 801, "scripts/x:801: "),
    ("sizes", "tests/x.py", "\n" * 801, "tests/x.py:801: "),
    ("banned", "tests/x.c", 'int x = atoi ("1");\n', "tests/x.c:1: calls atoi()"),
    ("banned", "src/cli/x.c", '/* */\nint x = system("ls");\n', "src/cli/x.c:2: calls system()"),
    ("banned", "src/base/x.c", 'f();\nprintf("x");\n', "src/base/x.c:2: calls printf()"),
    ("banned", "src/hook/x.c", 'f(getenv("HOME"));\n', "src/hook/x.c:1: uses getenv"),
    ("banned", "src/hook/x.c", "\nf(environ);\n", "src/hook/x.c:2: uses environ"),
    ("banned", "src/base/x.h", "#define DIE exit(1)\n", "src/base/x.h:1: calls exit()"),
    ("banned", "src/json/mem.c", "\nvoid f(void) { abort(); }\n",
     "src/json/mem.c:2: calls abort()"),
    ("words", "src/base/x.c", "int x;\ngoto out;\n", "src/base/x.c:2: goto"),
    ("words", "src/base/x.c", 'char *x = "/*"; // y\n', "src/base/x.c:1: // comment"),
    ("words", "src/base/x.c", "/*\n * TODO: y\n */\n", "src/base/x.c:1: unfinished"),
    ("words", "tests/x.py", "x = 1\ny = 2  # FIXME\n", "tests/x.py:2: unfinished"),
    ("words", "scripts/x", "#!/bin/sh\n# XXX\n", "scripts/x:2: unfinished"),
    ("words", "bench/x.mjs", "let x // TODO\n", "bench/x.mjs:1: unfinished"),
    ("words", "cmake/x.cmake", "# FIXME\n", "cmake/x.cmake:1: unfinished"),
    ("builtins", "src/builtin/other.c", "int x;\n", "src/builtin/other.c:1: no line HOOK(other)"),
    ("builtins", "src/builtin/other.c", "int x;\n",
     "src/builtin/other.c:1: no test tests/unit/builtin/test_other.c"),
    ("builtins", "src/builtin/a_b.c", "int x;\n", "src/builtin/a_b.c:1: no section '## a-b'"),
    ("builtins", "src/builtin/builtin.def", "HOOK(fine_hook)\nHOOK(gone)\n",
     "src/builtin/builtin.def:2: HOOK(gone)"),
    ("paths", "docs/x.md", "see /wo" + "rk/x\n", "docs/x.md:1: path"),
    ("paths", "share/x", "\n'/ro" + "ot/x'\n", "share/x:2: path"),
    ("scripts", "scripts/x", "#!/bin/sh\nif true; then\n", "scripts/x:"),
    ("scripts", "tests/x.py", "x = 1\ndef f(:\n", "tests/x.py:2: "),
]


@pytest.mark.parametrize("rule,name,text,finding", VIOLATIONS,
                         ids=[f"{v[0]}-{number}" for number, v in enumerate(VIOLATIONS)])
def test_reports_a_planted_violation(tmp_path, rule, name, text, finding):
    plant(tmp_path, {**CLEAN, name: text})
    done = lint(tmp_path, rule)
    assert done.returncode == 1
    assert any(line.startswith(finding) for line in done.stdout.splitlines()), done.stdout
    assert all(line.startswith(name) for line in done.stdout.splitlines()), done.stdout


def test_leaves_nothing_behind(tmp_path):
    plant(tmp_path, {**CLEAN, "tests/x.py": "x = 1\n"})
    before = sorted(tmp_path.rglob("*"))
    lint(tmp_path, *CHEAP)
    assert sorted(tmp_path.rglob("*")) == before


def test_names_a_check_that_does_not_exist(tmp_path):
    plant(tmp_path, CLEAN)
    done = lint(tmp_path, "nonsense")
    assert done.returncode == 2
    assert "no check 'nonsense'" in done.stderr
