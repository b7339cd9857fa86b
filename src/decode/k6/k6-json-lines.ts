import type { FailureKind } from "../../model/failures.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { JsonLabel } from "../json/json-label.ts";
import { BEFORE_DATA, K6JsonFrame, METRIC_FIRST, SHORTEST_LINE } from "./k6-json-frame.ts";
import { putPoint, readJsonLine } from "./k6-json-point.ts";
import { K6JsonWalk } from "./k6-json-walk.ts";
import type { MetricKind } from "./k6-metrics.ts";
import { K6Parts } from "./k6-parts.ts";
import { K6PlainLines } from "./k6-plain-lines.ts";
import type { K6LineForm } from "./k6-repeated-tags.ts";
import { K6Samples } from "./k6-samples.ts";
import { LABEL_TOO_LONG, labelNotes } from "../labels/label-table.ts";

/** k6's own tags; which are present depends on version, `systemTags` and request. */
const K6_TAGS: readonly string[] = [
  "name",
  "url",
  "method",
  "status",
  "group",
  "scenario",
  "error",
  "error_code",
  "expected_response",
  "proto",
  "subproto",
  "service",
  "tls_version",
  "check",
  "ip",
  "ocsp_status",
];

/** Cache limit: as many labels as requests are possible. */
const ESCAPED_MAX = 64 * 1024;

const NUL = 0;
const BLANK_MAX = 0x20;
const CLOSE_BRACE = 0x7d;

/** Since about v0.38. */
const FORM: K6LineForm = {
  beforeMetric: METRIC_FIRST,
  beforeTime: `${BEFORE_DATA}{"time":"`,
  beforeValue: '","value":',
  end: CLOSE_BRACE,
  lengthMin: SHORTEST_LINE,
  allowsZeros: false,
};

/** Reads lines of k6's JSON: other metrics by their frame, requests by `K6JsonWalk`, other forms by `JSON.parse`. */
export class K6JsonLines {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();
  readonly #plain: K6PlainLines;
  readonly #frame: K6JsonFrame;
  readonly #walk = new K6JsonWalk(this.#parts);
  /** Escaped labels, by their bytes as latin1. */
  readonly #escaped = new Map<string, number>();
  readonly #labelOfWalk = (): number => this.#recordedLabel(this.#walk.isLabelEscaped);
  readonly #label: JsonLabel | undefined;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(sink: SampleSink, { labelTemplate, labels }: DecodeOptions) {
    this.#label = labelTemplate === undefined ? undefined : new JsonLabel(labelTemplate, K6_TAGS);
    this.#samples = new K6Samples(sink, labels);
    this.#plain = new K6PlainLines(FORM, this.#samples, (kind, from, to) =>
      this.#takePlain(kind, from, to),
    );
    this.#frame = new K6JsonFrame(this.#plain.metrics);
    this.labels = this.#samples.labels.texts;
    this.failureKinds = this.#samples.failureKinds;
    this.generators = this.#samples.generators;
  }

  /** Sets the bytes; line feeds follow the last line. */
  beginIn(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#plain.beginIn(buffer);
  }

  get plainLines(): number {
    return this.#plain.count;
  }

  /** Fast path from position `from`. Returns where the first unread line begins. */
  takeLines(from: number, to: number): number {
    return this.#plain.read(from, to);
  }

  /** Handles the line `[from, to)`. Returns why it cannot be read. */
  take(from: number, to: number): string | undefined {
    const buffer = this.#buffer;
    if (buffer[from] === NUL && from < to) return this.#takeBehindHole(from, to);
    const kind = this.#frame.kindOf(buffer, from, to);
    if (kind !== undefined) {
      if (!this.#plain.isWanted(kind)) {
        if (!this.#plain.mentionsRequest(from, to)) return undefined;
      } else if (this.#takeFramed(kind)) {
        return undefined;
      }
    }
    return this.isBlank(from, to) ? undefined : this.#takeParsed(buffer.toString("utf8", from, to));
  }

  isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const byte = this.#buffer[at] as number;
      if (byte > BLANK_MAX || byte === NUL) return false;
    }
    return true;
  }

  isWhole(from: number, to: number): boolean {
    const start = this.#behindNuls(from, to);
    return readJsonLine(this.#buffer.toString("utf8", start, to)).kind !== "broken";
  }

  forgetLabels(): void {
    this.#samples.labels.forgetTexts();
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): readonly string[] {
    this.#label?.checkFields();
    return [...this.#samples.end(), ...labelNotes(this.#samples.labels)];
  }

  /** Returns whether the line was read; wrong lines are left to `#takeParsed`. */
  #takePlain(kind: MetricKind, from: number, to: number): boolean {
    return this.#frame.kindOf(this.#buffer, from, to) === kind && this.#takeFramed(kind);
  }

  #takeFramed(kind: MetricKind): boolean {
    if (this.#label !== undefined) return false;
    const { dataFrom, dataTo } = this.#frame;
    if (this.#walk.data(this.#buffer, dataFrom, dataTo) !== dataTo) return false;
    return this.#takeSample(kind, this.#labelOfWalk) === undefined;
  }

  /** Lost data reads as NUL; the line after it can be complete. */
  #takeBehindHole(from: number, to: number): string {
    const start = this.#behindNuls(from, to);
    const reason = start < to ? this.take(start, to) : undefined;
    const hole = `${start - from} NUL bytes: a part of the source was never written`;
    return reason === undefined ? hole : `${hole}; behind them: ${reason}`;
  }

  #behindNuls(from: number, to: number): number {
    let at = from;
    while (at < to && this.#buffer[at] === NUL) at += 1;
    return at;
  }

  #takeParsed(text: string): string | undefined {
    const line = readJsonLine(text);
    if (line.kind === "broken" || line.kind === "wrong") return line.reason;
    const { metric } = line;
    const kind = this.#plain.metrics.kindOf(metric);
    if (kind === undefined) this.#plain.metrics.learn(metric);
    if (line.kind !== "point" || kind === undefined || kind === "other") return undefined;
    const tags = putPoint(text, this.#parts);
    return this.#takeSample(
      kind,
      () => this.#label?.indexIn(this.#samples.labels, tags) ?? this.#recordedLabel(false),
    );
  }

  #takeSample(kind: MetricKind, label: () => number): string | undefined {
    const parts = this.#parts;
    if (kind === "request") {
      return this.#samples.read(parts) ?? this.#samples.record(parts, label());
    }
    if (kind === "users") this.#samples.tellUsers(parts);
    else if (this.#samples.isWaiting) this.#samples.judge(parts, label());
    return undefined;
  }

  #recordedLabel(isEscaped: boolean): number {
    const parts = this.#parts;
    const from = parts.from[parts.labelPart] as number;
    const to = parts.to[parts.labelPart] as number;
    if (!isEscaped) return this.#samples.labels.indexOf(parts.bytes, from, to);
    const key = this.#buffer.toString("latin1", from, to);
    const known = this.#escaped.get(key);
    if (known !== undefined) return known;
    const text = JSON.parse(`"${this.#buffer.toString("utf8", from, to)}"`) as string;
    const { labels } = this.#samples;
    const index = labels.indexOfText(text);
    if (index === LABEL_TOO_LONG || labels.isOverLimit(index)) return index;
    if (this.#escaped.size === ESCAPED_MAX) this.#escaped.clear();
    this.#escaped.set(key, index);
    return index;
  }
}
