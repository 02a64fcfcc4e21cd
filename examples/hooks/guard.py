#!/usr/bin/env python3
"""Refuse git pushes that overwrite what others have pushed; --force-with-lease may pass."""
import json
import re
import shlex
import sys


def commands(line):
    """The simple commands of a shell line, each a list of words."""
    words = shlex.shlex(line.replace("\n", ";"), posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    found = [[]]
    for word in words:
        if word.strip("();<>|&"):
            found[-1].append(word)
        else:
            found.append([])
    return found


def overwrites(words):
    args = words[words.index("push"):] if "git" in words and "push" in words else []
    return any(re.match(r"--force$|-[^-]*f|\+", arg) for arg in args)


command = json.load(sys.stdin)["data"].get("args", {}).get("command", "")
try:
    if any(overwrites(words) for words in commands(command)):
        print("this push overwrites history: use --force-with-lease", file=sys.stderr)
        sys.exit(2)
except ValueError as wrong:
    print(json.dumps({"decision": "ask", "reason": f"cannot read this command: {wrong}"}))
