"""Why a run stopped before it was done, in words."""

from collections.abc import Mapping

_STOPS: Mapping[str, str] = {
    "denied": "a person said so",
    "model": "the model gave no answer",
    "workspace": "the workspace cannot be used any more",
    "interrupted": "interrupted",
    "needs_human": "a person has to decide",
    "limit:loop": "the model got nowhere any more",
    "limit:context": "the prompt does not fit the model's window",
}
_ERRORS: Mapping[str, str] = {
    "credentials": "the service does not accept the key",
    "quota": "nothing is left to pay the service with",
    "unknown_model": "the service has no such model",
    "refused": "the model declines to answer",
    "rejected": "the service rejects the request",
    "overflow": "the prompt does not fit the model's window",
    "unreachable": "the service cannot be reached",
}
"""What is the matter with a model, where more is known than that it gave no answer."""


def tell_stop(stop: str, error: str = "") -> str:
    """Say why a run stopped, empty where there is no word for it; `error` is the kind that a model ended it with."""
    if stop == "model" and error in _ERRORS:
        return _ERRORS[error]
    if stop.startswith("limit:") and stop not in _STOPS:
        return f"the limit on {stop.removeprefix('limit:')} is reached"
    return _STOPS.get(stop, "")
