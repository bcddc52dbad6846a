"""Who asks, who may what, and the repository itself."""

from tests.hub.calls import Answer, Call, Refused, route
from tests.hub.world import ROLES

POWERS = ("admin", "maintain", "push", "triage", "pull")
HOLDERS = {"admin": 5, "maintain": 4, "write": 3, "triage": 2, "read": 1, "none": 0}


@route("GET", "//user")
def user(call: Call) -> Answer:
    """Who the token is; an installation is nobody."""
    if call.token.installation:
        raise Refused(403, "Resource not accessible by integration")
    return Answer(200, call.shapes.account(call.token.account) | {"user_view_type": "public"})


@route("GET", "//users/{username}")
def somebody(call: Call) -> Answer:
    """An account by its login."""
    account = call.world.accounts.get(call.params["username"].lower())
    if account is None:
        raise Refused(404, "Not Found")
    return Answer(200, call.shapes.account(account) | {"user_view_type": "public"})


@route("GET", "//rate_limit")
def rate_limit(call: Call) -> Answer:
    """What is left of the hour."""
    left = {"limit": 5000, "used": 1, "remaining": 4999, "reset": int(call.world.now()) + 3600}
    return Answer(200, {"resources": {"core": left, "search": left}, "rate": left})


@route("GET", "", "metadata=read")
def repository(call: Call) -> Answer:
    """The repository."""
    level = HOLDERS[call.world.role(call.token.account.login)[0]] if not call.token.installation else 0
    powers = {name: level >= 5 - at for at, name in enumerate(POWERS)}
    return Answer(200, call.shapes.repository() | {"permissions": powers, "subscribers_count": 1, "network_count": 0})


@route("GET", "/collaborators/{username}/permission", "metadata=read")
def permission(call: Call) -> Answer:
    """What somebody may; bots are not users."""
    login = call.params["username"]
    account = call.world.accounts.get(login.lower())
    if account is None or account.kind == "Bot":
        raise Refused(404, f"{login} is not a user")
    if not call.token.installation and HOLDERS[call.world.role(call.token.account.login)[0]] < HOLDERS["write"]:
        raise Refused(403, "Must have push access to view collaborator permission.")
    role, name = call.world.role(login)
    powers = {power: HOLDERS[role] >= 5 - at for at, power in enumerate(POWERS)}
    person = call.shapes.account(account) | {"permissions": powers, "role_name": name}
    return Answer(200, {"permission": ROLES[role], "role_name": name, "user": person})


@route("GET", "/collaborators/{username}", "metadata=read")
def collaborator(call: Call) -> Answer:
    """Whether somebody is one."""
    if call.params["username"].lower() not in call.world.roles:
        raise Refused(404, "Not Found")
    return Answer(204)
