"""Raw rows of a load test, drawn at random: what the files and bodies say, and what the answers are computed from."""

from dataclasses import dataclass, field
from fractions import Fraction

LABELS = [
    "GET /",
    "GET /cart",
    "GET /cart/{id}",
    "POST /pay",
    "Ärger über Öl",
    "商品/検索",
    "поиск",
    "🛒 basket",
    "عربة التسوق",
    "ร้านค้า",
    'say "hi"',
    "a,b;c|d",
    "it's",
    "back\\slash",
    "x=y z",
    "e\u0301",
    "\u00e9",
    "0",
    "GET",
]
KINDS = [
    ("500", "Internal Server Error"),
    ("503", "busy"),
    ("404", "Not Found"),
    ("", "connection reset"),
    ("ETIMEDOUT", ""),
    ("502", "schlechtes Gateway, „kaputt“"),
    ("418", "я чайник"),
]


@dataclass
class Request:
    label: str
    #: UNIX second of the start; 0: unknown.
    second: int
    #: None: no response time is known.
    micros: int | None
    failed: bool
    size: int = 0
    #: Code and message; both empty: no reason is known.
    kind: tuple[str, str] = ("", "")
    #: "transaction", "subresult" or None.
    role: str | None = None


@dataclass
class Window:
    """Values of a measure: one, or several that were summed up before."""

    millis: int
    count: int
    sum: Fraction
    #: None: unknown.
    least: float | None
    most: float | None
    #: The values, or representatives of them; None: unknown.
    values: list[float] | None
    #: How far representatives may be from values, as a share.
    spread: float = 0.0


#: (endpoint or None, name, unit, kind, tags as sorted pairs)
Series = tuple[str | None, str, str, str, tuple[tuple[str, str], ...]]


@dataclass
class World:
    """All that is known of one load test."""

    id: str
    requests: list[Request] = field(default_factory=list)
    #: Whether the sizes of all requests are known.
    has_sizes: bool = True
    measures: dict[Series, list[Window]] = field(default_factory=dict)
    #: Series of endpoints that are stored by minute, without a distribution.
    by_minute: set[Series] = field(default_factory=set)
    #: For each source: users by generator and second.
    users: list[dict[str, dict[int, int]]] = field(default_factory=list)
    #: Whether all of its measures are known here, rather than those of which there is a question.
    knows_all_measures: bool = True

    def measure(self, series: Series, millis: int, value) -> None:
        exact = nanos(value)
        self.measures.setdefault(series, []).append(
            Window(millis, 1, exact, float(exact), float(exact), [float(exact)])
        )

    def window(self, series: Series, window: Window) -> None:
        self.measures.setdefault(series, []).append(window)


def nanos(value) -> Fraction:
    """The nearest multiple of 10^-9, as which a value of a measure counts."""
    return Fraction(round(Fraction(value) * 10**9), 10**9)


class Draw:
    """Random shapes of one load test."""

    def __init__(self, random):
        self.random = random
        self.start = random.choice([1_700_000_000, 1_760_000_000]) + random.randrange(40_000_000)
        self.length = random.choice([1, 2, 5, random.randrange(10, 70), random.randrange(60, 400)])
        gap = random.randrange(1, 400)
        #: Nothing happens in these seconds.
        self.gap = range(gap, gap + random.choice([0, 3, 70]))
        self.labels = random.sample(LABELS, random.randrange(1, 7))
        self.shape = random.choice(["ms", "ms", "µs", "tiny", "hours", "one", "zero"])
        self.failing = random.choice([0, 0.02, 0.5, 1])
        self.kinds = random.sample(KINDS, random.randrange(1, 4))

    def millis(self) -> int:
        """A start, in ms since the epoch."""
        while True:
            at = self.random.randrange(self.length * 1000)
            if at // 1000 not in self.gap or self.length <= len(self.gap) + self.gap.start:
                return self.start * 1000 + at

    def micros(self) -> int:
        random, shape = self.random, self.shape
        if shape == "one":
            return 123_457
        if shape == "zero":
            return 0
        if shape == "tiny":
            return random.randrange(3) * 1000
        if shape == "hours":
            return int(10 ** random.uniform(3, 10.5))
        micros = int(random.choice([40_000, 300_000]) * 2.718 ** random.gauss(0, 0.8))
        return micros // 1000 * 1000 if shape == "ms" else micros

    def requests(self, count: int) -> list[tuple[int, Request]]:
        """Starts in ms with their requests, ascending."""
        drawn = []
        for _ in range(count):
            millis, failed = self.millis(), self.random.random() < self.failing
            drawn.append(
                (
                    millis,
                    Request(
                        self.random.choice(self.labels),
                        millis // 1000,
                        self.micros(),
                        failed,
                        size=self.random.choice([0, 17, self.random.randrange(200_000)]),
                        kind=self.random.choice(self.kinds) if failed else ("", ""),
                    ),
                )
            )
        return sorted(drawn, key=lambda each: each[0])
