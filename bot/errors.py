"""Everything that can go wrong on purpose, sorted by who has to act.

* AgentError
  x UsageError              the person: one line, exit 2
    + ConfigError, NotARepository, OrderError
  x ToolError               the model: becomes a tool result, the run goes on
    + UnknownTool, BadArguments, NotFound, NoMatch, TooLarge
    + Denied, Unverified
  x ModelError              the loop: retried within the bounds of core/recovery
    + ModelUnavailable      at fault itself; the same request may work later
      - ModelUnreachable, ModelTimeout, ModelLimited, ModelOverloaded, StreamCut, StreamStalled
    + MalformedReply, ContextOverflow
    + ModelRejected         this request will never be answered as it is
      - ModelDenied, QuotaExhausted, ModelUnknown, ModelRefused
  x WorkspaceError          nobody can go on: stop, keep the scene
    + GitFailed, SandboxUnavailable
    + RepositoryChanged     configuration or hooks changed under a command
    + Unprepared            what the project declares to make its trees ready failed on one
  x ForgeError              the work is safe on its branch, delivery is not
    + ForgeUnavailable      unreachable, at fault itself or too slow; what became of the request is not known
      - ForgeLimited        too many requests; nothing was done
    + MalformedAnswer       an answer that is not one
    + ForgeDenied           the token is not valid, or may not do this
    + ForgeNotFound         not there, no longer there, or hidden from the token
    + ForgeRejected         this request will never be carried out as it is
"""

from typing import ClassVar, Literal, NamedTuple, TypeAlias

DeniedFor: TypeAlias = Literal["token", "permission", "setting", "other"]
"""Why a forge denies: the token is not valid, it lacks a permission, a setting forbids it to any, anything else."""
RejectedFor: TypeAlias = Literal[
    "nothing", "exists", "too_long", "unresolved", "protected", "conflict", "draft", "other"
]
"""Why a forge rejects: nothing to merge, there already, over a limit, not known yet, its state, no drafts here …"""


class AgentError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        """What the person can type or change next; empty when there is nothing to say."""


class UsageError(AgentError):
    """The request cannot be carried out as it was made."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting, a flag or a file that we were given does not fit."""


class NotARepository(UsageError):
    """There is no repository here, or none that we can work in."""


class OrderError(UsageError):
    """What was ordered on a page is not there to be done; no run was made, and nothing is broken."""


class ToolError(AgentError):
    """A tool call did not work out; the model is told and may try something else."""

    kind: ClassVar[str] = "failed"


class UnknownTool(ToolError):
    """There is no tool of that name."""

    kind = "unknown_tool"


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema, or could not be parsed."""

    kind = "bad_arguments"


class NotFound(ToolError):
    """The file, symbol or reference is not there."""

    kind = "not_found"


class NoMatch(ToolError):
    """The text to replace is not there, or not unique."""

    kind = "no_match"


class TooLarge(ToolError):
    """More than a tool may read or write at once."""

    kind = "too_large"


class Denied(ToolError):
    """Policy or a person said no."""

    kind = "denied"


class Unverified(ToolError):
    """The tree as it stands has not been proved."""

    kind = "unverified"


class Billed(NamedTuple):
    """What a request cost that was not answered: tokens, and US dollars."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0


FREE = Billed()


class Interrupted(KeyboardInterrupt):
    """A person or a system stopped us while a model answered, which has to be paid all the same."""

    def __init__(self, billed: Billed) -> None:
        super().__init__()
        self.billed = billed


class ModelError(AgentError):
    """The model service did not give a usable reply."""

    kind: ClassVar[str] = "model"

    def __init__(self, message: str, hint: str = "", *, wait: float | None = None, billed: Billed = FREE) -> None:
        super().__init__(message, hint)
        self.wait = wait
        """Seconds that the service asked us to wait, when it did."""
        self.billed = billed
        """What it cost all the same, as far as that is known."""


class ModelUnavailable(ModelError):
    """The service is at fault itself; the same request may work later."""

    kind = "unavailable"


class ModelUnreachable(ModelUnavailable):
    """Nobody is there: no such host, refused, reset before an answer, no secure connection."""

    kind = "unreachable"


class ModelTimeout(ModelUnavailable):
    """The answer did not begin in time."""

    kind = "timeout"


class ModelLimited(ModelUnavailable):
    """More requests or tokens than the service gives in a while."""

    kind = "limited"


class ModelOverloaded(ModelUnavailable):
    """The service is too busy for anybody."""

    kind = "overloaded"


class StreamCut(ModelUnavailable):
    """The answer broke off before its end."""

    kind = "cut"


class StreamStalled(ModelUnavailable):
    """The answer began, and neither goes on nor ends."""

    kind = "stalled"


class MalformedReply(ModelError):
    """The service answered with something that is not a reply."""

    kind = "malformed"


class ContextOverflow(ModelError):
    """The prompt does not fit the model's window."""

    kind = "overflow"


class ModelRejected(ModelError):
    """The service will not answer this request as it is, however often it is sent."""

    kind = "rejected"


class ModelDenied(ModelRejected):
    """The credentials are missing, wrong, or not for this."""

    kind = "credentials"


class QuotaExhausted(ModelRejected):
    """Nothing is left to pay with."""

    kind = "quota"


class ModelUnknown(ModelRejected):
    """There is no such model, or no such service at the address."""

    kind = "unknown_model"


class ModelRefused(ModelRejected):
    """The service does not answer this for what it is about."""

    kind = "refused"


class WorkspaceError(AgentError):
    """The workspace cannot be trusted or used any more."""


class GitFailed(WorkspaceError):
    """A git command failed."""


class RepositoryChanged(WorkspaceError):
    """The repository's configuration or hooks changed while a command ran."""


class SandboxUnavailable(WorkspaceError):
    """The required isolation cannot be had on this machine."""

    exit_code = 2


class Unprepared(WorkspaceError):
    """What a project declares to make its trees ready failed on one of them: a verdict on that tree, not the end."""


class ForgeError(AgentError):
    """The forge did not take what we sent; the work is safe on its branch."""


class ForgeUnavailable(ForgeError):
    """The forge cannot be reached, is at fault itself or too slow; the same request may work later."""

    def __init__(self, message: str, hint: str = "", *, wait: float | None = None) -> None:
        super().__init__(message, hint)
        self.wait = wait
        """Seconds that it asked us to wait, when it did."""


class ForgeLimited(ForgeUnavailable):
    """The forge takes no more requests for a while; this one was not carried out."""


class MalformedAnswer(ForgeError):
    """The forge answered with something that is not an answer."""


class ForgeDenied(ForgeError):
    """The token is not valid, or may not do this."""

    def __init__(self, message: str, hint: str = "", *, cause: DeniedFor = "other", permission: str = "") -> None:
        super().__init__(message, hint)
        self.cause = cause
        self.permission = permission
        """What is missing, as it is written in a workflow; empty where that is not known."""

    @property
    def setting(self) -> bool:
        """Whether it is a setting that forbids it, whatever the token may do."""
        return self.cause == "setting"


class ForgeNotFound(ForgeError):
    """It is not there, no longer there, or hidden from the token."""


class ForgeRejected(ForgeError):
    """The forge will not carry out this request, however often it is sent."""

    def __init__(self, message: str, hint: str = "", *, reason: RejectedFor = "other") -> None:
        super().__init__(message, hint)
        self.reason = reason
