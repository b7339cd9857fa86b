import type { SampleSink } from "../decoder.ts";

/** JMeter's own default of `backend_influxdb.send_interval`. */
const INTERVAL_SECONDS = 5;
/** Sends further apart than this are those of two runs. */
const INTERVAL_SECONDS_MAX = 60;
/** JMeter writes the lines of one send in quick succession; sends are at least a second apart. */
const PAUSE_MS_MIN = 600;

/** What one line tells of the requests of a label in one interval. */
export interface IntervalLine {
  /** Of all requests, of those that passed, of those that failed. */
  readonly status: "all" | "ok" | "ko";
  /** At least 1. */
  readonly requests: number;
  /** What JMeter calls their average. */
  readonly averageMs: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  /** What JMeter says of their distribution, by quantile (0 to 1). */
  readonly quantiles: readonly (readonly [quantile: number, micros: number])[];
  /** Of all requests, on whichever line it stands. */
  readonly receivedBytes: number;
}

/** The seconds that a line is about. */
export interface Interval {
  readonly second: number;
  readonly windowSeconds: number;
}

interface OpenInterval extends Interval {
  readonly label: number;
  readonly lines: Map<IntervalLine["status"], IntervalLine>;
}

/**
 * Puts the lines together that JMeter's aggregating listener sends of one label and interval: up to
 * three, one behind the other. What they are missing, the others tell.
 */
export class JmeterIntervals {
  /** Windows handed over, and those among them whose average is not that of their requests. */
  windows = 0;
  smoothed = 0;
  readonly #sink: SampleSink;
  readonly #intervalSeconds: number;
  #open: OpenInterval | undefined;
  /** When the last line was written, the first one of its send, and how long that send reaches back. */
  #writtenAtMs = 0;
  #sentAtMs = 0;
  #windowSeconds = INTERVAL_SECONDS;

  /** `intervalSeconds` is assumed where the source does not show when it was sent before. */
  constructor(sink: SampleSink, intervalSeconds: number = INTERVAL_SECONDS) {
    this.#sink = sink;
    this.#intervalSeconds = intervalSeconds;
  }

  /** The interval that ends with a line written at `atMs`. Lines come in the order of the source. */
  endingAt(atMs: number): Interval {
    const pauseMs = atMs - this.#writtenAtMs;
    this.#writtenAtMs = atMs;
    if (pauseMs < 0 || pauseMs >= PAUSE_MS_MIN) {
      const seconds = Math.max(1, Math.round((atMs - this.#sentAtMs) / 1000));
      const isPlausible = pauseMs > 0 && seconds <= INTERVAL_SECONDS_MAX;
      this.#windowSeconds = isPlausible ? seconds : this.#intervalSeconds;
      this.#sentAtMs = atMs;
    }
    const second = Math.max(1, Math.floor(atMs / 1000) - this.#windowSeconds);
    return { second, windowSeconds: this.#windowSeconds };
  }

  /** Takes a line about `label`; it goes with the one before if that is about the same. */
  add(label: number, interval: Interval, line: IntervalLine): void {
    const open = this.#open;
    const isSame = open?.label === label && Math.abs(open.second - interval.second) <= 1;
    if (open !== undefined && isSame && !open.lines.has(line.status)) {
      open.lines.set(line.status, line);
      return;
    }
    this.settle();
    this.#open = { ...interval, label, lines: new Map([[line.status, line]]) };
  }

  /** Hands over what is open. */
  settle(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const parts = partsOf(open.lines);
    // Extremes over the last 100 requests are not those of the interval.
    const isExact = parts.every(isOfItsRequests);
    if (!isExact) this.smoothed += 1;
    this.windows += 1;
    this.#sink.recordWindow({
      label: open.label,
      second: open.second,
      windowSeconds: open.windowSeconds,
      ...requestsOf(open.lines, parts),
      minMicros: isExact ? Math.min(...parts.map(({ minMicros }) => minMicros)) : undefined,
      maxMicros: isExact ? Math.max(...parts.map(({ maxMicros }) => maxMicros)) : undefined,
      latencies: parts.every(isSingle) ? parts.map(latencyOf) : [],
    });
    const [only, another] = parts;
    const percentiles = another === undefined ? only?.quantiles : open.lines.get("all")?.quantiles;
    if (percentiles === undefined || percentiles.length === 0) return;
    const { label, second, windowSeconds } = open;
    this.#sink.recordPercentiles({ label, window: { second, windowSeconds }, percentiles });
  }
}

type Lines = ReadonlyMap<IntervalLine["status"], IntervalLine>;

/**
 * The lines that hold each request once. Those of passed and failed requests are taken where there
 * are both: the last 100 requests of each are others than the last 100 of all.
 */
function partsOf(lines: Lines): IntervalLine[] {
  const all = lines.get("all");
  const parts = [lines.get("ok"), lines.get("ko")].filter((line) => line !== undefined);
  const isWhole = all === undefined || sum(parts, ({ requests }) => requests) === all.requests;
  return isWhole ? parts : [all];
}

function requestsOf(lines: Lines, parts: readonly IntervalLine[]) {
  const [ok, ko] = [lines.get("ok"), lines.get("ko")];
  const requests = sum(parts, (line) => line.requests);
  const elapsedMicros = sum(parts, elapsedMicrosOf);
  const receivedBytes = parts[0]?.receivedBytes ?? 0;
  const failedRequests =
    ko === undefined && ok !== undefined
      ? requests - Math.min(requests, ok.requests)
      : Math.min(requests, ko?.requests ?? 0);
  return {
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros:
      ko === undefined
        ? share(elapsedMicros, failedRequests, requests)
        : Math.min(elapsedMicros, elapsedMicrosOf(ko)),
    failedReceivedBytes: share(receivedBytes, failedRequests, requests),
  };
}

/** The average of one request is its response time. */
function isSingle(line: IntervalLine): boolean {
  return line.requests === 1 && isOfItsRequests(line);
}

function latencyOf({ minMicros }: IntervalLine) {
  return { elapsedMicros: minMicros, requests: 1 };
}

/** The sum over the requests of a line, as far as its average tells it. */
function elapsedMicrosOf({ averageMs, requests }: IntervalLine): number {
  return Math.round(averageMs * requests * 1000);
}

/**
 * Whether the average can be that of the requests the line counts: those took whole milliseconds.
 * JMeter's own setting is to average over the last 100 requests, however many came since.
 */
function isOfItsRequests({ averageMs, requests, minMicros, maxMicros }: IntervalLine): boolean {
  const sumMs = averageMs * requests;
  const isWhole = Math.abs(sumMs - Math.round(sumMs)) <= 1e-9 * Math.max(1, sumMs);
  return isWhole && (requests > 1 || minMicros === maxMicros);
}

function share(amount: number, part: number, whole: number): number {
  return Math.round((amount / whole) * part);
}

function sum(lines: readonly IntervalLine[], valueOf: (line: IntervalLine) => number): number {
  return lines.reduce((total, line) => total + valueOf(line), 0);
}
