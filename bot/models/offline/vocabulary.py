"""Names that Python brings along: where they are imported from, what they offer."""

import builtins
import collections
import datetime as dt
import functools
import importlib
import itertools
import json
import logging
import math
import operator
import os
import random
import re
import string
import sys
import time
from types import MappingProxyType, ModuleType

BUILTINS = frozenset(dir(builtins))
MODULES = frozenset(name for name in sys.stdlib_module_names if not name.startswith("_"))

SHORTEST = 4
"""Letters of a name that is looked for in all of them."""

_BY_MODULE = {
    "abc": "ABC abstractmethod",
    "argparse": "ArgumentParser Namespace",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": "Awaitable Callable Collection Generator Hashable ItemsView Iterable Iterator KeysView Mapping "
    "MutableMapping MutableSequence MutableSet Sequence Sized ValuesView",
    "concurrent.futures": "ProcessPoolExecutor ThreadPoolExecutor as_completed",
    "contextlib": "AbstractContextManager ExitStack contextmanager nullcontext suppress",
    "copy": "deepcopy",
    "dataclasses": "asdict astuple dataclass is_dataclass",
    "datetime": "date datetime timedelta timezone",
    "decimal": "Decimal ROUND_HALF_UP",
    "enum": "Enum Flag IntEnum IntFlag StrEnum",
    "fractions": "Fraction",
    "functools": "cache cached_property cmp_to_key lru_cache partial partialmethod reduce "
    "singledispatch total_ordering wraps",
    "io": "BytesIO StringIO",
    "itertools": "accumulate chain combinations groupby islice permutations product starmap takewhile zip_longest",
    "math": "ceil floor isclose isinf isnan sqrt",
    "operator": "attrgetter itemgetter methodcaller",
    "pathlib": "Path PosixPath PurePath PurePosixPath",
    "subprocess": "CalledProcessError CompletedProcess TimeoutExpired",
    "tempfile": "NamedTemporaryFile TemporaryDirectory",
    "textwrap": "dedent",
    "types": "MappingProxyType ModuleType SimpleNamespace TracebackType",
    "typing": "Annotated Any AnyStr BinaryIO ClassVar Dict Final FrozenSet Generic IO List Literal NamedTuple NewType "
    "NoReturn Optional ParamSpec Protocol Set TextIO Tuple Type TypeAlias TypeVar TypedDict Union cast overload",
    "unittest.mock": "MagicMock",
    "urllib.parse": "parse_qs quote unquote urlencode urljoin urlparse urlsplit",
    "uuid": "UUID uuid4",
}
_ORDINARY = (
    "abc argparse array ast asyncio base64 bisect calendar cmath codecs collections collections.abc colorsys "
    "concurrent.futures configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal "
    "difflib email email.message enum errno fnmatch fractions functools gc getpass glob gzip hashlib heapq "
    "hmac html html.parser http http.client inspect io ipaddress itertools json keyword linecache locale "
    "logging math mimetypes numbers operator os os.path pathlib pickle pkgutil platform pprint queue random "
    "re reprlib sched secrets select shelve shlex shutil signal socket sqlite3 ssl stat statistics string "
    "struct subprocess sys tempfile textwrap threading time timeit tokenize traceback types typing "
    "unicodedata urllib.error urllib.parse urllib.request uuid warnings wave weakref xml.etree.ElementTree "
    "zipfile zlib zoneinfo"
)
ORDINARY = tuple(_ORDINARY.split())
"""Modules of the standard library that are imported in passing, the usual ones, whose import does nothing else."""
HOMES = MappingProxyType({name: module for module, names in _BY_MODULE.items() for name in names.split()})
"""Where a well-known name is imported from."""

_LOADED: tuple[ModuleType, ...] = (
    collections, dt, functools, itertools, json, logging, math, operator, os, os.path, random, re, string, sys,
    time,
)  # fmt: skip
_TYPES: tuple[type, ...] = (
    str, bytes, bytearray, int, float, complex, bool, list, tuple, dict, set, frozenset, range, object,
    collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict,
    dt.datetime, dt.date, dt.timedelta, re.Pattern, re.Match,
)  # fmt: skip

MEMBERS = MappingProxyType(
    {
        **{module.__name__: frozenset(dir(module)) for module in _LOADED},
        "os.path": frozenset(dir(os.path)),
        **{kind.__qualname__: frozenset(dir(kind)) for kind in _TYPES},
        **{f"{kind.__module__}.{kind.__qualname__}": frozenset(dir(kind)) for kind in _TYPES},
    }
)
"""What often used modules and built-in types offer."""


@functools.cache
def members_of(owner: str) -> frozenset[str]:
    """Return what a module of Python's own or a built-in type offers; nothing where that is not known."""
    if owner in MEMBERS:
        return MEMBERS[owner]
    if owner not in ORDINARY:
        return frozenset()
    try:
        return frozenset(dir(importlib.import_module(owner)))
    except ImportError:
        return frozenset()


@functools.cache
def homes_of(name: str) -> tuple[str, ...]:
    """Name the module of Python's own that is known for a name, and the only one of the usual ones that makes it."""
    known = [HOMES[name]] if name in HOMES else []
    public = not name.startswith("_") and name not in BUILTINS and len(name) >= SHORTEST
    found = [module for module in ORDINARY if public and _makes(module, name)]
    return tuple(dict.fromkeys([*known, *(found if len(found) == 1 else ())]))


def _makes(module: str, name: str) -> bool:
    """Whether a module defines a name itself, and does not just use it."""
    if name not in members_of(module):
        return False
    made = getattr(getattr(sys.modules[module], name), "__module__", module)
    return made in (module, f"_{module}", module.partition(".")[0], "builtins") or name in getattr(
        sys.modules[module], "__all__", ()
    )
