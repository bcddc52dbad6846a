"""Names that Python brings along: where they are imported from, what they offer."""

import builtins
import collections
import datetime as dt
import functools
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
