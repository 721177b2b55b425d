"""A real browser for pages: Debian's Chromium without a window, driven through its debugging pipe."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from databases import programs
from processes import ServerError

CHROMIUM = (("chromium",), ("chromium",))
SECONDS = 60


class Browser:
    """One tab.

    Args:
        profile: an empty folder.

    Attributes:
        events: what the browser reported since the last `open`, as in Chromium's protocol.
    """

    def __init__(self, profile: Path) -> None:
        executable = programs(*CHROMIUM)["chromium"]
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
        ]
        # The pipe's ends are file descriptors 3 and 4.
        words = ["bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", executable]
        self._process = subprocess.Popen(
            [*words, "--remote-debugging-pipe", f"--user-data-dir={profile}", *arguments, "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number = b"", 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        tab = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """A method of Chromium's protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ServerError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path: Path, width: int, *, height: int = 900, scheme: str = "light", media: str = "screen") -> None:
        """Loads a file in a window of so many pixels."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def problems(self) -> list[str]:
        """Errors and warnings of the page, and what it asked for besides itself."""
        texts = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                texts.append(json.dumps(parameters))
            elif event.get("method") == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if parameters["type"] != "Document" and not url.startswith("data:"):
                    texts.append(url)
        return texts

    def print(self, path: Path) -> None:
        """Prints the page as PDF."""
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        path.write_bytes(base64.b64decode(data["data"]))

    def close(self) -> None:
        """Ends the browser."""
        self._session = None
        self.call("Browser.close")
        self._process.wait(SECONDS)
        os.close(self._out)
        os.close(self._in)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._in, 1 << 20)
            if not part:
                raise ServerError("Chromium ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer
