import type { FailureKind } from "../../model/failures.ts";
import type { Rejection } from "../../model/import-report.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { emptyLines, emptyLinesEnd } from "../bytes/line-reader.ts";
import { K6JsonLines } from "./k6-json-lines.ts";
import { readJsonLine } from "./k6-json-point.ts";

/** The lines of JSON that `k6 run --out json=FILE` writes: docs/internals/formats/k6.md. */
export const k6Json: Format = {
  name: "k6-json",
  labelFields: "columns",
  recognises: isK6Json,
  open: (sink, options) => new K6JsonDecoder(sink, options),
};

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

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

class K6JsonDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #sink: SampleSink;
  readonly #window = new ByteWindow();
  readonly #lines: K6JsonLines;
  #line = 0;
  /** Bytes of the open line already searched for its end. */
  #searched = 0;
  /** Bytes dropped of an open line that is too long. */
  #dropped = 0;
  #lineByte = 0;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#sink = sink;
    this.#lines = new K6JsonLines(sink, options);
    this.labels = this.#lines.labels;
    this.failureKinds = this.#lines.failureKinds;
    this.generators = this.#lines.generators;
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    const { bytes, from, to } = this.#window;
    this.#lines.beginIn(bytes);
    // Continues the search of an open line.
    let at = this.#searched === 0 ? this.#takeLines(from, to) : from;
    let end = bytes.indexOf(NEWLINE, at + this.#searched);
    while (end >= 0 && end < to) {
      this.#deliver(bytes, at, end);
      at = this.#takeLines(end + 1, to);
      end = bytes.indexOf(NEWLINE, at);
    }
    this.#searched = to - at;
    if (this.#dropped + this.#searched > RECORD_BYTES_MAX) {
      if (this.#dropped === 0) this.#lineByte = this.#window.offsetOf(at);
      this.#dropped += this.#searched;
      this.#searched = 0;
      at = to;
    }
    this.#window.settle(at);
  }

  forgetLabels(): void {
    this.#lines.forgetLabels();
  }

  flush(): void {
    this.#lines.flush();
  }

  end(): DecodeEnd {
    const cut = this.#lastLine();
    return { cut, notes: this.#lines.end() };
  }

  /** Fast path from `from`. Returns where the first unread line begins. */
  #takeLines(from: number, to: number): number {
    if (this.#dropped > 0) return from;
    const { bytes } = this.#window;
    const start = emptyLinesEnd(bytes, from, to);
    const before = this.#lines.plainLines;
    const at = this.#lines.takeLines(start, to);
    this.#line += emptyLines(bytes, from, start) + this.#lines.plainLines - before;
    return at;
  }

  #deliver(buffer: Buffer, at: number, end: number): void {
    this.#line += 1;
    const length = this.#dropped + (end - at);
    if (length > RECORD_BYTES_MAX) {
      const byte = this.#dropped > 0 ? this.#lineByte : this.#window.offsetOf(at);
      const reason = `the line is too long: got ${length} bytes, want at most 1 MiB`;
      this.#sink.reject({ line: this.#line, byte, reason });
      this.#dropped = 0;
      return;
    }
    const to = end > at && buffer[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    const reason = this.#lines.take(at, to);
    if (reason !== undefined) {
      this.#sink.reject({ line: this.#line, byte: this.#window.offsetOf(at), reason });
    }
  }

  /** A last line without line end is read if complete. */
  #lastLine(): Rejection | undefined {
    const { bytes, from, to } = this.#window;
    const line = this.#line + 1;
    if (this.#dropped > 0) {
      return { line, byte: this.#lineByte, reason: "the source ends inside a line of over 1 MiB" };
    }
    this.#lines.beginIn(bytes);
    if (this.#lines.isBlank(from, to)) return undefined;
    if (!this.#lines.isWhole(from, to)) {
      return { line, byte: this.#window.offsetOf(from), reason: "the source ends inside a line" };
    }
    this.#deliver(bytes, from, to);
    return undefined;
  }
}
