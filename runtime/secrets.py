"""Where the values of secrets come from: the environment, read once, and files, read again whenever they change."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mcpx.runtime.body import CredentialSource, EnvSource, FileSource, ProviderSource, SecretSource
from mcpx.runtime.errors import SecretUnavailable
from mcpx.runtime.files import NotRegularError, read_regular
from mcpx.runtime.names import value_fault
from mcpx.runtime.redacted import Secret

_MAX_BYTES: Final = 64 * 1024
_OPEN_TO_OTHERS: Final = 0o037
_SETTLED_NS: Final = 2_000_000_000


class SecretStore:
    """The secrets of one table on this machine.

    Every use of a file's secret looks at the file (a `stat`, no read unless it changed), so that a rotated key is in
    force with the next call and a useless one is refused at once: an older value is never used on.
    """

    def __init__(self, sources: Mapping[str, SecretSource], environment: Mapping[str, str]) -> None:
        """Read every secret once.

        Args:
            sources: where each secret is, by name; those of a provider are not kept here.
            environment: the variables of this process; looked at now and never again.
        """
        self._sources: dict[str, _Variable | _File | _Nowhere] = {}
        for name, source in sources.items():
            match source:
                case EnvSource(env=variable):
                    self._sources[name] = _Variable(variable, environment)
                case FileSource(file=path):
                    self._sources[name] = _File(path)
                case CredentialSource(credential=file):
                    self._sources[name] = _credential(file, environment)
                case ProviderSource():
                    continue

    def faults(self) -> tuple[str, ...]:
        """A clause for each secret that has no usable value now, naming it and its variable or file."""
        outcomes = ((name, source.look()) for name, source in self._sources.items())
        return tuple(f"secret `{name}`: {fault}" for name, fault in outcomes if isinstance(fault, str))

    def secret(self, name: str) -> Secret:
        """The secret as it is now; the same object for as long as its value is the same.

        Raises:
            SecretUnavailable: its file is missing or holds nothing usable.
        """
        outcome = self._sources[name].look()
        if isinstance(outcome, str):
            raise SecretUnavailable(f"secret `{name}`: {outcome}")
        return outcome


def _credential(name: str, environment: Mapping[str, str]) -> _File | _Nowhere:
    """A file of the directory that systemd names (systemd.exec, "Credentials"); read like any other file."""
    directory = environment.get("CREDENTIALS_DIRECTORY", "")
    if not directory.startswith("/"):
        return _Nowhere(f"credential {name}: CREDENTIALS_DIRECTORY names no directory")
    return _File(f"{directory.rstrip('/')}/{name}")


class _Nowhere:
    def __init__(self, fault: str) -> None:
        self._fault = fault

    def look(self) -> Secret | str:
        return self._fault


class _Variable:
    def __init__(self, variable: str, environment: Mapping[str, str]) -> None:
        value = environment.get(variable)
        fault = "is not set" if value is None else value_fault(value)
        # Kept as the secret or as the clause about it: the value of a useless one is not kept.
        self._outcome = f"environment variable {variable} {fault}" if fault else Secret(value or "")

    def look(self) -> Secret | str:
        return self._outcome


class _File:
    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._outcome: Secret | str = f"file {path} was not read"

    def look(self) -> Secret | str:
        with self._lock:
            try:
                if self._seen is None or self._seen != _signature(self._path.stat()):
                    self._read()
            except NotRegularError:
                self._forget("is not a regular file")
            except OSError as error:
                self._forget(f"cannot be read: {error.strerror}")
            return self._outcome

    def _read(self) -> None:
        content, status = read_regular(self._path, _MAX_BYTES)
        # A file that changed a moment ago may change again within the clock's tick: look into it until it is older.
        age = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
        self._seen = _signature(status) if age > _SETTLED_NS else None
        fault = _mode_fault(status.st_mode) or _content_fault(content)
        if fault is not None:
            self._outcome = f"file {self._path} {fault}"
            return
        value = _value(content)
        if not isinstance(self._outcome, Secret) or self._outcome.reveal() != value:
            self._outcome = Secret(value)

    def _forget(self, fault: str) -> None:
        self._seen = None
        self._outcome = f"file {self._path} {fault}"


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _value(content: bytes) -> str:
    """Without the one line feed that an editor leaves. Latin-1 maps every byte to itself, so that odd ones are seen."""
    return content.removesuffix(b"\n").decode("latin-1")


def _mode_fault(mode: int) -> str | None:
    return "must be readable by owner and group at most (mode 0640 or less)" if mode & _OPEN_TO_OTHERS else None


def _content_fault(content: bytes) -> str | None:
    if len(content) > _MAX_BYTES:
        return f"holds more than {_MAX_BYTES} bytes"
    return value_fault(_value(content))
