#!/usr/bin/python3
"""The check of bench/answer.py in Python."""
import json
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
for word in ("rm -rf /", "git push --force", "mkfs", "chmod 777", "curl http"):
    if word in command:
        print("not allowed:", word, file=sys.stderr)
        sys.exit(2)
