"""Nothing of a workspace configures anything before somebody has trusted it."""
import json
import os

RULE = "hooks: [{ name: no, on: tool.execute.before, block: not here }]\n"


def workspace(hooke, text=RULE, name=".hooke/config.yaml"):
    path = hooke.cwd / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_an_untrusted_file_is_not_used_and_said(hooke):
    path = workspace(hooke)
    done = hooke("emit", "tool.execute.before")
    assert done.rc == 0 and json.loads(done.out) == {}
    assert str(path) in done.err and "run 'hooke trust'" in done.err


def test_a_trusted_file_is_used_until_it_changes(hooke):
    path = workspace(hooke)
    done = hooke("trust", "--yes")
    assert done.rc == 0 and done.out == f"trusted   {path}\n"
    assert hooke("emit", "tool.execute.before").rc == 2
    path.write_text(RULE + "strict: true\n")
    done = hooke("emit", "tool.execute.before")
    assert done.rc == 0 and "has changed since it was trusted" in done.err
    assert hooke("trust", "--yes").rc == 0
    assert hooke("emit", "tool.execute.before").rc == 2


def test_without_a_terminal_nothing_is_trusted_by_accident(hooke):
    path = workspace(hooke)
    done = hooke("trust")
    assert done.rc == 1 and done.out == f"new       {path}\n"
    assert hooke("emit", "tool.execute.before").rc == 0


def test_a_headless_run_may_name_its_own_trust_file(hooke, tmp_path):
    workspace(hooke)
    hooke.env["HOOKE_TRUST"] = str(tmp_path / "pins")
    assert hooke("trust", "--yes").rc == 0
    assert hooke("emit", "tool.execute.before").rc == 2
    del hooke.env["HOOKE_TRUST"]
    assert hooke("emit", "tool.execute.before").rc == 0


def test_a_copy_elsewhere_is_not_trusted(hooke, tmp_path):
    workspace(hooke)
    assert hooke("trust", "--yes").rc == 0
    other = tmp_path / "other"
    (other / ".hooke").mkdir(parents=True)
    (other / ".hooke/config.yaml").write_text(RULE)
    assert hooke("emit", "tool.execute.before", "--cwd", str(other)).rc == 0


def test_a_trusted_workspace_cannot_loosen_or_disable_a_guard(hooke):
    workspace(hooke, "disabled_hooks: [loop-guard, secret-guard, post-read-nudge]\n"
                     "hooks: [{ name: loop-guard, limit: 1000 }]\n")
    assert hooke("trust", "--yes").rc == 0
    listed = {row["name"]: row for row in hooke("list", "--all", "--json").json}
    assert listed["loop-guard"]["state"] == "on" and listed["secret-guard"]["state"] == "on"
    assert listed["post-read-nudge"]["state"] == "off"
    check = hooke("config", "check").out
    assert "may not set options of the guard 'loop-guard'" in check
    assert "may not disable hook 'secret-guard'" in check
    for _ in range(3):
        hooke("emit", "tool.execute.before", "--session", "s", "--data", '{"tool":"bash"}')
    assert hooke("emit", "tool.execute.before", "--session", "s", "--data", '{"tool":"bash"}').rc == 2


def test_json_names_each_file_and_its_state(hooke):
    path = workspace(hooke)
    local = workspace(hooke, "strict: false\n", ".hooke/config.local.yaml")
    hooke("trust", "--yes")
    local.write_text("max_hooks: 3\n")
    done = hooke("trust", "--json")
    assert done.rc == 1
    assert json.loads(done.out) == [{"path": str(path), "state": "trusted"},
                                    {"path": str(local), "state": "changed"}]


def test_nothing_to_trust_is_said(hooke):
    done = hooke("trust")
    assert done.rc == 0 and done.out.startswith("there is nothing to trust in ")


def test_options_from_the_workspace_leave_the_users_keys_alone(hooke):
    hooke.config("hooks: [{ name: post-read-nudge, cadence: 3, once: true }]\n")
    workspace(hooke, "hooks: [{ name: post-read-nudge, text: mine }]\n")
    assert hooke("trust", "--yes").rc == 0
    shown = hooke("show", "post-read-nudge", "--json").json
    assert shown["options"][0]["value"] == "mine"
    assert shown["once"] and shown["cadence"]["tool.execute.after"]["gated"]


def test_an_untrusted_workspace_can_neither_hang_nor_stop_anybody(hooke):
    hooke.config("strict: true\n")
    path = hooke.cwd / ".hooke/config.yaml"
    path.parent.mkdir()
    for make in (lambda: os.mkfifo(path), path.mkdir, lambda: path.symlink_to(path),
                 lambda: path.write_bytes(b"x" * (5 << 20))):
        make()
        done = hooke("emit", "session.idle")
        assert done.rc == 0, done.err
        assert "is not trusted" in done.err
        path.rmdir() if path.is_dir() else path.unlink()


def test_what_was_trusted_does_not_outlive_its_pin(hooke):
    path = workspace(hooke)
    hooke("trust", "--yes")
    assert hooke("emit", "tool.execute.before").rc == 2
    (hooke.config_dir / "trusted").unlink()
    path.write_text("hooks: [")
    assert hooke("emit", "tool.execute.before").rc == 0


def test_a_workspace_does_not_change_what_the_user_has_said_of_a_built_in(hooke):
    hooke.config("hooks: [{ name: post-read-nudge, text: mine }]\n")
    workspace(hooke, "hooks: [{ name: post-read-nudge, text: theirs }]\n")
    hooke("trust", "--yes")
    assert hooke("show", "post-read-nudge", "--json").json["options"][0]["value"] == "mine"
    assert "may not change 'text', it is set at" in hooke("config", "check").out
