"""The server itself: all wires, well behaved, and started by hand."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import ROOT
from tests.served.acts import fail, say
from tests.served.contract import faults
from tests.served.said import Asked, Cost, Json, Said
from tests.served.server import WIRES, Request, Server, Wire

PATHS = {"openai": "/chat/completions", "responses": "/responses", "anthropic": "/v1/messages"}
SAID = Said("Let me look: já.", (Asked("read_file", '{"path": "a/b/c.py"}'),), cost=Cost(70, 9, 30))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def post(url: str, wire: Wire, body: Json) -> tuple[int, str]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=5)
    connection.request("POST", parts.path + PATHS[wire], json.dumps(body))
    response = connection.getresponse()
    told = response.read().decode()
    connection.close()
    return response.status, told


def events(told: str) -> list[Json]:
    lines = [line.removeprefix("data: ") for line in told.split("\n") if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_all_wires_say_the_same_whole_and_streamed(server: Server) -> None:
    server.line([say(lambda exchange: SAID)])
    chat = json.loads(post(server.url("openai"), "openai", {"messages": []})[1])
    message = json.loads(post(server.url("anthropic"), "anthropic", {"messages": []})[1])
    assert chat["choices"][0]["message"]["content"] == message["content"][0]["text"] == SAID.text
    assert json.loads(chat["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]) == {"path": "a/b/c.py"}
    assert message["content"][1]["input"] == {"path": "a/b/c.py"}
    assert (chat["usage"]["prompt_tokens"], message["usage"]["input_tokens"]) == (70, 40)
    asked = {"messages": [], "stream": True, "stream_options": {"include_usage": True}}
    chunks = events(post(server.url("openai"), "openai", asked)[1])
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == SAID.text
    assert chunks[-1]["usage"]["completion_tokens"] == 9
    told = events(post(server.url("anthropic"), "anthropic", asked)[1])
    assert "".join(event["delta"]["partial_json"] for event in told if "partial_json" in event.get("delta", ())) == (
        SAID.calls[0].arguments
    )
    assert [event["type"] for event in told][-2:] == ["message_delta", "message_stop"]
    items = events(post(server.url("responses"), "responses", {"input": [], "stream": True})[1])
    answer = json.loads(post(server.url("responses"), "responses", {"input": []})[1])
    assert [event["type"] for event in items][-1] == "response.completed"
    assert "".join(event["delta"] for event in items if event["type"] == "response.output_text.delta") == SAID.text
    assert answer["output"][1]["arguments"] == SAID.calls[0].arguments
    assert (answer["usage"]["input_tokens"], answer["status"]) == (70, "completed")


def test_lines_are_told_apart_by_path_and_by_model(server: Server) -> None:
    line = server.line([fail(400, "a", "b"), say(lambda exchange: SAID)], "other")
    assert [post(server.url(wire, "other"), wire, {})[0] for wire in WIRES] == [400, 200, 200]
    assert post(server.url("openai"), "openai", {"model": "other"})[0] == 200
    assert [request.wire for request in line.requests] == [*WIRES, "openai"]


def request(wire: Wire, *messages: Json) -> Request:
    told = {"input": list(messages), "store": False} if wire == "responses" else {"messages": list(messages)}
    return Request(0.0, "POST", PATHS[wire], {}, json.dumps(told).encode())


@pytest.mark.parametrize("arguments", ["{}", "[]", "{"])
def test_conversations_that_no_service_takes_are_noticed(arguments: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "x", "arguments": arguments}}
    said, told = {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "1", "content": ""}
    assert bool(faults(request("openai", said, told))) == (arguments != "{}")
    assert len(faults(request("openai", said, told, told, said))) >= 3
    item = {"type": "function_call", "call_id": "1", "name": "x", "arguments": arguments}
    output, told = {"type": "function_call_output", "call_id": "1", "output": ""}, {"type": "message", "content": "x"}
    assert bool(faults(request("responses", told, item, output, told))) == (arguments != "{}")
    assert len(faults(request("responses", item, told | {"id": "m"}, output, output, item))) >= 5
    use = {"type": "tool_use", "id": "1", "name": "x", "input": json.loads("{}")}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}
    user, spoke = {"role": "user", "content": "hello"}, {"role": "assistant", "content": [use]}
    assert faults(request("anthropic", user, spoke, answer)) == []
    assert faults(request("anthropic", user, spoke, user, spoke, answer))


def test_a_script_is_served_by_hand(tmp_path: Path) -> None:
    script, log = tmp_path / "script.jsonl", tmp_path / "log.jsonl"
    lines = [{"calls": [{"name": "finish", "raw_arguments": '{"summ'}]}, {"text": "done", "usage": {"input": 3}}]
    script.write_text("\n".join(map(json.dumps, lines)))
    command = [sys.executable, "-m", "tests.served", "--script", str(script), "--log", str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        again = {"messages": [{"role": "assistant", "content": "x"}]}
        bodies: list[Json] = [{"messages": []}, again, again, {"messages": []}]
        told = [json.loads(post(url, "openai", body)[1]) for body in bodies]
        process.terminate()
    messages = [each["choices"][0]["message"] for each in told]
    assert messages[0]["tool_calls"][0]["function"]["arguments"] == '{"summ'
    assert [message["content"] for message in messages] == [None, "done", None, None]
    assert messages[3]["tool_calls"]
    assert [json.loads(line)["path"] for line in log.read_text().splitlines()] == ["/v1/chat/completions"] * 4
