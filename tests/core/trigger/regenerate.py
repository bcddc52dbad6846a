"""Write the payloads that the tests go by: `python -m tests.core.trigger.regenerate EXAMPLES [SCHEMAS]`.

EXAMPLES and SCHEMAS are the unpacked npm packages @octokit/webhooks-examples and @octokit/webhooks-schemas, both 7.6.1.
With the second one, it names the payloads made here that its schemas do not know, although GitHub sends them.
"""

import gzip
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.core.trigger.derived import EVENTS, FOLDER, Derived, Examples, Json, derive


def main(examples: Path, schemas: Path | None) -> None:
    told = json.loads((examples / "api.github.com/index.json").read_text())
    found = {event["name"]: event["examples"] for event in told}
    for event in EVENTS:
        _write(event, found[event])
    made = derive(found)
    _write("derived", made)
    if schemas is not None:
        _check(made, found, json.loads((schemas / "schema.json").read_text()))


def _write(name: str, value: object) -> None:
    data = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))


def _check(made: Mapping[str, Derived], examples: Examples, schema: Json) -> None:
    from jsonschema_rs import validator_for  # noqa: PLC0415 - only where schemas are given

    for name, (event, payload) in made.items():
        known = f"{event}${payload.get('action', 'event')}"
        if known in schema["definitions"]:
            rule = validator_for({"definitions": schema["definitions"], "$ref": f"#/definitions/{known}"})
            drifted = {error.message for example in examples[event] for error in rule.iter_errors(example)}
            found = {error.message: error.instance_path for error in rule.iter_errors(payload)}
            for message in found.keys() - drifted:
                sys.stderr.write(f"{name}: {'.'.join(map(str, found[message]))}: {message[-100:]}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else None)
