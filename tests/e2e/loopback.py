"""A provider on this machine that speaks Anthropic's Messages and OpenAI's Chat Completions, answers
from a list and remembers what it was asked."""

import contextlib
import http.server
import json
import threading


def text(words, tokens=10):
    return {"text": words, "tokens": tokens}


def tool(name, args, tokens=10):
    return {"text": "I look.", "tool": name, "args": args, "tokens": tokens}


def error(status, body):
    return {"status": status, "body": body}


def anthropic(reply):
    """The events of one streamed message."""
    blocks = [({"type": "text", "text": ""}, {"type": "text_delta", "text": reply["text"]})]
    if "tool" in reply:
        blocks.append(({"type": "tool_use", "id": "toolu_1", "name": reply["tool"], "input": {}},
                       {"type": "input_json_delta", "partial_json": json.dumps(reply["args"])}))
    yield {"type": "message_start", "message": {
        "id": "m", "role": "assistant", "content": [],
        "usage": {"input_tokens": reply["tokens"], "output_tokens": 1}}}
    for index, (start, delta) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "usage": {"output_tokens": 5},
           "delta": {"stop_reason": "tool_use" if "tool" in reply else "end_turn"}}
    yield {"type": "message_stop"}


def openai(reply):
    delta = {"role": "assistant", "content": reply["text"]}
    if "tool" in reply:
        delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": {
            "name": reply["tool"], "arguments": json.dumps(reply["args"])}}]
    yield {"choices": [{"index": 0, "delta": delta}]}
    yield {"choices": [{"index": 0, "delta": {},
                        "finish_reason": "tool_calls" if "tool" in reply else "stop"}]}
    yield {"choices": [], "usage": {"prompt_tokens": reply["tokens"], "completion_tokens": 5}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        reply = self.server.replies.pop(0)
        if "status" in reply:
            self.answer(reply["status"], "application/json", json.dumps(reply["body"]))
            return
        speak = anthropic if "messages" in self.path else openai
        lines = []
        for event in speak(reply):
            if "type" in event:
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {json.dumps(event)}\n\n")
        self.answer(200, "text/event-stream", "".join(lines) +
                    ("" if speak is anthropic else "data: [DONE]\n\n"))

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def provider(*replies):
    """Yields the server: `url`, and `asked`, the bodies of the requests so far."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.replies, server.asked = list(replies), []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
