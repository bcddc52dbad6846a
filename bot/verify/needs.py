"""What a check needs and is not here: asked where the check would run, before anything of the project does."""

from bot.core.check import Check
from bot.verify.place import Place, one_line

_ASK = r"""
for need do
  case $need in
    python:*) "$GIT_AGENT_PYTHON" -I -c '
import importlib.util, sys
try:
    found = importlib.util.find_spec(sys.argv[1]) is not None
except (ImportError, ValueError, AttributeError):
    found = False
sys.exit(not found)' "${need#python:}" >/dev/null 2>&1 || printf '%s\n' "$need" ;;
    */*) [ -e "$need" ] || printf '%s\n' "$need" ;;
    *) command -v "$need" >/dev/null 2>&1 || printf '%s\n' "$need" ;;
  esac
done >"/dev/fd/$GIT_AGENT_REPORT_FD"
printf 'end\n' >>"/dev/fd/$GIT_AGENT_REPORT_FD"
"""


def lacking(check: Check, place: Place) -> str:
    """Say what is not here of all that a check needs; empty when all is. Raises SandboxUnavailable."""
    if not check.needs:
        return ""
    asked = check.model_copy(update={"timeout": 60.0, "network": False})
    python = (("GIT_AGENT_PYTHON", str(place.interpreter.path)),)
    done = place.execute(asked, ("/bin/sh", "-c", _ASK, "sh", *check.needs), "own", environment=python)
    lines = done.report.decode("utf-8", "backslashreplace").splitlines()
    if not lines or lines[-1] != "end":
        return "it could not be found out whether what the check needs is here"
    missing = [_words(line) for line in lines[:-1] if line in check.needs]
    return f"it needs {one_line(', '.join(missing))}, which is not here" if missing else ""


def _words(need: str) -> str:
    kind, colon, module = need.partition(":")
    if colon and kind == "python":
        return f"the Python module {module}"
    return f"the path {need}" if "/" in need else f"the program {need}"
