"""`python -m tests.served --port 8080 --script FILE`: serves a script as a model, over all wires."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Lock
from typing import TextIO

from bot.core.message import Reply
from bot.errors import AgentError
from bot.models.scripted import read_script
from tests.served.acts import say
from tests.served.said import Asked, Cost, Said
from tests.served.server import Act, Exchange, Request, Server


def put(reply: Reply) -> Said:
    """Return a reply of a script as the server says it."""
    calls = tuple(Asked(call.name, call.raw or json.dumps(call.arguments)) for call in reply.calls)
    usage = reply.usage
    return Said(reply.text, calls, reply.finish, Cost(usage.input, usage.output, usage.cached))


class Script:
    """Gives the replies in order, and anew to each conversation that begins; after the last it says nothing."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = replies
        self._given = 0
        self._lock = Lock()

    def speak(self, exchange: Exchange) -> Said:
        """Say the next reply; what it costs is reckoned where the script does not tell."""
        with self._lock:
            if begins(exchange.request):
                self._given = 0
            at, self._given = self._given, self._given + 1
        said = put(self._replies[at]) if at < len(self._replies) else Said(cost=Cost(0, 0))
        told = said.cost if said.cost.input else Cost(len(exchange.request.body) // 4, 30)
        return said._replace(cost=told)


def begins(request: Request) -> bool:
    """Say whether nobody has answered yet in a conversation."""
    told = request.json
    said = [*told.get("messages", ()), *told.get("input", ())]
    return not any(message.get("role") == "assistant" or message.get("type") == "function_call" for message in said)


def logged(act: Act, log: TextIO) -> Act:
    """Write every request to a file before it is answered: one JSON object a line."""
    lock = Lock()

    def noted(exchange: Exchange) -> None:
        request = exchange.request
        told = {"at": request.at, "path": request.path, "bytes": len(request.body), "body": request.json}
        with lock:
            log.write(json.dumps(told) + "\n")
            log.flush()
        act(exchange)

    return noted


def delayed(act: Act, seconds: float) -> Act:
    """Let every answer wait."""

    def late(exchange: Exchange) -> None:
        if exchange.hold(seconds):
            act(exchange)

    return late


def main(argv: Sequence[str]) -> int:
    """Serve until somebody interrupts."""
    parser = argparse.ArgumentParser(prog="python -m tests.served", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0, the default, is one that is free")
    parser.add_argument("--script", type=Path, required=True, help="replies as `--model scripted:FILE` takes them")
    parser.add_argument("--log", type=Path, help="write each request there, one JSON object a line")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    options = parser.parse_args(argv)
    try:
        model = read_script(options.script)
    except AgentError as error:
        parser.error(error.message)
    act = say(Script([line for line in model.lines if isinstance(line, Reply)]).speak)
    if options.delay:
        act = delayed(act, options.delay)
    if options.log:
        # Open as long as the process lives
        act = logged(act, options.log.open("a", encoding="utf-8"))
    with Server(options.port) as server:
        server.line([act])
        sys.stdout.write(f"serving at {server.url('openai')} (OpenAI) and {server.url('anthropic')} (Anthropic)\n")
        sys.stdout.flush()
        try:
            Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
