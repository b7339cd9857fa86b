"""Random questions, and the comparison of what the server answers with what the raw rows say."""

import re
import math
from fractions import Fraction
from urllib.parse import quote, urlencode

from answers import (
    MICROS,
    Answers,
    MeasureAnswers,
    Sums,
    apdex_between,
    exact_percentile,
    figures,
    hash_of,
    in_windows,
    number,
    times_of,
    window_of,
)
from buckets import EXACT_BELOW, SHARE
from report import read_report
from telemetry import TOTALS


class Wrong(Exception):
    pass


def expect(what: str, got, want):
    if got != want:
        raise Wrong(f"{what}: got {shown(got)}, want {shown(want)}")


def shown(value) -> str:
    text = repr(value)
    return text if len(text) < 400 else text[:400] + "…"


class Questions:
    def __init__(self, random, world, get):
        self.random, self.world, self.get = random, world, get
        self.answers, self.measures = Answers(world), MeasureAnswers(world)
        seconds = [row.second for row in world.requests if row.second > 0]
        seconds += [each.millis // 1000 for windows in world.measures.values() for each in windows]
        self.span = (min(seconds), max(seconds)) if seconds else (1_700_000_000, 1_700_000_100)

    def ask(self) -> str:
        """Asks one question, and returns its path. Raises `Wrong`."""
        kinds = []
        if self.world.requests:
            kinds = [
                self.ask_metrics,
                self.ask_metrics,
                self.ask_summary,
                self.ask_summary,
                self.ask_percentiles,
                self.ask_distribution,
                self.ask_failures,
                self.ask_heatmap,
                self.ask_report,
            ]
            if self.are_users_clear:
                kinds.append(self.ask_users)
        if self.world.measures:
            kinds += [self.ask_measures, self.ask_measure_series, self.ask_measure_series]
            if not self.world.requests:
                kinds += [self.ask_measures] * 2
        self.path = "(none)"
        self.random.choice(kinds)()
        return self.path

    @property
    def are_users_clear(self) -> bool:
        """Of several sources without a name of their generator, the second in which one ends and one begins counts as split."""
        return sum(1 for source in self.world.users if source.get("")) < 2

    def fetch(self, path: str, parameters: dict):
        self.path = path + "?" + urlencode(parameters, quote_via=quote)
        return self.get(self.path)

    def of_run(self, what: str, parameters: dict):
        return self.fetch(f"/Api/LoadTests/{self.world.id}/{what}", parameters)

    # What is asked for.

    def range(self):
        first, last = self.span
        if self.random.random() < 0.45:
            return None
        pick = lambda: self.random.choice(
            [
                first,
                last,
                last + 1,
                first - 1,
                self.random.randrange(first - 2, last + 3),
                self.random.randrange(first - 2, last + 3),
            ]
        )
        begin, end = sorted((pick(), pick()))
        return (begin, end if end > begin else begin + 1)

    @staticmethod
    def range_parameters(within) -> dict:
        return {} if within is None else {"from": within[0], "until": within[1]}

    def selection(self, has_several=True) -> dict:
        labels = list(self.answers.by_label)
        label = self.random.choice(labels)
        begin = self.random.randrange(len(label))
        part = label[begin : begin + self.random.choice([1, 2, 50])]
        some = ",".join(
            hash_of(each)
            for each in self.random.sample(labels, self.random.randrange(1, len(labels) + 1))
        )
        choices = [
            {},
            {},
            {"filter": part},
            {"filter": "nowhere"},
            {"hash": hash_of(label)},
            {"hash": hash_of(label).upper()},
        ]
        return self.random.choice(choices + [{"hashes": some}] * 2 if has_several else choices)

    def resolution(self) -> int:
        return self.random.choice([1, 1, 2, 5, 7, 10, 60, 60, 90, 3600])

    def outcome(self):
        return self.random.choice([None, None, "passed", "failed"])

    # The questions.

    def ask_metrics(self):
        selection, within, resolution = self.selection(False), self.range(), self.resolution()
        form = self.random.choice(["csv", "xy", "default"])
        got = self.fetch(
            "/Api/Metrics",
            {
                "loadTestId": self.world.id,
                **(selection or {"all": "true"}),
                "format": form,
                "resolution": resolution,
                **self.range_parameters(within),
            },
        )
        want = self.answers.metrics(selection, within, resolution, form)
        expect("labels", [each["label"] for each in got], [each["label"] for each in want])
        for mine, theirs in zip(want, got):
            expect(f"hash of {mine['label']!r}", theirs["hash"], mine["hash"])
            if form != "csv":
                for name in mine["data"]:
                    expect(
                        f"{name} of {mine['label']!r}", theirs["data"].get(name), mine["data"][name]
                    )
            expect(f"data of {mine['label']!r}", theirs["data"], mine["data"])

    def ask_summary(self):
        selection, within, outcome = self.selection(), self.range(), self.outcome()
        apdex = self.random.choice([None, 1, 50, 400, 5000])
        percents = self.random.choice([None, ["75"], ["0", "12.5", "99.99", "100"]])
        rows = self.random.choice(
            [None, None, {"limit": 2, "sort": "count"}, {"search": "GET"}, {"order": "descending"}]
        )
        parameters = {**selection, **self.range_parameters(within), **(rows or {})}
        for name, value in (
            ("outcome", outcome),
            ("apdexMs", apdex),
            ("percent", percents and ",".join(percents)),
        ):
            if value is not None:
                parameters[name] = value
        got = self.of_run("Summary", parameters)
        shown_ = self.answers.with_requests(selection, within, outcome)
        merged = self.answers.overall_of(selection)
        roles = self.answers.roles
        left = [label for label, _ in shown_ if label not in merged]
        expect(
            "leftOut",
            got["leftOut"],
            {
                "transactions": sum(roles[label] == "transaction" for label in left),
                "subresults": sum(roles[label] == "subresult" for label in left),
            },
        )
        overall = self.answers.rows(merged, within, outcome)
        self.check_figures("overall", got["overall"], overall, apdex, percents)
        if rows is not None:
            expect("endpointCount", got["endpointCount"], len(shown_))
            found = [pair for pair in shown_ if rows.get("search", "") in pair[0]]
            expect("matchingCount", got["matchingCount"], len(found))
            if rows.get("order"):
                found.reverse()
            if rows.get("sort"):
                found.sort(key=lambda pair: -len(pair[1]))
            shown_ = found[: rows.get("limit", len(found))]
        expect(
            "labels", [each["label"] for each in got["endpoints"]], [label for label, _ in shown_]
        )
        for (label, own), each in zip(shown_, got["endpoints"]):
            expect(f"role of {label!r}", each.get("role"), roles[label])
            self.check_figures(repr(label), each, own, apdex, percents)

    def check_figures(self, what, got, rows, apdex=None, percents=None):
        want = figures(rows, self.world.has_sizes)
        for name, value in want.items():
            expect(f"{name} of {what}", got.get(name), value)
        times = times_of(rows)
        for name, percent in (("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99), ("p999", "99.9")):
            self.check_percentile(f"{name} of {what}", got[name], times, percent, len(rows))
        for percent in percents or []:
            value = got["percentiles"][f"p{percent}"]
            self.check_percentile(f"p{percent} of {what}", value, times, percent, len(rows))
        if apdex is not None and rows:
            least, most = apdex_between(rows, apdex, 2 * SHARE + 1e-9)
            if got["apdex"] is None or not least <= got["apdex"] <= most:
                raise Wrong(f"Apdex of {what}: got {got['apdex']}, want {least:.6f} to {most:.6f}")

    def check_percentile(self, what, got, times, percent, total):
        exact = exact_percentile(times, percent, total) if times else None
        if got is None or exact is None:
            return expect(what, got, None if exact is None else exact / MICROS)
        self.check_time(what, got, exact, all(each % 1000 == 0 for each in times))

    def check_time(self, what, got, exact, is_whole):
        bound = SHARE * exact
        if is_whole and exact < EXACT_BELOW:
            bound = 0
        if abs(round(got * MICROS) - exact) > bound:
            raise Wrong(f"{what}: got {got}, want {exact / MICROS} within {bound / MICROS:.6f}")

    def ask_percentiles(self):
        selection, within, outcome, resolution = (
            self.selection(),
            self.range(),
            self.outcome(),
            self.resolution(),
        )
        percents = self.random.choice([["50", "90", "95", "99"], ["0", "100"], ["33.3", "99.9"]])
        merge = self.random.random() < 0.5
        parameters = {
            **selection,
            **self.range_parameters(within),
            "resolution": resolution,
            "percent": ",".join(percents),
        }
        if merge:
            parameters["merge"] = "true"
        if outcome:
            parameters["outcome"] = outcome
        got = self.of_run("Percentiles", parameters)
        dated = lambda rows: [row for row in rows if row.second > 0]
        if merge:
            expect("number of series", len(got), 1)
            series = [
                (
                    None,
                    dated(self.answers.rows(self.answers.overall_of(selection), within, outcome)),
                )
            ]
        else:
            series = [
                (label, dated(self.answers.rows([label], within, outcome)))
                for label in self.answers.selected(selection)
            ]
            expect("labels", [each["label"] for each in got], [label for label, _ in series])
        for (label, rows), each in zip(series, got):
            what = "all" if label is None else repr(label)
            windows = in_windows(rows, resolution)
            sums = [Sums(own) for _, own in windows]
            expect(f"seconds of {what}", each["labels"], [second for second, _ in windows])
            expect(f"counts of {what}", each["count"], [own.count for own in sums])
            expect(f"failures of {what}", each["errCount"], [own.failed for own in sums])
            expect(
                f"averages of {what}",
                each["avgLoadTime"],
                [number(own.micros, own.timed * MICROS) if own.timed else None for own in sums],
            )
            expect(
                f"bytes of {what}",
                each["receivedBytes"],
                [own.bytes if self.world.has_sizes else None for own in sums],
            )
            for percent in percents:
                for (second, own), value in zip(windows, each["percentiles"][f"p{percent}"]):
                    self.check_percentile(
                        f"p{percent} of {what} at {second}", value, times_of(own), percent, len(own)
                    )

    def ask_distribution(self):
        selection, within, outcome = self.selection(), self.range(), self.outcome()
        parameters = {
            **selection,
            **self.range_parameters(within),
            **({"outcome": outcome} if outcome else {}),
        }
        got = self.of_run("Distribution", parameters)
        rows = self.answers.rows(self.answers.overall_of(selection), within, outcome)
        self.check_figures("overall", got["overall"], rows)
        times = times_of(rows)
        expect("requests", sum(got["counts"]), len(times))
        is_whole, at = all(each % 1000 == 0 for each in times), 0
        for time, count in zip(got["times"], got["counts"]):
            for exact in (times[at], times[at + count - 1]):
                self.check_time("a time of the distribution", time, exact, is_whole)
            at += count

    def ask_heatmap(self):
        selection, within, outcome, resolution = (
            self.selection(),
            self.range(),
            self.outcome(),
            self.resolution(),
        )
        parameters = {**selection, **self.range_parameters(within), "resolution": resolution}
        if outcome:
            parameters["outcome"] = outcome
        got = self.of_run("Heatmap", parameters)
        rows = self.answers.rows(self.answers.overall_of(selection), within, outcome)
        windows = in_windows([row for row in rows if row.second > 0], resolution)
        expect("columns", got["labels"], [second for second, _ in windows])
        for (second, own), cells in zip(windows, got["cells"]):
            times = times_of(own)
            expect(f"requests at {second}", sum(count for _, count in cells), len(times))
            seen = 0
            for row, count in cells:
                floor, ceiling = got["rows"][row] * MICROS, got["rows"][row + 1] * MICROS
                slack = 2 * SHARE + 1e-5
                for exact in (times[seen], times[seen + count - 1]):
                    if not floor * (1 - slack) - 1 <= exact <= ceiling * (1 + slack) + 1:
                        raise Wrong(
                            f"row {row} at {second}: got {floor} to {ceiling} µs, want {exact}"
                        )
                seen += count

    def ask_failures(self):
        selection, within = self.selection(), self.range()
        merge, series = self.random.random() < 0.5, self.random.random() < 0.5
        resolution = self.resolution() if merge else 1
        parameters = {**selection, **self.range_parameters(within)}
        if merge:
            parameters.update({"merge": "true", "resolution": resolution})
        if series:
            parameters["series"] = "true"
        got = self.of_run("Failures", parameters)
        merged, selected = self.answers.overall_of(selection), self.answers.selected(selection)
        if merge:
            items = [(None, self.answers.rows(merged, within, "failed"))]
        else:
            items = self.answers.with_requests(selection, within, "failed")
            expect("labels", [each["label"] for each in got], [label for label, _ in items])
        expect("number of items", len(got), len(items))
        for (label, rows), each in zip(items, got):
            what = "all" if label is None else repr(label)
            expect(f"failures of {what}", each["errCount"], len(rows))
            expect(
                f"failures without a reason of {what}",
                each["withoutKind"],
                sum(row.kind == ("", "") for row in rows),
            )
            if label is not None:
                expect(
                    f"leftOut of {what}",
                    each.get("leftOut"),
                    None if len(merged) == len(selected) else self.answers.roles[label],
                )
            kinds = {
                kind: [row for row in rows if row.kind == kind]
                for kind in {row.kind for row in rows} - {("", "")}
            }
            found = {(kind["code"], kind["message"]): kind for kind in each["kinds"]}
            expect(f"kinds of {what}", sorted(found), sorted(kinds))
            expect(
                f"order of kinds of {what}",
                [kind["count"] for kind in each["kinds"]],
                sorted((len(own) for own in kinds.values()), reverse=True),
            )
            for kind, own in kinds.items():
                self.check_kind(f"{kind} of {what}", found[kind], own, resolution, merge, series)

    def check_kind(self, what, got, rows, resolution, merge, series):
        seconds = [row.second for row in rows if row.second > 0]
        expect(f"count of {what}", got["count"], len(rows))
        expect(f"first second of {what}", got.get("from"), min(seconds) if seconds else None)
        expect(f"last second of {what}", got.get("until"), max(seconds) if seconds else None)
        if merge:
            expect(f"endpoints of {what}", got["endpointCount"], len({row.label for row in rows}))
        if series:
            counts: dict[int, int] = {}
            for row in rows:
                at = window_of(row.second, resolution)
                counts[at] = counts.get(at, 0) + 1
            expect(
                f"series of {what}", got["series"], [list(pair) for pair in sorted(counts.items())]
            )

    def ask_users(self):
        within = self.range()
        expect(
            "users", self.of_run("Users", self.range_parameters(within)), self.answers.users(within)
        )

    def ask_report(self):
        self.path = f"/Api/LoadTests/{self.world.id}/Report"
        head, points, failures, users = read_report(self.get(self.path, is_json=False))
        # Large ones have coarser points.
        expect("grain", head["about"]["grainSeconds"], 1)
        expect("labels", sorted(points), sorted(self.answers.by_label))
        for label, own in points.items():
            windows = in_windows(self.answers.by_label[label], 1)
            expect(
                f"seconds of {label!r}", [each["second"] for each in own], [at for at, _ in windows]
            )
            for point, (second, rows) in zip(own, windows):
                sums, times = Sums(rows), times_of(rows)
                want = {
                    "second": second,
                    "seconds": 1,
                    "untimed": sums.count - sums.timed,
                    "untimedFailed": sums.failed - sums.timed_failed,
                    "requests": sums.count,
                    "failed": sums.failed,
                    "micros": sums.micros,
                    "bytes": sums.bytes,
                    "failedMicros": sums.failed_micros,
                    "failedBytes": sums.failed_bytes,
                    "least": times[0] if times else None,
                    "most": times[-1] if times else None,
                }
                counted = sum(point.pop("buckets").values())
                expect(f"point of {label!r} at {second}", point, want)
                expect(f"times of {label!r} at {second}", counted, len(times))
        kinds = {}
        for row in self.world.requests:
            if row.kind != ("", ""):
                key = (row.label, row.kind, row.second)
                kinds[key] = kinds.get(key, 0) + 1
        expect("failures", failures, kinds)
        if self.are_users_clear:
            expect("users", users, self.answers.users(None))

    # Measures.

    def chosen_measures(self, must_name: bool):
        series = self.random.choice(list(self.world.measures))
        label, name, *_ = series
        parameters = {}
        if must_name or not self.world.knows_all_measures or self.random.random() < 0.6:
            parameters["measure"] = name
        if label is not None and self.random.random() < 0.5:
            parameters["endpoint"] = hash_of(label)
        chosen = self.measures.selected(
            parameters.get("measure"), [], parameters.get("endpoint")
        )
        return parameters, chosen

    @staticmethod
    def series_of(item):
        label = item["endpoint"]["label"] if "endpoint" in item else None
        return (
            label,
            item["name"],
            item["unit"],
            item["kind"],
            tuple(sorted(item["tags"].items())),
        )

    def ask_measures(self):
        parameters, chosen = self.chosen_measures(False)
        within = self.range()
        got = self.of_run("Measures", {**parameters, **self.range_parameters(within)})["measures"]
        found = {self.series_of(item): item for item in got}
        want = {series: self.measures.figures(series, within) for series in chosen}
        # Of measures by minute, those without a whole minute in the range are listed with 0 if a part of one is.
        want = {
            series: own
            for series, own in want.items()
            if own is not None and (own["count"] or series in found)
        }
        expect("series", sorted(found, key=repr), sorted(want, key=repr))
        for series, own in want.items():
            self.check_measure(str(series), found[series], own)

    def check_measure(self, what, got, want):
        expect(f"count of {what}", got["count"], want["count"])
        percentiles, spread = want.get("percentiles", ({}, 0))
        for name in ("sum", "mean", "min", "max", "last", "p50", "p95", "p99"):
            value = percentiles.get(name) if name in percentiles else want.get(name)
            self.check_value(
                f"{name} of {what}",
                got.get(name),
                value,
                spread if name in percentiles else None,
                want,
            )

    def check_value(self, what, got, want, spread=None, about=None):
        if got is None or want is None:
            return expect(what, got, want)
        share = 1e-9 if spread is None else max(SHARE, 0.0079) + spread
        # A sum of large values of both signs is as precise as its parts.
        scale = max(
            abs(want),
            abs((about or {}).get("max") or 0) * 1e-6,
            1e-9 if spread is None else 2.0**-30,
        )
        if abs(got - want) > share * scale + (0 if spread is None else 2.0**-30):
            raise Wrong(f"{what}: got {got}, want {want} within {share * scale:g}")

    def ask_measure_series(self):
        parameters, chosen = self.chosen_measures(True)
        within, resolution = self.range(), self.resolution()
        # A selector of the name alone merges its series; those of endpoints have rules of their own.
        name = parameters["measure"]
        is_of_run = all(series[0] is None for series in chosen)
        is_plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name) is not None
        merged = is_of_run and is_plain and self.random.random() < 0.5
        asked = {
            **parameters,
            **self.range_parameters(within),
            "resolution": resolution,
            "limit": 2000,
        }
        if merged:
            asked["selector"] = name
        got = self.of_run("MeasureSeries", asked)["series"]
        if merged:
            # Endpoints are merged with the load test as a whole: each alone is asked for above.
            if any(series in self.world.by_minute for series in chosen):
                return
            groups: dict = {}
            for series in chosen:
                groups.setdefault(series[1:4], []).append(series)
            wanted = {
                key: [each for series in own for each in self.world.measures[series]]
                for key, own in groups.items()
            }
            found = {(item["name"], item["unit"], item["kind"]): item for item in got}
        else:
            wanted = {series: self.world.measures[series] for series in chosen}
            found = {self.series_of(item): item for item in got}
        for key, windows in wanted.items():
            kind = key[-1] if merged else key[3]
            # Some of those that are merged may be totals, which are shown apart.
            is_alone = not merged or (len(groups[key]) == 1 and key[0] not in TOTALS)
            if not merged and key in self.world.by_minute:
                continue
            item = found.get(key)
            inside = [
                each
                for each in windows
                if within is None or within[0] <= each.millis // 1000 < within[1]
            ]
            if item is None or not inside:
                expect(f"values of {key}", [] if item is None else item["seconds"], inside)
                continue
            self.check_intervals(str(key), item, kind, inside, resolution, is_alone)

    def check_intervals(self, what, got, kind, windows, resolution, is_alone):
        intervals: dict[int, list] = {}
        for each in windows:
            second = each.millis // 1000
            intervals.setdefault(second - second % resolution, []).append(each)
        seconds = sorted(intervals)
        expect(f"seconds of {what}", got["seconds"], seconds)
        for place, second in enumerate(seconds):
            want = MeasureAnswers.figures_of(kind, intervals[second], kind == "distribution")
            expect(f"count of {what} at {second}", got["count"][place], want["count"])
            for name in ("sum", "mean", "min", "max", "last"):
                if name == "last" and not is_alone:
                    continue
                listed = got.get(name)
                self.check_value(
                    f"{name} of {what} at {second}",
                    listed[place] if listed else None,
                    want.get(name),
                    about=want,
                )
