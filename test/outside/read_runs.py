"""Prints the figures of all runs, as the Python client reads them, for python.outside.ts."""

import json

from tachograph import Tachograph, TachographError

FIGURES = ["count", "errCount", "errRate", "avgLoadTime", "minLoadTime", "maxLoadTime", "p50", "p95", "p99"]
POINT = ["label", "time", "count", "errCount", "avgLoadTime"]


def rows(frame, columns):
    found = frame.reset_index().reindex(columns=columns)
    if "time" in found:
        found["time"] = [0 if str(each) == "NaT" else int(each.timestamp()) for each in found["time"]]
    return found.astype(object).where(found.notna(), None).values.tolist()


results = Tachograph()
answers = {}
for run in results.runs().index:
    measures = results.measures(run)
    answers[run] = {
        "summary": rows(results.summary(run), ["label", *FIGURES]),
        "series": rows(results.series(run), POINT),
        "measures": rows(measures, ["name", "endpoint.label", "count", "mean", "p95"]),
        "compared": rows(results.compare(run, run), ["label", "verdict", "p95.base", "avgLoadTime.value"]),
        "unstored": sum(measures.attrs["unstored"].values()),
        "changes": rows(results.compare_measures(run, run), ["name", "verdict", "mean.base"]),
        "measured": {
            name: int(results.measure_series(run, name, resolution=60)["count"].sum())
            for name in measures.get("name", [])[:1]
        },
    }
try:
    results.summary("no such run")
except TachographError as error:
    answers["refused"] = [error.status, error.code]
print(json.dumps(answers))
