"""The keyword arguments that Python's own functions take."""

import builtins
import csv
import dataclasses
import datetime as dt
import functools
import inspect
import io
import itertools
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType

_LOADED: tuple[ModuleType, ...] = (
    builtins, csv, dataclasses, dt, functools, io, itertools, json, logging, os, pathlib, re, shutil, subprocess,
    tempfile, textwrap,
)  # fmt: skip
_MORE = {
    "Popen.__init__": frozenset({"capture_output", "check", "input", "timeout"}),
    "__new__": frozenset({"days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"}),
    "int": frozenset({"base"}),
    "max": frozenset({"key", "default"}),
    "min": frozenset({"key", "default"}),
}
"""Of functions whose signature is not told, or in whose place another one complains."""


def keywords_of(owner: str) -> frozenset[str]:
    """Return the keywords that functions and methods of that name take; empty when Python brings no such one."""
    place, _, name = owner.rpartition(".")
    found = set(_MORE.get(owner, ()))
    for function in _named(place.rpartition(".")[2], name):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            continue
        found |= {one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    return frozenset(found - {"self", "cls"})


def _named(place: str, name: str) -> Iterator[Callable[..., object]]:
    for module in _LOADED:
        if not place and callable(known := vars(module).get(name)):
            yield known
        for kind in vars(module).values():
            if isinstance(kind, type) and place in ("", kind.__name__) and callable(member := vars(kind).get(name)):
                yield member
