import type { SampleSink } from "../decoder.ts";

/** Default of `backend_influxdb.send_interval`. */
const INTERVAL_SECONDS = 5;
/** Longer gaps separate runs. */
const INTERVAL_SECONDS_MAX = 60;
/** Pause between sends: lines of one send follow quickly, sends are at least 1 s apart. */
const PAUSE_MS_MIN = 600;

export interface IntervalLine {
  /** All requests, passed or failed ones. */
  readonly status: "all" | "ok" | "ko";
  /** At least 1. */
  readonly requests: number;
  readonly averageMs: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  /** By quantile (0 to 1). */
  readonly quantiles: readonly (readonly [quantile: number, micros: number])[];
  /** Of all requests, whichever the line. */
  readonly receivedBytes: number;
}

export interface Interval {
  readonly second: number;
  readonly windowSeconds: number;
}

interface OpenInterval extends Interval {
  readonly label: number;
  readonly lines: Map<IntervalLine["status"], IntervalLine>;
}

/** Combines the lines of one label and interval that JMeter's aggregating listener sends, up to three. */
export class JmeterIntervals {
  /** Windows handed over, and those whose average is not that of their requests. */
  windows = 0;
  smoothed = 0;
  readonly #sink: SampleSink;
  readonly #intervalSeconds: number;
  #open: OpenInterval | undefined;
  /** Time of the last line, of the first of its send, and the length of its interval. */
  #writtenAtMs = 0;
  #sentAtMs = 0;
  #windowSeconds = INTERVAL_SECONDS;

  /** `intervalSeconds` is assumed for the first send. */
  constructor(sink: SampleSink, intervalSeconds: number = INTERVAL_SECONDS) {
    this.#sink = sink;
    this.#intervalSeconds = intervalSeconds;
  }

  /** Interval that ends with a line at `atMs`. Lines come in source order. */
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
 * Lines that cover each request once: passed and failed ones if both exist, as the last 100 requests of each
 * differ from those of all.
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

function elapsedMicrosOf({ averageMs, requests }: IntervalLine): number {
  return Math.round(averageMs * requests * 1000);
}

/**
 * Whether the average can be that of the counted requests, in whole milliseconds. JMeter's default averages over
 * the last 100 requests.
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
