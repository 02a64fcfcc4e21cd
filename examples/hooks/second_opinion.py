#!/usr/bin/env python3
"""A resident hook: when the agent wants to stop, a model is asked whether the work is done.

MODEL names the model to ask, the session's unless it is set. What it finds missing is sent to the
agent, once for each thing the user says. It also offers a callback, `handoff`: a note for whoever
goes on with the work.
"""
import collections
import json
import os
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


def complete(session, prompt):
    return ask("llm.complete", session=session["id"], prompt=prompt, max_output_tokens=500,
               model=os.environ.get("MODEL"))["text"].strip()


def text_of(message):
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def said(messages, role):
    texts = [text_of(m) for m in messages if m["role"] == role and not m.get("internal")]
    return texts[-1] if texts else ""


def agent_stop(event):
    data = event["data"]
    if data["continuations"] > 0 or data["status"]["type"] != "idle":
        return {}
    opinion = complete(event["session"], "Somebody was asked:\n" + said(data["messages"], "user") +
                       "\n\nand answered:\n" + said(data["messages"], "assistant") +
                       "\n\nIf nothing is missing say OK, else say in one sentence what is.")
    if opinion.startswith("OK"):
        return {}
    return {"result": "continue", "follow_up_messages": [opinion]}


def handoff(params):
    history = "\n\n".join(m["role"] + ": " + text_of(m) for m in params["messages"])
    return {"text": complete(params["session"], "Write a note for whoever goes on:\n\n" + history)}


while True:
    message = waiting.popleft() if waiting else receive()
    method, number = message.get("method"), message.get("id")
    try:
        if method == "initialize":
            points = [{"point": "agent.stop", "session": "main", "timeout": "60s"}]
            send(id=number, result={"name": "second-opinion", "subscriptions": points,
                                    "callbacks": ["handoff"]})
        elif method == "event":
            send(id=number, result=agent_stop(message["params"]))
        elif method == "callback":
            send(id=number, result=handoff(message["params"]))
        elif method == "shutdown":
            send(id=number, result=None)
        elif method == "exit":
            break
    except RuntimeError as wrong:
        send(id=number, error={"code": 1, "message": str(wrong)})
