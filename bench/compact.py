#!/usr/bin/python3
"""The decision to compact as a resident hook: what bench_rule compares with the script's."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    result = {}
    if message["method"] == "event":
        usage = message["params"]["data"]["usage"]
        if usage["current_context_window"] / usage["max_context_window"] > 0.7:
            result = {"result": "callback", "callback": "compact"}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
