"""Names, modules and calls that are gone, and what is written in their place."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.coroutines import without_decorator
from bot.models.offline.outdated import beside, rows_of, tables
from bot.models.offline.renames import modernize, replace_builtin

CASES = {
    "an attribute of a module that is used for nothing else": (
        "collections.Mapping",
        "import collections\n\n\ndef f(x):\n    return isinstance(x, collections.Mapping)\n",
        "import collections.abc\n\n\ndef f(x):\n    return isinstance(x, collections.abc.Mapping)\n",
    ),
    "an attribute of a module that is used for more": (
        "collections.Mapping",
        "import collections\n\nX = (collections.Mapping, collections.OrderedDict)\n",
        "import collections\nimport collections.abc\n\nX = (collections.abc.Mapping, collections.OrderedDict)\n",
    ),
    "some names of one import": (
        "collections.Mapping",
        "from collections import Mapping, OrderedDict, Sequence\n\nX = Mapping\n",
        "from collections import OrderedDict\nfrom collections.abc import Mapping, Sequence\n\nX = Mapping\n",
    ),
    "names of an import that is written over several lines": (
        "collections.Mapping",
        "from collections import (\n    Mapping,  # a map\n    OrderedDict,  # kept\n)\n\nX = Mapping\n",
        "from collections import (\n    OrderedDict,  # kept\n)\nfrom collections.abc import Mapping\n\nX = Mapping\n",
    ),
    "an import under another name": (
        "cPickle",
        "import cPickle as pickle  # fast\n\nX = pickle.dumps(1)\n",
        "import pickle  # fast\n\nX = pickle.dumps(1)\n",
    ),
    "a module that is imported by its full name": (
        "xml.etree.cElementTree",
        "import xml.etree.cElementTree\n\nX = xml.etree.cElementTree.Element('a')\n",
        "import xml.etree.ElementTree\n\nX = xml.etree.ElementTree.Element('a')\n",
    ),
    "a module whose parts went to several others": (
        "urllib2",
        "import urllib2\n\nX = urllib2.urlopen, urllib2.HTTPError\n",
        "import urllib.error\nimport urllib.request\n\nX = urllib.request.urlopen, urllib.error.HTTPError\n",
    ),
    "a name that changed": (
        "inspect.getargspec",
        "from inspect import getargspec\n\na, b, c, d = getargspec(print)\n",
        "from inspect import getfullargspec\n\na, b, c, d = getfullargspec(print)[:4]\n",
    ),
    "a function that became a builtin": (
        "itertools.izip",
        "from itertools import izip, chain\n\nX = izip(chain([1]), [2])\n",
        "from itertools import chain\n\nX = zip(chain([1]), [2])\n",
    ),
    "a module that was found inside of another": (
        "os.errno",
        "import os\n\nX = os.sep, os.errno.ENOENT\n",
        "import errno\nimport os\n\nX = os.sep, errno.ENOENT\n",
    ),
    "a library under a short name": (
        "numpy.Inf",
        "import numpy as np\n\nX = [np.Inf, 1 + np.NINF, np.product([1])]\n",
        "import numpy as np\n\nX = [np.inf, 1 + (-np.inf), np.prod([1])]\n",
    ),
    "a call that means the same with more said": (
        "cgi.escape",
        "from cgi import escape\n\nX = escape(x), escape(x, True)\n",
        "import html\n\nX = html.escape(x, quote=False), html.escape(x, quote=True)\n",
    ),
    "a function that became a method": (
        "string.join",
        "import string\n\nX = string.join(map(string.strip, y), ',') + string.upper(a + b)\n",
        "import string\n\nX = ','.join(map(string.strip, y)) + (a + b).upper()\n",
    ),
    "a question for a type": (
        "ast.Str",
        "import ast\n\nX = not isinstance(n, ast.Str)\n",
        "import ast\n\nX = not (isinstance(n, ast.Constant) and isinstance(n.value, str))\n",
    ),
    "a call whose result is not used": (
        "distutils.dir_util.copy_tree",
        "from distutils.dir_util import copy_tree\n\ncopy_tree('a', 'b')\n",
        "from shutil import copytree\n\ncopytree('a', 'b', dirs_exist_ok=True)\n",
    ),
    "an attribute of a result": (
        "pkg_resources",
        "import pkg_resources\n\nX = pkg_resources.get_distribution('x').version\n",
        "import importlib.metadata\n\nX = importlib.metadata.version('x')\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_gone_is_replaced(name: str) -> None:
    old, text, new = CASES[name]
    found = modernize(text, beside(old))
    assert found is not None
    assert found.text == new


LEFT = {
    "code that tries the new one first": (
        "collections.Mapping",
        """
        try:
            from collections.abc import Mapping
        except ImportError:
            from collections import Mapping
        X = Mapping
        """,
    ),
    "code for one release only": (
        "sys.maxint",
        """
        import sys
        if sys.version_info[0] == 2:
            X = sys.maxint
        """,
    ),
    "a parameter of the same name": (
        "collections.Mapping",
        """
        import collections
        def f(collections):
            return collections.Mapping
        """,
    ),
    "a call whose result is used": (
        "distutils.dir_util.copy_tree",
        """
        from distutils.dir_util import copy_tree
        X = copy_tree('a', 'b')
        """,
    ),
    "a call with other arguments": (
        "cgi.escape",
        """
        import cgi
        X = cgi.escape(*x), cgi.escape(x, quote=y)
        """,
    ),
    "a name that something else has": (
        "inspect.getargspec",
        """
        import collections
        X = collections.OrderedDict
        """,
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_not_surely_meant_is_left_alone(name: str) -> None:
    old, text = LEFT[name]
    assert modernize(textwrap.dedent(text), {old}) is None


@pytest.mark.parametrize(
    ("name", "text", "new"),
    [
        ("unicode", "X = unicode(1)\n", "X = str(1)\n"),
        ("reduce", "X = reduce(max, [1])\n", "from functools import reduce\n\nX = reduce(max, [1])\n"),
        ("unicode", "unicode = str\nX = unicode(1)\n", ""),
        ("unicode", "from six import text_type as unicode\nX = unicode(1)\n", ""),
        ("xrange", "try:\n    X = xrange\nexcept NameError:\n    X = range\n", ""),
    ],
)
def test_builtins_of_python_2_are_replaced_where_nothing_else_defines_them(name: str, text: str, new: str) -> None:
    found = replace_builtin(text, name)
    assert (found.text if found else "") == new


def test_generators_that_were_decorated_become_coroutines() -> None:
    old = "import asyncio\n\n\n@asyncio.coroutine\ndef f(x):\n    # waits\n    y = yield from g(x)\n    return y\n"
    found = without_decorator(old)
    assert found is not None
    assert found.text == "async def f(x):\n    # waits\n    y = await g(x)\n    return y\n"


def test_a_decorated_generator_that_yields_values_is_left_alone() -> None:
    assert without_decorator("import asyncio\n\n@asyncio.coroutine\ndef f():\n    yield 1\n") is None


STATEMENTS = st.sampled_from(
    [
        "import collections",
        "from collections import Mapping, OrderedDict as O",
        "import collections as c",
        "X = collections.Mapping",
        "X = [Mapping, O]",
        "Y = c.Mapping.register",
        "def f(Mapping): return Mapping",
        "class A(collections.Mapping): pass",
        "collections = 1",
        "from string import join; Z = join(X, join(Y))",
        "import string, os",
        "Z = string.join(string.letters)",
        "try:\n    import pipes\nexcept ImportError: pass",
        "from pipes import *",
        "import pipes; quote = pipes.quote",
    ]
)


@given(st.lists(STATEMENTS, max_size=7), st.sampled_from(["collections.Mapping", "string.join", "pipes"]))
def test_whatever_a_file_holds_the_result_is_python_and_is_final(rows: list[str], old: str) -> None:
    text = "\n".join([*rows, ""])
    found = modernize(text, beside(old))
    if found is not None:
        ast.parse(found.text)
        again = modernize(found.text, beside(old))
        assert again is None or again.text != found.text


def test_each_row_leads_to_something_that_can_be_written() -> None:
    for old in tables().rows:
        for row in rows_of(old):
            assert row.old == old
            assert row.new.strip(":. ")
