import type {
  MeasuredValues,
  MeasureKind,
  MeasureSink,
} from "../../model/measures/measure-table.ts";
import { quoted } from "../quoted.ts";
import type { K6Sums } from "./k6-sums.ts";
import { EndpointMeasures } from "../measures/endpoint-measures.ts";

export interface K6Measure {
  readonly name: string;
  readonly unit: string;
  readonly kind: MeasureKind;
  /** Whether it is of a request, without any tag. */
  readonly isPhase?: true;
  /** Tags that are not stored. */
  readonly leftOut: ReadonlySet<string>;
}

/** Passed responses with this code are not stored: they are the remaining passed requests. */
export const USUAL_CODE = "200";

/** All tags of a sample, by name. */
export type K6SampleTags = Readonly<Record<string, string>>;

/** Declared in JSON, by k6's type. */
const KIND_OF_TYPE: Readonly<Record<string, MeasureKind>> = {
  counter: "counter",
  gauge: "gauge",
  rate: "rate",
  trend: "distribution",
};

/** Declared in JSON. */
const UNIT_OF_CONTENTS: Readonly<Record<string, string>> = { time: "ms", data: "By" };

/** Tags of k6 that differ from iteration to iteration. */
const OF_ITERATION: readonly string[] = ["vu", "iter"];

/** Tags of requests, which other metrics of k6 share. */
const OF_REQUEST: readonly string[] = [
  "name",
  "url",
  "method",
  "status",
  "error",
  "error_code",
  "expected_response",
  "proto",
  "subproto",
  "service",
  "tls_version",
  "ip",
  "ocsp_status",
];

/** Tags that k6 itself gives, and a label template may name. */
export const K6_TAGS: readonly string[] = [...OF_REQUEST, "group", "scenario", "check"];

const OF_BROWSER = ["from_cache", "from_prefetch_cache", "from_service_worker", "resource_type"];

/** Of metrics of the script, whose tags are its own, besides group and scenario. */
const LEFT_OUT: ReadonlySet<string> = new Set(OF_ITERATION);
const LEFT_OUT_OF_K6: ReadonlySet<string> = new Set([
  ...OF_ITERATION,
  ...OF_REQUEST,
  ...OF_BROWSER,
]);

const own = (unit: string, kind: MeasureKind) => ({ unit, kind, leftOut: LEFT_OUT_OF_K6 });
const phaseNamed = (name: string) => ({
  ...own("ms", "distribution"),
  name,
  isPhase: true as const,
});

/** Metrics of k6 itself: its CSV does not declare them. Those of requests, outcomes and users are not here. */
const BUILT_IN: Readonly<Record<string, Omit<K6Measure, "name"> & { readonly name?: string }>> = {
  http_req_blocked: phaseNamed("blocked"),
  http_req_connecting: phaseNamed("connect"),
  http_req_tls_handshaking: phaseNamed("tls"),
  http_req_sending: phaseNamed("sending"),
  http_req_waiting: phaseNamed("waiting"),
  http_req_receiving: phaseNamed("receiving"),
  checks: own("", "rate"),
  group_duration: own("ms", "distribution"),
  iterations: own("", "counter"),
  iteration_duration: own("ms", "distribution"),
  dropped_iterations: own("", "counter"),
  vus_max: own("", "gauge"),
  data_sent: own("By", "counter"),
  data_received: own("By", "counter"),
  ws_sessions: own("", "counter"),
  ws_msgs_sent: own("", "counter"),
  ws_msgs_received: own("", "counter"),
  grpc_streams: own("", "counter"),
  grpc_streams_msgs_sent: own("", "counter"),
  grpc_streams_msgs_received: own("", "counter"),
  browser_data_sent: own("By", "counter"),
  browser_data_received: own("By", "counter"),
  browser_web_vital_cls: own("", "distribution"),
};

const NAMED = 10;

/** Other metrics of k6 in milliseconds. */
const IN_MILLIS = /^(?:ws|grpc_req|browser_http_req|browser_web_vital)_/;

/** Whether k6 itself measures this, not the script. */
export function isMeasureOfK6(metric: string): boolean {
  return Object.hasOwn(BUILT_IN, metric) || IN_MILLIS.test(metric);
}

function leftOutOf(metric: string): ReadonlySet<string> {
  return isMeasureOfK6(metric) ? LEFT_OUT_OF_K6 : LEFT_OUT;
}

/** Hands on what k6 measured besides requests. A metric that is not declared is a distribution. Phases count when their request started. */
export class K6Measures extends EndpointMeasures {
  readonly #sink: MeasureSink;
  readonly #measures = new Map<string, K6Measure>();
  readonly #undeclared: string[] = [];
  readonly #sums: K6Sums | undefined;
  /** Series of single values since the last `addAll`. */
  readonly #single = new Set<number>();

  /** `sums`: of values that a kernel reads. */
  constructor(sink: MeasureSink, sums?: K6Sums) {
    super(sink);
    this.#sink = sink;
    this.#sums = sums;
  }

  /** Takes the declaration of a metric, as far as it can be understood. */
  declare(name: string, type: unknown, contains: unknown): void {
    const kind = KIND_OF_TYPE[String(type)];
    const isKnown = this.#measures.has(name) || Object.hasOwn(BUILT_IN, name);
    if (kind === undefined || isKnown) return;
    const unit = UNIT_OF_CONTENTS[String(contains)] ?? "";
    this.#measures.set(name, { name, unit, kind, leftOut: leftOutOf(name) });
  }

  isDeclared(name: string): boolean {
    return this.#measures.has(name) && !this.#undeclared.includes(name);
  }

  measureOf(metric: string): K6Measure {
    const known = this.#measures.get(metric);
    if (known !== undefined) return known;
    const builtIn = Object.hasOwn(BUILT_IN, metric) ? BUILT_IN[metric] : undefined;
    const unit = IN_MILLIS.test(metric) ? "ms" : "";
    const other = { unit, kind: "distribution", leftOut: leftOutOf(metric) } as const;
    const measure = { name: metric, ...(builtIn ?? other) };
    if (!isMeasureOfK6(metric)) this.#undeclared.push(metric);
    this.#measures.set(metric, measure);
    return measure;
  }

  /** Says which metrics of the script are taken for distributions. */
  notes(): string[] {
    const undeclared = this.#undeclared;
    if (undeclared.length === 0) return [];
    const more = undeclared.length > NAMED ? " and more" : "";
    const names = `${undeclared.slice(0, NAMED).map(quoted).join(", ")}${more}`;
    return [
      `metrics of the script that may be counters, gauges or rates, which only JSON says: ${names}`,
    ];
  }

  /** The series of samples with such tags; `label` is used for those of an endpoint. */
  seriesOf(
    { name, unit, kind, isPhase, leftOut }: K6Measure,
    label: number | undefined,
    tags: () => K6SampleTags,
  ): number {
    if (isPhase) return this.byMinute({ name, unit, kind }, label);
    const kept = Object.entries(tags()).filter(([tag, value]) => value !== "" && !leftOut.has(tag));
    return this.#sink.seriesOf({ label: undefined, name, unit, kind, tags: kept });
  }

  /** Lets the kernel sum up values of a series, by its numbers of metric and tags. */
  sumUp(
    { kind, isPhase }: K6Measure,
    series: number,
    [metric, tags]: readonly [number, number],
  ): void {
    if (isPhase && series < 0) this.#sums?.teachRefused(metric, tags, series);
    else if (isPhase) {
      const about = { endpoint: series, whole: this.wholeOf(series), kind };
      this.#sums?.teach(metric, tags, about);
      this.#single.add(series);
    } else if (series >= 0 && kind !== "gauge") {
      this.#sums?.teach(metric, tags, { whole: series, kind });
    }
  }

  override add(series: number, unixMillis: number, value: number): void {
    super.add(series, unixMillis, value);
    if (this.#sums !== undefined) this.#single.add(series);
  }

  /** Most values are summed up by the kernel, so that minutes of others would stay open to the end. */
  override addAll(values: MeasuredValues): void {
    super.addAll(values);
    for (const series of this.#single) this.close(series);
    this.#single.clear();
  }

  /** Hands over what the kernel has closed. */
  settle(): void {
    this.#sums?.settle(this.#sink);
  }

  override flush(): void {
    super.flush();
    this.#sums?.flush(this.#sink);
  }

  /** The series of passed responses with a code; empty: none is recorded. */
  responses(label: number, code: string): number {
    const measure = {
      name: "responses",
      unit: "",
      kind: "counter",
      tags: [["code", code]],
    } as const;
    return this.bySecond(code, label, measure);
  }
}
