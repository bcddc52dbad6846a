"""The official SDK, over a line that our guard bounds. Loads the SDK; import it only where a model is asked."""

import httpx2
import openai

from bot.models.openai.refusal import Refusal
from bot.models.service.guard import Guard
from bot.models.service.line import explain, open_line


class Wire:
    """Asks one server."""

    def __init__(self, key: str, base_url: str, organization: str, project: str, guard: Guard) -> None:
        self._guard = guard
        self._client = openai.OpenAI(
            api_key=key, base_url=base_url, max_retries=0, timeout=None, http_client=open_line(base_url, guard)
        )
        # Otherwise they are those of the environment, whatever server is asked
        self._client.organization = organization or None
        self._client.project = project or None
        self._client.admin_api_key = None

    def ask(self, body: bytes, path: str) -> httpx2.Response | Refusal:
        """Return the answer of one of the paths below the address while it comes. Raises ModelError."""
        try:
            # Not `chat.completions.create` or its like, which walk through the whole conversation at every turn
            stream = self._client.post(
                path,
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=openai.Stream[object],
                options={"headers": {"Content-Type": "application/json", "Accept": "text/event-stream"}},
            )
        except openai.APIStatusError as error:
            return Refusal(error.status_code, error.response.headers, error.response.text)
        except openai.OpenAIError as error:
            raise explain(error, self._guard) from None
        # Its events are read by us: the SDK leaves the size of one open, and ends without a word at an early end
        return stream.response

    def close(self) -> None:
        """Hang up."""
        self._client.close()
