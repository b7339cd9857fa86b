import { VEGETA_GOB } from "./about.ts";
import type { Rejection } from "../../model/import-report.ts";
import { viewOf } from "../bytes/byte-words.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { type Format, RECORD_BYTES_MAX, type SampleSink } from "../decoder.ts";
import { GobBytes, GobError, GobTypes, type GobValue } from "./gob-types.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { VegetaResults } from "./vegeta-results.ts";

/** Output of `vegeta attack`: docs/internals/formats/vegeta.md. */
export const vegetaGob: Format = {
  ...VEGETA_GOB,
  recognises: isVegetaGob,
  open(sink, options) {
    const [window, results] = [new ByteWindow(), new VegetaResults(sink, options)];
    const { rows } = results;
    return new WindowDecoder(window, {
      reader: new VegetaGobReader(window, results, sink),
      rows,
      finish: () => [...results.notes(), ...rows.notes()],
    });
  },
};

/** Bytes of the longest length prefix. */
const LENGTH_BYTES_MAX = 9;
/** Seconds from year 1, the origin of Go's times, to 1970. */
const SECONDS_BEFORE_1970 = 62_135_596_800n;
/** Version, seconds and nanoseconds; the zone follows. */
const TIME_BYTES_MIN = 13;
const NANOS_PER_MS = 1_000_000;
const utf8 = new TextDecoder();

/** The first message defines the type of results. */
function isVegetaGob(head: Uint8Array): boolean {
  try {
    const frame = new GobBytes(head, 0, head.length);
    const message = frame.bytes();
    const bytes = new GobBytes(message, 0, message.length);
    const id = bytes.signed();
    if (id >= 0) return false;
    const type = new GobTypes().define(-id, bytes);
    if (type.kind !== "struct" || type.name !== "Result") return false;
    return ["Timestamp", "Latency", "Code"].every((name) =>
      type.fields.some((field) => field.name === name),
    );
  } catch (error) {
    if (error instanceof GobError) return false;
    throw error;
  }
}

class VegetaGobReader {
  readonly #sink: SampleSink;
  readonly #results: VegetaResults;
  readonly #window: ByteWindow;
  readonly #types = new GobTypes();
  /** Including rejected ones. */
  #count = 0;
  /** Bytes left of an overlong message. */
  #skipped = 0;
  #broken: Rejection | undefined;

  constructor(window: ByteWindow, results: VegetaResults, sink: SampleSink) {
    this.#window = window;
    this.#results = results;
    this.#sink = sink;
  }

  read(): void {
    let at: number | undefined = this.#window.from;
    while (at !== undefined && this.#broken === undefined) {
      this.#window.settle(at);
      at = this.#message(at);
    }
    if (this.#broken !== undefined) this.#window.settle(this.#window.to);
  }

  end(): Rejection | undefined {
    const { from, to } = this.#window;
    const isWhole = from === to && this.#skipped === 0;
    const truncatedAt = isWhole ? undefined : this.#cutAt(from, "the source ends inside a result");
    return this.#broken ?? truncatedAt;
  }

  /** Returns where the next message begins; `undefined` if this one is incomplete. */
  #message(at: number): number | undefined {
    const { bytes, to } = this.#window;
    if (this.#skipped > 0) return this.#skip(at);
    if (at === to) return undefined;
    const first = bytes[at] as number;
    const lengthBytes = first < 0x80 ? 1 : 0x101 - first;
    if (lengthBytes > LENGTH_BYTES_MAX) {
      this.#broken = this.#cutAt(at, "cannot read from here on: got no valid result length");
      return undefined;
    }
    const from = at + lengthBytes;
    if (from > to) return undefined;
    const length = new GobBytes(bytes, at, from).unsigned();
    if (length > RECORD_BYTES_MAX) {
      const reason = `the result is too long: got ${length} bytes, want at most 1 MiB (attack with -max-body 0)`;
      this.#count += 1;
      this.#reject(at, reason);
      this.#skipped = length;
      return from;
    }
    if (from + length > to) return undefined;
    this.#take(at, new GobBytes(bytes, from, from + length));
    return from + length;
  }

  #skip(at: number): number | undefined {
    const length = Math.min(this.#skipped, this.#window.to - at);
    this.#skipped -= length;
    return length === 0 ? undefined : at + length;
  }

  /** Handles a definition or a result. */
  #take(at: number, message: GobBytes): void {
    let reason: string | undefined;
    try {
      const id = message.signed();
      if (id < 0) this.#types.define(-id, message);
      else {
        this.#count += 1;
        reason = this.#takeResult(this.#types.struct(id, message));
      }
    } catch (error) {
      if (!(error instanceof GobError)) throw error;
      reason = `cannot read the result: ${error.message}`;
    }
    if (reason !== undefined) this.#reject(at, reason);
    else this.#results.rows.repairs.report(this.#sink, this.#place(at));
  }

  #takeResult(values: ReadonlyMap<string, GobValue>): string | undefined {
    const start = startOf(values.get("Timestamp"));
    if (start === undefined) return "cannot read the result: it has no timestamp";
    const [code, latencyNanos, bytesIn] = ["Code", "Latency", "BytesIn"].map((name) =>
      wholeOf(values.get(name)),
    );
    if (code === undefined) return "cannot read the result: want the code as a whole number";
    const text = (name: string): string => textOf(values.get(name));
    return this.#results.take({
      ...start,
      code,
      latencyNanos,
      bytesIn,
      error: text("Error"),
      attack: text("Attack"),
      method: text("Method"),
      url: text("URL"),
      sentBytes: wholeOf(values.get("BytesOut")),
      body: () => utf8.decode(bytesOf(values.get("Body"))),
    });
  }

  /** There are no lines: results are counted. */
  #reject(at: number, reason: string): void {
    this.#sink.reject({ ...this.#place(at), reason });
  }

  #place(at: number): { line: number; byte: number } {
    return { line: Math.max(1, this.#count), byte: this.#window.offsetOf(at) };
  }

  #cutAt(at: number, reason: string): Rejection {
    return { line: this.#count + 1, byte: this.#window.offsetOf(at), reason };
  }
}

/** Version, seconds, nanoseconds. */
function startOf(time: GobValue | undefined) {
  if (!(time instanceof Uint8Array) || time.length < TIME_BYTES_MIN) return undefined;
  const [seconds, nanos] = [viewOf(time).getBigInt64(1), viewOf(time).getInt32(9)];
  return {
    second: Number(seconds - SECONDS_BEFORE_1970),
    millis: Math.floor(nanos / NANOS_PER_MS),
  };
}

function bytesOf(value: GobValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}

/** Zero values are not written. */
function wholeOf(value: GobValue = 0): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function textOf(value: GobValue = ""): string {
  return typeof value === "string" ? value : "";
}
