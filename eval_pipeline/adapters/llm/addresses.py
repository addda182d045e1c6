"""The address of an endpoint, made from a configured base URL."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx

from eval_pipeline.domain.errors import DefinitionError

_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Address:
    """Where chat completions are.

    Attributes:
        url: The whole address, without credentials.
        shown: The address for messages: without credentials and without its query.
        user, password: The credentials that the base URL carried.
    """

    url: str
    shown: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def basic_authorization(self) -> str | None:
        """The value of the Authorization header for the credentials of the address."""
        if self.user is None:
            return None
        pair = f"{self.user}:{self.password or ''}"
        return f"Basic {b64encode(pair.encode()).decode()}"


def completions_address(base_url: str) -> Address:
    """The address of chat completions under a base URL.

    The base URL goes up to and including the version (`https://host/v1`); a bare host gets `/v1`; an
    address that already ends in `/chat/completions` is taken as it is. A query is kept.

    Raises:
        DefinitionError: It is no HTTP address. Credentials in it are not shown.
    """
    fault = DefinitionError(f"base_url '{_harmless(base_url)}' is no address such as https://host/v1")
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise fault from None
    if parts.scheme not in ("http", "https") or not host:
        raise fault
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith(_PATH):
        path += _PATH
    bracketed = f"[{host}]" if ":" in host else host
    place = bracketed if port is None else f"{bracketed}:{port}"
    shown = urlunsplit((parts.scheme, place, path, "", ""))
    url = urlunsplit((parts.scheme, place, path, parts.query, ""))
    try:
        httpx.URL(url)
    except httpx.InvalidURL:
        raise fault from None
    if any(char.isspace() for char in url):
        raise fault
    user = unquote(parts.username) if parts.username is not None else None
    return Address(url, shown, user, unquote(parts.password) if parts.password is not None else None)


def _harmless(base_url: str) -> str:
    """What may be shown of a base URL that cannot be taken apart."""
    return base_url.rpartition("@")[2].partition("?")[0]
