"""Ways to have a trusted configuration run a file that nobody has pinned."""

import pytest
from test_trust import script, workspace

COMMANDS = {
    "variables of the group": "env: { BASH_ENV: .hooke/lint }, group: [{ exec: [bash, -c, ':'], env: { A: b } }]",
    "variables of the handler": "env: { A: b }, group: [{ exec: [bash, -c, ':'], env: { BASH_ENV: .hooke/lint } }]",
    "a search path before a command": "exec: 'PATH=.hooke:/bin:/usr/bin lint'",
    "a search path of its own": "exec: 'PATH=.hooke:/bin:/usr/bin; lint'",
    "a search path in quotes": "exec: '\"PATH=.hooke:/bin\"; PATH=\".hooke:/bin\" lint'",
    "an exported search path": "exec: 'export PATH=.hooke:/bin:/usr/bin; lint'",
    "a search path after 'cd'": "exec: 'cd .hooke; PATH=:/bin lint'",
    "a search path with a variable": "exec: 'cd .hooke; PATH=.:$PATH; lint'",
    "a longer search path": "exec: 'PATH+=:.hooke; lint', dialect: gemini",
    "a search path in a list": "exec: [env, 'PATH=.hooke:/bin', lint]",
    "a search path in a text": "exec: [sh, -c, 'PATH=.hooke:/bin lint']",
    "a search path of a resident": "resident: 'PATH=.hooke:/bin lint'",
    "an option with a file": "exec: [bash, --norc, -i, -s, -x, -O, extglob, -c.hooke/lint]",
}


@pytest.mark.parametrize("what", COMMANDS)
def test_no_way_leads_to_a_file_that_is_not_pinned(hooke, what):
    config = workspace(hooke, f"hooks: [{{ name: x, on: Stop, timeout: 5s, {COMMANDS[what]} }}]\n")
    script(hooke, "touch evil\n", ".hooke/lint")
    done = hooke("trust", "--yes", config)
    assert done.rc == 1 and "held      hook 'x'" in done.out
    hooke("emit", "Stop")
    assert not (hooke.cwd / "evil").exists() and not (hooke.cwd / ".hooke/evil").exists()


def test_a_file_behind_the_letter_of_an_option_is_pinned_and_its_copy_used(hooke):
    workspace(hooke, "hooks: [{ name: x, on: Stop, exec: 'awk -f.hooke/x.awk' }]\n")
    program = workspace(hooke, 'BEGIN { print "{\\"say\\":\\"good\\"}"; exit }\n', ".hooke/x.awk")
    assert hooke("trust", "--yes").rc == 0
    assert hooke("emit", "Stop").json == {"say": "good"}
    program.write_text('BEGIN { print "{\\"say\\":\\"evil\\"}"; exit }\n')
    assert hooke("emit", "Stop").json == {}


def test_a_folder_behind_a_variable_is_told(hooke):
    workspace(hooke, "hooks: [{ name: x, on: Stop, exec: 'PYTHONPATH=.hooke true' }]\n")
    assert "unpinned  hook 'x': what it uses of the folder 'PYTHONPATH=.hooke'" in hooke("trust", "--yes").out


def test_variables_the_user_adds_to_a_hook_of_the_workspace_are_the_users_own(hooke):
    script(hooke, '# hooke: { on: Stop }\necho "{\\"say\\":\\"$A\\"}"\n', ".hooke/run.sh")
    (hooke.cwd / ".hooke/hooks").mkdir()
    (hooke.cwd / ".hooke/run.sh").rename(hooke.cwd / ".hooke/hooks/run.sh")
    hooke.config("hooks: [{ name: hooke/run, env: { A: .hooke/hooks/run.sh } }]\n")
    assert hooke("trust", "--yes").rc == 0
    assert hooke("emit", "Stop").json == {"say": ".hooke/hooks/run.sh"}
