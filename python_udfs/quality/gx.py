"""Everything that touches Great Expectations: frames in, judgements and Data Docs out.

The context lives in memory, nothing is configured by files, and nothing is sent anywhere.
"""

from __future__ import annotations

import html
import logging
import os
import warnings
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from python_udfs.quality.site import Page, seal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Examples of values that do not meet an expectation.
EXAMPLES = 5
_SITE = "quality"
_LONGEST_LINE = 500


@dataclass(frozen=True)
class Judged:
    """Result of Great Expectations for one expectation.

    Attributes:
        success: whether it is met.
        observed: what was found, in words.
        message: examples of values that do not meet it; of an expectation that could not be judged, the reason.
        is_broken: whether it could not be judged.
    """

    success: bool
    observed: str
    message: str = ""
    is_broken: bool = False


@dataclass(frozen=True)
class Wanted:
    """An expectation as Great Expectations takes it.

    Attributes:
        name: such as ``expect_column_values_to_be_between``.
        arguments: its columns and arguments.
        severity: ``error`` or ``warn``.
        notes: shown with it in Data Docs.
    """

    name: str
    arguments: dict[str, Any]
    severity: str
    notes: str = ""


class GreatExpectations:
    """A context in memory, for one run.

    Args:
        run_at: when the run started, UTC.
    """

    def __init__(self, run_at: datetime) -> None:
        # Read when the package is imported: versions before 1.24 send usage statistics otherwise.
        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        # Some of its modules set levels of their own.
        silent = logging.getLogger("great_expectations")
        silent.addHandler(logging.NullHandler())
        silent.propagate = False
        # Its import takes seconds, which other commands need not pay.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import great_expectations as gx  # noqa: PLC0415

        self._gx: Any = gx
        self._run_at = run_at
        self._context: Any = self._gx.get_context(mode="ephemeral")
        self._context.enable_analytics(False)
        self._context.variables.progress_bars = {"globally": False}
        self._sources: dict[str, Any] = {}
        self._pages: list[Page] = []

    def judge(
        self, title: str, frame: Any, wanted: Sequence[Wanted], engine: str = "spark", about: str = ""
    ) -> list[Judged]:
        """Judges the expectations about one frame; one that cannot be judged does not stop the others.

        Args:
            title: heads the page in Data Docs.
            frame: a frame of Spark or pandas with the columns that the expectations name.
            wanted: the expectations.
            engine: ``spark`` or ``pandas``.
            about: what the frame is, below the title.

        Returns:
            A judgement for each, in their order.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            asset = self._source(engine).add_dataframe_asset(title)
            batch = asset.add_batch_definition_whole_dataframe("rows").get_batch({"dataframe": frame})
            good: list[int] = []
            judged: dict[int, Judged] = {}
            for number, expectation in enumerate(wanted):
                try:
                    self._expectation(expectation)
                    good.append(number)
                except Exception as error:
                    judged[number] = _broken(error)
            results = self._validated(title, batch, [wanted[number] for number in good])
            for number, result in zip(good, results, strict=True):
                judged[number] = _broken(result) if isinstance(result, Exception) else _judged(result)
            self._keep(title, about, batch, [result for result in results if not isinstance(result, Exception)])
        return [judged[number] for number in range(len(wanted))]

    def write_docs(self, folder: Path) -> Path:
        """Writes Data Docs of this run as a static site.

        Args:
            folder: is made; what an earlier run left there goes.

        Returns:
            The first page.
        """
        self._context.add_data_docs_site(
            site_name=_SITE,
            site_config={
                "class_name": "SiteBuilder",
                "show_how_to_buttons": False,
                "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)},
                "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
            },
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._context.build_data_docs(site_names=[_SITE])
        return seal(folder, self._pages, self._run_at)

    def _source(self, engine: str) -> Any:
        """The source of frames of an engine; that of Spark takes the session of this process."""
        if engine not in self._sources:
            sources = self._context.data_sources
            # By default it would keep each frame of Spark in memory and on disk.
            made = sources.add_spark("silver", persist=False) if engine == "spark" else sources.add_pandas("runs")
            self._sources[engine] = made
        return self._sources[engine]

    def _expectation(self, wanted: Wanted) -> Any:
        from great_expectations.expectations.registry import get_expectation_impl  # noqa: PLC0415

        severity = "critical" if wanted.severity == "error" else "warning"
        make: Any = get_expectation_impl(wanted.name)
        return make(**wanted.arguments, notes=wanted.notes or None, severity=severity)

    def _validated(self, title: str, batch: Any, wanted: Sequence[Wanted]) -> list[Any]:
        """The result of each expectation, in their order; the error of one that stops Great Expectations itself."""
        try:
            results = self._validate(title, batch, wanted)
        except Exception as error:
            results = [error] * len(wanted)
        if len(wanted) > 1 and any(isinstance(result, Exception) or _reason(result) for result in results):
            # Several are judged by one Spark job: if that fails, all of them are found broken.
            return [
                self._validated(title, batch, [expectation])[0]
                if isinstance(result, Exception) or _reason(result)
                else result
                for expectation, result in zip(wanted, results, strict=True)
            ]
        return results

    def _validate(self, title: str, batch: Any, wanted: Sequence[Wanted]) -> list[Any]:
        suite = self._gx.ExpectationSuite(
            name=title, expectations=[self._expectation(expectation) for expectation in wanted]
        )
        form = {"result_format": "SUMMARY", "partial_unexpected_count": EXAMPLES}
        # It gives first what it could not judge, then the others: each is known by its place in the suite.
        for place, expectation in enumerate(suite.expectations):
            expectation.meta = {"place": place}
        results = batch.validate(suite, result_format=form).results
        return sorted(results, key=lambda result: int(result.expectation_config.meta["place"]))

    def _keep(self, title: str, about: str, batch: Any, results: Sequence[Any]) -> None:
        """Keeps results for Data Docs."""
        if not results:
            return
        from great_expectations.core import ExpectationSuiteValidationResult  # noqa: PLC0415
        from great_expectations.core.run_identifier import RunIdentifier  # noqa: PLC0415
        from great_expectations.data_context.types.resource_identifiers import (  # noqa: PLC0415
            ExpectationSuiteIdentifier,
            ValidationResultIdentifier,
        )
        from great_expectations.util import convert_to_json_serializable  # noqa: PLC0415

        run = RunIdentifier(run_name=f"{self._run_at:%Y%m%dT%H%M%SZ}", run_time=self._run_at)
        for result in results:
            result.success = bool(result.success)
            result.exception_info = _without_traces(result.exception_info)
            result.result = _escaped(convert_to_json_serializable(result.result))
        met = sum(bool(result.success) for result in results)
        counts = {
            "evaluated_expectations": len(results),
            "successful_expectations": met,
            "unsuccessful_expectations": len(results) - met,
            "success_percent": 100 * met / len(results),
        }
        validation = ExpectationSuiteValidationResult(
            success=met == len(results),
            results=list(results),
            suite_name=title,
            statistics=counts,
            meta={"run_id": run, "great_expectations_version": self._gx.__version__, "batch_spec": {}},
        )
        key = ValidationResultIdentifier(ExpectationSuiteIdentifier(title), run, batch.id)
        self._context.validation_results_store.set(key, validation)
        self._pages.append(Page(title, about, met, len(results)))


def _broken(error: Exception) -> Judged:
    return Judged(False, "", _one_line(str(error)), is_broken=True)


def _judged(result: Any) -> Judged:
    reason = _reason(result)
    if reason:
        return Judged(False, "", reason, is_broken=True)
    details = result.result
    # Values that may be lists have no hash: their texts are compared.
    examples = {repr(value): value for value in details.get("partial_unexpected_list") or []}.values()
    message = _one_line(", ".join(map(repr, examples))) if examples else ""
    if "element_count" in details:
        unexpected, total = details["unexpected_count"], details["element_count"]
        share = f" ({100 * unexpected / total:.3g} %)" if total and unexpected else ""
        return Judged(bool(result.success), f"{unexpected:,} of {total:,} rows{share}", message)
    if "unexpected_count" in details:  # of the different values of a column
        return Judged(bool(result.success), f"{details['unexpected_count']:,} other values", message)
    return Judged(bool(result.success), _one_line(str(details.get("observed_value", ""))))


def _reason(result: Any) -> str:
    """Why an expectation could not be judged; empty if it could."""
    info = result.exception_info or {}
    each = [info] if "raised_exception" in info else list(info.values())
    messages = [str(exception.get("exception_message")) for exception in each if exception.get("raised_exception")]
    return _one_line(messages[0]) if messages else ""


def _without_traces(info: Any) -> Any:
    """An exception for a page: its message, without the stack and paths of this machine."""
    if not isinstance(info, dict):
        return info
    return {key: "" if key == "exception_traceback" else _without_traces(value) for key, value in info.items()}


def _one_line(text: str) -> str:
    # Java's additions to a message are of no use to its reader.
    line = " ".join(text.split("JVM stacktrace", maxsplit=1)[0].split())
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def _escaped(value: Any) -> Any:
    """Values of rows as text of a page: Data Docs write those that failed as HTML."""
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return [_escaped(item) for item in value] if isinstance(value, (list, tuple)) else value
