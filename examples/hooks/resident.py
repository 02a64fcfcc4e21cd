#!/usr/bin/env python3
"""A resident hook: compacts when the context is 70 % full, at most once in five turns of a session.

One process for all events, one JSON-RPC message a line. What it remembers is kept by hooke.
"""
import collections
import json
import sys

waiting = collections.deque()  # what arrived while an answer of hooke's was awaited


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()


def ask(method, **params):
    send(id="mine", method=method, params=params)
    while True:
        message = receive()
        if message.get("id") != "mine":
            waiting.append(message)
        elif "error" in message:
            raise RuntimeError(message["error"]["message"])
        else:
            return message["result"]


def turn_after(event):
    usage = event["data"].get("usage", {})
    limit = usage.get("max_context_window", 0)
    if not limit or usage.get("current_context_window", 0) <= 0.7 * limit:
        return {}
    session, turn = event["session"]["id"], event["turn"]
    last = ask("state.get", session=session, key="compacted")["value"]
    if last is not None and turn < int(last) + 5:
        return {}
    ask("state.set", session=session, key="compacted", value=str(turn))
    return {"result": "callback", "callback": "compact"}


while True:
    message = waiting.popleft() if waiting else receive()
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        send(id=number, result={"name": "compact", "subscriptions": [{"point": "turn.after"}]})
    elif method == "event":
        try:
            send(id=number, result=turn_after(message["params"]))
        except RuntimeError as wrong:
            send(id=number, error={"code": 1, "message": str(wrong)})
    elif method == "shutdown":
        send(id=number, result=None)
    elif method == "exit":
        break
