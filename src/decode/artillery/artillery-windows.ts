import { SECOND_LIMIT } from "../../model/second-range.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { LabelOptions, SampleSink } from "../decoder.ts";
import type { ArtilleryNames } from "./artillery-names.ts";
import {
  ALL_TIMES,
  type ArtilleryPeriod,
  endpointsOf,
  type EndpointWindow,
  isOfAll,
  leftOver,
  summaryOf,
  sumOf,
} from "./artillery-period.ts";
import {
  type ArtillerySummary,
  percentilesOf,
  type ResponseTimes,
  timesOfLatencies,
  timesOfSummary,
} from "./artillery-summary.ts";
import { shareOf } from "../bytes/exact-number.ts";
import { FailureKinds, failureNotes, hasFailedStatus } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, labelNotes, LabelTable, labelTooLong } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { noSizes, toFirstByte } from "../notes.ts";
import type { MeasureSeries, MeasureSink } from "../../model/measures/measure-table.ts";

/** Fixed in all versions of Artillery. */
const WINDOW_SECONDS = 10;
/** A report sums up all workers. */
const GENERATOR = 0;

/** Converts the windows of a report, with failures and users. */
export class ArtilleryWindows {
  readonly labels: LabelTable;
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[] = [""];
  readonly #kinds = new FailureKinds();
  readonly #sink: SampleSink;
  #hasPlugin = false;
  /** Users that have started and not ended. */
  #active = 0;
  #recorded = 0;
  #untimed = 0;
  readonly #endpoints = new Map<string, number>();
  #responsesLeft = 0;
  readonly #errorsLeft = new Map<string, number>();

  constructor(sink: SampleSink, labels: LabelOptions | undefined) {
    this.labels = new LabelTable(labels);
    this.#sink = sink;
    this.failureKinds = this.#kinds.kinds;
  }

  /** Returns why parts of a window cannot be stored. */
  take(period: ArtilleryPeriod, names: ArtilleryNames): string[] {
    const second = startOf(period);
    if (second === undefined) {
      return [`cannot read when the window begins: got ${quoted(period.start ?? "nothing")}`];
    }
    this.#takeUsers(period, second);
    addMeasures(this.#sink.measures, period, names, second);
    this.#hasPlugin ||= names.hasEndpoints;
    const endpoints = endpointsOf(period, names);
    const left = leftOver(period, endpoints);
    this.#responsesLeft += left.responses;
    for (const [error, count] of left.errors) {
      this.#errorsLeft.set(error, (this.#errorsLeft.get(error) ?? 0) + count);
    }
    if (names.hasEndpoints) {
      this.#reportPercentiles(undefined, period.summaries.get(ALL_TIMES), second);
    }
    return endpoints.flatMap((endpoint) => this.#takeEndpoint(endpoint, period, second) ?? []);
  }

  /** Windows are handed over as soon as they are read. */
  flush(): void {}

  /** Handles the percentiles of the whole run; called once, after all windows. */
  takeWhole(summaries: ReadonlyMap<string, ArtillerySummary>, names: ArtilleryNames): void {
    for (const [name, label] of this.#endpoints) {
      const keys = this.#hasPlugin ? names.summaryKeys(name) : undefined;
      this.#reportPercentiles(label, summaryOf(summaries, keys), undefined);
    }
    if (this.#hasPlugin) this.#reportPercentiles(undefined, summaries.get(ALL_TIMES), undefined);
  }

  #reportPercentiles(
    label: number | undefined,
    summary: ArtillerySummary | undefined,
    second: number | undefined,
  ): void {
    const percentiles = summary === undefined ? [] : percentilesOf(summary);
    if (percentiles.length === 0) return;
    const window = second === undefined ? undefined : { second, windowSeconds: WINDOW_SECONDS };
    this.#sink.recordPercentiles({ label, window, percentiles });
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.#recorded > 0) notes.push(...this.#notesOnRequests());
    else notes.push("the report counts no HTTP requests");
    const errors = [...this.#errorsLeft].filter(([, count]) => count > 0);
    if (errors.length > 0) {
      const shown = errors.slice(0, 5).map(([error, count]) => `${quoted(error)} ${count}`);
      const more = errors.length > shown.length ? ", and others" : "";
      notes.push(`errors without a request, not counted: ${shown.join(", ")}${more}`);
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
    if (this.#untimed > 0) notes.push(`requests without a response time: ${this.#untimed}`);
    if (this.#responsesLeft > 0) {
      notes.push(
        `responses without an endpoint (followed redirects, unnamed requests), not counted: ${this.#responsesLeft}`,
      );
    }
    return notes;
  }

  /** Counters tell who came and went, so that users are known at the end of a window. */
  #takeUsers({ counters, concurrency }: ArtilleryPeriod, second: number): void {
    const count = (key: string) => counters.get(key) ?? 0;
    const isRecorded = counters.has("vusers.created") || this.#active > 0;
    if (!isRecorded && concurrency === undefined) return;
    this.#active += count("vusers.created") - count("vusers.completed") - count("vusers.failed");
    const active = concurrency ?? Math.max(0, this.#active);
    this.#sink.recordActiveUsers(GENERATOR, second + WINDOW_SECONDS - 1, active);
  }

  #takeEndpoint(
    endpoint: EndpointWindow,
    { latenciesNanos }: ArtilleryPeriod,
    second: number,
  ): string | undefined {
    const times = timesOf(endpoint, latenciesNanos);
    if (times === undefined && endpoint.summary !== undefined && endpoint.codes.size > 0) {
      return `cannot read the response times of ${quoted(endpoint.name)}: want min, max and a mean`;
    }
    const label = this.labels.indexOfText(endpoint.name);
    if (label === LABEL_TOO_LONG) return labelTooLong(endpoint.name);
    const window = windowOf(endpoint, times, label, second);
    this.#sink.recordWindow(window);
    this.#recorded += 1;
    this.#untimed += window.untimedRequests ?? 0;
    this.#endpoints.set(endpoint.name, label);
    if (times?.latencies.length === 0) this.#reportPercentiles(label, endpoint.summary, second);
    this.#recordFailures(endpoint, label, second);
    return undefined;
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
  second: number,
): SampleWindow {
  const [responses, withoutResponse] = [sumOf(codes), sumOf(errors)];
  const requests = responses + withoutResponse;
  const failedCodes = codes
    .entries()
    .reduce((so, [code, count]) => so + (hasFailedStatus(Number(code)) ? count : 0), 0);
  const { requests: timed = 0, elapsedMicros = 0 } = times ?? {};
  // Assumes the same share of untimed responses among failed ones.
  const timedFailed = responses === 0 ? 0 : shareOf(timed, failedCodes, responses);
  const failedRequests = failedCodes + withoutResponse;
  return {
    label,
    second,
    windowSeconds: WINDOW_SECONDS,
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
const MILLIS_PER_SECOND = 1000;

/** Hands on counters and summaries that are not those of requests and their failures. `second`: the start of the window. */
function addMeasures(
  sink: MeasureSink,
  { counters, summaries }: ArtilleryPeriod,
  names: ArtilleryNames,
  second: number,
): void {
  const unixMillis = second * MILLIS_PER_SECOND;
  const seriesOf = (name: string, kind: MeasureSeries["kind"]): number => {
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? "";
    return sink.seriesOf({ label: undefined, name, unit, kind, tags: [] });
  };
  for (const [name, count] of counters) {
    if (isOfAll(name) || names.counter(name) !== undefined) continue;
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
