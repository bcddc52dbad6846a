"""Loads what only some commands need."""

import gc
import sys
from importlib import import_module
from types import ModuleType


def load(module: str) -> ModuleType:
    """Import a module, and with it most of what is there; to look for garbage in it takes an eighth more."""
    if module in sys.modules:
        return sys.modules[module]
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        gc.enable()
