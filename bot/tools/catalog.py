"""Every tool that a model has."""

from typing import Any

from bot.tools.checks import RUN_CHECK
from bot.tools.command import RUN_COMMAND
from bot.tools.control import ASK, CHECKPOINT, FINISH, UPDATE_PLAN
from bot.tools.edit import EDIT_FILE, REPLACE_LINES
from bot.tools.files import CREATE_FILE, DELETE_FILE, LIST_FILES, MOVE_FILE, READ_FILE
from bot.tools.history import HISTORY, SHOW_CHANGES
from bot.tools.outline import FIND_SYMBOL, OUTLINE
from bot.tools.output import READ_OUTPUT
from bot.tools.patch import APPLY_PATCH
from bot.tools.project import PROJECT_CONFIG
from bot.tools.repair import LOCATE_FAULT, SEARCH_PATCH, TRY_PATCHES
from bot.tools.search import SEARCH_TEXT
from bot.tools.tool import Tool

ALL: tuple[Tool[Any], ...] = (
    LIST_FILES,
    READ_FILE,
    SEARCH_TEXT,
    OUTLINE,
    FIND_SYMBOL,
    EDIT_FILE,
    REPLACE_LINES,
    CREATE_FILE,
    DELETE_FILE,
    MOVE_FILE,
    APPLY_PATCH,
    SHOW_CHANGES,
    HISTORY,
    RUN_CHECK,
    RUN_COMMAND,
    LOCATE_FAULT,
    TRY_PATCHES,
    SEARCH_PATCH,
    PROJECT_CONFIG,
    READ_OUTPUT,
    UPDATE_PLAN,
    CHECKPOINT,
    ASK,
    FINISH,
)
