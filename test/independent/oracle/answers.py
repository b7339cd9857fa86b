"""Works out answers from raw rows, as the documents word them. Sums are integers or fractions, percentiles of sorted lists."""

import hashlib
import math
import statistics
from fractions import Fraction

from raw import Request, World

MICROS = 1_000_000


def decimal(top: int, bottom: int) -> str:
    """Rounded half away from zero, to at most 6 places."""
    if bottom == 0:
        return "0"
    whole = (2 * top * MICROS + bottom) // (2 * bottom)
    return f"{whole // MICROS}.{whole % MICROS:06d}".rstrip("0").rstrip(".")


def number(top: int, bottom: int):
    return float(decimal(top, bottom))


def share(top: int, bottom: int):
    """A rate, a share or a size of a summary: none is rounded to zero."""
    rounded = number(top, bottom)
    return rounded if rounded or not bottom else float(f"{top / bottom:.3g}")


def hash_of(label: str) -> str:
    return hashlib.sha1(label.encode()).hexdigest()


def by_utf8(labels):
    return sorted(labels, key=lambda label: label.encode())


def window_of(second: int, resolution: int) -> int:
    return 0 if second == 0 else max(1, second - second % resolution)


class Answers:
    """What is asked of one load test. `selection`: {}, or one of filter, hash and hashes; `within`: half open, or None."""

    def __init__(self, world: World):
        self.world = world
        self.by_label: dict[str, list[Request]] = {}
        for request in world.requests:
            self.by_label.setdefault(request.label, []).append(request)
        #: None where any of its rows is a request.
        self.roles = {
            label: None if any(r.role is None for r in rows) else rows[0].role
            for label, rows in self.by_label.items()
        }

    def selected(self, selection) -> list[str]:
        labels = by_utf8(self.by_label)
        if "filter" in selection:
            return [label for label in labels if selection["filter"] in label]
        hashes = selection.get("hash", selection.get("hashes"))
        return (
            labels
            if hashes is None
            else [label for label in labels if hash_of(label) in hashes.lower().split(",")]
        )

    def overall_of(self, selection) -> list[str]:
        """Those that are merged: without roles, unless only those are selected, or they are selected by hash."""
        labels = self.selected(selection)
        if "hash" in selection or "hashes" in selection:
            return labels
        return [label for label in labels if self.roles[label] is None] or labels

    def rows(self, labels, within, outcome=None) -> list[Request]:
        rows = [row for label in labels for row in self.by_label[label]]
        if within is not None:
            rows = [row for row in rows if row.second > 0 and within[0] <= row.second < within[1]]
        return (
            rows
            if outcome is None
            else [row for row in rows if row.failed == (outcome == "failed")]
        )

    def with_requests(self, selection, within, outcome=None):
        shown = [(label, self.rows([label], within, outcome)) for label in self.selected(selection)]
        return [(label, rows) for label, rows in shown if rows]

    def metrics(self, selection, within, resolution, form):
        return [
            {
                "hash": hash_of(label),
                "label": label,
                "data": data_of(self.rows([label], within), resolution, form),
            }
            for label in self.selected(selection)
        ]

    def users(self, within) -> list[list[int]]:
        """Pairs of second and users, where the number changes."""
        steps: dict[int, int] = {}
        for held in self.generators():
            before, seconds = 0, sorted(held)
            for second in [*seconds, seconds[-1] + 1]:
                now = held.get(second, 0)
                steps[second] = steps.get(second, 0) + now - before
                before = now
        users, points = 0, []
        for second in sorted(steps):
            users += steps[second]
            if steps[second] != 0:
                points.append([second, users])
        if within is None:
            return points
        inside = [point for point in points if within[0] <= point[0] < within[1]]
        earlier = [point for point in points if point[0] < within[0]]
        begins = bool(inside) and inside[0][0] == within[0]
        is_held = bool(earlier) and earlier[-1][1] > 0 and not begins
        return [[within[0], earlier[-1][1]], *inside] if is_held else inside

    def generators(self):
        """Users of one generator each. Files of one named generator that overlap are of the same machine."""
        alone, named = [], {}
        for source in self.world.users:
            for name, held in source.items():
                if held and name == "":
                    alone.append(held)
                elif held:
                    named.setdefault(name, []).append(held)
        for parts in named.values():
            alone += united(parts)
        return alone


def united(parts):
    """Merges those whose seconds overlap, by the largest number of a second."""
    merged = []
    for part in sorted(parts, key=lambda held: (min(held), max(held))):
        if merged and min(part) <= max(merged[-1]):
            for second, users in part.items():
                merged[-1][second] = max(users, merged[-1].get(second, 0))
        else:
            merged.append(dict(part))
    return merged


class Sums:
    def __init__(self, rows):
        timed = [row for row in rows if row.micros is not None]
        failed = [row for row in rows if row.failed]
        self.count, self.failed = len(rows), len(failed)
        self.timed, self.timed_failed = len(timed), sum(row.failed for row in timed)
        self.micros = sum(row.micros for row in timed)
        self.failed_micros = sum(row.micros for row in timed if row.failed)
        self.bytes = sum(row.size for row in rows)
        self.failed_bytes = sum(row.size for row in failed)

    def six(self):
        return {
            "avgLoadTime": decimal(self.micros, self.timed * MICROS),
            "count": str(self.count),
            "downloadSize": decimal(self.bytes, self.count),
            "errAvgLoadTime": decimal(self.failed_micros, self.timed_failed * MICROS),
            "errCount": str(self.failed),
            "errDownloadSize": decimal(self.failed_bytes, self.failed),
        }


def in_windows(rows, resolution):
    windows: dict[int, list[Request]] = {}
    for row in rows:
        windows.setdefault(window_of(row.second, resolution), []).append(row)
    return sorted(windows.items())


SERIES = {
    "pageRespTimePerSec": lambda s, n: decimal(s.micros, s.timed * MICROS),
    "pageReqPerSec": lambda s, n: decimal(s.count, n),
    "pageKbPerSec": lambda s, n: decimal(s.bytes, 1024 * n),
    "pageErrRespTime": lambda s, n: decimal(s.failed_micros, s.timed_failed * MICROS),
    "pageErrCount": lambda s, n: decimal(s.failed, n),
    "pageErrKb": lambda s, n: decimal(s.failed_bytes, 1024 * n),
}


def data_of(rows, resolution, form):
    windows = [(second, Sums(own)) for second, own in in_windows(rows, resolution)]
    if form == "csv":
        names = [
            "avgLoadTime",
            "count",
            "downloadSize",
            "errAvgLoadTime",
            "errCount",
            "errDownloadSize",
        ]
        return [["Timestamp", *names]] + [
            [str(second), *sums.six().values()] for second, sums in windows
        ]
    known = [(second, sums) for second, sums in windows if second > 0]
    span = known[-1][0] + resolution - known[0][0] if known else 0
    data = {
        "overview": {**Sums(rows).six(), "range": span},
        "labels": [second for second, _ in known],
    }
    for name, of in SERIES.items():
        values = [(second, of(sums, resolution)) for second, sums in known]
        if form == "xy":
            data[name] = [{"x": second, "y": float(value)} for second, value in values]
        else:
            as_text = name == "pageErrRespTime"
            data[name] = {
                str(second): value if as_text else float(value) for second, value in values
            }
    return data


def times_of(rows) -> list[int]:
    return sorted(row.micros for row in rows if row.micros is not None)


def rank_of(percent: float | str, total: int) -> int:
    return max(1, math.ceil(Fraction(str(percent)) * total / 100))


def exact_percentile(times: list[int], percent, total: int):
    """By nearest rank in µs; requests without a response time rank last. None: unknown."""
    rank = rank_of(percent, total)
    return times[rank - 1] if rank <= len(times) else None


def figures(rows, has_sizes: bool):
    """Of a summary, all but percentiles and Apdex."""
    sums, times = Sums(rows), times_of(rows)
    dated = [row for row in rows if row.second > 0]
    seconds = [row.second for row in dated]
    span = max(seconds) - min(seconds) + 1 if dated else 0
    rate = lambda top: None if rows and not dated else share(top, span)
    found = {
        "count": sums.count,
        "errCount": sums.failed,
        "untimedCount": sums.count - sums.timed,
        "errRate": share(sums.failed, sums.count),
        "avgLoadTime": number(sums.micros, sums.timed * MICROS) if sums.timed else None,
        "errAvgLoadTime": (
            number(sums.failed_micros, sums.timed_failed * MICROS) if sums.timed_failed else None
        ),
        "minLoadTime": times[0] / MICROS if times else None,
        "maxLoadTime": times[-1] / MICROS if times else None,
        "reqPerSec": rate(len(dated)),
        "range": span,
        "receivedBytes": sums.bytes,
        "downloadSize": share(sums.bytes, sums.count),
        "errDownloadSize": share(sums.failed_bytes, sums.failed),
        "receivedBytesPerSec": (
            None if rows and not dated else share(sum(row.size for row in dated), span)
        ),
    }
    if not has_sizes:
        found.update(
            receivedBytes=None, downloadSize=None, errDownloadSize=None, receivedBytesPerSec=None
        )
    if dated:
        found.update({"from": min(seconds), "until": max(seconds)})
    return found


def apdex_between(rows, millis: int, share: float):
    """Least and largest Apdex: requests that are up to `share` slower than a threshold may count as within it."""

    def satisfied(factor):
        limit = millis * 1000
        within = lambda most: sum(
            row.micros <= most * factor for row in rows if not row.failed and row.micros is not None
        )
        return (within(limit) + within(4 * limit)) / (2 * len(rows))

    return satisfied(1) - 1e-6, satisfied(1 + share) + 1e-6


def mean_over_time(windows, millis: int):
    """A gauge holds the mean of a second, or minute, until its next one; a usual time if that is over twice as late, or the last."""
    held: dict[int, list] = {}
    for each in windows:
        held.setdefault(each.millis // millis, []).append(each)
    places = sorted(held)
    steps = [after - place for place, after in zip(places, places[1:])]
    usual = statistics.median(steps) if steps else 1
    lasting = [step if step <= 2 * usual else usual for step in steps] + [usual]
    total = sum(
        Fraction(seconds)
        * sum(Fraction(each.sum) for each in held[place])
        / sum(each.count for each in held[place])
        for place, seconds in zip(places, lasting)
    )
    return float(total / sum(Fraction(seconds) for seconds in lasting))


class MeasureAnswers:
    """What is asked of measures: exact to the second, percentiles to the minute."""

    def __init__(self, world: World):
        self.world = world

    def selected(self, name, tags, endpoint):
        def fits(series):
            label, own, _, _, own_tags = series
            is_of = endpoint is None or (label is not None and hash_of(label) == endpoint)
            return is_of and (name is None or own == name) and all(tag in own_tags for tag in tags)

        return [series for series in self.world.measures if fits(series)]

    def figures(self, series, within):
        """Absent keys are unknown. None: without a value in the range."""
        windows = self.world.measures[series]
        if series in self.world.by_minute:
            return self.minutes(windows, within, series[3])
        inside = [
            each
            for each in windows
            if within is None or within[0] <= each.millis // 1000 < within[1]
        ]
        if not inside:
            return None
        outside = {
            each.millis // 60_000
            for each in windows
            if within and not within[0] <= each.millis // 1000 < within[1]
        }
        is_cut = any(each.millis // 60_000 in outside for each in inside)
        found = self.figures_of(series[3], inside, is_cut)
        if series[3] == "gauge":
            found["mean"] = mean_over_time(inside, 1000)
        return found

    @staticmethod
    def minutes(windows, within, kind):
        if within is not None:
            windows = [
                each
                for each in windows
                if within[0] <= each.millis // 60_000 * 60
                and each.millis // 60_000 * 60 + 60 <= within[1]
            ]
        if not windows:
            return {"count": 0, "sum": 0.0}
        total = sum(each.sum for each in windows)
        count = sum(each.count for each in windows)
        found = {"count": count, "sum": float(total), "mean": float(total / count)}
        if kind == "gauge":
            found["mean"] = mean_over_time(windows, 60_000)
        if kind == "distribution":
            found.update(
                min=min(each.least for each in windows), max=max(each.most for each in windows)
            )
        return found

    @staticmethod
    def figures_of(kind, windows, is_cut: bool):
        count, total = sum(each.count for each in windows), sum(each.sum for each in windows)
        found = {"count": count, "sum": float(total), "mean": float(total / count)}
        if kind in ("gauge", "distribution") and not (kind == "distribution" and is_cut):
            if all(each.least is not None for each in windows):
                found["min"] = min(each.least for each in windows)
                found["max"] = max(each.most for each in windows)
        if kind == "gauge":
            found["last"] = max(windows, key=lambda each: (each.millis, each.most)).most
        if (
            kind == "distribution"
            and not is_cut
            and all(each.values is not None for each in windows)
        ):
            values = sorted(value for each in windows for value in each.values)
            spread = max(each.spread for each in windows)
            found["percentiles"] = (
                {f"p{p}": values[rank_of(p, count) - 1] for p in (50, 95, 99)},
                spread,
            )
        return found
