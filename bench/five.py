"""Five hooks that all match a shell command before it runs: the built-ins that look at it, and rules for
the rest, each looking for a word. One of the built-ins, loop-guard, counts calls, so state is written."""
import json
import subprocess

WORDS = ["rm -rf /", "git push --force", "mkfs", "chmod 777", "curl http"]
PATIENT = {"name": "loop-guard", "limit": 1000}  # who measures tells the same call again and again


def rule(number, word):
    return {"name": f"no-{number}", "on": "tool.execute.before", "tool": "bash",
            "when": f"has(args.command, {json.dumps(word)})", "block": "not allowed"}


def ask(hooke, *words, env, check=True):
    done = subprocess.run([hooke, *words, "--json"], env=env, capture_output=True, text=True,
                          check=check)
    return json.loads(done.stdout)


def configuration(hooke, env):
    """What puts five hooks in force."""
    known = {h["name"] for h in ask(hooke, "list", "--all", env=env) if h["runner"] == "built-in"}
    plan = ask(hooke, "plan", "tool.execute.before", "--tool", "bash", env=env)
    chain = {h["hook"] for h in plan if h["fate"] == "runs"} & known
    return {"hooks": [PATIENT] + [rule(n, word) for n, word in enumerate(WORDS[:5 - len(chain)])]}
