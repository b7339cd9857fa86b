"""Writes bodies of line protocol and OpenTelemetry, and records in the world what each must give."""

import json
import math
from fractions import Fraction

from raw import Draw, Window, World, nanos

SECOND = 1_000_000_000


def escaped(text: str, characters=", =") -> str:
    return "".join("\\" + each if each in characters else each for each in text)


def sent_requests(random, draw: Draw, world: World) -> list[str]:
    """Bodies of our own integrations."""
    drawn = draw.requests(random.choice([1, 40, 300]))
    lines, users = [], {}
    host = random.choice(["host-1", "live 1"])
    # A role is one of the label.
    roles = {
        label: random.choice([None, None, None, "transaction", "subresult"])
        for label in draw.labels
    }
    for number, (millis, request) in enumerate(drawn):
        request.role = roles[request.label]
        active, end = random.randrange(1, 50), (millis * 1000 + request.micros) // 1_000_000
        fields = [
            f'label="{escaped(request.label, chr(34) + chr(92))}"',
            f"elapsedMs={request.micros / 1000:.3f}",
            f"success={str(not request.failed).lower()}",
            f"receivedBytes={request.size}i",
            f"users={active}i",
        ]
        for name, text in zip(("code", "message"), request.kind):
            if text:
                fields.append(f'{name}="{text}"')
        users[end] = max(active, users.get(end, 0))
        role = "" if request.role is None else f",role={request.role}"
        lines.append(f"tachograph{role},generator={escaped(host)} {','.join(fields)} {millis}")
    world.requests += [request for _, request in drawn]
    world.users.append({host: users})
    return in_bodies(random, lines)


def in_bodies(random, lines: list[str]) -> list[str]:
    """In any order, half of them twice: the same bytes count once."""
    random.shuffle(lines)
    step = random.choice([1000, 50, 13])
    bodies = [
        f"# {at}\n" + "".join(line + "\n" for line in lines[at : at + step])
        for at in range(0, len(lines), step)
    ]
    return bodies + random.sample(bodies, len(bodies) // 2)


GAUGES = ["cpu.usage_user", "cpu.usage_idle", "mem.used", "диск.free", "queue.depth"]
TOTALS = ["net.bytes_sent", "diskio.reads"]
DISTRIBUTIONS = ["basket", "время"]


def sent_measures(random, draw: Draw, world: World) -> list[str]:
    """Lines of Telegraf, and of metrics of a script."""
    lines = []
    for name in random.sample(GAUGES + TOTALS + DISTRIBUTIONS, random.randrange(1, 6)):
        for tags in random.sample(
            [(), (("host", "web-1"),), (("host", "web 2"), ("cpu", "cpu0")), (("shop", "Köln"),)], 2
        ):
            lines += series_of_lines(random, draw, world, name, tuple(sorted(tags)))
    return in_bodies(random, lines)


def series_of_lines(random, draw, world, name, tags):
    times = sorted({draw.millis() for _ in range(random.choice([2, 30, 200]))})
    scale = random.choice([1e-6, 1, 1e3, 2.0**40])
    is_distribution = name in DISTRIBUTIONS
    measurement, field = (name, "value") if is_distribution else name.split(".")
    tagged = escaped(measurement, ", ") + "".join(
        f",{escaped(tag)}={escaped(text)}" for tag, text in tags
    )
    lines, values = [], []
    for millis in times:
        if name in TOTALS:
            value = (
                values[-1] + random.randrange(5000)
                if values and random.random() > 0.03
                else random.randrange(10**6)
            )
        else:
            value = (
                random.randrange(-1000, 10**6)
                if random.random() < 0.3
                else random.gauss(0, 1) * scale
            )
        values.append(value)
        text = f"{value}i" if isinstance(value, int) else repr(value)
        lines.append(f"{tagged} {escaped(field)}={text} {millis}{random.randrange(10**6):06d}")
    if name not in TOTALS or not add_growth(world, name, tags, times, values):
        for millis, value in zip(times, values):
            world.measure(
                (None, name, "", "distribution" if is_distribution else "gauge", tags),
                millis,
                value,
            )
    return lines


def add_growth(world, name, tags, times, values) -> bool:
    """A total that seldom falls shows its growth by second; the growth up to the first second is not known."""
    counts, lasts = {}, {}
    for millis, value in zip(times, values):
        counts[millis // 1000] = counts.get(millis // 1000, 0) + 1
        lasts[millis // 1000] = value
    steps = list(zip(lasts, list(lasts.values()), list(lasts)[1:], list(lasts.values())[1:]))
    falls = sum(later < earlier for _, earlier, _, later in steps)
    if len(lasts) < 2 or falls > len(lasts) / 10:
        return False
    for _, earlier, second, later in steps:
        # After a restart the total began at 0.
        growth = Fraction(later if later < earlier else later - earlier)
        world.window(
            (None, name, "", "counter", tags),
            Window(second * 1000, counts[second], growth, None, None, None),
        )
    return True


def attributes(pairs) -> list:
    return [{"key": name, "value": {"stringValue": text}} for name, text in pairs]


def spans(random, draw: Draw, world: World) -> list[str]:
    """Spans of Locust, each a request."""
    drawn = draw.requests(random.choice([1, 50, 300]))
    texts = []
    for millis, request in drawn:
        begin = millis * 1_000_000 + random.randrange(1_000_000)
        length = request.micros * 1000 + random.randrange(1000)
        request.micros, request.size = (length + 500) // 1000, 0
        request.second = begin // SECOND
        code, message = request.kind
        status = random.choice(["500", "503"]) if request.failed else "200"
        request.kind = (status, message) if request.failed else ("", "")
        span = {
            "traceId": f"{random.getrandbits(128):032x}",
            "spanId": f"{random.getrandbits(63) + 1:016x}",
            "name": request.label,
            "kind": random.choice([3, "SPAN_KIND_CLIENT"]),
            "startTimeUnixNano": str(begin),
            "endTimeUnixNano": str(begin + length),
            "attributes": attributes([("http.request.method", "GET")])
            + [{"key": "http.response.status_code", "value": {"intValue": status}}],
            "status": (
                {"code": random.choice([2, "STATUS_CODE_ERROR"]), "message": message}
                if request.failed
                else {}
            ),
        }
        texts.append(span)
    # A name that is a method gets the path of the URL, of which there is none.
    random.shuffle(texts)
    step = random.choice([1000, 40])
    bodies = [
        json.dumps(
            {
                "resourceSpans": [
                    {
                        "resource": {"attributes": attributes([("service.name", "locust")])},
                        "scopeSpans": [{"spans": texts[at : at + step]}],
                    }
                ]
            }
        )
        for at in range(0, len(texts), step)
    ]
    world.requests += [request for _, request in drawn]
    world.users.append({})
    world.has_sizes = False
    return bodies + random.sample(bodies, len(bodies) // 2)


def metrics(random, draw: Draw, world: World) -> list[str]:
    """Bodies of a service that exports every so often, restarts, and repeats bodies."""
    host = random.choice(["web-1", "サーバー"])
    resource = [("service.name", "shop"), ("host.name", host), ("service.version", "1.2")]
    # Those that the service has, and which of them appear later.
    drawn = random.sample(
        ["gauge", "delta", "total", "level", "bounds", "exponential", "delta exponential"], 4
    )
    late = {kind: random.choice([0, 0, 3]) for kind in drawn}
    every, exports = random.choice([1, 10, 60]), random.randrange(3, 20)
    time = draw.start * SECOND + random.randrange(SECOND)
    start, bodies, before = time - random.choice([5, 3000]) * SECOND, [], {}
    previous, is_restart, has_exported = start, False, False
    for export in range(exports):
        if export > 0:
            time += every * SECOND + random.randrange(SECOND // 10)
        if export > 1 and random.random() < 0.1:
            # Another process of the same name: it counts from its own start.
            start, before, is_restart = time - every * SECOND // 2, {}, True
        listed = [kind for kind in drawn if export >= late[kind]]
        # The first totals of a run may hold what came before it; those of a restart do not, nor those of a series that its process
        # did not have in an export before. Points of deltas do not name the start of a process.
        are_known = is_restart or has_exported
        has_exported |= any(not kind.startswith("delta") for kind in listed)
        listed = [
            metric(
                random,
                world,
                kind,
                (previous if kind.startswith("delta") else start, time),
                before,
                are_known or kind in before,
                host,
            )
            for kind in listed
        ]
        previous = time
        body = {
            "resourceMetrics": [
                {
                    "resource": {"attributes": attributes(resource)},
                    "scopeMetrics": [{"scope": {"name": "meter"}, "metrics": listed}],
                }
            ]
        }
        bodies.append(json.dumps(body, ensure_ascii=False))
        if random.random() < 0.2:
            bodies.append(bodies[-1])
    return bodies


CUMULATIVE = [2, "AGGREGATION_TEMPORALITY_CUMULATIVE"]
DELTA = [1, "AGGREGATION_TEMPORALITY_DELTA"]


def metric(random, world, kind, times, before, is_known, host):
    start, time = times
    tag = ("shop", "Köln")
    tags = tuple(sorted([tag, ("service.name", "shop"), ("host.name", host)]))
    point = {
        "startTimeUnixNano": str(start),
        "timeUnixNano": str(time),
        "attributes": attributes([tag]),
    }
    millis = time // 1_000_000

    def series(name, unit, of_kind):
        return (None, name, unit, of_kind, tags)

    if kind in ("gauge", "level"):
        value = random.gauss(50, 20)
        point["asDouble"] = value
        world.measure(series(kind, "%", "gauge"), millis, value)
        about = {"gauge": {"dataPoints": [point]}}
        if kind == "level":
            about = {
                "sum": {"aggregationTemporality": random.choice(CUMULATIVE), "dataPoints": [point]}
            }
        return {"name": kind, "unit": "%", **about}
    if kind in ("delta", "total"):
        added = random.randrange(100)
        total = added if kind == "delta" else before.get(kind, 0) + added
        before[kind] = total
        point["asInt"] = str(total)
        if kind == "delta" or is_known:
            world.measure(series(kind, "1", "counter"), millis, added)
        temporality = random.choice(DELTA if kind == "delta" else CUMULATIVE)
        return {
            "name": kind,
            "unit": "1",
            "sum": {
                "isMonotonic": True,
                "aggregationTemporality": temporality,
                "dataPoints": [point],
            },
        }
    is_delta = kind.startswith("delta")
    values = [random.lognormvariate(0, 1) for _ in range(random.choice([2, 9, 40]))]
    scale = random.choice([6, 7])
    old = [] if is_delta else before.get(kind, ([], scale))[0]
    if kind in before and not is_delta:
        scale = before[kind][1]
    every = old + values
    before[kind] = (every, scale)
    point.update({"count": str(len(every)), "sum": sum(every)})
    # The extremes of a total are those of all its values: they are of the increase only at its start.
    is_first = is_delta or not old
    if is_delta:
        point.update({"min": min(values), "max": max(values)})
    if kind == "bounds":
        point.update(
            {
                "explicitBounds": [1.0],
                "bucketCounts": [str(sum(v <= 1 for v in every)), str(sum(v > 1 for v in every))],
            }
        )
    else:
        point.update(exponential(every, scale))
    if is_delta or is_known:
        known = Fraction(sum(every)) - Fraction(sum(old))
        values_ = None if kind == "bounds" else values
        least, most = (
            (float(nanos(min(values))), float(nanos(max(values)))) if is_delta else (None, None)
        )
        spread = 2 ** (2.0**-scale) - 1
        world.window(
            series(kind, "s", "distribution"),
            Window(millis, len(values), nanos(float(known)), least, most, values_, spread),
        )
    temporality = random.choice(DELTA if is_delta else CUMULATIVE)
    name = "histogram" if kind == "bounds" else "exponentialHistogram"
    return {
        "name": kind,
        "unit": "s",
        name: {"aggregationTemporality": temporality, "dataPoints": [point]},
    }


def exponential(values, scale):
    counts = {}
    for value in values:
        index = math.ceil(math.log2(value) * 2**scale) - 1
        counts[index] = counts.get(index, 0) + 1
    first = min(counts)
    listed = [str(counts.get(index, 0)) for index in range(first, max(counts) + 1)]
    return {"scale": scale, "zeroCount": "0", "positive": {"offset": first, "bucketCounts": listed}}
