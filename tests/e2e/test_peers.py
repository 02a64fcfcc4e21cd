"""scripts/peers and scripts/test-agents where something is missing: with an npm and an unshare of ours."""

import re
import shutil
import subprocess

import pytest

from conftest import SOURCE

NPM = """#!/bin/sh
echo "$*" >>"$ASKED"
[ -z "$OUT_OF_REACH" ] || exit 1
for word; do
	case $word in
	*@[0-9]*)
		mkdir -p "build/peers/node_modules/${word%@*}"
		echo "  \\"version\\": \\"${word##*@}\\"," >"build/peers/node_modules/${word%@*}/package.json"
		;;
	esac
done
"""


class Tree:
    """Copies of the scripts in a folder of their own, and the programs they find."""

    def __init__(self, root):
        self.root, self.bin, self.asked = root, root / "bin", root / "asked"
        (root / "scripts").mkdir()
        self.bin.mkdir()
        for name in ("peers", "test-agents"):
            shutil.copy(SOURCE / "scripts" / name, root / "scripts" / name)
        for name in ("sh", "dirname", "grep", "mkdir"):
            (self.bin / name).symlink_to(shutil.which(name))
        self.provide("npm", NPM)

    def provide(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, script, **env):
        return subprocess.run([self.root / "scripts" / script], capture_output=True, text=True, timeout=60,
                              check=False, env={"PATH": str(self.bin), "ASKED": str(self.asked), **env})

    def wanted(self):
        """The packages npm was asked for, in all runs."""
        return re.findall(r"\S+@\d\S+", self.asked.read_text()) if self.asked.exists() else []


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_peers_are_installed_in_exact_versions_and_once(tree):
    assert tree.run("peers").returncode == 0
    wanted = tree.wanted()
    assert len(wanted) >= 4 and all(re.fullmatch(r"\S+@\d+\.\d+\.\d+", one) for one in wanted)
    assert tree.run("peers").returncode == 0
    assert tree.wanted() == wanted


def test_a_peer_of_another_version_is_replaced(tree):
    tree.run("peers")
    tree.asked.unlink()
    about = tree.root / "build/peers/node_modules/@openai/codex/package.json"
    pinned = about.read_text()
    about.write_text('  "version": "0.1.0",\n')
    assert tree.run("peers").returncode == 0
    assert [one.rpartition("@")[0] for one in tree.wanted()] == ["@openai/codex"]
    assert about.read_text() == pinned


def test_peers_that_are_out_of_reach_are_named(tree):
    done = tree.run("peers", OUT_OF_REACH="1")
    assert done.returncode == 1
    assert re.fullmatch(r"peers: npm could not install .*opencode-ai@\S+ .*\n", done.stderr)
    (tree.bin / "npm").unlink()
    done = tree.run("peers")
    assert done.returncode == 1 and "npm is missing" in done.stderr


def test_agents_are_tested_as_far_as_they_are_there(tree):
    tree.provide("unshare", '#!/bin/sh\necho "$*"\n')
    done = tree.run("test-agents", OUT_OF_REACH="1")
    assert done.returncode == 0 and "skipped" in done.stderr
    assert "--net" in done.stdout and "pytest" in done.stdout


def test_no_agent_is_started_where_the_network_cannot_be_taken_away(tree):
    tree.provide("unshare", "#!/bin/sh\necho 'unshare: not permitted' >&2\nexit 1\n")
    done = tree.run("test-agents")
    assert done.returncode == 1 and "pytest" not in done.stdout
    assert done.stderr.count("\n") == 1 and "unshare: not permitted" in done.stderr
