"""Which files are made to hold secrets, told from their names, and whether a scope names one of them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.core.globs import glob_matches
from bot.core.shapes import words

_NAMES = words(
    """
        .envrc .netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .npmrc .pypirc .git-credentials .htpasswd
        .dockercfg .dockerconfigjson .vault-token .vault_pass .vault-pass .vault_pass.txt .boto .s3cfg .rclone.conf
        rclone.conf .smbcredentials .terraformrc credentials.tfrc.json kubeconfig local.settings.json auth.json
        token.json .token .credentials id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
        application_default_credentials.json netrc token.txt api_token api_key api_key.txt apikey.txt password.txt
    """
)
_ENDINGS = tuple(
    words(
        """
            .env .pem .key .p12 .pfx .p8 .jks .keystore .kdb .kdbx .ppk .pkcs12 .ovpn .gpg .agekey .jwk .tfstate
            .tfvars .tfstate.backup .publishsettings _rsa -rsa .rsa _ed25519 -ed25519 .ed25519
        """
    )
)
_EXAMPLE = re.compile(
    r"(?:.*[._-])?(?:env|tfvars)[._-](?:.*[._-])?(?:example|sample|template|dist|defaults?)(?:\.txt)?"
    r"|(?:.*[._-])?(?:example|sample|template)(?:[._-].*)?\.(?:env|tfvars)"
)
"""What shows which settings there are, without their values."""
_SPARE = re.compile(r"(?:~|\.(?:bak|old|orig|save|backup|copy|txt|\d))+")
"""What is put behind a name for a second copy."""
_SAYINGS = frozenset({"locale", "locales", "lang", "langs", "i18n", "l10n", "translations", "messages"})
"""Folders of words for people: their `auth.json` says what a button says."""
_PATTERN = re.compile(
    r"\.env[._-].*|\.credentials.*"
    r"|credentials(?:\.(?:json|ya?ml|toml|ini|csv|db|xml))?"
    r"|\.?secrets?\.(?:json|ya?ml|toml|ini|env|txt)"
    r"|(?:client[_-]?secret|(?:.*[._-])?service[_-]?account|.*firebase-adminsdk).*\.json"
    r"|(?:gha|application_default)[_-]creds?.*"
)
_PRIVATE_KEY = re.compile(r"(?:.*[._-]private[._-]?key|private[._-]?key[._-]).*")
_CODE = re.compile(r".*\.(?:py|pyi|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|cs|php|swift|md|rst)")
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker", ".oci", ".password-store"})
_STORES = ("credentials", "secret", "secrets", ".secret", ".secrets")

GLOBS = (
    *(f"**/{name}" for name in sorted(_NAMES)),
    *(f"**/*{ending}" for ending in _ENDINGS),
    *(f"**/{folder}/**" for folder in sorted(_FOLDERS)),
    *(f"**/{name}.{kind}" for name in _STORES for kind in ("json", "yaml", "yml", "toml", "ini", "csv", "env", "txt")),
    *(
        "**/.env[._-]*",
        "**/.credentials*",
        "**/credentials",
        "**/*client[_-]secret*.json",
        "**/*service*account*.json",
        "**/*firebase-adminsdk*.json",
    ),
)
"""Most of these names as globs, and some more, for a program that looks through past versions."""


def explain_secrecy(parts: Sequence[str]) -> str | None:
    """Say why a path, given as its folded names, is made to hold secrets."""
    *folders, name = parts
    if not _FOLDERS.isdisjoint(folders) or (".config" in folders and not {"gcloud", "gh"}.isdisjoint(folders)):
        return "lies in a folder made to hold secrets"
    if name.endswith(".json") and not _SAYINGS.isdisjoint(folders):
        return None
    return "is named like a file that holds secrets" if _sounds_secret(name) else None


def is_named(path: str, scope: Sequence[str]) -> bool:
    """Tell whether a scope names this very file or its kind: `config/.env.test` and `*.pem` do, `config/*` does not."""
    return any(glob_matches(glob, path) and any(map(_names_secret, glob.split("/"))) for glob in scope)


def _names_secret(part: str) -> bool:
    folded = part.casefold()
    return folded in _FOLDERS or any(map(_sounds_secret, (folded, folded.replace("*", ""))))


@lru_cache(maxsize=4096)
def _sounds_secret(name: str) -> bool:
    spare = next((found for found in _SPARE.finditer(name) if found.end() == len(name)), None)
    return _is_secret(name) or (spare is not None and _is_secret(name[: spare.start()]))


def _is_secret(name: str) -> bool:
    if name in _NAMES or name.endswith(_ENDINGS) or _PATTERN.fullmatch(name):
        return not _EXAMPLE.fullmatch(name)
    return "private" in name and bool(_PRIVATE_KEY.fullmatch(name)) and not _CODE.fullmatch(name)
