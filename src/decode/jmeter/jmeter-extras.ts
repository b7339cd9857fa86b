import { SECOND_LIMIT } from "../../model/columns.ts";
import type { FailureKind } from "../../model/failures.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import type { SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";
import type { RequestDetails, SampleTimes } from "../../model/samples/request-sample.ts";
import type { FieldName } from "./jmeter-fields.ts";
import type { MeasureSink } from "../../model/measures/measure-table.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A power of two. Samples are written as they end, so that their seconds are close. */
const SECONDS_CACHED = 64;
/** Not failures by themselves: an assertion must have failed. */
const SUCCESS_CODE = /^[1-3]\d\d$/;

/** Of failures that give no reason. */
const NO_REASON: FailureKind = { code: "", message: "" };

/** Empty texts if not recorded. */
export interface JmeterFailure {
  readonly responseCode: string;
  readonly responseMessage: string;
  /** First message of a failed assertion. */
  readonly failureMessage: string;
}

/** `series` is the label with its facets. */
export interface FailedRow {
  readonly label: number;
  readonly series: number;
  readonly second: number;
  readonly requests: number;
}

/** Records failure reasons and active threads. */
export class JmeterExtras {
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  /** Kind of the last failure that says why. */
  lastKind: FailureKind = NO_REASON;
  readonly #sink: SampleSink;
  readonly #kinds = new FailureKinds();
  readonly #hosts = new LabelTable();
  readonly #texts = new BytesCache((bytes) => utf8.decode(bytes));
  /** Last recorded user counts by the lowest bits of the second: most samples repeat them. */
  readonly #generator = new Int32Array(SECONDS_CACHED).fill(-1);
  readonly #second = new Uint32Array(SECONDS_CACHED);
  readonly #active = new Float64Array(SECONDS_CACHED);

  constructor(sink: SampleSink) {
    this.#sink = sink;
    this.failureKinds = this.#kinds.kinds;
    this.generators = this.#hosts.texts;
  }

  /**
   * Records why `requests` of a row failed, if the row says why, as in JMeter's own error table. Returns the kind if such
   * rows always have it.
   */
  recordFailure(
    { label, series, second, requests }: FailedRow,
    { responseCode, responseMessage, failureMessage }: JmeterFailure,
  ): number | undefined {
    this.lastKind = NO_REASON;
    if (responseCode === "" && responseMessage === "" && failureMessage === "") return undefined;
    const isAsserted = responseCode === "" || SUCCESS_CODE.test(responseCode);
    const message = isAsserted && failureMessage !== "" ? failureMessage : responseMessage;
    const { unnamed } = this.#kinds;
    const kind = this.#kinds.numberOf(label, responseCode, message);
    this.lastKind = this.failureKinds[kind] as FailureKind;
    this.#sink.recordFailure(series, second, kind, requests);
    return this.#kinds.unnamed === unnamed ? kind : undefined;
  }

  /** Records a failed request of a kind that `recordFailure` returned. */
  repeatFailure(series: number, second: number, kind: number): void {
    this.#sink.recordFailure(series, second, kind, 1);
  }

  /** The kind of a failure without a message of an assertion, if it may not have one and is not the first of its kind. */
  knownKind({ responseCode, responseMessage }: JmeterFailure): FailureKind | undefined {
    if (responseCode === "" || SUCCESS_CODE.test(responseCode)) return undefined;
    return this.#kinds.known(responseCode, responseMessage);
  }

  notes(): string[] {
    return failureNotes(this.#kinds);
  }

  textAt(bytes: Uint8Array, from: number, to: number): string {
    return from === to ? "" : this.#texts.at(bytes, from, to);
  }

  /** Generator index of a host name; names over the limit count as empty. */
  generatorAt(bytes: Uint8Array, from: number, to: number): number {
    const number = this.#hosts.indexOf(bytes, from, to);
    return number === LABEL_TOO_LONG ? this.#hosts.indexOfText("") : number;
  }

  /** Records active threads in the second in which a sample ended. */
  recordUsers(generator: number, second: number, active: number): void {
    if (second >= SECOND_LIMIT) return;
    const at = second & (SECONDS_CACHED - 1);
    const isKnown = this.#second[at] === second && this.#generator[at] === generator;
    if (isKnown && active <= (this.#active[at] as number)) return;
    this.#generator[at] = generator;
    this.#second[at] = second;
    this.#active[at] = active;
    this.#sink.recordActiveUsers(generator, second, active);
  }
}

/** Second in which a sample ended, `millis` after `startSecond`. */
export function endSecondOf(startSecond: number, millis: number, elapsedMicros: number): number {
  return startSecond + Math.floor((millis * 1000 + elapsedMicros) / 1_000_000);
}

const MICROS_PER_MILLI = 1000;

/** Details of a row. `textOf`: of a field, empty if there is none. `kind`: of a failed one. */
export function jmeterDetails(
  { timeMs, elapsedMicros }: SampleTimes,
  kind: FailureKind | undefined,
  textOf: (name: FieldName) => string,
): RequestDetails {
  const whole = (name: FieldName, factor: number): number | undefined => {
    const text = textOf(name);
    const value = Math.round(Number(text) * factor);
    return text !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  return {
    timeMs,
    elapsedMicros,
    ...kind,
    generator: textOf("hostname"),
    thread: textOf("threadName"),
    latencyMicros: whole("latency", MICROS_PER_MILLI),
    connectMicros: whole("connect", MICROS_PER_MILLI),
    idleMicros: whole("idle", MICROS_PER_MILLI),
    sentBytes: whole("sentBytes", 1),
    receivedBytes: whole("bytes", 1),
  };
}

/** The URL of a row: transactions have `null`, and other samplers than those of HTTP may. */
export function jmeterUrl(written: string): string {
  return written === "null" ? "" : written;
}

/** Elements of a sample with what was sent and received, by their names. */
const DETAIL_ELEMENTS = {
  "java.net.URL": "url",
  method: "method",
  responseHeader: "responseHeaders",
  requestHeader: "requestHeaders",
  responseData: "responseBody",
  queryString: "requestBody",
} as const;

/** Members of details by the name of an element within a sample. */
export const DETAIL_OF_ELEMENT: ReadonlyMap<string, keyof RequestDetails> = new Map(
  Object.entries(DETAIL_ELEMENTS),
);

/** Classes of samples that monitors of the plug-ins write: their time is a value. */
const MONITOR_CLASS = /\.(?:PerfMon|JMXMon|DbMon|SSHMon)\w*$/;
/** How PerfMon labels its samples in CSV: host, metric and parameters. */
const MONITOR_LABEL =
  /^(?<host>\S+) (?<name>(?<metric>CPU|Memory|Disks I\/O|Network I\/O|Swap|TCP|JMX|EXEC|TAIL)(?: (?<parameters>.*))?)$/s;
const PERCENT_OF_MEMORY = /^(?:usedperc|freeperc)?$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const FACTOR = 1000;

export function isMonitorClass(name: string): boolean {
  return MONITOR_CLASS.test(name);
}

export function isMonitorLabel(label: string): boolean {
  return MONITOR_LABEL.test(label);
}

/** Hands over samples of monitors, which are not requests, as measures of the load test. */
export class JmeterMonitors {
  readonly #measures: MeasureSink;
  #rows = 0;

  constructor(measures: MeasureSink) {
    this.#measures = measures;
  }

  /** `elapsed`: the value times 1,000, as written. `unixMillis`: NaN if unknown. */
  add(label: string, elapsed: string, unixMillis: number): void {
    this.#rows += 1;
    const { host, name = label, metric, parameters = "" } = MONITOR_LABEL.exec(label)?.groups ?? {};
    const isPercent =
      metric === "CPU" || (metric === "Memory" && PERCENT_OF_MEMORY.test(parameters));
    const series = this.#measures.seriesOf({
      label: undefined,
      name,
      unit: isPercent ? "%" : "",
      kind: "gauge",
      tags: host === undefined ? [] : [["host", host]],
    });
    const value = NUMBER.test(elapsed) ? Number(elapsed) / FACTOR : Number.NaN;
    this.#measures.add(series, unixMillis, value);
  }

  notes(): string[] {
    if (this.#rows === 0) return [];
    return [`rows of monitors (PerfMon and others), stored as measures: ${this.#rows}`];
  }
}
