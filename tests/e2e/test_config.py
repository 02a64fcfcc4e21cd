"""hooke config: check, show, path."""

import os


def test_check_is_content_without_files(hooke):
    r = hooke("config", "check")
    assert (r.rc, r.out, r.err) == (0, "no problems in 0 files\n", "")


def test_check_counts_the_files(hooke):
    hooke.config("compact: { ratio: 0.7 }\n")
    assert hooke("config", "check").out == "no problems in 1 file\n"


def test_check_names_place_and_nearest(hooke):
    path = hooke.config("hooks: []\ndisabled_hooks:\n  - lop-guard\n")
    r = hooke("config", "check")
    assert r.rc == 1 and r.err == ""
    assert r.lines[0].startswith(f"{path}:3:5: ") and "'loop-guard'" in r.lines[0]
    assert r.lines[-1] == "1 problem in 1 file"


def test_check_finds_problems_only_the_registry_knows(hooke):
    path = hooke.config("hooks:\n  - { name: loop-guard, limti: 7 }\n")
    r = hooke("config", "check")
    assert r.rc == 1 and f"{path}:2:" in r.out and "limti" in r.out


def test_check_names_syntax_errors(hooke):
    path = hooke.config("hooks: [\n")
    r = hooke("config", "check")
    assert r.rc == 1 and f"{path}:" in r.lines[0]


def test_check_knows_what_a_permission_can_be(hooke):
    path = hooke.config("permission: { bash: dney, read: ask, '*': 5 }\n")
    r = hooke("config", "check")
    assert r.rc == 1 and f"{path}:1:21: 'permission.bash' must be 'allow'" in r.out
    assert "'permission.*'" in r.out and "read" not in r.out


def test_check_marks_warnings(hooke):
    hooke.config("hook_cadence: { secret-guard: 5 }\n")
    r = hooke("config", "check")
    assert r.rc == 1 and ": warning: " in r.lines[0]


def test_check_works_on_what_strict_refuses(hooke):
    hooke.config("strict: true\nhokos: []\n")
    r = hooke("config", "check")
    assert r.rc == 1 and "hokos" in r.out


def test_check_json(hooke):
    path = hooke.config("hokos: []\ndisabled_hooks: [lop-guard]\n")
    report = hooke("config", "check", "--json").json
    places = [(p["file"], p["line"], p["warning"]) for p in report["problems"]]
    assert places == [(str(path), 1, False), (str(path), 2, True)]
    assert report["files"] == 1


def test_check_always_reads_the_files(hooke):
    hooke.config("compact: { ratio: 0.7 }\n")
    assert hooke("config", "check").rc == 0
    hooke.config("compact: { ratio: 9.7 }\n")
    assert hooke("config", "check").rc == 1


def test_show_prints_leaves(hooke):
    hooke.config("compact: { auto: true, ratio: 0.80 }\nhook_cadence: { chat.message: 3 }\n")
    lines = hooke("config", "show").lines
    assert "compact.ratio = 0.80" in lines and "compact.auto = true" in lines
    assert "hook_cadence.chat.message = 3" in lines


def test_show_of_one_key(hooke):
    hooke.config("compact: { ratio: 0.80 }\nhook_cadence: { chat.message: 3 }\n")
    assert hooke("config", "show", "compact.ratio").out == "compact.ratio = 0.80\n"
    assert hooke("config", "show", "hook_cadence.chat.message").out == (
        "hook_cadence.chat.message = 3\n"
    )
    assert hooke("config", "show", "compact", "--json").json["ratio"] == 0.8


def test_show_of_a_list(hooke):
    hooke.config("hooks:\n  - { name: mine, on: Stop, stop: enough }\n")
    assert "hooks[0].name = mine" in hooke("config", "show", "hooks").lines
    assert hooke("config", "show", "hooks[0].stop").out == "hooks[0].stop = enough\n"


def test_show_origin(hooke):
    path = hooke.config("compact:\n  ratio: 0.80\n")
    assert f"# {path}:2:10" in hooke("config", "show", "compact.ratio", "--origin").out
    both = hooke("config", "show", "--origin", "--json").json
    assert both["compact.ratio"] == {"value": 0.8, "origin": f"{path}:2:10"}


def test_show_with_a_flag_set(hooke):
    r = hooke("config", "show", "compact.ratio", "--origin", "--set", "compact.ratio=0.5")
    assert "compact.ratio = 0.5" in r.out and "# " in r.out


def test_show_of_an_unset_key(hooke):
    hooke.config("compact: { ratio: 0.80 }\n")
    r = hooke("config", "show", "compactt")
    assert r.rc == 1 and "did you mean 'compact'" in r.err and r.out == ""


def test_show_quotes_texts_that_look_like_something_else(hooke):
    hooke.config('hooks:\n  - { name: mine, on: Stop, stop: "7" }\n')
    assert hooke("config", "show", "hooks[0].stop").out == 'hooks[0].stop = "7"\n'


def test_path_lists_the_files_and_what_became_of_them(hooke):
    path = hooke.config("compact: { ratio: 0.80 }\n")
    workspace = hooke.cwd / ".hooke/config.yaml"
    workspace.parent.mkdir()
    workspace.write_text("compact: { ratio: 0.60 }\n")
    files = {f["path"]: f for f in hooke("config", "path", "--json").json}
    assert files[str(path)]["exists"] and files[str(path)]["trusted"]
    assert files[str(workspace)]["exists"] and not files[str(workspace)]["trusted"]
    text = hooke("config", "path").out
    assert "not trusted" in text and "missing" in text and str(path) in text


def test_an_untrusted_workspace_configures_nothing(hooke):
    workspace = hooke.cwd / ".hooke/config.yaml"
    workspace.parent.mkdir()
    workspace.write_text("hooks: [{ name: mine, on: Stop, stop: enough }]\n")
    assert hooke("emit", "Stop").json == {}


def test_wrong_words_are_usage_errors(hooke):
    assert "did you mean 'check'" in hooke("config", "chekc").err
    for words in ([], ["chekc"], ["check", "x"], ["show", "a", "b"], ["path", "x"]):
        assert hooke("config", *words).rc == 64, words


def test_a_compiled_configuration_finds_the_same_mistakes(hooke):
    path = hooke.config("strict: true\nhooks: [{ name: g, on: PreToolUse, when: tol, block: no }]\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert [hooke("emit", "PreToolUse").rc for _ in range(3)] == [78, 78, 78]


def test_strict_refuses_every_start(hooke):
    path = hooke.config("strict: true\nhooks: [{ name: g, on: PreToolUse, when: tool and and, block: no }]\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert [hooke("emit", "PreToolUse").rc for _ in range(3)] == [78, 78, 78]


def test_the_users_guards_stay_when_the_file_breaks_in_another_folder(hooke, tmp_path):
    hooke.config("hooks: [{ name: no, on: PreToolUse, block: no }]\n")
    assert hooke("emit", "PreToolUse").rc == 2
    hooke.config("hooks: [\n")
    other = tmp_path / "other"
    other.mkdir()
    done = hooke("emit", "PreToolUse", "--cwd", str(other))
    assert done.rc == 2 and "the last good configuration is in force" in done.err


def test_show_prints_defaults_and_where_everything_comes_from(hooke):
    path = hooke.config("compact:\n  ratio: 0.5\n")
    shown = hooke("config", "show", "--origin", "--json").json
    assert shown["compact.ratio"] == {"value": 0.5, "origin": f"{path}:2:10"}
    assert shown["compact.auto"] == {"value": True, "origin": "default"}
    assert shown["limits.continuations"] == {"value": 8, "origin": "default"}
    assert hooke("config", "show", "max_hooks").out == "max_hooks = 100\n"


def test_variants_that_a_provider_does_not_know_are_problems(hooke):
    path = hooke.config(
        """\
model: anthropic/claude-opus-4-5
agents:
  builder: { variant: hihg }
  architect: { model: of-another-agent/m, variant: any }
  quick: { model: gpt, variant: low }
  fine: { model: script/m, variant: high }
categories:
  deep: { model: openai/gpt-4o, variant: high }
"""
    )
    r = hooke("config", "check")
    assert r.rc == 1 and "2 problems" in r.out
    assert f"{path}:3:23: provider 'anthropic' knows no variant 'hihg': there are " in r.out
    assert f"{path}:5:19: 'gpt' is no model" in r.out
