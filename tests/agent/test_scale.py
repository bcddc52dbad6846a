"""Which tasks want a plan, by their words."""

import time

import pytest

from bot.agent.scale import is_large
from bot.core.task import Source, Task

SMALL = (
    "",
    "fix the failing test",
    "make the tests pass",
    "mypy complains, please fix",
    "Fix all lint errors across the project",
    "fix the typo in every module",
    "Add a function that multiplies two numbers.",
    "Rename the variable in calc.py",
    "parse_date crashes on an empty string",
    "Fix the crash in parse_date when the string is empty, and add a regression test",
    "Refactor add to use sum",
    "Add a --json option to the clean command",
    "Bump the version to 2.1 in pyproject.toml",
    "Explain what each module does, and where every endpoint is handled",
    "Why does the login page show the wrong name? Mend it.",
    "Add type annotations to stockroom/orders.py and write tests for it",
    "Total must round half up; it should never be negative.",
    """Issue #12: Crash when the config is missing

Steps to reproduce:
1. Create a folder
2. Move config.toml away
3. Run app, then change the port and store it

Expected behaviour:
It should start with defaults.

Environment:
Python 3.12, every package updated
""",
    """Issue #3: wrong total

```python
# add tax, rename things, migrate everywhere
implement = 1
```

Traceback (most recent call last):
  File "a.py", line 3
  File "b/c.py", line 4
  File "d.py", line 9

total() is off by one.
""",
    """> add a cache and document it, rename Config everywhere, split the module

No, just fix the sum.""",
)

LARGE = (
    "Add type hints to the whole package",
    "Split core.py into several modules",
    "Rename Config to Settings everywhere",
    "migrate to pydantic 2",
    "Replace os.path with pathlib in all modules",
    "Update all callers of connect() to pass a timeout",
    "Refactor the storage layer so that backends are pluggable",
    "Add a feature: export reports as CSV",
    "Add a new subcommand `stats` that prints a table of the slowest checks",
    "Add retry with backoff to the HTTP client, make the number of attempts configurable, and document it in README.md",
    "Rewrite the parser end to end",
    "All callers of connect() must pass a timeout",
    "Split app.py into routes.py, models.py and views.py, move the helpers into lib/text.py, and update the imports",
    "Use structured logging across the whole service",
    """Improve the client:
- add timeouts to all requests
- support proxies
- expose the retry count in Stats
- document the new settings""",
    """1. Introduce a Cache protocol in core/cache.py
2. Implement it with sqlite
3. Let the loader use it
4. Add tests""",
    """Issue #41: Support plugins

We want to let people extend the tool. It should be possible to load plugins from a folder.

## Requirements
- [ ] Plugins must be found by entry point
- [ ] A broken plugin must not stop the tool
- [ ] `doctor` should list them

## Environment
Python 3.11
""",
)


@pytest.mark.parametrize("goal", SMALL)
def test_what_is_soon_done_or_only_mends_needs_no_plan(goal: str) -> None:
    assert not is_large(Task(goal=goal, base="b"))


@pytest.mark.parametrize("goal", LARGE)
def test_what_asks_for_several_things_or_reaches_far_wants_a_plan(goal: str) -> None:
    assert is_large(Task(goal=goal, base="b"))


def test_what_ci_or_a_hook_complains_of_is_mended_without_one() -> None:
    for kind in ("ci", "hook"):
        assert not is_large(Task(goal=LARGE[0], base="b", source=Source.model_validate({"kind": kind})))


@pytest.mark.parametrize("goal", ["#" * 50_000, "a-." * 20_000, "```\n" * 9_000, "each " * 9_000, "please " * 9_000])
def test_hostile_texts_take_no_time(goal: str) -> None:
    begun = time.monotonic()
    is_large(Task(goal=goal, base="b"))
    assert time.monotonic() - begun < 1
