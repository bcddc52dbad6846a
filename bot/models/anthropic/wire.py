"""The official SDK, over a line that our guard bounds. Loads the SDK; import it only where a model is asked."""

import anthropic
import httpx2

from bot.models.anthropic.fault import read_fault
from bot.models.service.guard import Guard
from bot.models.service.line import explain, open_line


class Wire:
    """Asks one service."""

    def __init__(self, key: str, base_url: str, guard: Guard, *, bearer: bool = False) -> None:
        self._guard = guard
        self._key = key
        self._client = anthropic.Anthropic(
            api_key=None if bearer else key,
            auth_token=key if bearer else None,
            base_url=base_url,
            max_retries=0,
            timeout=None,
            open_telemetry=False,
            http_client=open_line(base_url, guard),
        )

    def ask(self, body: bytes) -> httpx2.Response:
        """Return the answer while it comes. Raises ModelError."""
        try:
            # Not `messages.create`, which walks through the whole conversation at every turn
            stream = self._client.post(
                "/v1/messages",
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=anthropic.Stream[object],
                options={"headers": {"Content-Type": "application/json", "Accept": "text/event-stream"}},
            )
        except anthropic.APIStatusError as error:
            answer = error.response
            raise read_fault(answer.status_code, answer.headers, answer.text, self._key) from None
        except anthropic.AnthropicError as error:
            raise explain(error, self._guard) from None
        # Its events are read by us: the SDK leaves out what shows that a service is alive, and fails at odd bytes
        return stream.response

    def close(self) -> None:
        """Hang up."""
        self._client.close()
