"""hooke doctor: what is in order, and the way out where it is not."""


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
    hooke.config("disabled_hooks: [loop-guard]\n")
    assert "8 on, 1 off, 0 broken" in hooke("doctor").out


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
