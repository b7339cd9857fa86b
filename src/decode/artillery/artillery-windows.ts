import { SECOND_LIMIT } from "../../model/columns.ts";
import { addExactly } from "../../model/exact.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { LabelOptions, SampleSink } from "../decoder.ts";
import {
  type ArtilleryNames,
  type ArtillerySummary,
  type ResponseTimes,
  percentilesOf,
  timesOfLatencies,
  timesOfSummary,
} from "./artillery-summary.ts";
import {
  ALL_TIMES,
  type ArtilleryPeriod,
  countsHttp,
  endpointsOf,
  type EndpointWindow,
  isOfRequests,
  keysOfTimes,
  leftOver,
  summaryOf,
  sumOf,
} from "./artillery-period.ts";
import { shareOf } from "../bytes/exact-number.ts";
import { RowRepairs } from "../row-repairs.ts";
import {
  CHECKED_FIGURES,
  type Discrepancy,
  type RowQuality,
} from "../../model/quality/row-quality.ts";
import { FailureKinds, failureNotes, hasFailedStatus } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, labelNotes, LabelTable, labelTooLong } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { noSizes, toFirstByte } from "../notes.ts";
import type { MeasureSeries, MeasureSink } from "../../model/measures/measure-table.ts";

/** Fixed in all versions of Artillery. */
const WINDOW_SECONDS = 10;
/** A report sums up all workers. */
const GENERATOR = 0;
const MILLIS_PER_SECOND = 1000;
interface Stretch {
  readonly second: number;
  readonly windowSeconds: number;
}

type Totals = Record<Discrepancy["figure"], number>;

/** Converts the windows of a report, with failures and users. */
export class ArtilleryWindows {
  readonly labels: LabelTable;
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[] = [""];
  /** What is unknown of the last window. */
  readonly repairs = new RowRepairs();
  readonly #kinds = new FailureKinds();
  readonly #sink: SampleSink;
  #hasPlugin = false;
  /** Users that have started and not ended. */
  #active = 0;
  #recorded = 0;
  #untimed = 0;
  #meanless = 0;
  readonly #counted: Totals = { requests: 0, failedRequests: 0 };
  #discrepancies: readonly Discrepancy[] = [];
  /** Labels by name, and how many names each has. */
  readonly #endpoints = new Map<string, number>();
  readonly #namesByLabel = new Map<number, number>();
  #responsesLeft = 0;
  readonly #errorsLeft = new Map<string, number>();

  constructor(sink: SampleSink, labels: LabelOptions | undefined) {
    this.labels = new LabelTable(labels);
    this.#sink = sink;
    this.failureKinds = this.#kinds.kinds;
  }

  /** Returns why a window cannot be stored. */
  take(period: ArtilleryPeriod, names: ArtilleryNames): string | undefined {
    const start = startOf(period);
    if (start === undefined) {
      return `cannot read when the window begins: got ${quoted(period.start ?? "nothing")}`;
    }
    const stretch = { second: start, windowSeconds: WINDOW_SECONDS };
    this.#takeUsers(period, stretch);
    addMeasures(this.#sink.measures, period, names, stretch.second);
    this.#hasPlugin ||= names.hasEndpoints;
    const endpoints = endpointsOf(period, names);
    const left = leftOver(period, endpoints);
    this.#responsesLeft += left.responses;
    for (const [error, count] of left.errors) {
      this.#errorsLeft.set(error, (this.#errorsLeft.get(error) ?? 0) + count);
    }
    // Those of Artillery include the responses of no endpoint.
    if (names.hasEndpoints && left.responses === 0) {
      this.#reportPercentiles(undefined, period.summaries.get(ALL_TIMES), stretch);
    }
    const labels = endpoints.map(({ name }) => this.#labelOf(name));
    for (const [at, endpoint] of endpoints.entries()) {
      this.#takeEndpoint(endpoint, labels[at] as number, period, stretch);
    }
    return undefined;
  }

  /** Windows are handed over as soon as they are read. */
  flush(): void {}

  /** Handles the percentiles and totals of the whole run; called once, after all windows of a complete report. */
  takeWhole(whole: ArtilleryPeriod, names: ArtilleryNames): void {
    const { summaries } = whole;
    for (const [name, label] of this.#endpoints) {
      if (this.#isShared(label)) continue;
      const keys = keysOfTimes(name, this.#hasPlugin ? names : undefined);
      this.#reportPercentiles(label, summaryOf(summaries, keys), undefined);
    }
    if (this.#hasPlugin && this.#responsesLeft === 0) {
      this.#reportPercentiles(undefined, summaries.get(ALL_TIMES), undefined);
    }
    const reported: Totals = { requests: 0, failedRequests: 0 };
    for (const endpoint of endpointsOf(whole, names)) addTo(reported, endpoint);
    this.#discrepancies = CHECKED_FIGURES.filter(
      (figure) => reported.requests > 0 && reported[figure] !== this.#counted[figure],
    ).map((figure) => ({ figure, reported: reported[figure], counted: this.#counted[figure] }));
  }

  /** Totals of the report that differ from the sum of its windows; after `takeWhole`. */
  get quality(): Pick<RowQuality, "discrepancies"> {
    return this.#discrepancies.length === 0 ? {} : { discrepancies: this.#discrepancies };
  }

  #reportPercentiles(
    label: number | undefined,
    summary: ArtillerySummary | undefined,
    window: Stretch | undefined,
  ): void {
    const percentiles = summary === undefined ? [] : percentilesOf(summary);
    if (percentiles.length === 0) return;
    this.#sink.recordPercentiles({ label, window, percentiles });
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#recorded > 0) notes.push(...this.#notesOnRequests());
    else notes.push("the report counts no requests with an outcome: see its measures");
    const errors = [...this.#errorsLeft].filter(([, count]) => count > 0);
    if (errors.length > 0) {
      const shown = errors.slice(0, 5).map(([error, count]) => `${quoted(error)} ${count}`);
      const more = errors.length > shown.length ? ", and others" : "";
      notes.push(`errors without a request, not counted: ${shown.join(", ")}${more}`);
    }
    for (const { figure, reported, counted } of this.#discrepancies) {
      const what = figure === "requests" ? "requests" : "failed requests";
      notes.push(`the report's total counts ${reported} ${what}, its windows ${counted}`);
    }
    return [...notes, ...failureNotes(this.#kinds), ...labelNotes(this.labels)];
  }

  #notesOnRequests(): string[] {
    const notes = [
      `Artillery aggregates windows of ${WINDOW_SECONDS} s: data points are at the start of their window`,
      toFirstByte("Artillery"),
      noSizes("Artillery"),
    ];
    if (!this.#hasPlugin) {
      notes.push("the report does not distinguish endpoints: all requests have one label");
    }
    if (this.#meanless > 0) {
      notes.push("the report has no mean response times: averages are unknown");
    }
    if (this.#untimed > 0) notes.push(`requests without a response time: ${this.#untimed}`);
    if (this.#responsesLeft > 0) {
      notes.push(
        `responses without an endpoint (followed redirects, unnamed requests), not counted: ${this.#responsesLeft}`,
      );
    }
    return notes;
  }

  /** Counters tell who came and went, so that users are known at the end of a window. */
  #takeUsers({ counters, concurrency }: ArtilleryPeriod, { second, windowSeconds }: Stretch): void {
    const count = (key: string) => counters.get(key) ?? 0;
    const isRecorded = counters.has("vusers.created") || this.#active > 0;
    if (!isRecorded && concurrency === undefined) return;
    this.#active += count("vusers.created") - count("vusers.completed") - count("vusers.failed");
    const active = concurrency ?? Math.max(0, this.#active);
    this.#sink.recordActiveUsers(GENERATOR, second + windowSeconds - 1, active);
  }

  #takeEndpoint(
    endpoint: EndpointWindow,
    label: number,
    { latenciesNanos }: ArtilleryPeriod,
    stretch: Stretch,
  ): void {
    const { summary } = endpoint;
    const times = timesOf(endpoint, latenciesNanos);
    if (times === undefined) this.#lackTimes(endpoint);
    const { second } = stretch;
    const window = windowOf(endpoint, times, label, stretch);
    addTo(this.#counted, endpoint);
    this.#sink.recordWindow(window);
    this.#recorded += 1;
    this.#untimed += window.untimedRequests ?? 0;
    const isReported = (times?.latencies ?? []).length === 0 && !this.#isShared(label);
    if (isReported) this.#reportPercentiles(label, summary, stretch);
    this.#recordFailures(endpoint, label, second);
  }

  #lackTimes({ name, codes, summary }: EndpointWindow): void {
    if (summary === undefined || codes.size === 0) return;
    const [min] = summary.has("mean") ? [] : percentilesOf(summary);
    if (min?.[0] === 0) this.#meanless += 1;
    else this.repairs.add("time-unknown", `cannot read the response times of ${quoted(name)}`);
  }

  #labelOf(name: string): number {
    const found = this.labels.indexOfText(name);
    if (found === LABEL_TOO_LONG) this.repairs.add("label-shortened", labelTooLong(name));
    const label = found === LABEL_TOO_LONG ? this.labels.indexOfTooLong() : found;
    if (this.#endpoints.has(name)) return label;
    this.#endpoints.set(name, label);
    this.#namesByLabel.set(label, (this.#namesByLabel.get(label) ?? 0) + 1);
    return label;
  }

  /** Whether several names share the label, as of a group of URLs: then percentiles do not apply to it. */
  #isShared(label: number): boolean {
    return (this.#namesByLabel.get(label) ?? 0) > 1;
  }

  #recordFailures({ codes, errors }: EndpointWindow, label: number, second: number): void {
    for (const [code, requests] of codes) {
      if (!hasFailedStatus(Number(code))) continue;
      this.#sink.recordFailure(label, second, this.#kinds.numberOf(label, code, ""), requests);
    }
    for (const [error, requests] of errors) {
      this.#sink.recordFailure(label, second, this.#kinds.numberOf(label, "", error), requests);
    }
  }
}

/** `undefined` if no request has a response time. */
function timesOf(
  { codes, summary }: EndpointWindow,
  latenciesNanos: readonly number[],
): ResponseTimes | undefined {
  const responses = sumOf(codes);
  if (responses === 0) return undefined;
  if (latenciesNanos.length === responses) return timesOfLatencies(latenciesNanos);
  return summary && timesOfSummary(summary, responses);
}

function windowOf(
  { codes, errors }: EndpointWindow,
  times: ResponseTimes | undefined,
  label: number,
  stretch: Stretch,
): SampleWindow {
  const [responses, withoutResponse] = [sumOf(codes), sumOf(errors)];
  const requests = addExactly(responses, withoutResponse);
  const failedCodes = failedOf(codes);
  const { requests: timed = 0, elapsedMicros = 0 } = times ?? {};
  // Assumes the same share of untimed responses among failed ones.
  const timedFailed = responses === 0 ? 0 : shareOf(timed, failedCodes, responses);
  const failedRequests = failedCodes + withoutResponse;
  return {
    label,
    ...stretch,
    requests,
    elapsedMicros,
    receivedBytes: 0,
    failedRequests,
    failedElapsedMicros: timed === 0 ? 0 : shareOf(elapsedMicros, timedFailed, timed),
    failedReceivedBytes: 0,
    untimedRequests: requests - timed,
    untimedFailedRequests: failedRequests - timedFailed,
    minMicros: times?.minMicros,
    maxMicros: times?.maxMicros,
    latencies: times?.latencies ?? [],
  };
}

function failedOf(codes: ReadonlyMap<string, number>): number {
  const failed = codes.entries().filter(([code]) => hasFailedStatus(Number(code)));
  return failed.reduce((so, [, count]) => addExactly(so, count), 0);
}

function addTo(totals: Totals, { codes, errors }: EndpointWindow): void {
  totals.requests = [totals.requests, sumOf(codes), sumOf(errors)].reduce(addExactly);
  totals.failedRequests = [totals.failedRequests, failedOf(codes), sumOf(errors)].reduce(
    addExactly,
  );
}

/** `undefined` if it cannot be stored. */
function startOf({ start, reportedAt }: ArtilleryPeriod): number | undefined {
  const ms =
    start === undefined ? Date.parse(reportedAt ?? "") - WINDOW_SECONDS * 1000 : Number(start);
  const second = Math.floor(ms / 1000);
  return second > 0 && second < SECOND_LIMIT - WINDOW_SECONDS ? second : undefined;
}

/** Units of Artillery's own metrics; those of scripts have none. */
const UNITS: readonly (readonly [pattern: RegExp, unit: string])[] = [
  [/^http\.downloaded_bytes$/, "By"],
  [/^(?:http\.response_time\.|vusers\.session_length$)/, "ms"],
];

/** Hands on counters and summaries that are not those of requests and their failures. `second`: the start of the window. */
function addMeasures(
  sink: MeasureSink,
  period: ArtilleryPeriod,
  names: ArtilleryNames,
  second: number,
): void {
  const { counters, summaries } = period;
  const hasHttp = countsHttp(period);
  const unixMillis = second * MILLIS_PER_SECOND;
  const seriesOf = (name: string, kind: MeasureSeries["kind"]): number => {
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "";
    return sink.seriesOf({ label: undefined, name, unit, kind, tags: [] });
  };
  for (const [name, count] of counters) {
    if (isOfRequests(name, hasHttp) || names.counter(name) !== undefined) continue;
    sink.add(seriesOf(name, "counter"), unixMillis, count);
  }
  for (const [name, summary] of summaries) {
    if (name === ALL_TIMES || names.isTimes(name)) continue;
    const number = (member: string): number => Number(summary.get(member) ?? Number.NaN);
    const [count, min, max] = [number("count"), number("min"), number("max")];
    // The mean has one decimal, so that the sum is about right.
    const window = { count, sum: number("mean") * count, min, max, entries: [] };
    sink.addWindow(seriesOf(name, "distribution"), unixMillis, window);
  }
}
