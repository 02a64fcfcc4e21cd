"""hooke trace: receipts, read back."""

import json
import resource
import select
import signal
import subprocess

LS = {"tool": "bash", "args": {"command": "ls"}}


def emit_some(hooke):
    for _ in range(4):
        hooke.emit("PreToolUse", LS, "--session", "s1")
    hooke.emit("PostToolUse", {"tool": "read"}, "--session", "s2", "--agent", "orchestrator")


def test_no_receipts_yet(hooke):
    r = hooke("trace")
    assert (r.rc, r.out) == (0, "no receipts yet\n")
    assert hooke("trace", "show").rc == 1


def test_tail_is_oldest_first(hooke):
    emit_some(hooke)
    lines = hooke("trace").lines[1:]
    assert len(lines) == 5
    assert all("tool.execute.before bash" in line for line in lines[:4])
    assert "loop-guard (block)" in lines[3]
    assert "post-read-nudge (inject)" in lines[4]
    assert hooke("trace", "tail").lines[1:] == lines


def test_number_session_and_point_narrow(hooke):
    emit_some(hooke)
    assert len(hooke("trace", "-n", "2").lines) == 3
    assert len(hooke("trace", "-n2", "--json").lines) == 2
    assert len(hooke("trace", "--session", "s2", "--json").lines) == 1
    assert len(hooke("trace", "--point", "PreToolUse", "--json").lines) == 4
    assert hooke("trace", "--session", "nobody").out == "no receipts that match\n"


def test_json_is_the_line_on_disk(hooke):
    emit_some(hooke)
    disk = "".join(p.read_text() for p in sorted(hooke.receipts.glob("*.jsonl")))
    assert hooke("trace", "--json").out == disk


def test_show_one_in_full(hooke):
    emit_some(hooke)
    newest = json.loads(hooke("trace", "--json").lines[3])
    text = hooke("trace", "show", newest["id"]).out
    assert "tool.execute.before" in text and newest["id"] in text
    assert "block" in text and "same arguments" in text and "secret-guard" in text
    assert hooke("trace", "show", newest["id"][-8:].lower()).out == text
    assert hooke("trace", "show", newest["id"], "--json").json == newest


def test_show_without_id_is_the_newest(hooke):
    emit_some(hooke)
    assert "post-read-nudge" in hooke("trace", "show").out


def test_show_tells_what_was_held_back(hooke):
    hooke.config("disabled_hooks: [loop-guard]\n")
    hooke.emit("PreToolUse", LS)
    text = hooke("trace", "show").out
    assert "held back" in text and "off" in text


def test_show_of_an_unknown_id(hooke):
    emit_some(hooke)
    r = hooke("trace", "show", "nothing")
    assert r.rc == 1 and "'nothing'" in r.err
    assert "write more" in hooke("trace", "show", "").err


def read_line(process):
    ready, _, _ = select.select([process.stdout], [], [], 20)
    assert ready, "nothing came"
    return process.stdout.readline()


def follow(hooke, *flags):
    return subprocess.Popen(
        [hooke.program, "trace", "--follow", "--json", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=hooke.cwd,
        env=hooke.env,
    )


def test_follow_prints_what_is_added_and_stops_cleanly(hooke):
    emit_some(hooke)
    process = follow(hooke, "-n", "1")
    assert json.loads(read_line(process))["session"] == "s2"
    hooke.emit("PreToolUse", LS, "--session", "s3")
    assert json.loads(read_line(process))["session"] == "s3"
    hooke.emit("PreToolUse", LS, "--session", "s4")
    assert json.loads(read_line(process))["session"] == "s4"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_follow_keeps_to_its_filter(hooke):
    process = follow(hooke, "--session", "mine")
    hooke.emit("PreToolUse", LS, "--session", "other")
    hooke.emit("PreToolUse", LS, "--session", "mine")
    assert json.loads(read_line(process))["session"] == "mine"
    process.terminate()
    assert process.wait(timeout=20) == 0


def test_follow_ends_when_its_reader_leaves(hooke):
    process = follow(hooke)
    hooke.emit("PreToolUse", LS)
    read_line(process)
    process.stdout.close()
    process.stdout = None
    assert process.wait(timeout=20) in (0, 1)
    assert process.stderr.read() == b""


def test_a_line_that_is_no_receipt_is_passed_over(hooke):
    emit_some(hooke)
    path = next(hooke.receipts.glob("*.jsonl"))
    with open(path, "a") as f:
        f.write("garbage\n")
    r = hooke("trace", "--json")
    assert r.rc == 0 and len(r.lines) == 5


def test_who_acted_is_read_in_a_narrow_terminal(hooke):
    name = "a-hook-with-a-name-of-some-length"
    hooke.config(f"hooks: [{{ name: {name}, on: experimental.chat.messages.transform, block: no }}]\n")
    hooke.emit("experimental.chat.messages.transform", {"messages": [], "purpose": "main"})
    out = hooke("trace", COLUMNS="80").lines
    assert any(line.startswith(f"    {name} (") for line in out), out
    assert all(len(line) <= 80 and line == line.rstrip() for line in out)
    assert len(hooke("trace", COLUMNS="160").lines) == 2


def test_why_without_an_id_is_of_the_newest_call(hooke):
    assert "no receipt of a tool call yet" in hooke("trace", "why").err
    for call in ("c1", "c2"):
        hooke.emit("tool.execute.before", {"tool": "bash", "call_id": call, "args": {"command": "ls"}})
    hooke.emit("session.idle", {})
    shown = hooke("trace", "why")
    assert shown.rc == 0 and "c2" in shown.out and "c1" not in shown.out


def test_columns_fit_the_width(hooke):
    emit_some(hooke)
    for line in hooke("trace", COLUMNS="80").lines:
        assert len(line) <= 80


def test_wrong_words_are_usage_errors(hooke):
    assert "did you mean 'tail'" in hooke("trace", "tial").err
    for words in (["tial"], ["tail", "x"], ["show", "a", "b"], ["-n", "x"], ["-n", "-1"]):
        assert hooke("trace", *words).rc == 64, words


def append_receipts(hooke, count):
    """As many as a busy machine writes between two looks, with ids of their own."""
    path = next(hooke.receipts.glob("*.jsonl"))
    one = json.loads(path.read_text().splitlines()[0])
    ids = [f"0{n:025}" for n in range(count)]
    with open(path, "a") as f:
        f.writelines(json.dumps({**one, "id": i}) + "\n" for i in ids)
    return ids


def test_follow_misses_nothing_between_two_looks(hooke):
    emit_some(hooke)
    process = follow(hooke, "-n", "1")
    read_line(process)
    process.send_signal(signal.SIGSTOP)
    ids = append_receipts(hooke, 5000)
    process.send_signal(signal.SIGCONT)
    assert [json.loads(read_line(process))["id"] for _ in ids] == ids
    process.terminate()
    assert process.communicate(timeout=20) == (b"", b"")


def test_follow_of_all_prints_all(hooke):
    hooke.emit("PreToolUse", LS)
    append_receipts(hooke, 3000)
    process = follow(hooke, "-n", "0")
    assert len([read_line(process) for _ in range(3001)]) == 3001
    process.terminate()
    assert process.communicate(timeout=20) == (b"", b"")


def test_a_torn_line_costs_only_itself(hooke):
    emit_some(hooke)
    path = next(hooke.receipts.glob("*.jsonl"))
    whole = path.read_text()
    path.write_text(whole[:-40])  # the disk was full
    hooke.emit("PreToolUse", LS, "--session", "s9")
    assert path.read_text().startswith(whole[:-40] + "\n{")
    lines = hooke("trace", "--json").lines
    assert len(lines) == 5 and json.loads(lines[-1])["session"] == "s9"


def test_a_full_receipt_file_is_a_warning_not_the_end(hooke):
    emit_some(hooke)
    size = next(hooke.receipts.glob("*.jsonl")).stat().st_size

    def limit():
        # Python ignores the signal; a program of its own would die of it.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))

    done = subprocess.run([hooke.program, "emit", "session.idle"], capture_output=True, text=True,
                          cwd=hooke.cwd, env=hooke.env, preexec_fn=limit, timeout=20)
    assert (done.returncode, done.stdout) == (0, "{}\n")
    assert done.stderr.count("\n") == 1 and "receipt" in done.stderr
    hooke.emit("PreToolUse", LS, "--session", "s9")
    lines = hooke("trace", "--json").lines
    assert len(lines) == 6 and json.loads(lines[-1])["session"] == "s9"


# why and top --------------------------------------------------------------------------------------

NUDGED = ("--session", "s2", "--agent", "orchestrator")


def nudge(hooke, count):
    for n in range(count):
        hooke.emit("PostToolUse", {"tool": "read", "call_id": f"c{n}"}, *NUDGED)


def ledger(hooke, *flags):
    return {line["hook"]: line for line in hooke("trace", "top", "--json", *flags).json}


def test_why_prints_all_receipts_of_a_call_in_order(hooke):
    hooke.emit("PreToolUse", {**LS, "call_id": "toolu_7"}, "--session", "s1")
    hooke.emit("PreToolUse", {**LS, "call_id": "toolu_8"}, "--session", "s1")
    hooke.emit("PostToolUse", {"tool": "bash", "call_id": "toolu_7"}, "--session", "s1")
    hooke.emit("PostToolUse", {"tool": "bash", "call_id": "toolu_7"}, "--session", "s2")
    points = [json.loads(line)["point"] for line in hooke("trace", "why", "toolu_7", "--json").lines]
    assert points == ["tool.execute.before", "tool.execute.after", "tool.execute.after"]
    text = hooke("trace", "why", "toolu_7", "--session", "s1").out
    assert text.index("tool.execute.before") < text.index("loop-guard") < text.index("tool.execute.after")
    assert text.count("toolu_7") == 2 and "toolu_8" not in text


def test_why_of_an_unknown_call(hooke):
    emit_some(hooke)
    r = hooke("trace", "why", "nothing")
    assert r.rc == 1 and "'nothing'" in r.err
    assert hooke("trace", "why", "a", "b").rc == 64


def test_top_adds_up_by_hook(hooke):
    hooke.config("hook_cadence: { post-read-nudge: 3 }\n"
                 "hooks: [{ name: post-read-nudge, text: Delegate what is work of its own., place: output }]\n")
    emit_some(hooke)
    nudge(hooke, 4)
    lines = ledger(hooke)
    guard, reminder = lines["loop-guard"], lines["post-read-nudge"]
    assert (guard["runs"], guard["blocks"], guard["tokens"]) == (4, 1, 0)
    assert (reminder["runs"], reminder["held"], reminder["blocks"]) == (2, 3, 0)
    assert reminder["tokens"] == 2 * 9 and reminder["saved_tokens"] == 3 * 9
    assert ledger(hooke, "--session", "s1")["loop-guard"]["runs"] == 4
    assert "post-read-nudge" not in ledger(hooke, "--session", "s1")
    assert ledger(hooke, "--point", "PostToolUse").keys().isdisjoint({"loop-guard"})
    assert ledger(hooke, "-n", "1")["post-read-nudge"]["held"] == 1


def test_top_counts_what_was_said_and_not_what_was_repeated(hooke):
    nudge(hooke, 4)
    reminder = ledger(hooke)["post-read-nudge"]
    assert (reminder["runs"], reminder["held"]) == (4, 3)
    once = reminder["tokens"]
    nudge(hooke, 1)
    assert ledger(hooke)["post-read-nudge"]["tokens"] == once > 0


def test_top_names_who_broke_the_cache_and_who_failed(hooke):
    hooke.config("hooks: [{ name: bad, on: message.updated, exec: exit 3 }]\n")
    for _ in range(2):
        hooke.emit("message.updated", {"message": {}, "prefix_broken_by": "mine"}, "--session", "s1")
    lines = ledger(hooke)
    assert lines["mine"]["cache_breaks"] == 2 and lines["mine"]["runs"] == 0
    assert lines["bad"]["failed"] == 2
    assert json.loads(hooke("trace", "--json").lines[0])["prefix_broken_by"] == "mine"
    assert "cache" in hooke("trace", "show").out and "mine" in hooke("trace", "show").out


def test_top_is_sorted(hooke):
    emit_some(hooke)
    nudge(hooke, 2)
    rows = [line.split()[0] for line in hooke("trace", "top", "--sort", "tokens").lines]
    assert rows[:2] == ["HOOK", "post-read-nudge"]
    by_name = [line.split()[0] for line in hooke("trace", "top", "--sort", "name").lines[1:]]
    assert by_name == sorted(by_name)
    times = [line["us"] for line in hooke("trace", "top", "--json").json]
    assert times == sorted(times, reverse=True)
    r = hooke("trace", "top", "--sort", "size")
    assert r.rc == 64 and "blocks" in r.err


def test_top_of_nothing(hooke):
    assert hooke("trace", "top").out == "no receipts yet\n"
    assert hooke("trace", "top", "--json").json == []
