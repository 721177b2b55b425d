"""A schema registry of a test's own: a small HTTP server that answers as Confluent's does, from memory.

The paths and error codes are those of docs.confluent.io, "Schema Registry API reference". It accepts any schema.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from confluent_kafka.schema_registry import SchemaRegistryClient, topic_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext


class Registry:
    """The registry; its attributes may be changed while it runs.

    Attributes:
        url: where it is.
        login: `user:password` that it asks for; None: nothing.
        asked: the ids that were asked for.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.login: str | None = None
        self.asked: list[int] = []
        self._schemas: dict[int, dict[str, Any]] = {}
        self._subjects: dict[str, list[int]] = {}

    def register(self, subject: str, schema: dict[str, Any]) -> int:
        """The id of a schema, `{"schema": text, "schemaType": …}`; a new one if it has none."""
        number = next(
            (number_of for number_of, stored in self._schemas.items() if stored == schema), len(self._schemas) + 1
        )
        self._schemas[number] = schema
        versions = self._subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def serialize(self, topic: str, schema: dict[str, Any], value: Any, field: str = MessageField.VALUE) -> bytes:
        """A message as Confluent's own serializer writes it."""
        client = SchemaRegistryClient({"url": self.url, **({"basic.auth.user.info": self.login} if self.login else {})})
        serializer = AvroSerializer(
            client, json.dumps(schema), conf={"subject.name.strategy": topic_subject_name_strategy}
        )
        message = serializer(value, SerializationContext(topic, field))
        assert message is not None
        return message

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and content for a request."""
        if match := re.fullmatch(r"/schemas/ids/(\d+)", path):
            self.asked.append(int(match[1]))
            text = self._schemas.get(int(match[1]))
            return (200, text) if text else (404, {"error_code": 40403, "message": "Schema not found"})
        if match := re.fullmatch(r"/subjects/([^/]+)/versions/(\d+)", path):
            versions = self._subjects.get(match[1], [])
            if not 0 < int(match[2]) <= len(versions):
                return 404, {"error_code": 40402, "message": "Version not found"}
            number = versions[int(match[2]) - 1]
            return 200, {"subject": match[1], "version": int(match[2]), "id": number, **self._schemas[number]}
        if method == "POST" and (match := re.fullmatch(r"/subjects/([^/]+)/versions", path)):
            return 200, {"id": self.register(match[1], {key: body[key] for key in body if key.startswith("schema")})}
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}


@contextmanager
def started() -> Iterator[Registry]:
    """A registry until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            wanted = registry.login and f"Basic {base64.b64encode(registry.login.encode()).decode()}"
            if wanted and self.headers.get("Authorization") != wanted:
                status, content = 401, {"error_code": 401, "message": "Unauthorized"}
            else:
                path = self.path.partition("?")[0]
                status, content = registry.answer(method, path, json.loads(body) if body else {})
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments: Any) -> None:
            """Nothing: the tests have their own reports."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry = Registry(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
