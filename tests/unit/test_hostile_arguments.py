"""Every command with missing, odd and hostile arguments: no trace, a code of the table, bounded output, no control."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from python_udfs.cli.console import ExitCode

ODD = "\x1b[31m'\";$(touch pwned)\n\u202e../.."
LONG = "x" * 300
# By command, what it needs besides the folder of the project.
NEEDED = {"explain": ["t", "1"], "run": ["--result", "r.json"], "discover": ["nothing-here"]}
OWN = {
    "retire": [["--feeds", LONG], ["--feeds", ODD, "--tables", ODD]],
    "run": [["--result", LONG, "--feeds", ODD], ["--result", "file/x", "--feeds", "nope"]],
    "quality": [["--tables", ODD], ["--tables", LONG]],
    "lineage": [["--file", LONG], ["--file", "file/x"]],
    "watch": [["--every", "nan"], ["--every", ODD], ["--every", LONG]],
    "explain": [[ODD, ODD], [LONG, LONG]],
    "discover": [
        ["--feed", ODD, "--source", "mysql://u:s3cret@" + LONG],
        ["--feed", "f", "--source", "postgresql://u:s3@cret@h/x"],
        ["postgresql://u:s3@cret@h/x"],
        ["--feed", LONG, "--source", ODD],
        ["--feed", "f", "--source", LONG],
    ],
}
COMMANDS = ("codegen", "discover", "drift", "explain", "lineage", "quality", "report", "retire", "run", "watch")
DIRECTORIES = ("no-such-folder", "empty", "file", LONG, ODD)


def lines(command: str) -> Iterator[list[str]]:
    for directory in DIRECTORIES:
        # Without a project a watch has nothing to stop for.
        yield [*NEEDED.get(command, []), "--project-dir", directory]
    yield from (["--no-such-word"], [LONG, LONG, LONG], [ODD, ODD, ODD], ["--project-dir"], ["", "", ""])
    yield from ([*words, "--project-dir", "empty"] for words in OWN.get(command, []))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_in_words(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    Path("empty").mkdir()
    Path("file").write_text("x")
    main = importlib.import_module(f"python_udfs.{command}.__main__").main
    for words in lines(command):
        try:
            code = main(words)
        except SystemExit as stopped:
            code = stopped.code
        said = "".join(capsys.readouterr())
        assert code in list(ExitCode), (words, said)
        assert "Traceback" not in said, words
        assert "cret" not in said, words
        assert len(said) < 4000, (words, len(said))
        assert not any(character in said for character in "\x1b\u202e"), words
        assert said or code == 0, words
    assert not Path("pwned").exists()
