import type { FailureKind } from "../../model/failures.ts";
import {
  type NewLoadTestEvent,
  EVENTS_MAX,
  eventTextComplaint,
} from "../../model/measures/load-test-events.ts";
import {
  MEASURE_TEXT_BYTES_MAX,
  type MeasureSink,
  numberOfReason,
} from "../../model/measures/measure-table.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import type { FacetOptions, LabelOptions, LineProtocolOptions, SampleSink } from "../decoder.ts";
import { REQUESTS_METRIC } from "../k6/k6-metrics.ts";
import type { PlainSample } from "../k6/k6-samples.ts";
import { FailureKinds } from "../failure-kinds.ts";
import type { TextBudget } from "../kept-requests.ts";
import {
  type Measurement,
  MEASUREMENTS_MAX,
  OTHER_MEASUREMENTS,
} from "../../model/quality/row-quality.ts";
import type { Role } from "../../model/role.ts";
import { RowRepairs } from "../row-repairs.ts";
import { labelMatcher } from "../../model/label.ts";
import { EndpointMeasures } from "../measures/endpoint-measures.ts";
import { LabelTable, labelNotes } from "../labels/label-table.ts";
import { type JmeterShape, LineJmeter, LineNbomber } from "./line-jmeter.ts";
import { LineJmeterPlugin } from "./line-jmeter-plugin.ts";
import { type K6Head, type K6Metric, LineK6 } from "./line-k6.ts";
import type { LineMeasurements } from "./line-measurements.ts";
import type { LinePoint } from "./line-point.ts";
import { LineRequests } from "./line-requests.ts";
import { quoted } from "../quoted.ts";
import {
  badTime,
  FALSE,
  type LineTargets,
  measureTagsOf,
  type PointPlace,
  TRUE,
} from "./point-values.ts";

/** Digits of current timestamps, by unit. */
const TIME_DIGITS = { s: 10, ms: 13, us: 16, ns: 19 } as const;

/** Digits of all timestamps; 0: any. */
export function timeDigitsOf({ precision }: LineProtocolOptions): number {
  return precision === undefined ? 0 : TIME_DIGITS[precision];
}

/** Writers of points about requests or users. */
export type LineTool = "jmeter" | "jmeter-plugin" | "jmeter-raw" | "k6" | "nbomber" | "tachograph";

export interface LineSamplesOptions extends LineProtocolOptions {
  /** Sender of the user counts. @default "" */
  readonly generator?: string;
  /** Time of points without one, other than requests. @default they are rejected */
  readonly receivedAtMs?: number | undefined;
  readonly labels?: LabelOptions | undefined;
  /** Characters of requests kept whole, in all load tests together; counts down. @default no limit */
  readonly sampleTexts?: TextBudget | undefined;
  readonly facets?: FacetOptions | undefined;
}

/** Decodes the points of one load test, of k6, JMeter and our own integrations. */
export class LineSamples {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly tools: ReadonlySet<LineTool>;
  /** At most `EVENTS_MAX`, as written: the same one may repeat. */
  readonly events: readonly NewLoadTestEvent[];
  readonly #events: NewLoadTestEvent[] = [];
  readonly #tools = new Set<LineTool>();
  readonly #k6: LineK6;
  readonly #targets: LineTargets;
  /** Created lazily: their tables are large. */
  #jmeter: LineJmeter | undefined;
  #jmeterPlugin: LineJmeterPlugin | undefined;
  #requests: LineRequests | undefined;
  readonly #nbomber: LineNbomber;
  readonly #isTransaction: (label: string) => boolean;
  readonly #measures: MeasureSink;
  readonly #receivedAtMs: number | undefined;
  readonly #instant: Instant = { second: 0, nanos: 0, hasParts: false };
  readonly #measurements: LineMeasurements;
  readonly #precision: LineProtocolOptions["precision"];
  readonly #sink: SampleSink;
  readonly #repairs = new RowRepairs();
  /** Values by unknown measurement, at most `MEASUREMENTS_MAX`. */
  readonly #measured = new Map<string, number>();
  /** Whether a point has no timestamp. */
  usesArrival = false;

  constructor(sink: SampleSink, measurements: LineMeasurements, options: LineSamplesOptions = {}) {
    const { precision, intervalSeconds, generator = "" } = options;
    this.#isTransaction = labelMatcher(options.transactions ?? []);
    const kinds = new FailureKinds();
    this.#k6 = new LineK6(sink, options, { kinds, repairs: this.#repairs });
    const { labels, facets } = this.#k6;
    this.#measurements = measurements;
    this.#sink = sink;
    this.#precision = precision;
    const generators = new LabelTable();
    generators.indexOfText(generator);
    this.#targets = {
      sink,
      labels,
      facets,
      kinds,
      repairs: this.#repairs,
      generators,
      measures: new EndpointMeasures(sink.measures),
      isWhole: (label) => this.roleOf(label) === "request",
      intervalSeconds,
      sampleTexts: options.sampleTexts ?? { left: Infinity },
    };
    this.#nbomber = new LineNbomber(this.#targets);
    this.#measures = sink.measures;
    this.#receivedAtMs = options.receivedAtMs;
    this.generators = generators.texts;
    this.tools = this.#tools;
    this.events = this.#events;
    this.labels = labels.texts;
    if (sink.samples !== undefined) sink.samples.nameOf = (label) => labels.textOf(label);
    this.failureKinds = kinds.kinds;
  }

  /** Unknown measurements, whose values are measures. */
  get measurements(): readonly Measurement[] {
    return [...this.#measured].map(([name, values]) => ({ name, values }));
  }

  /** Only our own integrations and NBomber send roles. */
  roleOf(series: number): Role {
    const label = this.#k6.facets.labelOf(series);
    const sent = this.#requests?.roleOf(label) ?? this.#nbomber.roleOf(label);
    if (sent !== undefined) return sent;
    return this.#isTransaction(this.labels[label] ?? "") ? "transaction" : "request";
  }

  /** Returns why a point cannot be used. `place`: where it begins. */
  take(point: LinePoint, place: PointPlace): string | undefined {
    const complaint = this.#take(point);
    if (this.#repairs.isEmpty) return complaint;
    if (complaint !== undefined) this.#repairs.clear();
    this.#repairs.report(this.#sink, { line: place.line, byte: place.byte });
    return complaint;
  }

  #take(point: LinePoint): string | undefined {
    const kind = this.#measurements.take(point);
    if (kind.tool === "jmeter") return this.#takeOfJmeter(point, kind.shape);
    if (kind.tool === "jmeter-plugin") {
      this.#tools.add("jmeter-plugin");
      this.#jmeterPlugin ??= new LineJmeterPlugin(this.#targets);
      return this.#timeComplaint(point.time) ?? this.#jmeterPlugin.take(point, kind.shape);
    }
    if (kind.tool === "own") {
      this.#tools.add("tachograph");
      this.#requests ??= new LineRequests(this.#targets);
      return this.#timeComplaint(point.time) ?? this.#requests.take(point);
    }
    if (kind.tool !== "k6") return this.#takeMeasured(point, kind.tool);
    // Each is that of a request, too.
    if (point.measurement === REQUESTS_METRIC) return undefined;
    this.#tools.add("k6");
    return this.#timeComplaint(point.time) ?? this.#k6.take(point, kind.metric);
  }

  #takeOfJmeter(point: LinePoint, shape: JmeterShape): string | undefined {
    this.#tools.add(shape === "sample" ? "jmeter-raw" : "jmeter");
    this.#jmeter ??= new LineJmeter(this.#targets);
    return this.#timeComplaint(point.time) ?? this.#jmeter.take(point, shape);
  }

  /** Handles a sample of k6 whose time has digits of the precision. */
  takeAgain(metric: K6Metric, head: K6Head, sample: PlainSample): void {
    this.#tools.add("k6");
    this.#k6.takeAgain(metric, head, sample);
  }

  flush(): void {
    this.#k6.flush();
    this.#jmeter?.flush();
    this.#jmeterPlugin?.flush();
    this.#requests?.flush();
    this.#targets.measures.flush();
  }

  end(): readonly string[] {
    this.#jmeterPlugin?.flush();
    this.#requests?.flush();
    this.#targets.measures.flush();
    return [...this.#k6.end(), ...(this.#jmeter?.end() ?? []), ...labelNotes(this.#k6.labels)];
  }

  /** Gives memory back. Tables can still be read; nothing may be taken or flushed. */
  release(): void {
    this.#k6.release();
  }

  #takeMeasured(point: LinePoint, tool: "nbomber" | "event" | "none"): string | undefined {
    const { time } = point;
    const unixMillis = this.#millisOf(time);
    if (tool === "nbomber") this.#tools.add("nbomber");
    if (tool === "none") return this.#takeUnknown(point, unixMillis);
    if (Number.isNaN(unixMillis)) return badTime(time);
    return tool === "event"
      ? this.#takeEvent(point, unixMillis)
      : this.#nbomber.take(point, Math.floor(unixMillis / 1000));
  }

  /** Records numbers as gauges by field, a lone `value` as a distribution; counts texts. */
  #takeUnknown(point: LinePoint, unixMillis: number): undefined {
    const measurement = point.measurement.replaceAll(ESCAPE, "$1");
    const tags = measureTagsOf(point);
    const all = [...point.fields()];
    const own = all.filter(([field]) => !TAGS_AS_FIELDS.has(field));
    const isOnly = own.length === 1 && own[0]?.[0] === ONLY_FIELD;
    const fields = isOnly ? own : all;
    for (const [field, part] of fields) {
      if (point.isText(part)) {
        this.#measures.add(TEXTS, unixMillis, Number.NaN);
        continue;
      }
      const series = this.#measures.seriesOf({
        label: undefined,
        name: isOnly ? measurement : `${measurement}.${field}`,
        unit: "",
        kind: isOnly ? "distribution" : "gauge",
        tags,
      });
      this.#measures.add(series, unixMillis, numberIn(point.text(part)));
    }
    this.#count(measurement.slice(0, MEASURE_TEXT_BYTES_MAX), fields.length);
  }

  #count(measurement: string, values: number): void {
    const isNamed = this.#measured.has(measurement) || this.#measured.size < MEASUREMENTS_MAX - 1;
    const name = isNamed ? measurement : OTHER_MEASUREMENTS;
    this.#measured.set(name, (this.#measured.get(name) ?? 0) + values);
  }

  /** JMeter marks the beginning and the end of a run. */
  #takeEvent(point: LinePoint, atMs: number): string | undefined {
    const text = point.text(point.field("text"));
    const complaint = eventTextComplaint(text);
    if (complaint !== undefined) return complaint;
    if (this.#events.length >= EVENTS_MAX) return `${EVENTS_MAX} events came before`;
    this.#events.push({ atMs, text });
    return undefined;
  }

  /** NaN if the time cannot be read: measures without one are counted as not stored. */
  #millisOf(time: Buffer): number {
    if (time.length === 0 && this.#receivedAtMs !== undefined) {
      this.usesArrival = true;
      return this.#receivedAtMs;
    }
    const isRead =
      this.#timeComplaint(time) === undefined && readInstant(time, 0, time.length, this.#instant);
    const { second, nanos } = this.#instant;
    return isRead ? second * 1000 + Math.floor(nanos / 1e6) : Number.NaN;
  }

  /** An explicit unit is not overridden by guesses. */
  #timeComplaint(time: Buffer): string | undefined {
    const precision = this.#precision;
    if (precision === undefined || time.length === TIME_DIGITS[precision]) return undefined;
    const want = `${TIME_DIGITS[precision]} digits (precision ${precision})`;
    return `cannot read the time: got ${quoted(time.toString())}, want ${want}`;
  }
}

/** Texts are counted as not stored, but are no values that could not be read. */
const TEXTS = numberOfReason("value");

/** What k6 calls its only field: its metrics keep their own names. */
const ONLY_FIELD = "value";

/** Fields that k6 writes beside it. */
const TAGS_AS_FIELDS: ReadonlySet<string> = new Set(["url", "vu", "iter"]);

const ESCAPE = /\\([, ])/g;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** NaN if it is none. */
function numberIn(text: string): number {
  if (TRUE.has(text)) return 1;
  if (FALSE.has(text)) return 0;
  const digits = text.replace(/[iu]$/, "");
  return NUMBER.test(digits) ? Number(digits) : Number.NaN;
}
