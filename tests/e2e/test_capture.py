"""hooke trace --capture: events saved as they happen, without their secrets."""

import contextlib
import json
import os
import pty
import select
import signal
import stat
import subprocess

LS = {"tool": "bash", "args": {"command": "ls"}}
TOKEN = "ghp" + "_" + "0123456789abcdefghijABCDEFGHIJ012345"


def requests(hooke):
    return list((hooke.home / ".local/state/hooke/capture").glob("*.json"))


def read_line(process):
    ready, _, _ = select.select([process.stdout], [], [], 20)
    assert ready, "nothing came"
    return process.stdout.readline()


@contextlib.contextmanager
def capturing(hooke, folder, *flags):
    process = subprocess.Popen([hooke.program, "trace", "--capture", folder, *flags],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=hooke.cwd, env=hooke.env)
    try:
        assert "saving events to" in read_line(process)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def stop(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def saved(folder):
    return [json.loads(p.read_text()) for p in sorted(folder.glob("*.json"))]


def test_saves_events_until_interrupted(hooke):
    folder = hooke.cwd / "saved"
    with capturing(hooke, "saved") as process:
        hooke.emit("PreToolUse", LS, "--session", "s1", "--agent", "a", "--turn", "2")
        hooke.emit("turn.after", {})
        assert stop(process) == (0, "2 events saved\n", "")
    hooke.emit("turn.after", {})
    first, second = saved(folder)
    assert first["hooke"] == 1 and first["outcome"] == "none" and first["verdict"] == {}
    ev = first["event"]
    assert ev["point"] == "tool.execute.before" and ev["data"] == LS and ev["turn"] == 2
    assert ev["session"]["id"] == "s1" and ev["session"]["agent"] == "a"
    assert first["hooks"] == [{"hook": name, "did": []} for name in
                              ("secret-guard", "loop-guard", "command-guard", "sandbox")]
    assert second["event"]["point"] == "turn.after"


def test_files_are_named_by_receipt_and_private(hooke):
    with capturing(hooke, "saved") as process:
        hooke.emit("turn.after", {})
        stop(process)
    path, = (hooke.cwd / "saved").iterdir()
    receipt, = hooke("trace", "--json").lines
    assert path.name == json.loads(receipt)["id"] + ".json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_ends_after_n_with_exactly_n(hooke):
    with capturing(hooke, "saved", "-n", "3") as process:
        for _ in range(6):
            hooke.emit("turn.after", {})
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "3 events saved\n", "")
    assert len(saved(hooke.cwd / "saved")) == 3
    assert requests(hooke) == []


def test_session_and_point_narrow(hooke):
    with capturing(hooke, "saved", "--session", "s1", "--point", "PreToolUse") as process:
        hooke.emit("PreToolUse", LS, "--session", "s2")
        hooke.emit("turn.after", {}, "--session", "s1")
        hooke.emit("PreToolUse", LS, "--session", "s1")
        stop(process)
    one, = saved(hooke.cwd / "saved")
    assert one["event"]["session"]["id"] == "s1" and one["event"]["point"] == "tool.execute.before"


def test_secrets_are_removed(hooke):
    hooke.config("hooks: [{ name: r, on: tool.execute.after, block: 'no hunter2-hunter2' }]\n")
    data = {"tool": "bash", "args": {"command": f"curl -u x:{TOKEN} --password hunter2 x"},
            "output": "MY_TOKEN=abc", "metadata": {"authorization": "Bearer x", "n": 1}}
    with capturing(hooke, "saved") as process:
        hooke.emit("tool.execute.after", data, DEPLOY_PASSWORD="hunter2-hunter2")
        stop(process)
    text = next((hooke.cwd / "saved").iterdir()).read_text()
    for secret in (TOKEN, "hunter2", "abc", "Bearer x"):
        assert secret not in text
    j = json.loads(text)
    assert j["event"]["data"] == {
        "tool": "bash", "args": {"command": "curl -u x:[removed] --password [removed] x"},
        "output": "MY_TOKEN=[removed]", "metadata": {"authorization": "[removed]", "n": 1}}
    assert j["verdict"]["reason"] == "no [removed]" and j["removed"] >= 4


def test_nothing_else_changes_by_a_byte(hooke):
    data = '{"n": 1.50,"u":"\\u00e9\\/", "big":123456789012345678901234567890,"token":"x"}'
    with capturing(hooke, "saved") as process:
        hooke("emit", "turn.after", "--data", data)
        stop(process)
    text = next((hooke.cwd / "saved").iterdir()).read_text()
    assert '"data":' + data.replace('"x"', '"[removed]"') in text


def test_what_a_dead_capture_left_behind_is_removed(hooke):
    with capturing(hooke, "saved") as process:
        assert len(requests(hooke)) == 1
        process.kill()
        process.wait(timeout=20)
    assert len(requests(hooke)) == 1
    r = hooke.emit("turn.after", {})
    assert (r.rc, r.err) == (0, "") and requests(hooke) == []
    assert list((hooke.cwd / "saved").iterdir()) == []


def test_two_captures_at_once(hooke):
    with capturing(hooke, "one") as one, capturing(hooke, "two", "--point", "Stop") as two:
        hooke.emit("turn.after", {})
        hooke.emit("Stop", {})
        assert stop(one)[1] == "2 events saved\n" and stop(two)[1] == "1 event saved\n"


def test_one_folder_has_one_capture(hooke):
    with capturing(hooke, "saved") as process:
        r = hooke("trace", "--capture", "saved", "-n", "1")
        assert r.rc == 1 and "choose another folder" in r.err
        hooke.emit("turn.after", {})
        assert stop(process)[1] == "1 event saved\n"


def test_one_process_by_variable(hooke):
    folder = hooke.cwd / "own"
    hooke.emit("turn.after", {}, HOOKE_CAPTURE=str(folder))
    hooke.emit("turn.after", {})
    assert len(saved(folder)) == 1 and requests(hooke) == []


def test_a_folder_that_cannot_be_written_disturbs_nothing(hooke):
    r = hooke.emit("PreToolUse", LS, HOOKE_CAPTURE="/proc/none")
    assert (r.rc, r.out) == (0, "{}\n")
    assert r.err.count("\n") == 1 and "events are not saved to '/proc/none'" in r.err
    r = hooke("trace", "--capture", "/proc/none", "-n", "1")
    assert r.rc == 1 and "/proc/none" in r.err


def test_files_that_were_there_are_left_alone(hooke):
    folder = hooke.cwd / "saved"
    folder.mkdir()
    for name in ("README.json", "01M7F0H430NVG9SPK2XSSSCMB0.json"):
        (folder / name).write_text("mine")
    with capturing(hooke, "saved", "-n", "1") as process:
        hooke.emit("turn.after", {})
        assert process.communicate(timeout=20)[0] == "1 event saved\n"
    assert (folder / "README.json").read_text() == "mine" and len(list(folder.iterdir())) == 3


def test_progress_on_a_terminal(hooke):
    main, side = pty.openpty()
    process = subprocess.Popen([hooke.program, "trace", "--capture", "saved", "-n", "2"], stdout=side,
                               cwd=hooke.cwd, env={**hooke.env, "TERM": "xterm"})
    os.close(side)
    text = b""
    while b"saving events" not in text:
        text += os.read(main, 4096)
    hooke.emit("turn.after", {})
    while b"1  turn.after  none" not in text:
        text += os.read(main, 4096)
    hooke.emit("turn.after", {})
    assert process.wait(timeout=20) == 0
    os.close(main)


def test_other_flags_do_not_go_with_it(hooke):
    for words in (["--follow"], ["--json"], ["show"]):
        r = hooke("trace", "--capture", "saved", *words)
        assert r.rc == 64 and "--capture" in r.err, words
    assert hooke("trace", "--capture", "saved", "--point", "nope").rc == 64
    assert not (hooke.cwd / "saved").exists()
