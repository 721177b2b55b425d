"""Takes feeds and tables out of the project: `make retire`. ``python -m python_udfs.retire``.

Their rows of the seeds and their models go, and the sample's gold models that read them. A gold model of the user's
that reads them is named, and nothing goes. Their tables stay, unless they are to be dropped. Files that have landed are
only read, and stay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from python_udfs.cli.console import add_project_dir, argument_parser, counted, run_command, say
from python_udfs.cli.dbt import Dbt
from python_udfs.codegen.__main__ import main as make_models
from python_udfs.codegen.gold_files import find_readers, list_gold_files
from python_udfs.metadata import load_metadata
from python_udfs.paths import PROJECT_ROOT
from python_udfs.retire.seeds import find_retired, remove_rows, require_samples


def main(arguments: Sequence[str] | None = None) -> int:
    """Removes rows, models and, with ``--drop``, tables; it can be repeated after it was cut off.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`.
    """
    parser = argument_parser("retire", __doc__)
    parser.add_argument("--feeds", nargs="*", default=[], help="names of feeds, with all of their tables")
    parser.add_argument("--tables", nargs="*", default=[], help="names of silver tables")
    parser.add_argument("--drop", default="", help="any text: drop their tables, with all that they hold")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)

    def work() -> int:
        project = options.project_dir.resolve()
        retired = find_retired(load_metadata(project / "seeds"), options.feeds, options.tables)
        readers = find_readers(list_gold_files(project), retired.models)
        require_samples(readers, retired.models)
        relations = (*(f"gold.{file.model}" for file in readers), *retired.relations)
        if options.drop:
            # First: once the seeds lack them, nothing knows their names.
            names = json.dumps({"tables": list(relations)})
            Dbt(project, "--no-write-json").result("run-operation", "drop_retired", "--args", names)
            say(f"Dropped: {', '.join(relations) or 'nothing'}")
        removed = remove_rows(project / "seeds", retired)
        say(", ".join(f"{counted(number, 'row')} of {name}" for name, number in removed.items() if number) + " removed")
        code = make_models(["--project-dir", str(project)])
        if not options.drop and relations:
            say(f"These tables stay as they are: {', '.join(relations)}. With DROP=1 they go, too.")
        return code

    return run_command(work)


if __name__ == "__main__":
    sys.exit(main())
