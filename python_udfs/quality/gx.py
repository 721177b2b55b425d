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

from python_udfs.quality.site import seal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# Examples of values that do not meet an expectation.
EXAMPLES = 5
_SITE = "quality"


@dataclass(frozen=True)
class Judged:
    """What Great Expectations found of one expectation.

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
        logging.getLogger("great_expectations").setLevel(logging.CRITICAL)
        # Its import takes seconds, which other commands need not pay.
        import great_expectations as gx  # noqa: PLC0415

        self._gx, self._run_at = gx, run_at
        self._context: Any = gx.get_context(mode="ephemeral")
        self._context.enable_analytics(False)
        self._context.variables.progress_bars = {"globally": False}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # By default it would keep each frame in memory and on disk.
            self._sources = {
                "spark": self._context.data_sources.add_spark("silver", persist=False),
                "pandas": self._context.data_sources.add_pandas("runs"),
            }

    def judge(self, title: str, frame: Any, wanted: Sequence[Wanted], engine: str = "spark") -> list[Judged]:
        """Judges the expectations about one frame; one that cannot be judged does not stop the others.

        Args:
            title: heads the page in Data Docs.
            frame: a frame of Spark or pandas with the columns that the expectations name.
            wanted: the expectations.
            engine: ``spark`` or ``pandas``.

        Returns:
            A judgement for each, in their order.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            asset = self._sources[engine].add_dataframe_asset(title)
            batch = asset.add_batch_definition_whole_dataframe("rows").get_batch({"dataframe": frame})
            good, judged = [], {}
            for number, one in enumerate(wanted):
                try:
                    good.append((number, self._expectation(one)))
                except Exception as error:
                    judged[number] = Judged(False, "", _one_line(str(error)), is_broken=True)
            results = list(self._validated(title, batch, [one for _, one in good]))
            for (number, _), result in zip(good, results, strict=True):
                judged[number] = _judged(result)
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
        return seal(folder)

    def _expectation(self, wanted: Wanted) -> Any:
        from great_expectations.expectations.registry import get_expectation_impl  # noqa: PLC0415

        severity = "critical" if wanted.severity == "error" else "warning"
        return get_expectation_impl(wanted.name)(**wanted.arguments, notes=wanted.notes or None, severity=severity)

    def _validated(self, title: str, batch: Any, expectations: list[Any]) -> Iterator[Any]:
        """The result of each expectation, in their order; kept for Data Docs."""
        if not expectations:
            return
        suite = self._context.suites.add(self._gx.ExpectationSuite(name=title, expectations=expectations))
        found = self._validate(batch, suite)
        broken = [number for number, result in enumerate(found.results) if _reason(result)]
        if len(expectations) > 1:
            # Several are judged by one Spark job: where that fails, all of them are found broken.
            for number in broken:
                alone = self._gx.ExpectationSuite(name="alone", expectations=[expectations[number].copy()])
                found.results[number] = self._validate(batch, alone).results[0]
        found.success = all(result.success for result in found.results)
        yield from found.results
        self._keep(title, batch, found)

    def _validate(self, batch: Any, suite: Any) -> Any:
        return batch.validate(suite, result_format={"result_format": "SUMMARY", "partial_unexpected_count": EXAMPLES})

    def _keep(self, title: str, batch: Any, found: Any) -> None:
        from great_expectations.core.run_identifier import RunIdentifier  # noqa: PLC0415
        from great_expectations.data_context.types.resource_identifiers import (  # noqa: PLC0415
            ExpectationSuiteIdentifier,
            ValidationResultIdentifier,
        )

        run = RunIdentifier(run_name=f"{self._run_at:%Y-%m-%d %H:%M:%S} UTC", run_time=self._run_at)
        for result in found.results:
            result.result = _escaped(result.result)
        found.meta.update({"run_id": run})
        key = ValidationResultIdentifier(ExpectationSuiteIdentifier(title), run, batch.id)
        self._context.validation_results_store.set(key, found)


def _judged(result: Any) -> Judged:
    reason = _reason(result)
    if reason:
        return Judged(False, "", reason, is_broken=True)
    found = result.result
    if "unexpected_count" in found:
        unexpected, total = found["unexpected_count"], found.get("element_count", 0)
        share = f" ({100 * unexpected / total:.3g} %)" if total and unexpected else ""
        observed = f"{unexpected:,} of {total:,} rows{share}"
        examples = found.get("partial_unexpected_list") or []
        return Judged(bool(result.success), observed, _one_line(", ".join(map(repr, examples))) if examples else "")
    return Judged(bool(result.success), _one_line(str(found.get("observed_value", ""))))


def _reason(result: Any) -> str:
    """Why an expectation could not be judged; empty if it could."""
    info = result.exception_info or {}
    each = [info] if "raised_exception" in info else list(info.values())
    messages = [str(one.get("exception_message")) for one in each if one.get("raised_exception")]
    return _one_line(messages[0]) if messages else ""


def _one_line(text: str, most: int = 500) -> str:
    # What Java adds to a message is of no use to its reader.
    line = " ".join(text.split("JVM stacktrace", maxsplit=1)[0].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _escaped(value: Any) -> Any:
    """Values of rows as text of a page: Data Docs write those that failed as HTML."""
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, dict):
        return {key: _escaped(one) for key, one in value.items()}
    return [_escaped(one) for one in value] if isinstance(value, (list, tuple)) else value
