"""Which failures may pass by themselves, so that a scheduler tries again, and which wait for a person."""

from __future__ import annotations

import re

# Each is a part of what a real failure printed: tests/unit/test_run_causes.py. A failed test and bad data are not here.
_MAY_PASS = re.compile(
    "|".join(
        (
            # Another run: the lock of the warehouse, or a commit that came first.
            r"Another dbt command is writing to this warehouse",
            r"other commits came first",
            r"[Aa]nother run has (created|written)",
            r"\[?SQLITE_BUSY",
            # Network: Java's, AWS's and Kafka's words.
            r"Connection (refused|reset|timed out)",
            r"ConnectException|SocketTimeoutException|NoRouteToHostException|UnknownHostException",
            r"[Rr]ead timed out|Unable to execute HTTP request",
            r"SlowDown|Service ?Unavailable|Too ?Many ?Requests|ThrottlingException",
            r"_TRANSPORT|_ALL_BROKERS_DOWN|Local: (Timed out|Broker transport failure)",
            # A machine of the cluster went away.
            r"ExecutorLostFailure|Lost task .*FetchFailed",
        )
    )
)
# A secret that is wrong stays wrong, even if the client says afterwards that no broker answers.
_IS_REFUSED = re.compile(
    r"[Aa]uthenti(cation|cate)|SASL|_AUTHENTICATION|[Uu]nauthorized|[Ff]orbidden|password"
    r"|Access ?Denied|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|SSL handshake|certificate"
)


def may_pass(message: str) -> bool:
    """Whether the same command may succeed later although nobody has done anything.

    Args:
        message: what a model or a command of dbt failed with.
    """
    return bool(_MAY_PASS.search(message)) and not _IS_REFUSED.search(message)
