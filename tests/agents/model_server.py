"""A model that plays a script, on loopback, in the wire formats the agents speak.

A script is a list of turns: {"text": …} or {"tool": NAME, "args": {…}}, the last of which is played
again when the agent goes on asking. What was asked is kept, so that a test can look at what the
model was really sent. Requests that are none of a session's turns (titles, routing) are answered
with a word and kept apart.
"""

import http.server
import json
import threading
import uuid


class Model:
    """`turns` may be replaced at any time; `asked` holds the requests of turns, in order."""

    def __init__(self, *turns):
        self.turns = list(turns)
        self.asked, self.others = [], []
        self.lock = threading.Lock()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), make_handler(self))
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def take(self, request, aside):
        with self.lock:
            (self.others if aside else self.asked).append(request)
            if aside:
                return {"text": "ok"}
            turn = self.turns[min(len(self.asked), len(self.turns)) - 1]
        return turn

    def sent(self, index=-1):
        """All the text of one request: what the model read."""
        return json.dumps(self.asked[index], ensure_ascii=False)


# Wire formats ---------------------------------------------------------------------------------


def responses(turn):
    """OpenAI's Responses, as Codex reads them."""
    name = "resp_" + uuid.uuid4().hex
    if "tool" in turn:
        item = {"type": "function_call", "id": "fc_" + uuid.uuid4().hex, "name": turn["tool"],
                "call_id": "call_" + uuid.uuid4().hex, "arguments": json.dumps(turn["args"])}
    else:
        item = {"type": "message", "role": "assistant", "id": "msg_" + uuid.uuid4().hex,
                "content": [{"type": "output_text", "text": turn["text"]}]}
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 105}
    yield "response.created", {"response": {"id": name}}
    yield "response.output_item.done", {"item": item, "output_index": 0}
    yield "response.completed", {"response": {"id": name, "usage": usage}}


def chat_completions(turn):
    """OpenAI's Chat Completions, as OpenCode and hooke read them."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    if "tool" in turn:
        call = {"index": 0, "id": "call_" + uuid.uuid4().hex, "type": "function",
                "function": {"name": turn["tool"], "arguments": json.dumps(turn["args"])}}
        delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
    else:
        delta, reason = {"role": "assistant", "content": turn["text"]}, "stop"
    yield None, {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
                 "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}}
    yield None, "[DONE]"


def generate_content(turn):
    """Google's streamGenerateContent."""
    part = ({"functionCall": {"name": turn["tool"], "args": turn["args"]}} if "tool" in turn
            else {"text": turn["text"]})
    yield None, {"candidates": [{"index": 0, "finishReason": "STOP",
                                 "content": {"role": "model", "parts": [part]}}],
                 "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 5,
                                   "totalTokenCount": 105}}


def messages(turn):
    """Anthropic's Messages, as Claude Code and hooke read them."""
    if "tool" in turn:
        block = {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex, "name": turn["tool"]}
        empty, delta = {"input": {}}, {"type": "input_json_delta",
                                       "partial_json": json.dumps(turn["args"])}
    else:
        block = {"type": "text"}
        empty, delta = {"text": ""}, {"type": "text_delta", "text": turn["text"]}
    reason = "tool_use" if "tool" in turn else "end_turn"
    usage = {"input_tokens": 100, "output_tokens": 5}
    yield "message_start", {"message": {
        "id": "msg_" + uuid.uuid4().hex, "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}}
    yield "content_block_start", {"index": 0, "content_block": {**block, **empty}}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield "message_stop", {}


def is_aside(path, request):
    """Whether a request is none of a session's turns: it offers no tools."""
    if "countTokens" in path or ("generateContent" in path and "stream" not in path):
        return True
    return not (request.get("tools") or request.get("functions"))


def make_handler(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def read_body(self):
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def answer(self, text, kind):
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def stream(self, events):
            lines = []
            for name, data in events:
                if name:
                    lines.append(f"event: {name}\n")
                    data = {"type": name, **data}
                lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
            self.answer("".join(lines), "text/event-stream")

        def do_POST(self):
            request = json.loads(self.read_body() or b"{}")
            aside = is_aside(self.path, request)
            turn = model.take(request, aside)
            if self.path.endswith("/responses"):
                self.stream(responses(turn))
            elif self.path.endswith("/chat/completions"):
                self.stream(chat_completions(turn))
            elif "streamGenerateContent" in self.path:
                self.stream(generate_content(turn))
            elif "/v1/messages" in self.path and "count_tokens" not in self.path:
                self.stream(messages(turn))
            elif "countTokens" in self.path:
                self.answer('{"totalTokens": 100}', "application/json")
            elif "generateContent" in self.path:
                self.answer(json.dumps(next(generate_content(turn))[1]), "application/json")
            else:
                self.answer("{}", "application/json")

        def do_GET(self):
            self.answer('{"data": [], "models": []}', "application/json")

        def log_message(self, *_):
            pass

    return Handler
