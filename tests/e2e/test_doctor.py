"""hooke doctor: what is in order, and the way out where it is not."""
import re


def checks(result):
    return {c["check"]: c for c in result.json}


def test_all_is_well_in_a_fresh_home(hooke):
    r = hooke("doctor")
    assert r.rc == 0
    assert all(line.startswith("ok") for line in r.lines)
    names = {"version", "configuration", "workspace", "hooks", "found hooks", "store", "receipts"}
    assert set(checks(hooke("doctor", "--json"))) == names


def test_counts_todays_receipts(hooke):
    for _ in range(3):
        hooke("emit", "session.idle")
    assert "3 today" in checks(hooke("doctor", "--json"))["receipts"]["text"]


def test_names_the_workspace(hooke):
    assert checks(hooke("doctor", "--json"))["workspace"]["text"] == str(hooke.cwd)


def test_says_that_a_workspace_is_not_trusted(hooke):
    path = hooke.cwd / ".hooke/config.yaml"
    path.parent.mkdir()
    path.write_text("compact: { ratio: 0.6 }\n")
    workspace = checks(hooke("doctor", "--json"))["workspace"]
    assert workspace["health"] == "warn" and str(path) in workspace["text"]


def test_a_problem_of_the_configuration_fails(hooke):
    hooke.config("hokos: []\n")
    r = hooke("doctor", "--json")
    assert r.rc == 1
    assert checks(r)["configuration"]["health"] == "fail"
    assert "hooke config check" in checks(r)["configuration"]["way_out"]


def test_works_on_what_strict_refuses(hooke):
    hooke.config("strict: true\nhokos: []\n")
    assert hooke("doctor").rc == 1


def test_counts_hooks(hooke):
    def counts():
        text = checks(hooke("doctor", "--json"))["hooks"]["text"]
        return [int(n) for n in re.findall(r"\d+", text)]

    on, off, broken = counts()
    hooke.config("disabled_hooks: [loop-guard]\n")
    assert on > 7 and broken == 0
    assert counts() == [on - 1, off + 1, 0]


def test_a_store_that_cannot_be_opened_fails(hooke):
    r = hooke("doctor", "--json", HOOKE_STORE="/dev/null/store.db")
    assert r.rc == 1
    assert checks(r)["store"]["health"] == "fail" and "HOOKE_STORE" in checks(r)["store"]["way_out"]


def test_a_receipts_folder_that_cannot_be_made_fails(hooke):
    hooke.receipts.parent.mkdir(parents=True)
    hooke.receipts.write_text("a file")
    r = hooke("doctor", "--json")
    assert r.rc == 1 and checks(r)["receipts"]["health"] == "fail"


def test_takes_no_words(hooke):
    assert hooke("doctor", "x").rc == 64


CLOCK = """
  - name: clock
    on: experimental.chat.system.transform
    exec: printf '{"inject":[{"text":"It is %s."}]}' "$(date +%H:%M)"
"""
CUTTER = """
  - name: cutter
    on: experimental.chat.messages.transform
    when: '#messages > 3'
    replace: { messages: [] }
"""
FINE = """
  - { name: fine, on: turn.after, inject: Run the tests. }
  - { name: system-prompt, text: Be kind. }
"""


def cache_lines(result):
    return [c for c in result.json if c["check"] == "prompt cache"]


def test_verify_is_content_with_the_built_ins(hooke):
    hooke.config("hook_cadence: { system-prompt: 2 }\nhooks:" + FINE)
    r = hooke("doctor", "--verify", "--json")
    assert r.rc == 0 and [c["health"] for c in cache_lines(r)] == ["ok"]


def test_verify_names_each_hook_that_breaks_the_prompt_cache(hooke):
    hooke.config("hooks:" + CLOCK + FINE + CUTTER)
    r = hooke("doctor", "--verify", "--json")
    assert r.rc == 1
    clock, cutter = cache_lines(r)
    assert "hook 'clock' changed the system prompt at request 2" in clock["text"]
    assert "place: tail" in clock["way_out"]
    assert "hook 'cutter' changed message 1" in cutter["text"]


def test_verify_leaves_nothing_behind(hooke):
    hooke.config("hooks:" + FINE)
    tmp = hooke.home.parent / "tmp"
    before = hooke("doctor", "--json").json
    assert hooke("doctor", "--verify").rc == 0
    assert hooke("doctor", "--json").json == before
    assert list(tmp.iterdir()) == []


def test_without_verify_no_hook_runs(hooke):
    hooke.config(f"hooks: [{{ name: a, on: session.created, exec: touch {hooke.home}/ran }}]\n")
    assert hooke("doctor").rc == 0
    assert not (hooke.home / "ran").exists()
