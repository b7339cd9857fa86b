import { UserError } from "../../model/errors.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { SampleWindow } from "../../model/sample-batch.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import { headText, quoted } from "../quoted.ts";
import { lineDecoder, type RequestLines, RequestRows } from "../requests/request-rows.ts";
import { HDR_LOG } from "./about.ts";
import { inflateSync } from "node:zlib";

/** The log of intervals of HdrHistogram, org.HdrHistogram.HistogramLogWriter: docs/tools/other-tools.md. */
export const hdrLog: Format = {
  ...HDR_LOG,
  recognises: (head) => HEAD.test(headText(head)),
  open: (sink, options) => lineDecoder(new HdrLines(sink, options), sink),
};

const HEAD = /^#\[Histogram log format|^(?:#[^\n]*\n)*"StartTimestamp","Interval_Length"/;
const TIME = /^#\[(StartTime|BaseTime): (\d+(?:\.\d+)?)/;
const ROW = /^(?:Tag=([^,]*),)?(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),\d[^,]*,([A-Za-z0-9+/=]+)\r?$/;
/** Times that are further before the start of the log are relative to it. */
const YEAR_SECONDS = 31_536_000;
const WINDOW_SECONDS_MAX = 65_535;
const REQUESTS_MAX = 2 ** 32 - 1;
/** Microseconds in a unit. */
const MICROS = { ns: 0.001, us: 1, ms: 1000 } as const;
const ROW_TEXT = "want Tag=NAME, a start, a length, a maximum and a compressed histogram";

class HdrLines implements RequestLines {
  readonly rows: RequestRows;
  readonly #sink: SampleSink;
  readonly #unit: DecodeOptions["valueUnit"];
  #started = 0;
  #base: number | undefined;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, HDR_LOG.labelFields);
    this.#sink = sink;
    this.#unit = options.valueUnit;
  }

  isWhole(): boolean {
    return false;
  }

  notes(): readonly string[] {
    return ["the log does not say which requests failed: all count as passed"];
  }

  /** Throws `unreadable-source` without the unit of its values. */
  take(bytes: Buffer, from: number, to: number): string | undefined {
    const line = bytes.toString("utf8", from, to);
    if (this.#isHead(line)) return undefined;
    const row = ROW.exec(line);
    if (row === null) return `cannot read the line: got ${quoted(line)}, ${ROW_TEXT}`;
    if (this.#unit === undefined) {
      throw new UserError(
        "unreadable-source",
        "cannot read this as hdr-log: it does not say the unit of its values, give --value-unit ns, us or ms",
      );
    }
    const [, tag = "", start, length, histogram = ""] = row;
    const second = this.#secondOf(Number(start));
    if (second >= SECOND_LIMIT) return "the start cannot be stored: want a time from 1970 to 2106";
    let values: HdrValues;
    try {
      values = this.#valuesOf(histogram);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `cannot read the histogram: ${reason}`;
    }
    if (values.requests > 0) this.#record(tag, { second, seconds: Number(length) }, values);
    return undefined;
  }

  #isHead(line: string): boolean {
    const [, kind, time] = TIME.exec(line) ?? [];
    if (kind === "StartTime") this.#started = Number(time);
    if (kind === "BaseTime") this.#base = Number(time);
    return line.startsWith("#") || line.startsWith('"StartTimestamp"');
  }

  #secondOf(start: number): number {
    const isRelative = this.#base === undefined && start < this.#started - YEAR_SECONDS;
    return Math.floor(start + (this.#base ?? (isRelative ? this.#started : 0)));
  }

  #valuesOf(histogram: string): HdrValues {
    const scale = MICROS[this.#unit ?? "us"];
    const micros = (value: number): number => Math.round(value * scale);
    let [least, most, requests, elapsedMicros] = [Infinity, 0, 0, 0];
    // One per bucket: a line of 400 characters can hold 262,144 different values.
    const latencies: { elapsedMicros: number; requests: number }[] = [];
    let bucket = -1;
    readHdrCounts(histogram, (from, width, count) => {
      least = Math.min(least, from);
      most = from + width - 1;
      const middleMicros = micros(from + Math.floor(width / 2));
      requests += count;
      elapsedMicros += middleMicros * count;
      if (requests > REQUESTS_MAX || !Number.isSafeInteger(elapsedMicros)) {
        throw new Error("its values are too many or too large");
      }
      const next = bucketOf(middleMicros);
      const last = next === bucket ? latencies.at(-1) : undefined;
      bucket = next;
      if (last === undefined) latencies.push({ elapsedMicros: middleMicros, requests: count });
      else last.requests += count;
    });
    const [minMicros, maxMicros] = [micros(least), micros(most)];
    return { requests, elapsedMicros, minMicros, maxMicros, latencies };
  }

  #record(tag: string, at: { second: number; seconds: number }, values: HdrValues): void {
    const { rows } = this;
    rows.begin();
    const label = rows.storable(rows.labelOf({ tag }, tag === "" ? ALL_REQUESTS : tag));
    this.#sink.recordWindow({
      label,
      second: at.second,
      windowSeconds: Math.min(WINDOW_SECONDS_MAX, Math.max(1, Math.round(at.seconds))),
      receivedBytes: 0,
      failedRequests: 0,
      failedElapsedMicros: 0,
      failedReceivedBytes: 0,
      ...values,
    });
  }
}

type HdrValues = Pick<
  SampleWindow,
  "requests" | "elapsedMicros" | "minMicros" | "maxMicros" | "latencies"
>;

/** Receives a non-empty range of an HdrHistogram: its least value, its width, and how many values are in it. */
type TakeCount = (least: number, width: number, count: number) => void;

/** Receives the number of values in the range with an index. */
type TakeIndex = (index: number, count: number) => void;

/** Cookies of the compressed form and of what is in it, by version; bits 4 to 7 are the size of a word. */
const COMPRESSED: ReadonlySet<number> = new Set([0x1c849302, 0x1c849304]);
const [V1, V2] = [0x1c849301, 0x1c849303];
const WORD_BITS = 0xf0;
const OUTER_BYTES = 8;
const HEADER_BYTES = 40;
const INFLATED_BYTES_MAX = 2 ** 24;
/** A decompressor that fails keeps its last chunk until the event loop turns, and every line may fail. */
const INFLATED_CHUNK_BYTES = 1024;
const DIGITS_MAX = 5;
/** Those that are not empty: all of one with 5 digits in use would take gigabytes. */
const RANGES_MAX = 2 ** 18;

/**
 * Calls `take` for each non-empty range of a compressed histogram (version 1 or 2), from the least value to the greatest. Throws
 * `Error` if the histogram cannot be read.
 */
export function readHdrCounts(base64: string, take: TakeCount): void {
  const outer = Buffer.from(base64, "base64");
  if (outer.length < OUTER_BYTES || !COMPRESSED.has(cookieOf(outer))) {
    throw new Error("want version 1 or 2, compressed");
  }
  const inflated = inflateSync(outer.subarray(OUTER_BYTES), {
    maxOutputLength: INFLATED_BYTES_MAX,
    chunkSize: INFLATED_CHUNK_BYTES,
  });
  const [cookie, digits] = [cookieOf(inflated), inflated.readUInt32BE(12)];
  if ((cookie !== V1 && cookie !== V2) || digits > DIGITS_MAX || inflated.readInt32BE(8) !== 0) {
    throw new Error("its header is damaged");
  }
  const unit = Math.floor(Math.log2(Math.max(1, Number(inflated.readBigInt64BE(16)))));
  const half = Math.ceil(Math.log2(2 * 10 ** digits)) - 1;
  const payload = inflated.subarray(HEADER_BYTES, HEADER_BYTES + inflated.readUInt32BE(4));
  const perBucket = 2 ** half;
  let [ranges, bucket, width] = [0, 0, 2 ** unit];
  const takeIndex = (index: number, count: number): void => {
    if (ranges++ === RANGES_MAX) {
      throw new Error(`it has more than ${RANGES_MAX} values that differ`);
    }
    if (index >= (bucket + 2) * perBucket) {
      bucket = Math.floor(index / perBucket) - 1;
      width = 2 ** (bucket + unit);
    }
    take((index - bucket * perBucket) * width, width, count);
  };
  if (cookie === V2) readVarCounts(payload, takeIndex);
  else readWordCounts(payload, inflated.readUInt32BE(0), takeIndex);
}

function cookieOf(bytes: Buffer): number {
  return bytes.readUInt32BE(0) & ~WORD_BITS;
}

/** Signed numbers in groups of 7 bits; a negative one is a run of zeros. */
function readVarCounts(bytes: Buffer, take: TakeIndex): void {
  let index = 0;
  for (let at = 0; at < bytes.length;) {
    let [value, scale, more] = [0, 1, true];
    for (let length = 0; more; length++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("it ends within a count");
      more = byte >= 0x80 && length < 8;
      value += (length < 8 ? byte & 0x7f : byte) * scale;
      scale *= 0x80;
    }
    const isRun = value % 2 === 1;
    if (!isRun && value > 0) take(index, value / 2);
    index += isRun ? (value + 1) / 2 : 1;
  }
}

function readWordCounts(bytes: Buffer, cookie: number, take: TakeIndex): void {
  const word = ((cookie & WORD_BITS) >> 4) & 0xe;
  if (word !== 2 && word !== 4 && word !== 8) throw new Error("its header is damaged");
  for (let at = 0; at + word <= bytes.length; at += word) {
    const count = word === 8 ? Number(bytes.readBigInt64BE(at)) : bytes.readIntBE(at, word);
    if (count > 0) take(at / word, count);
  }
}
