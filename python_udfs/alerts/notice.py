"""Calls a webhook and a command with what begins and what is over: one call of each for all incidents of a look.

| variable | value |
|---|---|
| `DBT_ENV_SECRET_ALERT_WEBHOOK` | address that gets an HTTP POST with JSON |
| `DBT_ENV_SECRET_ALERT_AUTHORIZATION` | value of its header `Authorization` |
| `LAKEHOUSE_ALERT_COMMAND` | a program and its arguments, which gets the same JSON on standard input |
| `LAKEHOUSE_ALERT_TIMEOUT` | seconds that each of both may take (default 5) |

dbt hides the values of variables that begin with DBT_ENV_SECRET_ in its logs; here no message holds one of them.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import shlex
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from python_udfs.alerts.incidents import Incident
from python_udfs.cli.console import counted
from python_udfs.errors import LakehouseError

WEBHOOK = "DBT_ENV_SECRET_ALERT_WEBHOOK"
AUTHORIZATION = "DBT_ENV_SECRET_ALERT_AUTHORIZATION"
COMMAND = "LAKEHOUSE_ALERT_COMMAND"
TIMEOUT = "LAKEHOUSE_ALERT_TIMEOUT"
SECONDS = 5.0
RUNBOOK = "docs/runbook"
# Of a storm so many are sent one by one: those that begin before those that end.
MOST = 20
LONGEST_TEXT = 300
HEADINGS = {
    "failure": "failures.md#a-model-or-test-fails",
    "test_error": "failures.md#a-test-stops-with-an-error",
    "lag": "failures.md#lag-over-its-limit",
    "quarantine": "quarantine.md#rows-in-quarantine",
    "reload": "reload.md#a-reload-that-waits",
    "gap": "failures.md#a-gap-in-kafka",
    "log": "lost_slot.md#the-slot-was-lost",
    "snapshot": "lost_slot.md#the-slot-was-lost",
}


class NoticeError(LakehouseError):
    """A webhook or command did not take it; the text holds no secret."""


def is_wanted() -> bool:
    """Whether a webhook or a command is set."""
    return bool(os.environ.get(WEBHOOK) or os.environ.get(COMMAND))


def send(
    events: Sequence[tuple[str, Incident]], now: datetime, environment: Mapping[str, str] = os.environ
) -> tuple[bool, list[str]]:
    """Calls what is set, each for the time that it may take at most.

    Args:
        events: `opened` or `ended`, and the incident.
        now: UTC.
        environment: variables, see above.

    Returns:
        Whether one of the two took it, and a sentence for each problem, without a secret.
    """
    calls: dict[str, Callable[[float], None]] = {}
    body = json.dumps(payload(events, now), ensure_ascii=False).encode()
    if environment.get(WEBHOOK):
        calls["webhook"] = lambda seconds: _post(environment, body, seconds)
    if environment.get(COMMAND):
        calls["command"] = lambda seconds: _run(environment[COMMAND], body, seconds)
    problems = []
    try:
        seconds = _timeout(environment)
    except NoticeError as error:
        problems, seconds = [str(error)], SECONDS
    is_taken = False
    for name, call in calls.items():
        reason = _call_within(seconds, call)
        is_taken = is_taken or not reason
        if reason:
            problems.append(f"The {name} of alerts ({_name_source(name, environment)}) did not take it: {reason}.")
    return is_taken, problems


def payload(events: Sequence[tuple[str, Incident]], now: datetime) -> dict[str, Any]:
    """Returns the message: a text under the name that Slack and Mattermost read, and the first `MOST` events."""
    begun = sum(event == "opened" for event, _ in events)
    sent = sorted(events, key=lambda each: each[0] != "opened")[:MOST]
    lines = [
        f"{event}: {incident.kind} of {_plain(incident.subject)}: {_plain(incident.message)}".rstrip()
        for event, incident in sent
    ]
    if len(events) > MOST:
        lines.append(
            f"and {len(events) - MOST:,} more: {counted(begun, 'incident')} opened, {len(events) - begun:,} ended;"
            " all are in etl_metadata.incidents"
        )
    return {
        "text": "\n".join(lines),
        "sent_at": now.isoformat(),
        "opened": begun,
        "ended": len(events) - begun,
        "incidents": [
            {
                "event": event,
                "kind": incident.kind,
                "subject": incident.subject,
                "silver_table": incident.silver_table,
                "message": incident.message,
                "command": incident.command,
                "opened_at": incident.opened_at.isoformat(),
                "ended_at": incident.ended_at.isoformat() if incident.ended_at else None,
                "runbook": f"{RUNBOOK}/{HEADINGS[incident.kind]}",
            }
            for event, incident in sent
        ],
    }


def _plain(text: str) -> str:
    """Text of a message for a chat: one line, which mentions nobody, links nowhere and has no markup.

    Slack reads `&`, `<` and `>` (its page "Formatting text for app surfaces"); Slack and Mattermost take what stands
    between backticks as it is.
    """
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    line = line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"
    for character, by in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("`", "'")):
        line = line.replace(character, by)
    return f"`{line}`" if line else ""


def _call_within(seconds: float, call: Callable[[float], None]) -> str | None:
    """Returns the error in words. A server that sends a byte each second keeps to no time, nor does the resolver."""
    problems: list[str] = []

    def work() -> None:
        try:
            call(seconds)
        except NoticeError as error:
            problems.append(str(error))
        except Exception as error:  # whatever goes wrong: a build does not fail for an alert
            problems.append(type(error).__name__)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds + 0.5)
    if thread.is_alive():
        return f"no answer in {seconds:g} s"
    return problems[0] if problems else None


def _post(environment: Mapping[str, str], body: bytes, seconds: float) -> None:
    url, headers = _address(environment[WEBHOOK])
    headers |= {"Content-Type": "application/json", "User-Agent": "cdc-lakehouse"}
    if environment.get(AUTHORIZATION):
        headers["Authorization"] = environment[AUTHORIZATION]
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with _OPENER.open(request, timeout=seconds):
            pass
    except urllib.error.HTTPError as error:
        error.close()
        raise NoticeError(f"it answered {error.code}; expected 200 to 299") from None
    except TimeoutError:
        raise NoticeError(f"no answer in {seconds:g} s") from None
    except urllib.error.URLError as error:
        raise NoticeError(_words(error.reason)) from None
    except http.client.RemoteDisconnected:
        raise NoticeError("it closed the connection without an answer") from None
    except (http.client.HTTPException, OSError) as error:
        raise NoticeError(_words(error)) from None


def _address(url: str) -> tuple[str, dict[str, str]]:
    """An address without user and password, and the header that has them: urllib would ask a resolver for all three."""
    try:
        parts = urlsplit(url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        is_good = parts.hostname and (parts.port or True) and "@" not in parts.path
    except ValueError:
        is_good = False
    if not is_good:
        raise NoticeError("received no valid address; expected https://host/path, user and password percent-encoded")
    if parts.scheme not in ("http", "https"):
        raise NoticeError("received an address that begins with neither http:// nor https://")
    if parts.username is None:
        return url, {}
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), {"Authorization": f"Basic {basic}"}


def _words(reason: object) -> str:
    """Returns the reason, without the address."""
    if isinstance(reason, OSError):
        # Of TLS: what the certificate lacks, or what the other side does not speak.
        said = getattr(reason, "verify_message", None) or getattr(reason, "reason", None) or reason.strerror
        return str(said) if said else type(reason).__name__
    return reason if isinstance(reason, str) else type(reason).__name__


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection of a POST would become a GET without the message, perhaps to somebody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _run(command: str, body: bytes, seconds: float) -> None:
    try:
        words = shlex.split(command)
        # A session of its own: what the command has started is stopped with it. Nobody reads what it prints.
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except ValueError as error:
        raise NoticeError(f"it is no command line: {error}") from None
    except OSError as error:
        raise NoticeError(error.strerror or type(error).__name__) from None
    with process:
        try:
            process.communicate(body, timeout=seconds)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise NoticeError(f"it did not end in {seconds:g} s, and was stopped") from None
    if process.returncode:
        raise NoticeError(f"it ended with exit code {process.returncode}; expected 0")


def _timeout(environment: Mapping[str, str]) -> float:
    text = environment.get(TIMEOUT)
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 60:
        raise NoticeError(f"{TIMEOUT} is {text}; expected seconds, above 0 and up to 60. {SECONDS:g} s are taken.")
    return seconds


def _name_source(name: str, environment: Mapping[str, str]) -> str:
    """Which one, without its path and query, which are secret, or its arguments, which may be."""
    if name == "command":
        return (environment[COMMAND].split() or [""])[0]
    with suppress(NoticeError, ValueError):
        return urlsplit(_address(environment[WEBHOOK])[0]).hostname or "no address"
    return "no address"
