"""Nothing of a workspace configures anything before somebody has trusted it."""
import hashlib
import json
import os
import pty
import select
import subprocess
import threading
import time

RULE = "hooks: [{ name: no, on: tool.execute.before, block: not here }]\n"


def workspace(hooke, text=RULE, name=".hooke/config.yaml"):
    path = hooke.cwd / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def blake(path):
    return hashlib.blake2b(path.read_bytes(), digest_size=32).hexdigest()


def script(hooke, text, name=".hooke/run.sh"):
    path = workspace(hooke, "#!/bin/sh\n" + text, name)
    path.chmod(0o755)
    return path


def say(text):
    return f"""echo '{{"say":"{text}"}}'\n"""


PROGRAM = "hooks: [{ name: prog, on: tool.execute.before, exec: [./run.sh] }]\n"


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
    assert json.loads(done.out) == [
        {"path": str(path), "state": "trusted", "hash": blake(path)},
        {"path": str(local), "state": "changed", "hash": blake(local)}]


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


# Programs -----------------------------------------------------------------------------------------

def test_a_program_of_the_workspace_runs_once_it_is_trusted(hooke):
    config, run = workspace(hooke, PROGRAM), script(hooke, 'cat >/dev/null\n' + say("hello"))
    assert hooke("trust", "--yes").out == f"trusted   {config}\ntrusted   {run}\n"
    assert hooke("emit", "tool.execute.before").json == {"say": "hello"}


def test_a_command_in_an_option_of_a_built_in_runs_what_is_trusted(hooke):
    path = script(hooke, "echo fine\n")
    workspace(hooke, "hooks: [{ name: system-prompt, status_exec: .hooke/run.sh }]\n")
    assert hooke("trust", "--yes").rc == 0
    hint = hooke("emit", "experimental.chat.system.transform").json["inject"][0]
    assert hint["text"] == "fine"
    path.write_text("#!/bin/sh\necho something else\n")
    done = hooke("emit", "experimental.chat.system.transform")
    assert done.json == {} and "has changed since it was trusted" in done.err


def test_an_untrusted_program_is_held_back_and_the_receipt_says_so(hooke):
    config, run = workspace(hooke, PROGRAM), script(hooke, "touch ran\n")
    hooke("trust", "--yes", config)
    done = hooke("emit", "tool.execute.before", "--trace", "--json")
    assert done.rc == 0 and f"'{run}' is not trusted: run 'hooke trust'" in done.err
    assert [(h["hook"], h["why"]) for h in done.json["receipt"]["held"]] == [("prog", "untrusted")]
    assert not (hooke.cwd / "ran").exists()
    listed = {row["name"]: row for row in hooke("list", "--json").json}
    assert listed["prog"]["state"] == "untrusted"
    assert "untrusted: " in hooke("plan", "tool.execute.before").out


def test_a_safety_critical_hook_that_is_not_trusted_counts_as_failed(hooke):
    config = workspace(hooke, PROGRAM.replace("exec:", "safety_critical: true, exec:"))
    run = script(hooke, "touch ran\n")
    hooke("trust", "--yes", config)
    done = hooke("emit", "tool.execute.before")
    assert done.rc == 2
    assert done.json["reason"] == (f"hook 'prog' did not run: '{run}' is not trusted: "
                                   "run 'hooke trust'")
    hooke("trust", "--yes")
    assert hooke("emit", "tool.execute.before").rc == 0


def test_an_untrusted_observer_is_held_back(hooke):
    config = workspace(hooke, PROGRAM.replace("exec:", "mode: observe, exec:"))
    script(hooke, "touch ran\n")
    hooke("trust", "--yes", config)
    held = hooke("emit", "tool.execute.before", "--trace", "--json").json["receipt"]["held"]
    assert [(h["hook"], h["why"]) for h in held] == [("prog", "untrusted")]


def test_the_copy_knows_where_its_original_is(hooke):
    workspace(hooke, PROGRAM)
    run = script(hooke, """echo "{\\"say\\":\\"$HOOKE_FILE $HOOKE_WORKSPACE $0\\"}"\n""")
    hooke("trust", "--yes")
    original, root, copy = hooke("emit", "tool.execute.before").json["say"].split()
    assert original == str(run) and root == str(hooke.cwd)
    assert copy.startswith(str(hooke.home / ".local/share/hooke/trusted")) and copy.endswith("/run.sh")


def test_what_no_pin_covers_is_named(hooke):
    workspace(hooke, "hooks:\n  - { name: fmt, on: Stop, exec: 'prettier \"$f\"' }\n"
                     "  - { name: log, on: Stop, exec: 'cat .hooke/log', unpinned: [.hooke/log] }\n"
                     "  - { name: far, on: Stop, exec: 'sh \"$X/run.sh\"' }\n")
    workspace(hooke, "", ".hooke/log")
    done = hooke("trust", "--yes")
    assert done.rc == 1
    assert """unpinned  hook 'fmt': what '"$f"' stands for when it runs""" in done.lines
    assert "unpinned  hook 'log': '.hooke/log', by 'unpinned'" in done.lines
    assert any(line.startswith("held      hook 'far': the path") for line in done.lines)
    assert hooke("emit", "Stop").rc == 0


# The verb -----------------------------------------------------------------------------------------

def answer(hooke, words, answers, **env):
    """Run on a terminal, give an answer to each question; what was printed, and the exit code."""
    main, side = pty.openpty()
    child = subprocess.Popen([hooke.program, *words], stdin=side, stdout=side, stderr=side,
                             cwd=hooke.cwd, env={**hooke.env, "NO_COLOR": "1", **env})
    os.close(side)
    printed, asked, deadline = b"", 0, time.monotonic() + 30
    while time.monotonic() < deadline:
        if not select.select([main], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        printed += chunk
        while printed.count(b"[q]uit: ") > asked:
            os.write(main, answers[asked].encode() + b"\n")
            asked += 1
    os.close(main)
    return printed.decode(errors="replace").replace("\r\n", "\n"), child.wait(timeout=20)


def test_a_person_sees_each_text_and_decides(hooke):
    config, run = workspace(hooke, PROGRAM), script(hooke, "# what it does\n")
    text, rc = answer(hooke, ["trust"], ["y", "n"])
    assert rc == 1
    assert f"new: {config}\n" in text and PROGRAM in text
    assert f"new: {run}, run by the hook 'prog'\n" in text and "# what it does\n" in text
    assert f"trusted   {config}\nnew       {run}\n" in text
    text, rc = answer(hooke, ["trust"], ["a"])
    assert rc == 0 and f"trusted   {run}\n" in text


def test_a_change_is_shown_as_a_difference(hooke):
    workspace(hooke, PROGRAM)
    run = script(hooke, "one\ntwo\n")
    hooke("trust", "--yes")
    run.write_text("#!/bin/sh\none\nthree\n")
    text, rc = answer(hooke, ["trust"], ["y"])
    assert rc == 0 and f"changed: {run}, run by the hook 'prog'\n" in text
    assert "--- trusted\n+++ now\n" in text and "\n-two\n+three\n" in text


def test_without_diff_both_texts_are_shown(hooke):
    path = workspace(hooke, "# before\n")
    hooke("trust", "--yes")
    path.write_text("# after\n")
    text, _ = answer(hooke, ["trust"], ["n"], PATH="/nowhere")
    assert "trusted:\n# before\nnow:\n# after\n" in text


def test_a_long_text_is_cut_and_says_how_to_see_it_all(hooke):
    workspace(hooke, "".join(f"# {i}\n" for i in range(500)))
    text, _ = answer(hooke, ["trust"], ["n"])
    assert "# 199\n" in text and "# 200\n" not in text and "hooke trust --full" in text
    assert "# 499\n" in answer(hooke, ["trust", "--full"], ["n"])[0]


def test_one_file_may_be_named(hooke):
    config, local = workspace(hooke), workspace(hooke, "", ".hooke/config.local.yaml")
    assert hooke("trust", "--yes", local).out == f"trusted   {local}\n"
    assert hooke("trust").out == f"new       {config}\ntrusted   {local}\n"
    done = hooke("trust", "--yes", "nothing")
    assert done.rc == 1 and "'nothing' needs no trust" in done.err


def test_trust_is_revoked(hooke):
    config, run = workspace(hooke, PROGRAM), script(hooke, say("hello"))
    hooke("trust", "--yes")
    assert hooke("trust", "--revoke", run).out == f"revoked   {run}\n"
    assert hooke("emit", "tool.execute.before").json == {}
    hooke("trust", "--yes")
    assert hooke("trust", "--revoke").out == f"revoked   {config}\nrevoked   {run}\n"
    assert hooke("trust", "--revoke").out == f"nothing of {hooke.cwd} was trusted\n"
    assert hooke("trust", "--list").out == "nothing is trusted\n"


def test_all_that_is_trusted_is_listed(hooke, tmp_path):
    config, other = workspace(hooke), tmp_path / "other"
    hooke("trust", "--yes")
    (other / ".hooke").mkdir(parents=True)
    (other / ".hooke/config.yaml").write_text(RULE)
    subprocess.run([hooke.program, "trust", "--yes"], cwd=other, env=hooke.env, check=True,
                   capture_output=True)
    config.write_text("# x\n")
    (other / ".hooke/config.yaml").unlink()
    assert hooke("trust", "--list").lines == [f"changed   {config}",
                                              f"vanished  {other}/.hooke/config.yaml"]
    assert [row["state"] for row in hooke("trust", "--list", "--json").json] == ["changed",
                                                                                 "vanished"]


def test_a_file_that_is_gone_has_vanished(hooke):
    config, run = workspace(hooke, PROGRAM), script(hooke, say("hello"))
    hooke("trust", "--yes")
    run.unlink()
    assert f"vanished  {run}" in hooke("trust").lines
    config.unlink()
    assert hooke("trust").lines == [f"vanished  {config}", f"vanished  {run}"]


# Headless -----------------------------------------------------------------------------------------

def test_a_flag_names_the_trust_file_of_one_run(hooke, tmp_path):
    workspace(hooke, PROGRAM)
    script(hooke, say("hello"))
    pins = tmp_path / "pins"
    assert hooke("trust", "--yes", "--trust", pins).rc == 0
    assert hooke("emit", "tool.execute.before", "--trust", pins).json == {"say": "hello"}
    assert hooke("emit", "tool.execute.before").json == {}


def test_a_machine_needs_nothing_but_the_pins(hooke, tmp_path):
    config, run = workspace(hooke, PROGRAM), script(hooke, say("hello"))
    pins = tmp_path / "pins"
    pins.write_text("".join(f"{blake(p)}  {p}\n" for p in (config, run)))
    assert not (hooke.home / ".local/share/hooke/trusted").exists()
    assert hooke("emit", "tool.execute.before", HOOKE_TRUST=str(pins)).json == {"say": "hello"}


def test_a_named_trust_file_that_is_of_no_use_is_an_error(hooke, tmp_path):
    workspace(hooke)
    gone, folder, inside = tmp_path / "gone", tmp_path, hooke.cwd / "pins"
    for name in (gone, inside):
        done = hooke("emit", "tool.execute.before", "--trust", name)
        assert done.rc == 1 and done.out == "" and f"the trust file '{name}'" in done.err
    assert hooke("emit", "tool.execute.before", HOOKE_TRUST=str(gone)).rc == 1
    inside.write_text("")
    done = hooke("emit", "tool.execute.before", HOOKE_TRUST=str(inside))
    assert done.rc == 1 and "lies in the workspace" in done.err
    done = hooke("trust", "--yes", HOOKE_TRUST=str(inside))
    assert done.rc == 1 and "lies in the workspace" in done.err and inside.read_text() == ""
    assert hooke("emit", "tool.execute.before", "--trust", folder).rc == 1


def test_two_who_trust_at_once_lose_nothing(hooke, tmp_path):
    folders = [tmp_path / f"repo{i}" for i in range(8)]
    for folder in folders:
        (folder / ".hooke").mkdir(parents=True)
        (folder / ".hooke/config.yaml").write_text(RULE)
    codes = []

    def trust(folder):
        codes.append(subprocess.run([hooke.program, "trust", "--yes"], cwd=folder, env=hooke.env,
                                    capture_output=True, check=False).returncode)

    threads = [threading.Thread(target=trust, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 8
    assert sorted(hooke("trust", "--list").lines) == sorted(
        f"trusted   {folder}/.hooke/config.yaml" for folder in folders)
