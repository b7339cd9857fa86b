"""Reads the data in a report."""

import base64
import gzip
import json
import re

from buckets import floor_of

CONTENTS = re.compile(
    r'<script id="contents" type="application/octet-stream">([^<]*)</script>', re.DOTALL
)


class Numbers:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def next(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self) -> int:
        value = self.next()
        if value > 0:
            return (value - 1) // 2 if value % 2 else -value // 2
        is_negative = self.next() == 1
        return -self.next() if is_negative else self.next()

    def take(self, count: int) -> list[int]:
        return [self.next() for _ in range(count)]

    def ascending(self, count: int) -> list[int]:
        last, found = 0, []
        for _ in range(count):
            last += self.next()
            found.append(last)
        return found

    def steps(self, count: int) -> list[int]:
        last, found = 0, []
        for _ in range(count):
            last += self.signed()
            found.append(last)
        return found


def points_of(numbers: Numbers) -> list[dict]:
    count = numbers.next()
    columns = {"second": numbers.steps(count)}
    columns["seconds"] = [each + 1 for each in numbers.take(count)]
    for name in ("untimed", "untimedFailed"):
        columns[name] = numbers.take(count) if numbers.next() == 1 else [0] * count
    for name in ("requests", "failed", "micros", "bytes"):
        columns[name] = numbers.take(count)
    points = [dict(zip(columns, row)) for row in zip(*columns.values())]
    for point in points:
        has_failed = point["failed"] > 0
        point["failedMicros"] = numbers.next() if has_failed else 0
        point["failedBytes"] = numbers.next() if has_failed else 0
    for point in points:
        used = numbers.next()
        point["buckets"] = dict(zip(numbers.ascending(used), numbers.take(used)))
    for point in points:
        state = numbers.next()
        if state == 0:
            buckets = list(point["buckets"]) or [0]
            least, most = (floor_of(each) for each in (buckets[0], buckets[-1]))
            after = floor_of(buckets[0] + 1)
            if point["requests"] == 1 and least <= point["micros"] < after:
                least = most = point["micros"]
            point["least"], point["most"] = least + numbers.signed(), most + numbers.signed()
        elif state == 1:
            point["least"] = point["most"] = None
        else:
            raise ValueError("extremes that are not recorded")
    return points


def read_report(html: str):
    """Endpoints with their points by label, failures as (label, kind, second): requests, and changes of users."""
    data = gzip.decompress(base64.b64decode(CONTENTS.search(html)[1]))
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    numbers = Numbers(data[4 + length + head["measureBytes"] :])
    labels = [each["label"] for each in head["endpoints"]]
    points = {label: points_of(numbers) for label in labels}
    count = numbers.next()
    failures = {
        (labels[endpoint], tuple(head["kinds"][kind]), second): requests
        for endpoint, kind, second, requests in zip(*(numbers.steps(count) for _ in range(4)))
    }
    count = numbers.next()
    users = [list(change) for change in zip(numbers.steps(count), numbers.steps(count))]
    if numbers.at != len(numbers.data):
        raise ValueError("bytes are left")
    return head, points, failures, users
