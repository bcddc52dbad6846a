"""A key as it can be sent."""

from bot.errors import ModelDenied


def check_key(key: str, where: str = "the key") -> str:
    """Return a key that can stand in a header. Raises ModelDenied."""
    if not key:
        raise ModelDenied(f"{where} is missing")
    problem = (
        "holds letters that no key has"
        if not key.isascii()
        else "holds spaces or line ends"
        if any(c.isspace() for c in key)
        else "holds characters that cannot be seen"
        if not key.isprintable()
        else ""
    )
    if problem:
        raise ModelDenied(f"{where} {problem}", "copy it again from the service's page, without anything around it")
    return key
