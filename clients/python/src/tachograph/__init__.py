"""Results of load tests on a Tachograph server as pandas data frames.

    from tachograph import Tachograph

    results = Tachograph()  # TACHOGRAPH_URL, TACHOGRAPH_KEY
    results.summary(results.runs().index[0])

Columns have the names of the HTTP API (``/openapi.json`` describes them), those of objects within as ``outer.inner``.
Response times are seconds, points in time timestamps in UTC. Figures that are not known are NaN or None, never 0.
"""

from __future__ import annotations

import json
import os
import warnings
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Iterable, Mapping
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pandas as pd

from . import _operations as operations

if TYPE_CHECKING:
    from typing import Unpack

__all__ = ["Tachograph", "TachographError"]


class TachographError(Exception):
    """The server refused a request, or redirected it: the key is not sent elsewhere."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        #: HTTP status.
        self.status = status
        #: As in docs/errors.md, such as ``unknown-load-test``; empty if the answer is not the server's.
        self.code = code


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Tachograph:
    """A server.

    ``url`` and ``key`` default to ``TACHOGRAPH_URL`` (else ``http://127.0.0.1:8013``) and ``TACHOGRAPH_KEY``; the key
    needs the scope ``read``. ``timeout_seconds`` bounds each request. Methods raise ``TachographError``, and
    ``OSError`` if the server cannot be reached.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, timeout_seconds: float = 300
    ) -> None:
        self._url = (url or os.environ.get("TACHOGRAPH_URL", "http://127.0.0.1:8013")).rstrip("/")
        self._key = key or os.environ.get("TACHOGRAPH_KEY", "")
        self._timeout_seconds = timeout_seconds
        self._opener = build_opener(_NoRedirect)

    def ask(self, operation: str, **parameters: object) -> Any:
        """Returns the JSON of any operation that reads, by its ``operationId``.

        Parameters that are words of Python have an underscore at the end: ``from_``. Raises ``TypeError`` for an
        operation or a parameter that does not exist.
        """
        _require(operation, operations.PATHS, "operation")
        path = operations.PATHS[operation]
        query: dict[str, str] = {}
        for given, value in parameters.items():
            name = given.rstrip("_")
            _require(name, operations.PARAMETERS[operation], f"parameter of {operation}")
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", quote(text, safe=""))
            elif value is not None:
                query[name] = text
        request = Request(f"{self._url}{path}?{urlencode(query)}", headers={"X-Service-Auth": self._key})
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as response:
                return json.load(response)
        except HTTPError as error:
            body = error.read()
            try:
                problem = json.loads(body)
                raise TachographError(error.code, problem["type"].rpartition(":")[2], problem["detail"]) from None
            except (ValueError, KeyError, TypeError):
                raise TachographError(error.code, "", f"{self._url} answered {error.code} {error.reason}") from None

    def runs(self, **parameters: Unpack[operations.ListLoadTests]) -> pd.DataFrame:
        """Runs, the latest start first, by ``id``: all pages, or the first ``limit``."""
        page = self.ask("listLoadTests", **parameters)
        found = page["loadTests"]
        while page["next"] is not None and "limit" not in parameters:
            page = self.ask("listLoadTests", **{**parameters, "after": page["next"]})
            found += page["loadTests"]
        return _times(_frame(found, "id"), "from", "until", "createdAt", "finishedAt", "lastDataAt")

    def summary(self, run: str, **parameters: Unpack[operations.GetSummary]) -> pd.DataFrame:
        """Statistics by ``label``: ``(all)``, then each endpoint.

        ``(all)`` is without transactions and sub-results, which have a ``role``.
        """
        summary = self.ask("getSummary", id=run, **parameters)
        return _times(_with_overall(summary), "from", "until")

    def series(
        self, run: str | Iterable[str], **parameters: Unpack[operations.GetPercentiles]
    ) -> pd.DataFrame:
        """Counts, averages and percentiles over time: a row for each endpoint (``label``) and point (``time``).

        ``resolution`` merges seconds, ``merge=True`` all endpoints, ``percent="50,99.9"`` selects percentiles.
        Points of several runs also have the ``run`` and ``sinceStart``: seconds since its first request.
        """
        if isinstance(run, str):
            return _points(self.ask("getPercentiles", id=run, **parameters), "labels")
        frames = []
        for each in run:
            frame = self.series(each, **parameters)
            if frame.empty:
                continue
            start = pd.to_datetime(self.ask("getLoadTest", id=each)["from"], unit="s", utc=True)
            since = (pd.to_datetime(frame["time"], utc=True) - start).dt.total_seconds()
            frames.append(frame.assign(run=each, sinceStart=since))
        if not frames:
            return _points([], "labels").assign(run=None, sinceStart=None)
        return pd.concat(frames, ignore_index=True)

    def compare(self, run: str, base: str, **parameters: Unpack[operations.CompareLoadTests]) -> pd.DataFrame:
        """Differences of ``run`` from ``base`` by ``label``: ``(all)``, then each endpoint, the worst first."""
        frame = _with_overall(self.ask("compareLoadTests", **{**parameters, "id": run, "base": base}))
        figures = ("errRate", "avgLoadTime", "p50", "p95", "p99")
        known = [f"{each}.{part}" for each in figures for part in ("base", "value", "change", "isSignificant")]
        return frame.reindex(columns=list(dict.fromkeys([*frame.columns, *known])))

    def measures(self, run: str, **parameters: Unpack[operations.GetMeasures]) -> pd.DataFrame:
        """Everything else that was measured: metrics of servers and scripts, phases of requests; one row each.

        ``attrs["unstored"]`` counts values that were not stored, by reason; there is a warning if there are any.
        """
        answer = self.ask("getMeasures", id=run, **parameters)
        frame = _times(_measures(answer["measures"]), "from", "until")
        lost = {reason: count for reason, count in answer["unstored"].items() if count > 0}
        return _noted(frame, "unstored", lost, f"values of measures that were not stored: {lost}")

    def measure_series(
        self, run: str, measure: str, /, **parameters: Unpack[operations.GetMeasureSeries]
    ) -> pd.DataFrame:
        """A measure over time: a row for each of its series and points (``time``).

        Percentiles of distributions are by minutes, or longer points: ``resolution=60`` has them in each row.
        ``attrs["notShown"]`` counts series beyond ``limit``; there is a warning if there are any.
        """
        given = {"limit": 2000, **parameters, "id": run, "measure": measure}
        answer = self.ask("getMeasureSeries", **given)
        items = answer["series"]
        for item in items:
            item["tags"] = [item["tags"]]
            distribution = item.pop("distribution", {"seconds": []})
            places = {second: place for place, second in enumerate(distribution["seconds"])}
            for name in ("min", "max", "p50", "p95", "p99"):
                if name in distribution:
                    item[name] = [
                        distribution[name][places[second]] if second in places else None
                        for second in item["seconds"]
                    ]
        more = answer["notShown"]
        return _noted(_untag(_points(items, "seconds")), "notShown", more, f"further series that match: {more}")

    def compare_measures(
        self, run: str, base: str, **parameters: Unpack[operations.CompareLoadTests]
    ) -> pd.DataFrame:
        """Differences of the measures of ``run`` from ``base``, the worst first."""
        answer = self.ask("compareLoadTests", **{**parameters, "id": run, "base": base})
        return _measures(answer.get("measures", []))

    def failures(self, run: str, **parameters: Unpack[operations.GetFailures]) -> pd.DataFrame:
        """Why requests failed: a row for each endpoint and kind; requests without a reason in ``withoutKind``."""
        items = self.ask("getFailures", id=run, **parameters)
        rows = [{**item, **kind} for item in items for kind in item.pop("kinds") or [{}]]
        return _times(_frame(rows), "from", "until")

    def trend(self, **parameters: Unpack[operations.GetTrend]) -> pd.DataFrame:
        """The runs of a ``name`` or ``tag`` over time: a row for each endpoint (``label``) and run."""
        trend = self.ask("getTrend", **parameters)
        ids = {"run": [each["id"] for each in trend["loadTests"]]}
        started = [each["startedAt"] for each in trend["loadTests"]]
        items = [{"label": "(all)", **trend["overall"]}, *trend["endpoints"]]
        return _points([{**ids, "startedAt": started, **item} for item in items], "startedAt")


def _require(name: str, known: Iterable[str], kind: str) -> None:
    if name in known:
        return
    near = get_close_matches(name, known, n=1)
    cure = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
    raise TypeError(f"{name!r} is no {kind}: {cure}")


def _frame(items: Iterable[Mapping[str, Any]], index: str | None = None) -> pd.DataFrame:
    frame = pd.json_normalize(list(items))
    return frame if index is None or frame.empty else frame.set_index(index)


def _with_overall(answer: Mapping[str, Any]) -> pd.DataFrame:
    return _frame([{"label": "(all)", **answer["overall"]}, *answer["endpoints"]], "label")


def _points(items: Iterable[Mapping[str, Any]], seconds: str) -> pd.DataFrame:
    """A row for each point of each item; ``seconds`` names the list with their times."""
    frame = _frame(item for item in items if item[seconds])
    if frame.empty:
        return pd.DataFrame(columns=["label", "time", "count"])
    lengths = frame[seconds].map(len)
    is_list = frame.map(lambda each: isinstance(each, list))
    lists = [name for name in frame if is_list[name].any() and name not in ("tags", "quality")]
    for name in lists:
        absent = ~is_list[name]
        frame.loc[absent, name] = pd.Series([[None] * n for n in lengths[absent]], index=frame.index[absent], dtype=object)
    frame = frame.explode(lists, ignore_index=True).rename(columns={seconds: "time"})
    for name in lists:
        if name not in (seconds, "run"):
            frame[name] = pd.to_numeric(frame[name])
    frame.columns = frame.columns.str.removeprefix("percentiles.")
    return _times(frame, "time")


def _measures(items: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return _untag(_frame({**item, "tags": [item["tags"]]} for item in items))


def _noted(frame: pd.DataFrame, name: str, value: Any, warning: str) -> pd.DataFrame:
    """With an attribute, and a warning unless it is empty."""
    frame.attrs[name] = value
    if value:
        warnings.warn(warning, stacklevel=3)
    return frame


def _untag(frame: pd.DataFrame) -> pd.DataFrame:
    """Tags as a dictionary in one column."""
    return frame if frame.empty else frame.assign(tags=frame["tags"].map(lambda tags: tags[0]))


def _times(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """UNIX seconds and ISO 8601 as timestamps in UTC; second 0 is unknown."""
    for name in set(names) & set(frame.columns):
        is_text = frame[name].map(lambda each: isinstance(each, str)).any()
        times = frame[name] if is_text else pd.to_numeric(frame[name]).replace(0, float("nan"))
        frame[name] = pd.to_datetime(times, utc=True, unit=None if is_text else "s")
    return frame
