import { type Role, strongerRole } from "../../model/role.ts";
import type { Instant } from "../bytes/k6-instant.ts";
import { type IntervalLine, JmeterIntervals } from "../jmeter/jmeter-intervals.ts";
import { LABEL_TOO_LONG, labelTooLong } from "../labels/label-table.ts";
import { noSizes } from "../notes.ts";
import { quoted } from "../quoted.ts";
import { SampleRows } from "../sample-rows.ts";
import type { LinePoint } from "./line-point.ts";
import {
  type LineTargets,
  labelIn,
  microsOf,
  readTime,
  recordPhase,
  seriesIn,
  unreadable,
  wholeField,
} from "./point-values.ts";

/** Kinds of JMeter points: requests of a label in an interval, failures, threads, or one sample. */
export type JmeterShape = "interval" | "failures" | "users" | "sample";

/** JMeter's sums over all labels, which are redundant. */
const ALL_LABELS = "all";

const STATUSES = ["all", "ok", "ko"] as const;

/** `undefined` for other points. */
export function jmeterShapeOf(point: LinePoint): JmeterShape | undefined {
  if (point.tag("transaction") === undefined) return undefined;
  if (point.tag("statut") !== undefined) return "interval";
  if (point.tag("responseCode") !== undefined) return "failures";
  if (point.field("maxAT") !== undefined) return "users";
  const isSample = point.tag("status") !== undefined && point.field("duration") !== undefined;
  return isSample ? "sample" : undefined;
}

/** Handles the points of both JMeter listeners: docs/internals/formats/line-protocol.md. */
export class LineJmeter {
  readonly #targets: LineTargets;
  readonly #rows: SampleRows;
  readonly #intervals: JmeterIntervals;
  readonly #instant: Instant = { second: 0, nanos: 0, hasParts: false };
  #samples = 0;
  #totals = 0;

  constructor(targets: LineTargets) {
    this.#targets = targets;
    this.#rows = new SampleRows(targets.sink);
    this.#intervals = new JmeterIntervals(targets.sink, targets.intervalSeconds);
  }

  /** Returns why a point cannot be used. */
  take(point: LinePoint, shape: JmeterShape): string | undefined {
    const complaint = readTime(point, this.#instant);
    if (complaint !== undefined) return complaint;
    if (shape === "users") return this.#takeUsers(point);
    const label = labelIn(this.#targets, point, point.tag("transaction") as number);
    const series = seriesIn(this.#targets, point, label);
    if (shape === "sample") return this.#takeSample(point, label, series);
    return shape === "interval"
      ? this.#takeLine(point, series)
      : this.#takeFailures(point, label, series);
  }

  flush(): void {
    this.#rows.flush();
  }

  end(): readonly string[] {
    this.#rows.flush();
    this.#intervals.settle();
    const { windows, smoothed } = this.#intervals;
    const notes: string[] = [];
    if (this.#samples > 0) notes.push(noSizes("JMeter's raw listener"));
    if (windows > 0) notes.push(MERGED_NOTE);
    if (smoothed > 0) {
      notes.push(
        `response times of ${smoothed} of ${windows} rows are not exact: JMeter computed them from ` +
          `the label's last 100 requests; run it with backend_metrics_window_mode=timed`,
      );
    }
    if (windows === 0 && this.#totals > 0) {
      notes.push("JMeter sent only sums over all labels: set summaryOnly=false in its listener");
    }
    return notes;
  }

  get #atMs(): number {
    return this.#instant.second * 1000 + Math.floor(this.#instant.nanos / 1_000_000);
  }

  #takeSample(point: LinePoint, label: number, series: number): string | undefined {
    const elapsedMicros = microsOf(point, "duration");
    const hasFailed = !point.holds(point.tag("status"), "ok");
    const { second } = this.#instant;
    if (elapsedMicros === undefined) {
      this.#targets.repairs.add("time-unknown", unreadable(point, "duration", "milliseconds"));
      const failedRequests = hasFailed ? 1 : 0;
      this.#rows.addUntimed(series, second, { requests: 1, failedRequests, receivedBytes: 0 });
    } else this.#rows.addRequest(series, second, { elapsedMicros, hasFailed });
    const of = { label, unixMillis: this.#atMs, isWhole: this.#targets.isWhole(label) };
    recordPhase(this.#targets, of, "latency", microsOf(point, "ttfb"));
    recordPhase(this.#targets, of, "connect", microsOf(point, "connectTime"));
    this.#samples += 1;
    return undefined;
  }

  #takeLine(point: LinePoint, series: number): string | undefined {
    const interval = this.#intervals.endingAt(this.#atMs);
    if (point.holds(point.tag("transaction"), ALL_LABELS)) {
      this.#totals += 1;
      return undefined;
    }
    const line = readLine(point);
    if (typeof line === "string") return line;
    this.#intervals.add(series, interval, line);
    if (point.field("rb") !== undefined) this.#targets.sink.confirmSizes();
    return undefined;
  }

  #takeFailures(point: LinePoint, label: number, series: number): string | undefined {
    const requests = wholeField(point, "count");
    if (requests === undefined || requests === 0) return unreadable(point, "count", "1 or more");
    const { sink, kinds } = this.#targets;
    const { second } = this.#intervals.endingAt(this.#atMs);
    const code = point.text(point.tag("responseCode"));
    const kind = kinds.numberOf(label, code, point.text(point.tag("responseMessage")));
    sink.recordFailure(series, second, kind, requests);
    return undefined;
  }

  #takeUsers(point: LinePoint): string | undefined {
    const active = wholeField(point, "maxAT");
    if (active === undefined) return unreadable(point, "maxAT", "a whole number");
    const { second } = this.#intervals.endingAt(this.#atMs);
    // JMeter sends one such line before any thread can have started.
    if (active > 0 || wholeField(point, "endedT") !== 0) {
      this.#targets.sink.recordActiveUsers(0, second, active);
    }
    return undefined;
  }
}

const MERGED_NOTE =
  "JMeter merged its samples before sending them: a row covers several seconds of requests, of " +
  "their distribution only what JMeter sent is known, and failed requests get their share of the bytes";

function readLine(point: LinePoint): IntervalLine | string {
  const tag = point.tag("statut");
  const status = STATUSES.find((each) => point.holds(tag, each));
  if (status === undefined)
    return `cannot read statut: got ${quoted(point.text(tag))}, want all, ok or ko`;
  const requests = wholeField(point, "count");
  if (requests === undefined || requests === 0) return unreadable(point, "count", "1 or more");
  const [averageMicros, minMicros, maxMicros] = ["avg", "min", "max"].map((name) =>
    microsOf(point, name),
  );
  if (averageMicros === undefined) return unreadable(point, "avg", "milliseconds");
  if (minMicros === undefined) return unreadable(point, "min", "milliseconds");
  if (maxMicros === undefined) return unreadable(point, "max", "milliseconds");
  if (averageMicros * requests > Number.MAX_SAFE_INTEGER) {
    return unreadable(point, "avg", "milliseconds whose sum is less than 2^53 micros");
  }
  const averageMs = Number(point.text(point.field("avg")));
  // Before JMeter 5 there was no `rb`.
  const receivedBytes = point.field("rb") === undefined ? 0 : wholeField(point, "rb");
  if (receivedBytes === undefined) return unreadable(point, "rb", "bytes");
  const quantiles = quantilesOf(point);
  return { status, requests, averageMs, minMicros, maxMicros, quantiles, receivedBytes };
}

/** Fields such as `pct95.0`; unreadable ones are skipped. */
function quantilesOf(point: LinePoint): IntervalLine["quantiles"] {
  return [...point.fields()].flatMap(([name]) => {
    const percent = Number(/^pct(\d{1,3}(?:\.\d+)?)$/.exec(name)?.[1] ?? Number.NaN);
    if (!(percent <= 100)) return [];
    const micros = microsOf(point, name);
    return micros === undefined ? [] : [[percent / 100, micros] as const];
  });
}

const ALL_STEPS = "global information";
const WINDOW_SECONDS_MAX = 65_535;
const MICROS_PER_MILLI = 1000;
const COUNTS = ["ok.request.count", "fail.request.count"] as const;

/** Whether a point is what NBomber's sink writes of a step in an interval, or at the end. */
export function isNbomberStep(point: LinePoint): boolean {
  return (
    point.measurement === "nbomber" &&
    point.tag("step") !== undefined &&
    COUNTS.every((name) => point.field(name) !== undefined)
  );
}

/** Records intervals of NBomber's steps: docs/internals/formats/line-protocol.md. */
export class LineNbomber {
  readonly #targets: LineTargets;
  readonly #roles: (Role | undefined)[] = [];

  constructor(targets: LineTargets) {
    this.#targets = targets;
  }

  roleOf(label: number): Role | undefined {
    return this.#roles[label];
  }

  /** Returns why a point cannot be used. `endSecond` is when the interval ended. */
  take(point: LinePoint, endSecond: number): string | undefined {
    // At the end it writes the sums of the run.
    if (!point.holds(point.tag("current_operation"), "bombing")) return undefined;
    const [passed, failed] = [outcomeOf(point, "ok"), outcomeOf(point, "fail")];
    if (passed === undefined || failed === undefined) return "cannot read the numbers of the step";
    const requests = passed.requests + failed.requests;
    if (requests === 0) return undefined;
    const step = point.text(point.tag("step"));
    const scenario = point.text(point.tag("scenario"));
    const role = step === ALL_STEPS ? "transaction" : "request";
    const label = this.#targets.labels.indexOfText(role === "request" ? step : scenario);
    if (label === LABEL_TOO_LONG) return labelTooLong();
    this.#roles[label] = strongerRole(this.#roles[label] ?? role, role);
    const perSecond = passed.perSecond + failed.perSecond;
    // Rounded to 0, it does not say how long the interval was.
    const seconds = perSecond === 0 ? 1 : Math.round(requests / perSecond);
    const windowSeconds = Math.max(1, Math.min(WINDOW_SECONDS_MAX, seconds));
    const least = [passed, failed].filter((each) => each.requests > 0);
    this.#targets.sink.recordWindow({
      label: seriesIn(this.#targets, point, label),
      second: Math.max(1, endSecond - windowSeconds),
      windowSeconds,
      requests,
      elapsedMicros: passed.elapsedMicros + failed.elapsedMicros,
      receivedBytes: passed.receivedBytes + failed.receivedBytes,
      failedRequests: failed.requests,
      failedElapsedMicros: failed.elapsedMicros,
      failedReceivedBytes: failed.receivedBytes,
      minMicros: Math.min(...least.map(({ minMicros }) => minMicros)),
      maxMicros: Math.max(...least.map(({ maxMicros }) => maxMicros)),
      latencies: [],
    });
    this.#targets.sink.confirmSizes();
    return undefined;
  }
}

interface Outcome {
  readonly requests: number;
  readonly perSecond: number;
  readonly elapsedMicros: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  readonly receivedBytes: number;
}

/** `undefined` if a number is missing or cannot be stored. */
function outcomeOf(point: LinePoint, outcome: "ok" | "fail"): Outcome | undefined {
  const number = (name: string): number => {
    const part = point.field(`${outcome}.${name}`);
    return part === undefined ? Number.NaN : Number(point.text(part).replace(/[iu]$/, ""));
  };
  const requests = number("request.count");
  const read = {
    requests,
    perSecond: number("request.rps"),
    elapsedMicros: Math.round(number("latency.mean") * MICROS_PER_MILLI * requests),
    minMicros: Math.round(number("latency.min") * MICROS_PER_MILLI),
    maxMicros: Math.round(number("latency.max") * MICROS_PER_MILLI),
    receivedBytes: number("datatransfer.all"),
  };
  const { perSecond, ...whole } = read;
  const isWhole = Object.values(whole).every((each) => each >= 0 && Number.isSafeInteger(each));
  return isWhole && perSecond >= 0 ? read : undefined;
}
