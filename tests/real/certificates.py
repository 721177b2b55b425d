"""Certificates of a test's own, made with openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path

from processes import ServerError

# Kafka's client of Java refuses the present encryption of keys (PBES2).
OLD = ("-v1", "PBE-SHA1-3DES")


class Authority:
    """An authority that nobody knows but the test.

    Args:
        folder: where its files are; an empty one.

    Attributes:
        certificate: its certificate, the PEM that clients trust.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self.certificate = folder, folder / "ca.pem"
        _openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
                 "-subj", "/CN=authority of a test", "-days", "2")  # fmt: skip

    def sign(self, name: str, password: str | None = None, *cipher: str) -> Path:
        """A key and its certificate for 127.0.0.1, in one PEM.

        Args:
            name: of the certificate, and of the file.
            password: of the key; None: it has none.
            cipher: how the key is encrypted, words of `openssl pkcs8`; else so that Java reads it, too.
        """
        _openssl(self._folder, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.plain",
                 "-out", f"{name}.csr", "-subj", f"/CN={name}")  # fmt: skip
        (self._folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        _openssl(self._folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2",
                 "-CAcreateserial", "-extfile", "names", "-out", f"{name}.crt")  # fmt: skip
        how = [*(cipher or OLD), "-passout", f"pass:{password}"] if password else ["-nocrypt"]
        _openssl(self._folder, "pkcs8", "-topk8", "-in", f"{name}.plain", "-out", f"{name}.key", *how)
        both = self._folder / f"{name}.pem"
        both.write_text("".join((self._folder / f"{name}.{kind}").read_text() for kind in ("key", "crt")))
        return both


def _openssl(folder: Path, *arguments: str) -> None:
    try:
        done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ServerError("openssl is missing: install it (Debian, Ubuntu: apt-get install openssl)") from None
    if done.returncode:
        raise ServerError(f"openssl {arguments[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
