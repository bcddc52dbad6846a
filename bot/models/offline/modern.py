"""What could mend a complaint about something that was renamed or removed, and why not, where nothing could."""

import ast
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from bot.models.offline import methods
from bot.models.offline.bindings import Names
from bot.models.offline.complaints import Complaint, Kind
from bot.models.offline.coroutines import without_decorator
from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.encoding import name_encoding
from bot.models.offline.escapes import mend_escapes
from bot.models.offline.outdated import (
    Target,
    advice_on,
    beside,
    gone,
    gone_builtins,
    is_outdated,
    successor,
    target,
)
from bot.models.offline.renames import modernize, replace_builtin
from bot.models.offline.source import Mend, parse
from bot.models.offline.vocabulary import BUILTINS

LOOP = "asyncio.get_event_loop"
"""What a message about a missing event loop is about; it does not say so."""


def mends(text: str, complaint: Complaint, lines: Collection[int]) -> tuple[Mend, ...]:
    """Return what the tables have for a complaint about a file."""
    rule = RULES.get(complaint.kind)
    return tuple(mend for mend in rule(text, complaint, lines) if mend is not None) if rule else ()


def _member(text: str, complaint: Complaint, _: Collection[int]) -> tuple[Mend | None, ...]:
    dotted = f"{complaint.owner}.{complaint.wanted}"
    if dotted == "asyncio.coroutine":
        return (without_decorator(text),)
    return (modernize(text, beside(dotted)),) if is_outdated(dotted) else ()


def _module(text: str, complaint: Complaint, _: Collection[int]) -> tuple[Mend | None, ...]:
    return (modernize(text, {complaint.wanted}),) if is_outdated(complaint.wanted) else ()


def _name(text: str, complaint: Complaint, _: Collection[int]) -> tuple[Mend | None, ...]:
    return (replace_builtin(text, complaint.wanted),)


def _attribute(text: str, complaint: Complaint, lines: Collection[int]) -> tuple[Mend | None, ...]:
    return (methods.replace_method(text, lines, complaint.owner, complaint.wanted),)


def _keyword(text: str, complaint: Complaint, lines: Collection[int]) -> tuple[Mend | None, ...]:
    return (methods.replace_keyword(text, lines, complaint.wanted),)


def _coding(text: str, _: Complaint, lines: Collection[int]) -> tuple[Mend | None, ...]:
    return name_encoding(text, lines)


def _escape(text: str, _: Complaint, __: Collection[int]) -> tuple[Mend | None, ...]:
    return (mend_escapes(text),)


def _outdated(text: str, complaint: Complaint, lines: Collection[int]) -> tuple[Mend | None, ...]:
    tree = parse(text)
    if tree is None:
        return ()
    last = complaint.wanted.rpartition(".")[2]
    names = Names(tree)
    uses = _uses(names, complaint, lines)
    if any(advice_on(dotted) and not is_outdated(dotted) for dotted in uses):
        return ()
    known = [dotted for dotted in uses if is_outdated(dotted)]
    told = {dotted: new for dotted in uses if (new := _told(dotted, complaint))} if not known else {}
    object_ = methods.replace_method(text, lines, complaint.wanted.rpartition(".")[0], last)
    hint = complaint.hints[0].rpartition(".")[2] if complaint.hints else ""
    return (
        *(modernize(text, beside(dotted)) for dotted in known),
        modernize(text, (), told) if told else None,
        object_,
        methods.replace_method(text, lines, "", last, hint) if hint.isidentifier() and lines else None,
        methods.rename_keyword(text, lines, last, hint) if hint.isidentifier() and lines else None,
    )


def _uses(names: Names, complaint: Complaint, lines: Collection[int]) -> tuple[str, ...]:
    """Return the full names, in the statements of these lines, of what a complaint may be about."""
    last = complaint.wanted.rpartition(".")[2]
    found: dict[str, None] = {}
    for node in ast.walk(names.tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno in lines:
            found.update(dict.fromkeys(_imported(node)))
        if isinstance(node, ast.Name | ast.Attribute) and any(
            node.lineno <= line <= (node.end_lineno or line) for line in lines
        ):
            dotted = names.dotted(node)
            found.update({dotted: None} if dotted else {})
    plain = complaint.wanted.partition(".")[0]
    return tuple(
        dotted for dotted in found if dotted.rpartition(".")[2] == last or dotted.partition(".")[0] == plain == last
    )


def _imported(node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(item.name for item in node.names)
    return (*(f"{node.module}.{item.name}" for item in node.names), node.module or "")


def _told(dotted: str, complaint: Complaint) -> Target | None:
    """Read from a message what a name is called now: beside the old one, or under a full name of its own."""
    hint = complaint.hints[0] if complaint.hints else ""
    home = dotted.rpartition(".")[0]
    if not hint or not home:
        return None
    head, _, name = hint.rpartition(".")
    if not head and hint in BUILTINS:
        return target(f":{hint}")
    aliased = not head or head.rpartition(".")[2] in (home.rpartition(".")[2], *complaint.wanted.split("."))
    return Target(home, name) if aliased or len(head) < 3 else Target(head, name)  # noqa: PLR2004 - np, pd, tf


def renew(text: str, version: tuple[int, int]) -> Mend | None:
    """Write what stands in the place of everything that a release of Python lacks, all over a file."""
    found = modernize(text, gone(version))
    new = found.text if found else text
    found = without_decorator(new)
    new = found.text if found else new
    for name in sorted(gone_builtins()):
        found = replace_builtin(new, name)
        new = found.text if found else new
    return Mend(new, "use what Python has now") if new != text else None


def alike(text: str, old: str, new: str) -> bool:
    """Whether a file defines two functions that take the same arguments."""
    tree = parse(text)
    made = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)] if tree else []
    taken = {node.name: ast.unparse(node.args) for node in made if node.name in (old, new)}
    return len(taken) == 2 and taken[old] == taken[new]  # noqa: PLR2004 - the old and the new one


def recall(text: str, home: str, old: str, new: str) -> str:
    """Call a function by its new name; `home` is the module that defines both, empty for the file itself."""
    found = modernize(text, (), {f"{home}.{old}": Target(home, new)}) if home else None
    text = found.text if found else text
    tree = parse(text)
    if tree is None:
        return text
    ruler = Ruler(text)
    edits = [_called(call.func, old, new, ruler, own=not home) for call in ast.walk(tree) if isinstance(call, ast.Call)]
    return splice(text, [edit for edit in edits if edit is not None])


def _called(function: ast.expr, old: str, new: str, ruler: Ruler, *, own: bool) -> Edit | None:
    end = ruler.span(function)[1]
    named = isinstance(function, ast.Name) and own and function.id == old
    held = isinstance(function, ast.Attribute) and function.attr == old
    return Edit(end - len(old), end, new) if named or held else None


def concerns(complaint: Complaint) -> bool:
    """Whether a complaint is about something that the tables know, wherever it is used."""
    dotted = f"{complaint.owner}.{complaint.wanted}"
    match complaint.kind:
        case "module_member" | "import_name":
            return is_outdated(dotted) or bool(advice_on(dotted))
        case "module" | "name":
            return is_outdated(complaint.wanted) or bool(advice_on(complaint.wanted))
        case "attribute":
            owner, wanted = complaint.owner, complaint.wanted
            return bool(
                methods.renamed(owner, wanted) or methods.rows(owner, wanted) or methods.advice_on(owner, wanted)
            )
        case kind:
            return kind in RULES or kind == "missing"


def explain(text: str, complaint: Complaint, lines: Collection[int], *, evidence: bool) -> str:
    """Say why nothing is done by rule; empty when the tables know nothing about it."""
    known = _known_reason(text, complaint, lines)
    if known and not evidence:
        return known
    if evidence and (known or any(mend for mend in mends(text, complaint, lines))):
        what = next((mend.what for mend in mends(text, complaint, lines)), "")
        return f"{what or known}; tests and configuration are never edited here"
    return ""


def _known_reason(text: str, complaint: Complaint, lines: Collection[int]) -> str:
    wanted = complaint.wanted
    match complaint.kind:
        case "module_member" | "import_name":
            return _because(f"{complaint.owner}.{wanted}")
        case "module":
            return _reason_on_module(text, wanted)
        case "name":
            return _because(wanted)
        case "attribute":
            reason = methods.advice_on(complaint.owner, wanted)
            return f"`.{wanted}` {reason}" if reason else ""
        case "outdated" | "missing":
            return _reason_on(text, complaint, lines)
        case _:
            return ""


def _reason_on(text: str, complaint: Complaint, lines: Collection[int]) -> str:
    """Return why what stands on these lines is left as it is."""
    tree = parse(text)
    last = complaint.owner if complaint.kind == "missing" else complaint.wanted or LOOP
    uses = _uses(Names(tree), complaint._replace(wanted=last), lines) if tree is not None else ()
    return next((told for dotted in (*uses, last) if (told := _because(dotted))), "")


def _reason_on_module(text: str, module: str) -> str:
    """Return why a module, or what of it a file imports, is left as it is."""
    tree = parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)] if tree else []
    named = [dotted for node in nodes for dotted in _imported(node) if f"{dotted}.".startswith(f"{module}.")]
    told = dict.fromkeys(reason for dotted in named if not successor(dotted) and (reason := _because(dotted)))
    return next(iter(told), "") or _because(module)


def _because(dotted: str) -> str:
    reason = advice_on(dotted)
    return f"`{dotted}` {reason}" if reason else ""


RULES: Mapping[Kind, Callable[[str, Complaint, Collection[int]], tuple[Mend | None, ...]]] = MappingProxyType({
    "module_member": _member,
    "import_name": _member,
    "module": _module,
    "name": _name,
    "attribute": _attribute,
    "keyword": _keyword,
    "outdated": _outdated,
    "coding": _coding,
    "escape": _escape,
})  # fmt: skip
