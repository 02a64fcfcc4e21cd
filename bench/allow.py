"""A command hook that reads its event and consents."""
import json
import sys

event = json.load(sys.stdin)
print(json.dumps({"decision": "allow" if event["data"]["tool"] == "bash" else "ask"}))
