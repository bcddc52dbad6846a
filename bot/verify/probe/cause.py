"""Tells what outside of the tree an exception speaks of: a network, a service, a full disk, a missing module.

What code of the project raises in so many words speaks of the project, whatever its class.
"""

from __future__ import annotations

import dis
import errno
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bot.verify.probe.tree import ROOT, in_tree, own_names, relative

UNREACHABLE = frozenset(
    (
        errno.ECONNRESET,
        errno.ECONNABORTED,
        errno.ENETUNREACH,
        errno.ENETDOWN,
        errno.EHOSTUNREACH,
        errno.EHOSTDOWN,
        errno.ETIMEDOUT,
    )
)
FORBIDDEN = frozenset((errno.EACCES, errno.EPERM))
SOCKETS = frozenset(
    ("bind", "connect", "connect_ex", "create_connection", "create_server", "listen", "sendmsg", "sendto", "socket")
)
"""Calls that fail with one of these where there is no network, or not all of it."""
NAMING = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST"))
FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))
CLIENTS = frozenset(
    (
        "aiomysql", "amqp", "asyncpg", "cassandra", "celery", "docker", "elastic_transport", "elasticsearch", "etcd3",
        "kafka", "kazoo", "kombu", "ldap3", "MySQLdb", "mysql", "opensearchpy", "pika", "podman", "psycopg", "psycopg2",
        "pymemcache", "pymongo", "pymysql", "pyodbc", "redis", "valkey",
    )
)  # fmt: skip
"""Libraries that speak to a service which has to be running."""
CONNECTING = ("connect", "refused", "unreachable", "timed out", "no brokers", "name resolution", "server api version")
SHARED = ": cannot open shared object file"
MOST = 50
"""Exceptions that are looked at behind one."""
TEMPORARY = tempfile.gettempdir() + "/"
OURS = own_names()
STANDARD = frozenset(getattr(sys, "stdlib_module_names", ())) | frozenset(sys.builtin_module_names)
LIBRARY = sysconfig.get_paths()["stdlib"]


class Blame(NamedTuple):
    """What kept a test from telling anything, and what was looked for and not found."""

    cause: str = ""
    lacks: str = ""


def classify(error: BaseException) -> Blame:
    """Say what an exception, or one behind it, speaks of."""
    lacks = ""
    for found in _chain(error):
        try:
            blame = _blame(found)
        except Exception:  # noqa: BLE001, S112 - the project's exceptions may raise whenever they are looked at
            continue
        if blame.cause:
            return blame
        lacks = lacks or blame.lacks
    return Blame("", lacks)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Go through an exception and all behind it, those that it holds as well."""
    queue, seen = [error], {0}
    while queue and len(seen) < MOST:
        found = queue.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        try:
            held = [getattr(found, "reason", None), *found.args[:3], *getattr(found, "exceptions", ())]
        except Exception:  # noqa: BLE001 - as above
            held = []
        behind = [found.__cause__, found.__context__, *held]
        queue += [other for other in behind if isinstance(other, BaseException)]


def _blame(error: BaseException) -> Blame:
    if isinstance(error, ImportError):
        return _missing(error)
    if _deliberate(error):
        return Blame()
    if _from_client(error):
        return Blame("service")
    if isinstance(error, OSError):
        return _system(error)
    full = type(error).__module__ == "sqlite3" and "disk is full" in str(error)
    return Blame("memory" if isinstance(error, MemoryError) else "disk" if full else "")


def _missing(error: ImportError) -> Blame:
    if SHARED in str(error):
        return Blame("missing", str(error).partition(SHARED)[0])
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if not isinstance(name, str) or not name:
        return Blame()
    top = name.partition(".")[0]
    own = top in OURS or top in STANDARD or Path(LIBRARY, top + ".py").is_file() or Path(LIBRARY, top).is_dir()
    return Blame("" if own else "missing", name)


def _system(error: OSError) -> Blame:
    if error.errno in FULL:
        return Blame("disk")
    if error.errno == errno.ECONNREFUSED and not error.filename:
        return Blame("service")  # the machine was reached, and nobody listened there
    refused = error.errno in UNREACHABLE and not error.filename
    refused = refused or (error.errno in FORBIDDEN and not error.filename and _on_a_socket(error))
    late = isinstance(error, (socket.timeout, TimeoutError)) and str(error) == "timed out"
    if refused or late or isinstance(error, (socket.gaierror, socket.herror)):
        return Blame("network")
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        return _absent(error.filename)
    return Blame()


def _on_a_socket(error: OSError) -> bool:
    """Tell whether a call that was not permitted was one to a socket, by what the line names that made it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code, line, named = trace.tb_frame.f_code, 0, set()
    starts = dict(dis.findlinestarts(code))
    for step in dis.get_instructions(code):
        line = starts.get(step.offset) or line
        if line == trace.tb_lineno and step.opname in NAMING:
            named.add(step.argval)
    return not SOCKETS.isdisjoint(named)


def _absent(path: str) -> Blame:
    """Judge a file that is not there; one of the tree may be missing through the tree's own fault."""
    if path.startswith(TEMPORARY):
        return Blame()
    if "/" not in path:
        return Blame("", path)
    if path.startswith("/") and not in_tree(path):
        return Blame("missing" if not path.startswith(ROOT + "/") else "", path)
    return Blame("", relative(path))


def _deliberate(error: BaseException) -> bool:
    """Tell whether the project's own code, or a stand-in of its tests, raised this in so many words."""
    trace = error.__traceback__
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if not in_tree(code.co_filename) and not code.co_filename.endswith("/unittest/mock.py"):
        return False
    return bool(dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS")


def _from_client(error: BaseException) -> bool:
    if type(error).__module__.partition(".")[0] not in CLIENTS:
        return False
    return "Connect" in type(error).__name__ or any(word in str(error).lower() for word in CONNECTING)
