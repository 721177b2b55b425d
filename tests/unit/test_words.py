"""Variables are called after the thing they hold; no page and no comment has a retired word or form of sentence."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from pathlib import Path

import jinja2
import pytest
from dbt_common.clients.jinja import get_environment

from tests.tracked import list_files

ROOT = Path(__file__).parents[2]
VAGUE_NAMES = {"found", "known", "one", "some", "what"}
# Words and forms of sentences, and a better choice. A heading may begin with "What".
RETIRED = {
    r"(?<=[.!:;] )What [^.?|]*\.|^(?![#|]).{0,4}\bWhat [^.?|]*\.": "a component as the subject",
    r"\b[Ww]here (?:a|an|there is|there are|no|nothing|one|neither) (?!in\b)": "if",
    r"\b(?:[Oo]nly|[Aa]lso|[Ee]xcept|[Nn]one|NULL|null|empty) where (?!names\b)": "if",
    r"\b(?:told|tells)\b": "reports, shows, records",
    r"\banew\b": "again, from scratch",
    r"\bstand-ins?\b": "placeholder",
    r"\bbarriers?\b": "reset point",
    r"\bmisfits?\b": "cast failures",
    r"\bwhat is new\b|\bnews\b": "new changes, delta",
    r"\bin vain\b|\bof two, one\b": "the second run fails and has to be repeated",
    r"\bgoes on\b": "continues",
    r"\bthe feed's contract\b|\bcontract's module\b": "connector, source format",
}

# A docstring may begin with "What" or "Where", as a heading may. A place is "where a read begins".
NOT_IN_CODE = r"\b(?:begins?|is begun)\b"


@functools.cache
def read_names() -> tuple[list[str], list[str]]:
    """Each variable, argument and field that modules and macros bind, and each function, as file:line: name."""
    variables, functions = [], []
    for name in list_files("*.py"):
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                variables.append(f"{name}:{node.lineno}: {node.id}")
            elif isinstance(node, ast.arg):
                variables.append(f"{name}:{node.lineno}: {node.arg}")
            elif isinstance(node, ast.FunctionDef):
                functions.append(f"{name}:{node.lineno}: {node.name}")
    for name in list_files("macros/*.sql", "adapter/*.sql"):
        for node in get_environment().parse((ROOT / name).read_text(encoding="utf-8")).find_all(jinja2.nodes.Name):
            if node.ctx in ("store", "param"):
                variables.append(f"{name}:{node.lineno}: {node.name}")
    return variables, functions


@functools.cache
def read_paragraphs(page: str) -> list[str]:
    """Paragraphs, items and rows of tables, each in one line; blocks of code and code in the line are left out."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]*`", "``", text)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)", text)]


def read_python(name: str) -> list[str]:
    """Docstrings and comments of a module, each paragraph in one line; comments below each other are one."""
    text = (ROOT / name).read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    parts = [part for node in nodes for part in re.split(r"\n\s*\n|\n(?=\s*\w+: )", ast.get_docstring(node) or "")]
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comment = token.string.lstrip("# ")
            parts.append(f"{parts.pop()} {comment}" if token.start[0] == last + 1 else comment)
            last = token.start[0]
    return parts


@functools.cache
def read_comments(name: str) -> list[str]:
    """Comments of a macro, or comments and docstrings of a module; code in them is left out."""
    if name.endswith(".py"):
        parts = read_python(name)
    else:
        comments = re.findall(r"\{#-?(.*?)-?#\}", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        parts = [part for comment in comments for part in re.split(r"\n\s*\n", comment)]
    return [" ".join(re.sub(r"(`+)[^`]*\1", "``", part).split()) for part in parts]


def test_no_variable_has_a_name_that_says_nothing() -> None:
    vague = [variable for variable in read_names()[0] if variable.rsplit(" ", 1)[1] in VAGUE_NAMES]
    assert vague == [], "name the thing: versions, rejected_files, row, table"


def test_functions_begin_with_a_verb_not_with_of() -> None:
    nouns = [function for function in read_names()[1] if re.search(r": _*of_", function)]
    assert [noun for noun in nouns if not noun.startswith("python_udfs/pipeline/")] == []


def test_no_function_of_a_package_is_the_noun_of_something() -> None:
    """Packages whose functions are named by a verb: `sort_results`, not `outcome_of`."""
    packages = r"python_udfs/(?:alerts|codegen|discover|drift|explain|lineage|quality|retire|retype|run)/"
    nouns = [name for name in read_names()[1] if re.match(rf"{packages}.*: [a-z]\w*_of$", name)]
    assert nouns == [], "begin with a verb: read, list, write, find, judge"


@pytest.mark.parametrize(("form", "better"), RETIRED.items(), ids=RETIRED.values())
def test_no_page_has_a_retired_word(form: str, better: str) -> None:
    retired = [
        f"{name}: {match.group()}"
        for name in list_files("*.md")
        for paragraph in read_paragraphs(name)
        for match in re.finditer(form, paragraph)
    ]
    assert retired == [], f"better: {better}"


@pytest.mark.parametrize(("form", "better"), [item for item in RETIRED.items() if "What" not in item[0]])
def test_no_comment_and_no_docstring_of_the_product_has_a_retired_word(form: str, better: str) -> None:
    form = form.replace("[Ww]here", "where")
    retired = [
        f"{name}: {match.group()}"
        for name in list_files("python_udfs", "adapter", "macros", "models", "airflow", "deploy")
        if name.endswith((".py", ".sql"))
        for comment in read_comments(name)
        for match in re.finditer(rf"(?:{form})(?![^.,:;]*{NOT_IN_CODE})", comment)
    ]
    assert retired == [], f"better: {better}"
