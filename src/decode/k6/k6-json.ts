import { CARRIAGE_RETURN, NUL } from "../bytes/ascii.ts";
import { K6_JSON } from "./about.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { Format } from "../decoder.ts";
import { lateDetails } from "../kept-requests.ts";
import { LineReader, isBlank, type LineHandler } from "../bytes/line-reader.ts";
import { JsonLabel, type JsonMembers } from "../json/json-fields.ts";
import { BEFORE_DATA, K6JsonReader, METRIC_FIRST } from "./k6-json-reader.ts";
import { K6Decoder } from "./k6-decoder.ts";
import { K6Kernel, type K6LineForm } from "./k6-kernel.ts";
import { K6Lines } from "./k6-lines.ts";
import { K6Parts, PART_OF_TAG, TIME, VALUE, detailsOf } from "./k6-tags.ts";
import { K6_TAGS, type K6SampleTags } from "./k6-measures.ts";
import { K6Samples } from "./k6-samples.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { LABEL_TOO_LONG } from "../labels/label-table.ts";
import type { RowRepairs } from "../row-repairs.ts";
import { isObject, jsonText, parsedJson } from "../../model/json-text.ts";
import { plainDecimal } from "../bytes/exact-number.ts";
import { quoted } from "../quoted.ts";

/** The lines of JSON that `k6 run --out json=FILE` writes: docs/internals/formats/k6.md. */
export const k6Json: Format = {
  ...K6_JSON,
  recognises: isK6Json,
  open(sink, options) {
    const kernel = K6Kernel.take(FORM);
    const window = new ByteWindow(kernel.window);
    const samples = new K6Samples(sink, options, { kernel });
    const lines = new K6JsonLines(samples, kernel, options.labelTemplate);
    const reader = new LineReader(window, lines, sink);
    return new K6Decoder({ kernel, window, reader, samples, checkEnd: () => lines.checkEnd() });
  },
};

/** Cache limit: as many labels as requests are possible. */
const ESCAPED_MAX = 64 * 1024;

/** Since about v0.38. */
const FORM: K6LineForm = {
  beforeMetric: METRIC_FIRST,
  beforeTime: `${BEFORE_DATA}{"time":"`,
  beforeValue: '","value":',
  allowsZeros: false,
};

/** k6 mixes lines with console text on `-`: any line may match. */
function isK6Json(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  return text.split("\n").some((line) => isK6Line(line.trim()));
}

function isK6Line(line: string): boolean {
  // The first line can be longer than the head.
  if (/^\{"type":"Metric","data":\{"name":"[^"]*","type":"/.test(line)) return true;
  if (!/^\{.*"metric"/.test(line)) return false;
  const { kind } = readJsonLine(line);
  return kind === "point" || kind === "metric";
}

/** Reads lines that are new to the kernel, by `K6JsonReader`, other forms by `JSON.parse`, and teaches them. */
class K6JsonLines implements LineHandler {
  readonly #samples: K6Samples;
  readonly #parts = new K6Parts();
  readonly fastPath: K6Lines;
  readonly repairs: RowRepairs;
  readonly #reader: K6JsonReader;
  /** Escaped labels, by their bytes as latin1. */
  readonly #escaped = new Map<string, number>();
  readonly #label: JsonLabel | undefined;
  readonly #buffer: Buffer;

  constructor(samples: K6Samples, kernel: K6Kernel, labelTemplate: string | undefined) {
    this.#label = labelTemplate === undefined ? undefined : new JsonLabel(labelTemplate, K6_TAGS);
    this.#buffer = kernel.window;
    this.#samples = samples;
    this.repairs = samples.repairs;
    this.fastPath = new K6Lines(FORM, kernel, samples, {
      tags: (text) => tagsOfPoint(`{"data":{"value":0${text.toString()}`),
      details: (text) => detailsOfPoint(`{"data":{"value":0${text.toString()}`),
    });
    this.#reader = new K6JsonReader(this.fastPath.metrics, this.#parts);
  }

  take(buffer: Buffer, from: number, to: number): string | undefined {
    if (buffer[from] === NUL && from < to) return this.#takeAfterHole(buffer, from, to);
    return this.#takePoint([from, to]) ? undefined : this.#takeParsed([from, to]);
  }

  isWhole(buffer: Buffer, from: number, to: number): boolean {
    const start = nulsEnd(buffer, from, to);
    return readJsonLine(buffer.toString("utf8", start, to)).kind !== "broken";
  }

  /** Throws `bad-parameter` if no point has a field of the template. */
  checkEnd(): void {
    this.#label?.checkFields();
  }

  /** Returns whether the line has the exact form of k6 and was read; wrong ones are left to `#takeParsed`. */
  #takePoint(line: readonly [number, number]): boolean {
    const kind = this.#reader.kindOf(this.#buffer, ...line);
    if (kind === undefined || !this.#reader.readData()) return false;
    const text = () => this.#buffer.toString("utf8", ...line);
    const tags = () => tagsOfPoint(text());
    const sample = {
      kind,
      metric: this.#reader.metric,
      parts: this.#parts,
      label: () =>
        this.#label?.indexIn(this.#samples.labels, tags()) ??
        this.#recordedLabel(this.#reader.isLabelEscaped),
      tags,
      details: () => lateDetails(text(), detailsOfPoint),
    };
    if (this.fastPath.take(sample) !== undefined) return false;
    const [from, end] = line;
    const to = this.#buffer[end] === CARRIAGE_RETURN ? end + 1 : end;
    this.fastPath.learn(sample, [from, to]);
    return true;
  }

  /** Lost data reads as NUL; the line after it can be complete. */
  #takeAfterHole(buffer: Buffer, from: number, to: number): string {
    const start = nulsEnd(buffer, from, to);
    const reason = isBlank(buffer, start, to) ? undefined : this.take(buffer, start, to);
    const hole = `${start - from} NUL bytes: a part of the source was never written`;
    return reason === undefined ? hole : `${hole}; after them: ${reason}`;
  }

  #takeParsed([from, to]: readonly [number, number]): string | undefined {
    const text = this.#buffer.toString("utf8", from, to);
    const line = readJsonLine(text);
    if (line.kind === "broken" || line.kind === "wrong") return line.reason;
    const { metric } = line;
    if (line.kind === "metric") {
      this.#samples.measures.declare(metric, line.type, line.contains);
      return undefined;
    }
    const known = this.fastPath.metrics.kindOf(metric);
    const members = putPoint(text, this.#parts);
    if (known === "request" && members === undefined) return "there are no tags";
    const refusal =
      known === undefined ? this.fastPath.learnMetric(metric, this.#parts) : undefined;
    if (refusal !== undefined) return refusal;
    return this.fastPath.take({
      kind: known ?? "other",
      metric,
      parts: this.#parts,
      label: () =>
        this.#label?.indexIn(this.#samples.labels, members ?? {}) ?? this.#recordedLabel(false),
      tags: () => tagsOfPoint(text),
      details: () => lateDetails(text, detailsOfPoint),
    });
  }

  #recordedLabel(isEscaped: boolean): number {
    const parts = this.#parts;
    const from = parts.from[parts.labelPart] as number;
    const to = parts.to[parts.labelPart] as number;
    if (!isEscaped) return this.#samples.labels.indexOf(parts.bytes, from, to);
    const key = this.#buffer.toString("latin1", from, to);
    const cached = this.#escaped.get(key);
    if (cached !== undefined) return cached;
    const text = JSON.parse(`"${this.#buffer.toString("utf8", from, to)}"`) as string;
    const { labels } = this.#samples;
    const index = labels.indexOfText(text);
    if (index === LABEL_TOO_LONG || labels.isOverLimit(index)) return index;
    if (this.#escaped.size === ESCAPED_MAX) this.#escaped.clear();
    this.#escaped.set(key, index);
    return index;
  }
}

function nulsEnd(buffer: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && buffer[at] === NUL) at += 1;
  return at;
}

type K6JsonLine =
  | { readonly kind: "point"; readonly metric: string }
  | { readonly kind: "metric"; readonly metric: string; type: unknown; contains: unknown }
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

const encoder = new TextEncoder();

/** Parses any line with `JSON.parse`. Does not throw. */
function readJsonLine(text: string): K6JsonLine {
  const line = parsedJson(text);
  if (!isObject(line)) {
    return {
      kind: "broken",
      reason: `cannot read the line: got ${quoted(text)}, want a JSON object`,
    };
  }
  const { type, metric, data } = line;
  if (type !== "Point" && type !== "Metric") {
    return wrong(`cannot read the line: got the type ${shown(type)}, want Point or Metric`);
  }
  if (typeof metric !== "string") {
    return wrong(`cannot read the line: got the metric ${shown(metric)}, want its name`);
  }
  if (type === "Point") return { kind: "point", metric };
  const { type: metricType, contains } = isObject(data) ? data : {};
  return { kind: "metric", metric, type: metricType, contains };
}

/** Fills the parts from the point in `text`; missing parts are empty. Returns its tags; `undefined` if its data lack them. */
function putPoint(text: string, parts: K6Parts): JsonMembers | undefined {
  parts.begin();
  const point = parsedJson(text, digitsOfNumbers);
  const data = isObject(point) ? point["data"] : undefined;
  if (!isObject(data)) return {};
  put(parts, TIME, data["time"]);
  const { value } = data;
  if (value !== undefined) {
    parts.put(
      VALUE,
      encoder.encode(value instanceof Digits ? plainDecimal(value.text) : shown(value)),
    );
  }
  const { tags } = data;
  if (!isObject(tags)) return tags === undefined ? undefined : {};
  for (const [key, part] of PART_OF_TAG) put(parts, part, tags[key]);
  return tags;
}

/** The tags of the point in `text` that are strings. */
function tagsOfPoint(text: string): K6SampleTags {
  return textsIn(dataIn(text)["tags"]);
}

/** What the point in `text` says of a request. */
function detailsOfPoint(text: string): FurtherDetails {
  const { tags, metadata } = dataIn(text);
  return detailsOf(textsIn(tags), textsIn(metadata));
}

function dataIn(text: string): Readonly<Record<string, unknown>> {
  const point = parsedJson(text);
  const data = isObject(point) ? point["data"] : undefined;
  return isObject(data) ? data : {};
}

function textsIn(members: unknown): K6SampleTags {
  if (!isObject(members)) return {};
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

/** A number as written. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Keeps numbers as text: binary fractions are not exact. */
function digitsOfNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? new Digits(context?.source ?? String(value)) : value;
}

function put(parts: K6Parts, part: number, value: unknown): void {
  if (typeof value === "string") parts.put(part, encoder.encode(value));
  else if (value instanceof Digits) parts.put(part, encoder.encode(value.text));
  else if (typeof value === "boolean") parts.put(part, encoder.encode(String(value)));
}

function wrong(reason: string): K6JsonLine {
  return { kind: "wrong", reason };
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : quoted(jsonText(value));
}
