"""Where values come from that a table only refers to: settings and secrets."""

from __future__ import annotations

from dataclasses import dataclass

from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Setting:
    """Non-secret configuration, read from `variable` when the table is loaded."""

    name: str
    variable: str
    default: str | None
    choices: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EnvSource:
    """`env("X")`."""

    variable: str


@dataclass(frozen=True, slots=True)
class FileSource:
    """`file("/p")`."""

    path: str


@dataclass(frozen=True, slots=True)
class CredentialSource:
    """`credential("n")`: a file of systemd's `$CREDENTIALS_DIRECTORY`."""

    name: str


@dataclass(frozen=True, slots=True)
class ProviderSource:
    """`provider("name", "key")`: a plug-in of the host."""

    provider: str
    key: str


SecretSource = EnvSource | FileSource | CredentialSource | ProviderSource


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that only the runtime reads. `shared`: one secret may serve several servers.

    Attributes:
        per: the fields of its partition: there is one value for each combination of theirs.
    """

    name: str
    source: SecretSource
    shared: bool
    tags: tuple[str, ...]
    span: Span
    per: tuple[str, ...] = ()
