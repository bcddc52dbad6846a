"""Complaints about what is renamed, removed or deprecated: what mends them, and why not."""

import pytest

from bot.core.event import Event
from bot.models.offline.briefing import Finding
from bot.models.offline.complaints import read
from bot.models.offline.families import searchable
from bot.models.offline.modern import alike, concerns, explain, mends, recall, renew
from tests.conftest import make_repo
from tests.models.offline.bench import ending, subjects, touched, work

MESSAGES = {
    "DeprecationWarning: The 'warn' method is deprecated, use 'warning' instead": ("log.warn(1)\n", "log.warning(1)\n"),
    "PydanticDeprecatedSince20: The `dict` method is deprecated; use `model_dump` instead. Deprecated in V2.0": (
        "x = user.dict()\n",
        "x = user.model_dump()\n",
    ),
    "AttributeError: `np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead.": (
        "import numpy as np; x = np.Inf\n",
        "import numpy as np; x = np.inf\n",
    ),
    "DeprecationWarning: Attribute s is deprecated and will be removed in Python 3.14; use value instead": (
        "x = node.s\n",
        "x = node.value\n",
    ),
    "FutureWarning: DataFrame.applymap has been deprecated. Use DataFrame.map instead.": (
        "x = df.applymap(f)\n",
        "x = df.map(f)\n",
    ),
    "MovedIn20Warning: The ``declarative_base()`` function is now available as sqlalchemy.orm.declarative_base().": (
        "from sqlalchemy.ext.declarative import declarative_base; Base = declarative_base()\n",
        "from sqlalchemy.orm import declarative_base; Base = declarative_base()\n",
    ),
    "DeprecationWarning: fetch() is deprecated, use pull() instead": (
        "from remote.client import fetch; x = fetch(1)\n",
        "from remote.client import pull; x = pull(1)\n",
    ),
    "DeprecationWarning: 'pipes' is deprecated and slated for removal in Python 3.13": (
        "import pipes; x = pipes.quote(y)\n",
        "import shlex; x = shlex.quote(y)\n",
    ),
    "deprecated: invalid escape sequence '\\d'": ("x = '\\d'\n", "x = r'\\d'\n"),
    'attr-defined Module has no attribute "Mapping"': (
        "import collections; x = collections.Mapping\n",
        "import collections.abc; x = collections.abc.Mapping\n",
    ),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_tells_what_to_write(message: str) -> None:
    text, new = MESSAGES[message]
    complaint = read(message)
    assert complaint is not None
    assert new in [mend.text for mend in mends(text, complaint, (1,))]


REASONS = {
    "DeprecationWarning: datetime.datetime.utcnow() is deprecated and scheduled for removal. Use aware objects": (
        "import datetime; x = datetime.datetime.utcnow()\n",
        "`datetime.datetime.utcnow` gives a time without a zone",
    ),
    "DeprecationWarning: There is no current event loop": (
        "import asyncio; x = asyncio.get_event_loop()\n",
        "`asyncio.get_event_loop` makes no loop",
    ),
    "TypeError: load() missing 1 required positional argument: 'Loader'": (
        "import yaml; x = yaml.load(y)\n",
        "`yaml.load` needs a loader",
    ),
    "ModuleNotFoundError: No module named 'distutils'": (
        "from distutils.version import LooseVersion\n",
        "`distutils.version.LooseVersion` is gone since Python 3.12",
    ),
    "ModuleNotFoundError: No module named 'asyncore'": ("import asyncore\n", "`asyncore` is gone since Python 3.12"),
    "AttributeError: 'DataFrame' object has no attribute 'append'": ("x = df.append(y)\n", "`.append` is gone"),
}


@pytest.mark.parametrize("message", REASONS)
def test_what_would_change_the_meaning_is_explained_and_not_done(message: str) -> None:
    text, reason = REASONS[message]
    complaint = read(message)
    assert complaint is not None
    assert concerns(complaint)
    assert mends(text, complaint, (1,)) == ()
    assert explain(text, complaint, (1,), evidence=False).startswith(reason)


def test_what_a_test_uses_is_named_and_left() -> None:
    complaint = read("AttributeError: 'T' object has no attribute 'assertEquals'. Did you mean: 'assertEqual'?")
    assert complaint is not None
    told = explain("self.assertEquals(1, 1)\n", complaint, (1,), evidence=True)
    assert told == "use `.assertEqual` for `.assertEquals`; tests and configuration are never edited here"


def test_all_that_a_release_lacks_is_replaced_in_one_go() -> None:
    text = "import ConfigParser\nfrom collections import Mapping\nX = unicode, ConfigParser.ConfigParser, Mapping\n"
    found = renew(text, (3, 13))
    assert found is not None
    assert found.text == (
        "import configparser\nfrom collections.abc import Mapping\nX = str, configparser.ConfigParser, Mapping\n"
    )
    assert renew(found.text, (3, 13)) is None


def test_callers_of_an_old_function_call_the_new_one() -> None:
    home = "def new(x): ...\ndef old(x): return new(x)\ndef user(): return old(1)\n"
    assert alike(home, "old", "new")
    assert not alike("def new(x, y): ...\ndef old(x): ...\n", "old", "new")
    assert recall(home, "", "old", "new").endswith("def user(): return new(1)\n")
    assert recall("from shop import old\nold(1)\n", "shop", "old", "new") == "from shop import new\nnew(1)\n"
    assert recall("import shop\nshop.old(1)\n", "shop", "old", "new") == "import shop\nshop.new(1)\n"


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Event, ...]:
    """A run over a project that uses what is gone and what is deprecated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        made = make_repo(tmp_path_factory.mktemp("work") / "repo")
        made.commit(
            {
                "pytest.ini": "[pytest]\nfilterwarnings = error\npythonpath = .\n",
                "shop.py": "import collections\nimport warnings\n\n\ndef plain(x):\n"
                "    return isinstance(x, collections.Mapping)\n\n\ndef now():\n"
                '    warnings.warn("yaml.load is deprecated", DeprecationWarning)\n',
                "test_shop.py": "from shop import now, plain\n\n\ndef test_plain():\n    assert plain({})\n\n\n"
                "def test_now():\n    now()\n",
            },
            "a project",
        )
        return work(made, tmp_path_factory.mktemp("store"))


def test_what_is_gone_is_replaced_in_a_verified_commit(mended: tuple[Event, ...]) -> None:
    assert subjects(mended) == ["fix: use `collections.abc.Mapping` for `collections.Mapping` in shop.py"]
    assert touched(mended) == {"shop.py"}


def test_no_search_silences_a_warning(mended: tuple[Event, ...]) -> None:
    detail = ending(mended).detail
    assert "Worth a look, not changed:\n- shop.py:10: `yaml.load` needs a loader since PyYAML 6" in detail


def test_only_what_no_table_or_warning_speaks_of_is_searched_for() -> None:
    messages = {
        "AssertionError: assert 1 == 2": True,
        "DeprecationWarning: old() is deprecated": False,
        "sqlalchemy.exc.RemovedIn20Warning: x": False,
        "ModuleNotFoundError: No module named 'asyncore'": False,
        "TypeError: load() missing 1 required positional argument: 'Loader'": False,
        "TypeError: f() missing 1 required positional argument: 'x'": True,
        "AttributeError: 'NoneType' object has no attribute 'x'": True,
    }
    found = [Finding("pytest", f"t.py::{number}", "a.py", 1, message) for number, message in enumerate(messages)]
    assert [finding.message for finding in searchable(found)] == [one for one, wanted in messages.items() if wanted]
