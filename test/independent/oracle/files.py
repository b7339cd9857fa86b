"""Writes result files, as their tools do, and records in the world what each must give."""

import csv
import gzip
import io
import json
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Decimal
from xml.sax.saxutils import escape, quoteattr

from raw import Draw, Request, World


def any_file(random, draw: Draw, world: World) -> tuple[str, bytes]:
    """Returns the name and the contents of a file."""
    write = random.choice([own_csv, own_csv, own_ndjson, jmeter, jmeter, jmeter, k6_csv, k6_json])
    count = random.choice([1, 7, 60, 300, 900])
    name, text = write(random, draw, world, draw.requests(count))
    body = text.encode()
    return (name + ".gz", gzip.compress(body, 1)) if random.random() < 0.3 else (name, body)


def table(random, columns: list[str], rows: list[list], delimiters=",;\t|") -> str:
    out = io.StringIO()
    quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(
        out,
        delimiter=random.choice(delimiters),
        quoting=quoting,
        lineterminator=random.choice(["\n", "\r\n"]),
    )
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def iso(millis: int) -> str:
    at = datetime.fromtimestamp(millis // 1000, timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{millis % 1000:03d}"


def own_rows(random, draw, world, drawn):
    """Rows of our own format as dictionaries, and the requests that they are."""
    unit = random.choice(["elapsedMicros", "elapsedMs", "elapsedSeconds"])
    time = random.choice(["s", "ms", "µs", "ns", "iso"])
    has_users, has_sizes = random.random() < 0.5, random.random() < 0.8
    generators = random.choice([[""], ["host-1"], ["host-1", "гост 2"]])
    lost, untimed = random.choice([0, 0, 0.1, 1]), random.choice([0, 0, 0.1, 1])
    # At least one row says that there are sizes.
    users, rows = {}, []
    for millis, request in drawn:
        digits = {"elapsedMicros": 0, "elapsedMs": 3, "elapsedSeconds": 6}[unit]
        elapsed = Decimal(request.micros).scaleb(-digits)
        if random.random() < 0.1:
            elapsed += Decimal(random.randrange(10)).scaleb(-digits - 1)
            request.micros = int((elapsed.scaleb(digits)).quantize(Decimal(1), ROUND_HALF_UP))
        stamp = {
            "s": f"{millis // 1000}.{millis % 1000:03d}",
            "ms": str(millis),
            "µs": f"{millis}123",
            "ns": f"{millis}123456",
            "iso": iso(millis) + "Z",
        }[time]
        if random.random() < lost:
            stamp, request.second = "", 0
        row = {
            "timestamp": stamp,
            "label": request.label,
            unit: format(elapsed, "f"),
            "success": "false" if request.failed else random.choice(["true", "1", "TRUE"]),
            "code": request.kind[0],
            "message": request.kind[1],
        }
        if random.random() < untimed:
            row[unit], request.micros = "", None
        if has_sizes:
            row["receivedBytes"] = str(request.size)
        if has_users:
            active, generator = random.randrange(50), random.choice(generators)
            row["users"], row["generator"] = str(active), generator
            if request.second > 0:
                own = users.setdefault(generator, {})
                own[request.second] = max(active, own.get(request.second, 0))
        rows.append(row)
        if not has_sizes:
            request.size = 0
    world.requests += [request for _, request in drawn]
    world.has_sizes &= has_sizes
    world.users.append(users)
    if random.random() < 0.5:
        random.shuffle(rows)
    return rows


def own_csv(random, draw, world, drawn):
    rows = own_rows(random, draw, world, drawn)
    columns = random.sample(list(rows[0]), len(rows[0]))
    return "own.csv", table(random, columns, [[row[name] for name in columns] for row in rows])


NUMBERS = ("elapsedMicros", "elapsedMs", "elapsedSeconds", "receivedBytes", "users")


def own_ndjson(random, draw, world, drawn):
    lines = []
    for row in own_rows(random, draw, world, drawn):
        unit = next(name for name in row if name.startswith("elapsed"))
        members = []
        for name, text in row.items():
            if text == "" and name == unit:
                text = "-1"
            if text == "":
                continue
            if name == "success":
                text = "false" if text == "false" else "true"
            elif name not in NUMBERS and not (name == "timestamp" and text[4] != "-"):
                text = json.dumps(text, ensure_ascii=random.random() < 0.5)
            members.append(f'"{name}":{text}')
        lines.append("{" + ",".join(members) + "}")
    return "own.ndjson", "".join(line + "\n" for line in lines)


OF_JMETER = [
    "timeStamp",
    "elapsed",
    "label",
    "responseCode",
    "responseMessage",
    "threadName",
    "dataType",
    "success",
    "failureMessage",
    "bytes",
    "sentBytes",
    "grpThreads",
    "allThreads",
    "Latency",
    "IdleTime",
    "Connect",
]


def jmeter(random, draw, world, drawn):
    """Elapsed times are whole ms. Some requests have sub-results, some are repeated by transactions."""
    host = random.choice([None, "host-1", "jmeter-2"])
    formatted, untimed = random.random() < 0.3, random.choice([0, 0, 0.05])
    has_threads = untimed == 0 and random.random() < 0.7
    columns = OF_JMETER + ["Hostname"] if host else OF_JMETER
    if not has_threads:
        columns = [name for name in columns if name not in ("grpThreads", "allThreads", "Hostname")]
    has_subs, has_transactions = random.random() < 0.4, random.random() < 0.4
    has_phases = random.random() < 0.6
    rows, users, number = [], {}, 0

    def add(millis, request: Request, thread: str, message: str | None = None):
        elapsed = request.micros // 1000
        request.micros = elapsed * 1000
        assertion = ""
        code, said = ("200", "OK") if not request.failed else request.kind
        if request.failed and random.random() < 0.2:
            # A response that an assertion refused.
            code, said, assertion = "200", "OK", "Test failed: text expected to contain /x/"
            request.kind = (code, assertion)
        if message is not None:
            code, said, assertion = "", message, ""
            request.kind = ("", message) if request.failed else ("", "")
        row = {
            "timeStamp": (
                iso(millis).replace("T", " ").replace("-", "/") if formatted else str(millis)
            ),
            "elapsed": str(elapsed),
            "label": request.label,
            "responseCode": code,
            "responseMessage": said,
            "threadName": thread,
            "dataType": "text" if message is None else "",
            "success": str(not request.failed).lower(),
            "failureMessage": assertion,
            "bytes": str(request.size),
            "grpThreads": "1",
            "Hostname": host or "",
        }
        if (
            random.random() < untimed
            and message is None
            and request.label != "Login"
            and request.role is None
        ):
            row["elapsed"], request.micros = "-1", None
        parts = {"Latency": 0, "IdleTime": 0, "Connect": 0, "sentBytes": 0}
        if has_phases:
            parts["Latency"], parts["Connect"] = random.randrange(elapsed + 1), random.choice(
                [0, 0, random.randrange(9)]
            )
            parts["sentBytes"] = random.randrange(2000)
        row.update({name: str(value) for name, value in parts.items()})
        active = random.randrange(1, 60)
        row["allThreads"] = str(active)
        rows.append(row)
        if has_threads:
            own, end = users.setdefault(host or "", {}), (millis + elapsed) // 1000
            own[end] = max(active, own.get(end, 0))
        world.requests.append(request)
        measured.append((millis, request, parts, code))

    measured = []
    for millis, request in drawn:
        number += 1
        thread = f"Thread Group 1-{number}"
        # Where both begin in ms 0, the file may have whole seconds: whether one is a part of the other is open.
        is_clear = 10_000 <= request.micros < 3_600_000_000 and millis % 1000 > 0
        if has_subs and random.random() < 0.3 and is_clear:
            parent = Request(
                "Login", request.second, request.micros, request.failed, request.size, request.kind
            )
            add(millis, parent, thread)
            within = parent.micros // 1000
            # A part that begins where its request ends could be the next request.
            first = random.randrange(1, within)
            for place, (begin, end) in enumerate([(0, first), (first, within)]):
                failed = parent.failed and place == 1
                add(
                    millis + begin,
                    Request(
                        f"Login-{place}",
                        (millis + begin) // 1000,
                        (end - begin) * 1000,
                        failed,
                        request.size,
                        request.kind if failed else ("", ""),
                        "subresult",
                    ),
                    thread,
                )
            continue
        add(millis, request, thread)
        if has_transactions and random.random() < 0.3 and request.micros is not None:
            says = f"Number of samples in transaction : 1, number of failing samples : {int(request.failed)}"
            add(
                millis,
                Request(
                    "Checkout",
                    request.second,
                    request.micros,
                    request.failed,
                    request.size,
                    role="transaction",
                ),
                thread,
                says,
            )
    world.users.append(users)
    jmeter_measures(world, measured)
    if not formatted and random.random() < 0.4:
        return "results.xml", as_xml(rows, columns)
    return "results.jtl", table(
        random, columns, [[row[name] for name in columns] for row in rows], ",;\t"
    )


ATTRIBUTES = {
    "timeStamp": "ts",
    "elapsed": "t",
    "label": "lb",
    "responseCode": "rc",
    "responseMessage": "rm",
    "threadName": "tn",
    "dataType": "dt",
    "success": "s",
    "bytes": "by",
    "sentBytes": "sby",
    "grpThreads": "ng",
    "allThreads": "na",
    "Latency": "lt",
    "IdleTime": "it",
    "Connect": "ct",
    "Hostname": "hn",
}


def as_xml(rows, columns) -> str:
    """Sub-results are within their requests, which come before them."""
    samples = []
    for row in rows:
        said = " ".join(
            f"{ATTRIBUTES[name]}={quoteattr(row[name])}" for name in columns if name in ATTRIBUTES
        )
        assertion = ""
        if row["failureMessage"]:
            told = escape(row["failureMessage"])
            assertion = (
                "<assertionResult><name>text</name><failure>true</failure><error>false</error>"
                f"<failureMessage>{told}</failureMessage></assertionResult>"
            )
        whole = [f"<httpSample {said}>", assertion, "</httpSample>\n"]
        if row["label"].startswith("Login-"):
            samples[-1].insert(-1, "".join(whole))
        else:
            samples.append(whole)
    body = "".join("".join(whole) for whole in samples)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n{body}</testResults>\n'


def jmeter_measures(world, measured):
    """Phases of each label by minute, and of the load test by second, where rows do not repeat others."""
    world.knows_all_measures = False
    named = {
        "Latency": ("latency", "ms", "distribution"),
        "Connect": ("connect", "ms", "distribution"),
        "IdleTime": ("idle", "ms", "distribution"),
        "sentBytes": ("sent", "By", "counter"),
    }
    for column, (name, unit, kind) in named.items():
        # A column of zeros was not recorded.
        if all(parts[column] == 0 for _, _, parts, _ in measured):
            continue
        for millis, request, parts, _ in measured:
            world.by_minute.add((request.label, name, unit, kind, ()))
            world.measure((request.label, name, unit, kind, ()), millis, parts[column])
            if request.role is None:
                world.measure((None, name, unit, kind, ()), millis, parts[column])


PHASES = {
    "http_req_blocked": "blocked",
    "http_req_connecting": "connect",
    "http_req_tls_handshaking": "tls",
    "http_req_sending": "sending",
    "http_req_waiting": "waiting",
    "http_req_receiving": "receiving",
}


def k6_samples(random, draw, world, drawn, resolution: int):
    """Samples as (metric, end in ns, value, tags). `resolution`: ns of a time in the file."""
    custom, samples = random.random() < 0.5, []
    users: dict[int, int] = {}
    has_outcomes = random.random() < 0.8
    for millis, request in drawn:
        request.size = 0
        begin = millis * 1_000_000 + random.randrange(1_000_000)
        length = request.micros * 1000 + random.randrange(1000)
        end = (begin + length) // resolution * resolution
        # What the file says: the time is the end, and only as precise as it is written.
        request.second = (end - length) // 1_000_000_000
        request.micros = (length + 500) // 1000
        status, error = "200", ""
        tags = {
            "name": request.label,
            "url": request.label,
            "method": "GET",
            "proto": "HTTP/1.1",
            "scenario": "default",
        }
        if request.failed:
            status, error = random.choice(
                [("503", ""), ("404", ""), ("0", "dial: connection refused")]
            )
            tags["error_code"] = {"503": "1503", "404": "1404", "0": "1212"}[status]
            request.kind = (tags["error_code"] if status == "0" else status, error)
        tags["status"] = status
        if error:
            tags["error"] = error
        if has_outcomes:
            tags["expected_response"] = str(not request.failed).lower()
        samples.append(("http_reqs", end, "1", tags))
        samples.append(("http_req_duration", end, decimal(length), tags))
        for metric, name in PHASES.items():
            value = random.choice([0, random.randrange(9_000_000)])
            samples.append((metric, end, decimal(value), tags))
            world.by_minute.add((request.label, name, "ms", "distribution", ()))
            for label in (None, request.label):
                world.measure(
                    (label, name, "ms", "distribution", ()),
                    request.second * 1000,
                    Decimal(decimal(value)),
                )
        if has_outcomes:
            samples.append(("http_req_failed", end, str(int(request.failed)), tags))
        if random.random() < 0.1:
            active = random.randrange(1, 40)
            samples.append(("vus", end, str(active), {}))
            users[end // 1_000_000_000] = max(active, users.get(end // 1_000_000_000, 0))
        if custom and random.random() < 0.2:
            samples += k6_custom(random, world, end)
    world.requests += [request for _, request in drawn]
    world.users.append({"": users} if users else {})
    world.has_sizes = world.knows_all_measures = False
    return samples


CUSTOM = {"basket_value": "trend", "queue_length": "gauge", "orders": "counter", "found": "rate"}
KIND_OF_TYPE = {"trend": "distribution", "gauge": "gauge", "counter": "counter", "rate": "rate"}


def k6_custom(random, world, end):
    name = random.choice(list(CUSTOM))
    value = {
        "trend": random.uniform(-5, 2000),
        "gauge": random.uniform(0, 9),
        "counter": random.randrange(1, 9),
        "rate": random.randrange(2),
    }[CUSTOM[name]]
    shop = random.choice(["Köln", "東京"])
    return [(name, end, f"{value:.6f}", {"scenario": "default", "shop": shop})]


def decimal(value_nanos: int) -> str:
    return format(Decimal(value_nanos).scaleb(-6), "f")


K6_COLUMNS = (
    "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,"
    "scenario,service,status,subproto,tls_version,url,extra_tags,metadata"
).split(",")


def k6_csv(random, draw, world, drawn):
    unit = random.choice([1_000_000_000, 1_000_000, 1000, 1])
    samples = k6_samples(random, draw, world, drawn, unit)
    rows = []
    for metric, end, value, tags in samples:
        rest = "&".join(f"{name}={text}" for name, text in tags.items() if name not in K6_COLUMNS)
        said = {
            **tags,
            "metric_name": metric,
            "timestamp": str(end // unit),
            "metric_value": f"{Decimal(value):.6f}",
            "extra_tags": rest,
        }
        rows.append([said.get(name, "") for name in K6_COLUMNS])
        if metric in CUSTOM:
            add_custom(world, "distribution", metric, end, value, tags)
    return "k6.csv", table(random, K6_COLUMNS, rows, ",")


def add_custom(world, kind, metric, end, value, tags):
    world.measure(
        (None, metric, "", kind, tuple(sorted(tags.items()))), end // 1_000_000, Decimal(value)
    )


def k6_json(random, draw, world, drawn):
    lines, declared = [], set()
    for metric, end, value, tags in k6_samples(random, draw, world, drawn, 1):
        if metric in CUSTOM:
            add_custom(world, KIND_OF_TYPE[CUSTOM[metric]], metric, end, value, tags)
        if metric not in declared:
            declared.add(metric)
            kind = CUSTOM.get(metric, "trend" if metric.startswith("http_req_") else "counter")
            about = {
                "name": metric,
                "type": kind,
                "contains": "time" if metric in PHASES else "default",
                "thresholds": [],
                "submetrics": None,
            }
            lines.append(json.dumps({"type": "Metric", "data": about, "metric": metric}))
        second = datetime.fromtimestamp(end // 10**9, timezone.utc)
        time = f"{second:%Y-%m-%dT%H:%M:%S}.{end % 10**9:09d}".rstrip("0").rstrip(".") + "Z"
        lines.append(
            f'{{"metric":"{metric}","type":"Point","data":{{"time":"{time}","value":{value},"tags":'
            + json.dumps(tags, ensure_ascii=False, separators=(",", ":"))
            + "}}"
        )
    return "k6.json", "".join(line + "\n" for line in lines)
